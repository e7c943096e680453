/* SPDX-License-Identifier: MIT */
/* iters_known.c - recomputes medians, kinds and the steady iteration for iterations that were found
 * before. */
#include "derive/iters/iters_parts.h"

static bool complete(struct wl_process_iters *p, struct wl_arena *scratch)
{
	uint32_t *index = WL_NEW(scratch, uint32_t, p->n), *tmp = WL_NEW(scratch, uint32_t, p->n);
	wl_ns *room = WL_NEW(scratch, wl_ns, p->n);

	if (!index || !tmp || !room)
		return false;
	wl_iter_find_medians(p, index, tmp);
	/* Kinds are given only if there are several. */
	for (size_t i = 0; i < p->n; i++)
		p->has_kinds = p->has_kinds || p->at[i].kind != WL_STEP_NONE;
	if (p->has_kinds)
		wl_iter_count_kinds(p, room);
	return true;
}

/* If a process has several entries, the first counts. */
static bool find_steady(struct wl_process_iters *process, const uint32_t *first, size_t n,
			struct wl_arena *scratch, struct wl_iterations *ret)
{
	struct wl_process_iters *own = WL_NEW(scratch, struct wl_process_iters, n);

	if (!own)
		return false;
	for (size_t i = 0; i < n; i++) {
		own[i].steady = WL_NONE;
		if (first[i] != i)
			continue;
		own[i] = process[i];
		ret->n_found += process[i].n > 0;
	}
	if (!wl_iter_find_steady(own, n, scratch, &ret->n_uneven))
		return false;
	for (size_t i = 0; i < n; i++)
		process[i].steady = own[first[i]].steady;
	return true;
}

bool wl_iterations_known(struct wl_process_iters *process, const uint32_t *first, size_t n,
			 struct wl_arena *arena, struct wl_iterations *ret)
{
	struct wl_arena scratch;
	bool ok = true;

	*ret = (struct wl_iterations){ .process = process };
	wl_arena_init_child(&scratch, arena);
	for (size_t i = 0; ok && i < n; i++)
		ok = complete(&process[i], &scratch);
	ok = ok && find_steady(process, first, n, &scratch, ret);
	wl_arena_release(&scratch);
	return ok;
}
