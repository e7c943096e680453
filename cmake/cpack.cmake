# SPDX-License-Identifier: MIT
# One Debian package; its dependencies are read from the binary.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME warplens)
set(CPACK_PACKAGE_VENDOR "The warplens authors")
# Debian requires an address. The project has none: .invalid (RFC 2606) reaches no one else.
set(CPACK_PACKAGE_CONTACT "The warplens authors <authors@warplens.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"warplens reads the SQLite export of an Nsight Systems profile and says where
the GPU time went, and what the trace cannot tell.
It needs neither a GPU nor CUDA.")
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# The symbols that are used are older than what is asked of them: see src/read/sqlite/harden.c. A dependency
# would stand beside the one that is read from the binary.
set(CPACK_DEBIAN_PACKAGE_BREAKS "libsqlite3-0 (<< 3.37)")
# Loaded when it is used, so that it is not read from the binary; trixie renamed it.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libcurl4t64 | libcurl4")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
# Equal sources give an equal package when SOURCE_DATE_EPOCH is set.
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/cmake/debian-tree.cmake)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
include(CPack)
