/* SPDX-License-Identifier: MIT */
/* answer_detail.c - details of one event: texts, and links to what belongs to it. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/text/units.h"
#include "derive/nvtx/range_names.h"
#include "scene/details.h"
#include "serve/answers/answer.h"
#include "serve/answers/collective.h"
#include "serve/answers/spread.h"
#include "serve/shown/categories.h"

enum { MAX_LINKS = 64, MAX_PROJECTIONS = 32, TEXT = 2048 };

/* The event that is asked for, and its answer under way: facts go out at once, links follow. */
struct detail {
	struct wl_asked_row row;
	const struct wl_served *served;
	const struct wl_lane *lane;
	size_t i;
	struct wl_jsonw *json;
	struct {
		char label[256];
		struct wl_link to;
		uint32_t ref;
	} link[MAX_LINKS];
	size_t n_links;
	uint32_t call;               /* that launched it, or which it is; WL_NONE for none */
	const struct wl_stats *same; /* of its name; NULL for none */
};

/* ---- Which it is ---- */

static bool find_at(struct detail *d, uint32_t ref, wl_ns at)
{
	const struct wl_lanes *lanes = &d->row.scene->lanes[d->row.track];

	for (size_t k = 0; k < lanes->n; k++) {
		const struct wl_lane *l = &lanes->lane[k];

		for (size_t i = wl_lane_from(l, at); i < l->n && l->start[i] == at; i++) {
			if (l->ref[i] == ref) {
				d->lane = l;
				d->i = i;
				return true;
			}
		}
	}
	return false;
}

static bool find_any(struct detail *d, uint32_t ref)
{
	const struct wl_lanes *lanes = &d->row.scene->lanes[d->row.track];

	for (size_t k = 0; k < lanes->n; k++) {
		const struct wl_lane *l = &lanes->lane[k];

		for (size_t i = 0; i < l->n; i++) {
			if (l->ref[i] == ref) {
				d->lane = l;
				d->i = i;
				return true;
			}
		}
	}
	return false;
}

static int find(const struct wl_ask *ask, struct detail *d, struct wl_err *reterr)
{
	int64_t n_rows = (int64_t)wl_show_rows(&ask->served->show), row = 0, ref = 0, at = 0;
	bool found;
	wl_ns t;
	int r = wl_query_need_i64(ask->query, "row", 0, n_rows - 1, &row, reterr);

	if (r == WL_OK)
		r = wl_query_need_i64(ask->query, "ref", 0, UINT32_MAX, &ref, reterr);
	if (r == WL_OK)
		r = wl_query_i64(ask->query, "at", -WL_ASK_TIME_MAX, WL_ASK_TIME_MAX, &at, reterr);
	if (r < 0)
		return r;
	d->row = wl_asked_row(ask->served, (uint32_t)row);
	if (wl_query_text(ask->query, "at"))
		found = wl_asked_time(d->row.origin, at, &t) && find_at(d, (uint32_t)ref, t);
	else
		found = find_any(d, (uint32_t)ref);
	return found ? WL_OK : wl_fail(reterr, WL_E_NODATA, "there is no such event");
}

/* ---- Facts and links ---- */

WL_PRINTF(3, 4) static void put_fact(struct detail *d, const char *label, const char *fmt, ...)
{
	char text[TEXT];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	wl_jsonw_begin_array(d->json);
	wl_jsonw_str(d->json, label);
	wl_jsonw_str(d->json, text);
	wl_jsonw_end_array(d->json);
}

/* A link to what no row shows is none. */
static void add_link(struct detail *d, const char *label, const char *name, struct wl_link to,
		     uint32_t ref)
{
	if (to.track == WL_NONE || ref == WL_NONE || d->n_links == MAX_LINKS)
		return;
	(void)snprintf(d->link[d->n_links].label, sizeof(d->link[0].label), "%s%.200s", label,
		       name);
	d->link[d->n_links].to = to;
	d->link[d->n_links++].ref = ref;
}

static const char *op_name(const struct wl_scene *s, struct wl_op_id id, uint32_t track)
{
	return wl_track_event_name(&s->tracks, track, wl_track_ref(id.family, id.row), 0);
}

/* A range and those around it: the path as a fact, each as a link, the innermost first. */
static void put_ranges(struct detail *d, uint32_t node)
{
	const struct wl_scene *s = d->row.scene;
	char path[TEXT];

	if (node == WL_NONE)
		return;
	put_fact(d, "NVTX", "%s", wl_node_path(s, node, 0, path, sizeof(path)));
	for (; node != WL_NONE && d->n_links < MAX_LINKS; node = s->forest->parent[node]) {
		uint32_t row = s->forest->row[node];

		add_link(d, "NVTX ", wl_range_name_of(s->range_names, row)->exact,
			 wl_link_to_range(s, row), wl_track_ref(WL_F_NVTX, row));
	}
}

/* ---- Operations ---- */

static void put_shape(struct detail *d, const struct wl_op_details *op)
{
	const struct wl_launch_config *c = op->config;
	char a[WL_UNITS_BUF], b[WL_UNITS_BUF];
	wl_ns dur = op->end - op->start;

	if (c) {
		put_fact(d, "Grid", "%" PRIu32 "x%" PRIu32 "x%" PRIu32, c->grid[0], c->grid[1],
			 c->grid[2]);
		put_fact(d, "Block", "%" PRIu32 "x%" PRIu32 "x%" PRIu32, c->block[0], c->block[1],
			 c->block[2]);
		put_fact(d, "Registers", "%" PRIu32, c->registers);
		put_fact(d, "Shared memory", "%s static, %s dynamic",
			 wl_fmt_bytes(a, c->static_shared), wl_fmt_bytes(b, c->dynamic_shared));
	}
	if (op->bytes > 0 && dur > 0)
		put_fact(d, "Bytes", "%s, %s", wl_fmt_bytes(a, op->bytes),
			 wl_fmt_rate(b, (double)op->bytes * 1e9 / (double)dur));
	else if (op->bytes > 0)
		put_fact(d, "Bytes", "%s", wl_fmt_bytes(a, op->bytes));
}

static void put_launch(struct detail *d, const struct wl_op_details *op)
{
	const struct wl_scene *s = d->row.scene;
	struct wl_link call;
	char buf[WL_UNITS_BUF];

	if (op->call == WL_NONE)
		return;
	call = wl_link_to_call(s, op->call);
	put_fact(d, "Launch", "%s, %s%s%s", wl_str(s->trace, wl_api_name(s->trace)[op->call]),
		 wl_fmt_ns(buf, call.end - call.begin, WL_UNIT_AUTO),
		 call.track == WL_NONE ? "" : ", ",
		 call.track == WL_NONE ? "" : s->tracks.at[call.track].label);
	put_fact(d, "From launch to start", "%s", wl_fmt_ns(buf, op->lead, WL_UNIT_AUTO));
	add_link(d, "Launch", "", call, wl_track_ref(WL_F_API, op->call));
}

static void put_op(struct detail *d, struct wl_op_id id)
{
	struct wl_op_details op;
	char buf[WL_UNITS_BUF], share[WL_UNITS_BUF];

	wl_op_details_of(d->row.scene, id, d->lane->cat[d->i], &op);
	put_shape(d, &op);
	if (op.exposed != WL_NO_TIME && op.end > op.start)
		put_fact(d, "Exposed", "%s, %s", wl_fmt_ns(buf, op.exposed, WL_UNIT_AUTO),
			 wl_fmt_ratio(share, (double)op.exposed / (double)(op.end - op.start)));
	if (op.corr)
		put_fact(d, "Correlation", "%" PRIu32, op.corr);
	d->call = op.call;
	put_launch(d, &op);
	put_ranges(d, op.node);
	if (op.same && op.same->n > 1)
		d->same = op.same;
}

/* ---- The host ---- */

static void put_call(struct detail *d, uint32_t call)
{
	const struct wl_scene *s = d->row.scene;
	struct wl_launched launched;
	bool bridged;

	d->call = call;
	wl_launched_by(s, call, &launched);
	if (launched.n)
		put_fact(d, "Launched", "%zu", launched.n);
	for (size_t i = 0; i < launched.n && i < WL_MAX_LAUNCHED && d->n_links < MAX_LINKS / 2;
	     i++) {
		struct wl_op_id id = launched.op[i];
		struct wl_link to = wl_link_to_op(s, id);

		if (to.track != WL_NONE)
			add_link(d, "Launched ", op_name(s, id, to.track), to,
				 wl_track_ref(id.family, id.row));
	}
	put_ranges(d, wl_node_of_call(s, call, &bridged));
}

/* The same range elsewhere: on its thread, and where its work lies on GPUs. */
static void put_range(struct detail *d, uint32_t row)
{
	const struct wl_scene *s = d->row.scene;
	struct wl_link gpu[MAX_PROJECTIONS];
	size_t n = wl_projections_of(s, row, gpu, MAX_PROJECTIONS);
	uint32_t node = wl_node_of_row(s, row), ref = wl_track_ref(WL_F_NVTX, row);

	if (wl_holds(&s->tracks.at[d->row.track]) == WL_HOLDS_PROJECTIONS)
		add_link(d, "On the thread", "", wl_link_to_range(s, row), ref);
	for (size_t i = 0; i < n; i++) {
		if (gpu[i].track != d->row.track)
			add_link(d, "On the GPU: ", s->tracks.at[gpu[i].track].label, gpu[i], ref);
	}
	if (node != WL_NONE)
		put_ranges(d, s->forest->parent[node]);
}

/* The operation of a device that ends, or begins, at t: of several the first row's. */
static bool find_beside(const struct wl_scene *s, uint32_t device, wl_ns t, bool ends,
			struct wl_op_id *ret)
{
	for (size_t i = 0; i < s->tracks.n; i++) {
		if (wl_holds(&s->tracks.at[i]) != WL_HOLDS_OPS || s->tracks.at[i].device != device)
			continue;
		for (size_t k = 0; k < s->lanes[i].n; k++) {
			const struct wl_lane *lane = &s->lanes[i].lane[k];
			size_t next = wl_lane_from(lane, t), at = ends ? next - 1 : next;
			struct wl_track_event event;

			if ((ends && next == 0) || at >= lane->n ||
			    (ends ? wl_lane_end(lane, at) : lane->start[at]) != t)
				continue;
			event = wl_track_event_of(&s->tracks, i, lane->ref[at]);
			*ret = (struct wl_op_id){ event.family, event.row };
			return true;
		}
	}
	return false;
}

static void put_beside(struct detail *d, const char *label, struct wl_op_id id)
{
	const struct wl_scene *s = d->row.scene;
	const struct wl_link to = wl_link_to_op(s, id);
	char text[16];

	if (to.track == WL_NONE)
		return;
	(void)snprintf(text, sizeof(text), "%s ", label);
	put_fact(d, label, "%s", op_name(s, id, to.track));
	add_link(d, text, op_name(s, id, to.track), to, wl_track_ref(id.family, id.row));
}

/* Between which operations a gap lies, and the call that launched the one that ends it. */
static void put_whole_gap(struct detail *d, const struct wl_gap_details *gap)
{
	const struct wl_scene *s = d->row.scene;
	struct wl_op_id before, after;
	char buf[WL_UNITS_BUF];
	uint32_t call;

	put_fact(d, "Gap", "%s", wl_fmt_ns(buf, gap->end - gap->begin, WL_UNIT_AUTO));
	if (find_beside(s, gap->device, gap->begin, true, &before))
		put_beside(d, "Before", before);
	if (!find_beside(s, gap->device, gap->end, false, &after))
		return;
	put_beside(d, "After", after);
	call = wl_link_of(s->links, wl_track_op_of(wl_track_ref(after.family, after.row)).kind,
			  after.row);
	if (call == WL_NONE)
		return;
	put_fact(d, "Ended by", "%s", wl_str(s->trace, wl_api_name(s->trace)[call]));
	add_link(d, "Ended by ", wl_str(s->trace, wl_api_name(s->trace)[call]),
		 wl_link_to_call(s, call), wl_track_ref(WL_F_API, call));
}

/* A part of a gap: what most of it was, and of the gap the function and the call that opened it. */
static void put_gap(struct detail *d, const char *what)
{
	const struct wl_scene *s = d->row.scene;
	struct wl_gap_function f;
	struct wl_gap_details gap;
	char share[WL_UNITS_BUF];

	if (what)
		put_fact(d, "Detail", "%s", what);
	if (d->lane->cat[d->i] < WL_GAP_OF_CAUSE ||
	    !wl_gap_at(s, s->tracks.at[d->row.track].device, d->lane->start[d->i], &gap))
		return;
	put_whole_gap(d, &gap);
	if (wl_gap_function_of(s, &gap, &f))
		put_fact(d, "Function", "%s%s%s, %s of the gap", f.name, *f.under ? " under " : "",
			 f.under,
			 wl_fmt_ratio(share, (double)f.time / (double)(gap.end - gap.begin)));
	if (!gap.opened_by)
		return;
	put_fact(d, "Opened by", "%s", gap.opened_by);
	if (gap.opened_in)
		put_fact(d, "Opened in", "%s", gap.opened_in);
	add_link(d, "Opened by ", gap.opened_by, wl_link_to_call(s, gap.opener),
		 wl_track_ref(WL_F_API, gap.opener));
}

static void put_more(struct detail *d)
{
	const struct wl_track_event event =
		wl_track_event_of(&d->row.scene->tracks, d->row.track, d->lane->ref[d->i]);

	const struct wl_row_kind *kind = wl_row_kind(&d->row.scene->tracks.at[d->row.track]);

	if (kind->holds == WL_HOLDS_PATH) {
		const struct wl_link to = wl_link_to_activity(d->row.scene, &event);

		put_fact(d, "Critical path", "%s", event.detail);
		add_link(d, "Event", "", to, wl_track_ref(event.family, event.row));
	}
	if (kind->holds == WL_HOLDS_OPS || (kind->holds == WL_HOLDS_PATH && wl_is_op(event.family)))
		put_op(d, (struct wl_op_id){ event.family, event.row });
	else if (event.family == WL_F_API)
		put_call(d, event.row);
	else if (event.family == WL_F_NVTX)
		put_range(d, event.row);
	else if (kind->holds == WL_HOLDS_GAPS)
		put_gap(d, event.detail);
}

static void put_same(struct detail *d)
{
	char p50[WL_UNITS_BUF], p99[WL_UNITS_BUF];

	if (d->same)
		put_fact(d, "Of this name", "%zu, p50 %s, p99 %s", d->same->n,
			 wl_fmt_ns(p50, d->same->p50, WL_UNIT_AUTO),
			 wl_fmt_ns(p99, d->same->p99, WL_UNIT_AUTO));
}

/* ---- The answer ---- */

static void put_facts(struct detail *d)
{
	const struct wl_track *track = &d->row.scene->tracks.at[d->row.track];
	char buf[WL_UNITS_BUF];

	wl_jsonw_open_array(d->json, "facts");
	put_fact(d, "Row", "%s", track->label);
	put_fact(d, "Category", "%s",
		 wl_event_category(&d->row.scene->tracks, d->row.track, d->lane->ref[d->i],
				   d->lane->cat[d->i]));
	put_fact(d, "Start (capture clock)", "%s",
		 wl_fmt_time(buf, d->lane->start[d->i], WL_UNIT_AUTO));
	put_fact(d, "Duration", "%s", wl_fmt_ns(buf, wl_lane_dur(d->lane, d->i), WL_UNIT_AUTO));
	put_more(d);
	put_same(d);
	wl_jsonw_end_array(d->json);
}

static void put_links(struct detail *d)
{
	size_t first = wl_show_first_row(&d->served->show, d->row.which);

	wl_jsonw_open_array(d->json, "links");
	for (size_t i = 0; i < d->n_links; i++) {
		const struct wl_link *to = &d->link[i].to;

		wl_jsonw_begin_object(d->json);
		wl_jsonw_put_str(d->json, "label", d->link[i].label);
		wl_jsonw_put_i64(d->json, "rowId", (int64_t)(first + to->track));
		wl_jsonw_put_i64(d->json, "ref", d->link[i].ref);
		wl_jsonw_put_i64(d->json, "begin", to->begin - d->row.origin);
		wl_jsonw_put_i64(d->json, "end", to->end - d->row.origin);
		wl_jsonw_end_object(d->json);
	}
	wl_jsonw_end_array(d->json);
}

static void put_usual(struct detail *d)
{
	wl_jsonw_key(d->json, "usual");
	if (!d->same) {
		wl_jsonw_null(d->json);
		return;
	}
	wl_jsonw_begin_object(d->json);
	wl_jsonw_put_i64(d->json, "count", (int64_t)d->same->n);
	wl_jsonw_put_i64(d->json, "p50", d->same->p50);
	wl_jsonw_end_object(d->json);
}

static bool put_event(struct detail *d, const struct wl_ask *ask)
{
	wl_ns begin = d->lane->start[d->i] - d->row.origin;
	uint32_t name =
		wl_names_of(&d->served->names, d->row.row, d->lane->ref[d->i], d->lane->cat[d->i]);
	bool has_memory;

	wl_jsonw_begin_object(d->json);
	wl_jsonw_put_str(d->json, "name", name == WL_NONE ? "" : d->served->names.at[name].text);
	wl_jsonw_put_i64(d->json, "category", d->lane->cat[d->i]);
	wl_jsonw_put_i64(d->json, "begin", begin);
	wl_jsonw_put_i64(d->json, "end", begin + wl_lane_dur(d->lane, d->i));
	put_facts(d);
	put_links(d);
	put_usual(d);
	wl_jsonw_key(d->json, "collective");
	wl_collective_put(d->served, &d->row, d->lane->ref[d->i], d->json);
	wl_jsonw_key(d->json, "spread");
	has_memory = wl_spread_put(ask, &d->row, d->call, d->json);
	wl_jsonw_end_object(d->json);
	return has_memory;
}

int wl_answer_event(const struct wl_ask *ask, struct wl_answer *ret, struct wl_err *reterr)
{
	struct detail *d = WL_NEW(ask->arena, struct detail, 1);
	struct wl_json_answer j;
	bool has_memory;
	int r;

	if (!d)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for an event");
	d->served = ask->served;
	d->call = WL_NONE;
	r = find(ask, d, reterr);
	if (r == WL_OK)
		r = wl_answer_begin_json(ret, &j, reterr);
	if (r < 0)
		return r;
	d->json = &j.json;
	has_memory = put_event(d, ask);
	r = wl_answer_end_json(ret, &j, reterr);
	if (r == WL_OK && !has_memory)
		r = wl_fail(reterr, WL_E_NOMEM, "no memory for an event");
	return r;
}
