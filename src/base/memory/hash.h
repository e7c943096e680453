/* SPDX-License-Identifier: MIT */
/*
 * hash.h - a keyed hash of bytes, for tables in memory.
 *
 * The key is random, so that a file cannot be made whose names all fall into one
 * slot. Nothing that anyone sees may depend on the values.
 */
#ifndef WL_BASE_HASH_H
#define WL_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

struct wl_hash_key {
	uint64_t seed, multiplier;
};

/* A key that cannot be guessed. */
void wl_hash_key_init(struct wl_hash_key *key);

uint64_t wl_hash(const struct wl_hash_key *key, const void *data, size_t size);

#endif
