/* SPDX-License-Identifier: MIT */
#include "cli/commands/capture/plan_kernels.h"

#include "analysis/time/ncu_choice.h"
#include "base/text/units.h"
#include "cli/commands/asking.h"

/* Texts move to the arena of the plan, which outlives the trace. */
static int keep_kernels(const struct wl_view *v, struct wl_arena *arena, struct wl_wishes *wishes,
			struct wl_err *reterr)
{
	struct wl_plan_kernel *kernel = WL_NEW(arena, struct wl_plan_kernel, v->n_rows + 1);
	bool ok = kernel != NULL;

	for (size_t i = 0; ok && i < v->n_rows; i++) {
		size_t row = v->rows[i];

		kernel[i] = (struct wl_plan_kernel){
			.name = wl_arena_strdup(arena,
						wl_table_at(v->table, row, WL_CHOICE_KERNEL).str),
			.skip = wl_table_at(v->table, row, WL_CHOICE_SKIP).i64,
			.count = wl_table_at(v->table, row, WL_CHOICE_COUNT).i64,
		};
		ok = kernel[i].name != NULL;
	}
	if (!ok)
		return wl_fail(reterr, WL_E_NOMEM, "plan: no memory for the kernels");
	if (v->n_rows == 0)
		return wl_fail(reterr, WL_E_NODATA, "plan: the trace has no compute kernels");
	wishes->kernel = kernel;
	wishes->n_kernels = v->n_rows;
	return WL_OK;
}

int wl_plan_kernels_find(const struct wl_invocation *inv, const char *trace, int64_t top,
			 struct wl_arena *arena, struct wl_wishes *wishes, struct wl_err *reterr)
{
	struct wl_asking asking = { .inv = inv };
	char text[WL_UNITS_BUF];
	const char *args[WL_MAX_PARAMS] = { [WL_CHOICE_TOP] = wl_fmt_i64(text, top) };
	const struct wl_view *view;
	int r = wl_asking_run(&asking, trace, wl_analysis_get("ncu-choice"), args, &view, reterr);

	if (r == WL_OK)
		r = keep_kernels(view, arena, wishes, reterr);
	wl_asking_release(&asking);
	return r;
}
