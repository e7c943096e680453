/* SPDX-License-Identifier: MIT */
#include "analysis/function_cols.h"

bool wl_put_function(struct wl_table *out, size_t first, const struct wl_run *r,
		     const struct wl_grouped_time *time, struct wl_function_tally *tally)
{
	const struct wl_slice rows = wl_group_stacks_of(time->stacks, time->group);
	struct wl_top_function top;
	const char *name, *under;

	for (size_t i = rows.lo; i < rows.hi; i++)
		wl_function_tally_add(tally, time->stacks->at[i].stack, time->stacks->at[i].ns,
				      time->stacks->at[i].n);
	top = wl_function_tally_take(tally);
	/* One or two samples do not prove a function (docs/definitions/stacks.md). */
	if (!wl_top_is_sound(&top))
		return !tally->added.failed;
	if (!wl_top_labels(r->trace, &top, r->arena, &name, &under))
		return false;
	wl_put_str(out, first + WL_FUNCTION_NAME, name);
	wl_put_str(out, first + WL_FUNCTION_UNDER, under);
	wl_put_ratio(out, first + WL_FUNCTION_SHARE, top.time, time->whole);
	return !tally->added.failed;
}
