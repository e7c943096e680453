/* SPDX-License-Identifier: MIT */
/*
 * If codes are few, each is a group, and most groups may be empty; if codes are many, a hash table
 * numbers them first.
 */
#include "derive/rows/groups.h"

#include "base/memory/intern.h"
#include "base/memory/sort.h"

struct grouping {
	const struct wl_group_spec *spec;
	void *ctx;
	struct wl_intern codes; /* uint64_t; used if codes are many */
	struct wl_groups *groups;
};

/* A group's statistics and counts take about 100 bytes; with this limit they take one byte per
 * row. */
static bool are_few(const struct wl_group_spec *spec)
{
	return spec->n_codes <= 1024 + spec->n_rows / 128;
}

/* WL_NO_CODE becomes WL_NONE. */
static void groups_of_few(void *ctx, size_t row, size_t n, uint32_t *group, int64_t *value)
{
	const struct grouping *g = ctx;
	uint64_t code[WL_BLOCK_ROWS];

	g->spec->codes(g->ctx, row, n, code, value);
	for (size_t i = 0; i < n; i++)
		group[i] = (uint32_t)code[i];
}

/* Rows often repeat the codes of recent rows: look there first. */
struct memo {
	uint64_t code;
	uint32_t group;
};

/* A power of two, so that the remainder is a mask; 2 KiB stay in the first cache. */
enum { N_MEMOS = 128 };

static void groups_of_many(void *ctx, size_t row, size_t n, uint32_t *group, int64_t *value)
{
	const struct grouping *g = ctx;
	uint64_t code[WL_BLOCK_ROWS];
	struct memo memos[N_MEMOS];

	for (size_t i = 0; i < N_MEMOS; i++)
		memos[i] = (struct memo){ WL_NO_CODE, WL_NONE };
	g->spec->codes(g->ctx, row, n, code, value);
	for (size_t i = 0; i < n; i++) {
		struct memo *m = &memos[code[i] % N_MEMOS];

		/*
		 * All codes are numbered by now, and WL_NO_CODE is in no table: it becomes WL_NONE.
		 */
		if (m->code != code[i])
			*m = (struct memo){ code[i], wl_intern_find(&g->codes, &code[i]) };
		group[i] = m->group;
	}
}

static bool number_codes(struct grouping *g)
{
	const struct wl_group_spec *spec = g->spec;
	uint64_t code[WL_BLOCK_ROWS];
	size_t n;

	for (size_t row = 0; row < spec->n_rows; row += n) {
		n = spec->n_rows - row < WL_BLOCK_ROWS ? spec->n_rows - row : WL_BLOCK_ROWS;
		spec->codes(g->ctx, row, n, code, NULL);
		for (size_t i = 0; i < n; i++) {
			if (code[i] != WL_NO_CODE && wl_intern_put(&g->codes, &code[i]) == WL_NONE)
				return false;
		}
	}
	return true;
}

static bool rank_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct grouping *g = ctx;
	const struct wl_groups *s = g->groups;

	if (s->stats[a].sum != s->stats[b].sum)
		return s->stats[a].sum > s->stats[b].sum;
	/*
	 * Codes depend on the order of rows in the file, so ties are broken by what the codes stand
	 * for.
	 */
	return g->spec->compare(g->ctx, s->code[a], s->code[b]) < 0;
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

/* Leave out empty groups. Without a list of codes, a group's number is its code. */
static bool keep_used(struct wl_groups *s, const struct wl_stats *found, size_t n_found,
		      const uint64_t *codes, struct wl_arena *arena)
{
	struct wl_stats *stats;
	uint64_t *code;
	size_t n = 0;

	for (size_t i = 0; i < n_found; i++)
		n += found[i].n != 0;
	stats = WL_NEW(arena, struct wl_stats, n);
	code = WL_NEW(arena, uint64_t, n);
	if (!stats || !code)
		return false;
	for (size_t i = 0; i < n_found; i++) {
		if (found[i].n == 0)
			continue;
		stats[s->n] = found[i];
		code[s->n++] = codes ? codes[i] : i;
	}
	s->stats = stats;
	s->code = code;
	return true;
}

static bool make(struct grouping *g, struct wl_arena *arena)
{
	bool few = are_few(g->spec);
	struct wl_block_spec spec = { .n_rows = g->spec->n_rows,
				      .block = few ? groups_of_few : groups_of_many,
				      .ctx = g,
				      .pool = g->spec->pool };
	const struct wl_stats *found;
	struct wl_arena scratch;
	bool ok;

	if (!few && !number_codes(g))
		return false;
	spec.n_groups = few ? (size_t)g->spec->n_codes : g->codes.items.n;
	/*
	 * Statistics of empty groups are dropped with the scratch arena; only the others are kept.
	 */
	wl_arena_init_child(&scratch, arena);
	found = wl_stats_by_block(&spec, &scratch);
	ok = found && keep_used(g->groups, found, spec.n_groups, g->codes.items.data, arena);
	wl_arena_release(&scratch);
	return ok && rank(g, arena);
}

bool wl_groups_make(const struct wl_group_spec *spec, void *ctx, struct wl_arena *arena,
		    struct wl_groups *ret)
{
	struct grouping g = { .spec = spec, .ctx = ctx, .groups = ret };
	bool ok;

	*ret = (struct wl_groups){ .n = 0 };
	wl_intern_init(&g.codes, sizeof(uint64_t), wl_arena_budget(arena));
	ok = make(&g, arena);
	wl_intern_release(&g.codes);
	return ok;
}
