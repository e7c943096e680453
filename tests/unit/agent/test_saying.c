/* SPDX-License-Identifier: MIT */
#include "agent/route/saying.h"

#include <string.h>

#include "analysis/analysis.h"
#include "support/unit.h"

static bool has_column(const struct wl_analysis *a, const char *key, size_t n)
{
	for (size_t i = 0; i < a->n_cols; i++) {
		if (strlen(a->cols[i].key) == n && memcmp(a->cols[i].key, key, n) == 0)
			return true;
	}
	return false;
}

static void check_cells(const struct wl_analysis *a, const char *text)
{
	while ((text = strchr(text, '{'))) {
		size_t n = strcspn(text + 1, "}");

		if (!has_column(a, text + 1, n))
			fail_msg("%s has no column %.*s", a->name, (int)n, text + 1);
		text += n;
	}
}

TEST(every_cell_is_a_column)
{
	const char *verb, *pick, *first, *second;
	size_t n = 0;

	for (int filtered = 0; filtered < 2; filtered++) {
		for (n = 0; (verb = wl_saying_template(n, filtered, &pick, &first, &second)); n++) {
			const struct wl_analysis *a = wl_analysis_find(verb);

			if (!a)
				fail_msg("no verb %s", verb);
			check_cells(a, first);
			check_cells(a, second);
			assert_true(!*pick || has_column(a, pick, strlen(pick)));
			if (filtered)
				assert_true(!strstr(first, "most ") && !strstr(first, "largest"));
		}
	}
	assert_true(n >= 20);
}

enum { NAME, SUM, SHARE, CALLS, N_COLS };

static const struct wl_col cols[N_COLS] = {
	[NAME] = { "name", "Name", WL_T_STR, WL_KEY, "A name." },
	[SUM] = { "sum", "Sum", WL_T_NS, WL_SUM, "A sum." },
	[SHARE] = { "share", "Share", WL_T_RATIO, 0, "A share." },
	[CALLS] = { "calls", "Calls", WL_T_COUNT, WL_SUM, "How many." },
};

/* One row is shown of the answer of a verb with rows of these sums; the last share is unset. */
static struct wl_document answer(const char *verb, const int64_t *sums, size_t n,
				 struct wl_arena *arena)
{
	static const char *const names[] = { "alpha", "beta", "gamma" };
	static struct wl_section section;
	struct wl_document doc = { .sections = &section, .n_sections = 1, .single = true };
	struct wl_table *t = WL_NEW(arena, struct wl_table, 1);
	struct wl_err err;

	wl_table_init(t, arena, cols, N_COLS);
	for (size_t i = 0; i < n; i++) {
		wl_table_row(t);
		wl_put_str(t, NAME, names[i]);
		wl_put_i64(t, SUM, sums[i]);
		if (i + 1 < n)
			wl_put_f64(t, SHARE, 0.25);
		wl_put_i64(t, CALLS, 12345);
	}
	section = (struct wl_section){ .analysis = verb };
	assert_int_equal(
		wl_view_make(t, &(struct wl_view_opts){ .limit = 1 }, arena, &section.view, &err),
		WL_OK);
	return doc;
}

static const char *say(const char *verb, const int64_t *sums, size_t n, bool is_filtered,
		       struct wl_arena *arena)
{
	struct wl_document doc = answer(verb, sums, n, arena);

	return wl_saying_of(verb, &doc, is_filtered, arena);
}

TEST(sentences_hold_cells_of_the_right_row)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1 << 20));
	static const int64_t sums[] = { 2000, 3000000, 1000 };

	/* The largest sum counts also where the limit does not show it. */
	assert_string_equal(
		say("api", sums, 3, false, &arena),
		"beta takes the most host time: 3 ms, 25.0% of all calls, in 12,345 calls.");
	assert_string_equal(say("api", sums, 3, true, &arena),
			    "beta takes 3 ms, 25.0% of all calls, in 12,345 calls.");
	/* A clause without its cell is left out. */
	assert_string_equal(say("api", sums, 1, true, &arena),
			    "alpha takes 2 us, in 12,345 calls.");
	assert_null(say("api", sums, 0, false, &arena));
	assert_null(say("matrix", sums, 3, false, &arena));
	/* A first clause without its cell leaves the sentence out. */
	assert_null(say("gaps", sums, 3, false, &arena));
}

TEST(the_row_of_the_sentence_is_shown)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1 << 20));
	static const int64_t last[] = { 2000, 1000, 3000000 }, first[] = { 3, 2, 1 };
	struct wl_document doc;

	doc = answer("api", last, 3, &arena);
	assert_string_equal(wl_saying_sort("api", &doc, &arena), "sum");
	assert_int_equal(doc.sections[0].view.rows[0], 2);
	assert_int_equal(doc.sections[0].view.n_rows, 1);
	assert_non_null(strstr(wl_saying_of("api", &doc, false, &arena), "gamma"));
	doc = answer("api", first, 3, &arena);
	assert_null(wl_saying_sort("api", &doc, &arena));
	doc = answer("kernels", last, 3, &arena); /* it speaks of the first row */
	assert_null(wl_saying_sort("kernels", &doc, &arena));
	doc = answer("api", last, 0, &arena);
	assert_null(wl_saying_sort("api", &doc, &arena));
}

enum { ITER, DEVICE, KERNELS, PERIOD, N_STEP_COLS };

static const struct wl_col step_cols[] = {
	[ITER] = { "iter", "Iter", WL_T_COUNT, WL_KEY, NULL },
	[DEVICE] = { "device", "GPU", WL_T_COUNT, WL_KEY, NULL },
	[KERNELS] = { "kernels", "Kernels", WL_T_COUNT, WL_MINOR, NULL },
	[PERIOD] = { "period", "Period", WL_T_NS, WL_PLAIN, NULL },
};

/* Steps of two GPUs, the second with more kernels by so many; the last step runs 99 more.
 */
static const char *say_steps(int64_t more, const char *columns, struct wl_arena *arena)
{
	static const struct wl_doc_step step = { .count = 5, .median = 2000000, .what = "range" };
	struct wl_section section = { .analysis = "iters" };
	struct wl_document doc = {
		.sections = &section, .n_sections = 1, .single = true, .step = &step
	};
	struct wl_table t;
	struct wl_err err;

	wl_table_init(&t, arena, step_cols, N_STEP_COLS);
	for (int64_t i = 0; i < 10; i++) {
		wl_table_row(&t);
		wl_put_i64(&t, ITER, i / 2);
		wl_put_i64(&t, DEVICE, i % 2);
		wl_put_i64(&t, PERIOD, 2000000);
		wl_put_i64(&t, KERNELS, 1200 + more * (i % 2) + (i >= 8 ? 99 : 0));
	}
	assert_int_equal(wl_view_make(&t, &(struct wl_view_opts){ .limit = 1, .columns = columns },
				      arena, &section.view, &err),
			 WL_OK);
	return wl_saying_of("iters", &doc, false, arena);
}

TEST(kernels_of_a_step_are_the_median_of_each_gpu)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1 << 20));
	static const char columns[] = "iter,device,kernels";
	const char *text;

	text = say_steps(0, columns, &arena);
	assert_ptr_equal(
		text,
		strstr(text, "A step has 1200 kernels on each of 2 GPUs (median of 5 steps)"));
	text = say_steps(7, columns, &arena);
	assert_ptr_equal(text,
			 strstr(text, "A step has 1200 kernels on GPU 0 (median of 5 steps), 1207 "
				      "on GPU 1 (median of 5 steps)"));
	/* Only where they are asked for. */
	text = say_steps(0, NULL, &arena);
	assert_ptr_equal(text, strstr(text, "A step takes 2 ms (median of 5 steps)"));
}
