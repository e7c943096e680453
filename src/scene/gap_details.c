/* SPDX-License-Identifier: MIT */
/* gap_details.c - gaps of a GPU, found by the lane of what it did, and why it waited. */
#include <stdio.h>

#include "derive/idle/idle.h"
#include "scene/details.h"

/* Nanoseconds. Stands in for 1% of a step where the trace has no steps. */
enum { DEFAULT_THRESHOLD = 100000 };

/* A gap has seldom more than a few parts; a hostile one is judged by its first ones. */
enum { MAX_PARTS = 1024 };

static const struct wl_lane *busy_lane(const struct wl_scene *scene, uint32_t device)
{
	uint32_t track = wl_track_of_device(&scene->tracks, WL_HOLDS_GPU_TIME, device);

	return track == WL_NONE ? NULL : wl_scene_lane(scene, track);
}

/* By kind, then row: how operations that start together on one stream are ordered. */
static bool is_earlier(enum wl_family_id family, uint32_t row, const struct wl_op_id *than)
{
	return family != than->family ? wl_kind_of_family(family) < wl_kind_of_family(than->family)
				      : row < than->row;
}

/*
 * Of the operations that start where the gap ends, the one on the lowest stream, then the
 * first. The same choice as in derive/idle, which takes this operation for the one that the gap
 * waited for: both must name the same launch.
 */
static struct wl_op_id op_after(const struct wl_scene *scene, uint32_t device, wl_ns end)
{
	struct wl_op_id best = WL_NO_OP;
	uint32_t lowest = 0;

	for (size_t t = 0; t < scene->tracks.n; t++) {
		const struct wl_track *track = &scene->tracks.at[t];

		if (wl_holds(track) != WL_HOLDS_OPS || track->device != device)
			continue;
		for (size_t k = 0; k < scene->lanes[t].n; k++) {
			const struct wl_lane *lane = &scene->lanes[t].lane[k];
			size_t i = wl_lane_from(lane, end);
			struct wl_track_event e;
			uint32_t stream;

			if (i == lane->n || lane->start[i] != end)
				continue;
			e = wl_track_event_of(&scene->tracks, t, lane->ref[i]);
			stream = scene->trace
					 ->places[wl_trace_ops(scene->trace, e.family).place[e.row]]
					 .stream;
			if (best.family == WL_N_FAMILIES || stream < lowest ||
			    (stream == lowest && is_earlier(e.family, e.row, &best))) {
				best = (struct wl_op_id){ e.family, e.row };
				lowest = stream;
			}
		}
	}
	return best;
}

/* The longest part of the cause has the detail. */
static const char *detail_of(const struct wl_scene *scene, uint32_t track,
			     const struct wl_lane *lane, const struct wl_gap_details *gap)
{
	size_t first = wl_lane_from(lane, gap->begin);
	const char *detail = NULL;
	wl_ns longest = -1;

	for (size_t i = first; i < lane->n && lane->start[i] < gap->end && i - first < MAX_PARTS;
	     i++) {
		wl_ns length = wl_lane_end(lane, i) - lane->start[i];

		if (lane->cat[i] != WL_GAP_OF_CAUSE + gap->cause || length <= longest)
			continue;
		longest = length;
		detail = wl_track_event_of(&scene->tracks, track, lane->ref[i]).detail;
	}
	return detail;
}

/* The call that launched what ended the gap: its thread is the one to look at. WL_NONE for none. */
static uint32_t call_of(const struct wl_scene *scene, const struct wl_gap_details *gap)
{
	return gap->after.family == WL_N_FAMILIES
		       ? WL_NONE
		       : wl_link_of(scene->tracks.links, wl_kind_of_family(gap->after.family),
				    gap->after.row);
}

static void find_opener(const struct wl_scene *scene, struct wl_gap_details *gap)
{
	struct wl_gap g = { .begin = gap->begin, .end = gap->end, .call = call_of(scene, gap) };

	if (gap->after.family == WL_N_FAMILIES)
		return;
	wl_idle_find_opener(scene->tracks.idle, &g);
	gap->opener = g.opener;
	gap->opened_by = wl_gap_opened_by(scene->trace, &g);
	gap->opened_in = g.opener_range;
}

bool wl_gap_functions_init(struct wl_gap_functions *g, const struct wl_scene *scene,
			   struct wl_budget *budget)
{
	g->scene = scene;
	wl_arena_init_on(&g->arena, budget);
	return wl_gap_stacks_init(&g->stacks, scene->trace, scene->thread_stacks,
				  scene->stack_names, &g->arena);
}

void wl_gap_functions_release(struct wl_gap_functions *g)
{
	wl_gap_stacks_release(&g->stacks);
	wl_arena_release(&g->arena);
}

/* Of all parts, so that the choice is that of gaps --stacks. */
struct wl_top_function wl_gap_functions_top(struct wl_gap_functions *g,
					    const struct wl_gap_details *gap)
{
	const struct wl_scene *scene = g->scene;
	uint32_t track = wl_track_of_device(&scene->tracks, WL_HOLDS_GAPS, gap->device);
	const struct wl_lane *lane = NULL;
	const struct wl_gap of = { .begin = gap->begin,
				   .end = gap->end,
				   .call = call_of(scene, gap) };
	const struct wl_interval window = { gap->begin, gap->end };

	if (track != WL_NONE && wl_has_causes(scene) && scene->stack_names)
		lane = wl_scene_lane(scene, track);
	if (!lane)
		return (struct wl_top_function){ .function = WL_NONE };
	for (size_t i = wl_lane_from(lane, gap->begin); i < lane->n && lane->start[i] < gap->end;
	     i++) {
		const struct wl_gap_part part = {
			.begin = lane->start[i],
			.end = wl_lane_end(lane, i),
			.cause = (enum wl_cause)(lane->cat[i] - WL_GAP_OF_CAUSE),
		};

		if (lane->cat[i] >= WL_GAP_OF_CAUSE)
			wl_gap_stacks_add(&g->stacks, &of, &part, window);
	}
	return wl_function_tally_take(&g->stacks.tally);
}

bool wl_gap_function_of(const struct wl_scene *scene, const struct wl_gap_details *gap,
			struct wl_gap_function *ret)
{
	struct wl_top_function top = { .function = WL_NONE };
	const char *name = NULL, *under = NULL;
	struct wl_gap_functions g;

	if (!scene->stack_names)
		return false;
	if (wl_gap_functions_init(&g, scene, NULL))
		top = wl_gap_functions_top(&g, gap);
	if (!g.stacks.tally.added.failed && top.function != WL_NONE &&
	    wl_top_labels(scene->trace, &top, &g.arena, &name, &under)) {
		(void)snprintf(ret->name, sizeof(ret->name), "%s", name);
		(void)snprintf(ret->under, sizeof(ret->under), "%s", under ? under : "");
		ret->time = top.time;
	} else {
		name = NULL;
	}
	wl_gap_functions_release(&g);
	return name != NULL;
}

/* The other details, from begin and end. */
static void look_into(const struct wl_scene *scene, struct wl_gap_details *gap)
{
	uint32_t track = wl_track_of_device(&scene->tracks, WL_HOLDS_GAPS, gap->device);
	const struct wl_lane *lane = NULL;
	wl_ns sum[WL_MAX_LANE_CATS] = { 0 }, most = -1;

	gap->after = op_after(scene, gap->device, gap->end);
	gap->opener = WL_NONE;
	gap->cause = WL_N_CAUSES;
	gap->detail = NULL;
	if (track != WL_NONE && wl_has_causes(scene))
		lane = wl_scene_lane(scene, track);
	if (!lane)
		return;
	(void)wl_lane_time(lane, gap->begin, gap->end, sum);
	/*
	 * UNUSED is left out: a gap lies between two operations. The first of equal causes in the
	 * order of the enum wins.
	 */
	for (int c = 0; c <= WL_CAUSE_HOST; c++) {
		if (sum[WL_GAP_OF_CAUSE + c] <= most)
			continue;
		most = sum[WL_GAP_OF_CAUSE + c];
		gap->cause = (enum wl_cause)c;
	}
	gap->detail = detail_of(scene, track, lane, gap);
	find_opener(scene, gap);
}

bool wl_gap_at(const struct wl_scene *scene, uint32_t device, wl_ns t, struct wl_gap_details *ret)
{
	const struct wl_lane *lane = busy_lane(scene, device);
	size_t next;

	if (!lane)
		return false;
	next = wl_lane_from(lane, t);
	/*
	 * Intervals are half open: an event that starts at t makes the device busy there, one that
	 * ends at t does not.
	 */
	if (next < lane->n && lane->start[next] == t)
		return false;
	if (next == 0 || next == lane->n || wl_lane_end(lane, next - 1) > t)
		return false;
	*ret = (struct wl_gap_details){ .device = device,
					.begin = wl_lane_end(lane, next - 1),
					.end = lane->start[next] };
	look_into(scene, ret);
	return true;
}

bool wl_gap_is_outside(const struct wl_scene *scene, uint32_t device, wl_ns t)
{
	const struct wl_lane *lane = busy_lane(scene, device);

	return !lane || lane->n == 0 || t < lane->start[0] || t >= wl_lane_end(lane, lane->n - 1);
}

enum way { FORWARD, BACKWARD };

/* A gap is looked for from t on, and is at least so long. */
struct seeking {
	wl_ns t, min;
	enum way way;
};

/* Begin and end of the nearest gap of one device. */
static bool nearest(const struct wl_scene *scene, uint32_t device, const struct seeking *s,
		    struct wl_gap_details *ret)
{
	bool forward = s->way == FORWARD;
	const struct wl_lane *lane = busy_lane(scene, device);
	size_t i = lane ? wl_lane_from(lane, s->t) : 0;

	if (!lane || lane->n == 0)
		return false;
	/* Gap i lies before event i. One that begins after t ends at event i or later. */
	i = i < lane->n ? i : lane->n - 1;
	i = i == 0 && forward ? 1 : i;
	for (; i > 0 && i < lane->n; i += forward ? 1 : (size_t)-1) {
		wl_ns begin = wl_lane_end(lane, i - 1), end = lane->start[i];

		/*
		 * Events of the GPU row touch where only the class changes, which is no gap even if
		 * min is 0.
		 */
		if (end - begin < s->min || end == begin ||
		    (forward ? begin <= s->t : begin >= s->t))
			continue;
		*ret = (struct wl_gap_details){ .device = device, .begin = begin, .end = end };
		return true;
	}
	return false;
}

static bool nearest_of(const struct wl_scene *scene, uint32_t device, const struct seeking *s,
		       struct wl_gap_details *ret)
{
	struct wl_gap_details gap;
	bool found = false;

	for (size_t i = 0; i < scene->tracks.n; i++) {
		const struct wl_track *track = &scene->tracks.at[i];

		if (wl_holds(track) != WL_HOLDS_GPU_TIME ||
		    (device != WL_NONE && track->device != device) ||
		    !nearest(scene, track->device, s, &gap))
			continue;
		/*
		 * Rows are in the order of devices, so the strict comparison leaves the lowest
		 * device in front.
		 */
		if (!found || (s->way == FORWARD ? gap.begin < ret->begin : gap.begin > ret->begin))
			*ret = gap;
		found = true;
	}
	if (found)
		look_into(scene, ret);
	return found;
}

bool wl_gap_next(const struct wl_scene *scene, uint32_t device, wl_ns t, wl_ns min,
		 struct wl_gap_details *ret)
{
	return nearest_of(scene, device, &(struct seeking){ t, min, FORWARD }, ret);
}

bool wl_gap_before(const struct wl_scene *scene, uint32_t device, wl_ns t, wl_ns min,
		   struct wl_gap_details *ret)
{
	return nearest_of(scene, device, &(struct seeking){ t, min, BACKWARD }, ret);
}

wl_ns wl_gap_threshold(const struct wl_scene *scene, uint32_t device)
{
	const struct wl_process_iters *iters = NULL;

	if (device != WL_NONE)
		iters = wl_device_iters(scene, device);
	for (size_t i = 0; device == WL_NONE && !iters && i < scene->tracks.n; i++) {
		if (wl_holds(&scene->tracks.at[i]) == WL_HOLDS_GPU_TIME)
			iters = wl_device_iters(scene, scene->tracks.at[i].device);
	}
	/* Rounded up, so that the threshold of a tiny step is not 0. */
	return iters && iters->median > 0 ? (iters->median + 99) / 100 : DEFAULT_THRESHOLD;
}

const char *wl_cause_words(enum wl_cause cause)
{
	static const char *const words[WL_N_CAUSES] = {
		[WL_CAUSE_MANAGED] = "the process waited for pages of managed memory",
		[WL_CAUSE_UNKNOWN] = "the launch of what came next is not known",
		[WL_CAUSE_PROFILER] = "the profiler's own work held the launching thread",
		[WL_CAUSE_CALLBACK] = "a stream waited for a function of the host",
		[WL_CAUSE_DISPATCH] = "the usual time between two operations that were queued",
		[WL_CAUSE_DEPENDENCY] =
			"the next operation was queued and waited for another stream or an event",
		[WL_CAUSE_LAUNCH] = "the next operation was being launched",
		[WL_CAUSE_LATENCY] = "the launch was on its way to the GPU",
		[WL_CAUSE_SYNC] = "the launching thread waited in a blocking call",
		[WL_CAUSE_MPI] = "the launching thread was in an MPI call",
		[WL_CAUSE_ALLOC] = "the launching thread allocated or freed memory",
		[WL_CAUSE_LOAD] = "the launching thread loaded or compiled a module",
		[WL_CAUSE_API] = "the launching thread was in another CUDA call",
		[WL_CAUSE_OS] = "the launching thread was in a call of the operating system",
		[WL_CAUSE_HOST] = "the launching thread ran host code",
		[WL_CAUSE_UNUSED] = "before the first or after the last operation of the GPU",
	};

	return cause < WL_N_CAUSES ? words[cause] : "the causes are being found";
}
