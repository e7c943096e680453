# SPDX-License-Identifier: MIT
# Every kind of test is a CTest test. Names are KIND.NAME, so that `ctest -R '^golden\.'` selects a kind.
# Label ci: everything that runs on each change. Label soak: long campaigns, left out by `make check`.
# Label tsan: what runs on several threads; the target tsan_programs builds what these tests need.
# Labels release and sanitized: the parts of the gate, by tests/parts.tsv.
pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
set(tests ${CMAKE_SOURCE_DIR}/tests)
set(tools ${CMAKE_SOURCE_DIR}/tools)
set(fixtures ${CMAKE_BINARY_DIR}/fixtures)
# Real traces, which are not in this tree.
set(shared $ENV{WARPLENS_SHARED})
if(NOT shared)
  file(REAL_PATH ../shared shared BASE_DIRECTORY ${CMAKE_SOURCE_DIR})
endif()

# What scripts may rely on. A sanitizer report ends with a status that the program never uses.
set(test_environment LC_ALL=C.UTF-8 COLUMNS=80 TZ=UTC
  WARPLENS=$<TARGET_FILE:warplens> WARPLENS_SOURCE=${CMAKE_SOURCE_DIR}
  WARPLENS_BUILD=${CMAKE_BINARY_DIR} WARPLENS_FIXTURES=${fixtures} WARPLENS_SHARED=${shared}
  ASAN_OPTIONS=exitcode=99:detect_stack_use_after_return=1:strict_string_checks=1
  LSAN_OPTIONS=exitcode=99 UBSAN_OPTIONS=exitcode=99:print_stacktrace=1 TSAN_OPTIONS=exitcode=99)

set(on_threads unit.app unit.worker unit.jobs unit.budget unit.fill unit.pool unit.stop property.threads property.columns cli.threads unit.groups
  unit.order property.readers unit.clients serve.bad_clients serve.far_clients mcp.http mcp.stdio
  cli.timeline_threads)
add_custom_target(tsan_programs DEPENDS warplens)

file(STRINGS ${tests}/parts.tsv part_lines REGEX "^[a-z]")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${tests}/parts.tsv)
# The parts of the gate that run a test: both, or the one of a line. Sets the result in the caller's scope.
function(wl_parts name ret)
  set(parts release sanitized)
  foreach(line IN LISTS part_lines)
    string(REGEX MATCH "^([a-z]+)\t([^\t]+)\t" fields "${line}")
    set(part ${CMAKE_MATCH_1})
    set(names ${CMAKE_MATCH_2})
    if(name MATCHES "^(${names})$")
      set_property(GLOBAL APPEND PROPERTY part_lines_used "${names}")
      list(FILTER parts INCLUDE REGEX "^${part}$")
    endif()
  endforeach()
  set(${ret} ${parts} PARENT_SCOPE)
endfunction()

# wl_test(NAME name TIMEOUT seconds [LABEL label...] [FIXTURES] [SKIPS] COMMAND command...)
# FIXTURES: wants the databases made from tests/fixtures. SKIPS: status 77 means skipped.
function(wl_test)
  cmake_parse_arguments(t "FIXTURES;SKIPS" "NAME;TIMEOUT" "LABEL;COMMAND" ${ARGN})
  if(NOT t_LABEL)
    set(t_LABEL ci)
  endif()
  if(t_NAME IN_LIST on_threads)
    list(APPEND t_LABEL tsan)
  endif()
  wl_parts(${t_NAME} parts)
  list(APPEND t_LABEL ${parts})
  add_test(NAME ${t_NAME} COMMAND ${t_COMMAND})
  set_tests_properties(${t_NAME} PROPERTIES TIMEOUT ${t_TIMEOUT} LABELS "${t_LABEL}"
    ENVIRONMENT "${test_environment}")
  if(t_FIXTURES)
    set_tests_properties(${t_NAME} PROPERTIES FIXTURES_REQUIRED databases)
  endif()
  if(t_SKIPS)
    set_tests_properties(${t_NAME} PROPERTIES SKIP_RETURN_CODE 77)
  endif()
  # What takes long begins first, so that no core is idle at the end.
  # A clean machine has no times of earlier runs.
  if(t_NAME MATCHES "^(oracle|browser|fleet)\\.|^(cli.ask|cli.bench|cli.matrix|property.matrix|serve.slow_clients)$")
    set_tests_properties(${t_NAME} PROPERTIES COST 100)
  elseif(t_NAME MATCHES "^property\\.|^(cli.hostile|cli.streams|cli.several|docs.commands|unit.analyses|unit.write_index)$")
    set_tests_properties(${t_NAME} PROPERTIES COST 50)
  endif()
endfunction()

# Text in, databases out, once per run of ctest.
wl_test(NAME setup.fixtures TIMEOUT 120 COMMAND ${tests}/fixtures/build ${fixtures})
set_tests_properties(setup.fixtures PROPERTIES FIXTURES_SETUP databases)

# Archives hold the objects that a program asks for and no others: linked with a layer, support needs what
# the tests of that layer use of it.
file(GLOB support_sources CONFIGURE_DEPENDS ${tests}/support/*.c)
add_library(wl_test_support STATIC ${support_sources})
target_include_directories(wl_test_support PUBLIC tests src)
target_compile_definitions(wl_test_support PUBLIC _GNU_SOURCE)
target_link_libraries(wl_test_support PUBLIC wl_warnings wl_hardening PkgConfig::CMOCKA PkgConfig::SQLITE)

# Checks Perfetto files; shares no code with the program. Fast in every build: files have millions of slices.
file(GLOB pfcheck_sources CONFIGURE_DEPENDS ${tests}/pfcheck/*.c)
add_executable(pfcheck ${pfcheck_sources})
target_link_libraries(pfcheck PRIVATE wl_warnings wl_hardening)
target_compile_definitions(pfcheck PRIVATE _GNU_SOURCE)
target_compile_options(pfcheck PRIVATE -O2)

# Says what the program finds in series of step times, for oracle.step_changes.
add_executable(changes ${tests}/changes/changes.c)
target_link_libraries(changes PRIVATE warplens_core)

# wl_runner(PROGRAM KIND PREFIX TIMEOUT LIBRARY SOURCE...): one program of many test files, each of which is a
# test KIND.NAME of its own; tests/runner/runner.c picks it by name.
function(wl_runner program kind prefix timeout library)
  set(listed "/* Made by CMake. */\n")
  set(kept)
  foreach(source IN LISTS ARGN)
    get_filename_component(name ${source} NAME_WE)
    string(REGEX REPLACE "^${prefix}_" "" name ${name})
    if(WL_ONLY_THREADS AND NOT ${kind}.${name} IN_LIST on_threads)
      continue()
    endif()
    list(APPEND kept ${source})
    string(APPEND listed "TEST(${name})\n")
    wl_test(NAME ${kind}.${name} TIMEOUT ${timeout} FIXTURES SKIPS COMMAND ${program} ${name})
    if(${kind}.${name} IN_LIST on_threads)
      set(threads ON)
    endif()
  endforeach()
  if(NOT kept)
    return()
  endif()
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/runner/${program}/tests.def CONTENT "${listed}" @ONLY)
  add_executable(${program} ${tests}/runner/runner.c ${kept})
  target_include_directories(${program} PRIVATE ${CMAKE_BINARY_DIR}/runner/${program})
  target_link_libraries(${program} PRIVATE wl_test_support ${library})
  if(WL_QUICK_COMPILE AND kind STREQUAL "unit")
    target_compile_options(${program} PRIVATE -O0)
  endif()
  if(threads)
    add_dependencies(tsan_programs ${program})
  endif()
endfunction()

# Unit: one program per layer, which has no layer above it, so that linking proves the order.
file(GLOB homeless CONFIGURE_DEPENDS RELATIVE ${tests}/unit ${tests}/unit/test_*.c)
if(homeless)
  message(FATAL_ERROR "tests/unit: ${homeless}: move into the folder of a layer, as in tests/unit/derive")
endif()
# A file that defines functions of the program itself, to watch its callers, is a program of its own.
set(alone tui/test_timeline cli/test_params read/test_schemas)
if(WL_UNITS)
  set(tested ${layers})
endif()
foreach(layer IN LISTS tested)
  file(GLOB sources CONFIGURE_DEPENDS ${tests}/unit/${layer}/test_*.c)
  foreach(file IN LISTS alone)
    set(source ${tests}/unit/${file}.c)
    if(source IN_LIST sources)
      list(REMOVE_ITEM sources ${source})
      string(REGEX REPLACE "^.*/test_" "unit_" program ${file})
      wl_runner(${program} unit test 300 layer_${layer} ${source})
    endif()
  endforeach()
  wl_runner(unit_${layer} unit test 300 layer_${layer} ${sources})
endforeach()
# Likewise the one that counts allocations: its malloc is for no other test, and dies under TSan.
file(GLOB sources CONFIGURE_DEPENDS ${tests}/property/prop_*.c)
list(REMOVE_ITEM sources ${tests}/property/prop_budget.c)
wl_runner(property property prop 600 warplens_core ${sources})
wl_runner(property_budget property prop 600 warplens_core ${tests}/property/prop_budget.c)

# Fuzz: every build replays the corpus; the presets asan-clang and fuzz link libFuzzer instead of standalone.c,
# and mutate_NAME.c where a harness has a mutator of its own.
# With WL_FUZZ_COVERAGE lines are counted in the sources that parsers.txt lists.
file(GLOB harnesses CONFIGURE_DEPENDS ${tests}/fuzz/fuzz_*.c)
if(WL_FUZZ_COVERAGE)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${tests}/fuzz/parsers.txt)
  file(STRINGS ${tests}/fuzz/parsers.txt lines REGEX "^[a-z]")
  foreach(line IN LISTS lines)
    string(REGEX MATCHALL "[a-z_0-9/]+[.]c" sources "${line}")
    list(TRANSFORM sources PREPEND ${CMAKE_SOURCE_DIR}/src/)
    set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS "-fprofile-instr-generate;-fcoverage-mapping")
  endforeach()
endif()
# MemorySanitizer takes what a library writes for unwritten. Of these harnesses none reads such bytes, but for patterns,
# which tests/fuzz/msan.txt leaves out; each is linked with its layer, not with all.
set(msan_where layer_table)
set(msan_payload layer_read)
set(msan_report layer_capture)
set(msan_ncu layer_ncu)
set(msan_terminal msan_term layer_table layer_known)
if(WL_MSAN)
  file(GLOB sources CONFIGURE_DEPENDS src/tui/term/*.c)
  add_library(msan_term STATIC EXCLUDE_FROM_ALL ${sources})
  target_link_libraries(msan_term PUBLIC layer_known PkgConfig::NCURSES)
endif()
add_custom_target(fuzzers)
foreach(source IN LISTS harnesses)
  get_filename_component(program ${source} NAME_WE)
  string(REGEX REPLACE "^fuzz_" "" name ${program})
  set(libraries wl_test_support warplens_core)
  if(WL_MSAN)
    set(libraries ${msan_${name}})
    if(NOT libraries)
      continue()
    endif()
  endif()
  add_executable(${program} ${source})
  target_include_directories(${program} PRIVATE tests)
  target_link_libraries(${program} PRIVATE ${libraries})
  add_dependencies(fuzzers ${program})
  set(replay ${program})
  if(WL_FUZZ)
    target_compile_options(${program} PRIVATE -fsanitize=fuzzer-no-link)
    target_link_options(${program} PRIVATE -fsanitize=fuzzer)
    list(APPEND replay -runs=0) # or it would fuzz for ever where there is no corpus
    if(EXISTS ${tests}/fuzz/mutate_${name}.c)
      target_sources(${program} PRIVATE ${tests}/fuzz/mutate_${name}.c)
    endif()
  else()
    target_sources(${program} PRIVATE ${tests}/fuzz/standalone.c)
  endif()
  file(GLOB corpus CONFIGURE_DEPENDS ${tests}/fuzz/corpus/${name}/*)
  wl_test(NAME fuzz.${name} TIMEOUT 300 COMMAND ${replay} ${corpus})
endforeach()

# Golden: one directory per case.
file(GLOB cases CONFIGURE_DEPENDS RELATIVE ${tests}/golden ${tests}/golden/*/*/cmd)
foreach(case IN LISTS cases)
  get_filename_component(dir ${case} DIRECTORY)
  string(REPLACE "/" "." name ${dir})
  wl_test(NAME golden.${name} TIMEOUT 120 FIXTURES
    COMMAND ${tests}/golden/run $<TARGET_FILE:warplens> ${fixtures} ${tests}/golden/${dir})
endforeach()

# Preloaded: by cli.faults, and by serve.sandbox.
foreach(module faults intruder)
  add_library(wl_${module} MODULE ${tests}/faults/${module}.c)
  target_link_libraries(wl_${module} PRIVATE wl_warnings dl)
  target_compile_definitions(wl_${module} PRIVATE _GNU_SOURCE)
endforeach()

# Scripts: the program as its users meet it, and its numbers against independent ones.
file(GLOB scripts CONFIGURE_DEPENDS ${tests}/cli/*.sh)
foreach(script IN LISTS scripts)
  get_filename_component(name ${script} NAME_WE)
  wl_test(NAME cli.${name} TIMEOUT 600 FIXTURES SKIPS COMMAND bash ${script})
endforeach()
# It interrupts programs at set times, which a busy machine moves: of four tests at a time it leaves room for one other.
set_tests_properties(cli.capture PROPERTIES PROCESSORS 3)
# What takes minutes is left to soak.browser; the page is opened on each change in both browsers, with its columns and rows.
set(long_browsers agent compare explorer panels report roofline speedscope stacks timeline viewer)
file(GLOB browsers CONFIGURE_DEPENDS ${tests}/browser/*.sh)
foreach(script IN LISTS browsers)
  get_filename_component(name ${script} NAME_WE)
  set(label ci)
  if(name IN_LIST long_browsers)
    set(label soak)
  endif()
  wl_test(NAME browser.${name} TIMEOUT 600 LABEL ${label} FIXTURES SKIPS COMMAND bash ${script})
endforeach()
# The page's modules that need no browser, against the program where both compute the same.
foreach(program lanes_dump units_dump)
  add_executable(${program} ${tests}/web/${program}.c)
  target_link_libraries(${program} PRIVATE wl_test_support warplens_core)
endforeach()
file(GLOB modules CONFIGURE_DEPENDS ${tests}/web/*.test.mjs)
foreach(module IN LISTS modules)
  get_filename_component(name ${module} NAME_WE)
  wl_test(NAME web.${name} TIMEOUT 300 FIXTURES SKIPS COMMAND ${tests}/web/run ${module})
endforeach()
# On a real terminal, which tmux provides.
add_executable(term_demo ${tests}/tui/term_demo.c)
target_link_libraries(term_demo PRIVATE warplens_core)
file(GLOB terminals CONFIGURE_DEPENDS ${tests}/tui/test_*.py)
foreach(script IN LISTS terminals)
  get_filename_component(name ${script} NAME_WE)
  string(REGEX REPLACE "^test_" "" name ${name})
  wl_test(NAME tui.${name} TIMEOUT 300 FIXTURES SKIPS COMMAND ${Python3_EXECUTABLE} -B ${script})
endforeach()
# The server for agents, asked by clients of its protocol.
file(GLOB agents CONFIGURE_DEPENDS ${tests}/mcp/test_*.py)
foreach(script IN LISTS agents)
  get_filename_component(name ${script} NAME_WE)
  string(REGEX REPLACE "^test_" "" name ${name})
  wl_test(NAME mcp.${name} TIMEOUT 300 FIXTURES SKIPS COMMAND ${Python3_EXECUTABLE} -B ${script})
endforeach()

# The server, asked by clients of all kinds.
file(GLOB clients CONFIGURE_DEPENDS ${tests}/serve/test_*.py)
foreach(script IN LISTS clients)
  get_filename_component(name ${script} NAME_WE)
  string(REGEX REPLACE "^test_" "" name ${name})
  wl_test(NAME serve.${name} TIMEOUT 300 FIXTURES SKIPS COMMAND ${Python3_EXECUTABLE} -B ${script})
endforeach()
# History: what the oracle of changes asks, and facts of nightly runs. Tests run the real ClickHouse.
foreach(program history_dump make_nights)
  add_executable(${program} ${tests}/fleet/${program}.c)
  target_link_libraries(${program} PRIVATE wl_test_support layer_fleet)
endforeach()
file(GLOB databases CONFIGURE_DEPENDS ${tests}/fleet/test_*.py)
foreach(script IN LISTS databases)
  get_filename_component(name ${script} NAME_WE)
  string(REGEX REPLACE "^test_" "" name ${name})
  wl_test(NAME fleet.${name} TIMEOUT 300 SKIPS COMMAND ${Python3_EXECUTABLE} -B ${script})
endforeach()
# The real Slurm with four nodes, on small traces; soak.scatter has larger ones.
wl_test(NAME fleet.slurm TIMEOUT 300 SKIPS COMMAND env SCATTER_SHORT=1 bash ${tests}/soak/scatter.sh)
file(GLOB oracles CONFIGURE_DEPENDS ${tests}/oracle/test_*.py)
foreach(oracle IN LISTS oracles)
  get_filename_component(name ${oracle} NAME_WE)
  string(REGEX REPLACE "^test_" "" name ${name})
  wl_test(NAME oracle.${name} TIMEOUT 1200 FIXTURES SKIPS COMMAND ${Python3_EXECUTABLE} -B ${tests}/oracle/asked.py ${oracle})
endforeach()
# The longest of all begins first, so that nothing waits for it at the end.
set_tests_properties(oracle.identities PROPERTIES COST 1000)
# A frame of a timeline. The limits hold in any build, so they notice only work that grows with columns times
# events; soak.picture has the real ones.
wl_test(NAME budget.picture TIMEOUT 300 COMMAND picture 1000000 400 100)
# What verbs cost against `kernels` of the same run, so that a slow or busy machine makes little difference. The table is
# of 300,000 kernels, which take 28 s of CPU with their making; at a million ratios are up to half as large again.
wl_test(NAME budget.ratios TIMEOUT 900 COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_SOURCE_DIR}/bench/ratios
  --program $<TARGET_FILE:warplens> --check ${CMAKE_SOURCE_DIR}/bench/ratios.tsv)
# What docs/scale.md says of 1,024 ranks: 6 CPU seconds.
wl_test(NAME budget.scale TIMEOUT 300 COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_SOURCE_DIR}/bench/scale --build ${CMAKE_BINARY_DIR})
file(GLOB campaigns CONFIGURE_DEPENDS ${tests}/soak/*.sh)
foreach(campaign IN LISTS campaigns)
  get_filename_component(name ${campaign} NAME_WE)
  wl_test(NAME soak.${name} TIMEOUT 14400 LABEL soak FIXTURES SKIPS COMMAND bash ${campaign})
endforeach()

# The tree itself: layers, headers, registration, manual, completions, documentation.
set(sample ${tests}/support/introspect.sample.json)
set(introspect ${CMAKE_BINARY_DIR}/generated/introspect.json)
wl_test(NAME lint.layers TIMEOUT 300 COMMAND ${tools}/check-layers ${CMAKE_SOURCE_DIR}/src)
wl_test(NAME lint.circles TIMEOUT 300 COMMAND ${tools}/check-circles ${CMAKE_BINARY_DIR})
wl_test(NAME lint.columns TIMEOUT 300 COMMAND ${tools}/check-columns ${CMAKE_SOURCE_DIR})
wl_test(NAME lint.tags TIMEOUT 300 COMMAND ${tools}/check-tags ${CMAKE_SOURCE_DIR})
wl_test(NAME lint.prose TIMEOUT 300 COMMAND ${tools}/check-prose ${CMAKE_SOURCE_DIR})
wl_test(NAME lint.headers TIMEOUT 300 COMMAND ${tools}/check-headers ${CMAKE_SOURCE_DIR})
wl_test(NAME lint.registry TIMEOUT 300 COMMAND ${tools}/check-registry ${CMAKE_SOURCE_DIR})
wl_test(NAME lint.docs TIMEOUT 300 COMMAND ${tools}/check-docs ${CMAKE_SOURCE_DIR} ${introspect})
wl_test(NAME lint.words TIMEOUT 300 COMMAND ${tools}/check-words ${CMAKE_SOURCE_DIR} documents manual headers program page comments contracts)
wl_test(NAME lint.web TIMEOUT 300 SKIPS COMMAND ${tools}/check-web ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
wl_test(NAME lint.manual TIMEOUT 300 SKIPS
  COMMAND ${tools}/check-manual ${introspect} ${CMAKE_SOURCE_DIR}/man/warplens.1)
wl_test(NAME lint.manual_sample TIMEOUT 300 SKIPS COMMAND ${tools}/check-manual ${sample})
wl_test(NAME lint.completions TIMEOUT 300 SKIPS COMMAND ${tools}/check-completions ${introspect})
wl_test(NAME lint.completions_sample TIMEOUT 300 SKIPS COMMAND ${tools}/check-completions ${sample})
wl_test(NAME docs.commands TIMEOUT 600
  COMMAND ${tools}/run-docs ${CMAKE_SOURCE_DIR} ${introspect})

# A line that names no test is out of date. Builds of a part of the tests have no say.
if(WL_UNITS AND NOT WL_ONLY_THREADS)
  get_property(used GLOBAL PROPERTY part_lines_used)
  foreach(line IN LISTS part_lines)
    string(REGEX MATCH "^[a-z]+\t([^\t]+)\t" fields "${line}")
    if(NOT CMAKE_MATCH_1 IN_LIST used)
      message(FATAL_ERROR "tests/parts.tsv: no test is ${CMAKE_MATCH_1}")
    endif()
  endforeach()
endif()
