# SPDX-License-Identifier: MIT
# Run by CPack on the staged tree, which becomes what Debian's policy asks of a package: manual pages compressed, a
# changelog, no comments of the compiler. Then every file gets the time that SOURCE_DATE_EPOCH names.
set(tree ${CPACK_TEMPORARY_DIRECTORY}/usr)
file(GLOB pages ${tree}/share/man/man1/*.1)
execute_process(COMMAND_ERROR_IS_FATAL ANY COMMAND gzip -9n ${pages})
execute_process(COMMAND_ERROR_IS_FATAL ANY COMMAND strip --remove-section=.comment ${tree}/bin/warplens)

string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC) # that of SOURCE_DATE_EPOCH, if set
set(changelog ${tree}/share/doc/warplens/changelog)
file(WRITE ${changelog} "warplens (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * CHANGELOG.md lists the changes.

 -- ${CPACK_PACKAGE_CONTACT}  ${now}
")
execute_process(COMMAND_ERROR_IS_FATAL ANY COMMAND gzip -9n ${changelog})

if(DEFINED ENV{SOURCE_DATE_EPOCH})
  execute_process(COMMAND_ERROR_IS_FATAL ANY
    COMMAND find ${CPACK_TEMPORARY_DIRECTORY} -exec
      touch --no-dereference --date=@$ENV{SOURCE_DATE_EPOCH} {} +)
endif()
