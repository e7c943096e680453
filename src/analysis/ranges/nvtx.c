/* SPDX-License-Identifier: MIT */
/* nvtx.c - NVTX ranges by name: host time, and the GPU work launched inside them. */
#include "analysis/hosts.h"
#include "analysis/ranges/range_rows.h"
#include "base/memory/sort.h"

WL_DECLARE_ANALYSIS(nvtx);

enum { WARN = WL_N_RANGE_PARAMS, BY };

static const char *const facets[] = { "name", "pid", NULL };

static const struct wl_param params[] = {
	[WL_RANGE_EXACT] = WL_RANGE_EXACT_PARAM,
	[WL_RANGE_DOMAIN] = WL_RANGE_DOMAIN_PARAM,
	[WL_RANGE_NO_BRIDGE] = WL_RANGE_NO_BRIDGE_PARAM,
	[WARN] = { .key = "nvtx-coverage-warn",
		   .type = WL_P_RATIO,
		   /* The threshold of the finding low-nvtx-coverage. */
		   .def = "0.7",
		   .alias = "nvtx-coverage-warn-threshold",
		   .help = "Warn when ranges cover less of the kernels' time." },
	[BY] = { .key = "by",
		 .type = WL_P_ENUM,
		 .def = "name",
		 .choices = facets,
		 .help = "What to group by; pid adds the process." },
};

static const struct wl_alias aliases[] = {
	{ .name = "nvtx_sum" },
	{ .name = "nvtx_pushpop_sum" },
	{ .name = "nvtx_gpu_proj_sum" },
	{ .name = "nvtx_layer_breakdown" },
	{ .name = NULL },
};

static const struct wl_example examples[] = {
	{ "warplens nvtx run.sqlite", "Ranges by host time." },
	{ "warplens nvtx run.sqlite --sort -projected -n 5",
	  "The five that take longest on the GPU." },
	{ "warplens nvtx run.sqlite --exact-names --where 'name ~ ^step'", "Each step apart." },
	{ NULL, NULL },
};

/* Rows by process have the same columns, plus those of the process. */
static uint64_t hidden(const union wl_arg *arg)
{
	uint64_t pid = UINT64_C(1) << WL_RANGE_PID | UINT64_C(1) << WL_RANGE_HOST;

	return wl_range_hidden(arg) & ~(arg[BY].i64 == WL_RANGE_BY_PID ? pid : 0);
}

/* Show the host only if processes of the table share a pid; false if memory runs out. */
static bool hide_hosts(const struct wl_run *r, const struct wl_range_rows *rows,
		       const uint32_t *fold, size_t n, struct wl_table *out)
{
	bool *shown = WL_NEW(r->arena, bool, r->trace->n_processes);

	for (size_t i = 0; shown && i < n; i++) {
		uint32_t process = rows->folds.fold[fold[i]].process;

		if (process != WL_NONE)
			shown[process] = true;
	}
	return shown && wl_hosts_hide(r, shown, out, WL_RANGE_HOST);
}

static bool row_less(const void *ctx, uint32_t a, uint32_t b)
{
	return wl_range_row_less(ctx, a, b);
}

static void warn(const struct wl_range_rows *rows, double threshold, struct wl_table *out)
{
	const struct wl_range_uses *u = &rows->uses;
	/* With bridging, the backward pass of PyTorch counts as covered, as in the bridged
	 * columns. */
	wl_ns in = rows->bridge ? u->kernels_bridged : u->kernels_in;

	if (u->kernels && (double)in < threshold * (double)u->kernels)
		wl_table_note(out,
			      "GPU columns cover %.1f%% of the kernel time: the rest was "
			      "launched outside push/pop ranges",
			      100.0 * (double)in / (double)u->kernels);
}

/* Absent unless payloads were exported; their absence needs no note. */
static void want(const union wl_arg *arg, struct wl_wanted *wanted)
{
	(void)arg;
	wl_columns_add(&wanted->columns, WL_NVTX_READ);
}

/* Tensor shapes in newer captures are such payloads, which no layout describes. */
static void note_payloads(const struct wl_trace *t, struct wl_table *out)
{
	const uint8_t *read = wl_nvtx_read(t);
	size_t n = 0, unread = 0;

	for (size_t i = 0; read && i < t->family[WL_F_NVTX].n; i++) {
		n += read[i] != WL_NO_U8;
		unread += read[i] == 0;
	}
	if (unread)
		wl_table_note(out,
			      "%zu of %zu binary payloads are not read, or not all of their "
			      "fields: shapes of tensors may be in them",
			      unread, n);
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	struct wl_range_rows rows;
	uint32_t *order;
	size_t n = 0;
	int result = wl_range_rows_find(&wl_analysis_nvtx, r, (enum wl_range_facet)r->arg[BY].i64,
					&rows, reterr);

	if (result < 0)
		return result;
	order = WL_NEW(r->arena, uint32_t, 2 * rows.folds.n);
	if (!order)
		return wl_no_memory(&wl_analysis_nvtx, reterr);
	for (uint32_t i = 0; i < rows.folds.n; i++) {
		if (wl_range_row_is_used(&rows, i))
			order[n++] = i;
	}
	if (!hide_hosts(r, &rows, order, n, out))
		return wl_no_memory(&wl_analysis_nvtx, reterr);
	wl_sort_index(order, n, order + rows.folds.n, row_less, &rows);
	for (size_t i = 0; i < n; i++)
		wl_range_row_put(&rows, order[i], out);
	wl_range_rows_cover(&rows, out);
	wl_range_note_window(r, out);
	warn(&rows, r->arg[WARN].f64, out);
	note_payloads(r->trace, out);
	return WL_OK;
}

const struct wl_analysis wl_analysis_nvtx = {
	.name = "nvtx",
	.topic = WL_TOPIC_TIME,
	.listed = { .level = WL_LEVEL_FIRST,
		    .line = "Time by NVTX range; --tree, --kernels",
		    .all = "Time by NVTX range; --tree, --kernels, --phase-map FILE" },
	.help = "Rank NVTX ranges by host time, with their GPU work",
	.about =
		"Ranges of one name are one row, the largest host_sum first; # replaces numbers "
		"that only count. A GPU operation belongs to all push/pop ranges around its launch "
		"call on the launching thread, and counts once in a row. A "
		"start/end range that begins and ends on one thread owns the launches inside it on "
		"that thread. What another thread launched while a range was open on the thread "
		"with most ranges is in the bridged columns only. A range outside the window may "
		"own operations inside it; its count is then 0.",
	.needs = wl_range_needs,
	.needs_any = wl_range_counted,
	.from = WL_FROM(RANGE_USES),
	.want = want,
	.hidden = hidden,
	.params = params,
	.n_params = WL_COUNT(params),
	.cols = wl_range_cols,
	.n_cols = WL_N_RANGE_COLS,
	.aliases = aliases,
	.examples = examples,
	.run = run,
};
