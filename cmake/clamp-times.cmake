# Run by CPack on the staged tree: every file gets the time that SOURCE_DATE_EPOCH names.
if(DEFINED ENV{SOURCE_DATE_EPOCH})
  execute_process(COMMAND_ERROR_IS_FATAL ANY
    COMMAND find ${CPACK_TEMPORARY_DIRECTORY} -exec
      touch --no-dereference --date=@$ENV{SOURCE_DATE_EPOCH} {} +)
endif()
