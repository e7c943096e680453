/* SPDX-License-Identifier: MIT */
/*
 * runner.c - main of all tests of one layer, or of all property tests.
 *
 *   unit_derive                  list the tests
 *   unit_derive period [ARG...]  run one: tests/unit/derive/test_period.c
 *
 * tests.def has a line TEST(NAME) for each file; CMake writes it. A file has TEST_MAIN(NAME) or
 * tests of support/unit.h.
 */
#include <stdio.h>
#include <string.h>

#include "support/unit.h"

#undef TEST
#define TEST(name) __attribute__((weak)) int test_main_##name(int argc, char **argv);
#include "tests.def"
#undef TEST

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
} tests[] = {
#define TEST(name) { #name, test_main_##name },
#include "tests.def"
#undef TEST
};

enum { N_TESTS = sizeof(tests) / sizeof(tests[0]) };

static int run(size_t i, int argc, char **argv)
{
	int r = tests[i].run ? tests[i].run(argc, argv) : unit_run(tests[i].name);

	if (r < 0)
		(void)fprintf(stderr, "%s has no tests\n", tests[i].name);
	return r < 0 ? 2 : r;
}

int main(int argc, char **argv)
{
	for (size_t i = 0; i < N_TESTS; i++) {
		if (argc < 2)
			puts(tests[i].name);
		else if (strcmp(argv[1], tests[i].name) == 0)
			return run(i, argc - 1, argv + 1);
	}
	if (argc < 2)
		return 0;
	(void)fprintf(stderr, "%s: no test is called \"%s\"\n", argv[0], argv[1]);
	return 2;
}
