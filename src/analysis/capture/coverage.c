/* SPDX-License-Identifier: MIT */
/* coverage.c - how much of the trace answers can use. */
#include "analysis/analysis.h"
#include "derive/calls/launch.h"
#include "derive/calls/skew.h"
#include "derive/derived.h"

WL_DECLARE_ANALYSIS(coverage);

enum { WHAT, HAVE, OF, SHARE };

static const struct wl_col cols[] = {
	[WHAT] = { "what", "Population", WL_T_STR, WL_KEY, "What is counted." },
	[HAVE] = { "have", "Have", WL_T_COUNT, WL_SUM, "How many can be used." },
	[OF] = { "of", "Of", WL_T_COUNT, WL_SUM, "How many there are." },
	[SHARE] = { "share", "Share", WL_T_RATIO, WL_PLAIN, "The first over the second." },
};

static const char *const populations[WL_N_OP_FAMILIES] = {
	"kernels with a launch call",
	"copies with a launch call",
	"memory sets with a launch call",
	"graph replays with a launch call",
};

/* A few early operations are due to clock resolution: a process is skewed if most of its operations
 * are early. */
static void note_early(const struct wl_run *r, size_t n_early, size_t n_linked, const bool *skewed,
		       struct wl_table *out)
{
	size_t n_skewed = 0;

	for (size_t i = 0; i < r->trace->n_processes; i++)
		n_skewed += skewed[i];
	if (n_skewed)
		wl_table_note(out,
			      "CPU and GPU clocks disagree: %zu of %zu operations start before "
			      "their launch call, most of those of %zu process%s; idle causes "
			      "are unknown there",
			      n_early, n_linked, n_skewed, n_skewed == 1 ? "" : "es");
	else if (n_early)
		wl_table_note(out,
			      "%zu of %zu operations start before their launch call: too few to "
			      "say that CPU and GPU clocks disagree",
			      n_early, n_linked);
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	const struct wl_trace *t = r->trace;
	const struct wl_links *links = r->derived->links;
	const bool *skewed = wl_skew_find(t, links, r->arena);
	size_t n_early = 0, n_linked = 0;

	if (!skewed)
		return wl_no_memory(&wl_analysis_coverage, reterr);
	for (size_t f = 0; f < WL_N_OP_FAMILIES; f++) {
		struct wl_ops ops = wl_trace_ops(t, wl_op_families[f]);
		int64_t have = 0;

		for (size_t i = 0; i < ops.n; i++) {
			uint32_t call = wl_link_of(links, (enum wl_op_kind)f, i);

			have += call != WL_NONE;
			n_early += call != WL_NONE && ops.start[i] < wl_api_start(t)[call];
		}
		n_linked += (size_t)have;
		if (ops.n == 0)
			continue;
		wl_table_row(out);
		wl_put_str(out, WHAT, populations[f]);
		wl_put_i64(out, HAVE, have);
		wl_put_i64(out, OF, (int64_t)ops.n);
		wl_put_ratio(out, SHARE, have, (int64_t)ops.n);
	}
	note_early(r, n_early, n_linked, skewed, out);
	return WL_OK;
}

const struct wl_analysis wl_analysis_coverage = {
	.name = "coverage",
	.help = "Show how much of the trace can be used",
	.on_host = true,
	.of_file = true,
	.from = WL_FROM(LINKS),
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.run = run,
};
