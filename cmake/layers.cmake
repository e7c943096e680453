# SPDX-License-Identifier: MIT
# Every folder of src is a layer: a static library that knows the layers which the table of
# tools/check-layers allows it. A program that links one layer links those below it and none above.
set(table ${CMAKE_SOURCE_DIR}/tools/check-layers)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table})
file(STRINGS ${table} rows REGEX "^\tallow\\[")

# Each library has one home, which check-layers knows as well.
set(foreign_base PkgConfig::PCRE2 PkgConfig::JANSSON PkgConfig::ZLIB PkgConfig::ZSTD Threads::Threads m)
# libcurl is loaded when it is used: only its headers are needed.
list(APPEND foreign_base ${CMAKE_DL_LIBS})
if(NOT CURL_FOUND)
  set_source_files_properties(src/base/net/http.c PROPERTIES COMPILE_DEFINITIONS WL_WITHOUT_CURL)
endif()
set(foreign_read PkgConfig::SQLITE)
set(foreign_tui PkgConfig::NCURSES)
set(foreign_serve PkgConfig::MICROHTTPD)
set(foreign_sql PkgConfig::SQLITE)
set(foreign_cli PkgConfig::EDIT)
set(foreign_agent PkgConfig::MICROHTTPD)

# Under sanitizers an unoptimised source compiles in a third of the time. In these layers that makes no test
# slower by more than a tenth; the others read traces and compute.
set(quick)
if(WL_QUICK_COMPILE)
  set(quick facts known ncu analysis findings session capture render compare scene agent tui cli fleet)
  # Each name of a kernel is held against a thousand patterns, each time that a trace is opened: unoptimised it takes four times
  # as long.
  file(GLOB matched CONFIGURE_DEPENDS src/known/kernels/*.c)
  set_source_files_properties(${matched} PROPERTIES COMPILE_OPTIONS -O1)
endif()

set(learned ${CMAKE_BINARY_DIR}/learned.c)
set(layers)
foreach(row IN LISTS rows)
  string(REGEX REPLACE "^.*allow\\[\"([a-z]+)\"\\].*$" "\\1" layer "${row}")
  string(REGEX REPLACE "^.*= \"(.*)\"$" "\\1" below "${row}")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS src/${layer}/*.c)
  list(REMOVE_ITEM sources ${CMAKE_SOURCE_DIR}/src/cli/main.c)
  if(layer STREQUAL "known")
    list(APPEND sources ${builtin})
  elseif(layer STREQUAL "agent")
    list(APPEND sources ${learned})
  endif()
  if(NOT sources) # its folder comes later
    continue()
  endif()
  add_library(layer_${layer} STATIC ${sources})
  target_include_directories(layer_${layer} PUBLIC src)
  target_compile_definitions(layer_${layer} PUBLIC _GNU_SOURCE)
  target_link_libraries(layer_${layer} PUBLIC wl_warnings wl_hardening ${foreign_${layer}})
  if(layer IN_LIST quick)
    target_compile_options(layer_${layer} PRIVATE -O0)
  endif()
  separate_arguments(below)
  foreach(lower IN LISTS below)
    if(IS_DIRECTORY ${CMAKE_SOURCE_DIR}/src/${lower})
      target_link_libraries(layer_${layer} PUBLIC layer_${lower})
    endif()
  endforeach()
  list(APPEND layers ${layer})
endforeach()

# What `ask` has learned is a source that a program of the build writes; it reads questions as the layer does.
set(learned_route learned_share question rules senses traits)
list(TRANSFORM learned_route PREPEND src/agent/route/)
list(TRANSFORM learned_route APPEND .c)
file(GLOB learn_sources CONFIGURE_DEPENDS tools/learn/*.c)
add_executable(learn ${learn_sources} ${learned_route})
target_include_directories(learn PRIVATE tools/learn src)
target_link_libraries(learn PRIVATE layer_base)
add_custom_command(OUTPUT ${learned}
  COMMAND learn ${CMAKE_SOURCE_DIR}/data/questions.tsv ${learned}
  DEPENDS learn ${CMAKE_SOURCE_DIR}/data/questions.tsv
  COMMENT "Learning from questions")

# The one climb: the registry of analyses names findings and budget, which are a layer above it.
target_link_libraries(layer_analysis PUBLIC layer_findings)
add_library(warplens_core ALIAS layer_cli)
