# SPDX-License-Identifier: MIT
# The short way in; CMakePresets.json is the long one. Try: make check PRESET=asan
PRESET ?= dev
PREFIX ?= /usr/local
FUZZ_RUNS ?= 200000
FUZZ_PRESET ?= fuzz
BENCH_SIZES ?= 1 10
BENCH_RUNS ?= 5
BENCH_DIR ?= build/bench
JOBS ?= $(shell nproc)
LINT_DIRS ?= src bench tests tools
BUILD = build/$(PRESET)
FORMATTED = find src tests bench tools -name '*.[ch]' | xargs -P $(JOBS) -n 50
CLANG_FORMAT ?= $(shell command -v clang-format-14 || echo clang-format)
CLANG_TIDY ?= $(shell command -v clang-tidy-14 || echo clang-tidy)
RUN_CLANG_TIDY ?= $(shell command -v run-clang-tidy-14 || echo run-clang-tidy)
export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md)

.PHONY: all check quick accept format lint analyse fuzz soak-fuzz soak-msan fuzz-coverage fuzz-keep soak bench install deb portable release release-tests clean
all:
	cmake --preset $(PRESET)
	cmake --build $(BUILD)
check: all
	ctest --test-dir $(BUILD) -LE soak -j $(JOBS) --output-on-failure --no-label-summary $(CHECK_ARGS)
# What a change of few files can break, within a minute; see tools/quick.
quick:
	[ -e $(BUILD)/build.ninja ] || cmake --preset $(PRESET)
	CLANG_FORMAT=$(CLANG_FORMAT) tools/quick $(BUILD) $(JOBS)
accept: all
	ACCEPT=1 ctest --test-dir $(BUILD) -R '^golden\.|^tui\.looks' --output-on-failure
format:
	$(FORMATTED) $(CLANG_FORMAT) -i
# The clang preset, because clang-tidy rejects options that only gcc has. With one definition cppcheck checks one
# configuration; without, it also tries .def files without the macros that their readers always define. It gets
# 24 files at a time, because its own -j leaves a core idle. clang-tidy gets 12, which saves a third of its time, and one where
# src/*/.clang-tidy asks for its analyser, which mixes up the lists of arguments of several. The analyser leaves a function
# after 75,000 states instead of 225,000, which saves two thirds of its time; "make analyse" has the larger number. WL_LINT
# leaves the bodies of the accessors out (model/trace.h), which each source would be analysed with.
ANALYSED := '^src/(base|index|model|read)/'
ANALYSER_LIMIT := $(addprefix --extra-arg=,-Xclang -analyzer-config -Xclang max-nodes=75000)
lint:
	cmake --preset clang
	cmake --build build/clang --target builtin
	$(FORMATTED) $(CLANG_FORMAT) --dry-run -Werror
	tools/check-layers src
	find $(LINT_DIRS) -name '*.c' | grep -E $(ANALYSED) | xargs -r -P $(JOBS) -n 1 $(CLANG_TIDY) -p build/clang --quiet $(ANALYSER_LIMIT)
	find $(LINT_DIRS) -name '*.c' | grep -Ev $(ANALYSED) | xargs -r -P $(JOBS) -n 12 $(CLANG_TIDY) -p build/clang --quiet \
		--extra-arg=-DWL_LINT
	find src bench tools -name '*.c' | xargs -P $(JOBS) -n 24 cppcheck --quiet -D__GNUC__=12 -DWL_LINT --inline-suppr \
		--enable=warning,performance,portability --error-exitcode=1 -Isrc -Itools/learn
# The static analyser on all sources, which takes minutes; lint has it on some.
analyse:
	cmake --preset clang
	cmake --build build/clang --target builtin
	$(RUN_CLANG_TIDY) -p build/clang -quiet -j $(JOBS) \
		-checks='-*,clang-analyzer-*,-clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling' \
		'/(src|bench)/'
# The preset fuzz counts coverage in all code, asan-clang in the harnesses only.
fuzz:
	cmake --preset $(FUZZ_PRESET)
	cmake --build build/$(FUZZ_PRESET) --target fuzzers
	tools/run-fuzz build/$(FUZZ_PRESET) $(FUZZ_RUNS) $(JOBS)
# The same for FUZZ_SECONDS each. What is found stays in build/corpus; fuzz-keep copies to tests/fuzz/corpus what reaches
# lines of a parser that no seed does.
FUZZ_SECONDS ?= 600
soak-fuzz:
	FUZZ_SECONDS=$(FUZZ_SECONDS) $(MAKE) fuzz FUZZ_RUNS=-1
	tools/fuzz-coverage build/fuzz --grown
# Reads of what was never written, by MemorySanitizer, in the harnesses that need no library for their answers.
soak-msan:
	cmake --preset msan
	cmake --build build/msan --target fuzzers
	FUZZ_SECONDS=$(FUZZ_SECONDS) tools/run-fuzz build/msan -1 $(JOBS)
fuzz-coverage fuzz-keep:
	cmake --preset fuzz
	cmake --build build/fuzz --target fuzzers
	tools/fuzz-coverage build/fuzz $(if $(filter fuzz-keep,$@),--keep)
soak: all
	ctest --test-dir $(BUILD) -L soak --output-on-failure --no-label-summary
soak-%: all
	ctest --test-dir $(BUILD) -R '^soak\.$*$$' -V --no-label-summary
# BENCH_SIZES in millions of kernels; BENCH_ARGS='--into docs/performance.md' writes the tables there.
bench:
	cmake --preset release
	cmake --build build/release --target bench_programs
	bench/run --sizes "$(BENCH_SIZES)" --runs $(BENCH_RUNS) --dir $(BENCH_DIR) $(BENCH_ARGS)
install deb portable release release-tests: PRESET = release
install: all
	cmake --install $(BUILD) --prefix $(PREFIX)
deb: all
	cd $(BUILD) && cpack -G DEB
# One static file, build/release/portable/warplens; see docs/portable.md.
portable: all
	cmake --build $(BUILD) --target portable
# build/release/dist: the package, the static file, what they are made of (SPDX), and their checksums.
release: deb portable
	rm -rf $(BUILD)/dist
	mkdir $(BUILD)/dist
	cp $(BUILD)/warplens_*.deb $(BUILD)/dist
	cp $(BUILD)/portable/warplens $(BUILD)/dist/warplens-static
	tools/make-sbom "$$(sed -n 's/^project(warplens VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)" MIT \
		$(BUILD)/dist/warplens.spdx.json $(BUILD)/dist/warplens*
	cd $(BUILD)/dist && sha256sum warplens* >SHA256SUMS
# What is shipped, as it is: hardening, the static file in an empty root, system calls, the package.
release-tests: portable deb
	ctest --test-dir $(BUILD) -R '^release\.' -V --no-label-summary
clean:
	rm -rf build
