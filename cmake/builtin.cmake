# Documents of src/facts become part of the program, in a source that is made at build time.
file(GLOB documents CONFIGURE_DEPENDS src/facts/*/*.json)
set(builtin ${CMAKE_BINARY_DIR}/builtin.c)
set(embed ${CMAKE_SOURCE_DIR}/tools/embed)
add_custom_command(OUTPUT ${builtin}
  COMMAND ${Python3_EXECUTABLE} ${embed} ${builtin} ${documents}
  DEPENDS ${embed} ${documents}
  COMMENT "Embedding documents")
add_custom_target(builtin DEPENDS ${builtin})
