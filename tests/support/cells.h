/* SPDX-License-Identifier: MIT */
/* cells.h - what a scan hands over, as bytes that can be compared. */
#ifndef WL_TESTS_CELLS_H
#define WL_TESTS_CELLS_H

#include "read/reader.h"

/* Rows one after the other: of each cell its state, then what it holds if it is OK. */
struct cells {
	unsigned char *at;
	size_t n, room;
	int64_t rows;
	const char *broken; /* a promise of reader.h that a batch did not keep */
};

/* For cells_take, which is a wl_batch_fn. */
struct cells_reading {
	const struct wl_scan *scan;
	struct cells *cells;
};

int cells_take(void *ctx, const struct wl_batch *batch, struct wl_err *reterr);

void cells_forget(struct cells *cells); /* keeps the room */
void cells_release(struct cells *cells);
void cells_append(struct cells *to, const struct cells *from);

/* Whether both hold the same. If not, why says where, with want as sqlite's. */
bool cells_same(const struct cells *want, const struct cells *got, const struct wl_scan *scan,
		char *why, size_t room) WL_MUST_CHECK;

#endif
