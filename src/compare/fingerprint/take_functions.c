/* SPDX-License-Identifier: MIT */
/*
 * take_functions.c - the idle time of a fingerprint by the function that the launching threads ran.
 *
 * As sums over gaps in docs/definitions/stacks.md: calls with a stack and time off the CPU are
 * exact, and the rest is divided evenly among the samples taken in it.
 */
#include <string.h>

#include "base/memory/sort.h"
#include "compare/fingerprint/lists.h"
#include "compare/fingerprint/take_parts.h"
#include "derive/derived.h"
#include "derive/rows/stats.h"
#include "derive/use/lost_stacks.h"
#include "derive/use/stack_sums.h"

/* What one function has, exactly and by samples. */
struct share {
	wl_ns ns;
	uint64_t n;
};

struct summing {
	const struct wl_derived *derived;
	struct share *of[WL_N_EXTENTS]; /* by frame */
	struct share sampled[WL_N_EXTENTS];
	wl_ns all[WL_N_EXTENTS];
};

static void add(struct share *share, wl_ns ns, uint32_t n)
{
	share->ns = wl_add_up(share->ns, ns);
	share->n += n;
}

static void add_idle(void *ctx, size_t lane, size_t i, enum wl_extent extent)
{
	struct summing *s = ctx;
	const struct wl_atom *atom = &s->derived->ledger->lane[lane].atom[i];
	const struct wl_group_stacks *stacks = &s->derived->lost_stacks->lane[lane];
	struct wl_slice rows;

	if (!(WL_STACK_CAUSES >> atom->loss & 1))
		return;
	s->all[extent] = wl_add_up(s->all[extent], atom->ns);
	rows = wl_group_stacks_of(stacks, i);
	for (size_t k = rows.lo; k < rows.hi; k++) {
		const struct wl_group_stack *g = &stacks->at[k];
		uint32_t function = g->stack == WL_NONE
					    ? WL_NONE
					    : s->derived->stack_names->of[g->stack].function;

		add(&s->sampled[extent], g->stack == WL_NONE ? g->ns : 0, g->n);
		if (function != WL_NONE)
			add(&s->of[extent][function], g->ns, g->n);
	}
}

/* Rounded down, so that functions have no more than all. Too few samples say nothing. */
static void put_time(const struct summing *s, enum wl_extent extent, size_t frame,
		     struct wl_fp_function *ret)
{
	const struct share *share = &s->of[extent][frame], *all = &s->sampled[extent];

	ret->n[extent] = all->n < WL_MIN_SAMPLES ? 0 : (int64_t)share->n;
	if (ret->n[extent])
		ret->sampled[extent] = (wl_ns)((double)share->n / (double)all->n * (double)all->ns);
	ret->ns[extent] = wl_add_up(share->ns, ret->sampled[extent]);
}

static bool name_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct wl_fp_function *f = ctx;

	return strcmp(f[a].name, f[b].name) < 0;
}

static bool longer_first(const void *ctx, uint32_t a, uint32_t b)
{
	const struct wl_fp_function *f = ctx;

	if (f[a].ns[WL_OF_STEPS] != f[b].ns[WL_OF_STEPS])
		return f[a].ns[WL_OF_STEPS] > f[b].ns[WL_OF_STEPS];
	if (f[a].ns[WL_OF_WINDOW] != f[b].ns[WL_OF_WINDOW])
		return f[a].ns[WL_OF_WINDOW] > f[b].ns[WL_OF_WINDOW];
	return strcmp(f[a].name, f[b].name) < 0;
}

static void merge(struct wl_fp_function *to, const struct wl_fp_function *from)
{
	for (size_t x = 0; x < WL_N_EXTENTS; x++) {
		to->ns[x] = wl_add_up(to->ns[x], from->ns[x]);
		to->sampled[x] = wl_add_up(to->sampled[x], from->sampled[x]);
		to->n[x] += from->n[x];
	}
}

/* One row for all functions of a name, in no order; returns how many. order has room for twice n.
 */
static size_t merge_names(struct wl_fp_function *all, size_t n, uint32_t *order,
			  struct wl_fp_function *ret)
{
	size_t n_kept = 0;

	wl_sort_all(order, n, name_less, all);
	for (size_t i = 0; i < n; i++) {
		const struct wl_fp_function *f = &all[order[i]];

		if (n_kept && strcmp(ret[n_kept - 1].name, f->name) == 0)
			merge(&ret[n_kept - 1], f);
		else
			ret[n_kept++] = *f;
	}
	return n_kept;
}

/* The longest rows, one for the rest, and one for time without a stack. */
static bool keep(const struct summing *s, const struct wl_fp_function *all, size_t n,
		 uint32_t *order, struct wl_taking *k)
{
	struct wl_fp_function *kept =
		WL_NEW(k->run->arena, struct wl_fp_function, WL_FP_FUNCTIONS + 2);
	struct wl_fp_function others = { .name = "(others)" }, none = { .name = NULL };
	size_t n_kept = 0, bytes = 0;

	if (!kept)
		return false;
	wl_sort_all(order, n, longer_first, all);
	memcpy(none.ns, s->all, sizeof(none.ns));
	for (size_t i = 0; i < n; i++) {
		const struct wl_fp_function *f = &all[order[i]];
		const char *name = wl_fp_name(f->name, k->run->arena);

		if (!name)
			return false;
		for (size_t x = 0; x < WL_N_EXTENTS; x++)
			none.ns[x] -= f->ns[x] < none.ns[x] ? f->ns[x] : none.ns[x];
		bytes += wl_fp_name_cost(name);
		if (n_kept == WL_FP_FUNCTIONS || bytes > WL_FP_FUNCTION_NAMES) {
			merge(&others, f);
			continue;
		}
		kept[n_kept] = *f;
		kept[n_kept++].name = name;
	}
	if (others.ns[WL_OF_STEPS] || others.ns[WL_OF_WINDOW])
		kept[n_kept++] = others;
	kept[n_kept++] = none;
	k->f->function = kept;
	k->f->n_functions = n_kept;
	return true;
}

static bool list(const struct summing *s, struct wl_taking *k, struct wl_arena *scratch)
{
	const struct wl_trace *t = k->run->trace;
	struct wl_fp_function *all = WL_NEW(scratch, struct wl_fp_function, t->n_frames + 1);
	struct wl_fp_function *merged = WL_NEW(scratch, struct wl_fp_function, t->n_frames + 1);
	uint32_t *order = WL_NEW(scratch, uint32_t, 2 * t->n_frames + 1);
	size_t n = 0;

	if (!all || !merged || !order)
		return false;
	for (uint32_t i = 0; i < t->n_frames; i++) {
		struct wl_fp_function f = { .name = NULL };

		for (size_t x = 0; x < WL_N_EXTENTS; x++)
			put_time(s, (enum wl_extent)x, i, &f);
		if (!f.ns[WL_OF_STEPS] && !f.ns[WL_OF_WINDOW])
			continue;
		f.name = wl_function_label(t, i, scratch);
		if (!f.name)
			return false;
		all[n++] = f;
	}
	return keep(s, merged, merge_names(all, n, order, merged), order, k);
}

bool wl_take_functions(struct wl_taking *k)
{
	const struct wl_trace *t = k->run->trace;
	struct summing s = { .derived = k->run->derived };
	struct wl_arena scratch;
	bool ok = true;

	if (t->n_stacks == 0)
		return true;
	wl_arena_init_child(&scratch, k->run->arena);
	for (size_t x = 0; ok && x < WL_N_EXTENTS; x++) {
		s.of[x] = WL_NEW(&scratch, struct share, t->n_frames + 1);
		ok = s.of[x] != NULL;
	}
	ok = ok && wl_take_idle(k, &scratch, add_idle, &s) && list(&s, k, &scratch);
	wl_arena_release(&scratch);
	return ok;
}
