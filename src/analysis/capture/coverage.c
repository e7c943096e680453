/* SPDX-License-Identifier: MIT */
/* coverage.c - the share of the trace that answers can use. */
#include "analysis/analysis.h"
#include "derive/calls/launch.h"
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

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	const struct wl_trace *t = r->trace;
	const struct wl_links *links = r->derived->links;
	size_t n_early = 0, n_linked = 0;

	(void)reterr;
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
	if (n_early)
		wl_table_note(out,
			      "%zu of %zu operations begin before their launch call: the clocks "
			      "of CPU and GPU are skewed%s",
			      n_early, n_linked,
			      n_early * 2 > n_linked ? ", and causes of waiting are unknown" : "");
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
