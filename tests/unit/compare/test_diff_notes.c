/* SPDX-License-Identifier: MIT */
/* What makes two sides hard to compare, and what the interval leaves out. */
#include "compare/diff/diff_tables.h"
#include "compare/diff/diff_words.h"
#include "support/unit.h"

#include <stdio.h>

/* The note with these words; "" for none. */
static const char *note_with(const char *words, const int64_t runs[WL_N_SIDES],
			     const char *const command[WL_N_SIDES], enum wl_extent extent)
{
	static char found[200];
	struct wl_fp_row row[WL_N_SIDES];
	struct wl_fingerprint f[WL_N_SIDES];
	struct wl_diff d = { .extent = extent, .by = { 1, 1 }, .kernels.matched = 1 };
	struct wl_arena arena;
	struct wl_table table;

	for (size_t s = 0; s < WL_N_SIDES; s++) {
		row[s] = (struct wl_fp_row){ .name = "k" };
		row[s].of[WL_OF_WINDOW].calls = runs[s] - 1;
		f[s] = (struct wl_fingerprint){ .window = "all",
						.selection = "",
						.method = "none",
						.what = "",
						.command = command[s],
						.kernels = { .row = &row[s], .n = 1 } };
		f[s].kernels.others.of[WL_OF_WINDOW].calls = 1;
		d.side[s] = &f[s];
	}
	found[0] = '\0';
	wl_arena_init(&arena, 1 << 20);
	wl_table_init(&table, &arena, wl_diff_tables[WL_DIFF_VERDICT].cols,
		      wl_diff_tables[WL_DIFF_VERDICT].n_cols);
	wl_diff_notes(&d, &table);
	assert_true(wl_table_ok(&table));
	for (const struct wl_note *n = table.notes; n; n = n->next) {
		if (strstr(n->text, words))
			(void)snprintf(found, sizeof(found), "%s", n->text);
	}
	wl_arena_release(&arena);
	return found;
}

static const char *other_work(const int64_t runs[WL_N_SIDES], const char *const command[WL_N_SIDES],
			      enum wl_extent extent)
{
	return note_with("different work", runs, command, extent);
}

TEST(totals_of_other_work_are_noted)
{
	const int64_t equal[] = { 100, 110 }, more[] = { 100, 147 }, fewer[] = { 200, 100 };
	const char *const same[] = { "build/test1", "build/test1" };
	const char *const arguments[] = { "build/test1", "build/test1 150" };
	const char *const programs[] = { "build/test1", "build/test15" };
	const char *const unknown[] = { "", "build/test1" };

	assert_string_equal(other_work(equal, same, WL_OF_WINDOW), "");
	assert_string_equal(other_work(equal, unknown, WL_OF_WINDOW), "");
	assert_string_equal(
		other_work(more, arguments, WL_OF_WINDOW),
		"the second run may do different work: 47.0% more kernel runs, other arguments");
	assert_string_equal(other_work(fewer, unknown, WL_OF_WINDOW),
			    "the second run may do different work: 50.0% fewer kernel runs");
	assert_string_equal(other_work(equal, programs, WL_OF_WINDOW),
			    "the second run may do different work: another command");
	/* Steps are compared as they are, however many were run. */
	assert_string_equal(other_work(more, arguments, WL_OF_STEPS), "");
}

/* Totals have no interval. */
TEST(an_interval_is_of_two_runs)
{
	const int64_t runs[] = { 100, 100 };
	const char *const command[] = { "", "" };

	assert_string_equal(note_with("between runs", runs, command, WL_OF_STEPS),
			    "the interval covers variation between steps, not between runs; "
			    "record each side more than once to see that");
	assert_string_equal(note_with("between runs", runs, command, WL_OF_WINDOW), "");
}

/* The note on how the traces were taken; "" for none. */
static const char *mode_note(const char *graphs_a, const char *graphs_b, const char *tracing_a,
			     const char *tracing_b)
{
	static char found[300];
	const char *const graphs[] = { graphs_a, graphs_b }, *const tracing[] = { tracing_a,
										  tracing_b };
	struct wl_fingerprint f[WL_N_SIDES];
	struct wl_diff d = { .extent = WL_OF_WINDOW, .by = { 1, 1 } };
	struct wl_arena arena;
	struct wl_table table;

	for (size_t s = 0; s < WL_N_SIDES; s++) {
		f[s] = (struct wl_fingerprint){ .window = "all",
						.selection = "",
						.method = "none",
						.what = "",
						.command = "",
						.graphs = graphs[s],
						.tracing = tracing[s] };
		d.side[s] = &f[s];
	}
	found[0] = '\0';
	wl_arena_init(&arena, 1 << 20);
	wl_table_init(&table, &arena, wl_diff_tables[WL_DIFF_VERDICT].cols,
		      wl_diff_tables[WL_DIFF_VERDICT].n_cols);
	wl_diff_notes(&d, &table);
	for (const struct wl_note *n = table.notes; n; n = n->next) {
		if (strstr(n->text, "traces of two kinds"))
			(void)snprintf(found, sizeof(found), "%s", n->text);
	}
	wl_arena_release(&arena);
	return found;
}

TEST(traces_that_were_taken_in_two_ways_are_told_apart)
{
	assert_string_equal(mode_note("each kernel", "each kernel", NULL, NULL), "");
	assert_string_equal(mode_note("each kernel", NULL, "software", NULL), "");
	assert_non_null(strstr(mode_note("each kernel", "whole graphs", NULL, NULL),
			       "as each kernel and as whole graphs"));
	assert_non_null(strstr(mode_note(NULL, NULL, "software", "hardware"),
			       "by software and by hardware"));
}
