/* SPDX-License-Identifier: MIT */
/*
 * runner.c - main of all tests of one layer, or of all property tests.
 *
 *   unit_derive                  list the tests
 *   unit_derive period [ARG...]  run one: tests/unit/derive/test_period.c
 *
 * tests.def has a line TEST(NAME) for each file; CMake writes it.
 */
#include <stdio.h>
#include <string.h>

#define TEST(name) int test_main_##name(int argc, char **argv);
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

int main(int argc, char **argv)
{
	for (size_t i = 0; i < N_TESTS; i++) {
		if (argc < 2)
			puts(tests[i].name);
		else if (strcmp(argv[1], tests[i].name) == 0)
			return tests[i].run(argc - 1, argv + 1);
	}
	if (argc < 2)
		return 0;
	(void)fprintf(stderr, "%s: no test is called \"%s\"\n", argv[0], argv[1]);
	return 2;
}
