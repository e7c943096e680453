# SPDX-License-Identifier: MIT
# Documents and skills of src/known, styles and scripts of src/render/pages, the pages of findings and definitions, the glossary, why-numbers-differ, the page of web/ and a demo trace become part of the program, in a
# source that is made at build time. The page's modules are joined into one script.
file(GLOB documents CONFIGURE_DEPENDS src/known/*/*.json src/known/skills/*.md docs/findings/*.md
  docs/definitions/*.md docs/glossary.md docs/why-numbers-differ.md src/render/pages/*)
file(GLOB modules CONFIGURE_DEPENDS web/*.js web/*/*.js)
set(web ${CMAKE_SOURCE_DIR}/web)
set(script ${CMAKE_BINARY_DIR}/web/main.js)
set(bundle ${CMAKE_SOURCE_DIR}/tools/bundle)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/web)
add_custom_command(OUTPUT ${script}
  COMMAND ${Python3_EXECUTABLE} -B ${bundle} ${script} ${web}/main.js
  DEPENDS ${bundle} ${modules}
  COMMENT "Joining the modules of the page")
list(APPEND documents ${web}/page.html ${web}/style.css ${script})

# The trace of `warplens demo`.
set(demo ${CMAKE_BINARY_DIR}/demo/demo.sqlite)
set(make_demo ${CMAKE_SOURCE_DIR}/tools/make-demo)
file(GLOB generator CONFIGURE_DEPENDS tests/support/gen_trace.py tests/support/gen/*.py)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/demo)
add_custom_command(OUTPUT ${demo}
  COMMAND ${Python3_EXECUTABLE} -B ${make_demo} ${demo}
  DEPENDS ${make_demo} ${generator}
  COMMENT "Generating the demo trace")
list(APPEND documents ${demo})

set(builtin ${CMAKE_BINARY_DIR}/builtin.c)
set(embed ${CMAKE_SOURCE_DIR}/tools/embed)
add_custom_command(OUTPUT ${builtin}
  COMMAND ${Python3_EXECUTABLE} ${embed} ${builtin} ${documents}
  DEPENDS ${embed} ${documents}
  COMMENT "Embedding documents")
add_custom_target(builtin DEPENDS ${builtin})
