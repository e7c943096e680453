/* SPDX-License-Identifier: MIT */
/*
 * iids.h - numbers for texts within a Perfetto packet sequence.
 *
 * A text is identified by its address: comparing texts for every event would cost more than writing
 * it. Each kind is numbered from 1 in order of first use, so that no address appears in a file.
 */
#ifndef WL_EXPORT_IIDS_H
#define WL_EXPORT_IIDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory/hash.h"
#include "base/memory/vec.h"
#include "base/num.h"

enum wl_iid_kind {
	WL_IID_NAME,
	WL_IID_CATEGORY,
	WL_IID_KEY,   /* of an argument */
	WL_IID_VALUE, /* text of an argument */
	WL_N_IID_KINDS
};

struct wl_iid_slot {
	uint64_t key; /* address and kind; 0: free */
	uint64_t iid;
};

struct wl_iids {
	struct wl_hash_key hash;
	struct wl_vec slots; /* a power of two of struct wl_iid_slot, at most half of them taken */
	size_t n;            /* taken */
	uint64_t last[WL_N_IID_KINDS];
};

/* The budget must outlive it. */
void wl_iids_init(struct wl_iids *iids, const struct wl_hash_key *hash, struct wl_budget *budget);
void wl_iids_release(struct wl_iids *iids);

/* Only for wl_iids_put(). */
uint64_t wl_iids_add(struct wl_iids *iids, uint64_t key);

/* The number of a text; *ret_new is set if it is new. 0 if out of memory. */
static inline uint64_t wl_iids_put(struct wl_iids *iids, enum wl_iid_kind kind, const char *text,
				   bool *ret_new)
{
	uint64_t key = (uint64_t)(uintptr_t)text << 2 | kind; /* no process has 2^62 bytes */
	const struct wl_iid_slot *slot = iids->slots.data;
	size_t mask = iids->slots.n - 1;
	size_t i = wl_mul_fold(key ^ iids->hash.seed, iids->hash.multiplier) & mask;

	while (slot && slot[i].key) {
		if (slot[i].key == key) {
			*ret_new = false;
			return slot[i].iid;
		}
		i = (i + 1) & mask;
	}
	*ret_new = true;
	return wl_iids_add(iids, key);
}

#endif
