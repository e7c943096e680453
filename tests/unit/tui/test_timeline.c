/* SPDX-License-Identifier: MIT */
#include "tui/timeline/timeline.h"

#include <stdlib.h>

#include "support/fake_app.h"
#include "support/random.h"
#include "support/viewed.h"
#include "tui/timeline/timeline_parts.h"

/*
 * Two GPUs of two processes. Six steps of 100 us each, in which 16 kernels of 4 us follow
 * each other every 5 us on stream 7, an all-reduce runs from 50 to 85 us on stream 20 and
 * a copy from 1 to 3 us on stream 14.
 */
enum { STEPS = 6, STEP = 100000, KERNELS = 16 };

struct shown {
	struct viewed viewed;
	struct wl_app app;
	struct wl_timeline *t;
};

static unsigned put_launch(struct mem *m, unsigned pid, wl_ns at)
{
	static unsigned corr;

	corr++;
	MEM_API(m, .start = at, .end = at + 80, .pid = pid, .tid = pid, .corr = corr);
	return corr;
}

static void put_step(struct mem *m, unsigned rank, wl_ns base)
{
	unsigned pid = 100 + rank;

	MEM_NVTX(m, base, base + 95000, pid, pid, .name = "step");
	MEM_NVTX(m, base + 100, base + 40000, pid, pid, .name = "forward");
	MEM_NVTX(m, base + 40000, base + 94000, pid, pid, .name = "backward");
	for (int k = 0; k < KERNELS; k++) {
		wl_ns start = base + 2000 + (wl_ns)5000 * k;

		MEM_OP(m, WL_F_KERNELS, .start = start, .end = start + 4000, .pid = pid,
		       .device = rank,
		       .corr = put_launch(m, pid,
					  base + 200 + (wl_ns)100 * k + (k < 8 ? 0 : 40000)),
		       .name = k % 2 ? "gemm_tn" : "layer_norm");
	}
	MEM_OP(m, WL_F_KERNELS, .start = base + 50000, .end = base + 85000, .pid = pid,
	       .device = rank, .stream = 20, .corr = put_launch(m, pid, base + 45000),
	       .name = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL");
	MEM_OP(m, WL_F_MEMCPYS, .start = base + 1000, .end = base + 3000, .pid = pid,
	       .device = rank, .stream = 14, .kind = 1, .bytes = 4096,
	       .corr = put_launch(m, pid, base + 100));
}

static void make(struct shown *s, int cols, int rows)
{
	mem_init(&s->viewed.mem);
	for (unsigned rank = 0; rank < 2; rank++)
		for (int step = 0; step < STEPS; step++)
			put_step(&s->viewed.mem, rank, 1000 + (wl_ns)step * STEP);
	viewed_make(&s->viewed);
	fake_app_make(&s->app, &s->viewed.scene, &wl_timeline_view, cols, rows);
	s->t = s->app.view;
}

static void release(struct shown *s)
{
	fake_app_release(&s->app);
	viewed_release(&s->viewed);
}

static void act(struct shown *s, enum wl_action action)
{
	fake_app_act(&s->app, action);
}

/* The row of a GPU by its short name. */
static uint32_t row(const struct shown *s, uint32_t device, const char *brief)
{
	const struct wl_tracks *tracks = &s->viewed.scene.tracks;

	for (uint32_t i = 0; i < tracks->n; i++)
		if (tracks->at[i].device == device && strcmp(tracks->at[i].brief, brief) == 0)
			return i;
	fail_msg("no row %s", brief);
	return WL_NONE;
}

static void check_view(const struct shown *s)
{
	struct wl_interval extent = s->viewed.scene.tracks.extent;
	const struct wl_timeline *t = s->t;

	assert_true(extent.begin <= t->view.begin && t->view.begin <= t->view.cursor &&
		    t->view.cursor < t->view.end && t->view.end <= extent.end);
}

/* ---- Layout ---- */

static void check_layout(struct shown *s, int cols, int rows)
{
	struct wl_timeline_layout l;
	bool used[WL_MAX_LINES] = { false };
	bool has_row = false;

	wl_timeline_layout(s->t, cols, rows, &l);
	assert_int_equal(l.too_small, cols < 40 || rows < 8);
	if (l.too_small)
		return;
	assert_true(l.chart_width >= 8 && l.chart_x >= 1);
	assert_true(l.chart_x + l.chart_width + l.percent_width <= cols);
	assert_int_equal(l.panel_width > 0, cols >= 140);
	for (size_t i = 0; i < l.n; i++) {
		int y = l.line[i].y;

		assert_true(y >= 0 && y < rows && y != rows - 2);
		assert_false(used[y]);
		used[y] = true;
		has_row = has_row || (l.line[i].track == s->t->view.track && !l.line[i].pinned);
	}
	assert_true(has_row);
}

TEST(the_layout_fits_every_size)
{
	WITH(struct shown, s, release, make(&s, 80, 24));

	for (int cols = 1; cols < 260; cols += 13)
		for (int rows = 1; rows < 70; rows += 3) {
			check_layout(&s, cols, rows);
			fake_app_resize(&s.app, cols, rows);
			fake_app_draw(&s.app);
		}
}

TEST(the_view_leaves_the_footer_alone)
{
	WITH(struct shown, s, release, make(&s, 80, 24));

	fake_app_draw(&s.app);
	assert_string_equal(fake_app_line(&s.app, 22), "");
	assert_string_not_equal(fake_app_line(&s.app, 23), "");
}

static bool has_line(struct shown *s, const char *words)
{
	fake_app_draw(&s->app);
	for (int y = 0; y < s->app.screen.rows; y++)
		if (strstr(fake_app_line(&s->app, y), words))
			return true;
	return false;
}

TEST(rows_have_short_labels_in_80_columns_and_long_ones_in_200)
{
	WITH(struct shown, s, release, make(&s, 80, 24));

	assert_true(has_line(&s, "G0 S7 "));
	assert_true(has_line(&s, "G0 S20*"));
	assert_true(has_line(&s, "G0 gap"));
	assert_true(has_line(&s, " G0 NVTX"));
	assert_true(has_line(&s, "\u25b8G0 S7 "));
	fake_app_resize(&s.app, 200, 50);
	assert_true(has_line(&s, "S7 compute"));
	assert_true(has_line(&s, "S20 NCCL *"));
}

TEST(what_does_not_fit_is_shown_in_short_or_folded)
{
	struct shown s;

	make(&s, 80, 50);
	assert_true(has_line(&s, "G1 NVTX"));
	release(&s);
	make(&s, 80, 24);
	assert_true(has_line(&s, "G0 NVTX"));
	assert_false(has_line(&s, "G1 NVTX"));
	assert_true(has_line(&s, "G1 S20*"));
	assert_false(has_line(&s, "G1 S14"));
	release(&s);
	make(&s, 80, 20);
	assert_true(has_line(&s, " G1 \u25b8 5 rows folded   busy 76%  comm-exposed 60us"));
	release(&s);
}

TEST(ranges_are_boxes_with_names)
{
	WITH(struct shown, s, release, make(&s, 80, 24));

	act(&s, WL_ACT_FIT_ITERATION);
	/* A single line shows the depth that has something to tell: not one box for all. */
	assert_true(has_line(&s, "[forward"));
	assert_true(has_line(&s, "][backward") || has_line(&s, "] [backward"));
	assert_false(has_line(&s, "[step"));
	s.t->config.nvtx_depth = 2;
	assert_true(has_line(&s, "[step"));
	assert_true(has_line(&s, "[forward"));
}

TEST(gaps_are_dots_until_causes_are_known)
{
	WITH(struct shown, s, release, make(&s, 80, 24));
	const struct wl_stats *of_name;

	of_name = s.viewed.scene.of_name;
	s.viewed.scene.of_name = NULL;
	s.viewed.scene.stage = WL_SCENE_TRACKS;
	assert_true(has_line(&s, "G0 gap   \u2026"));
	s.viewed.scene.of_name = of_name;
	s.viewed.scene.stage = WL_SCENE_CAUSES;
	assert_false(has_line(&s, "G0 gap   \u2026"));
	assert_true(has_line(&s, "##"));
}

TEST(folded_gpus_tell_who_is_slowest)
{
	struct shown s;

	make(&s, 80, 24);
	/* Both compute as long, so that none is. */
	act(&s, WL_ACT_FOLD);
	act(&s, WL_ACT_FOLD);
	assert_false(has_line(&s, "slowest"));
	release(&s);
	/* One more kernel makes GPU 1 busy for 460 of 595 us, and for more than GPU 0. */
	mem_init(&s.viewed.mem);
	for (unsigned rank = 0; rank < 2; rank++)
		for (int step = 0; step < STEPS; step++)
			put_step(&s.viewed.mem, rank, 1000 + (wl_ns)step * STEP);
	MEM_OP(&s.viewed.mem, WL_F_KERNELS, .start = 95000, .end = 120000, .pid = 101, .device = 1);
	viewed_make(&s.viewed);
	fake_app_make(&s.app, &s.viewed.scene, &wl_timeline_view, 80, 20);
	s.t = s.app.view;
	assert_true(has_line(&s, "G1 \u25b8 5 rows folded   busy 77%  comm-exposed 60us  \u25c0"));
	release(&s);
}

/* ---- Moving ---- */

TEST(panning_snaps_to_events_and_cells_do_not)
{
	WITH(struct shown, s, release, make(&s, 80, 24));

	wl_timeline_select(s.t, row(&s, 0, "S7"));
	wl_timeline_show(s.t, 1000, 101000);
	wl_timeline_go(s.t, 7001);
	act(&s, WL_ACT_PAN_RIGHT);
	while (s.t->view.cursor < 12000)
		act(&s, WL_ACT_PAN_RIGHT);
	/* On stream 7 kernels start at 3000, 8000, 13000: a cell is some 1400 ns. */
	while (s.t->view.cursor < 13000)
		act(&s, WL_ACT_PAN_RIGHT);
	assert_int_equal(s.t->view.cursor, 13000);
	act(&s, WL_ACT_CELL_LEFT);
	assert_true(s.t->view.cursor < 13000);
}

TEST(the_view_follows_the_cursor_over_the_edge)
{
	WITH(struct shown, s, release, make(&s, 80, 24));

	wl_timeline_show(s.t, 200000, 300000);
	wl_timeline_go(s.t, 200000);
	act(&s, WL_ACT_CELL_LEFT);
	assert_true(s.t->view.cursor < 200000 && s.t->view.begin == s.t->view.cursor);
	assert_int_equal(s.t->view.end - s.t->view.begin, 100000);
	wl_timeline_go(s.t, s.t->view.end - 1);
	act(&s, WL_ACT_CELL_RIGHT);
	assert_int_equal(s.t->view.cursor, s.t->view.end - 1);
	act(&s, WL_ACT_TO_END);
	act(&s, WL_ACT_CELL_RIGHT);
	assert_int_equal(s.t->view.cursor, s.viewed.scene.tracks.extent.end - 1);
	act(&s, WL_ACT_TO_START);
	act(&s, WL_ACT_PAN_LEFT);
	assert_int_equal(s.t->view.cursor, s.viewed.scene.tracks.extent.begin);
}

TEST(tab_goes_from_event_to_event)
{
	WITH(struct shown, s, release, make(&s, 80, 24));

	wl_timeline_select(s.t, row(&s, 0, "S7"));
	wl_timeline_go(s.t, 3000);
	act(&s, WL_ACT_NEXT_EVENT);
	assert_int_equal(s.t->view.cursor, 8000);
	act(&s, WL_ACT_NEXT_EVENT);
	assert_int_equal(s.t->view.cursor, 13000);
	act(&s, WL_ACT_PREV_EVENT);
	act(&s, WL_ACT_PREV_EVENT);
	assert_int_equal(s.t->view.cursor, 3000);
	act(&s, WL_ACT_PREV_EVENT);
	assert_string_equal(s.app.said, "no earlier event in this row");
}

TEST(zoom_keeps_the_cursor_and_ends_at_a_nanosecond_per_half_cell)
{
	WITH(struct shown, s, release, make(&s, 80, 24));
	struct wl_timeline_layout l;

	wl_timeline_go(s.t, 150000);
	for (int i = 0; i < 60; i++) {
		act(&s, WL_ACT_ZOOM_IN);
		assert_int_equal(s.t->view.cursor, 150000);
		check_view(&s);
	}
	wl_timeline_layout_now(s.t, &l);
	assert_int_equal(s.t->view.end - s.t->view.begin, 2 * l.chart_width);
	for (int i = 0; i < 60; i++)
		act(&s, WL_ACT_ZOOM_OUT);
	assert_int_equal(s.t->view.begin, s.viewed.scene.tracks.extent.begin);
	assert_int_equal(s.t->view.end, s.viewed.scene.tracks.extent.end);
	act(&s, WL_ACT_ZOOM_UNDO);
	act(&s, WL_ACT_FIT);
	assert_int_equal(s.t->view.end, s.viewed.scene.tracks.extent.end);
}

TEST(zoom_to_takes_the_range_or_the_event)
{
	WITH(struct shown, s, release, make(&s, 80, 24));

	wl_timeline_select(s.t, row(&s, 0, "S7"));
	wl_timeline_go(s.t, 8100);
	act(&s, WL_ACT_ZOOM_TO);
	assert_int_equal(s.t->view.begin, 8000 - 401);
	assert_int_equal(s.t->view.end, 12000 + 401);
	act(&s, WL_ACT_ZOOM_UNDO);
	assert_int_equal(s.t->view.end, s.viewed.scene.tracks.extent.end);
	wl_timeline_mark(s.t, 30000, 20000);
	act(&s, WL_ACT_ZOOM_TO);
	assert_int_equal(s.t->view.begin, 20000);
	assert_int_equal(s.t->view.end, 30000);
}

TEST(iterations_keep_the_offset)
{
	WITH(struct shown, s, release, make(&s, 80, 24));
	wl_ns begin;
	size_t number, of;

	assert_non_null(wl_timeline_iters(s.t, s.t->view.track));
	fake_app_answer(&s.app, WL_ACT_GOTO, "i2");
	assert_non_null(wl_timeline_iteration(s.t, &number, &of));
	assert_int_equal(number, 2);
	assert_int_equal(of, STEPS);
	begin = s.t->view.begin;
	wl_timeline_go(s.t, begin + 777);
	act(&s, WL_ACT_NEXT_ITERATION);
	assert_int_equal(s.t->view.begin, begin + STEP);
	assert_int_equal(s.t->view.cursor, begin + STEP + 777);
	act(&s, WL_ACT_PREV_ITERATION);
	assert_int_equal(s.t->view.cursor, begin + 777);
	act(&s, WL_ACT_FIT_ITERATION);
	assert_true(s.t->view.begin < begin && s.t->view.end > begin + STEP);
	act(&s, WL_ACT_FIT_ITERATION);
	assert_int_equal(s.t->view.begin, begin);
}

TEST(history_walks_back_and_forward)
{
	WITH(struct shown, s, release, make(&s, 80, 24));

	wl_timeline_jump(s.t, WL_NONE, 100000, 90000, 110000);
	wl_timeline_jump(s.t, WL_NONE, 300000, 290000, 310000);
	act(&s, WL_ACT_HISTORY_BACK);
	assert_int_equal(s.t->view.begin, 90000);
	assert_int_equal(s.t->view.cursor, 100000);
	act(&s, WL_ACT_HISTORY_BACK);
	assert_int_equal(s.t->view.begin, s.viewed.scene.tracks.extent.begin);
	act(&s, WL_ACT_HISTORY_BACK);
	assert_string_equal(s.app.said, "no earlier place");
	act(&s, WL_ACT_HISTORY_FORWARD);
	act(&s, WL_ACT_HISTORY_FORWARD);
	assert_int_equal(s.t->view.cursor, 300000);
	assert_int_equal(s.t->view.end, 310000);
	act(&s, WL_ACT_HISTORY_FORWARD);
	assert_string_equal(s.app.said, "no later place");
	for (int i = 0; i < 3 * WL_HISTORY; i++)
		wl_timeline_jump(s.t, WL_NONE, 1000 + i, 1000, 2000);
	assert_int_equal(s.t->history.n, WL_HISTORY);
}

/* However many steps and pages were made, the way back leads to where they began. */
TEST(moves_are_in_the_history_as_one)
{
	WITH(struct shown, s, release, make(&s, 80, 24));

	wl_timeline_jump(s.t, WL_NONE, 100000, 90000, 110000);
	act(&s, WL_ACT_PAN_RIGHT);
	act(&s, WL_ACT_PAGE_RIGHT);
	act(&s, WL_ACT_PAGE_RIGHT);
	assert_int_equal(s.t->view.begin, 100000);
	act(&s, WL_ACT_HISTORY_BACK);
	assert_int_equal(s.t->view.begin, 90000);
	assert_int_equal(s.t->view.cursor, 100000);
	act(&s, WL_ACT_PAGE_LEFT);
	act(&s, WL_ACT_ZOOM_IN);
	act(&s, WL_ACT_PAGE_LEFT);
	act(&s, WL_ACT_HISTORY_BACK);
	act(&s, WL_ACT_HISTORY_BACK);
	assert_int_equal(s.t->view.begin, 85000);
	assert_int_equal(s.t->view.end, 105000);
	act(&s, WL_ACT_HISTORY_BACK);
	assert_int_equal(s.t->view.begin, 90000);
}

/* ---- Going somewhere ---- */

static void go(struct shown *s, const char *where)
{
	fake_app_answer(&s->app, WL_ACT_GOTO, where);
}

TEST(goto_understands_all_forms)
{
	WITH(struct shown, s, release, make(&s, 80, 24));
	struct wl_err err;
	struct wl_interval extent;

	extent = s.viewed.scene.tracks.extent;
	assert_int_equal(wl_timeline_goto(s.t, "100us", &err), WL_OK);
	assert_int_equal(s.t->view.cursor, 100000);
	assert_int_equal(wl_timeline_goto(s.t, "+5us", &err), WL_OK);
	assert_int_equal(s.t->view.cursor, 105000);
	assert_int_equal(wl_timeline_goto(s.t, "-5us", &err), WL_OK);
	assert_int_equal(s.t->view.cursor, 100000);
	assert_int_equal(wl_timeline_goto(s.t, "%50", &err), WL_OK);
	assert_int_equal(s.t->view.cursor, extent.begin + (extent.end - extent.begin) / 2);
	/* The key reads times on the clock that is shown: since the first operation. */
	go(&s, "100us");
	assert_int_equal(s.t->view.cursor, s.t->view.first_op + 100000);
	act(&s, WL_ACT_CLOCK);
	go(&s, "100us");
	assert_int_equal(s.t->view.cursor, 100000);
	go(&s, "AllReduce");
	assert_int_equal(s.t->view.cursor, 1000 + STEP + 50000);
	assert_string_equal(wl_timeline_scene(s.t)->tracks.at[s.t->view.track].brief, "S20*");
	go(&s, "backward");
	assert_int_equal(wl_timeline_scene(s.t)->tracks.at[s.t->view.track].kind, WL_TRACK_NVTX);
}

TEST(goto_says_what_is_wrong)
{
	WITH(struct shown, s, release, make(&s, 80, 24));
	wl_ns was;

	was = s.t->view.cursor;
	go(&s, "i99");
	assert_string_equal(s.app.said, "no iteration 99: there are 0 to 5");
	go(&s, "#999999");
	assert_string_equal(s.app.said, "no operation with correlation 999999");
	go(&s, "%101");
	assert_string_equal(s.app.said, "%101 is not within 0 and 100");
	go(&s, "5s");
	assert_string_equal(s.app.said, "5s is not in the trace, from -0.001 ms to 0.594 ms");
	go(&s, "nosuch");
	assert_string_equal(s.app.said, "no kernel and no range has \"nosuch\" in its name");
	go(&s, "5parsecs");
	assert_string_not_equal(s.app.said, "");
	go(&s, "");
	assert_int_equal(s.t->view.cursor, was);
}

/* ---- Filter ---- */

TEST(a_filter_leaves_only_matching_kernels)
{
	WITH(struct shown, s, release, make(&s, 80, 24));
	uint32_t compute;

	compute = row(&s, 0, "S7");
	assert_int_equal(wl_timeline_lanes(s.t, compute)->n_events, STEPS * KERNELS);
	fake_app_answer(&s.app, WL_ACT_FILTER, "GEMM");
	assert_int_equal(wl_timeline_lanes(s.t, compute)->n_events, STEPS * KERNELS / 2);
	assert_null(wl_timeline_lanes(s.t, row(&s, 0, "S20*")));
	fake_app_draw(&s.app);
	fake_app_answer(&s.app, WL_ACT_FILTER, "/^layer|nccl/");
	assert_int_equal(wl_timeline_lanes(s.t, compute)->n_events, STEPS * KERNELS / 2);
	fake_app_answer(&s.app, WL_ACT_FILTER, "/(/");
	assert_string_equal(s.t->filter.text, "/^layer|nccl/");
	assert_string_not_equal(s.app.said, "");
	fake_app_answer(&s.app, WL_ACT_FILTER, NULL);
	assert_string_equal(s.t->filter.text, "");
	assert_int_equal(wl_timeline_lanes(s.t, compute)->n_events, STEPS * KERNELS);
}

TEST(n_goes_from_match_to_match_over_all_rows)
{
	WITH(struct shown, s, release, make(&s, 80, 24));
	uint32_t first, second;

	act(&s, WL_ACT_NEXT_MATCH);
	assert_string_equal(s.app.said, "no filter: / sets one");
	fake_app_answer(&s.app, WL_ACT_FILTER, "AllReduce");
	first = row(&s, 0, "S20*");
	second = row(&s, 1, "S20*");
	for (int step = 0; step < STEPS; step++) {
		act(&s, WL_ACT_NEXT_MATCH);
		assert_int_equal(s.t->view.track, first);
		assert_int_equal(s.t->view.cursor, 1000 + STEP * step + 50000);
	}
	act(&s, WL_ACT_NEXT_MATCH);
	assert_int_equal(s.t->view.track, second);
	assert_int_equal(s.t->view.cursor, 51000);
	act(&s, WL_ACT_PREV_MATCH);
	assert_int_equal(s.t->view.track, first);
	assert_int_equal(s.t->view.cursor, 1000 + STEP * (STEPS - 1) + 50000);
}

TEST(short_events_and_muted_categories_are_hidden)
{
	WITH(struct shown, s, release, make(&s, 80, 24));
	uint32_t compute;

	compute = row(&s, 0, "S7");
	fake_app_answer(&s.app, WL_ACT_MIN_DURATION, "5us");
	assert_null(wl_timeline_lanes(s.t, compute));
	assert_int_equal(s.t->config.min_us, 5);
	fake_app_answer(&s.app, WL_ACT_MIN_DURATION, "");
	fake_app_answer(&s.app, WL_ACT_MUTE, "g");
	assert_int_equal(wl_timeline_lanes(s.t, compute)->n_events, STEPS * KERNELS / 2);
	fake_app_answer(&s.app, WL_ACT_MUTE, "");
	assert_int_equal(wl_timeline_lanes(s.t, compute)->n_events, STEPS * KERNELS);
}

TEST(esc_takes_away_one_thing_at_a_time)
{
	WITH(struct shown, s, release, make(&s, 80, 24));

	fake_app_answer(&s.app, WL_ACT_FILTER, "gemm");
	wl_timeline_mark(s.t, 5000, 6000);
	act(&s, WL_ACT_BACK);
	assert_int_equal(s.t->view.mark_a, WL_NO_TIME);
	assert_string_equal(s.t->filter.text, "gemm");
	act(&s, WL_ACT_BACK);
	assert_string_equal(s.t->filter.text, "");
	assert_false(s.app.ops->act(s.app.view, WL_ACT_BACK));
}

/* ---- Rows ---- */

TEST(groups_fold_and_unfold)
{
	WITH(struct shown, s, release, make(&s, 80, 24));
	size_t n, folded;

	wl_timeline_rows(s.t, &n);
	act(&s, WL_ACT_FOLD);
	wl_timeline_rows(s.t, &folded);
	assert_true(folded < n);
	assert_int_equal(wl_timeline_scene(s.t)->tracks.at[s.t->view.track].kind, WL_TRACK_STREAM);
	act(&s, WL_ACT_FOLD);
	assert_int_equal(wl_timeline_scene(s.t)->tracks.at[s.t->view.track].kind, WL_TRACK_GPU);
	act(&s, WL_ACT_UNFOLD);
	act(&s, WL_ACT_UNFOLD);
	wl_timeline_rows(s.t, &folded);
	assert_int_equal(folded, n);
	act(&s, WL_ACT_UNFOLD_ALL);
	wl_timeline_rows(s.t, &folded);
	assert_true(folded > n);
}

TEST(rows_hide_pin_and_come_back)
{
	WITH(struct shown, s, release, make(&s, 80, 24));
	size_t n, left;
	uint32_t hidden;

	wl_timeline_rows(s.t, &n);
	hidden = s.t->view.track;
	act(&s, WL_ACT_HIDE);
	wl_timeline_rows(s.t, &left);
	assert_int_equal(left, n - 1);
	assert_int_not_equal(s.t->view.track, hidden);
	for (size_t i = 0; i < 2 * n; i++)
		act(&s, WL_ACT_HIDE);
	wl_timeline_rows(s.t, &left);
	assert_int_equal(left, 1);
	act(&s, WL_ACT_UNHIDE);
	wl_timeline_rows(s.t, &left);
	assert_int_equal(left, n);
	act(&s, WL_ACT_PIN);
	assert_true(has_line(&s, "\u25c6"));
	act(&s, WL_ACT_PIN);
	assert_false(has_line(&s, "\u25c6"));
	act(&s, WL_ACT_PIN);
	act(&s, WL_ACT_UNPIN);
	assert_int_equal(s.t->rows.n_pins, 0);
}

TEST(row_sets_show_other_rows)
{
	WITH(struct shown, s, release, make(&s, 80, 50));

	act(&s, WL_ACT_ROW_SET);
	assert_int_equal(s.t->rows.set, WL_ROWS_BY_KIND);
	assert_true(has_line(&s, "G1 S7"));
	act(&s, WL_ACT_ROW_SET);
	assert_true(has_line(&s, "API 101"));
	assert_false(has_line(&s, "G0 S7"));
	act(&s, WL_ACT_ROW_SET);
	assert_true(has_line(&s, "G0 S7"));
	act(&s, WL_ACT_LOGICAL);
	assert_false(has_line(&s, "NVTX"));
}

TEST(merged_streams_are_one_row_with_all_events)
{
	WITH(struct shown, s, release, make(&s, 80, 24));
	const struct wl_lanes *lanes;
	struct wl_pick pick;

	act(&s, WL_ACT_MERGE);
	assert_int_equal(wl_timeline_scene(s.t)->tracks.at[s.t->view.track].kind, WL_TRACK_GPU);
	lanes = wl_timeline_lanes(s.t, s.t->view.track);
	assert_non_null(lanes);
	assert_int_equal(lanes->n_events, STEPS * (KERNELS + 2));
	assert_int_equal(lanes->n, 2);
	wl_timeline_go(s.t, 3500);
	assert_true(wl_timeline_pick(s.t, &pick));
	assert_int_equal(pick.event.family, WL_F_MEMCPYS);
	fake_app_answer(&s.app, WL_ACT_FILTER, "gemm");
	assert_int_equal(wl_timeline_lanes(s.t, s.t->view.track)->n_events, STEPS * KERNELS / 2);
	fake_app_draw(&s.app);
	act(&s, WL_ACT_MERGE);
}

/* ---- Mouse ---- */

TEST(the_mouse_points_drags_and_zooms)
{
	WITH(struct shown, s, release, make(&s, 80, 24));
	struct wl_timeline_layout l;
	wl_ns at, span;
	int y;

	wl_timeline_layout_now(s.t, &l);
	y = l.line[7].y;
	at = wl_timeline_time_at(&s.t->view, &l, 20);
	fake_app_mouse(&s.app, WL_MOUSE_PRESS, 1, l.chart_x + 20, y);
	assert_int_equal(s.t->view.cursor, at);
	assert_int_equal(s.t->view.track, l.line[7].track);
	fake_app_mouse(&s.app, WL_MOUSE_DRAG, 1, l.chart_x + 30, y);
	fake_app_mouse(&s.app, WL_MOUSE_RELEASE, 1, l.chart_x + 40, y);
	assert_int_equal(s.t->view.mark_a, at);
	assert_int_equal(s.t->view.mark_b, wl_timeline_time_at(&s.t->view, &l, 41));
	span = s.t->view.end - s.t->view.begin;
	fake_app_mouse(&s.app, WL_MOUSE_WHEEL_UP, 0, l.chart_x + 20, y);
	assert_true(s.t->view.end - s.t->view.begin < span);
	assert_true(llabs(wl_timeline_time_at(&s.t->view, &l, 20) - at) < span / 70);
	at = wl_timeline_time_at(&s.t->view, &l, 30);
	fake_app_mouse(&s.app, WL_MOUSE_PRESS, 3, l.chart_x + 30, y);
	fake_app_mouse(&s.app, WL_MOUSE_DRAG, 3, l.chart_x + 25, y);
	assert_int_equal(wl_timeline_time_at(&s.t->view, &l, 25), at);
	fake_app_mouse(&s.app, WL_MOUSE_RELEASE, 3, l.chart_x + 25, y);
	fake_app_mouse(&s.app, WL_MOUSE_PRESS, 1, l.chart_x, 1);
	assert_int_equal(s.t->view.begin, s.viewed.scene.tracks.extent.begin);
}

TEST(nothing_breaks_the_view)
{
	WITH(struct shown, s, release, make(&s, 80, 24));
	uint64_t random = 7;

	for (int i = 0; i < 4000; i++) {
		enum wl_action action =
			(enum wl_action)(1 + random_below(&random, WL_N_ACTIONS - 1));
		int x = (int)random_below(&random, 210), y = (int)random_below(&random, 60);

		if (action == WL_ACT_EXPORT || action == WL_ACT_WRITE_SCREEN)
			continue; /* they write files */
		s.app.done = NULL;
		s.app.ops->act(s.app.view, action);
		if (s.app.done && random_below(&random, 2))
			s.app.done(s.app.done_ctx, random_below(&random, 2) ? "gemm" : "1us");
		else if (s.app.done)
			s.app.done(s.app.done_ctx, NULL);
		check_view(&s);
		if (random_below(&random, 8) == 0)
			fake_app_resize(&s.app, x, y);
		fake_app_mouse(&s.app, (enum wl_mouse)random_below(&random, 5),
			       1 + (int)random_below(&random, 3), x, y);
		check_view(&s);
		fake_app_draw(&s.app);
	}
}

/* ---- Two traces ---- */

TEST(the_second_trace_lies_below_its_rows)
{
	WITH(struct shown, s, release, make(&s, 80, 50));
	size_t n;

	/* The trace beside itself: each GPU row has its twin, and nothing differs. */
	s.app.scene[1] = &s.viewed.scene;
	s.app.ops->staged(s.app.view, 1);
	wl_timeline_rows(s.t, &n);
	act(&s, WL_ACT_SECOND);
	assert_int_equal(s.t->rows.second, WL_SECOND_BOTH);
	for (uint32_t i = 0; i < s.viewed.scene.tracks.n; i++)
		assert_int_equal(wl_timeline_twin(s.t, i),
				 s.viewed.scene.tracks.at[i].device == WL_NONE ? WL_NONE : i);
	assert_true(has_line(&s, " B S20*"));
	act(&s, WL_ACT_SECOND);
	assert_true(has_line(&s, "\u25b8B S7"));
	assert_false(has_line(&s, " G0 S20"));
	act(&s, WL_ACT_SECOND);
	assert_true(has_line(&s, "G1 \u0394"));
	assert_false(has_line(&s, "\u25b2"));
	act(&s, WL_ACT_SECOND);
	assert_false(has_line(&s, " B "));
}

/* ---- State ---- */

static char *saved(struct shown *s)
{
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);
	struct wl_jsonw w;

	wl_jsonw_init(&w, out);
	wl_jsonw_begin_object(&w);
	s->app.ops->save(s->app.view, &w);
	wl_jsonw_end_object(&w);
	wl_jsonw_finish(&w);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void restore(struct shown *s, const char *text)
{
	struct wl_json *doc;
	struct wl_err err;

	assert_int_equal(wl_json_parse(text, strlen(text), "state", &doc, &err), WL_OK);
	s->app.ops->restore(s->app.view, doc);
	wl_json_free(doc);
}

TEST(what_is_saved_is_restored)
{
	struct shown a, b;
	char *before, *after;

	make(&a, 80, 24);
	wl_timeline_jump(a.t, row(&a, 1, "S20*"), 250001, 200000, 300000);
	act(&a, WL_ACT_CLOCK);
	act(&a, WL_ACT_PIN);
	act(&a, WL_ACT_COLOURING);
	fake_app_answer(&a.app, WL_ACT_FILTER, "nccl");
	fake_app_answer(&a.app, WL_ACT_MIN_DURATION, "1500ns");
	wl_timeline_mark(a.t, 210000, WL_NO_TIME);
	a.t->config.tick_density = 12;
	before = saved(&a);
	release(&a);
	make(&b, 80, 24);
	restore(&b, before);
	after = saved(&b);
	assert_string_equal(after, before);
	assert_int_equal(b.t->view.cursor, 250001);
	assert_int_equal(b.t->filter.min_dur, 1500);
	free(before);
	free(after);
	release(&b);
}

TEST(a_foreign_state_does_no_harm)
{
	WITH(struct shown, s, release, make(&s, 80, 24));

	restore(&s, "{\"begin\":\"5\",\"end\":\"-3\",\"cursor\":\"99999999999999\",\"row\":\"x\","
		    "\"clock\":77,\"config\":{\"selected_rows\":999,\"tick_density\":-1},"
		    "\"pinned\":[1,null,\"y\"],\"folded\":7,\"filter\":5,\"scroll\":1e9}");
	check_view(&s);
	assert_int_equal(s.t->config.selected_rows, 6);
	fake_app_draw(&s.app);
	restore(&s, "{}");
	check_view(&s);
}

TEST(settings_stay_in_bounds)
{
	WITH(struct shown, s, release, make(&s, 80, 24));

	act(&s, WL_ACT_CONFIG);
	assert_true(s.app.n_settings >= 8);
	for (size_t i = 0; i < s.app.n_settings; i++) {
		const struct wl_setting *setting = &s.app.setting[i];
		int was = *setting->value;

		for (*setting->value = setting->min;
		     *setting->value <= setting->max && *setting->value < setting->min + 10;
		     ++*setting->value) {
			s.app.changed(s.app.changed_ctx);
			fake_app_draw(&s.app);
		}
		*setting->value = was;
		s.app.changed(s.app.changed_ctx);
	}
	act(&s, WL_ACT_PATHS);
	act(&s, WL_ACT_LABELS);
	act(&s, WL_ACT_TICKS);
}

TEST(an_empty_trace_says_what_to_do)
{
	WITH(struct shown, s, release, mem_init(&s.viewed.mem));

	viewed_make(&s.viewed);
	fake_app_make(&s.app, &s.viewed.scene, &wl_timeline_view, 80, 24);
	s.t = s.app.view;
	assert_true(has_line(&s, "--trace=cuda"));
	for (int action = 1; action < WL_N_ACTIONS; action++)
		s.app.ops->act(s.app.view, (enum wl_action)action);
}

TEST(a_trace_without_gpu_shows_its_threads)
{
	static const enum wl_action hiding[] = { WL_ACT_LOGICAL, WL_ACT_FOLD,    WL_ACT_FOLD,
						 WL_ACT_MERGE,   WL_ACT_ROW_SET, WL_ACT_HIDE,
						 WL_ACT_UNFOLD,  WL_ACT_ROW_SET, WL_ACT_ROW_SET };
	WITH(struct shown, s, release, mem_init(&s.viewed.mem));

	MEM_NVTX(&s.viewed.mem, 0, 5000, 100, 100, .name = "load");
	viewed_make(&s.viewed);
	fake_app_make(&s.app, &s.viewed.scene, &wl_timeline_view, 80, 24);
	s.t = s.app.view;
	assert_true(has_line(&s, "no GPU work in this trace"));
	assert_true(has_line(&s, "\u25b8NVTX 100"));
	assert_true(has_line(&s, "[load"));
	/* Whatever is hidden, some row stays. */
	for (size_t i = 0; i < WL_COUNT(hiding); i++) {
		act(&s, hiding[i]);
		assert_int_not_equal(s.t->view.track, WL_NONE);
		fake_app_draw(&s.app);
	}
}
