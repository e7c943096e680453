/* SPDX-License-Identifier: MIT */
#include "derive/use/iter_use.h"

#include "base/memory/sort.h"
#include "derive/derived.h"
#include "derive/exposed/account.h"
#include "derive/idle/idle_before.h"

struct finding {
	const struct wl_derived *given;
	const struct wl_scope *scope;
	struct wl_scope whole; /* the selection without the window */
	struct wl_arena *arena;
	struct wl_iter_strip *strip;
	struct wl_iter_use **use; /* by strip */
	size_t n;
	uint32_t *strip_of; /* by place; WL_NONE for places that do not count */
};

static bool strip_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct wl_place *places = ctx;

	if (places[a].process != places[b].process)
		return places[a].process < places[b].process;
	return places[a].device < places[b].device;
}

/* Choose the places that count: selected, with operations, and of a process with iterations. */
static size_t choose_places(struct finding *f, uint32_t *ret)
{
	const struct wl_trace *t = f->given->trace;
	size_t n = 0;

	for (uint32_t i = 0; i < t->n_places; i++)
		f->strip_of[i] = WL_NONE;
	for (size_t k = 0; k < WL_N_OP_FAMILIES; k++) {
		struct wl_ops ops = wl_trace_ops(t, wl_op_families[k]);

		for (size_t i = 0; i < ops.n; i++) {
			uint32_t place = ops.place[i];

			if (f->strip_of[place] != WL_NONE || !f->scope->place_on[place] ||
			    f->given->iterations->process[t->places[place].process].n == 0)
				continue;
			f->strip_of[place] = 0;
			ret[n++] = place;
		}
	}
	return n;
}

/* Choose the iterations that begin in the window. */
static bool choose_iterations(const struct finding *f, struct wl_iter_strip *s,
			      struct wl_iter_use **ret)
{
	const struct wl_process_iters *p = &f->given->iterations->process[s->process];
	struct wl_interval w = f->scope->device[s->device];
	uint32_t end = (uint32_t)p->n;

	while (!f->scope->whole && s->first < end && p->at[s->first].tile.begin < w.begin)
		s->first++;
	while (!f->scope->whole && end > s->first && p->at[end - 1].tile.begin >= w.end)
		end--;
	s->n = end - s->first;
	s->at = *ret = WL_NEW(f->arena, struct wl_iter_use, s->n);
	return s->at != NULL;
}

static bool make_strips(struct finding *f)
{
	const struct wl_trace *t = f->given->trace;
	uint32_t *order = WL_NEW(f->arena, uint32_t, t->n_places);
	uint32_t *tmp = WL_NEW(f->arena, uint32_t, t->n_places);
	size_t n;

	f->strip = WL_NEW(f->arena, struct wl_iter_strip, t->n_places);
	f->use = WL_NEW(f->arena, struct wl_iter_use *, t->n_places);
	f->strip_of = WL_NEW(f->arena, uint32_t, t->n_places);
	if (!order || !tmp || !f->strip || !f->use || !f->strip_of)
		return false;
	n = choose_places(f, order);
	wl_sort_index(order, n, tmp, strip_less, t->places);
	for (size_t i = 0; i < n; i++) {
		const struct wl_place *p = &t->places[order[i]];

		if (i == 0 || strip_less(t->places, order[i - 1], order[i])) {
			f->strip[f->n] = (struct wl_iter_strip){ .process = p->process,
								 .device = p->device };
			if (!choose_iterations(f, &f->strip[f->n], &f->use[f->n]))
				return false;
			f->n++;
		}
		f->strip_of[order[i]] = (uint32_t)(f->n - 1);
	}
	return true;
}

static void count_kernels(struct finding *f)
{
	const struct wl_trace *t = f->given->trace;
	const struct wl_ops ops = wl_trace_ops(t, WL_F_KERNELS);

	for (size_t i = 0; i < ops.n; i++) {
		uint32_t strip = f->strip_of[ops.place[i]], at;
		const struct wl_iter_strip *s;

		if (strip == WL_NONE)
			continue;
		s = &f->strip[strip];
		at = wl_iteration_of(t, &f->given->iterations->process[s->process], ops.start[i],
				     wl_link_of(f->given->links, WL_OP_KERNEL, i));
		if (at != WL_NONE && at >= s->first && at - s->first < s->n)
			f->use[strip][at - s->first].n_kernels++;
	}
}

static bool fill(struct finding *f, size_t strip)
{
	struct wl_iter_strip *s = &f->strip[strip];
	const struct wl_process_iters *p = &f->given->iterations->process[s->process];
	const struct wl_comm_parts none = { .sum = 0 };
	struct wl_interval *tiles;
	struct wl_usage *usage;
	struct wl_arena scratch;
	bool ok;

	wl_arena_init_child(&scratch, f->arena);
	tiles = WL_NEW(&scratch, struct wl_interval, s->n);
	usage = WL_NEW(&scratch, struct wl_usage, s->n);
	s->idle_before = wl_idle_before_find(f->given->trace, p, s->device, f->arena);
	ok = tiles && usage && s->idle_before;
	for (size_t i = 0; ok && i < s->n; i++)
		tiles[i] = p->at[s->first + i].tile;
	if (ok)
		wl_sweep_tiles(f->given->trace, &f->whole, f->given->classes,
			       &f->given->activity->device[s->device], tiles, s->n, usage);
	for (size_t i = 0; ok && i < s->n; i++) {
		struct wl_account a =
			wl_account_of(&usage[i], tiles[i].end - tiles[i].begin, &none);
		struct wl_iter_use *to = &f->use[strip][i];

		to->compute = a.compute;
		to->exposed_comm = a.exposed_comm;
		to->exposed_copy = a.exposed_copy;
		to->idle = a.idle;
		to->n_graphs = a.n_graphs;
		to->knows_comm = wl_account_knows_comm(&a);
	}
	wl_arena_release(&scratch);
	return ok;
}

bool wl_iter_use_find(const struct wl_derived *given, const struct wl_scope *scope,
		      struct wl_arena *arena, struct wl_iter_uses *ret)
{
	struct finding f = { .given = given, .scope = scope, .whole = *scope, .arena = arena };
	bool ok;

	f.whole.whole = true;
	ok = make_strips(&f);
	if (ok)
		count_kernels(&f);
	for (size_t i = 0; ok && i < f.n; i++)
		ok = fill(&f, i);
	*ret = (struct wl_iter_uses){ f.strip, f.n };
	return ok;
}
