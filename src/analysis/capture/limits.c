/* SPDX-License-Identifier: MIT */
/* limits.c - what was not recorded, and the capture flags that record it. */
#include <inttypes.h>
#include <stdio.h>

#include "analysis/analysis.h"
#include "model/ranks.h"

WL_DECLARE_ANALYSIS(limits);

enum { QUESTION, REMEDY };

static const struct wl_col cols[] = {
	[QUESTION] = { "question", "Not recorded", WL_T_STR, WL_KEY | WL_PROSE,
		       "What the trace says nothing about." },
	[REMEDY] = { "remedy", "Record with", WL_T_STR, WL_PROSE,
		     "Option of nsys profile that records the data." },
};

static const struct {
	enum wl_family_id family;
	struct wl_parts question, remedy;
} limits[] = {
#define WL_LIMIT(FAMILY, what, of, with, option)                                                   \
	{ WL_F_##FAMILY, { { "", what, of } }, { { with, option } } },
#include "known/limits.def"
#undef WL_LIMIT
};

static void add_row(struct wl_table *out, const struct wl_parts *question,
		    const struct wl_parts *remedy)
{
	wl_table_row(out);
	wl_put_parts(out, QUESTION, question);
	wl_put_parts(out, REMEDY, remedy);
}

/* For a job: counts ranks as the note about missing ranks does. */
static void put_ranks(const struct wl_trace *t, struct wl_table *out)
{
	const int64_t missing = wl_ranks_missing(t);
	char text[80];

	if (missing == 0)
		return;
	(void)snprintf(text, sizeof(text), "%" PRId64 " of the job's ranks", missing);
	wl_table_row(out);
	wl_put_copy(out, QUESTION, text);
	wl_put_str(out, REMEDY, "profile every rank");
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	const struct wl_family *family = r->trace->family;

	(void)reterr;
	if (family[WL_F_GRAPHS].present)
		add_row(out, &(struct wl_parts){ { "", "kernels inside CUDA graphs" } },
			&(struct wl_parts){ { "nsys profile ", "--cuda-graph-trace=node" } });
	for (size_t i = 0; i < WL_COUNT(limits); i++) {
		/* Kernels are absent because graphs were recorded whole: the row above says so. */
		if (family[limits[i].family].present ||
		    (limits[i].family == WL_F_KERNELS && family[WL_F_GRAPHS].present))
			continue;
		add_row(out, &limits[i].question, &limits[i].remedy);
	}
	put_ranks(r->trace, out);
	if (out->n_rows == 0)
		wl_table_remark(out,
				"kernels, CUDA API calls, NVTX ranges, OS calls and scheduling "
				"were recorded; coach lists what other questions need");
	else
		wl_table_remark(out, "coach lists the open questions and the commands that record "
				     "what is missing");
	if (family[WL_F_API].present && !family[WL_F_KERNELS].present &&
	    !family[WL_F_GRAPHS].present)
		wl_table_note(out, "CUDA calls were recorded, but no GPU work: the profiler could "
				   "not access the GPU (driver, permissions or WSL)");
	return WL_OK;
}

const struct wl_analysis wl_analysis_limits = {
	.name = "limits",
	.help = "Show what was not recorded",
	.on_host = true,
	.of_file = true,
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.run = run,
};
