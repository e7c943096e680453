/* SPDX-License-Identifier: MIT */
/*
 * strings.h - all text of a trace: one blob, one number per distinct string.
 *
 * Text is cleaned on the way in: invalid UTF-8 and NUL become U+FFFD, and the malformed strings are
 * counted. Equal strings have the same number, so names can be compared by number.
 */
#ifndef WL_MODEL_STRINGS_H
#define WL_MODEL_STRINGS_H

#include "base/memory/hash.h"
#include "base/memory/vec.h"
#include "model/trace.h"

struct wl_string_pool {
	struct wl_vec blob;    /* char, each string followed by NUL */
	struct wl_vec offsets; /* uint64_t */
	struct wl_vec slots;   /* hash table of numbers + 1 */
	struct wl_vec clean;   /* scratch for text that needs repair */
	struct wl_vec retired; /* struct wl_vec: earlier blobs, still referenced by answers */
	struct wl_hash_key key;
	bool handed_out; /* the blob must no longer move */
	size_t n_repaired;
	bool failed; /* out of memory or of numbers; sticky */
};

void wl_string_pool_init(struct wl_string_pool *pool, struct wl_budget *budget);
void wl_string_pool_release(struct wl_string_pool *pool);

/* The text's number; it is added if new. WL_NONE, with failed set, if there is no room. */
uint32_t wl_string_put(struct wl_string_pool *pool, const char *text, size_t len);

/*
 * The same without cleaning, for a pool of raw text whose strings are later put into another pool.
 * Do not use both functions on one pool.
 */
uint32_t wl_string_put_raw(struct wl_string_pool *pool, const char *text, size_t len);

/* Bytes of a string, without its NUL. Raw text may contain NUL. */
size_t wl_string_length(const struct wl_string_pool *pool, uint32_t id);

/* The text of a number that put returned; valid until the next put. */
const char *wl_string_get(const struct wl_string_pool *pool, uint32_t id);

/* A view of the pool's current strings. The text does not move until the pool is released. */
struct wl_strings wl_string_view(struct wl_string_pool *pool);

#endif
