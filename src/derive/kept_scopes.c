/* SPDX-License-Identifier: MIT */
#include "derive/kept_scopes.h"

#include <string.h>

#include "derive/scoped.h"

/* These do not depend on windows. */
static const uint64_t of_selection =
	WL_FROM(ALL_ACTIVITY) | WL_FROM(ACTIVITY) | WL_FROM(LEDGER_BASIS);

static void release(struct wl_kept_scope *k)
{
	if (k->any)
		wl_arena_release(&k->arena);
	*k = (struct wl_kept_scope){ .any = false };
}

void wl_kept_scopes_forget(struct wl_kept_scopes *kept)
{
	for (size_t i = 0; i < WL_N_KEPT_SCOPES; i++)
		release(&kept->last[i]);
}

void wl_kept_scopes_release(struct wl_kept_scopes *kept)
{
	release(&kept->selection);
	wl_kept_scopes_forget(kept);
}

static bool same(const void *a, const void *b, size_t n, size_t size)
{
	return n == 0 || memcmp(a, b, n * size) == 0;
}

static bool same_selection(const struct wl_trace *t, const struct wl_scope *a,
			   const struct wl_scope *b)
{
	return same(a->device_on, b->device_on, t->n_devices, sizeof(*a->device_on)) &&
	       same(a->place_on, b->place_on, t->n_places, sizeof(*a->place_on)) &&
	       same(a->process_on, b->process_on, t->n_processes, sizeof(*a->process_on));
}

static bool same_windows(const struct wl_trace *t, const struct wl_scope *a,
			 const struct wl_scope *b)
{
	return a->whole == b->whole &&
	       same(a->device, b->device, t->n_devices, sizeof(*a->device)) &&
	       same(a->process, b->process, t->n_processes, sizeof(*a->process));
}

static bool copy(const void *from, size_t n, size_t size, struct wl_arena *arena, const void **ret)
{
	void *to = wl_arena_calloc(arena, n, size);

	if (to && n)
		memcpy(to, from, n * size);
	*ret = to;
	return to != NULL;
}

/* Results may point to the scope, which must live as long as they do. */
static bool begin(struct wl_kept_scope *k, const struct wl_trace *t, const struct wl_scope *scope,
		  struct wl_budget *budget)
{
	struct wl_scope *to = &k->scope;
	const void *device, *device_on, *place_on, *process, *process_on;
	bool ok;

	release(k);
	k->any = true;
	wl_arena_init_on(&k->arena, budget);
	ok = copy(scope->device, t->n_devices, sizeof(*to->device), &k->arena, &device) &&
	     copy(scope->device_on, t->n_devices, sizeof(*to->device_on), &k->arena, &device_on) &&
	     copy(scope->place_on, t->n_places, sizeof(*to->place_on), &k->arena, &place_on) &&
	     copy(scope->process, t->n_processes, sizeof(*to->process), &k->arena, &process) &&
	     copy(scope->process_on, t->n_processes, sizeof(*to->process_on), &k->arena,
		  &process_on);
	if (!ok) {
		release(k);
		return false;
	}
	k->scope = (struct wl_scope){ .whole = scope->whole,
				      .device = device,
				      .device_on = device_on,
				      .place_on = place_on,
				      .process = process,
				      .process_on = process_on };
	return true;
}

/* Use what was found before and find what is missing. */
static bool find(struct wl_kept_scope *k, struct wl_derived *view, uint64_t from)
{
	bool ok;

	wl_scoped_take(view, &k->found);
	ok = wl_scoped_add(view, &k->scope, from, &k->arena);
	if (ok)
		wl_scoped_take(&k->found, view);
	return ok;
}

/* The slot of the scope, or the least recently used one. */
static struct wl_kept_scope *slot_of(struct wl_kept_scopes *kept, const struct wl_trace *t,
				     const struct wl_scope *scope)
{
	struct wl_kept_scope *best = kept->last;

	for (size_t i = 0; i < WL_N_KEPT_SCOPES; i++) {
		struct wl_kept_scope *k = &kept->last[i];

		if (k->any && same_selection(t, &k->scope, scope) &&
		    same_windows(t, &k->scope, scope))
			return k;
		best = k->asked < best->asked ? k : best;
	}
	release(best);
	return best;
}

/* Other selections are rare; nothing is kept for them. */
static bool find_selected(struct wl_kept_scopes *kept, struct wl_derived *view,
			  const struct wl_scope *scope, uint64_t from, struct wl_budget *budget)
{
	struct wl_kept_scope *k = &kept->selection;

	if (!from)
		return true;
	if (!k->any && !begin(k, view->trace, scope, budget))
		return false;
	return !same_selection(view->trace, &k->scope, scope) || find(k, view, from);
}

bool wl_kept_scopes_find(struct wl_kept_scopes *kept, struct wl_derived *view,
			 const struct wl_scope *scope, uint64_t from, struct wl_budget *budget,
			 struct wl_arena *arena)
{
	struct wl_kept_scope *k;

	if (!find_selected(kept, view, scope, wl_from_closure(from) & of_selection, budget))
		return false;
	if (arena)
		return wl_scoped_add(view, scope, from, arena);
	k = slot_of(kept, view->trace, scope);
	if (!k->any && !begin(k, view->trace, scope, budget))
		return false;
	k->asked = ++kept->n_asked;
	return find(k, view, from);
}
