/* SPDX-License-Identifier: MIT */
#include "scene/details.h"

#include <stdio.h>
#include <string.h>

#include "derive/kinds/classes.h"
#include "derive/nvtx/forest.h"
#include "known/palette.h"

struct wl_interval wl_op_time(const struct wl_scene *scene, struct wl_op_id id)
{
	struct wl_ops ops = wl_trace_ops(scene->trace, id.family);
	wl_ns start = ops.start[id.row];

	return (struct wl_interval){ start, start + wl_dur(ops.family, ops.dur, id.row) };
}

/*
 * The GPU row has one class at each moment, and compute comes before communication, which comes
 * before copies. Time that it shows as communication or copy is therefore exposed.
 */
wl_ns wl_exposed_in(const struct wl_scene *scene, uint32_t device, enum wl_class cls, wl_ns begin,
		    wl_ns end)
{
	uint32_t track = wl_track_of_device(&scene->tracks, WL_HOLDS_GPU_TIME, device);
	const struct wl_lane *lane = track == WL_NONE ? NULL : wl_scene_lane(scene, track);
	wl_ns sum[WL_MAX_LANE_CATS] = { 0 };

	if (lane)
		(void)wl_lane_time(lane, begin, end, sum);
	return sum[cls];
}

uint32_t wl_node_of_call(const struct wl_scene *scene, uint32_t call, bool *ret_bridged)
{
	const struct wl_forest *f = scene->forest;
	uint32_t node;

	*ret_bridged = false;
	if (call == WL_NONE || !f || !f->of_call)
		return WL_NONE;
	/*
	 * A range of the launching thread comes first. One of the anchor thread stands in only
	 * where that thread had none open.
	 */
	node = f->of_call[call];
	if (node == WL_NONE && f->above) {
		node = f->above[call];
		*ret_bridged = node != WL_NONE;
	}
	return node;
}

uint32_t wl_node_of_row(const struct wl_scene *scene, uint32_t nvtx_row)
{
	const struct wl_forest *f = scene->forest;
	wl_ns start = wl_nvtx_start(scene->trace)[nvtx_row];
	uint32_t thread = wl_nvtx_thread(scene->trace)[nvtx_row];
	size_t lo, hi, end;

	if (!f || f->n == 0 || thread == WL_NONE)
		return WL_NONE;
	lo = f->nodes[thread].lo;
	hi = end = f->nodes[thread].hi;
	/* Nodes of a thread are sorted by start. Ranges that start together differ in their row. */
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (f->start[mid] < start)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < end && f->start[lo] == start; lo++) {
		if (f->row[lo] == nvtx_row)
			return (uint32_t)lo;
	}
	return WL_NONE;
}

static const char separator[] = " \u203a ", cut[] = "\u2026 \u203a ";

const char *wl_node_path(const struct wl_scene *scene, uint32_t node, size_t most, char *buf,
			 size_t size)
{
	const struct wl_forest *f = scene->forest;
	size_t at = size - 1; /* written from the end: the innermost names are those that count */

	buf[at] = '\0';
	for (size_t i = 0; node != WL_NONE; node = f->parent[node], i++) {
		const char *name = scene->range_names->name[f->name[node]].exact;
		size_t n = strlen(name), n_sep = buf[at] ? strlen(separator) : 0;

		/*
		 * Room for the mark of a cut is kept at every step, so it fits whenever it is
		 * needed. Only an innermost name that does not fit by itself is cut at its end.
		 */
		if ((most && i == most) || n + n_sep + strlen(cut) > at) {
			if (!buf[at]) {
				(void)snprintf(buf, size, "%s", name);
				return buf;
			}
			at -= strlen(cut);
			memcpy(buf + at, cut, strlen(cut));
			break;
		}
		at -= n_sep;
		memcpy(buf + at, separator, n_sep);
		at -= n;
		memcpy(buf + at, name, n);
	}
	memmove(buf, buf + at, size - at);
	return buf;
}

static void add_launch(const struct wl_scene *scene, struct wl_op_details *f)
{
	const struct wl_trace *t = scene->trace;
	wl_ns start, end;

	f->call = wl_link_of(scene->links, wl_kind_of_family(f->id.family), f->id.row);
	f->queue = WL_NO_TIME;
	f->node = wl_node_of_call(scene, f->call, &f->is_bridged);
	if (f->call == WL_NONE)
		return;
	start = wl_api_start(t)[f->call];
	end = start + wl_dur(&t->family[WL_F_API], wl_api_dur(t), f->call);
	f->lead = f->start - start;
	/* An operation that starts before its call returns was not queued. */
	if (f->start >= end)
		f->queue = f->start - end;
}

static void add_own(const struct wl_scene *scene, struct wl_op_details *f)
{
	const struct wl_trace *t = scene->trace;

	f->bytes = -1;
	f->graph_node = WL_NO_U64;
	if (f->id.family == WL_F_KERNELS) {
		uint32_t config = wl_kernels_config(t) ? wl_kernels_config(t)[f->id.row] : WL_NONE;

		if (config != WL_NONE)
			f->config = &t->configs[config];
		if (wl_kernels_node(t))
			f->graph_node = wl_kernels_node(t)[f->id.row];
		if (wl_has_causes(scene))
			f->same = &scene->of_name[wl_kernels_name(t)[f->id.row]];
	} else if (f->id.family == WL_F_MEMCPYS && wl_memcpys_bytes(t)) {
		f->bytes = wl_memcpys_bytes(t)[f->id.row];
	} else if (f->id.family == WL_F_MEMSETS && wl_memsets_bytes(t)) {
		f->bytes = wl_memsets_bytes(t)[f->id.row];
	}
}

void wl_op_details_of(const struct wl_scene *scene, struct wl_op_id id, uint8_t cat,
		      struct wl_op_details *ret)
{
	struct wl_ops ops = wl_trace_ops(scene->trace, id.family);
	struct wl_interval at = wl_op_time(scene, id);
	uint32_t device = scene->trace->places[ops.place[id.row]].device;

	*ret = (struct wl_op_details){ .id = id,
				       .place = ops.place[id.row],
				       .start = at.begin,
				       .end = at.end,
				       .corr = ops.corr ? ops.corr[id.row] : 0,
				       .exposed = WL_NO_TIME };
	add_launch(scene, ret);
	add_own(scene, ret);
	if (cat == WL_COLOUR_COMM)
		ret->exposed = wl_exposed_in(scene, device, WL_COMM, at.begin, at.end);
	else if (id.family == WL_F_MEMCPYS && !wl_copy_is_local(scene->trace, id.row))
		ret->exposed = wl_exposed_in(scene, device, WL_COPY, at.begin, at.end);
}

/*
 * Keep the first ones by start; the families are looked at one after the other. Rows of a
 * family are in the order of their starts, so most operations are appended; no insertion moves
 * more than WL_MAX_LAUNCHED of them.
 */
static void keep(const struct wl_scene *scene, struct wl_launched *l, struct wl_op_id id)
{
	struct wl_interval at = wl_op_time(scene, id);
	size_t n = l->n < WL_MAX_LAUNCHED ? l->n : WL_MAX_LAUNCHED, i = n;

	if (l->n == 0 || at.begin < l->span.begin)
		l->span.begin = at.begin;
	if (l->n == 0 || at.end > l->span.end)
		l->span.end = at.end;
	l->n++;
	while (i > 0 && wl_op_time(scene, l->op[i - 1]).begin > at.begin)
		i--;
	if (i == WL_MAX_LAUNCHED)
		return;
	n = n < WL_MAX_LAUNCHED ? n : WL_MAX_LAUNCHED - 1;
	memmove(&l->op[i + 1], &l->op[i], (n - i) * sizeof(l->op[0]));
	l->op[i] = id;
}

void wl_launched_by(const struct wl_scene *scene, uint32_t call, struct wl_launched *ret)
{
	const struct wl_launches *all = &scene->launches;

	ret->n = 0;
	ret->span = (struct wl_interval){ 0, 0 };
	for (size_t i = all->first[call]; i < all->first[call + 1]; i++) {
		struct wl_op_id id;

		id.family = wl_launches_op(scene->trace, all->op[i], &id.row);
		keep(scene, ret, id);
	}
}

/* Widen a link by the event of a row with this ref, if there is one. */
static void add_projection(const struct wl_scene *scene, size_t track, uint32_t ref,
			   struct wl_link *to)
{
	const struct wl_lanes *lanes = &scene->lanes[track];

	for (size_t k = 0; k < lanes->n; k++) {
		const struct wl_lane *lane = &lanes->lane[k];
		size_t e = 0;

		while (e < lane->n && lane->ref[e] != ref)
			e++;
		if (e == lane->n)
			continue;
		if (to->track == WL_NONE || wl_lane_end(lane, e) > to->end)
			to->end = wl_lane_end(lane, e);
		if (to->track == WL_NONE || lane->start[e] < to->begin) {
			to->begin = lane->start[e];
			to->track = (uint32_t)track;
		}
	}
}

bool wl_projection_of(const struct wl_scene *scene, uint32_t nvtx_row, struct wl_link *ret)
{
	uint32_t thread = wl_nvtx_thread(scene->trace)[nvtx_row];
	uint32_t ref = wl_track_ref(WL_F_NVTX, nvtx_row);
	struct wl_link to = { .track = WL_NONE };

	/* Kinds come in their order: compute before communication and copies. */
	for (size_t k = 0; k < WL_N_TRACK_KINDS && to.track == WL_NONE; k++) {
		for (size_t i = 0; i < scene->tracks.n; i++) {
			const struct wl_track *track = &scene->tracks.at[i];

			if ((size_t)track->kind == k && wl_holds(track) == WL_HOLDS_PROJECTIONS &&
			    track->thread == thread)
				add_projection(scene, i, ref, &to);
		}
	}
	if (to.track == WL_NONE)
		return false;
	*ret = to;
	return true;
}

size_t wl_projections_of(const struct wl_scene *scene, uint32_t nvtx_row, struct wl_link *ret,
			 size_t n)
{
	uint32_t thread = wl_nvtx_thread(scene->trace)[nvtx_row];
	uint32_t ref = wl_track_ref(WL_F_NVTX, nvtx_row);
	size_t found = 0;

	for (size_t i = 0; i < scene->tracks.n && found < n; i++) {
		const struct wl_track *track = &scene->tracks.at[i];

		if (wl_holds(track) != WL_HOLDS_PROJECTIONS || track->thread != thread)
			continue;
		ret[found] = (struct wl_link){ .track = WL_NONE };
		add_projection(scene, i, ref, &ret[found]);
		found += ret[found].track != WL_NONE;
	}
	return found;
}

static struct wl_op_id op_of(const struct wl_scene *scene, size_t track, const struct wl_lane *lane,
			     size_t i)
{
	struct wl_track_event e = wl_track_event_of(&scene->tracks, track, lane->ref[i]);

	return (struct wl_op_id){ e.family, e.row };
}

/* A search per lane. Of the lanes the latest start wins, and the first lane of equal ones. */
struct wl_op_id wl_op_before(const struct wl_scene *scene, const struct wl_op_details *op)
{
	uint32_t track = wl_track_of_place(&scene->tracks, op->place);
	struct wl_op_id best = WL_NO_OP;
	wl_ns start = 0;

	for (size_t k = 0; track != WL_NONE && k < scene->lanes[track].n; k++) {
		const struct wl_lane *lane = &scene->lanes[track].lane[k];
		size_t i = wl_lane_from(lane, op->start);

		if (i == 0 || (best.family != WL_N_FAMILIES && lane->start[i - 1] <= start))
			continue;
		start = lane->start[i - 1];
		best = op_of(scene, track, lane, i - 1);
	}
	return best;
}

/* The last event of a lane that ends at t or before, counted from 1; 0 for none. */
static size_t ended_by(const struct wl_lane *lane, wl_ns t)
{
	size_t i = wl_lane_from(lane, t);

	return i > 0 && wl_lane_end(lane, i - 1) > t ? i - 1 : i;
}

struct wl_op_id wl_op_waited_for(const struct wl_scene *scene, const struct wl_op_details *op)
{
	uint32_t own = wl_track_of_place(&scene->tracks, op->place);
	uint32_t device = scene->trace->places[op->place].device;
	struct wl_op_id best = WL_NO_OP;
	wl_ns end = 0;

	for (size_t t = 0; t < scene->tracks.n; t++) {
		const struct wl_track *track = &scene->tracks.at[t];

		/* The own stream is left out: its order needs no event to wait for. */
		if (wl_holds(track) != WL_HOLDS_OPS || track->device != device || t == own)
			continue;
		for (size_t k = 0; k < scene->lanes[t].n; k++) {
			const struct wl_lane *lane = &scene->lanes[t].lane[k];
			size_t i = ended_by(lane, op->start);

			if (i == 0 ||
			    (best.family != WL_N_FAMILIES && wl_lane_end(lane, i - 1) <= end))
				continue;
			end = wl_lane_end(lane, i - 1);
			best = op_of(scene, t, lane, i - 1);
		}
	}
	return best;
}

uint32_t wl_iteration_begun(const struct wl_process_iters *iters, wl_ns t)
{
	size_t lo = 0, hi = iters->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (iters->at[mid].tile.begin <= t)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo > 0 ? (uint32_t)(lo - 1) : WL_NONE;
}

const char *wl_brief_ns(char buf[WL_UNITS_BUF], wl_ns ns)
{
	char *blank;

	(void)wl_fmt_ns(buf, ns, WL_UNIT_AUTO);
	blank = strchr(buf, ' ');
	if (blank)
		memmove(blank, blank + 1, strlen(blank));
	return buf;
}

const char *wl_short_ns(char buf[WL_UNITS_BUF], wl_ns ns)
{
	wl_ns step = 1;

	/*
	 * Three digits are kept. |ns| is at most 2^62, so a step of 10^16 ends the loop and nothing
	 * below overflows.
	 */
	while (ns / step >= 1000 || ns / step <= -1000)
		step *= 10;
	return wl_brief_ns(buf, (ns + (ns < 0 ? -step : step) / 2) / step * step);
}

const char *wl_brief_share(char buf[WL_UNITS_BUF], wl_ns have, wl_ns of)
{
	double percent = of > 0 ? 100.0 * (double)have / (double)of : 0;

	/* The limits are where rounding to one digit would print 0.0% or 10.0 %. */
	if (of <= 0)
		(void)snprintf(buf, WL_UNITS_BUF, "-");
	else if (percent > 0 && percent < 0.05)
		(void)snprintf(buf, WL_UNITS_BUF, "<0.1%%");
	else
		(void)snprintf(buf, WL_UNITS_BUF,
			       percent > 0 && percent < 9.95 ? "%.1f%%" : "%.0f%%", percent);
	return buf;
}

struct wl_link wl_link_to_op(const struct wl_scene *scene, struct wl_op_id id)
{
	struct wl_interval at = wl_op_time(scene, id);
	uint32_t place = wl_trace_ops(scene->trace, id.family).place[id.row];

	return (struct wl_link){ wl_track_of_place(&scene->tracks, place), at.begin, at.end };
}

struct wl_link wl_link_to_call(const struct wl_scene *scene, uint32_t call)
{
	const struct wl_trace *t = scene->trace;
	wl_ns start = wl_api_start(t)[call];

	return (struct wl_link){ wl_track_of_thread(&scene->tracks, WL_F_API,
						    wl_api_thread(t)[call]),
				 start, start + wl_dur(&t->family[WL_F_API], wl_api_dur(t), call) };
}

struct wl_link wl_link_to_activity(const struct wl_scene *scene, const struct wl_track_event *event)
{
	if (wl_is_op(event->family))
		return wl_link_to_op(scene, (struct wl_op_id){ event->family, event->row });
	if (event->family == WL_F_API)
		return wl_link_to_call(scene, event->row);
	return (struct wl_link){ .track = WL_NONE };
}

struct wl_link wl_link_to_range(const struct wl_scene *scene, uint32_t nvtx_row)
{
	const struct wl_trace *t = scene->trace;
	wl_ns start = wl_nvtx_start(t)[nvtx_row];

	return (struct wl_link){
		wl_track_of_thread(&scene->tracks, WL_F_NVTX, wl_nvtx_thread(t)[nvtx_row]), start,
		start + wl_dur(&t->family[WL_F_NVTX], wl_nvtx_dur(t), nvtx_row)
	};
}
