/* SPDX-License-Identifier: MIT */
/* search_only.h - conditions of a search on events, besides their name. */
#ifndef WL_SERVE_SEARCH_ONLY_H
#define WL_SERVE_SEARCH_ONLY_H

#include "serve/answers/answer.h"

/* Conditions on events besides their name. */
struct wl_search_only {
	int64_t min, max, a, b;
	int64_t device;   /* counted on over the traces; -1: any */
	int64_t trace;    /* -1: any */
	uint32_t cats;    /* of what is no operation: bits; all for any */
	uint64_t words;   /* of operations: bits of struct wl_web_name.word; all for any */
	const bool *rows; /* which of the page; NULL: any */
	struct wl_number_list grid; /* sizes of a kernel's: of x, of x and y, or all; none: any */
	/* By trace and NVTX row: is called so, or is in a range that is. NULL: any event. */
	const bool *range[WL_MAX_SHOWN];
};

/* Parameters min, max, a, b, cat, word, gpu, trace, rows, grid and range of docs/web.md. */
int wl_search_only_read(const struct wl_ask *ask, struct wl_search_only *o,
			struct wl_err *reterr) WL_MUST_CHECK;

/* Whether events of a row can count. */
bool wl_search_only_row(const struct wl_search_only *o, const struct wl_served *served,
			const struct wl_asked_row *row);

/* Whether event i of a lane of such a row counts. Takes a search where a range is wanted. */
bool wl_search_only_event(const struct wl_search_only *o, const struct wl_served *served,
			  const struct wl_asked_row *row, const struct wl_lane *lane, size_t i,
			  const struct wl_web_name *name);

#endif
