/* streams.c - what each stream is for. */
#include "derive/streams.h"
#include "analysis/analysis.h"
#include "derive/classes.h"
#include "derive/derived.h"
#include "derive/exposed_groups.h"
#include "derive/forest.h"
#include "derive/launch.h"
#include "derive/ops.h"
#include "derive/stages.h"

enum { DEVICE, PID, CONTEXT, STREAM, CLASS, PURPOSE, OPS, KERNELS, BUSY };

static const struct wl_col cols[] = {
	[DEVICE] = { "device", "GPU", WL_T_COUNT, WL_KEY, "Device, numbered as in info." },
	[PID] = { "pid", "PID", WL_T_COUNT, WL_KEY, "Process whose stream it is." },
	[CONTEXT] = { "context", "Context", WL_T_COUNT, WL_KEY,
		      "CUDA context; stream numbers are its own." },
	[STREAM] = { "stream", "Stream", WL_T_COUNT, WL_KEY, "CUDA stream; empty if not told." },
	[CLASS] = { "class", "Class", WL_T_ENUM, WL_PLAIN,
		    "copy (no kernel), compute, comm or mixed." },
	[PURPOSE] = { "purpose", "Purpose", WL_T_STR, WL_PLAIN,
		      "What a communication stream is for, by the NVTX ranges around its "
		      "launches." },
	[OPS] = { "ops", "Operations", WL_T_COUNT, WL_PLAIN,
		  "GPU operations with a part in the window." },
	[KERNELS] = { "kernels", "Kernels", WL_T_COUNT, WL_PLAIN, "Kernels among them." },
	[BUSY] = { "busy", "Busy time", WL_T_NS, WL_SUM, "Time with any of them under way." },
};

static const enum wl_column_id needs_any[] = { WL_OP_STARTS, WL_N_COLUMNS };

static const enum wl_column_id uses[] = { WL_KERNELS_NAME, WL_LINK_COLUMNS, WL_FOREST_COLUMNS,
					  WL_MEMCPYS_KIND, WL_N_COLUMNS };

static const struct wl_alias aliases[] = {
	{ .name = "classify_streams" },
	{ .name = NULL },
};

static const struct wl_example examples[] = {
	{ "warplens streams run.sqlite", "Which streams compute, communicate and copy." },
	{ "warplens streams run.sqlite --where 'class = mixed'",
	  "Communication on streams that also compute." },
	{ NULL, NULL },
};

/* One stream under way. */
struct tally {
	size_t n_ops, n_kernels, n_graphs, n_comm; /* comm: kernels */
	uint32_t purpose; /* of the communication kernels so far; WL_NONE for those without one */
	bool is_mixed;    /* they are for several purposes */
	wl_ns busy, until;
};

struct labels {
	const struct wl_links *links;
	const struct wl_forest *forest;
	const struct wl_stages *stages;
};

static uint32_t purpose_of(const struct labels *l, const struct wl_op *op)
{
	uint32_t call = wl_link_of(l->links, op->kind, op->row);
	uint32_t node = call == WL_NONE ? WL_NONE : l->forest->of_call[call];

	return node == WL_NONE ? WL_NONE : l->stages->purpose[node];
}

static void take(struct tally *s, const struct labels *l, const struct wl_op *op, bool is_comm)
{
	wl_ns from = s->n_ops && s->until > op->start ? s->until : op->start;

	s->busy += op->end > from ? op->end - from : 0;
	s->until = s->n_ops && s->until > op->end ? s->until : op->end;
	s->n_ops++;
	s->n_graphs += op->kind == WL_OP_GRAPH;
	s->n_kernels += op->kind == WL_OP_KERNEL;
	if (op->kind != WL_OP_KERNEL || !is_comm)
		return;
	if (s->n_comm++ == 0)
		s->purpose = purpose_of(l, op);
	else if (!s->is_mixed)
		s->is_mixed = s->purpose != purpose_of(l, op);
}

static void count(const struct wl_run *r, const struct wl_classes *classes, const struct labels *l,
		  const struct wl_streams *streams, struct tally *tally)
{
	for (uint32_t d = 0; d < r->trace->n_devices; d++) {
		struct wl_op_cursor cursor;
		struct wl_op op;

		if (!r->scope->device_on[d])
			continue;
		wl_ops_begin(r->trace, d, &cursor);
		while (wl_ops_next(&cursor, &op)) {
			bool is_comm = wl_class_of(r->trace, classes, op.family, op.row) == WL_COMM;

			if (r->scope->place_on[op.place] &&
			    wl_clip(r->scope, r->scope->device[d], &op.start, &op.end))
				take(&tally[streams->of_place[op.place]], l, &op, is_comm);
		}
	}
}

/* By what is on it and never by how much; a graph replay counts as a kernel that computes. */
static const char *class_of(const struct tally *s)
{
	if (s->n_kernels + s->n_graphs == 0)
		return "copy";
	if (s->n_comm == 0)
		return "compute";
	return s->n_comm == s->n_kernels + s->n_graphs ? "comm" : "mixed";
}

static void put_row(struct wl_table *out, const struct wl_trace *t, const struct wl_place *p,
		    const struct tally *s, const struct wl_stages *stages)
{
	bool is_comm = s->n_comm && s->n_comm == s->n_kernels + s->n_graphs;

	wl_table_row(out);
	wl_put_i64(out, DEVICE, p->device);
	wl_put_i64(out, PID, t->processes[p->process].pid);
	if (p->context != WL_NONE)
		wl_put_i64(out, CONTEXT, p->context);
	if (p->stream != WL_NONE)
		wl_put_i64(out, STREAM, p->stream);
	wl_put_str(out, CLASS, class_of(s));
	if (is_comm)
		wl_put_str(out, PURPOSE,
			   s->is_mixed             ? "mixed"
			   : s->purpose == WL_NONE ? "unknown"
						   : stages->text[s->purpose]);
	wl_put_i64(out, OPS, (int64_t)s->n_ops);
	wl_put_i64(out, KERNELS, (int64_t)s->n_kernels);
	wl_put_i64(out, BUSY, s->busy);
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	const struct wl_trace *t = r->trace;
	const struct wl_classes *classes = wl_derived_classes(r->derived);
	struct labels l = { wl_derived_links(r->derived), wl_derived_forest(r->derived),
			    wl_derived_stages(r->derived) };
	struct wl_streams streams;
	struct tally *tally;

	if (!classes || !l.links || !l.forest || !l.stages ||
	    !wl_streams_find(t, r->arena, &streams))
		return wl_no_memory(&wl_analysis_streams, reterr);
	tally = WL_NEW(r->arena, struct tally, streams.n);
	if (!tally)
		return wl_no_memory(&wl_analysis_streams, reterr);
	count(r, classes, &l, &streams, tally);
	for (size_t i = 0; i < streams.n; i++) {
		if (tally[i].n_ops)
			put_row(out, t, &t->places[streams.place[i]], &tally[i], l.stages);
	}
	return WL_OK;
}

const struct wl_analysis wl_analysis_streams = {
	.name = "streams",
	.help = "Tell what each stream does: compute, communicate, copy",
	.about = "A stream without kernels and graph replays is copy. Else it is comm if all its "
		 "kernels communicate, compute if none does, and mixed otherwise. A graph replay "
		 "that was recorded whole counts as a kernel that computes. The purpose of a comm "
		 "stream is what the NVTX ranges around the launches of its kernels say, by the "
		 "conventions of the framework; mixed if they disagree, unknown if they say "
		 "nothing. Rows are in the order of device, process, context and stream.",
	.needs_any = needs_any,
	.uses = uses,
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.aliases = aliases,
	.examples = examples,
	.run = run,
};
