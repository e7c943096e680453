/* SPDX-License-Identifier: MIT */
/* Libraries and parts of names against lists that were labelled from sources and by hand. */
#include "known/kernels/kernel_origins.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "known/kernels/kernel_parts.h"
#include "support/unit.h"

enum { LINE = 4096, COLUMNS = 3 };

static FILE *open_list(const char *name)
{
	const char *source = getenv("WARPLENS_SOURCE");
	char path[LINE];
	FILE *f;

	if (!source)
		skip();
	(void)snprintf(path, sizeof(path), "%s/tests/names/%s", source, name);
	f = fopen(path, "r");
	assert_non_null(f);
	return f;
}

/* The next line that is no comment, in its first columns. */
static bool next_line(FILE *f, char line[LINE], char *col[COLUMNS])
{
	do {
		if (!fgets(line, LINE, f))
			return false;
	} while (*line == '#');
	line[strcspn(line, "\n")] = '\0';
	for (size_t i = 0; i < COLUMNS; i++) {
		col[i] = line;
		line += strcspn(line, "\t");
		if (*line)
			*line++ = '\0';
	}
	return true;
}

/* A library that is not known is no mistake; a wrong one is. */
TEST(no_library_is_wrong)
{
	FILE *f = open_list("kernels.tsv");
	char line[LINE], *col[COLUMNS];
	size_t n = 0, n_right = 0, n_wrong = 0;

	while (next_line(f, line, col)) {
		const struct wl_kernel_origin *o = wl_kernel_origin_of(col[0]);

		n++;
		if (o && strstr(o->library, col[1]))
			n_right++;
		else if (o) {
			n_wrong++;
			print_message("%s, and not %s: %s\n", col[1], o->library, col[0]);
		}
	}
	(void)fclose(f);
	print_message("%zu of %zu libraries are known, %zu are wrong\n", n_right, n, n_wrong);
	assert_int_equal(n_wrong, 0);
	assert_true(n > 900 && n_right * 100 >= n * 55);
}

static bool has_part(const struct wl_kernel_part *part, size_t n, const char *title, size_t n_title,
		     const char *text)
{
	for (size_t i = 0; i < n; i++) {
		if (strlen(part[i].title) == n_title && memcmp(part[i].title, title, n_title) == 0)
			return strstr(part[i].text, text) != NULL;
	}
	return false;
}

static void check_parts(const struct wl_kernel_origin *o, const char *name, char *wanted)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1 << 20));
	struct wl_kernel_part part[WL_MAX_KERNEL_PARTS];
	struct wl_err err;
	size_t n = 0;

	assert_int_equal(wl_kernel_parts(name, o->family, &arena, part, &n, &err), WL_OK);
	for (char *at = wanted; *at;) {
		char *end = at + strcspn(at, ";"), *equals = strchr(at, '=');
		bool is_last = *end == '\0';

		*end = '\0';
		assert_non_null(equals);
		if (!has_part(part, n, at, (size_t)(equals - at), equals + 1))
			fail_msg("%s: no %s", name, at);
		at = is_last ? end : end + 1;
	}
}

TEST(names_are_read_as_by_hand)
{
	FILE *f = open_list("origins.tsv");
	char line[LINE], *col[COLUMNS];
	size_t n = 0;

	while (next_line(f, line, col)) {
		const struct wl_kernel_origin *o = wl_kernel_origin_of(col[0]);

		n++;
		if (strcmp(col[1], "-") == 0) {
			if (o)
				fail_msg("%s is said to be of %s", col[0], o->library);
			continue;
		}
		if (!o || !strstr(o->library, col[1]))
			fail_msg("%s is of %s, not %s", col[0], col[1], o ? o->library : "none");
		check_parts(o, col[0], col[2]);
	}
	(void)fclose(f);
	assert_true(n >= 60);
}

TEST(odd_names_are_taken)
{
	static char huge[40000];

	memset(huge, 'a', sizeof(huge) - 1);
	assert_null(wl_kernel_origin_of(huge));
	assert_null(wl_kernel_origin_of(""));
	assert_null(wl_kernel_origin_of("<"));
	assert_null(wl_kernel_origin_of("\xff\xfe"));
	memcpy(huge, "nvjet_", 6);
	assert_non_null(wl_kernel_origin_of(huge));
}

TEST(too_little_memory_is_said)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 16));
	static const char name[] = "nvjet_tst_128x256_64x4_2x1_v_bz_coopA_NNT";
	struct wl_kernel_part part[WL_MAX_KERNEL_PARTS];
	struct wl_err err;
	size_t n;

	assert_int_equal(wl_kernel_parts(name, WL_FAMILY_NVJET, &arena, part, &n, &err),
			 WL_E_NOMEM);
}
