/* SPDX-License-Identifier: MIT */
#include "derive/calls/launches.h"

bool wl_launches_find(const struct wl_trace *trace, const struct wl_links *links,
		      struct wl_arena *arena, struct wl_launches *ret)
{
	size_t n_calls = trace->family[WL_F_API].n, n_linked = 0, base = 0;
	/* One further, so that counting makes room for the begin of each list. */
	uint32_t *first = WL_NEW(arena, uint32_t, n_calls + 2), *op;

	if (!first)
		return false;
	for (size_t kind = 0; kind < WL_N_OP_FAMILIES; kind++) {
		const uint32_t *of = links->of[kind];

		for (size_t row = 0; of && row < trace->family[wl_op_families[kind]].n; row++) {
			if (of[row] == WL_NONE)
				continue;
			first[of[row] + 2]++;
			n_linked++;
		}
	}
	op = WL_NEW(arena, uint32_t, n_linked + 1);
	if (!op)
		return false;
	for (size_t c = 0; c < n_calls; c++)
		first[c + 2] += first[c + 1];
	/* first[c + 1] is where the next operation of call c goes, and ends as the list's end. */
	for (size_t kind = 0; kind < WL_N_OP_FAMILIES; kind++) {
		const uint32_t *of = links->of[kind];
		size_t n = trace->family[wl_op_families[kind]].n;

		for (size_t row = 0; of && row < n; row++) {
			if (of[row] != WL_NONE)
				op[first[of[row] + 1]++] = (uint32_t)(base + row);
		}
		base += n;
	}
	*ret = (struct wl_launches){ first, op };
	return true;
}

enum wl_family_id wl_launches_op(const struct wl_trace *trace, uint32_t op, uint32_t *ret_row)
{
	size_t kind = 0;

	/*
	 * Numbers run through the families one after the other. They are in range, so the loop ends
	 * at the family that holds op.
	 */
	while (op >= trace->family[wl_op_families[kind]].n)
		op -= (uint32_t)trace->family[wl_op_families[kind++]].n;
	*ret_row = op;
	return wl_op_families[kind];
}
