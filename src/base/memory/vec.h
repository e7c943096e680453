/* SPDX-License-Identifier: MIT */
/*
 * vec.h - a column under construction: a growing array charged to a byte budget.
 *
 * Large arrays are grown by mremap, so growing never copies and never holds two
 * copies; trimming releases the unused tail. Errors are sticky: after the first
 * failure extend returns NULL and failed stays set.
 */
#ifndef WL_BASE_VEC_H
#define WL_BASE_VEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/memory/budget.h"

struct wl_vec {
	void *data;
	size_t n;     /* elements in use */
	size_t cap;   /* elements that fit */
	size_t size;  /* bytes of an element */
	size_t bytes; /* allocated, as charged but for what is lent */
	size_t lent;  /* of a twin: bytes that the other one is charged for */
	struct wl_budget *budget;
	bool mapped; /* data comes from mmap */
	bool failed;
};

/* The budget must outlive v. */
void wl_vec_init(struct wl_vec *v, size_t size, struct wl_budget *budget);
void wl_vec_release(struct wl_vec *v);

/* Append n elements of undefined content; returns the first, or NULL when there is no room. */
void *wl_vec_extend(struct wl_vec *v, size_t n) WL_MUST_CHECK;

/* Append a copy of one element; failure is sticky. */
void wl_vec_push(struct wl_vec *v, const void *element);

/* Make room for n elements in all, so that extend up to there cannot fail. */
bool wl_vec_reserve(struct wl_vec *v, size_t n) WL_MUST_CHECK;

/* Release what is allocated beyond n. */
void wl_vec_trim(struct wl_vec *v);

/*
 * The elements [begin, end) will be written soon: have their pages made at once, which costs
 * a third of meeting them one by one. Only advice. Several threads may do so at once.
 */
void wl_vec_expect(const struct wl_vec *v, size_t begin, size_t end);

/*
 * A twin is room for the elements of a vector in another order. Both together take
 * little more than one, because the mover releases source pages as it goes, and
 * pages of the twin exist once they are written to. So
 * the twin is charged for the difference only: for the pages where its n_streams
 * ends grow, and for n_held elements that are moved but not released yet.
 * Make it of a vector with elements that does not grow any more; false, with
 * nothing to release, when there is no room.
 */
bool wl_vec_twin(struct wl_vec *twin, const struct wl_vec *v, size_t n_streams,
		 size_t n_held) WL_MUST_CHECK;

/*
 * Release the pages inside the elements [begin, end), which are undefined from
 * then on. Nothing of a vector on the heap. Several threads may do so at once.
 */
void wl_vec_drop(struct wl_vec *v, size_t begin, size_t end);

/* Move n elements of 1, 2, 4 or 8 bytes to their places: element i of from is at[i] of to. */
void wl_scatter(void *to, const void *from, const uint32_t *at, size_t n, size_t size);

/* The elements of the twin, or of any other vector, become v's; its own are released. */
void wl_vec_replace(struct wl_vec *v, struct wl_vec *twin);

#endif
