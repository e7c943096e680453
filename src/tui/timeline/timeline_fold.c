/* SPDX-License-Identifier: MIT */
/* timeline_fold.c - the rows that are shown: sets, folding, hiding, pinning. */
#include "tui/timeline/timeline.h"

#include "tui/timeline/timeline_parts.h"

static void change_set(struct wl_timeline *t)
{
	static const char *const words[] = {
		[WL_ROWS_GPU] = "rows: GPU streams",
		[WL_ROWS_BY_KIND] = "rows: by kind across GPUs",
		[WL_ROWS_CPU] = "rows: CPU threads",
		[WL_ROWS_ALL] = "rows: all",
	};
	size_t n = 0;

	/* A set without rows is passed over. */
	for (int i = 0; i < WL_N_ROW_SETS && n == 0; i++) {
		t->rows.set = (enum wl_row_set)((t->rows.set + 1) % WL_N_ROW_SETS);
		wl_timeline_rows(t, &n);
	}
	wl_timeline_settle(t);
	wl_app_say(t->app, "%s", words[t->rows.set]);
}

static void change_merged(struct wl_timeline *t)
{
	uint32_t gpu = t->view.track == WL_NONE ? WL_NONE : wl_timeline_gpu(t, t->view.track);

	t->rows.merged = !t->rows.merged;
	if (t->rows.merged && gpu != WL_NONE && t->rows.set != WL_ROWS_CPU)
		t->view.track = gpu;
	wl_timeline_settle(t);
	wl_app_say(t->app,
		   t->rows.merged ? "all streams of a GPU in one row" : "a row for each stream");
}

static void change_logical(struct wl_timeline *t)
{
	t->rows.logical = !t->rows.logical;
	wl_timeline_settle(t);
	wl_app_say(t->app, t->rows.logical ? "without NVTX rows" : "with NVTX rows");
}

static bool has_counters(const struct wl_timeline *t)
{
	return wl_timeline_scene(t)->tracks.n_counters > 0;
}

static void change_counters(struct wl_timeline *t)
{
	if (!has_counters(t)) {
		wl_app_say(t->app, "this trace has no counters; nsys records them with "
				   "--gpu-metrics-devices=all or --cuda-memory-usage=true");
		return;
	}
	t->rows.counters = !t->rows.counters;
	wl_timeline_settle(t);
	wl_app_say(t->app, t->rows.counters ? "with counters" : "without counters");
}

/* ---- Pins ---- */

static void pin(struct wl_timeline *t)
{
	if (t->view.track == WL_NONE)
		return;
	for (size_t i = 0; i < t->rows.n_pins; i++)
		if (t->rows.pin[i] == t->view.track) {
			for (t->rows.n_pins--; i < t->rows.n_pins; i++)
				t->rows.pin[i] = t->rows.pin[i + 1];
			return;
		}
	if (t->rows.n_pins == WL_MAX_PINS) {
		wl_app_say(t->app, "%d rows are pinned already; u unpins all", WL_MAX_PINS);
		return;
	}
	t->rows.pin[t->rows.n_pins++] = t->view.track;
}

static void unpin(struct wl_timeline *t)
{
	t->rows.n_pins = 0;
}

/* ---- Folding and hiding ---- */

/* A GPU in steps: a line, in short, in full. */
static void step_fold(uint8_t *fold, bool is_gpu, bool folded)
{
	if (folded)
		*fold |= !is_gpu || (*fold & WL_COMPACT) != 0 ? WL_FOLDED : WL_COMPACT;
	else if ((*fold & WL_FOLDED) != 0)
		*fold &= (uint8_t)~WL_FOLDED;
	else
		*fold &= (uint8_t)~WL_COMPACT;
}

static void set_folded(struct wl_timeline *t, int folded)
{
	uint32_t group = t->view.track == WL_NONE ? WL_NONE : wl_timeline_group(t, t->view.track);
	uint32_t cpu = wl_timeline_cpu(t);
	bool is_cpu;

	if (group == WL_NONE)
		return;
	is_cpu = wl_holds(&wl_timeline_scene(t)->tracks.at[group]) == WL_HOLDS_THREADS &&
		 t->rows.set == WL_ROWS_GPU && cpu != WL_NONE;
	if (is_cpu && !folded)
		t->rows.fold[cpu] |= WL_OPENED;
	if (is_cpu && folded)
		t->rows.fold[cpu] &= (uint8_t)~WL_OPENED;
	else if (!is_cpu)
		step_fold(&t->rows.fold[group],
			  wl_holds(&wl_timeline_scene(t)->tracks.at[group]) == WL_HOLDS_GPU_TIME,
			  folded);
	wl_timeline_settle(t);
}

static void unfold_all(struct wl_timeline *t)
{
	for (size_t i = 0; i < wl_timeline_scene(t)->tracks.n; i++)
		t->rows.fold[i] &= (uint8_t) ~(WL_FOLDED | WL_COMPACT);
	wl_timeline_settle(t);
}

static void hide(struct wl_timeline *t)
{
	size_t n, at;
	const struct wl_row *rows = wl_timeline_rows(t, &n);
	uint32_t next;

	if (n <= 1) {
		wl_app_say(t->app, "the last row stays");
		return;
	}
	at = wl_timeline_row_number(t, rows, n);
	next = rows[at + 1 < n ? at + 1 : at - 1].track;
	t->rows.fold[t->view.track] |= WL_HIDDEN;
	t->view.track = next;
	wl_timeline_settle(t);
	wl_app_say(t->app, "row hidden; U shows all again");
}

static void unhide(struct wl_timeline *t)
{
	for (size_t i = 0; i < wl_timeline_scene(t)->tracks.n; i++)
		t->rows.fold[i] &= (uint8_t)~WL_HIDDEN;
	wl_timeline_settle(t);
}

static bool is_used_gpu(const struct wl_track *track)
{
	return wl_holds(track) == WL_HOLDS_GPU_TIME && track->n_events > 0;
}

/* Lines that all rows take, or those of one group. */
static int lines_of(struct wl_timeline *t, uint32_t group)
{
	size_t n;
	const struct wl_row *rows = wl_timeline_rows(t, &n);
	int lines = 0;

	for (size_t i = 0; i < n; i++)
		if (group == WL_NONE || wl_timeline_group(t, rows[i].track) == group)
			lines += wl_timeline_height(t, &rows[i]);
	return lines;
}

/*
 * All in full if that fits; else all GPUs but the first in short, as many as fit, and the
 * others folded, of which two lines are enough to see that there are more.
 */
void wl_timeline_fold_to(struct wl_timeline *t, int room)
{
	const struct wl_tracks *tracks = &wl_timeline_scene(t)->tracks;
	int used = 0, rest = 0;
	bool is_first = true, is_full = false;

	if (lines_of(t, WL_NONE) <= room)
		return;
	for (size_t i = 0; i < tracks->n; i++)
		rest += is_used_gpu(&tracks->at[i]);
	for (uint32_t i = 0; i < tracks->n; i++) {
		if (!is_used_gpu(&tracks->at[i]))
			continue;
		rest--;
		if (!is_first)
			t->rows.fold[i] |= WL_COMPACT;
		used += is_full ? 0 : lines_of(t, i);
		is_full = is_full || (!is_first && used + (rest < 2 ? rest : 2) > room);
		if (is_full)
			t->rows.fold[i] |= WL_FOLDED;
		is_first = false;
	}
}

static const struct wl_timeline_act acts[] = {
	{ WL_ACT_ROW_SET, .act = change_set },
	{ WL_ACT_MERGE, .act = change_merged },
	{ WL_ACT_LOGICAL, .act = change_logical },
	{ WL_ACT_COUNTERS, .act = change_counters },
	{ WL_ACT_PIN, .act = pin },
	{ WL_ACT_UNPIN, .act = unpin },
	{ WL_ACT_HIDE, .act = hide },
	{ WL_ACT_UNHIDE, .act = unhide },
	{ WL_ACT_FOLD, .by = set_folded, .n = true },
	{ WL_ACT_UNFOLD, .by = set_folded, .n = false },
	{ WL_ACT_UNFOLD_ALL, .act = unfold_all },
};

const struct wl_timeline_part wl_timeline_folding = { .acts = acts, .n_acts = WL_COUNT(acts) };
