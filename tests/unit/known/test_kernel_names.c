/* SPDX-License-Identifier: MIT */
/* The table of kernels against tests/names/kernels.tsv, whose labels come from the sources. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "known/kernels/kernels.h"
#include "support/unit.h"

enum { COLUMNS = 7, LINE = 4096 };
enum column { NAME, LIBRARY, CLASS, CATEGORY, COLLECTIVE, FUSED, SOURCE };

static void split(char *line, char *col[COLUMNS])
{
	size_t n = 0;

	line[strcspn(line, "\n")] = '\0';
	for (char *at = line; at && n < COLUMNS; n++) {
		col[n] = at;
		at = strchr(at, '\t');
		if (at)
			*at++ = '\0';
	}
	if (n != COLUMNS)
		fail_msg("%zu columns: %s", n, line);
}

static bool is(const char *what, const char *want, const char *got, const char *name)
{
	if (strcmp(want, got) == 0)
		return true;
	print_message("%s is %s, and not %s: %s\n", what, want, got, name);
	return false;
}

static bool is_right(char *const col[COLUMNS])
{
	const struct wl_kernel_facts f = wl_kernel_named(col[NAME]);
	bool comm = wl_kernel_is_comm(&f);
	const char *category = f.category == WL_CATEGORY_OTHER
				       ? "(other)"
				       : wl_category_word((enum wl_category)f.category);
	const char *collective = comm ? wl_collective_key((enum wl_collective)f.collective) : "-";

	return is("class", col[CLASS], comm ? "comm" : "compute", col[NAME]) &&
	       is("category", col[CATEGORY], category, col[NAME]) &&
	       is("collective", col[COLLECTIVE], collective, col[NAME]) &&
	       is("fused", col[FUSED], f.fused ? "fused" : "-", col[NAME]);
}

/* At least 97% must be right; what is not is printed, and stays in the list. */
TEST(real_names_are_known)
{
	const char *source = getenv("WARPLENS_SOURCE");
	char path[LINE], line[LINE], *col[COLUMNS] = { 0 };
	size_t n = 0, n_right = 0;
	FILE *f;

	if (!source)
		skip();
	(void)snprintf(path, sizeof(path), "%s/tests/names/kernels.tsv", source);
	f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (*line == '#')
			continue;
		split(line, col);
		assert_true(*col[NAME] && *col[LIBRARY] && *col[SOURCE]);
		n++;
		n_right += is_right(col);
	}
	(void)fclose(f);
	print_message("%zu of %zu names are right\n", n_right, n);
	assert_true(n >= 400);
	assert_true(n_right * 100 >= n * 97);
}
