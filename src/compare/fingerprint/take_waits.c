/* SPDX-License-Identifier: MIT */
/* take_waits.c - the idle time of a fingerprint, by cause and detail. */
#include "base/memory/sort.h"
#include "compare/fingerprint/lists.h"
#include "compare/fingerprint/take_parts.h"
#include "derive/rows/stats.h"

/* No padding. Equal details are one pointer. */
struct key {
	const char *detail;
	uint64_t cause;
};

struct waiting {
	const struct wl_ledger *ledger;
	struct wl_intern keys;
	struct wl_vec waits; /* struct wl_fp_wait, by key */
	bool failed;
};

static void add(void *ctx, size_t lane, size_t atom, enum wl_extent extent)
{
	struct waiting *w = ctx;
	const struct wl_atom *a = &w->ledger->lane[lane].atom[atom];
	const struct key key = { a->detail, a->loss };
	uint32_t i = wl_intern_put(&w->keys, &key);
	struct wl_fp_wait *wait;

	if (i == w->waits.n)
		wl_vec_push(&w->waits, &(struct wl_fp_wait){ .cause = (enum wl_cause)a->loss,
							     .detail = a->detail });
	w->failed = w->failed || i == WL_NONE || w->waits.failed;
	if (w->failed)
		return;
	wait = (struct wl_fp_wait *)w->waits.data + i;
	wait->ns[extent] = wl_add_up(wait->ns[extent], a->ns);
}

/* Which tiles of a lane are steps of the sample; NULL for none. False without memory. */
static bool find_sample(const struct wl_sample *s, uint32_t lane, size_t n_tiles,
			struct wl_arena *scratch, bool **ret)
{
	*ret = NULL;
	for (size_t m = 0; m < s->n_members; m++) {
		if (s->lane[m] != lane)
			continue;
		*ret = WL_NEW(scratch, bool, n_tiles);
		for (size_t n = 0; *ret && n < s->n_steps; n++)
			(*ret)[s->tile[m * s->n_steps + n]] = true;
		if (!*ret)
			return false;
	}
	return true;
}

bool wl_take_idle(const struct wl_taking *k, struct wl_arena *scratch, wl_idle_atom_fn *take,
		  void *ctx)
{
	for (uint32_t i = 0; i < k->ledger->n; i++) {
		const struct wl_ledger_lane *lane = &k->ledger->lane[i];
		bool *in_sample;

		if (!find_sample(&k->sample, i, lane->n_tiles, scratch, &in_sample))
			return false;
		for (size_t a = 0; a < lane->n_atoms; a++) {
			if (lane->atom[a].loss >= WL_N_CAUSES)
				continue;
			if (lane->of_device)
				take(ctx, i, a, WL_OF_WINDOW);
			if (in_sample && in_sample[lane->atom[a].tile])
				take(ctx, i, a, WL_OF_STEPS);
		}
	}
	return true;
}

static bool longer_first(const void *ctx, uint32_t a, uint32_t b)
{
	const struct wl_fp_wait *w = ctx;

	if (w[a].ns[WL_OF_STEPS] != w[b].ns[WL_OF_STEPS])
		return w[a].ns[WL_OF_STEPS] > w[b].ns[WL_OF_STEPS];
	return w[a].ns[WL_OF_WINDOW] > w[b].ns[WL_OF_WINDOW];
}

static void merge(struct wl_fp_wait *to, const struct wl_fp_wait *from)
{
	for (size_t x = 0; x < WL_N_EXTENTS; x++)
		to->ns[x] = wl_add_up(to->ns[x], from->ns[x]);
}

/* The longest rows; what has no room goes into one row of its cause. */
static bool keep(const struct waiting *w, struct wl_arena *arena, struct wl_fingerprint *f)
{
	const struct wl_fp_wait *all = w->waits.data;
	size_t n = w->waits.n, bytes = 0, n_kept = 0;
	struct wl_fp_wait others[WL_N_CAUSES] = { { .detail = NULL } };
	struct wl_fp_wait *kept = WL_NEW(arena, struct wl_fp_wait, WL_FP_WAITS + WL_N_CAUSES);
	uint32_t *order = WL_NEW(arena, uint32_t, 2 * n);

	if (!kept || !order)
		return false;
	wl_sort_all(order, n, longer_first, all);
	for (size_t i = 0; i < n; i++) {
		const struct wl_fp_wait *wait = &all[order[i]];
		const char *detail = NULL;
		size_t cost = 0;

		if (wait->detail && n_kept < WL_FP_WAITS) {
			detail = wl_fp_name(wait->detail, arena);
			if (!detail)
				return false;
			cost = wl_fp_name_cost(detail);
		}
		if (n_kept == WL_FP_WAITS || bytes + cost > WL_FP_WAIT_NAMES) {
			merge(&others[wait->cause], wait);
			continue;
		}
		bytes += cost;
		kept[n_kept] = *wait;
		kept[n_kept++].detail = detail;
	}
	for (size_t c = 0; c < WL_N_CAUSES; c++) {
		if (!others[c].ns[WL_OF_STEPS] && !others[c].ns[WL_OF_WINDOW])
			continue;
		others[c].cause = (enum wl_cause)c;
		others[c].detail = "(others)";
		kept[n_kept++] = others[c];
	}
	f->wait = kept;
	f->n_waits = n_kept;
	return true;
}

bool wl_take_waits(struct wl_taking *k)
{
	struct wl_arena scratch;
	struct waiting w = { .ledger = k->ledger };
	bool ok;

	wl_arena_init_child(&scratch, k->run->arena);
	wl_intern_init(&w.keys, sizeof(struct key), wl_arena_budget(&scratch));
	wl_vec_init(&w.waits, sizeof(struct wl_fp_wait), wl_arena_budget(&scratch));
	ok = wl_take_idle(k, &scratch, add, &w) && !w.failed && keep(&w, k->run->arena, k->f);
	wl_vec_release(&w.waits);
	wl_intern_release(&w.keys);
	wl_arena_release(&scratch);
	return ok;
}
