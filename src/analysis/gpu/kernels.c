/* SPDX-License-Identifier: MIT */
/* kernels.c - GPU kernels by name: how often, how long. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/gpu/kernel_blocks.h"
#include "analysis/hosts.h"
#include "analysis/name_categories.h"
#include "analysis/stat_cols.h"
#include "base/memory/intern.h"
#include "base/memory/sort.h"
#include "base/memory/texts.h"
#include "base/num.h"
#include "derive/rows/device_sums.h"
#include "derive/rows/groups.h"
#include "known/kernels/names.h"

WL_DECLARE_ANALYSIS(kernels);

enum {
	NAME,
	DEVICE,
	PID,
	HOST,
	CONTEXT,
	STREAM,
	GRID,
	BLOCK,
	CATEGORY,
	CALLS,
	SUM,
	SHARE,
	GPU_MIN,
	GPU_MAX,
	MAX_ON,
	AVG,
	P50,
	P90,
	P99,
	MIN,
	MAX,
	STDDEV,
	GPUS,
	MIN_ON,
	BLOCKS
};

static const struct wl_col cols[BLOCKS + WL_N_BLOCK_COLS] = {
	[NAME] = { "name", "Kernel", WL_T_STR, WL_KEY | WL_KERNEL | WL_ANSWER,
		   "The kernel's name, as --name asks." },
	[DEVICE] = { "device", "GPU", WL_T_COUNT, WL_KEY, "Device, numbered as in info." },
	[PID] = { "pid", "PID", WL_T_COUNT, WL_KEY, "Process that launched the kernel." },
	[HOST] = WL_COL_HOST,
	[CONTEXT] = { "context", "Context", WL_T_COUNT, WL_KEY | WL_MINOR,
		      "CUDA context; stream numbers are its own." },
	[STREAM] = { "stream", "Stream", WL_T_COUNT, WL_KEY, "CUDA stream of the kernel." },
	[GRID] = { "grid", "Grid", WL_T_STR, WL_KEY, "Blocks in x, y and z." },
	[BLOCK] = { "block", "Block", WL_T_STR, WL_KEY, "Threads of a block in x, y and z." },
	[CATEGORY] = { "category", "Category", WL_T_ENUM, WL_KEY | WL_MINOR,
		       "What the rules call the kernel, as in categories." },
	[CALLS] = WL_COL_CALLS("Executions with a part in the window."),
	[SUM] = WL_COL_SUM,
	[SHARE] = WL_COL_SHARE(WL_ANSWER, "Share of the sum over all kernels in the window."),
	[GPU_MIN] = { "gpu_min", "GPU min", WL_T_NS, WL_PLAIN,
		      "Sum on the GPU with the smallest one." },
	[GPU_MAX] = { "gpu_max", "GPU max", WL_T_NS, WL_PLAIN,
		      "Sum on the GPU with the largest one." },
	[MAX_ON] = { "max_on", "Max on", WL_T_COUNT, WL_PLAIN, "The GPU of gpu_max." },
	[AVG] = WL_COL_AVG(WL_MINOR),
	[P50] = WL_COL_P50,
	[P90] = WL_COL_P90,
	[P99] = WL_COL_P99,
	[MIN] = WL_COL_MIN,
	[MAX] = WL_COL_MAX(WL_MINOR),
	[STDDEV] = WL_COL_STDDEV,
	[GPUS] = { "gpus", "GPUs", WL_T_COUNT, WL_MINOR, "GPUs that ran the kernel." },
	[MIN_ON] = { "min_on", "Min on", WL_T_COUNT, WL_MINOR, "The GPU of gpu_min." },
	[BLOCKS] = WL_BLOCK_COLS,
};

/* Columns of a row that merges GPUs. */
static const uint64_t spread_cols = UINT64_C(1) << GPU_MIN | UINT64_C(1) << GPU_MAX |
				    UINT64_C(1) << MAX_ON | UINT64_C(1) << GPUS |
				    UINT64_C(1) << MIN_ON;

/* Columns about the blocks of a kernel. */
static const uint64_t block_cols = ((UINT64_C(1) << WL_N_BLOCK_COLS) - 1) << BLOCKS;

enum { NAMING, BY, RULES, N_PARAMS = RULES + WL_N_RULE_PARAMS };

enum naming { LABEL, DEMANGLED, SHORT, MANGLED, BASE };
static const char *const namings[] = { "label", "demangled", "short", "mangled", "base", NULL };

enum facet { BY_DEVICE, BY_NAME, BY_PID, BY_STREAM, BY_GRID, BY_CATEGORY, BY_BLOCK };
static const char *const facets[] = { "device", "name",     "pid",   "stream",
				      "grid",   "category", "block", NULL };

static const struct wl_param params[N_PARAMS] = {
	[NAMING] = { .key = "name",
		     .type = WL_P_ENUM,
		     .def = "label",
		     .choices = namings,
		     .help = "Which name to group by. label and demangled group by the whole "
			     "name, of which tables show a label or all; base has no template "
			     "arguments." },
	[BY] = { .key = "by",
		 .type = WL_P_ENUM,
		 .def = "device",
		 .people_def = "name",
		 .choices = facets,
		 .help = "Group by this. name and category merge all GPUs and show the spread; "
			 "block shows the thread blocks of each name, where they were recorded." },
	[RULES] = WL_PARAM_ENGINE,
	[RULES + 1] = WL_PARAM_MODEL,
	[RULES + 2] = WL_PARAM_RULES,
	[RULES + 3] = WL_PARAM_ENGINES,
};

static const enum wl_column_id needs[] = { WL_KERNELS_START, WL_KERNELS_DUR, WL_KERNELS_PLACE,
					   WL_KERNELS_NAME, WL_N_COLUMNS };

/*
 * Launch configurations are nine columns of the file. Reading them doubles the CPU time of an
 * answer about 10 million kernels.
 */
static void want(const union wl_arg *arg, struct wl_wanted *wanted)
{
	if (arg[BY].i64 == BY_GRID)
		wl_columns_add(&wanted->columns, WL_KERNELS_CONFIG);
	if (arg[BY].i64 == BY_BLOCK)
		wl_want(wanted, 0, wl_block_columns);
}

static const struct wl_alias aliases[] = {
	{ .name = "cuda_gpu_kern_sum" },
	{ .name = "gpukernsum" },
	{ .name = "top_kernels" },
	{ .name = "top" },
	{ "cuda_gpu_kern_gb_sum", { { "by", "grid" } } },
	{ "iteration_detail", { { "window", "steady" } } },
	{ .name = NULL },
};

static const struct wl_example examples[] = {
	{ "warplens kernels run.sqlite -n 5", "The five kernels with the largest sum." },
	{ "warplens kernels run.sqlite --by stream --name short", "By stream, with short names." },
	{ "warplens kernels run.sqlite --where 'category = gemm'", "What counts as gemm." },
	{ "warplens kernels run.sqlite --where 'p99 > 1ms' --sort -calls",
	  "Long tails, rare first." },
	{ NULL, NULL },
};

/* An empty ranking would look like an idle GPU. */
static const char *why_empty(const struct wl_trace *t)
{
	if (t->family[WL_F_GRAPHS].n)
		return "CUDA graph replays were recorded whole, without their kernels; record with "
		       "nsys profile --cuda-graph-trace=node";
	return NULL;
}

/* The parts of a place that define a group. Members that do not matter are WL_NONE. */
struct owner {
	uint32_t device, process, context, stream;
};

/*
 * The code of a group combines three numbers: its owner, the label of its name, and its shape,
 * which is 0 if launch configurations do not matter. If there are few codes, each one is a group,
 * without hashing every row: 10 million kernels take a seventh of the time.
 */
struct grouping {
	const struct wl_run *run;
	enum facet by;
	const char **text;       /* by kernel name, in the requested form */
	const uint32_t *label;   /* by kernel name: the first with this text */
	const uint32_t *shape;   /* by launch configuration: the first with this grid and block */
	uint64_t n_shapes;       /* 1 if they do not matter */
	struct wl_intern owners; /* struct owner */
	const uint32_t *owner;   /* by place; WL_NONE if its kernels do not count */
	struct wl_ops ops;       /* the kernels */
	struct wl_name_categories categories;
	const uint8_t *category;            /* by label; NO_CATEGORY if its names differ in it */
	const struct wl_device_sum *spread; /* by label; NULL if devices have separate rows */
};

enum { NO_CATEGORY = UINT8_MAX };

static uint64_t pack(const struct grouping *g, uint32_t owner, uint32_t label, uint32_t shape)
{
	return ((uint64_t)owner * g->run->trace->n_kernel_names + label) * g->n_shapes + shape;
}

/* The parts that pack combined. */
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

/* The text of a kernel's name in the requested form. */
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

/* The text that a name is grouped by: the name in the requested form, or its category. */
static const char *group_text(const struct grouping *g, size_t name)
{
	const struct wl_run *r = g->run;

	if (g->by == BY_CATEGORY)
		return g->categories.rules.category[g->categories.map.of_kernel_name[name]];
	return name_text(r->trace, &r->trace->kernel_names[name], (enum naming)r->arg[NAMING].i64,
			 r->arena);
}

/* Names with equal text share a label, the first such name. */
static bool make_labels(struct grouping *g)
{
	size_t n = g->run->trace->n_kernel_names;

	g->text = WL_NEW(g->run->arena, const char *, n);
	for (size_t i = 0; g->text && i < n; i++) {
		g->text[i] = group_text(g, i);
		if (!g->text[i])
			return false;
	}
	g->label = g->text ? wl_texts_merge(g->text, n, g->run->arena) : NULL;
	return g->label != NULL;
}

/* Finds the category that all names of a label share. */
static bool find_categories(struct grouping *g)
{
	size_t n = g->run->trace->n_kernel_names;
	const uint8_t *of_name = g->categories.map.of_kernel_name;
	uint8_t *category = WL_NEW(g->run->arena, uint8_t, n + 1);

	for (size_t i = 0; category && i < n; i++) {
		uint32_t label = g->label[i];

		/* A label is the first of its names. */
		if (label == i)
			category[i] = of_name[i];
		else if (category[label] != of_name[i])
			category[label] = NO_CATEGORY;
	}
	g->category = category;
	return category != NULL;
}

/* Whether the devices of a name share a row. */
static bool merges_devices(enum facet by)
{
	return by == BY_NAME || by == BY_CATEGORY || by == BY_BLOCK;
}

/* Finds how names are spread over devices, if there are several; false if memory runs out. */
static bool find_spread(struct grouping *g)
{
	const struct wl_run *r = g->run;
	size_t n_devices = 0;

	for (size_t d = 0; d < r->trace->n_devices; d++)
		n_devices += r->scope->device_on[d];
	if (!merges_devices(g->by) || n_devices < 2)
		return true;
	g->spread = wl_device_sums_find(r->trace, r->scope, g->label, r->arena);
	return g->spread != NULL;
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

/* Configurations that differ only in registers or shared memory look the same: one group. */
static uint32_t *make_shapes(const struct wl_trace *t, struct wl_arena *arena)
{
	size_t n = t->n_configs;
	uint32_t *shape = WL_NEW(arena, uint32_t, n);
	uint32_t *order = WL_NEW(arena, uint32_t, 2 * n);

	if (!shape || !order)
		return NULL;
	wl_sort_all(order, n, shape_less, &(struct configs){ t->configs });
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

	return (struct owner){ .device = merges_devices(g->by) ? WL_NONE : p->device,
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

		/* The selection is evaluated once per place, not per kernel. */
		owner[i] = WL_NONE;
		if (!g->run->scope->place_on[i])
			continue;
		owner[i] = wl_intern_put(&g->owners, &o);
		if (owner[i] == WL_NONE)
			return false;
	}
	return owner != NULL;
}

/* Values of rows in a window; rows outside it do not count. */
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

/* By name, then by the other keys: the order depends on nothing else. */
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

	/* The file does not say; the cell stays unset. */
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

static void put_spread(struct wl_table *out, const struct wl_device_sum *s)
{
	wl_put_i64(out, GPUS, s->n);
	wl_put_i64(out, GPU_MIN, s->min);
	wl_put_i64(out, MIN_ON, s->min_on);
	wl_put_i64(out, GPU_MAX, s->max);
	wl_put_i64(out, MAX_ON, s->max_on);
}

static void put_keys(struct wl_table *out, const struct grouping *g, struct key k)
{
	const struct wl_trace *t = g->run->trace;
	uint8_t category = g->category[k.label];

	if (g->by != BY_CATEGORY)
		wl_put_str(out, NAME, g->text[k.label]);
	if (category != NO_CATEGORY)
		wl_put_copy(out, CATEGORY, g->categories.rules.category[category]);
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
}

static void put_row(struct wl_table *out, const struct grouping *g, struct key k,
		    const struct wl_stats *s, int64_t total)
{
	wl_table_row(out);
	put_keys(out, g, k);
	/*
	 * If devices are merged, a row is a label, and the spread of the label is that of its row.
	 */
	if (g->spread)
		put_spread(out, &g->spread[k.label]);
	wl_put_i64(out, CALLS, (int64_t)s->n);
	wl_put_i64(out, SUM, s->sum);
	wl_put_ratio(out, SHARE, s->sum, total);
	wl_put_stats(out, AVG, WL_STAT_SPREAD | WL_STAT_P99, s);
}

static uint64_t hidden_of_runs(const union wl_arg *arg)
{
	static const uint64_t pid = UINT64_C(1) << PID | UINT64_C(1) << HOST;
	static const uint64_t device = UINT64_C(1) << DEVICE;
	static const uint64_t stream = UINT64_C(1) << CONTEXT | UINT64_C(1) << STREAM;
	static const uint64_t grid = UINT64_C(1) << GRID | UINT64_C(1) << BLOCK;

	switch ((enum facet)arg[BY].i64) {
	case BY_NAME:
		return device | pid | stream | grid;
	case BY_CATEGORY:
		return UINT64_C(1) << NAME | device | pid | stream | grid;
	case BY_PID:
		return stream | grid | spread_cols;
	case BY_STREAM:
		return grid | spread_cols;
	case BY_GRID:
		return pid | stream | spread_cols;
	case BY_BLOCK:
		return ~(UINT64_C(1) << NAME | UINT64_C(1) << CATEGORY | UINT64_C(1) << CALLS |
			 block_cols);
	case BY_DEVICE:
		break;
	}
	return pid | stream | grid | spread_cols;
}

static uint64_t hidden(const union wl_arg *arg)
{
	return hidden_of_runs(arg) | (arg[BY].i64 == BY_BLOCK ? 0 : block_cols);
}

/* Kernels inside replays recorded whole are missing from the table. */
static void note_graphs(const struct wl_run *r, struct wl_table *out)
{
	size_t n_graphs = wl_ops_admitted(r->trace, r->scope, WL_F_GRAPHS), n_kernels;

	if (n_graphs == 0)
		return;
	n_kernels = wl_ops_admitted(r->trace, r->scope, WL_F_KERNELS);
	wl_table_cover(out, "operations_seen_as_kernels", (int64_t)n_kernels,
		       (int64_t)(n_kernels + n_graphs));
	wl_table_note(out,
		      "kernels of %zu CUDA graph replays are missing here (record with "
		      "--cuda-graph-trace=node)",
		      n_graphs);
}

/* False if memory runs out, or if codes did not fit in 64 bits, which needs more rows than memory
 * holds. */
static bool make_groups(struct grouping *g, struct wl_groups *ret)
{
	const struct wl_run *r = g->run;
	struct wl_group_spec spec = {
		.n_rows = g->ops.n, .codes = codes, .compare = compare, .pool = r->pool
	};
	size_t n_codes;

	g->shape = make_shapes(r->trace, r->arena);
	g->n_shapes = g->by == BY_GRID && r->trace->n_configs ? r->trace->n_configs : 1;
	if (!g->shape || !make_labels(g) || !find_categories(g) || !find_spread(g) ||
	    !make_owners(g, r->arena) ||
	    !wl_mul(g->owners.items.n, r->trace->n_kernel_names, &n_codes) ||
	    !wl_mul(n_codes, (size_t)g->n_shapes, &n_codes))
		return false;
	spec.n_codes = n_codes;
	return wl_groups_make(&spec, g, r->arena, ret);
}

/* Show the host only if processes of the table share a pid; false if memory runs out. */
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

static bool fill(struct grouping *g, struct wl_table *out)
{
	struct wl_groups groups;
	bool ok = make_groups(g, &groups) && hide_hosts(g, &groups, out);

	/* For one GPU it would only repeat the sum. */
	out->hidden |= g->spread ? 0 : spread_cols;
	for (size_t i = 0; ok && i < groups.n; i++)
		put_row(out, g, unpack(g, groups.code[groups.order[i]]),
			&groups.stats[groups.order[i]], groups.total);
	return ok;
}

struct tails {
	const char *const *text; /* by label */
	const struct wl_block_use *use;
};

/* Longest tail first, then by name. */
static bool tail_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct tails *t = ctx;

	if (t->use[a].tail != t->use[b].tail)
		return t->use[a].tail > t->use[b].tail;
	return strcmp(t->text[a], t->text[b]) < 0;
}

/* Fill the block columns, by label. False if memory runs out. */
static bool fill_blocks(struct grouping *g, struct wl_table *out)
{
	const struct wl_run *r = g->run;
	size_t n = r->trace->n_kernel_names;
	struct wl_block_use *use = WL_NEW(r->arena, struct wl_block_use, n);
	uint32_t *order = WL_NEW(r->arena, uint32_t, 2 * n);
	struct wl_block_runs runs;
	size_t n_rows = 0;

	if (!use || !order || !make_labels(g) || !find_categories(g) ||
	    !wl_block_runs_find(r->trace, r->scope, r->arena, &runs))
		return false;
	for (size_t i = 0; i < runs.n; i++)
		wl_block_use_add(&use[g->label[wl_kernels_name(r->trace)[runs.run[i].row]]],
				 &runs.run[i].use);
	for (uint32_t label = 0; label < n; label++) {
		if (use[label].runs)
			order[n_rows++] = label;
	}
	wl_sort_index(order, n_rows, order + n, tail_less, &(struct tails){ g->text, use });
	for (size_t i = 0; i < n_rows; i++) {
		static const struct owner merged = { WL_NONE, WL_NONE, WL_NONE, WL_NONE };

		wl_table_row(out);
		put_keys(out, g, (struct key){ &merged, order[i], 0 });
		wl_put_i64(out, CALLS, use[order[i]].runs);
		wl_blocks_put(&use[order[i]], BLOCKS, out);
	}
	wl_blocks_note(r, &runs, out);
	return true;
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	bool by_block = r->arg[BY].i64 == BY_BLOCK;

	struct grouping g = { .run = r,
			      .by = (enum facet)r->arg[BY].i64,
			      .ops = wl_trace_ops(r->trace, WL_F_KERNELS) };
	int result = wl_name_categories_init(&g.categories, r, r->arg + RULES, "kernels", reterr);

	wl_intern_init(&g.owners, sizeof(struct owner), wl_arena_budget(r->arena));
	if (result == WL_OK)
		wl_rules_note(&g.categories.rules, r->arg + RULES, out);
	if (result == WL_OK && !(by_block ? fill_blocks(&g, out) : fill(&g, out)))
		result = wl_no_memory(&wl_analysis_kernels, reterr);
	wl_intern_release(&g.owners);
	wl_name_categories_release(&g.categories);
	if (result < 0)
		return result;
	if (r->arg[NAMING].i64 == DEMANGLED)
		wl_table_show_whole(out, NAME);
	note_graphs(r, out);
	return WL_OK;
}

static const char *lacks(const struct wl_run *r)
{
	return r->arg[BY].i64 == BY_BLOCK ? wl_blocks_lack(r->trace) : NULL;
}

static int check(const union wl_arg *arg, struct wl_err *reterr)
{
	return wl_rules_check("kernels", arg + RULES, reterr);
}

const struct wl_analysis wl_analysis_kernels = {
	.name = "kernels",
	.topic = WL_TOPIC_TIME,
	.listed = { .level = WL_LEVEL_FIRST,
		    .line = "GPU kernels by time; --by category, stream, grid, gpu",
		    .all = "GPU kernels by time; --by category, stream, grid, gpu; --list" },
	.help = "Rank GPU kernels by time",
	.about = "Kernels grouped by name. Tables for people (table, md, html) merge all GPUs and "
		 "show on which a kernel's sum is smallest and largest, if there are several; csv, "
		 "tsv, json and jsonl "
		 "have one row per name and GPU unless --by says otherwise. A sum of durations is "
		 "not busy time: kernels on several streams run at the same time (see overlap). "
		 "Percentiles are exact, nearest "
		 "rank. "
		 "A kernel that straddles the window's edge counts with its inside part.",
	.needs = needs,
	.from = WL_FROM(NAMED),
	.want = want,
	.check = check,
	.hidden = hidden,
	.why_empty = why_empty,
	.lacks = lacks,
	.params = params,
	.n_params = WL_COUNT(params),
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.aliases = aliases,
	.examples = examples,
	.run = run,
};
