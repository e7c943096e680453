/* SPDX-License-Identifier: MIT */
#include "support/unit.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct unit_test *entered;

/* Constructors of a file run in any order. */
void unit_enter(struct unit_test *t)
{
	struct unit_test **at = &entered;

	while (*at && (*at)->line < t->line)
		at = &(*at)->next;
	t->next = *at;
	*at = t;
}

static bool is_of(const struct unit_test *t, const char *name)
{
	const char *slash = strrchr(t->file, '/'), *file = slash ? slash + 1 : t->file;
	size_t n = strlen(name);

	return strncmp(file, "test_", 5) == 0 && strncmp(file + 5, name, n) == 0 &&
	       strcmp(file + 5 + n, ".c") == 0;
}

int unit_run(const char *name)
{
	CMFixtureFunction before = NULL, after = NULL;
	struct CMUnitTest *tests;
	size_t n = 0;
	int failed = -1;

	for (const struct unit_test *t = entered; t; t = t->next)
		n++;
	tests = calloc(n + 1, sizeof(*tests));
	if (!tests)
		abort();
	n = 0;
	for (const struct unit_test *t = entered; t; t = t->next) {
		if (is_of(t, name) && t->test.test_func) {
			tests[n++] = t->test;
		} else if (is_of(t, name)) {
			before = t->test.setup_func;
			after = t->test.teardown_func;
		}
	}
	if (n > 0)
		failed = _cmocka_run_group_tests(name, tests, n, before, after);
	free(tests);
	return failed;
}
