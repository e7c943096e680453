/*
 * order.c - bring the rows of a family into their fixed order.
 *
 * Files are nearly in order of start, with owners (devices or threads) mixed.
 * So rows are first dealt out to their owners, which keeps the order, and then
 * each owner's rows are sorted, which costs one look where nothing is wrong.
 */
#include <string.h>

#include "base/sort.h"
#include "model/build.h"

struct keys {
	const wl_ns *start;
	const uint32_t *dur;           /* NULL where rows have no length */
	const struct wl_vec *long_row; /* of the old row numbers */
	const struct wl_vec *long_dur;
};

static wl_ns key_dur(const struct keys *k, uint32_t row)
{
	struct wl_family longs = { .n_long = k->long_row->n,
				   .long_row = k->long_row->data,
				   .long_dur = k->long_dur->data };

	return k->dur ? wl_dur(&longs, k->dur, row) : 0;
}

static bool row_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct keys *k = ctx;

	if (k->start[a] != k->start[b])
		return k->start[a] < k->start[b];
	return key_dur(k, a) < key_dur(k, b);
}

struct thread_ctx {
	const uint64_t *global;
};

static bool thread_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct thread_ctx *c = ctx;

	return c->global[a] < c->global[b];
}

/*
 * For each owner tuple (place or thread) the position of its owner among all
 * owners. Places share an owner when they are on one device; places without a
 * device come last.
 */
static bool owner_ranks(struct wl_build *b, enum wl_order order, struct wl_vec *rank,
			size_t *ret_n_owners)
{
	size_t n = order == WL_BY_DEVICE ? b->places.n : b->threads.n;
	uint32_t *out = wl_vec_extend(rank, n);
	struct wl_vec scratch;
	uint32_t *index;

	if (!out)
		return false;
	if (order == WL_BY_DEVICE) {
		const struct wl_place *place = b->places.data;

		for (size_t i = 0; i < n; i++)
			out[i] = place[i].device == WL_NONE ? (uint32_t)b->devices.n
							    : place[i].device;
		*ret_n_owners = b->devices.n + 1;
		return true;
	}
	wl_vec_init(&scratch, sizeof(uint32_t), &b->budget);
	index = wl_vec_extend(&scratch, 2 * n);
	if (index) {
		for (size_t i = 0; i < n; i++)
			index[i] = (uint32_t)i;
		wl_sort_index(index, n, index + n, thread_less,
			      &(struct thread_ctx){ b->thread_keys.items.data });
		for (size_t i = 0; i < n; i++)
			out[index[i]] = (uint32_t)i;
	}
	wl_vec_release(&scratch);
	*ret_n_owners = n;
	return index != NULL;
}

/* True when rows already stand in (owner, start, end) order. */
static bool is_ordered(const struct keys *k, const uint32_t *owner, const uint32_t *rank, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		uint32_t a = rank[owner[i - 1]], b = rank[owner[i]];

		if (a > b || (a == b && row_less(k, (uint32_t)i, (uint32_t)(i - 1))))
			return false;
	}
	return true;
}

/* Deal rows out to their owners, then sort each owner's rows. bound has n_owners + 1 entries. */
static void make_permutation(const struct keys *k, const uint32_t *owner, const uint32_t *rank,
			     size_t n, size_t n_owners, size_t *bound, uint32_t *perm,
			     uint32_t *tmp)
{
	memset(bound, 0, (n_owners + 1) * sizeof(*bound));
	for (size_t i = 0; i < n; i++)
		bound[rank[owner[i]] + 1]++;
	for (size_t o = 0; o < n_owners; o++)
		bound[o + 1] += bound[o];
	for (size_t i = 0; i < n; i++)
		perm[bound[rank[owner[i]]]++] = (uint32_t)i;
	/* Dealing moved each bound to its owner's end, which is the next one's begin. */
	for (size_t o = 0, begin = 0; o < n_owners; begin = bound[o], o++)
		wl_sort_index(perm + begin, bound[o] - begin, tmp, row_less, k);
}

#define GATHER(type)                                                                               \
	for (size_t i = 0; i < n; i++)                                                             \
	((type *)to)[i] = ((const type *)from)[perm[i]]

static void gather(void *to, const void *from, const uint32_t *perm, size_t n, size_t size)
{
	switch (size) {
	case 1:
		GATHER(uint8_t);
		break;
	case 2:
		GATHER(uint16_t);
		break;
	case 4:
		GATHER(uint32_t);
		break;
	default:
		GATHER(uint64_t);
		break;
	}
}

/* Long lengths follow their rows; called before the columns move. */
static bool move_longs(struct wl_build *b, struct wl_build_family *f, const struct keys *k,
		       const uint32_t *perm)
{
	struct wl_vec row, dur;

	wl_vec_init(&row, sizeof(uint32_t), &b->budget);
	wl_vec_init(&dur, sizeof(wl_ns), &b->budget);
	for (size_t i = 0; k->dur && f->long_row.n && i < f->n; i++) {
		if (k->dur[perm[i]] == WL_LONG) {
			wl_vec_push(&row, &(uint32_t){ (uint32_t)i });
			wl_vec_push(&dur, &(wl_ns){ key_dur(k, perm[i]) });
		}
	}
	if (row.failed || dur.failed) {
		wl_vec_release(&row);
		wl_vec_release(&dur);
		return false;
	}
	wl_vec_release(&f->long_row);
	wl_vec_release(&f->long_dur);
	f->long_row = row;
	f->long_dur = dur;
	return true;
}

/* One column at a time, so that only one exists twice. */
static bool move_columns(struct wl_build *b, enum wl_family_id family, const uint32_t *perm)
{
	for (size_t c = wl_family_infos[family].first_column; c < wl_family_end(family); c++) {
		struct wl_vec *v = &b->column[c], moved;
		void *to;

		if (v->n == 0)
			continue;
		wl_vec_init(&moved, v->size, &b->budget);
		if (!wl_vec_reserve(&moved, v->n))
			return false;
		to = wl_vec_extend(&moved, v->n);
		if (!to)
			return false;
		gather(to, v->data, perm, v->n, v->size);
		wl_vec_release(v);
		*v = moved;
	}
	return true;
}

static int no_memory(const struct wl_build *b, enum wl_family_id family, struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_NOMEM, "%s: no memory to sort %zu %s", b->path,
		       b->family[family].n, wl_family_infos[family].help);
}

static bool permute(struct wl_build *b, enum wl_family_id family, const struct keys *k,
		    const uint32_t *owner, const uint32_t *rank, size_t n_owners)
{
	struct wl_build_family *f = &b->family[family];
	struct wl_vec perm, tmp, bound;
	bool ok = false;

	wl_vec_init(&perm, sizeof(uint32_t), &b->budget);
	wl_vec_init(&tmp, sizeof(uint32_t), &b->budget);
	wl_vec_init(&bound, sizeof(size_t), &b->budget);
	if (wl_vec_extend(&perm, f->n) && wl_vec_extend(&tmp, f->n) &&
	    wl_vec_extend(&bound, n_owners + 1)) {
		make_permutation(k, owner, rank, f->n, n_owners, bound.data, perm.data, tmp.data);
		wl_vec_release(&tmp);
		ok = move_longs(b, f, k, perm.data) && move_columns(b, family, perm.data);
	}
	wl_vec_release(&perm);
	wl_vec_release(&tmp);
	wl_vec_release(&bound);
	return ok;
}

int wl_build_order(struct wl_build *b, enum wl_family_id family, struct wl_err *reterr)
{
	struct wl_build_family *f = &b->family[family];
	enum wl_order order = wl_family_infos[family].order;
	struct wl_key_columns c = wl_family_keys(family);
	size_t n_owners;
	struct wl_vec rank;
	struct keys k;
	bool ok = true;

	f->ordered = true;
	if (order == WL_BY_ROW || f->n < 2)
		return WL_OK;
	k = (struct keys){ b->column[c.start].data,
			   c.dur < WL_N_COLUMNS ? b->column[c.dur].data : NULL, &f->long_row,
			   &f->long_dur };
	wl_vec_init(&rank, sizeof(uint32_t), &b->budget);
	if (!owner_ranks(b, order, &rank, &n_owners))
		ok = false;
	else if (!is_ordered(&k, b->column[c.owner].data, rank.data, f->n))
		ok = permute(b, family, &k, b->column[c.owner].data, rank.data, n_owners);
	wl_vec_release(&rank);
	return ok ? WL_OK : no_memory(b, family, reterr);
}
