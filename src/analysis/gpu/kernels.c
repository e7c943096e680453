/* SPDX-License-Identifier: MIT */
/* kernels.c - GPU kernels by name: how often, how long. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/hosts.h"
#include "analysis/stat_cols.h"
#include "base/intern.h"
#include "base/num.h"
#include "base/sort.h"
#include "base/texts.h"
#include "derive/rows/groups.h"
#include "known/names.h"

enum {
	NAME,
	DEVICE,
	PID,
	HOST,
	CONTEXT,
	STREAM,
	GRID,
	BLOCK,
	CALLS,
	SUM,
	SHARE,
	AVG,
	P50,
	P90,
	P99,
	MIN,
	MAX,
	STDDEV
};

static const struct wl_col cols[] = {
	[NAME] = { "name", "Kernel", WL_T_STR, WL_KEY | WL_KERNEL,
		   "The kernel's name, as --name asks." },
	[DEVICE] = { "device", "GPU", WL_T_COUNT, WL_KEY, "Device, numbered as in info." },
	[PID] = { "pid", "PID", WL_T_COUNT, WL_KEY, "Process that launched it." },
	[HOST] = WL_COL_HOST,
	[CONTEXT] = { "context", "Context", WL_T_COUNT, WL_KEY | WL_MINOR,
		      "CUDA context; stream numbers are its own." },
	[STREAM] = { "stream", "Stream", WL_T_COUNT, WL_KEY, "CUDA stream it ran on." },
	[GRID] = { "grid", "Grid", WL_T_STR, WL_KEY, "Blocks in x, y and z." },
	[BLOCK] = { "block", "Block", WL_T_STR, WL_KEY, "Threads of a block in x, y and z." },
	[CALLS] = WL_COL_CALLS("Executions with a part in the window."),
	[SUM] = WL_COL_SUM,
	[SHARE] = WL_COL_SHARE(WL_PLAIN, "Of the sum over all kernels in the window."),
	[AVG] = WL_COL_AVG(WL_PLAIN),
	[P50] = WL_COL_P50,
	[P90] = WL_COL_P90,
	[P99] = WL_COL_P99,
	[MIN] = WL_COL_MIN,
	[MAX] = WL_COL_MAX(WL_MINOR),
	[STDDEV] = WL_COL_STDDEV,
};

enum { NAMING, BY };

enum naming { DEMANGLED, SHORT, MANGLED, BASE };
static const char *const namings[] = { "demangled", "short", "mangled", "base", NULL };

enum facet { BY_DEVICE, BY_NAME, BY_PID, BY_STREAM, BY_GRID };
static const char *const facets[] = { "device", "name", "pid", "stream", "grid", NULL };

static const struct wl_param params[] = {
	[NAMING] = { .key = "name",
		     .type = WL_P_ENUM,
		     .def = "demangled",
		     .choices = namings,
		     .help = "Which name to group by; base has no template arguments." },
	[BY] = { .key = "by",
		 .type = WL_P_ENUM,
		 .def = "device",
		 .choices = facets,
		 .help = "What else to group by; name merges all devices." },
};

static const enum wl_column_id needs[] = { WL_KERNELS_START, WL_KERNELS_DUR, WL_KERNELS_PLACE,
					   WL_KERNELS_NAME, WL_N_COLUMNS };

/* Launch configurations are nine columns of the file: not for nothing. */
static void want(const union wl_arg *arg, struct wl_wanted *wanted)
{
	if (arg[BY].i64 == BY_GRID)
		wl_columns_add(&wanted->columns, WL_KERNELS_CONFIG);
}

static const struct wl_alias aliases[] = {
	{ .name = "cuda_gpu_kern_sum" },
	{ .name = "gpukernsum" },
	{ .name = "top_kernels" },
	{ .name = NULL },
};

static const struct wl_example examples[] = {
	{ "warplens kernels run.sqlite -n 5", "The five kernels with the largest sum." },
	{ "warplens kernels run.sqlite --by stream --name short", "By stream, with short names." },
	{ "warplens kernels run.sqlite --where 'p99 > 1ms' --sort -calls",
	  "Long tails, rare first." },
	{ NULL, NULL },
};

static const char *why_empty(const struct wl_trace *t)
{
	if (t->family[WL_F_GRAPHS].n)
		return "the trace has CUDA graph replays only as a whole, so their kernels cannot "
		       "be told apart; record with nsys profile --cuda-graph-trace=node";
	return NULL;
}

/* Of what a place is, that which makes a group. Members that do not matter are WL_NONE. */
struct owner {
	uint32_t device, process, context, stream;
};

/*
 * The code of a group is made of three numbers: its owner, the label of its name,
 * and its shape, which is 0 where launch configurations do not matter.
 */
struct grouping {
	const struct wl_run *run;
	enum facet by;
	const char **text;       /* by kernel name, as it was asked for */
	const uint32_t *label;   /* by kernel name: the first with this text */
	const uint32_t *shape;   /* by launch configuration: the first with this grid and block */
	uint64_t n_shapes;       /* 1 where they do not matter */
	struct wl_intern owners; /* struct owner */
	const uint32_t *owner;   /* by place; WL_NONE where nothing counts */
	struct wl_ops ops;       /* the kernels */
};

static uint64_t pack(const struct grouping *g, uint32_t owner, uint32_t label, uint32_t shape)
{
	return ((uint64_t)owner * g->run->trace->n_kernel_names + label) * g->n_shapes + shape;
}

/* What pack put together. */
struct key {
	const struct owner *owner;
	uint32_t label, shape;
};

static struct key unpack(const struct grouping *g, uint64_t code)
{
	size_t n_labels = g->run->trace->n_kernel_names;
	const struct owner *owners = g->owners.items.data;

	return (struct key){ &owners[code / g->n_shapes / n_labels],
			     (uint32_t)(code / g->n_shapes % n_labels),
			     (uint32_t)(code % g->n_shapes) };
}

/* The text of a kernel's name in the wanted naming. */
static const char *name_text(const struct wl_trace *t, const struct wl_kernel_name *n,
			     enum naming naming, struct wl_arena *arena)
{
	const char *text = wl_str(t, naming == SHORT     ? n->brief
				     : naming == MANGLED ? n->mangled
							 : n->demangled);
	char *base;

	if (naming != BASE)
		return text;
	base = WL_NEW(arena, char, strlen(text) + 1);
	if (base)
		(void)wl_name_base(text, base, strlen(text) + 1);
	return base;
}

/* Names with equal text share a label: the first of them. */
static bool make_labels(struct grouping *g, enum naming naming, struct wl_arena *arena)
{
	const struct wl_trace *t = g->run->trace;
	size_t n = t->n_kernel_names;

	g->text = WL_NEW(arena, const char *, n);
	for (size_t i = 0; g->text && i < n; i++) {
		g->text[i] = name_text(t, &t->kernel_names[i], naming, arena);
		if (!g->text[i])
			return false;
	}
	g->label = g->text ? wl_texts_merge(g->text, n, arena) : NULL;
	return g->label != NULL;
}

struct configs {
	const struct wl_launch_config *config;
};

static int compare_shapes(const struct wl_launch_config *a, const struct wl_launch_config *b)
{
	int grids = memcmp(a->grid, b->grid, sizeof(a->grid));

	return grids ? grids : memcmp(a->block, b->block, sizeof(a->block));
}

static bool shape_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct configs *c = ctx;

	return compare_shapes(&c->config[a], &c->config[b]) < 0;
}

/* Configurations that differ in registers or shared memory only look the same: one group. */
static uint32_t *make_shapes(const struct wl_trace *t, struct wl_arena *arena)
{
	size_t n = t->n_configs;
	uint32_t *shape = WL_NEW(arena, uint32_t, n);
	uint32_t *order = WL_NEW(arena, uint32_t, 2 * n);

	if (!shape || !order)
		return NULL;
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	wl_sort_index(order, n, order + n, shape_less, &(struct configs){ t->configs });
	for (size_t i = 0; i < n; i++) {
		bool same = i > 0 &&
			    compare_shapes(&t->configs[order[i]], &t->configs[order[i - 1]]) == 0;

		shape[order[i]] = same ? shape[order[i - 1]] : order[i];
	}
	return shape;
}

static struct owner owner_of(const struct grouping *g, const struct wl_place *p)
{
	bool by_process = g->by == BY_PID || g->by == BY_STREAM;

	return (struct owner){ .device = g->by != BY_NAME ? p->device : WL_NONE,
			       .process = by_process ? p->process : WL_NONE,
			       .context = g->by == BY_STREAM ? p->context : WL_NONE,
			       .stream = g->by == BY_STREAM ? p->stream : WL_NONE };
}

static bool make_owners(struct grouping *g, struct wl_arena *arena)
{
	const struct wl_trace *t = g->run->trace;
	uint32_t *owner = WL_NEW(arena, uint32_t, t->n_places);

	g->owner = owner;
	for (size_t i = 0; owner && i < t->n_places; i++) {
		struct owner o = owner_of(g, &t->places[i]);

		owner[i] = WL_NONE;
		if (!g->run->scope->place_on[i])
			continue;
		owner[i] = wl_intern_put(&g->owners, &o);
		if (owner[i] == WL_NONE)
			return false;
	}
	return owner != NULL;
}

/* Values of rows in a window; those that lie outside do not count. */
static void clip(const struct grouping *g, size_t row, size_t n, uint64_t *code, int64_t *value)
{
	for (size_t i = 0; i < n; i++) {
		wl_ns start, end;

		if (!wl_op_clip(g->run->trace, g->run->scope, &g->ops, row + i, &start, &end))
			code[i] = WL_NO_CODE;
		if (value)
			value[i] = end - start;
	}
}

static void codes(void *ctx, size_t row, size_t n, uint64_t *code, int64_t *value)
{
	const struct grouping *g = ctx;
	const struct wl_trace *t = g->run->trace;
	const uint32_t *place = g->ops.place + row, *name = wl_kernels_name(t) + row;
	const uint32_t *config = g->n_shapes > 1 ? wl_kernels_config(t) + row : NULL;

	for (size_t i = 0; i < n; i++) {
		uint32_t owner = g->owner[place[i]];

		code[i] = owner == WL_NONE ? WL_NO_CODE
					   : pack(g, owner, g->label[name[i]],
						  config ? g->shape[config[i]] : 0);
	}
	if (!g->run->scope->whole)
		clip(g, row, n, code, value);
	else if (value)
		for (size_t i = 0; i < n; i++)
			value[i] = wl_dur(g->ops.family, g->ops.dur, row + i);
}

/* By name, then by the other keys, so that the order is ours alone. */
static int compare(void *ctx, uint64_t code_a, uint64_t code_b)
{
	const struct grouping *g = ctx;
	struct key a = unpack(g, code_a), b = unpack(g, code_b);
	const uint32_t rest_a[] = { a.owner->device, a.owner->process, a.owner->context,
				    a.owner->stream, a.shape };
	const uint32_t rest_b[] = { b.owner->device, b.owner->process, b.owner->context,
				    b.owner->stream, b.shape };
	int names = strcmp(g->text[a.label], g->text[b.label]);

	for (size_t i = 0; names == 0 && i < WL_COUNT(rest_a); i++)
		names = (rest_a[i] > rest_b[i]) - (rest_a[i] < rest_b[i]);
	return names;
}

static void put_dims(struct wl_table *out, size_t col, const uint32_t d[3])
{
	char buf[48];

	/* The file does not say: the cell stays unset. */
	if (d[0] == WL_NONE || d[1] == WL_NONE || d[2] == WL_NONE)
		return;
	(void)snprintf(buf, sizeof(buf), "%" PRIu32 "x%" PRIu32 "x%" PRIu32, d[0], d[1], d[2]);
	wl_put_copy(out, col, buf);
}

static void put_process(struct wl_table *out, const struct wl_trace *t, const struct wl_process *p)
{
	wl_put_i64(out, PID, p->pid);
	wl_hosts_put(out, HOST, t, p);
}

static void put_row(struct wl_table *out, const struct grouping *g, struct key k,
		    const struct wl_stats *s, int64_t total)
{
	const struct wl_trace *t = g->run->trace;

	wl_table_row(out);
	wl_put_str(out, NAME, g->text[k.label]);
	if (k.owner->device != WL_NONE)
		wl_put_i64(out, DEVICE, k.owner->device);
	if (k.owner->process != WL_NONE)
		put_process(out, t, &t->processes[k.owner->process]);
	if (k.owner->context != WL_NONE)
		wl_put_i64(out, CONTEXT, k.owner->context);
	if (k.owner->stream != WL_NONE)
		wl_put_i64(out, STREAM, k.owner->stream);
	if (g->by == BY_GRID) {
		put_dims(out, GRID, t->configs[k.shape].grid);
		put_dims(out, BLOCK, t->configs[k.shape].block);
	}
	wl_put_i64(out, CALLS, (int64_t)s->n);
	wl_put_i64(out, SUM, s->sum);
	wl_put_ratio(out, SHARE, s->sum, total);
	wl_put_stats(out, AVG, WL_STAT_SPREAD | WL_STAT_P99, s);
}

static uint64_t hidden(const union wl_arg *arg)
{
	static const uint64_t pid = UINT64_C(1) << PID | UINT64_C(1) << HOST;
	static const uint64_t device = UINT64_C(1) << DEVICE;
	static const uint64_t stream = UINT64_C(1) << CONTEXT | UINT64_C(1) << STREAM;
	static const uint64_t grid = UINT64_C(1) << GRID | UINT64_C(1) << BLOCK;

	switch ((enum facet)arg[BY].i64) {
	case BY_NAME:
		return device | pid | stream | grid;
	case BY_PID:
		return stream | grid;
	case BY_STREAM:
		return grid;
	case BY_GRID:
		return pid | stream;
	case BY_DEVICE:
		break;
	}
	return pid | stream | grid;
}

/* What ran inside replays that were recorded whole is missing from the table. */
static void note_graphs(const struct wl_run *r, struct wl_table *out)
{
	size_t n_graphs = wl_ops_admitted(r->trace, r->scope, WL_F_GRAPHS), n_kernels;

	if (n_graphs == 0)
		return;
	n_kernels = wl_ops_admitted(r->trace, r->scope, WL_F_KERNELS);
	wl_table_cover(out, "operations_seen_as_kernels", (int64_t)n_kernels,
		       (int64_t)(n_kernels + n_graphs));
	wl_table_note(out,
		      "%zu CUDA graph replays were recorded whole; their kernels are not in this "
		      "table; record with --cuda-graph-trace=node",
		      n_graphs);
}

/* False without memory, and where codes would not fit in 64 bits, which takes more than there is.
 */
static bool make_groups(struct grouping *g, struct wl_groups *ret)
{
	const struct wl_run *r = g->run;
	struct wl_group_spec spec = {
		.n_rows = g->ops.n, .codes = codes, .compare = compare, .pool = r->pool
	};
	size_t n_codes;

	g->shape = make_shapes(r->trace, r->arena);
	g->n_shapes = g->by == BY_GRID && r->trace->n_configs ? r->trace->n_configs : 1;
	if (!g->shape || !make_labels(g, (enum naming)r->arg[NAMING].i64, r->arena) ||
	    !make_owners(g, r->arena) ||
	    !wl_mul(g->owners.items.n, r->trace->n_kernel_names, &n_codes) ||
	    !wl_mul(n_codes, (size_t)g->n_shapes, &n_codes))
		return false;
	spec.n_codes = n_codes;
	return wl_groups_make(&spec, g, r->arena, ret);
}

/* Show the host only where processes of the table share a pid; false without memory. */
static bool hide_hosts(const struct grouping *g, const struct wl_groups *groups,
		       struct wl_table *out)
{
	bool *shown = WL_NEW(g->run->arena, bool, g->run->trace->n_processes);

	for (size_t i = 0; shown && i < groups->n; i++) {
		uint32_t process = unpack(g, groups->code[i]).owner->process;

		if (process != WL_NONE)
			shown[process] = true;
	}
	return shown && wl_hosts_hide(g->run, shown, out, HOST);
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	struct grouping g = { .run = r,
			      .by = (enum facet)r->arg[BY].i64,
			      .ops = wl_trace_ops(r->trace, WL_F_KERNELS) };
	struct wl_groups groups;
	bool ok;

	wl_intern_init(&g.owners, sizeof(struct owner), wl_arena_budget(r->arena));
	ok = make_groups(&g, &groups) && hide_hosts(&g, &groups, out);
	for (size_t i = 0; ok && i < groups.n; i++)
		put_row(out, &g, unpack(&g, groups.code[groups.order[i]]),
			&groups.stats[groups.order[i]], groups.total);
	wl_intern_release(&g.owners);
	if (!ok)
		return wl_no_memory(&wl_analysis_kernels, reterr);
	note_graphs(r, out);
	return WL_OK;
}

const struct wl_analysis wl_analysis_kernels = {
	.name = "kernels",
	.help = "Rank GPU kernels by time",
	.about = "Kernels grouped by name and device. A sum of durations is not time used: kernels "
		 "on several streams run at once (see overlap). Percentiles are exact, nearest "
		 "rank. "
		 "A kernel that straddles the window's edge counts with its inside part.",
	.needs = needs,
	.want = want,
	.hidden = hidden,
	.why_empty = why_empty,
	.params = params,
	.n_params = WL_COUNT(params),
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.aliases = aliases,
	.examples = examples,
	.run = run,
};
