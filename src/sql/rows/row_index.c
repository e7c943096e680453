/* SPDX-License-Identifier: MIT */
#include "sql/rows/row_index.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory/bound.h"
#include "base/memory/sort.h"
#include "base/memory/vec.h"
#include "base/stop.h"

/* Kept over statements at most. */
enum { MAX_INDEXES = 8 };

struct wl_row_index {
	struct wl_row_index *next;
	struct wl_row_index_of of; /* window and gpu are the texts below */
	char *window, *gpu;        /* made by SQLite; or NULL */
	struct wl_vec hash, at;    /* uint32_t, by hash */
	unsigned n_holders;        /* the list is one */
};

/* ---- Hashes ---- */

/* A multiplication by an odd constant mixes upwards, the shift downwards. */
static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
	return hash ^ hash >> 29;
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
	hash = mix(hash, text != NULL);
	for (const char *c = text; c && *c; c++)
		hash = mix(hash, (unsigned char)*c);
	return hash;
}

static uint64_t hash_of(const struct wl_row_index_of *of)
{
	uint64_t hash = mix(mix(mix(1, of->trace), of->generation), of->columns);

	return hash_text(hash_text(hash, of->window), of->gpu);
}

/* Of values in the order of columns. */
static uint32_t hash_row(uint64_t hash)
{
	return (uint32_t)(mix(hash, 0) >> 32);
}

/* False where a cell is absent, which equals nothing. */
static bool hash_walk(const struct wl_row_source *source, struct wl_row_walk *w, uint64_t columns,
		      uint32_t *ret)
{
	uint64_t hash = 0;

	for (size_t i = 0; i < source->rows.n_cols; i++) {
		int64_t value;

		if (!(columns >> i & 1))
			continue;
		if (!source->lookup[i].get(w, &value))
			return false;
		hash = mix(hash, (uint64_t)value);
	}
	*ret = hash_row(hash);
	return true;
}

/* ---- Making one ---- */

/* How many rows are walked between two looks at the time limit. */
enum { STOP_EVERY = 1 << 14 };

static bool walk_all(struct wl_row_index *x, const struct wl_row_source *source,
		     struct wl_row_walk *w)
{
	bool ok = true;
	uint32_t hash;

	source->rewind(w);
	for (size_t n = 0; ok && source->next(w); n++) {
		int64_t place = source->where(w);
		uint32_t at = (uint32_t)place;

		if (hash_walk(source, w, x->of.columns, &hash)) {
			wl_vec_push(&x->hash, &hash);
			wl_vec_push(&x->at, &at);
		}
		ok = place <= UINT32_MAX && !x->hash.failed && !x->at.failed &&
		     (n % STOP_EVERY || !wl_stop_is_due(w->ctx->budget->stop));
	}
	return ok;
}

/* Both arrays in the order of hashes. */
static bool sort(struct wl_row_index *x, struct wl_budget *budget)
{
	struct wl_vec order, tmp;
	uint32_t *index, *spare;
	size_t n = x->hash.n;
	bool ok;

	wl_vec_init(&order, sizeof(uint32_t), budget);
	wl_vec_init(&tmp, sizeof(uint32_t), budget);
	index = wl_vec_extend(&order, n);
	spare = wl_vec_extend(&tmp, n);
	ok = n < UINT32_MAX && index && spare;
	for (size_t i = 0; ok && i < n; i++)
		index[i] = (uint32_t)i;
	if (ok) {
		uint32_t *hash = x->hash.data, *at = x->at.data;

		wl_sort_by_u32(index, n, spare, hash);
		for (size_t i = 0; i < n; i++)
			spare[i] = at[index[i]];
		memcpy(at, spare, n * sizeof(*at));
		for (size_t i = 0; i < n; i++)
			spare[i] = hash[index[i]];
		memcpy(hash, spare, n * sizeof(*hash));
	}
	wl_vec_release(&order);
	wl_vec_release(&tmp);
	return ok;
}

static void release(struct wl_row_index *x)
{
	wl_vec_release(&x->hash);
	wl_vec_release(&x->at);
	sqlite3_free(x->window);
	sqlite3_free(x->gpu);
	free(x);
}

static bool own_texts(struct wl_row_index *x, const struct wl_row_index_of *of)
{
	x->of.window = x->window = of->window ? sqlite3_mprintf("%s", of->window) : NULL;
	x->of.gpu = x->gpu = of->gpu ? sqlite3_mprintf("%s", of->gpu) : NULL;
	return !of->window == !x->of.window && !of->gpu == !x->of.gpu;
}

static struct wl_row_index *make(const struct wl_row_source *source,
				 const struct wl_row_index_of *of, struct wl_row_walk *w)
{
	struct wl_budget *budget = w->ctx->budget;
	struct wl_row_index *x = calloc(1, sizeof(*x));
	bool ok;

	if (!x)
		return NULL;
	x->of = *of;
	wl_vec_init(&x->hash, sizeof(uint32_t), budget);
	wl_vec_init(&x->at, sizeof(uint32_t), budget);
	ok = own_texts(x, of) && walk_all(x, source, w) && (x->hash.n == 0 || sort(x, budget));
	if (!ok) {
		release(x);
		return NULL;
	}
	wl_vec_trim(&x->hash);
	wl_vec_trim(&x->at);
	return x;
}

/* ---- Keeping them ---- */

void wl_row_index_put(struct wl_row_index *x)
{
	if (x && --x->n_holders == 0)
		release(x);
}

/* Let go of those behind the first n. */
static void keep(struct wl_row_indexes *all, size_t n)
{
	struct wl_row_index **at = &all->first;

	for (size_t i = 0; *at && i < n; i++)
		at = &(*at)->next;
	while (*at) {
		struct wl_row_index *x = *at;

		*at = x->next;
		wl_row_index_put(x);
		all->n--;
	}
}

void wl_row_indexes_release(struct wl_row_indexes *all)
{
	keep(all, 0);
}

static bool is_same(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : !a && !b;
}

static bool is_of(const struct wl_row_index *x, const struct wl_row_index_of *of)
{
	return x->of.trace == of->trace && x->of.generation == of->generation &&
	       x->of.columns == of->columns && is_same(x->of.window, of->window) &&
	       is_same(x->of.gpu, of->gpu);
}

bool wl_row_index_get(struct wl_row_indexes *all, const struct wl_row_source *source,
		      const struct wl_row_index_of *of, struct wl_row_walk *w,
		      struct wl_row_index **ret)
{
	uint64_t asked = hash_of(of);
	struct wl_row_index *x = all->first;

	*ret = NULL;
	while (x && !is_of(x, of))
		x = x->next;
	if (!x && all->asked != asked) {
		all->asked = asked;
		return true;
	}
	if (!x) {
		x = make(source, of, w);
		if (!x)
			return false;
		x->n_holders = 1;
		x->next = all->first;
		all->first = x;
		all->n++;
		keep(all, MAX_INDEXES);
	}
	x->n_holders++;
	*ret = x;
	return true;
}

/* ---- Questions ---- */

void wl_row_index_find(const struct wl_row_index *x, const struct wl_row_sought *sought,
		       size_t *ret_lo, size_t *ret_hi)
{
	const uint32_t *all = x->hash.data;
	uint64_t hash = 0;
	uint32_t wanted;

	for (size_t i = 0; i < WL_MAX_COLS; i++) {
		if (x->of.columns >> i & 1)
			hash = mix(hash, (uint64_t)sought->value[i]);
	}
	wanted = hash_row(hash);
	*ret_lo = *ret_hi = WL_BELOW(all, x->hash.n, wanted);
	while (*ret_hi < x->hash.n && all[*ret_hi] == wanted && *ret_hi - *ret_lo < 8)
		++*ret_hi;
	if (*ret_hi - *ret_lo == 8)
		*ret_hi = WL_UPTO(all, x->hash.n, wanted);
}

uint32_t wl_row_index_at(const struct wl_row_index *x, size_t i)
{
	return ((const uint32_t *)x->at.data)[i];
}

uint64_t wl_row_index_columns(const struct wl_row_index *x)
{
	return x->of.columns;
}
