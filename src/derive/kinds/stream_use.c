/* SPDX-License-Identifier: MIT */
#include "derive/kinds/stream_use.h"

#include "base/process/pool.h"
#include "derive/calls/launch.h"
#include "derive/derived.h"
#include "derive/kinds/classes.h"
#include "derive/nvtx/forest.h"
#include "derive/nvtx/stages.h"
#include "derive/rows/ops.h"
#include "derive/rows/stats.h"

const char *wl_stream_class_name(enum wl_stream_class class)
{
	static const char *const names[] = {
		[WL_STREAM_COPY] = "copy",
		[WL_STREAM_COMPUTE] = "compute",
		[WL_STREAM_COMM] = "comm",
	};

	return names[class];
}

enum wl_stream_class wl_stream_class_of(const struct wl_stream_use *use)
{
	/*
	 * Copies and memory sets occur on every kind of stream, so only kernels and graphs decide;
	 * a graph is opaque and counts as compute.
	 */
	if (use->n_kernels + use->n_graphs == 0)
		return WL_STREAM_COPY;
	return use->n_comm == use->n_kernels + use->n_graphs ? WL_STREAM_COMM : WL_STREAM_COMPUTE;
}

/* The counts of one stream in progress. */
struct tally {
	struct wl_stream_use use;
	wl_ns until;
};

struct counting {
	const struct wl_trace *trace;
	const struct wl_scope *scope;
	const struct wl_streams *streams;
	const struct wl_classes *classes;
	const struct wl_links *links;
	const struct wl_forest *forest;
	const struct wl_stages *stages;
	struct wl_stream_use *use; /* by stream */
};

static uint32_t purpose_of(const struct counting *c, const struct wl_op *op)
{
	uint32_t call = wl_link_of(c->links, op->kind, op->row);

	if (call == WL_NONE || !c->forest)
		return WL_NONE;
	return wl_purpose_of_call(c->stages, c->trace, c->forest, call);
}

static void count_operation(const struct counting *c, struct tally *s, const struct wl_op *op,
			    bool is_comm)
{
	struct wl_stream_use *u = &s->use;
	/*
	 * The union of operations in order of start, which may overlap in odd files or in graphs
	 * with branches.
	 */
	wl_ns from = u->n_ops && s->until > op->start ? s->until : op->start;

	u->busy += op->end > from ? op->end - from : 0;
	s->until = u->n_ops && s->until > op->end ? s->until : op->end;
	u->n_ops++;
	u->n_graphs += op->kind == WL_OP_GRAPH;
	if (op->kind != WL_OP_KERNEL)
		return;
	u->n_kernels++;
	u->kernel_sum = wl_add_up(u->kernel_sum, op->end - op->start);
	if (!is_comm)
		return;
	u->comm_sum = wl_add_up(u->comm_sum, op->end - op->start);
	/* Once purposes are mixed, no further launch is looked up. */
	if (u->n_comm++ == 0)
		u->purpose = purpose_of(c, op);
	else if (!u->has_mixed_ones)
		u->has_mixed_ones = u->purpose != purpose_of(c, op);
}

static void count(const struct counting *c, uint32_t device, struct tally *tally, size_t first)
{
	struct wl_op_cursor cursor;
	struct wl_op op;

	wl_ops_begin(c->trace, device, &cursor);
	while (wl_ops_next(&cursor, &op)) {
		bool is_comm = wl_class_of(c->trace, c->classes, op.family, op.row) == WL_COMM;

		if (c->scope->place_on[op.place] &&
		    wl_clip(c->scope, c->scope->device[device], &op.start, &op.end))
			count_operation(c, &tally[c->streams->of_place[op.place] - first], &op,
					is_comm);
	}
}

/*
 * Streams of one device are adjacent; each task writes its own part of the array.
 */
static bool count_device(void *ctx, size_t d, struct wl_arena *arena)
{
	const struct counting *c = ctx;
	size_t lo = wl_streams_from_device(c->trace, c->streams, (uint32_t)d);
	size_t hi = wl_streams_from_device(c->trace, c->streams, (uint32_t)d + 1);
	struct wl_arena scratch;
	struct tally *tally;

	if (!c->scope->device_on[d])
		return true;
	wl_arena_init_child(&scratch, arena);
	tally = WL_NEW(&scratch, struct tally, hi - lo);
	if (tally)
		count(c, (uint32_t)d, tally, lo);
	for (size_t i = lo; tally && i < hi; i++)
		c->use[i] = tally[i - lo].use;
	wl_arena_release(&scratch);
	return tally != NULL;
}

const struct wl_stream_use *wl_stream_use_find(const struct wl_derived *derived,
					       const struct wl_scope *scope,
					       const struct wl_streams *streams,
					       struct wl_arena *arena)
{
	struct counting c = { .trace = derived->trace,
			      .scope = scope,
			      .streams = streams,
			      .classes = derived->classes,
			      .links = derived->links,
			      .forest = derived->forest,
			      .stages = derived->stages,
			      .use = WL_NEW(arena, struct wl_stream_use, streams->n) };

	if (!c.use || !wl_pool_map(derived->opts.pool, c.trace->n_devices, count_device, &c, arena))
		return NULL;
	return c.use;
}
