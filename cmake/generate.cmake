# SPDX-License-Identifier: MIT
# The manual pages of the verbs and the completions are made from what the program says of itself.
set(generated ${CMAKE_BINARY_DIR}/generated)
set(introspect2man ${CMAKE_SOURCE_DIR}/tools/introspect2man)
set(introspect2completions ${CMAKE_SOURCE_DIR}/tools/introspect2completions)
add_custom_command(OUTPUT ${generated}/introspect.json
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${generated}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${generated}/man ${generated}/completions
  COMMAND warplens_bare --introspect > ${generated}/introspect.tmp
  COMMAND ${Python3_EXECUTABLE} ${introspect2man} ${generated}/man < ${generated}/introspect.tmp
  COMMAND ${Python3_EXECUTABLE} ${introspect2completions} ${generated}/completions
    < ${generated}/introspect.tmp
  COMMAND ${CMAKE_COMMAND} -E rename ${generated}/introspect.tmp ${generated}/introspect.json
  DEPENDS warplens_bare ${introspect2man} ${introspect2completions}
  COMMENT "Generating manual pages and completions")
add_custom_target(generated ALL DEPENDS ${generated}/introspect.json)

set(completions ${CMAKE_BINARY_DIR}/completions.c)
add_custom_command(OUTPUT ${completions}
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/embed --table wl_completion_files ${completions}
    ${generated}/completions/warplens.bash ${generated}/completions/_warplens ${generated}/completions/warplens.fish
  DEPENDS ${CMAKE_SOURCE_DIR}/tools/embed ${generated}/introspect.json
  COMMENT "Embedding completions")
