# SPDX-License-Identifier: MIT
install(TARGETS warplens RUNTIME)
install(FILES man/warplens.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(DIRECTORY ${CMAKE_BINARY_DIR}/generated/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
  FILES_MATCHING PATTERN "*.1")

set(completions ${CMAKE_BINARY_DIR}/generated/completions)
install(FILES ${completions}/warplens.bash
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME warplens)
install(FILES ${completions}/_warplens DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${completions}/warplens.fish
  DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

install(FILES README.md CHANGELOG.md SECURITY.md DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs FILES_MATCHING PATTERN "*.md" PATTERN "*.csv"
  PATTERN pictures EXCLUDE)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
