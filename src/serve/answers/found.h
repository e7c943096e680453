/* SPDX-License-Identifier: MIT */
/* found.h - what a search found: hits in their order, the longest of them, and sums of all. */
#ifndef WL_SERVE_FOUND_H
#define WL_SERVE_FOUND_H

#include "serve/answers/answer.h"

/* An event as the order of hits has it: by begin, then row, then ref. */
struct wl_hit {
	wl_ns begin, end; /* from the origin of its trace */
	uint32_t row, ref, name;
	uint8_t category; /* of its lane */
};

int wl_hit_compare(const struct wl_hit *x, const struct wl_hit *y);

/* Key and object; null for NULL. */
void wl_hit_put(struct wl_jsonw *w, const struct wl_served *served, const char *key,
		const struct wl_hit *h);

struct wl_hit_sum {
	uint64_t n;
	wl_ns time;
};

/* Lengths are counted in four bins per factor of two; the first are of 0, 1, 2 and 3 ns. */
enum { WL_LENGTH_BINS = 256 };

struct wl_found {
	const struct wl_served *served;
	size_t max, n; /* of the list: how many are wanted, how many there are */
	struct wl_hit *list;
	struct wl_hit_sum all;
	struct wl_hit_sum *device;             /* the host first, then GPUs of all traces */
	struct wl_hit_sum *step[WL_MAX_SHOWN]; /* by trace and number */
	size_t n_steps[WL_MAX_SHOWN], n_devices;
	uint64_t length[WL_LENGTH_BINS];
};

/* Of the max longest hits. The arena must outlive it; false when it is exhausted. */
bool wl_found_init(struct wl_found *f, const struct wl_ask *ask, size_t max) WL_MUST_CHECK;

/* A hit of a row. Linear in max at worst, for hits that are among the longest so far. */
void wl_found_add(struct wl_found *f, const struct wl_asked_row *row, const struct wl_hit *h);

/* The members of docs/web.md, in an object that was begun. */
void wl_found_put(const struct wl_found *f, struct wl_jsonw *w);

#endif
