#include "derive/groups.h"

#include <assert.h>
#include <stdalign.h>
#include <string.h>

#include "base/intern.h"
#include "base/sort.h"

enum { MAX_KEY = 64 };

struct grouping {
	const struct wl_group_spec *spec;
	void *ctx;
	struct wl_intern keys;
	struct wl_groups *groups;
};

static enum wl_visit visit(void *ctx, size_t row, uint32_t *ret_group, int64_t *ret_value)
{
	struct grouping *g = ctx;
	alignas(uint64_t) unsigned char key[MAX_KEY];
	enum wl_visit v = g->spec->visit(g->ctx, row, key, ret_value);

	if (v != WL_VISIT_TAKE)
		return v;
	*ret_group = wl_intern_put(&g->keys, key);
	return *ret_group == WL_NONE ? WL_VISIT_FAIL : WL_VISIT_TAKE;
}

static bool rank_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct grouping *g = ctx;
	const struct wl_groups *s = g->groups;

	if (s->stats[a].sum != s->stats[b].sum)
		return s->stats[a].sum > s->stats[b].sum;
	return g->spec->compare(g->ctx, wl_group_key(s, a), wl_group_key(s, b)) < 0;
}

static bool rank(struct grouping *g, struct wl_arena *arena)
{
	struct wl_groups *s = g->groups;
	uint32_t *order = WL_NEW(arena, uint32_t, 2 * s->n);

	if (!order)
		return false;
	for (uint32_t i = 0; i < s->n; i++) {
		order[i] = i;
		s->total = wl_add_up(s->total, s->stats[i].sum);
	}
	wl_sort_index(order, s->n, order + s->n, rank_less, g);
	s->order = order;
	return true;
}

static bool make(struct grouping *g, struct wl_arena *arena)
{
	struct wl_groups *s = g->groups;
	unsigned char *keys;

	s->key_size = g->spec->key_size;
	s->stats = wl_stats_by_group(g->spec->n_rows, visit, g, arena, &s->n);
	keys = s->stats ? wl_arena_calloc(arena, s->n, s->key_size) : NULL;
	if (!keys)
		return false;
	if (s->n)
		memcpy(keys, g->keys.items.data, s->n * s->key_size);
	s->keys = keys;
	return rank(g, arena);
}

bool wl_groups_make(const struct wl_group_spec *spec, void *ctx, struct wl_arena *arena,
		    struct wl_groups *ret)
{
	struct grouping g = { .spec = spec, .ctx = ctx, .groups = ret };
	bool ok;

	assert(spec->key_size <= MAX_KEY);
	*ret = (struct wl_groups){ .n = 0 };
	wl_intern_init(&g.keys, spec->key_size, wl_arena_budget(arena));
	ok = make(&g, arena);
	wl_intern_release(&g.keys);
	return ok;
}
