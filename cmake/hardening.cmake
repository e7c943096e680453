# SPDX-License-Identifier: MIT
# Optimised builds are hardened; each flag is tried first, because not every target has all of them.
# Asserts stay on in every build, so -DNDEBUG goes.
include(CheckCCompilerFlag)
include(CheckLinkerFlag)

foreach(kind IN ITEMS RELEASE RELWITHDEBINFO MINSIZEREL)
  string(REGEX REPLACE "[-/]DNDEBUG" "" CMAKE_C_FLAGS_${kind} "${CMAKE_C_FLAGS_${kind}}")
endforeach()

add_library(wl_hardening INTERFACE)
if(CMAKE_BUILD_TYPE MATCHES "^(Release|RelWithDebInfo|MinSizeRel)$")
  set(candidates -D_FORTIFY_SOURCE=3 -fstack-protector-strong -fstack-clash-protection
    -fcf-protection=full -fvisibility=hidden -fPIE)
  foreach(flag IN LISTS candidates)
    string(MAKE_C_IDENTIFIER "wl_has${flag}" found)
    # Fortify checks nothing without optimisation, and says so.
    set(CMAKE_REQUIRED_FLAGS "-O2 -U_FORTIFY_SOURCE -Werror")
    check_c_compiler_flag(${flag} ${found})
    if(${found})
      list(APPEND hardening ${flag})
    endif()
  endforeach()
  unset(CMAKE_REQUIRED_FLAGS)
  foreach(flag IN ITEMS -pie -Wl,-z,relro,-z,now -Wl,-z,noexecstack -Wl,--as-needed)
    string(MAKE_C_IDENTIFIER "wl_has${flag}" found)
    check_linker_flag(C ${flag} ${found})
    if(${found})
      target_link_options(wl_hardening INTERFACE ${flag})
    endif()
  endforeach()
  # No path of the build machine in messages and debug information: builds are reproducible.
  target_compile_options(wl_hardening INTERFACE -U_FORTIFY_SOURCE ${hardening}
    -ffile-prefix-map=${CMAKE_SOURCE_DIR}=.)
endif()
