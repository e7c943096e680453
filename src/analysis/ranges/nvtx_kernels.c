/* SPDX-License-Identifier: MIT */
/* nvtx_kernels.c - kernels by the path of NVTX ranges in which they were launched. */
#include <string.h>

#include "analysis/ranges/range_rows.h"
#include "analysis/stat_cols.h"
#include "base/memory/texts.h"
#include "derive/calls/launch.h"
#include "derive/derived.h"
#include "derive/nvtx/folds.h"
#include "derive/rows/groups.h"

WL_DECLARE_ANALYSIS(nvtx_kernels);

enum { PATH, KERNEL, CALLS, SUM, SHARE, AVG, MIN, MAX };

static const struct wl_col cols[] = {
	[PATH] = { "path", "Path", WL_T_STR, WL_KEY,
		   "Names from the outermost to the innermost range, joined by >." },
	[KERNEL] = { "kernel", "Kernel", WL_T_STR, WL_KEY | WL_KERNEL,
		     "The kernel's demangled name." },
	[CALLS] = WL_COL_CALLS("Executions with a part in the window."),
	[SUM] = WL_COL_SUM,
	[SHARE] = WL_COL_SHARE(
		WL_MINOR, "Share of the sum over all kernels in the window, inside ranges or not."),
	[AVG] = WL_COL_AVG(WL_PLAIN),
	[MIN] = WL_COL_MIN,
	[MAX] = WL_COL_MAX(WL_MINOR),
};

enum { EXACT };

static const struct wl_param params[] = {
	[EXACT] = WL_RANGE_EXACT_PARAM,
};

static const enum wl_column_id needs[] = { WL_KERNELS_START, WL_KERNELS_DUR,  WL_KERNELS_PLACE,
					   WL_KERNELS_NAME,  WL_KERNELS_CORR, WL_API_START,
					   WL_NVTX_START,    WL_N_COLUMNS };

static const struct wl_alias aliases[] = {
	{ .name = "nvtx_kern_sum" },
	{ .name = "nvtx_kernel_map" },
	{ .name = NULL },
};

static const struct wl_example examples[] = {
	{ "warplens nvtx-kernels run.sqlite -n 10", "Which layer runs which kernel." },
	{ "warplens nvtx-kernels run.sqlite --where 'kernel ~ gemm'", "Who runs matrix products." },
	{ NULL, NULL },
};

/* Paths and kernels with equal text share the number of the first one. */
struct mapping {
	const struct wl_run *run;
	const struct wl_forest *forest;
	const uint32_t *calls; /* by kernel: the API row that launched it */
	struct wl_ops ops;     /* the kernels */
	struct wl_folds folds;
	const char **path;           /* by fold; NULL if it launched no kernel in the window */
	uint32_t *same_path;         /* by fold: the first with this text */
	const char **kernel;         /* by kernel name: its demangled text */
	const uint32_t *same_kernel; /* by kernel name: the first with this text */
	wl_ns sum, sum_in;           /* time of all kernels, and of those in ranges */
};

/* Finds the duration in the window, and the fold that the kernel was launched in, or WL_NONE. */
static bool look_at(const struct mapping *m, size_t row, wl_ns *ret_dur, uint32_t *ret_fold)
{
	uint32_t call = m->calls[row], node;
	wl_ns start, end;

	if (!wl_op_clip(m->run->trace, m->run->scope, &m->ops, row, &start, &end))
		return false;
	node = call == WL_NONE ? WL_NONE : m->forest->of_call[call];
	*ret_dur = end - start;
	*ret_fold = node == WL_NONE ? WL_NONE : m->folds.of_node[node];
	return true;
}

/*
 * Texts of the paths that launched kernels. Names may contain " > ": two paths that read alike
 * count as one.
 */
static bool name_paths(struct mapping *m, struct wl_arena *arena)
{
	size_t n = 0;
	uint32_t *used = WL_NEW(arena, uint32_t, m->folds.n);
	const char **text = WL_NEW(arena, const char *, m->folds.n);
	const uint32_t *same;

	m->path = WL_NEW(arena, const char *, m->folds.n);
	m->same_path = WL_NEW(arena, uint32_t, m->folds.n);
	if (!used || !text || !m->path || !m->same_path)
		return false;
	for (size_t row = 0; row < m->ops.n; row++) {
		uint32_t fold;
		wl_ns dur;

		if (!look_at(m, row, &dur, &fold))
			continue;
		m->sum = wl_add_up(m->sum, dur);
		if (fold == WL_NONE)
			continue;
		m->sum_in = wl_add_up(m->sum_in, dur);
		if (m->path[fold])
			continue;
		text[n] = m->path[fold] = wl_fold_path(&m->folds, fold, arena);
		if (!text[n])
			return false;
		used[n++] = fold;
	}
	same = wl_texts_merge(text, n, arena);
	for (size_t i = 0; same && i < n; i++)
		m->same_path[used[i]] = used[same[i]];
	return same != NULL;
}

static bool name_kernels(struct mapping *m, struct wl_arena *arena)
{
	const struct wl_trace *t = m->run->trace;

	m->kernel = WL_NEW(arena, const char *, t->n_kernel_names);
	for (size_t i = 0; m->kernel && i < t->n_kernel_names; i++)
		m->kernel[i] = wl_str(t, t->kernel_names[i].demangled);
	m->same_kernel = m->kernel ? wl_texts_merge(m->kernel, t->n_kernel_names, arena) : NULL;
	return m->same_kernel != NULL;
}

/* A group is a path and a kernel. */
static uint64_t pack(const struct mapping *m, uint32_t path, uint32_t kernel)
{
	return (uint64_t)path * m->run->trace->n_kernel_names + kernel;
}

static const char *path_of(const struct mapping *m, uint64_t code)
{
	return m->path[code / m->run->trace->n_kernel_names];
}

static const char *kernel_of(const struct mapping *m, uint64_t code)
{
	return m->kernel[code % m->run->trace->n_kernel_names];
}

static void codes(void *ctx, size_t row, size_t n, uint64_t *code, int64_t *value)
{
	const struct mapping *m = ctx;
	const uint32_t *name = wl_kernels_name(m->run->trace);

	for (size_t i = 0; i < n; i++) {
		uint32_t fold;
		wl_ns dur;

		code[i] = WL_NO_CODE;
		if (!look_at(m, row + i, &dur, &fold) || fold == WL_NONE)
			continue;
		code[i] = pack(m, m->same_path[fold], m->same_kernel[name[row + i]]);
		if (value)
			value[i] = dur;
	}
}

static int compare(void *ctx, uint64_t code_a, uint64_t code_b)
{
	const struct mapping *m = ctx;
	int paths = strcmp(path_of(m, code_a), path_of(m, code_b));

	return paths ? paths : strcmp(kernel_of(m, code_a), kernel_of(m, code_b));
}

static bool find(struct mapping *m, struct wl_groups *groups)
{
	const struct wl_run *r = m->run;
	const struct wl_fold_opts opts = { .exact = r->arg[EXACT].flag, .by_path = true };
	struct wl_group_spec spec = {
		.n_rows = m->ops.n, .codes = codes, .compare = compare, .pool = r->pool
	};

	m->forest = r->derived->forest;
	if (!wl_calls_find(r->trace, WL_F_KERNELS, r->arena, &m->calls) ||
	    !wl_folds_find(r->derived, m->forest, &opts, r->arena, &m->folds) ||
	    !name_paths(m, r->arena) || !name_kernels(m, r->arena))
		return false;
	/* Both numbers have 32 bits: their product fits in 64. */
	spec.n_codes = (uint64_t)m->folds.n * r->trace->n_kernel_names;
	return wl_groups_make(&spec, m, r->arena, groups);
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	struct mapping m = { .run = r, .ops = wl_trace_ops(r->trace, WL_F_KERNELS) };
	struct wl_groups groups;
	int result;

	if (!find(&m, &groups))
		return wl_no_memory(&wl_analysis_nvtx_kernels, reterr);
	result = wl_range_names_check(m.folds.names, reterr);
	if (result < 0)
		return result;
	for (size_t i = 0; i < groups.n; i++) {
		uint64_t code = groups.code[groups.order[i]];
		const struct wl_stats *s = &groups.stats[groups.order[i]];

		wl_table_row(out);
		wl_put_str(out, PATH, path_of(&m, code));
		wl_put_str(out, KERNEL, kernel_of(&m, code));
		wl_put_i64(out, CALLS, (int64_t)s->n);
		wl_put_i64(out, SUM, s->sum);
		wl_put_ratio(out, SHARE, s->sum, m.sum);
		wl_put_stats(out, AVG, WL_STAT_AVG | WL_STAT_MIN | WL_STAT_MAX, s);
	}
	wl_table_cover_ns(out, "kernels_in_ranges", m.sum_in, m.sum);
	return WL_OK;
}

static const struct wl_form forms[] = { { WL_FORM("nvtx", "kernels") }, { .verb = NULL } };

const struct wl_analysis wl_analysis_nvtx_kernels = {
	.name = "nvtx-kernels",
	.topic = WL_TOPIC_TIME,
	.forms = forms,
	.help = "Rank kernels by the NVTX ranges that launched them",
	.about = "Each kernel counts once, under the path of push/pop ranges around its launch "
		 "call, the largest sum first. Kernels that were launched outside all ranges of "
		 "their thread are not listed; the coverage is the share of kernel time that is "
		 "listed.",
	.needs = needs,
	.from = WL_FROM(KERNEL_CALLS) | WL_FROM(FOLDS),
	.params = params,
	.n_params = WL_COUNT(params),
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.aliases = aliases,
	.examples = examples,
	.run = run,
};
