/*
 * vec.h - a column under construction: a growing array charged to a byte budget.
 *
 * Large arrays are grown by mremap, so growing never copies and never holds two
 * copies; trimming gives the unused tail back. Errors are sticky: after the first
 * failure extend returns NULL and failed stays set.
 */
#ifndef WL_BASE_VEC_H
#define WL_BASE_VEC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "base/budget.h"

struct wl_vec {
	void *data;
	size_t n;     /* elements in use */
	size_t cap;   /* elements that fit */
	size_t size;  /* bytes of an element */
	size_t bytes; /* allocated, as charged */
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

/* Give back what is allocated beyond n. */
void wl_vec_trim(struct wl_vec *v);

#endif
