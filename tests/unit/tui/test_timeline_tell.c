/* SPDX-License-Identifier: MIT */
/* What the timeline tells of a small trace, through the program and its screen. */
#include "tui/timeline/tell/timeline_tell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/formats.h"
#include "tui/term/dump.h"

#include "support/db.h"
#include "support/unit.h"

/*
 * In microseconds: stream 7 has gemm 200-300, then of one graph launch a 500-520 and b
 * 530-560; stream 20 a collective 250-400. So the GPU computes in 200-300, communicates
 * in 300-400, and waits until 500.
 */
enum { GEMM = 1, COLLECTIVE, A, B, LAUNCH, GRAPH_LAUNCH };
#define US ((wl_ns)1000)

static int make_trace(void **state)
{
	struct db *db;

	if (db_setup(state) != 0)
		return -1;
	db = db_open(state, "tell");

	db_make_tables(db, DB_3_25_0);
	db_string(db, GEMM, "gemm");
	db_string(db, COLLECTIVE, "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
	db_string(db, A, "first_of_graph");
	db_string(db, B, "last_of_graph");
	db_string(db, LAUNCH, "cudaLaunchKernel_v7000");
	db_string(db, GRAPH_LAUNCH, "cudaGraphLaunch_v10000");
	DB_KERNEL(db, .start = 200 * US, .end = 300 * US, .corr = 1, .name = GEMM);
	DB_KERNEL(db, .start = 250 * US, .end = 400 * US, .corr = 2, .stream = 20,
		  .name = COLLECTIVE);
	DB_KERNEL(db, .start = 500 * US, .end = 520 * US, .corr = 3, .name = A);
	DB_KERNEL(db, .start = 530 * US, .end = 560 * US, .corr = 3, .name = B);
	DB_API(db, .start = 100 * US, .end = 110 * US, .tid = 103, .corr = 1, .name = LAUNCH);
	DB_API(db, .start = 120 * US, .end = 130 * US, .tid = 103, .corr = 2, .name = LAUNCH);
	DB_API(db, .start = 140 * US, .end = 150 * US, .tid = 103, .corr = 3, .name = GRAPH_LAUNCH);
	DB_NVTX(db, .start = 90 * US, .end = 200 * US, .tid = 103, .text = "step");
	DB_NVTX(db, .start = 95 * US, .end = 135 * US, .tid = 103, .text = "forward");
	(void)db_close(db);
	return 0;
}

static struct wl_budget budget; /* without limit */

struct shown {
	struct wl_app *app;
	struct wl_vec text; /* what is on the screen */
};

static void show(struct shown *s, const char *trace, const char *second, int cols, int rows,
		 const char *script)
{
	struct wl_app_opts opts;
	struct wl_err err = { .msg = "" };

	memset(&opts, 0, sizeof(opts));
	opts.views[WL_VIEW_TIMELINE] = &wl_timeline_view;
	opts.views[WL_VIEW_TREE] = &wl_timeline_view;
	opts.path[0] = trace;
	opts.path[1] = second;
	opts.command[WL_VIEW_TIMELINE] = opts.command[WL_VIEW_TREE] = "warplens timeline tell";
	opts.budget = &budget;
	opts.frozen = true;
	wl_keymap_init(&opts.keys);
	s->app = wl_app_new(&opts, &err);
	if (!s->app)
		fail_msg("%s", err.msg);
	if (wl_app_script(s->app, script, cols, rows, (struct wl_look_caps){ .colourful = true },
			  &err) < 0)
		fail_msg("%s", err.msg);
	wl_vec_init(&s->text, 1, &budget);
	wl_dump_text(wl_app_draw(s->app), &s->text);
	wl_vec_push(&s->text, "");
}

static void expect(const struct shown *s, const char *words)
{
	if (!strstr(s->text.data, words))
		fail_msg("\"%s\" is not in\n%s", words, (const char *)s->text.data);
}

static void end(struct shown *s)
{
	wl_vec_release(&s->text);
	wl_app_free(s->app);
}

/* One screen, several things it must have; NULL ends. */
static void expect_all(void **state, int cols, int rows, const char *script,
		       const char *const *words)
{
	const char *trace = ((struct db *)*state)->path;
	struct shown s;

	show(&s, trace, NULL, cols, rows, script);
	for (; *words; words++)
		expect(&s, *words);
	end(&s);
}

#define EXPECT(state, cols, rows, script, ...)                                                     \
	expect_all(state, cols, rows, script, (const char *const[]){ __VA_ARGS__, NULL })

TEST_WITH(a_kernel_is_described_in_three_lines, make_trace, db_teardown)
{
	EXPECT(state, 80, 24, "g '#2' Enter", "COMM  G0 S20  150us #2",
	       "launch cudaLaunchKernel tid 103 -130us \u2192 queue 120us", "exposed 100us (67%)",
	       "nvtx step \u203a forward");
}

TEST_WITH(wide_screens_have_more_room, make_trace, db_teardown)
{
	EXPECT(state, 200, 50, "g '#2' Enter", "COMM   GPU 0  ctx 1  stream 20   corr 2",
	       "dur 150us", "same name 1  sum 150us  p50 150us  p99 150us", "KERNELS IN RANGE",
	       "EXPOSED", "# exposed comm            100us", "IDLE CAUSES IN RANGE");
}

TEST_WITH(a_call_tells_what_it_launched, make_trace, db_teardown)
{
	EXPECT(state, 100, 30, "g '#3' Enter o", "cudaGraphLaunch", "API  tid 103  10us #3",
	       "launched 2 operations, first first_of_graph G0 S7 +360us", "on the GPU 60us",
	       "nvtx step");
	EXPECT(state, 100, 30, "g '#3' Enter o o", "the first of 2 operations", "first_of_graph");
}

TEST_WITH(a_range_tells_where_its_work_is, make_trace, db_teardown)
{
	EXPECT(state, 100, 30, "g '#1' Enter O", "NVTX  tid 103  host 40us", "on the GPU 100us",
	       "begins +105us", "nvtx step \u203a forward");
	EXPECT(state, 100, 30, "g '#1' Enter O o", "\u25b8G0 NVTX", "NVTX  tid 103  host 40us");
	EXPECT(state, 100, 30, "g '#1' Enter O o o", "\u25b8NVTX 103", "NVTX  tid 103  host 40us");
}

/* Eight steps of 1 ms, of which the fifth takes 1.5 ms; a kernel is half a millisecond. */
TEST_WITH(an_iteration_is_compared_with_the_median, db_setup, db_teardown)
{
	struct db *db = db_open(state, "steps");
	const char *trace;
	struct shown s;
	int64_t at = 0;

	db_make_tables(db, DB_3_25_0);
	db_string(db, GEMM, "gemm");
	db_string(db, LAUNCH, "cudaLaunchKernel_v7000");
	for (unsigned i = 0; i < 8; i++) {
		char name[16];

		(void)snprintf(name, sizeof(name), "step %u", i);
		DB_NVTX(db, .start = at, .end = at + 900 * US, .tid = 103, .text = name);
		DB_API(db, .start = at + 10 * US, .end = at + 20 * US, .tid = 103, .corr = i + 1,
		       .name = LAUNCH);
		DB_KERNEL(db, .start = at + 100 * US, .end = at + 600 * US, .corr = i + 1,
			  .name = GEMM);
		at += (i == 4 ? 1500 : 1000) * US;
	}
	trace = db_close(db);
	show(&s, trace, NULL, 100, 30, "v v v k k k k k k k k g 'i4' Enter");
	expect(&s, "step 4 of 8; step = NVTX range `step #`");
	expect(&s, "+50.0% vs the median period of 1ms");
	expect(&s, "outlier");
	expect(&s, "1.5ms of GPU 0: compute 33% exposed comm 0% copy 0% idle 67%");
	end(&s);
	show(&s, trace, NULL, 100, 30, "v v v k k k k k k k k g 'i7' Enter");
	expect(&s, "the last: it has a length and no period");
	end(&s);
	/* A hundredth of the median is 10 us. */
	show(&s, trace, NULL, 100, 30, "x");
	expect(&s, "GPU 0 idle 500us: host");
	end(&s);
}

TEST_WITH(gaps_are_visited_and_explained, make_trace, db_teardown)
{
	EXPECT(state, 100, 30, "x", "GPU 0 idle 100us: dependency", "ended by first_of_graph");
	EXPECT(state, 100, 30, "x x", "no idle gap of at least 100us after this");
	EXPECT(state, 100, 30, "x e", "GPU 0 was idle for 100us.",
	       "the next operation was queued and waited for another stream", "100%",
	       "It ended with first_of_graph", "NVTX: step");
	EXPECT(state, 100, 30, "g '#3' Enter e", "It was queued for 350us",
	       "No operation of its GPU ended within 5 us before it");
}

TEST_WITH(links_are_listed, make_trace, db_teardown)
{
	EXPECT(state, 100, 30, "g '#3' Enter f", "Links (its call launched 2)",
	       "launch       cudaGraphLaunch  -360us", "stream       gemm  -300us",
	       "candidate    ncclDevKernel_AllReduce_Sum_f32_RING_LL  -250us",
	       "nvtx         step  -410us", "same launch  last_of_graph  +30us");
	EXPECT(state, 100, 30, "g '#3' Enter f 2", "GEMM  G0 S7  100us #1");
}

TEST_WITH(marks_make_a_range, make_trace, db_teardown)
{
	EXPECT(state, 100, 30, "g '#1' Enter [ g '#3' Enter ]", "range A..B: 300us",
	       "range A..B 300us of GPU 0: compute 33% exposed comm 33% copy 0% idle 33%");
	EXPECT(state, 100, 30, "g '#1' Enter [ g '#3' Enter ] ]", "no range", " view ");
}

TEST_WITH(a_malformed_filter_leaves_the_one_before, make_trace, db_teardown)
{
	EXPECT(state, 100, 30, "/ 'gemm' Enter / C-u '/(/' Enter", "malformed regular expression",
	       "filter: gemm");
}

TEST_WITH(statistics_have_sums_and_kernels, make_trace, db_teardown)
{
	EXPECT(state, 100, 40, "g '#1' Enter [ g '#3' Enter ] s", "Statistics",
	       "300us of GPU 0; shares in these lines are of that",
	       "exposed comm        100us    33%", "dependency        100us    33%", "KERNELS",
	       "gemm");
	EXPECT(state, 100, 60, "t", "Where the time went", "CATEGORIES", "communication", "KERNELS",
	       "NVTX", "forward");
}

TEST_WITH(bookmarks_keep_kernel_and_context, make_trace, db_teardown)
{
	EXPECT(state, 120, 30, "g '#2' Enter B '", "Bookmarks", "ncclDevKernel_AllReduce",
	       "step \u203a forward");
	EXPECT(state, 100, 30, "g '#1' Enter B g '#3' Enter B Home .", "bookmark 1 of 2", "gemm");
	EXPECT(state, 100, 30, "g '#1' Enter B g '#3' Enter B Home . .", "bookmark 2 of 2");
	EXPECT(state, 100, 30, "g '#1' Enter B g '#3' Enter B ,", "bookmark 1 of 2", "gemm");
	EXPECT(state, 100, 30, "g '#1' Enter B B 'slow' Enter Home .", "bookmark 1 of 1", "slow");
	EXPECT(state, 100, 30, "B . ,", "no bookmark before this");
	EXPECT(state, 100, 30, "g '#1' Enter B g '#3' Enter B Home ' 1", "bookmark 1 of 2", "gemm");
	EXPECT(state, 100, 30, "g '#1' Enter B g '#3' Enter B : 'remove-bookmark' Enter",
	       "removed bookmark 2; 1 left");
}

TEST_WITH(details_are_shown_over_the_view, make_trace, db_teardown)
{
	EXPECT(state, 100, 40, "g '#2' Enter Enter", "demangled  ncclDevKernel_AllReduce",
	       "mangled", "launch cudaLaunchKernel");
	EXPECT(state, 100, 40, "g '#3' Enter Enter",
	       "before on its stream: gemm, ended 200us before",
	       "last on other streams: ncclDevKernel");
	EXPECT(state, 100, 30, "g '#2' Enter y", "copied: ncclDevKernel_AllReduce");
	EXPECT(state, 100, 30, "Y", "copied: warplens timeline tell --view ");
	EXPECT(state, 80, 24, "g '#2' Enter P P", "nvtx \u2026 \u203a forward");
	EXPECT(state, 80, 40, "g '#2' Enter Space", "same name 1  sum 150us  p50 150us  p99 150us");
}

/* The kernels of a window as the verb answers them. */
static char *kernels_csv(const char *trace, const char *window, size_t *ret_n)
{
	struct wl_request request = { .analysis = wl_analysis_find("kernels"),
				      .selection = { .gpu = "0", .window = window } };
	struct wl_input_opts input = { .budget = &budget };
	struct wl_render_opts opts = { .width = 0 };
	struct wl_session *session;
	struct wl_document doc;
	struct wl_arena arena;
	struct wl_err err;
	char *text = NULL;
	FILE *out = open_memstream(&text, ret_n);

	wl_arena_init(&arena, 64 << 20);
	assert_int_equal(wl_session_open(trace, &input, &session, &err), WL_OK);
	assert_int_equal(wl_session_load(session, &request, &err), WL_OK);
	assert_int_equal(wl_session_run(session, &request, &arena, &doc, &err), WL_OK);
	wl_render_csv(&doc, &opts, out);
	assert_int_equal(fclose(out), 0);
	wl_arena_release(&arena);
	wl_session_close(session);
	return text;
}

TEST_WITH(an_export_is_what_the_verb_prints, make_trace, db_teardown)
{
	const char *trace = ((struct db *)*state)->path;
	struct db *db = *state;
	char script[WL_PATH_CAP + 128], path[WL_PATH_CAP + 32];
	char *want, *have;
	size_t n_want, n_have;
	struct shown s;

	(void)snprintf(path, sizeof(path), "%s/out.csv", db->dir.path);
	(void)snprintf(script, sizeof(script),
		       "g '#1' Enter [ g '#3' Enter ] E C-u '%s' Enter wait", path);
	show(&s, trace, NULL, 120, 30, script);
	expect(&s, "wrote the kernels of the range to");
	end(&s);
	want = kernels_csv(trace, "200us..500us", &n_want);
	assert_int_equal(wl_file_read(path, 1 << 20, &have, &n_have, NULL), WL_OK);
	assert_int_equal(n_have, n_want);
	assert_memory_equal(have, want, n_want);
	assert_non_null(strstr(want, "gemm"));
	free(have);
	free(want);
}

TEST_WITH(other_formats_are_refused, make_trace, db_teardown)
{
	EXPECT(state, 100, 30, "E C-u 'x.doc' Enter", "the ending chooses the format");
	EXPECT(state, 100, 30, "E C-u '/dev/null/x.csv' Enter wait", "not exported: ");
}

TEST_WITH(rows_are_exported_as_a_picture, make_trace, db_teardown)
{
	const char *trace = ((struct db *)*state)->path;
	struct db *db = *state;
	char script[WL_PATH_CAP + 128], path[WL_PATH_CAP + 32];
	struct shown s;
	FREED char *text;
	size_t n;

	(void)snprintf(path, sizeof(path), "%s/rows.svg", db->dir.path);
	(void)snprintf(script, sizeof(script), "g '#1' Enter [ g '#3' Enter ] E C-u '%s' Enter",
		       path);
	show(&s, trace, NULL, 120, 30, script);
	expect(&s, "wrote a picture of the rows");
	end(&s);
	assert_int_equal(wl_file_read(path, 1 << 20, &text, &n, NULL), WL_OK);
	text[n - 1] = '\0';
	/* 200-300 of 200-500 is a third of 1200 pixels, and all of that is gemm. */
	assert_non_null(strstr(text, ">G0 S7</text>"));
	assert_non_null(strstr(text, "x=\"180\" "));
	assert_non_null(strstr(text, "width=\"400\" height=\"16.0\" fill=\"#0072B2\""));
	/* The collective: 250-400. */
	assert_non_null(strstr(text, "x=\"380\" "));
	assert_non_null(strstr(text, "width=\"600\" height=\"16.0\" fill=\"#D55E00\""));
}

TEST_WITH(rows_are_exported_as_a_trace, make_trace, db_teardown)
{
	struct db *db = *state;
	char script[WL_PATH_CAP + 128], path[WL_PATH_CAP + 32];
	struct shown s;
	FREED char *bytes;
	size_t n;

	(void)snprintf(path, sizeof(path), "%s/rows.pftrace", db->dir.path);
	(void)snprintf(script, sizeof(script),
		       "g '#1' Enter [ g '#3' Enter ] E C-u '%s' Enter wait", path);
	show(&s, db->path, NULL, 120, 30, script);
	expect(&s, "slices of the range to");
	end(&s);
	assert_int_equal(wl_file_read(path, 1 << 20, &bytes, &n, NULL), WL_OK);
	assert_true(n > 100 && bytes[0] == 0x0a);
	assert_non_null(memmem(bytes, n, "gemm", 4));
}

TEST_WITH(the_screen_is_written_twice, make_trace, db_teardown)
{
	const char *trace = ((struct db *)*state)->path;
	struct db *db = *state;
	char script[WL_PATH_CAP + 128], path[WL_PATH_CAP + 32];
	struct shown s;
	char *text;
	size_t n;

	(void)snprintf(script, sizeof(script), "w C-u '%s/screen' Enter", db->dir.path);
	show(&s, trace, NULL, 80, 24, script);
	end(&s);
	(void)snprintf(path, sizeof(path), "%s/screen.txt", db->dir.path);
	assert_int_equal(wl_file_read(path, 1 << 20, &text, &n, NULL), WL_OK);
	assert_true(n > 200);
	assert_null(memchr(text, 27, n));
	free(text);
	(void)snprintf(path, sizeof(path), "%s/screen.ansi", db->dir.path);
	assert_int_equal(wl_file_read(path, 1 << 20, &text, &n, NULL), WL_OK);
	assert_non_null(memchr(text, 27, n));
	free(text);
}

TEST_WITH(a_second_trace_lies_under_the_first, make_trace, db_teardown)
{
	const char *trace = ((struct db *)*state)->path;
	struct shown s;

	show(&s, trace, trace, 120, 40, "D");
	expect(&s, "A over B; B: by first operation");
	end(&s);
	show(&s, trace, NULL, 120, 40, "D");
	expect(&s, "there is no second trace");
	end(&s);
}

TEST_WITH(findings_are_visited, make_trace, db_teardown)
{
	const char *trace = ((struct db *)*state)->path;
	struct shown s;

	show(&s, trace, NULL, 120, 40, "!");
	expect(&s, "exposed-comm: AllReduce");
	end(&s);
	show(&s, trace, NULL, 120, 40, "F Enter");
	expect(&s, "Finding");
	expect(&s, "How ");
	expect(&s, "PyTorch ");
	expect(&s, "Command ");
	expect(&s, "warplens overlap");
	end(&s);
}
