/* SPDX-License-Identifier: MIT */
#include "export/perfetto/iids.h"

#include <assert.h>
#include <string.h>

/* A power of two, like every later size: the mask in place() needs it. */
enum { FIRST_SLOTS = 32, KIND_MASK = 3 };

static_assert(WL_N_IID_KINDS <= KIND_MASK + 1, "a kind takes two bits of a key");

void wl_iids_init(struct wl_iids *iids, const struct wl_hash_key *hash, struct wl_budget *budget)
{
	*iids = (struct wl_iids){ .hash = *hash };
	wl_vec_init(&iids->slots, sizeof(struct wl_iid_slot), budget);
}

void wl_iids_release(struct wl_iids *iids)
{
	wl_vec_release(&iids->slots);
}

static void place(const struct wl_iids *iids, struct wl_iid_slot entry)
{
	struct wl_iid_slot *slot = iids->slots.data;
	size_t mask = iids->slots.n - 1;
	size_t i = wl_mul_fold(entry.key ^ iids->hash.seed, iids->hash.multiplier) & mask;

	while (slot[i].key)
		i = (i + 1) & mask;
	slot[i] = entry;
}

static bool grow(struct wl_iids *iids)
{
	size_t n = iids->slots.n ? iids->slots.n * 2 : FIRST_SLOTS;
	struct wl_vec old = iids->slots;
	const struct wl_iid_slot *from = old.data;

	wl_vec_init(&iids->slots, sizeof(*from), old.budget);
	if (!wl_vec_reserve(&iids->slots, n) || !wl_vec_extend(&iids->slots, n)) {
		wl_vec_release(&iids->slots);
		iids->slots = old;
		return false;
	}
	memset(iids->slots.data, 0, n * sizeof(*from));
	for (size_t i = 0; i < old.n; i++) {
		if (from[i].key)
			place(iids, from[i]);
	}
	wl_vec_release(&old);
	return true;
}

uint64_t wl_iids_add(struct wl_iids *iids, uint64_t key)
{
	struct wl_iid_slot entry = { key, 0 };

	/* At most half full, so that a probe always ends at a free slot. */
	if ((iids->n + 1) * 2 > iids->slots.n && !grow(iids))
		return 0;
	entry.iid = ++iids->last[key & KIND_MASK];
	place(iids, entry);
	iids->n++;
	return entry.iid;
}
