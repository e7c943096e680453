/* SPDX-License-Identifier: MIT */
/* timeline_rows.c - the rows of the timeline in their order: shown, folded, hidden. */
#include "tui/timeline/timeline.h"

#include <assert.h>
#include <string.h>

#include "base/memory/sort.h"
#include "tui/timeline/timeline_parts.h"

struct wl_timeline_rows {
	struct wl_row *at; /* room for all tracks */
	size_t n;
	uint32_t *by_kind; /* streams by what they are for, then as they come */
	size_t n_by_kind;
	/* By GPU track: the CUDA calls of its process's busiest thread, shown with it; of the
	 * first GPU of a process only, WL_NONE else. */
	uint32_t *calls_of;
	uint32_t *gpu_of; /* by track of such calls: that GPU track; WL_NONE else */
	bool *is_minor;   /* by track: a stream with little of its GPU's time */
	size_t *n_nvtx;   /* by GPU track: its NVTX rows, one for each thread */
	uint32_t cpu;
};

static const struct wl_tracks *tracks_of(const struct wl_timeline *t)
{
	return &wl_timeline_scene(t)->tracks;
}

/* What a stream is for, behind its number: " NCCL *" of "Stream 20 NCCL *". */
static const char *role(const struct wl_track *track)
{
	const char *at = track->label + strcspn(track->label, " ");

	at += strspn(at, " ");
	return at + strcspn(at, " ");
}

static bool role_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct wl_tracks *tracks = ctx;
	const char *role_a = role(&tracks->at[a]), *role_b = role(&tracks->at[b]);
	bool first_a = strncmp(role_a, " compute", 8) == 0;
	bool first_b = strncmp(role_b, " compute", 8) == 0;

	return first_a != first_b ? first_a : strcmp(role_a, role_b) < 0;
}

static bool sort_by_kind(struct wl_timeline *t, struct wl_timeline_rows *r)
{
	const struct wl_tracks *tracks = tracks_of(t);
	uint32_t *tmp = WL_NEW(&t->arena, uint32_t, tracks->n + 1);

	r->by_kind = WL_NEW(&t->arena, uint32_t, tracks->n + 1);
	if (!tmp || !r->by_kind)
		return false;
	for (size_t i = 0; i < tracks->n; i++)
		if (wl_holds(&tracks->at[i]) == WL_HOLDS_OPS)
			r->by_kind[r->n_by_kind++] = (uint32_t)i;
	wl_sort_index(r->by_kind, r->n_by_kind, tmp, role_less, tracks);
	return true;
}

/* Threads come busiest first, so that the first of a process is the one. */
static bool find_calls(struct wl_timeline *t, struct wl_timeline_rows *r)
{
	const struct wl_tracks *tracks = tracks_of(t);
	size_t n_processes = tracks->trace->n_processes;
	uint32_t *of_process = WL_NEW(&t->arena, uint32_t, n_processes + 1);

	r->calls_of = WL_NEW(&t->arena, uint32_t, tracks->n + 1);
	r->gpu_of = WL_NEW(&t->arena, uint32_t, tracks->n + 1);
	if (!of_process || !r->calls_of || !r->gpu_of)
		return false;
	for (size_t p = 0; p < n_processes; p++)
		of_process[p] = WL_NONE;
	for (size_t i = tracks->n; i-- > 0;) {
		const struct wl_track *track = &tracks->at[i];

		r->gpu_of[i] = WL_NONE;
		if (wl_row_kind(track)->family == WL_F_API && track->n_events > 0 &&
		    track->process != WL_NONE)
			of_process[track->process] = (uint32_t)i;
	}
	for (size_t i = 0; i < tracks->n; i++) {
		const struct wl_track *track = &tracks->at[i];

		r->calls_of[i] = WL_NONE;
		if (wl_holds(track) != WL_HOLDS_GPU_TIME || track->process == WL_NONE)
			continue;
		r->calls_of[i] = of_process[track->process];
		if (r->calls_of[i] != WL_NONE)
			r->gpu_of[r->calls_of[i]] = (uint32_t)i;
		of_process[track->process] = WL_NONE;
	}
	return true;
}

/* What is known of rows once: a minor stream has less than a twentieth of the time of
 * its GPU's longest. */
static bool find_uses(struct wl_timeline *t, struct wl_timeline_rows *r)
{
	const struct wl_scene *scene = wl_timeline_scene(t);
	const struct wl_tracks *tracks = &scene->tracks;
	wl_ns *time = WL_NEW(&t->arena, wl_ns, tracks->n + 1);

	r->is_minor = WL_NEW(&t->arena, bool, tracks->n + 1);
	r->n_nvtx = WL_NEW(&t->arena, size_t, tracks->n + 1);
	if (!time || !r->is_minor || !r->n_nvtx)
		return false;
	for (size_t i = 0; i < tracks->n; i++) {
		const struct wl_lane *lane;
		wl_ns sums[WL_MAX_LANE_CATS] = { 0 };
		uint32_t gpu = tracks->at[i].parent;

		if (wl_holds(&tracks->at[i]) == WL_HOLDS_PROJECTIONS &&
		    !wl_row_is_apart(wl_row_kind(&tracks->at[i])) && gpu != WL_NONE)
			r->n_nvtx[gpu]++;
		/* Lanes of gaps may still be filled by the worker: they are not looked at. */
		if (wl_holds(&tracks->at[i]) != WL_HOLDS_OPS || gpu == WL_NONE)
			continue;
		lane = wl_scene_lane(scene, i);
		if (!lane)
			continue;
		time[i] = wl_lane_time(lane, tracks->extent.begin, tracks->extent.end, sums);
		time[gpu] = time[i] > time[gpu] ? time[i] : time[gpu];
	}
	for (size_t i = 0; i < tracks->n; i++)
		if (wl_holds(&tracks->at[i]) == WL_HOLDS_OPS && tracks->at[i].parent != WL_NONE)
			r->is_minor[i] = time[i] < time[tracks->at[i].parent] / 20;
	return true;
}

bool wl_timeline_rows_make(struct wl_timeline *t)
{
	const struct wl_tracks *tracks = tracks_of(t);
	struct wl_timeline_rows *r = WL_NEW(&t->arena, struct wl_timeline_rows, 1);

	t->rows.fold = WL_NEW(&t->arena, uint8_t, tracks->n + 1);
	if (!r || !t->rows.fold)
		return false;
	r->at = WL_NEW(&t->arena, struct wl_row, tracks->n + 1);
	if (!r->at || !sort_by_kind(t, r) || !find_calls(t, r) || !find_uses(t, r))
		return false;
	r->cpu = WL_NONE;
	for (size_t i = tracks->n; i-- > 0;)
		if (wl_holds(&tracks->at[i]) == WL_HOLDS_THREADS)
			r->cpu = (uint32_t)i;
	t->rows.list = r;
	return true;
}

uint32_t wl_timeline_cpu(const struct wl_timeline *t)
{
	return t->rows.list ? t->rows.list->cpu : WL_NONE;
}

size_t wl_timeline_n_nvtx(const struct wl_timeline *t, uint32_t gpu)
{
	return t->rows.list ? t->rows.list->n_nvtx[gpu] : 0;
}

static bool cpu_is_open(const struct wl_timeline *t)
{
	uint32_t cpu = t->rows.list->cpu;

	return cpu != WL_NONE && (t->rows.fold[cpu] & WL_OPENED) != 0;
}

static void add(struct wl_timeline_rows *r, uint32_t track, bool folded, bool heads)
{
	r->at[r->n++] = (struct wl_row){ .track = track, .folded = folded, .heads = heads };
}

/* Whether a row below a GPU or a process is of the set at all. */
static bool is_in_set(const struct wl_timeline *t, const struct wl_track *track)
{
	bool of_cpu = t->rows.set == WL_ROWS_CPU || t->rows.set == WL_ROWS_ALL || cpu_is_open(t);
	bool of_gpu = t->rows.set != WL_ROWS_CPU;
	const struct wl_row_kind *kind = wl_row_kind(track);

	if (wl_row_heads(kind) || track->n_events == 0)
		return false;
	if (kind->holds == WL_HOLDS_ITERATIONS)
		return t->rows.set == WL_ROWS_ALL;
	if (kind->holds == WL_HOLDS_LEVELS && !t->rows.counters && t->rows.set != WL_ROWS_ALL)
		return false;
	if (kind->family == WL_F_NVTX && (t->rows.logical || t->config.nvtx_depth == 0))
		return false;
	if (kind->holds == WL_HOLDS_OPS && t->rows.merged)
		return false;
	if (wl_row_is_apart(kind))
		return t->rows.set == WL_ROWS_ALL;
	if (kind->holds == WL_HOLDS_PATH)
		return true;
	return kind->of == WL_OF_DEVICE ? of_gpu : of_cpu;
}

/* A GPU or a process: returns whether its rows follow. */
static bool add_head(struct wl_timeline *t, struct wl_timeline_rows *r, uint32_t track)
{
	const struct wl_track *head = &tracks_of(t)->at[track];
	bool is_gpu = wl_holds(head) == WL_HOLDS_GPU_TIME;

	if ((t->rows.fold[track] & WL_HIDDEN) != 0 || (is_gpu && head->n_events == 0))
		return false;
	if (is_gpu && t->rows.set == WL_ROWS_CPU)
		return false;
	if (!is_gpu && t->rows.set == WL_ROWS_GPU && !cpu_is_open(t)) {
		if (track == r->cpu)
			add(r, track, true, true);
		return false;
	}
	if ((t->rows.fold[track] & WL_FOLDED) != 0) {
		add(r, track, true, true);
		return false;
	}
	if (is_gpu && t->rows.merged)
		add(r, track, false, true);
	return true;
}

/* What is left out of a group that is shown in short. */
static bool is_left_out(const struct wl_timeline *t, uint32_t head, uint32_t track)
{
	const struct wl_row_kind *kind = wl_row_kind(&tracks_of(t)->at[track]);

	if (head == WL_NONE || wl_holds(&tracks_of(t)->at[head]) != WL_HOLDS_GPU_TIME ||
	    (t->rows.fold[head] & WL_COMPACT) == 0)
		return false;
	return kind->holds == WL_HOLDS_PROJECTIONS || kind->family == WL_F_API ||
	       kind->holds == WL_HOLDS_ITERATIONS || kind->holds == WL_HOLDS_LEVELS ||
	       t->rows.list->is_minor[track];
}

static void add_groups(struct wl_timeline *t, struct wl_timeline_rows *r)
{
	const struct wl_tracks *tracks = tracks_of(t);
	uint32_t head = WL_NONE;
	bool open = true, headed = false;

	for (uint32_t i = 0; i < tracks->n; i++) {
		const struct wl_track *track = &tracks->at[i];
		uint32_t calls;

		if (wl_row_heads(wl_row_kind(track))) {
			size_t before = r->n;

			head = i;
			open = add_head(t, r, i);
			headed = r->n > before;
			continue;
		}
		if ((head != WL_NONE && track->parent != WL_NONE && !open) ||
		    (t->rows.fold[i] & WL_HIDDEN) != 0 || !is_in_set(t, track) ||
		    is_left_out(t, head, i))
			continue;
		calls = wl_holds(track) == WL_HOLDS_GAPS && head != WL_NONE ? r->calls_of[head]
									    : WL_NONE;
		if (calls != WL_NONE && t->rows.set == WL_ROWS_GPU && !cpu_is_open(t) &&
		    !is_left_out(t, head, calls) && (t->rows.fold[calls] & WL_HIDDEN) == 0) {
			add(r, calls, false, !headed);
			headed = true;
		}
		add(r, i, false, !headed);
		headed = true;
	}
}

/* All rows that hold such, of all GPUs. */
static void add_holding(struct wl_timeline *t, struct wl_timeline_rows *r, enum wl_holds holds)
{
	const struct wl_tracks *tracks = tracks_of(t);
	size_t n = holds == WL_HOLDS_OPS ? r->n_by_kind : tracks->n;

	for (size_t i = 0; i < n; i++) {
		uint32_t at = holds == WL_HOLDS_OPS ? r->by_kind[i] : (uint32_t)i;
		const struct wl_track *track = &tracks->at[at];
		bool hidden = (t->rows.fold[at] & WL_HIDDEN) != 0 ||
			      (track->parent != WL_NONE &&
			       (t->rows.fold[track->parent] & WL_HIDDEN) != 0);

		if (wl_holds(track) == holds && !hidden &&
		    (is_in_set(t, track) || (holds == WL_HOLDS_GPU_TIME && t->rows.merged)))
			add(r, at, false, true);
	}
}

const struct wl_row *wl_timeline_rows(struct wl_timeline *t, size_t *ret_n)
{
	struct wl_timeline_rows *r = t->rows.list;

	*ret_n = 0;
	if (!r)
		return NULL;
	r->n = 0;
	if (t->rows.set == WL_ROWS_BY_KIND) {
		add_holding(t, r, WL_HOLDS_GPU_TIME);
		add_holding(t, r, WL_HOLDS_OPS);
		add_holding(t, r, WL_HOLDS_GAPS);
		add_holding(t, r, WL_HOLDS_PROJECTIONS);
		add_holding(t, r, WL_HOLDS_LEVELS);
	} else {
		add_groups(t, r);
	}
	*ret_n = r->n;
	return r->at;
}

size_t wl_timeline_row_number(const struct wl_timeline *t, const struct wl_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (rows[i].track == t->view.track)
			return i;
	return 0;
}

/* Nothing is left to show: take back whatever hides rows. */
static void show_all(struct wl_timeline *t)
{
	wl_app_say(t->app, "there are no other rows");
	t->rows.logical = t->rows.merged = false;
	t->rows.set = WL_ROWS_ALL;
	if (t->config.nvtx_depth == 0)
		t->config.nvtx_depth = 1;
	for (size_t i = 0; i < tracks_of(t)->n; i++)
		t->rows.fold[i] &= (uint8_t)~WL_HIDDEN;
}

void wl_timeline_settle(struct wl_timeline *t)
{
	size_t n;
	const struct wl_row *rows = wl_timeline_rows(t, &n);
	uint32_t group, best = WL_NONE;

	if (n == 0) {
		show_all(t);
		rows = wl_timeline_rows(t, &n);
		assert(n > 0); /* or the timeline were not ready */
	}
	group = t->view.track == WL_NONE ? WL_NONE : wl_timeline_group(t, t->view.track);
	for (size_t i = 0; i < n; i++) {
		if (rows[i].track == t->view.track)
			return;
		if (best == WL_NONE && group != WL_NONE &&
		    wl_timeline_group(t, rows[i].track) == group)
			best = rows[i].track;
	}
	t->view.track = best != WL_NONE ? best : rows[0].track;
}

uint32_t wl_timeline_group(const struct wl_timeline *t, uint32_t track)
{
	const struct wl_tracks *tracks = tracks_of(t);
	uint32_t parent = tracks->at[track].parent;

	if (t->rows.set == WL_ROWS_GPU && t->rows.list->gpu_of[track] != WL_NONE && !cpu_is_open(t))
		return t->rows.list->gpu_of[track];
	while (parent != WL_NONE) {
		track = parent;
		parent = tracks->at[track].parent;
	}
	return track;
}

uint32_t wl_timeline_gpu(const struct wl_timeline *t, uint32_t track)
{
	const struct wl_tracks *tracks = tracks_of(t);
	const struct wl_track *of = track == WL_NONE ? NULL : &tracks->at[track];

	for (uint32_t i = 0; of && i < tracks->n; i++) {
		const struct wl_track *gpu = &tracks->at[i];

		if (wl_holds(gpu) != WL_HOLDS_GPU_TIME)
			continue;
		if (of->device != WL_NONE ? gpu->device == of->device
					  : of->process != WL_NONE && gpu->process == of->process)
			return i;
	}
	return WL_NONE;
}

void wl_timeline_select(struct wl_timeline *t, uint32_t track)
{
	const struct wl_row_kind *kind = wl_row_kind(&tracks_of(t)->at[track]);
	bool of_cpu = kind->of != WL_OF_DEVICE && !wl_row_heads(kind);
	size_t n;
	const struct wl_row *rows;
	uint32_t cpu = wl_timeline_cpu(t);

	t->view.track = track;
	rows = wl_timeline_rows(t, &n);
	if (n > 0 && rows[wl_timeline_row_number(t, rows, n)].track == track)
		return;
	for (uint32_t at = track; at != WL_NONE; at = tracks_of(t)->at[at].parent)
		t->rows.fold[at] &= (uint8_t) ~(WL_FOLDED | WL_HIDDEN | WL_COMPACT);
	if (of_cpu ? t->rows.set == WL_ROWS_BY_KIND : t->rows.set == WL_ROWS_CPU)
		t->rows.set = WL_ROWS_GPU;
	if (of_cpu && t->rows.set == WL_ROWS_GPU && cpu != WL_NONE)
		t->rows.fold[cpu] |= WL_OPENED;
	if (kind->holds == WL_HOLDS_OPS)
		t->rows.merged = false;
	if (kind->family == WL_F_NVTX)
		t->rows.logical = false;
	if (kind->holds == WL_HOLDS_LEVELS)
		t->rows.counters = true;
	wl_timeline_settle(t);
}
