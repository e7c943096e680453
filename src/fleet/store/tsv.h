/* SPDX-License-Identifier: MIT */
/* tsv.h - rows of an answer in TabSeparated: lines of cells, with escapes. */
#ifndef WL_FLEET_TSV_H
#define WL_FLEET_TSV_H

#include <stdbool.h>
#include <stddef.h>

/* Zeroed but for at, which is the answer; it is taken apart. */
struct wl_tsv {
	char *at; /* NULL: nothing is left */
	bool is_broken;
};

/* The next row of n cells, without escapes; false past the last, and for other than n cells. */
bool wl_tsv_row(struct wl_tsv *tsv, char **cells, size_t n);

#endif
