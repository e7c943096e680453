/* SPDX-License-Identifier: MIT */
#include "serve/page/pack.h"

#include <stdlib.h>

#include "base/stop.h"
#include "derive/comm/match/comm_op.h"
#include "derive/lanes/levels.h"
#include "derive/tracks/openers.h"
#include "scene/collectives.h"
#include "scene/details.h"
#include "serve/page/varints.h"

struct packer {
	const struct wl_packing *how;
	struct wl_pack *pack;
	struct wl_varints out;
	uint32_t *config[WL_MAX_SHOWN]; /* by configuration of a trace: 1 + its number here; 0 */
	bool failed;                    /* no memory */
};

static void begin_column(struct packer *p, const char *key, int64_t of)
{
	const struct wl_pack_column column = { .key = key, .of = of, .offset = p->out.n_bytes };

	wl_vec_push(&p->pack->column, &column);
}

static void end_column(struct packer *p, uint64_t n)
{
	struct wl_pack_column *all = p->pack->column.data;

	if (p->pack->column.failed)
		return;
	all += p->pack->column.n - 1;
	all->n = n;
	all->bytes = p->out.n_bytes - all->offset;
}

/* ---- Names ---- */

/* The integers of a name, as differences to those of the name before with this template. */
static size_t put_integers(struct packer *p, const char *name, const char *before)
{
	size_t at = 0, at_before = 0, n = 0;
	uint64_t value;

	while (wl_template_integer(name, &at, &value)) {
		uint64_t last = 0;

		if (before && !wl_template_integer(before, &at_before, &last))
			last = 0;
		wl_varints_put(&p->out, wl_zigzag((int64_t)value - (int64_t)last));
		n++;
	}
	return n;
}

static void put_names(struct packer *p)
{
	const struct wl_names *names = p->how->names;
	const struct wl_templates *t = &p->pack->templates;
	uint32_t *last = WL_NEW(&p->pack->arena, uint32_t, t->n + 1); /* 1 + name; by template */
	size_t n = 0;

	if (!last) {
		p->failed = true;
		return;
	}
	begin_column(p, "name.template", -1);
	for (size_t i = 0; i < names->n; i++)
		wl_varints_put(&p->out, t->of_name[i]);
	end_column(p, names->n);
	begin_column(p, "name.category", -1);
	for (size_t i = 0; i < names->n; i++)
		wl_varints_put(&p->out, names->at[i].category);
	end_column(p, names->n);
	begin_column(p, "name.word", -1);
	for (size_t i = 0; i < names->n; i++)
		wl_varints_put(&p->out, (uint8_t)(names->at[i].word + 1));
	end_column(p, names->n);
	begin_column(p, "name.label", -1);
	for (size_t i = 0; i < names->n; i++)
		wl_varints_put(&p->out, (uint32_t)(p->pack->labels.of_name[i] + 1));
	end_column(p, names->n);
	begin_column(p, "name.integers", -1);
	for (size_t i = 0; i < names->n; i++) {
		uint32_t *of = &last[t->of_name[i]];

		n += put_integers(p, names->at[i].text, *of ? names->at[*of - 1].text : NULL);
		*of = (uint32_t)i + 1;
	}
	end_column(p, n);
}

/* ---- Lanes ---- */

/* A lane under way, and what its columns remember of the event before. */
struct walk {
	struct packer *packer;
	const struct wl_scene *scene;
	const struct wl_lane *lane;
	struct wl_shown_events events;
	size_t scene_number, row;
	wl_ns origin;
	wl_ns last_end;
	int64_t last_ref, last_call, last_match;
	struct wl_openers opened;          /* of a lane of a GAPS row */
	struct wl_gap_functions functions; /* of the same, where the trace has stacks */
	uint32_t device;
	struct wl_gap_details gap; /* the last one, and its function */
	struct wl_top_function top;
};

typedef uint64_t value_fn(struct walk *w, size_t i);

static uint64_t start_of(struct walk *w, size_t i)
{
	wl_ns start = w->lane->start[i] - w->origin, before = w->last_end;

	w->last_end = start + wl_lane_dur(w->lane, i);
	return wl_zigzag(start - before);
}

static uint64_t dur_of(struct walk *w, size_t i)
{
	return (uint64_t)wl_lane_dur(w->lane, i);
}

static uint64_t name_of(struct walk *w, size_t i)
{
	return wl_names_of(w->packer->how->names, w->row, w->lane->ref[i], w->lane->cat[i]);
}

static uint64_t ref_of(struct walk *w, size_t i)
{
	int64_t ref = w->lane->ref[i], before = w->last_ref;

	w->last_ref = ref;
	return wl_zigzag(ref - before - 1);
}

static uint64_t launch_of(struct walk *w, size_t i)
{
	const struct wl_track_op op = wl_track_op_of(w->lane->ref[i]);
	uint32_t call = wl_link_of(w->scene->links, op.kind, op.row);
	int64_t before = w->last_call;

	if (call == WL_NONE)
		return 0;
	w->last_call = call;
	return 1 + wl_zigzag(call - before);
}

/* The call that opened the gap that a part of idle time belongs to. */
static uint64_t opener_of(struct walk *w, size_t i)
{
	const struct wl_opener *opened = NULL;
	int64_t before = w->last_call;

	if (w->lane->cat[i] >= WL_GAP_OF_CAUSE)
		opened = wl_opener_at(&w->opened, w->lane->start[i]);
	if (!opened)
		return 0;
	w->last_call = opened->call;
	return 1 + wl_zigzag(opened->call - before);
}

/* The function of the gap that a part of idle time belongs to. Each gap is looked into once. */
static const struct wl_top_function *top_of(struct walk *w, size_t i)
{
	wl_ns at = w->lane->start[i];

	if (w->lane->cat[i] < WL_GAP_OF_CAUSE)
		return NULL;
	if (at < w->gap.begin || at >= w->gap.end) {
		w->gap = (struct wl_gap_details){ .begin = 0 };
		w->top = (struct wl_top_function){ .function = WL_NONE };
		if (wl_gap_at(w->scene, w->device, at, &w->gap))
			w->top = wl_gap_functions_top(&w->functions, &w->gap);
	}
	return w->top.function == WL_NONE ? NULL : &w->top;
}

static uint64_t function_of(struct walk *w, size_t i)
{
	const struct wl_top_function *top = top_of(w, i);
	uint32_t number;

	if (!top)
		return 0;
	number = wl_intern_put(
		&w->packer->pack->function,
		&(struct wl_pack_function){ (uint32_t)w->scene_number, top->function, top->under });
	if (number == WL_NONE)
		w->packer->failed = true;
	return number == WL_NONE ? 0 : 1 + (uint64_t)number;
}

/* In millionths of the gap, of which the page may have a part only. */
static uint64_t function_share_of(struct walk *w, size_t i)
{
	const struct wl_top_function *top = top_of(w, i);

	return top ? (uint64_t)(1e6 * (double)top->time / (double)(w->gap.end - w->gap.begin) + 0.5)
		   : 0;
}

static uint64_t config_of(struct walk *w, size_t i)
{
	const struct wl_track_op op = wl_track_op_of(w->lane->ref[i]);
	const struct wl_trace *t = w->scene->trace;
	struct wl_vec *used = &w->packer->pack->config;
	uint32_t config;
	uint32_t *number;

	if (op.kind != WL_OP_KERNEL || !wl_kernels_config(t))
		return 0;
	config = wl_kernels_config(t)[op.row];
	if (config == WL_NONE)
		return 0;
	number = &w->packer->config[w->scene_number][config];
	if (*number == 0) {
		wl_vec_push(used, &t->configs[config]);
		*number = (uint32_t)used->n;
	}
	return *number;
}

static uint64_t bytes_of(struct walk *w, size_t i)
{
	const struct wl_track_op op = wl_track_op_of(w->lane->ref[i]);
	const struct wl_trace *t = w->scene->trace;
	const int64_t *bytes = op.kind == WL_OP_MEMCPY   ? wl_memcpys_bytes(t)
			       : op.kind == WL_OP_MEMSET ? wl_memsets_bytes(t)
							 : NULL;
	const struct wl_comm_op *comm;

	if (op.kind == WL_OP_KERNEL) {
		comm = wl_collective_op(w->scene->collectives, w->lane->ref[i]);
		return comm && comm->bytes > 0 ? (uint64_t)comm->bytes : 0;
	}
	return bytes && bytes[op.row] > 0 ? (uint64_t)bytes[op.row] : 0;
}

/* A stream's own follow each other. */
static uint64_t match_of(struct walk *w, size_t i)
{
	const struct wl_comm_op *op = wl_collective_op(w->scene->collectives, w->lane->ref[i]);
	int64_t match = op ? op->match : 0, last = w->last_match;

	if (!op)
		return 0;
	w->last_match = match;
	return 1 + wl_zigzag(match - last);
}

static bool has_matches(const struct wl_scene *scene, const struct wl_lane *lane)
{
	for (size_t i = 0; i < lane->n; i++) {
		if (wl_collective_op(scene->collectives, lane->ref[i]))
			return true;
	}
	return false;
}

static uint64_t span_of(struct walk *w, size_t i)
{
	return (uint64_t)wl_range_style(w->scene, w->lane->ref[i]);
}

/* Parents are near: rows of a thread lie in order of start. */
static uint64_t parent_of(struct walk *w, size_t i)
{
	uint32_t ref = w->lane->ref[i], parent = w->scene->range_parent[ref];

	return parent == WL_NONE ? 0 : 1 + wl_zigzag((int64_t)parent - ref);
}

static struct wl_track_event activity_of(const struct walk *w, size_t i)
{
	size_t first = wl_show_first_row(w->packer->how->show, w->scene_number);

	return wl_track_event_of(&w->scene->tracks, w->row - first, w->lane->ref[i]);
}

/* The row of the event that a segment of the critical path leads to, counted from 1; 0: none. */
static uint64_t target_row_of(struct walk *w, size_t i)
{
	const struct wl_track_event event = activity_of(w, i);
	uint32_t track = wl_link_to_activity(w->scene, &event).track;

	return track == WL_NONE
		       ? 0
		       : 1 + wl_show_first_row(w->packer->how->show, w->scene_number) + track;
}

static uint64_t target_of(struct walk *w, size_t i)
{
	const struct wl_track_event event = activity_of(w, i);

	return wl_track_ref(event.family, event.row);
}

static uint64_t level_of(struct walk *w, size_t i)
{
	return w->lane->level[i];
}

#define ALL_ROWS   (~UINT32_C(0))
#define OF_OPS     (UINT32_C(1) << WL_HOLDS_OPS)
#define OF_GAPS    (UINT32_C(1) << WL_HOLDS_GAPS)
#define OF_STACKS  (UINT32_C(1) << WL_HOLDS_GAPS | UINT32_C(1) << 31) /* where there are stacks */
#define OF_MATCHES (OF_OPS | UINT32_C(1) << 30) /* where operations are matched */
#define OF_PATH    (UINT32_C(1) << WL_HOLDS_PATH)
#define OF_LEVELS  (UINT32_C(1) << WL_HOLDS_LEVELS)
#define OF_RANGES  (UINT32_C(1) << WL_HOLDS_RANGES | UINT32_C(1) << WL_HOLDS_PROJECTIONS)

static const struct {
	const char *key;
	value_fn *value;
	uint32_t rows; /* that have it, as bits of enum wl_holds */
} lane_columns[] = {
	{ "start", start_of, ALL_ROWS },        { "dur", dur_of, ALL_ROWS },
	{ "name", name_of, ALL_ROWS },          { "ref", ref_of, ALL_ROWS },
	{ "launch", launch_of, OF_OPS },        { "config", config_of, OF_OPS },
	{ "bytes", bytes_of, OF_OPS },          { "span", span_of, OF_RANGES },
	{ "parent", parent_of, OF_RANGES },     { "opener", opener_of, OF_GAPS },
	{ "function", function_of, OF_STACKS }, { "in_function", function_share_of, OF_STACKS },
	{ "row", target_row_of, OF_PATH },      { "target", target_of, OF_PATH },
	{ "level", level_of, OF_LEVELS },       { "match", match_of, OF_MATCHES },
};

static bool is_over(const struct packer *p)
{
	return p->out.too_large || p->failed || (p->how->stop && *p->how->stop);
}

static size_t put_column(struct walk *w, value_fn *value)
{
	const struct wl_show *show = w->packer->how->show;
	size_t n = 0;

	w->last_end = 0;
	w->last_ref = -1;
	w->last_call = 0;
	w->last_match = 0;
	for (size_t i = w->events.lo; i < w->events.hi; i++) {
		if (i % WL_LOOK_EVERY == 0 && is_over(w->packer))
			break;
		if (!wl_show_has(show, w->row, w->lane, i))
			continue;
		wl_varints_put(&w->packer->out, value(w, i));
		n++;
	}
	return n;
}

static void put_lane(struct packer *p, struct walk *w, enum wl_holds holds)
{
	struct wl_pack_lane lane = { .row = (uint32_t)w->row };
	int64_t number = (int64_t)p->pack->lane.n;

	w->events = wl_show_events(p->how->show, w->scene_number, w->lane);
	for (size_t i = 0; i < WL_COUNT(lane_columns); i++) {
		if (!(lane_columns[i].rows >> holds & 1) ||
		    (lane_columns[i].rows == OF_STACKS && !w->scene->stack_names) ||
		    (lane_columns[i].rows == OF_MATCHES && !has_matches(w->scene, w->lane)))
			continue;
		begin_column(p, lane_columns[i].key, number);
		lane.n = put_column(w, lane_columns[i].value);
		end_column(p, lane.n);
	}
	p->pack->n_events += lane.n;
	wl_vec_push(&p->pack->lane, &lane);
}

/* ---- Pictures ---- */

static void put_picture(struct packer *p, struct walk *w, size_t track,
			struct wl_picture_column *picture)
{
	const struct wl_interval extent = wl_show_extent(p->how->show, w->scene_number);
	const struct wl_viewport view = { extent.begin, extent.end, p->how->n_columns };
	const struct wl_lane *lane = wl_scene_lane(w->scene, track);

	if (!lane || extent.end - extent.begin < view.width ||
	    (p->how->show->cut && p->how->show->cut[w->row].all == 0))
		return;
	wl_lane_picture(lane, &view, picture);
	begin_column(p, "columns", (int64_t)w->row);
	wl_varints_bytes(&p->out, picture, view.width * sizeof(*picture));
	end_column(p, view.width);
}

/* ---- All ---- */

typedef void track_fn(struct packer *p, struct walk *w, size_t track, void *ctx);

static void put_picture_of(struct packer *p, struct walk *w, size_t track, void *ctx)
{
	put_picture(p, w, track, ctx);
}

static void put_gaps_lane(struct packer *p, struct walk *w, uint32_t device)
{
	w->device = device;
	w->gap = (struct wl_gap_details){ .begin = 0 };
	if (!wl_gap_functions_init(&w->functions, w->scene, p->how->budget) ||
	    !wl_openers_find(&w->scene->tracks, device, p->how->budget, &w->opened))
		p->failed = true;
	if (!p->failed)
		put_lane(p, w, WL_HOLDS_GAPS);
	p->failed = p->failed || w->functions.stacks.tally.added.failed;
	wl_openers_release(&w->opened);
	wl_gap_functions_release(&w->functions);
}

static void put_lanes_of(struct packer *p, struct walk *w, size_t track, void *ctx)
{
	const struct wl_lanes *lanes = &w->scene->lanes[track];

	const struct wl_track *at = &w->scene->tracks.at[track];

	(void)ctx;
	for (size_t l = 0; l < lanes->n && !is_over(p); l++) {
		w->lane = &lanes->lane[l];
		if (wl_holds(at) == WL_HOLDS_GAPS)
			put_gaps_lane(p, w, at->device);
		else
			put_lane(p, w, wl_holds(at));
	}
}

static void each_track(struct packer *p, track_fn *fn, void *ctx)
{
	const struct wl_show *show = p->how->show;
	struct walk w = { .packer = p };

	for (size_t s = 0; s < show->n; s++) {
		w.scene = show->scene[s];
		w.scene_number = s;
		w.origin = wl_show_origin(show, s);
		for (size_t t = 0; t < w.scene->tracks.n && !is_over(p); t++, w.row++)
			fn(p, &w, t, ctx);
	}
}

static void put_pictures(struct packer *p)
{
	struct wl_picture_column *picture;

	if (p->how->n_columns == 0)
		return;
	picture = WL_NEW(&p->pack->arena, struct wl_picture_column, p->how->n_columns);
	if (picture)
		each_track(p, put_picture_of, picture);
	else
		p->failed = true;
}

static bool prepare(struct packer *p)
{
	struct wl_pack *pack = p->pack;
	const struct wl_show *show = p->how->show;

	for (size_t s = 0; s < show->n; s++) {
		p->config[s] = WL_NEW(&pack->arena, uint32_t, show->scene[s]->trace->n_configs + 1);
		if (!p->config[s])
			return false;
	}
	return wl_templates_find(p->how->names, &pack->arena, &pack->templates) &&
	       wl_labels_find(p->how->names, &pack->arena, &pack->labels);
}

static enum wl_packed run(struct packer *p)
{
	const struct wl_pack *pack = p->pack;

	put_names(p);
	put_pictures(p);
	each_track(p, put_lanes_of, NULL);
	wl_varints_finish(&p->out);
	p->pack->bytes = p->out.n_bytes;
	if (p->failed || pack->column.failed || pack->lane.failed || pack->config.failed ||
	    pack->data.failed)
		return WL_PACK_NO_MEMORY;
	if (p->how->stop && *p->how->stop)
		return WL_PACK_STOPPED;
	return p->out.too_large ? WL_PACK_TOO_LARGE : WL_PACKED;
}

enum wl_packed wl_pack_make(struct wl_pack *pack, const struct wl_packing *how)
{
	struct packer *p = calloc(1, sizeof(*p));
	enum wl_packed r = WL_PACK_NO_MEMORY;

	*pack = (struct wl_pack){ .n_columns = how->n_columns };
	wl_arena_init_on(&pack->arena, how->budget);
	wl_vec_init(&pack->column, sizeof(struct wl_pack_column), how->budget);
	wl_vec_init(&pack->lane, sizeof(struct wl_pack_lane), how->budget);
	wl_vec_init(&pack->config, sizeof(struct wl_launch_config), how->budget);
	wl_intern_init(&pack->function, sizeof(struct wl_pack_function), how->budget);
	wl_vec_init(&pack->data, 1, how->budget);
	if (!p)
		return r;
	p->how = how;
	p->pack = pack;
	if (prepare(p) && wl_varints_init(&p->out, &pack->data, how->max_bytes))
		r = run(p);
	wl_varints_release(&p->out);
	free(p);
	return r;
}

void wl_pack_release(struct wl_pack *pack)
{
	wl_vec_release(&pack->column);
	wl_vec_release(&pack->lane);
	wl_vec_release(&pack->config);
	wl_intern_release(&pack->function);
	wl_vec_release(&pack->data);
	wl_arena_release(&pack->arena);
	*pack = (struct wl_pack){ .n_columns = 0 }; /* the budget may go now */
}
