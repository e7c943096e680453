/* SPDX-License-Identifier: MIT */
#include "derive/comm/collectives.h"

#include "base/memory/sort.h"
#include "derive/derived.h"
#include "derive/kinds/named.h"
#include "derive/nvtx/nccl.h"
#include "derive/nvtx/range_names.h"

static const uint8_t *name_kernels(const struct wl_derived *d, struct wl_arena *arena)
{
	const struct wl_named *named = d->named;
	uint8_t *type = WL_NEW(arena, uint8_t, d->trace->n_kernel_names);

	/* Copied into bytes: the sweep over operations touches one cache line for 64 names. */
	for (size_t i = 0; type && i < d->trace->n_kernel_names; i++)
		type[i] = named->kernel[i].collective;
	return type;
}

static const uint8_t *name_ranges(const struct wl_range_names *names, struct wl_arena *arena)
{
	uint8_t *type = WL_NEW(arena, uint8_t, names->n);

	for (size_t i = 0; type && i < names->n; i++)
		type[i] = (uint8_t)wl_collective_named(names->name[i].text ? names->name[i].text
									   : "");
	return type;
}

struct calls {
	const uint32_t *of; /* by memcpy row */
};

static bool call_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct calls *c = ctx;

	return c->of[a] < c->of[b];
}

/* The copies that communicate, in the order of their calls, which is by thread and start. */
static uint32_t *order_copies(const struct wl_classes *classes, size_t n_rows,
			      struct wl_arena *arena, size_t *ret_n)
{
	const struct calls calls = { classes->copy_call };
	uint32_t *rows;
	size_t n = 0;

	for (size_t i = 0; i < n_rows; i++)
		n += classes->copy_is_comm[i];
	rows = WL_NEW(arena, uint32_t, 2 * n);
	n = 0;
	for (uint32_t i = 0; rows && i < n_rows; i++) {
		if (classes->copy_is_comm[i])
			rows[n++] = i;
	}
	if (rows)
		wl_sort_index(rows, n, rows + n, call_less, &calls);
	*ret_n = n;
	return rows;
}

static bool name_copies(const struct wl_derived *given, struct wl_arena *scratch, uint8_t *type)
{
	const struct wl_trace *t = given->trace;
	const struct wl_classes *classes = given->classes;
	struct wl_nccl_around a;
	const uint8_t *named = name_ranges(given->range_names, scratch);
	size_t n;
	uint32_t *rows = order_copies(classes, t->family[WL_F_MEMCPYS].n, scratch, &n);

	if (!named || !rows || !wl_nccl_around_init(&a, t, given->nccl_ranges, scratch))
		return false;
	for (size_t i = 0; i < n; i++) {
		uint32_t call = classes->copy_call[rows[i]], range;
		wl_ns start = wl_api_start(t)[call];

		range = wl_nccl_around_find(
			&a, wl_api_thread(t)[call], start,
			start + wl_dur(&t->family[WL_F_API], wl_api_dur(t), call));
		type[rows[i]] = range == WL_NONE ? (uint8_t)WL_OTHER : named[a.ranges->name[range]];
	}
	return true;
}

bool wl_collectives_find(const struct wl_derived *derived, struct wl_arena *arena,
			 struct wl_collectives *ret)
{
	const struct wl_trace *t = derived->trace;
	const struct wl_classes *classes = derived->classes;
	struct wl_arena scratch;
	uint8_t *copy;
	bool ok;

	*ret = (struct wl_collectives){ .kernel_name = name_kernels(derived, arena) };
	if (!ret->kernel_name)
		return false;
	/* Most traces have no copy-engine collectives: then ranges need not be looked at. */
	if (!classes->copy_is_comm)
		return true;
	copy = WL_NEW(arena, uint8_t, t->family[WL_F_MEMCPYS].n);
	wl_arena_init_child(&scratch, arena);
	ok = copy && name_copies(derived, &scratch, copy);
	wl_arena_release(&scratch);
	ret->copy = copy;
	return ok;
}
