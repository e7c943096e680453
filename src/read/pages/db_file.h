/* SPDX-License-Identifier: MIT */
/*
 * db_file.h - a mapped SQLite database file as numbered pages.
 *
 * The format is described in "Database File Format" in SQLite's documentation. Everything here is
 * safe on any bytes: a caller that takes a number from a page checks it.
 */
#ifndef WL_READ_PAGES_DB_FILE_H
#define WL_READ_PAGES_DB_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/file/map.h"

struct wl_db_file {
	struct wl_map map;
	uint32_t page_size;
	uint32_t usable;  /* bytes of a page that SQLite uses */
	uint32_t n_pages; /* numbered from 1 */
	bool is_cold;     /* the file was not in the page cache when it was opened */
};

/* Map the file. *ret_why is NULL, or the reason why SQLite must read its rows; then nothing is
 * mapped. */
int wl_db_file_open(const char *path, struct wl_db_file *ret, const char **ret_why,
		    struct wl_err *reterr) WL_MUST_CHECK;
void wl_db_file_close(struct wl_db_file *db);

/* The page with this number, or NULL if there is none. */
static inline const uint8_t *wl_db_page(const struct wl_db_file *db, uint32_t number)
{
	return number - 1 < db->n_pages ? db->map.data + (size_t)(number - 1) * db->page_size
					: NULL;
}

/*
 * Releases the pages that a walk has passed, so that a large file does not count as memory.
 * Initialise to zero.
 */
struct wl_trail {
	uint32_t first, last; /* pages since the last time */
};

/* Note that the walk has reached a page. Pages are usually in ascending order; others stay mapped
 * until the file is closed. */
void wl_db_step(const struct wl_db_file *db, struct wl_trail *trail, uint32_t number);

/* The offset of a page's b-tree header: the first page begins with the file's own header. */
static inline uint32_t wl_db_header_at(uint32_t number)
{
	return number == 1 ? 100 : 0;
}

/* Read a varint of at most 9 bytes that ends before end; returns the position after it, or NULL if
 * there is none. */
const uint8_t *wl_varint(const uint8_t *p, const uint8_t *end, uint64_t *ret);

enum wl_page_type { WL_PAGE_INTERIOR = 0x05, WL_PAGE_LEAF = 0x0d };

#endif
