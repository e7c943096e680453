/* SPDX-License-Identifier: MIT */
/* matrix.c - for how long any two kinds of work overlap. */
#include "analysis/analysis.h"
#include "base/process/pool.h"
#include "derive/comm/pairs.h"
#include "derive/derived.h"

WL_DECLARE_ANALYSIS(matrix);

/* A column per set follows the two keys, in the order of sets. */
enum { DEVICE, SET, FIRST };

#define WL_COLLECTIVE_NAME(TYPE, part)
#define WL_COLLECTIVE(TYPE, key, title)                                                            \
	[FIRST + WL_N_CLASSES + WL_##                                                              \
		TYPE] = { key, title, WL_T_NS, WL_SUM | WL_MINOR,                                  \
			  "Time with the row's kind and communication of this kind under way." },

static const struct wl_col cols[] = {
	[DEVICE] = { "device", "GPU", WL_T_COUNT, WL_KEY, "Device, numbered as in info." },
	[SET] = { "a", "Kind", WL_T_STR, WL_KEY,
		  "Kind of work: a class, or a kind of collective." },
	[FIRST + WL_COMPUTE] = { "compute", "Compute", WL_T_NS, WL_SUM,
				 "Time with the row's kind and compute under way." },
	[FIRST + WL_COMM] = { "comm", "Comm", WL_T_NS, WL_SUM,
			      "Time with the row's kind and communication under way." },
	[FIRST + WL_COPY] = { "copy", "Copy", WL_T_NS, WL_SUM,
			      "Time with the row's kind and a copy under way." },
#include "known/kernels/collectives.def"
};

static const enum wl_column_id needs_any[] = { WL_OP_STARTS, WL_N_COLUMNS };

static const struct wl_alias aliases[] = {
	{ .name = "kernel_overlap_matrix" },
	{ .name = NULL },
};

static const struct wl_example examples[] = {
	{ "warplens matrix run.sqlite", "What runs together with what." },
	{ "warplens matrix run.sqlite --where 'a = comm'", "What hides communication." },
	{ NULL, NULL },
};

struct finding {
	const struct wl_run *run;
	struct wl_pairs *pairs; /* by device */
};

static bool find_device(void *ctx, size_t device, struct wl_arena *arena)
{
	struct finding *f = ctx;

	return !f->run->scope->device_on[device] ||
	       wl_pairs_find(f->run->derived, f->run->scope, (uint32_t)device, arena,
			     &f->pairs[device]);
}

static const char *set_name(unsigned set)
{
	return set < WL_N_CLASSES ? wl_class_name((enum wl_class)set)
				  : wl_collective_key((enum wl_collective)(set - WL_N_CLASSES));
}

/* Whether a set has numbers. Inside replays recorded whole they are unknown. */
static bool is_known(const struct wl_pairs *p, unsigned set)
{
	if (set == WL_COMPUTE || set == WL_COPY)
		return true;
	if (p->n_graphs && !p->n_comm_kernels)
		return false;
	return set == WL_COMM || p->n_ops[set];
}

static void put_device(struct wl_table *out, uint32_t device, const struct wl_pairs *p)
{
	for (unsigned a = 0; a < WL_N_SETS; a++) {
		if (a >= WL_N_CLASSES && !is_known(p, a))
			continue;
		wl_table_row(out);
		wl_put_i64(out, DEVICE, device);
		wl_put_str(out, SET, set_name(a));
		for (unsigned b = 0; b < WL_N_SETS; b++) {
			if (is_known(p, a) && is_known(p, b))
				wl_put_i64(out, FIRST + b, p->ns[a][b]);
		}
	}
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	struct finding f = { .run = r,
			     .pairs = WL_NEW(r->arena, struct wl_pairs, r->trace->n_devices) };
	size_t n_graphs = 0;

	if (!f.pairs || !wl_pool_map(r->pool, r->trace->n_devices, find_device, &f, r->arena))
		return wl_no_memory(&wl_analysis_matrix, reterr);
	for (uint32_t d = 0; d < r->trace->n_devices; d++) {
		if (!r->scope->device_on[d])
			continue;
		put_device(out, d, &f.pairs[d]);
		n_graphs += f.pairs[d].n_graphs;
	}
	if (n_graphs)
		wl_table_note(out,
			      "%zu CUDA graph replays count as compute; communication inside "
			      "them is not visible",
			      n_graphs);
	return WL_OK;
}

static const struct wl_form forms[] = { { WL_FORM("overlap", "by"), .value = "pair" },
					{ .verb = NULL } };

const struct wl_analysis wl_analysis_matrix = {
	.name = "matrix",
	.topic = WL_TOPIC_TIME,
	.forms = forms,
	.help = "Show how long any two kinds of work run together",
	.about = "For each device the time in which both of two kinds are under way. A kind is "
		 "compute (with memory sets, copies within the GPU and graph replays), "
		 "communication, copies, or one "
		 "kind of collective. The diagonal is the busy time of the kind. Kinds of "
		 "collective that the device does not have are absent; times of different kinds "
		 "may be the same time and do not add up. Rows are in the order of the columns.",
	.needs_any = needs_any,
	.from = WL_FROM(CLASSES) | WL_FROM(COLLECTIVES),
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.aliases = aliases,
	.examples = examples,
	.run = run,
};
