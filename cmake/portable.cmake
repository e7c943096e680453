# SPDX-License-Identifier: MIT
# The target portable: one static file, portable/warplens, linked from the objects of the program. The imported
# targets of pkg-config name shared libraries, hence the archives are found and listed here.
if(NOT CMAKE_BUILD_TYPE MATCHES "^(Release|RelWithDebInfo|MinSizeRel)$")
  return() # its objects are not position independent
endif()
set(portable_libraries microhttpd sqlite3 pcre2-8 jansson edit bsd md ncursesw tinfo z zstd m)
set(portable_archives)
set(portable_missing)
foreach(library IN LISTS portable_libraries)
  string(MAKE_C_IDENTIFIER "WL_ARCHIVE_${library}" found)
  find_library(${found} NAMES lib${library}.a)
  mark_as_advanced(${found})
  if(${found})
    list(APPEND portable_archives ${${found}})
  else()
    list(APPEND portable_missing lib${library}.a)
  endif()
endforeach()

if(portable_missing)
  add_custom_target(portable VERBATIM
    COMMAND ${CMAKE_COMMAND} -E echo "portable: not found: ${portable_missing}; install the packages that have them"
    COMMAND ${CMAKE_COMMAND} -E false)
  return()
endif()

# A static libcurl wants TLS, LDAP and Kerberos archives: this http.c, which has no libcurl, hides that of the base layer.
add_executable(portable EXCLUDE_FROM_ALL src/cli/main.c ${completions} cmake/portable/absent.c src/base/net/http.c)
set_target_properties(portable PROPERTIES OUTPUT_NAME warplens
  RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/portable)
target_include_directories(portable PRIVATE src)
target_compile_definitions(portable PRIVATE _GNU_SOURCE WL_COMPLETIONS WL_WITHOUT_CURL)
target_link_libraries(portable PRIVATE wl_warnings wl_hardening -Wl,--start-group)
foreach(layer IN LISTS layers)
  target_link_libraries(portable PRIVATE $<TARGET_FILE:layer_${layer}>)
  add_dependencies(portable layer_${layer})
  set_property(TARGET portable APPEND PROPERTY LINK_DEPENDS $<TARGET_FILE:layer_${layer}>)
endforeach()
# -static-pie is last, where it wins over the -pie of wl_hardening.
target_link_libraries(portable PRIVATE -Wl,--end-group ${portable_archives} Threads::Threads -static-pie)
# Without symbols, because the file is carried around; the program beside it has them.
target_link_options(portable PRIVATE -s)
