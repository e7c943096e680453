/* SPDX-License-Identifier: MIT */
/* timeline_goto.c - going to a time, an iteration, an event that the user names. */
#include "analysis/words/step_words.h"
#include "tui/timeline/timeline.h"

#include <stdlib.h>

#include "base/text/pattern.h"
#include "base/text/units.h"
#include "scene/details.h"

/* Show an event in the middle, at the zoom there is. */
static void show_at(struct wl_timeline *t, uint32_t track, wl_ns at)
{
	wl_ns span = t->view.end - t->view.begin;

	wl_timeline_jump(t, track, at, at - span / 2, at - span / 2 + span);
}

static int go_iteration(struct wl_timeline *t, const char *text, struct wl_err *reterr)
{
	const struct wl_process_iters *iters = wl_timeline_iters(t, t->view.track);
	int64_t number;
	int status = wl_parse_i64(text, &number, reterr);

	if (status != WL_OK)
		return status;
	if (!iters)
		return wl_fail(reterr, WL_E_NODATA, "%s", wl_no_iterations);
	if (number < 0 || (uint64_t)number >= iters->n)
		return wl_fail(reterr, WL_E_NODATA, "no iteration %lld: there are 0 to %zu",
			       (long long)number, iters->n - 1);
	wl_timeline_jump(t, WL_NONE, iters->at[number].tile.begin, iters->at[number].tile.begin,
			 iters->at[number].tile.end);
	return WL_OK;
}

static int go_correlation(struct wl_timeline *t, const char *text, struct wl_err *reterr)
{
	const struct wl_tracks *tracks = &wl_timeline_scene(t)->tracks;
	int64_t id;
	int status = wl_parse_i64(text, &id, reterr);

	if (status != WL_OK)
		return status;
	for (int kind = 0; kind < WL_N_OP_FAMILIES; kind++) {
		struct wl_ops ops = wl_trace_ops(tracks->trace, wl_op_families[kind]);

		for (size_t i = 0; ops.corr && i < ops.n; i++) {
			uint32_t track;

			if (ops.corr[i] != (uint32_t)id || id < 0)
				continue;
			track = wl_track_of_place(tracks, ops.place[i]);
			if (track == WL_NONE)
				continue;
			show_at(t, track, ops.start[i]);
			return WL_OK;
		}
	}
	return wl_fail(reterr, WL_E_NODATA, "no operation with correlation %s", text);
}

static int go_part(struct wl_timeline *t, const char *text, struct wl_err *reterr)
{
	struct wl_interval extent = wl_timeline_scene(t)->tracks.extent;
	double percent;
	int status = wl_parse_real(text, &percent, reterr);

	if (status != WL_OK)
		return status;
	if (!(percent >= 0 && percent <= 100))
		return wl_fail(reterr, WL_E_USAGE, "%%%s is not within 0 and 100", text);
	show_at(t, WL_NONE,
		extent.begin + (wl_ns)((double)(extent.end - extent.begin) * percent / 100));
	return WL_OK;
}

static int go_time(struct wl_timeline *t, const char *text, wl_ns origin, struct wl_err *reterr)
{
	struct wl_interval extent = wl_timeline_scene(t)->tracks.extent;
	char begin[WL_UNITS_BUF], end[WL_UNITS_BUF];
	wl_ns at;
	int status = wl_parse_ns_with_unit(text, &at, reterr);

	if (status != WL_OK)
		return status;
	if (at > WL_TIME_MAX || at < -WL_TIME_MAX || origin + at < extent.begin ||
	    origin + at > extent.end)
		return wl_fail(reterr, WL_E_NODATA, "%s is not in the trace, from %s to %s", text,
			       wl_fmt_time(begin, extent.begin - origin, WL_UNIT_AUTO),
			       wl_fmt_time(end, extent.end - origin, WL_UNIT_AUTO));
	show_at(t, WL_NONE, origin + at);
	return WL_OK;
}

/* The first kernel after the cursor, else of all, whose name matches. */
struct found {
	uint32_t track;
	wl_ns at;
};

static void offer(const struct wl_timeline *t, struct found *best, uint32_t track, wl_ns at)
{
	bool later = at > t->view.cursor, was_later = best->at > t->view.cursor;

	if (track == WL_NONE)
		return;
	if (best->track == WL_NONE || (later != was_later ? later : at < best->at))
		*best = (struct found){ track, at };
}

static struct found find_kernel(struct wl_timeline *t, const struct wl_pattern *pattern)
{
	const struct wl_tracks *tracks = &wl_timeline_scene(t)->tracks;
	const struct wl_trace *trace = tracks->trace;
	struct found best = { WL_NONE, 0 };
	struct wl_ops ops = wl_trace_ops(trace, WL_F_KERNELS);
	const uint32_t *name = wl_kernels_name(trace);
	bool *is_on = calloc(trace->n_kernel_names + 1, sizeof(*is_on));

	for (size_t i = 0; is_on && i < trace->n_kernel_names; i++)
		is_on[i] = wl_pattern_matches(pattern,
					      wl_str(trace, trace->kernel_names[i].demangled));
	for (size_t i = 0; is_on && name && i < ops.n; i++)
		if (name[i] != WL_NONE && is_on[name[i]])
			offer(t, &best, wl_track_of_place(tracks, ops.place[i]), ops.start[i]);
	free(is_on);
	return best;
}

static struct found find_range(struct wl_timeline *t, const struct wl_pattern *pattern)
{
	const struct wl_tracks *tracks = &wl_timeline_scene(t)->tracks;
	const struct wl_trace *trace = tracks->trace;
	struct found best = { WL_NONE, 0 };
	const wl_ns *start = wl_nvtx_start(trace);
	const uint32_t *name = wl_nvtx_name(trace), *thread = wl_nvtx_thread(trace);
	/* By string: 1 matches, 2 does not. Many ranges have few texts. */
	uint8_t *known = calloc(trace->strings.n + 1, 1);

	for (size_t i = 0; known && start && name && thread && i < trace->family[WL_F_NVTX].n;
	     i++) {
		if (name[i] == WL_NONE || thread[i] == WL_NONE)
			continue;
		if (known[name[i]] == 0)
			known[name[i]] =
				wl_pattern_matches(pattern, wl_str(trace, name[i])) ? 1 : 2;
		if (known[name[i]] == 1)
			offer(t, &best, wl_track_of_thread(tracks, WL_F_NVTX, thread[i]), start[i]);
	}
	free(known);
	return best;
}

static int go_name(struct wl_timeline *t, const char *text, struct wl_err *reterr)
{
	struct wl_pattern pattern = { 0 };
	int status = wl_pattern_init(&pattern, text, reterr);
	struct found found;

	if (status == WL_OK) {
		found = find_kernel(t, &pattern);
		if (found.track == WL_NONE)
			found = find_range(t, &pattern);
		if (found.track != WL_NONE)
			show_at(t, found.track, found.at);
		else
			status = wl_fail(reterr, WL_E_NODATA,
					 "no kernel and no range has \"%s\" in its name", text);
	}
	wl_pattern_release(&pattern);
	return status;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int go_from(struct wl_timeline *t, const char *where, wl_ns origin, struct wl_err *reterr)
{
	while (*where == ' ')
		where++;
	if (!wl_timeline_is_ready(t))
		return wl_fail(reterr, WL_E_NODATA, "there are no rows to go to");
	if (where[0] == 'i' && is_digit(where[1]))
		return go_iteration(t, where + 1, reterr);
	if (where[0] == '#')
		return go_correlation(t, where + 1, reterr);
	if (where[0] == '%')
		return go_part(t, where + 1, reterr);
	if (where[0] == '+' || (where[0] == '-' && (is_digit(where[1]) || where[1] == '.')))
		return go_time(t, where, t->view.cursor, reterr);
	if (is_digit(where[0]) || where[0] == '.')
		return go_time(t, where, origin, reterr);
	return go_name(t, where, reterr);
}

int wl_timeline_goto(struct wl_timeline *t, const char *where, struct wl_err *reterr)
{
	return go_from(t, where, 0, reterr);
}

static void done(void *ctx, const char *text)
{
	struct wl_timeline *t = ctx;
	struct wl_err err;

	if (text && *text && go_from(t, text, wl_timeline_origin(t), &err) != WL_OK)
		wl_app_say(t->app, "%s", err.msg);
}

static void ask(struct wl_timeline *t)
{
	wl_app_prompt(t->app,
		      &(struct wl_prompt_opts){ .label = "go to (39.4s +5ms i12 #corr %50 name): ",
						.text = "",
						.done = done,
						.ctx = t });
}

/* The range of the event under the cursor: itself, or the innermost around its launch. */
static uint32_t range_of(struct wl_timeline *t, const struct wl_pick *pick)
{
	const struct wl_scene *scene = wl_timeline_scene(t);
	struct wl_op_details op;
	uint32_t node = WL_NONE;
	bool is_bridged;

	if (pick->event.family == WL_F_NVTX)
		return pick->event.row;
	if (pick->event.family == WL_F_API)
		node = wl_node_of_call(scene, pick->event.row, &is_bridged);
	if (wl_is_op(pick->event.family)) {
		struct wl_op_id id = { pick->event.family, pick->event.row };

		wl_op_details_of(scene, id, pick->cat, &op);
		node = op.node;
	}
	return node == WL_NONE ? WL_NONE : scene->forest->row[node];
}

static void to_tree(struct wl_timeline *t)
{
	struct wl_view_place to = { .track = t->view.track,
				    .at = t->view.cursor,
				    .begin = t->view.begin,
				    .end = t->view.end };
	struct wl_pick pick;

	to.nvtx_row = wl_timeline_pick(t, &pick) ? range_of(t, &pick) : WL_NONE;
	wl_app_lead(t->app, WL_VIEW_TREE, &to);
}

static void change_clock(struct wl_timeline *t)
{
	static const char *const words[] = {
		[WL_CLOCK_RELATIVE] = "times since the first GPU operation",
		[WL_CLOCK_ABSOLUTE] = "times on the trace clock, as --window takes them",
		[WL_CLOCK_ITERATION] = "times since the start of the iteration",
	};

	t->view.clock = (enum wl_clock_style)((t->view.clock + 1) % WL_N_CLOCK_STYLES);
	if (t->view.clock == WL_CLOCK_ITERATION && !wl_timeline_iters(t, t->view.track))
		t->view.clock = WL_CLOCK_RELATIVE;
	wl_app_say(t->app, "%s", words[t->view.clock]);
}

static const struct wl_timeline_act acts[] = {
	{ WL_ACT_GOTO, .act = ask },
	{ WL_ACT_CLOCK, .act = change_clock },
	{ WL_ACT_TO_TREE, .act = to_tree },
};

const struct wl_timeline_part wl_timeline_going = { .acts = acts, .n_acts = WL_COUNT(acts) };
