/* SPDX-License-Identifier: MIT */
/*
 * varints.h - a compressed stream of numbers in LEB128, in which columns go into a pack.
 */
#ifndef WL_SERVE_VARINTS_H
#define WL_SERVE_VARINTS_H

#include "base/file/gz.h"
#include "base/file/varint.h"
#include "base/memory/vec.h"

enum { WL_VARINTS_BUFFER = 1 << 16 };

struct wl_varints {
	struct wl_gz *gz;
	struct wl_vec *out; /* of unsigned char: what is compressed */
	size_t max;         /* bytes of out; 0: any number */
	bool too_large;     /* out would have more: nothing is added any more */
	uint64_t n_bytes;   /* put so far */
	size_t n;           /* of buffer */
	unsigned char buffer[WL_VARINTS_BUFFER];
};

/* out must be ready and outlive it. False without memory. Release it in any case. */
bool wl_varints_init(struct wl_varints *v, struct wl_vec *out, size_t max) WL_MUST_CHECK;
void wl_varints_release(struct wl_varints *v);

void wl_varints_flush(struct wl_varints *v);
void wl_varints_bytes(struct wl_varints *v, const void *bytes, size_t n);

/* Nothing comes after. Failures are in too_large and out->failed. */
void wl_varints_finish(struct wl_varints *v);

static inline void wl_varints_put(struct wl_varints *v, uint64_t value)
{
	size_t n;

	if (v->n > WL_VARINTS_BUFFER - WL_MAX_VARINT)
		wl_varints_flush(v);
	n = wl_varint_put(v->buffer + v->n, value);
	v->n_bytes += n;
	v->n += n;
}

#endif
