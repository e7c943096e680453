# SPDX-License-Identifier: MIT
# Tests of what is shipped: hardening, the static program, the package. They exist in optimised builds only, and
# need neither cmocka nor the other tests. Status 77 means skipped.
if(NOT CMAKE_BUILD_TYPE MATCHES "^(Release|RelWithDebInfo|MinSizeRel)$")
  return()
endif()
set(portable ${CMAKE_BINARY_DIR}/portable/warplens)
set(release ${CMAKE_SOURCE_DIR}/tests/release)
add_test(NAME release.hardened COMMAND bash ${release}/hardened.sh $<TARGET_FILE:warplens> ${CMAKE_BINARY_DIR})
add_test(NAME release.portable COMMAND bash ${release}/portable.sh ${portable} $<TARGET_FILE:warplens>
  ${CMAKE_SOURCE_DIR})
add_test(NAME release.portable_hardened COMMAND bash ${release}/hardened.sh ${portable} ${CMAKE_BINARY_DIR})
add_test(NAME release.syscalls COMMAND bash ${release}/syscalls.sh ${portable} ${CMAKE_SOURCE_DIR})
add_test(NAME release.package COMMAND bash ${release}/package.sh ${CMAKE_BINARY_DIR})
set_tests_properties(release.hardened release.portable release.portable_hardened release.syscalls release.package
  PROPERTIES LABELS ci TIMEOUT 600 SKIP_RETURN_CODE 77)
