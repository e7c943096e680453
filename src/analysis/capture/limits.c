/* SPDX-License-Identifier: MIT */
/* limits.c - questions that this trace cannot answer, and the capture flags that would let it. */
#include "analysis/analysis.h"

enum { QUESTION, REMEDY };

static const struct wl_col cols[] = {
	[QUESTION] = { "question", "This trace cannot tell", WL_T_STR, WL_KEY | WL_PROSE,
		       "The question." },
	[REMEDY] = { "remedy", "Record with", WL_T_STR, WL_PROSE, "What would let it." },
};

static const struct {
	enum wl_family_id family;
	const char *question, *remedy;
} limits[] = {
#define WL_LIMIT(FAMILY, question, remedy) { WL_F_##FAMILY, question, remedy },
#include "known/limits.def"
#undef WL_LIMIT
};

static void put(struct wl_table *out, const char *question, const char *remedy)
{
	wl_table_row(out);
	wl_put_str(out, QUESTION, question);
	wl_put_str(out, REMEDY, remedy);
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	const struct wl_family *family = r->trace->family;

	(void)reterr;
	if (family[WL_F_GRAPHS].present)
		put(out, "what runs inside CUDA graphs", "nsys profile --cuda-graph-trace=node");
	for (size_t i = 0; i < WL_COUNT(limits); i++) {
		/* Replays recorded whole are why there are no kernels: said above. */
		if (family[limits[i].family].present ||
		    (limits[i].family == WL_F_KERNELS && family[WL_F_GRAPHS].present))
			continue;
		put(out, limits[i].question, limits[i].remedy);
	}
	if (out->n_rows == 0)
		wl_table_note(out, "all that warplens can use was recorded");
	if (family[WL_F_API].present && !family[WL_F_KERNELS].present &&
	    !family[WL_F_GRAPHS].present)
		wl_table_note(out, "CUDA calls were recorded but nothing that ran on a GPU: the "
				   "profiler had no access to it (driver, permission or WSL)");
	return WL_OK;
}

const struct wl_analysis wl_analysis_limits = {
	.name = "limits",
	.help = "Say what this trace cannot answer",
	.on_host = true,
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.run = run,
};
