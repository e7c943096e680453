/* SPDX-License-Identifier: MIT */
/* What is loaded beside the views, in which order, and that questions move nothing. */
#include "tui/app/worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/answer/write_index.h"
#include "support/db.h"
#include "support/unit.h"

static struct wl_budget budget;

/* Two devices, calls that launch, ranges around them, a gap between two kernels. */
static const char *make_trace(void **state)
{
	struct db *db = db_open(state, "t.sqlite");

	db_make_tables(db, DB_3_25_0);
	db_string(db, 1, "cudaLaunchKernel");
	db_string(db, 2, "gemm");
	db_string(db, 3, "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
	for (int i = 0; i < 40; i++) {
		const int64_t t = INT64_C(10000) * i;
		const unsigned corr = (unsigned)i + 1;

		DB_API(db, .start = t, .end = t + 900, .tid = 1, .corr = corr, .name = 1);
		DB_KERNEL(db, .start = t + 1000, .end = t + 4000 + i, .corr = corr,
			  .device = (unsigned)i % 2, .stream = i % 4 ? 7 : 20,
			  .name = i % 4 ? 2 : 3);
		DB_NVTX(db, .start = t, .end = t + 5000, .tid = 1, .text = "step");
	}
	return db_close(db);
}

static struct wl_app_opts options(const char *path)
{
	struct wl_app_opts o = { .path = { path }, .budget = &budget };

	o.input.budget = &budget;
	return o;
}

static enum wl_scene_stage stage_of(const struct wl_worker *w)
{
	return atomic_load(&wl_worker_scene(w, 0)->stage);
}

static struct wl_worker *loaded(const struct wl_app_opts *opts)
{
	struct wl_worker *w = wl_worker_new(opts);

	assert_non_null(w);
	assert_int_equal(stage_of(w), WL_SCENE_WAITING);
	assert_true(wl_worker_is_busy(w));
	for (wl_worker_tick(w); wl_worker_is_busy(w); wl_worker_tick(w))
		wl_worker_wait(w);
	return w;
}

/* --- stages -------------------------------------------------------------------------------- */

TEST_WITH(all_is_there_in_the_end, db_setup, db_teardown)
{
	const struct wl_app_opts opts = options(make_trace(state));
	struct wl_worker *w = loaded(&opts);
	const struct wl_scene *d = wl_worker_scene(w, 0);
	size_t n_kernels = 0, n_gaps = 0;
	int64_t sum = 0;

	assert_int_equal(stage_of(w), WL_SCENE_FINDINGS);
	assert_null(wl_worker_scene(w, 1));
	assert_non_null(d->links);
	assert_non_null(d->forest);
	assert_non_null(d->range_names);
	assert_true(d->tracks.n > 0 && d->n_events > 120);
	assert_int_equal(d->window.begin, d->tracks.extent.begin);
	assert_int_equal(d->window.end, d->tracks.extent.end);
	for (size_t i = 0; i < d->tracks.n; i++) {
		n_kernels += d->tracks.at[i].kind == WL_TRACK_STREAM ? d->lanes[i].n_events : 0;
		n_gaps += d->tracks.at[i].kind == WL_TRACK_GAPS ? d->lanes[i].n_events : 0;
		assert_true((wl_scene_lane(d, i) != NULL) == (d->lanes[i].n_events > 0));
	}
	assert_int_equal(n_kernels, 40);
	assert_true(n_gaps > 0);
	assert_null(wl_scene_lane(d, d->tracks.n));
	for (size_t i = 0; i < d->trace->n_kernel_names; i++)
		sum += d->of_name[i].sum;
	assert_int_equal(sum, 40 * 3000 + 39 * 40 / 2);
	assert_true(d->n_findings > 0);
	for (size_t i = 0; i < d->n_findings; i++)
		assert_true(*d->finding[i].code && *d->finding[i].title && *d->finding[i].detail);
	wl_worker_free(w);
	assert_int_equal(budget.used, 0);
}

TEST_WITH(a_window_is_the_first_view, db_setup, db_teardown)
{
	struct wl_app_opts opts = options(make_trace(state));
	struct wl_worker *w;

	opts.request.selection.window = "100us..200us";
	w = loaded(&opts);
	assert_int_equal(wl_worker_scene(w, 0)->window.begin, 100000);
	assert_int_equal(wl_worker_scene(w, 0)->window.end, 200000);
	assert_true(wl_worker_scene(w, 0)->tracks.extent.end > 300000);
	wl_worker_free(w);
}

TEST_WITH(what_cannot_be_read_fails, db_setup, db_teardown)
{
	struct wl_app_opts opts = options("no_such_file.sqlite");
	struct wl_worker *w = loaded(&opts);

	assert_int_equal(stage_of(w), WL_SCENE_FAILED);
	assert_int_equal(wl_worker_scene(w, 0)->err.code, WL_E_IO);
	wl_worker_free(w);
	assert_int_equal(budget.used, 0);
}

TEST_WITH(a_short_budget_fails_at_some_stage, db_setup, db_teardown)
{
	const char *path = make_trace(state);
	size_t n_failed = 0, n_done = 0;

	for (size_t limit = 1 << 12; n_done == 0; limit += limit / 4) {
		struct wl_budget tight = { .limit = limit };
		struct wl_app_opts opts = options(path);
		struct wl_worker *w;

		opts.budget = opts.input.budget = &tight;
		w = loaded(&opts);
		if (stage_of(w) == WL_SCENE_FAILED) {
			assert_int_equal(wl_worker_scene(w, 0)->err.code, WL_E_NOMEM);
			n_failed++;
		} else {
			n_done++;
		}
		wl_worker_free(w);
		assert_int_equal(tight.used, 0);
	}
	assert_true(n_failed > 3);
}

TEST_WITH(leaving_ends_it, db_setup, db_teardown)
{
	const struct wl_app_opts opts = options(make_trace(state));

	for (int i = 0; i < 10; i++) {
		struct wl_worker *w = wl_worker_new(&opts);

		assert_non_null(w);
		for (int k = 0; k < i; k++)
			wl_worker_tick(w);
		wl_worker_free(w);
		assert_int_equal(budget.used, 0);
	}
}

/* --- questions ----------------------------------------------------------------------------- */

struct heard {
	int n_answers, n_tables;
	enum wl_status code;
	enum wl_scene_stage when;
	const struct wl_worker *w;
};

static void hear(void *ctx, const struct wl_document *document, const struct wl_err *err)
{
	struct heard *h = ctx;

	h->n_answers++;
	h->n_tables += document != NULL;
	h->code = document ? WL_OK : err->code;
	h->when = stage_of(h->w);
}

/* Whatever the verb: there is no list of those that a view may ask for. */
TEST_WITH(questions_load_nothing, db_setup, db_teardown)
{
	const struct wl_app_opts opts = options(make_trace(state));
	struct wl_worker *w = loaded(&opts);
	const struct wl_scene *d = wl_worker_scene(w, 0);
	const struct wl_columns before = d->trace->loaded;
	static const char *const windows[] = { NULL, "50us..90us", "iter:1", "nvtx:step" };
	const char *pattern[WL_MAX_PARAMS] = { "gemm" };

	for (size_t i = 0; i < wl_n_analyses; i++) {
		for (size_t k = 0; k < WL_COUNT(windows); k++) {
			struct heard h = { .w = w };
			bool is_bad;
			struct wl_request q = { .analysis = wl_analyses[i],
						.selection = { .window = windows[k] },
						.marker = "is not taken" };

			q.args = strcmp(wl_analyses[i]->name, "search") == 0 ? pattern : NULL;
			wl_worker_ask(w, &(struct wl_app_question){ .which = 0,
								    .slot = 0,
								    .request = &q,
								    .answered = hear,
								    .ctx = &h });
			for (wl_worker_tick(w); wl_worker_is_busy(w); wl_worker_tick(w))
				wl_worker_wait(w);
			assert_int_equal(h.n_answers, 1);
			is_bad = strcmp(wl_analyses[i]->name, "phases") == 0; /* has no map */
			if (h.code != (is_bad ? WL_E_USAGE : WL_OK) && h.code != WL_E_NODATA)
				fail_msg("%s: %d", wl_analyses[i]->name, h.code);
			assert_memory_equal(&d->trace->loaded, &before, sizeof(before));
		}
	}
	wl_worker_free(w);
}

TEST_WITH(questions_come_before_findings, db_setup, db_teardown)
{
	const struct wl_app_opts opts = options(make_trace(state));
	struct wl_worker *w = wl_worker_new(&opts);
	struct heard first = { .w = w }, second = { .w = w };
	const struct wl_request q = { .analysis = wl_analysis_get("kernels") };

	assert_non_null(w);
	wl_worker_ask(
		w, &(struct wl_app_question){
			   .which = 0, .slot = 1, .request = &q, .answered = hear, .ctx = &first });
	wl_worker_ask(w, &(struct wl_app_question){ .which = 0,
						    .slot = 1,
						    .request = &q,
						    .answered = hear,
						    .ctx = &second }); /* in its place */
	for (wl_worker_tick(w); wl_worker_is_busy(w); wl_worker_tick(w))
		wl_worker_wait(w);
	assert_int_equal(first.n_answers, 0);
	assert_int_equal(second.n_answers, 1);
	assert_int_equal(second.n_tables, 1);
	assert_int_equal(second.when, WL_SCENE_TRACKS);
	wl_worker_free(w);
}

/* --- an index ------------------------------------------------------------------------------ */

TEST_WITH(an_index_gives_the_same, db_setup, db_teardown)
{
	struct wl_app_opts opts = options(make_trace(state));
	const struct wl_index_opts index = { .program = "test" };
	struct wl_worker *w = loaded(&opts);
	size_t n_events = wl_worker_scene(w, 0)->n_events;
	struct heard h;
	const struct wl_request q = { .analysis = wl_analysis_get("kernels") };
	struct wl_err err = { .code = WL_OK };

	wl_worker_free(w);
	if (wl_write_index(opts.path[0], &opts.input, &index, NULL, &err) < 0)
		fail_msg("%s", err.msg);
	opts.indexed = true;
	opts.index = index;
	w = loaded(&opts);
	h = (struct heard){ .w = w };
	assert_int_equal(stage_of(w), WL_SCENE_FINDINGS);
	assert_int_equal(wl_worker_scene(w, 0)->n_events, n_events);
	wl_worker_ask(w,
		      &(struct wl_app_question){
			      .which = 0, .slot = 0, .request = &q, .answered = hear, .ctx = &h });
	wl_worker_tick(w);
	wl_worker_wait(w);
	assert_int_equal(h.n_tables, 1);
	wl_worker_free(w);
}
