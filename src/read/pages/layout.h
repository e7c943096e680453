/* SPDX-License-Identifier: MIT */
/*
 * layout.h - the places of the wanted fields in a record.
 *
 * A record begins with a header that gives the type and size of each field. A
 * table of millions of rows has a few hundred distinct headers, so what one says
 * is worked out once and found again by comparing bytes.
 */
#ifndef WL_READ_PAGES_LAYOUT_H
#define WL_READ_PAGES_LAYOUT_H

#include <assert.h>

#include "read/shape.h"

/* What the bytes of a field are. Integers of all sizes are read without a branch. */
enum wl_field_kind {
	WL_FIELD_ZERO, /* 0, or nothing that the scan wants: NULL, or of another type */
	WL_FIELD_ONE,
	WL_FIELD_I8,
	WL_FIELD_I16,
	WL_FIELD_I24,
	WL_FIELD_I32,
	WL_FIELD_I48,
	WL_FIELD_I64,
	WL_FIELD_REAL,
	WL_FIELD_TEXT,
	WL_FIELD_ROWID,
	WL_N_FIELD_KINDS
};

struct wl_field {
	uint32_t end; /* bytes from the beginning of the record to the field's end */
	uint8_t kind; /* enum wl_field_kind */
};

/* Headers of more bytes than this are worked out again for each row. */
enum { WL_LAYOUT_WORDS = 8, WL_LAYOUT_BYTES = WL_LAYOUT_WORDS * 8 };

/* Sets of columns are bits by their number in the scan. */
struct wl_record_layout {
	uint32_t n_bytes;               /* of the header; 0: nothing is kept here */
	uint32_t need;                  /* bytes of the record to the last wanted field's end */
	uint32_t total;                 /* of the record, as its header adds up */
	uint32_t ok, null;              /* columns; those in neither are of another type */
	uint32_t special;               /* columns that take more than reading an integer */
	uint64_t word[WL_LAYOUT_WORDS]; /* the header's bytes, zeros behind */
	struct wl_field field[WL_SCAN_COLUMNS];
	uint32_t size[WL_SCAN_COLUMNS]; /* of texts */
};

/* Slots are half a kilobyte each: few for the scan of a small table. */
enum { WL_LAYOUT_BITS = 10, WL_LAYOUT_FEW_BITS = 4 };

static_assert(WL_SCAN_COLUMNS <= 32, "a bit for each column");

/* What a scan wants of each record, and the layouts met so far. One thread's. */
struct wl_record_layouts {
	const struct wl_scan *scan;
	const struct wl_shape *shape;
	uint32_t n_fields; /* up to the last that is wanted */
	unsigned shift;    /* the slot is a hash's high bits: of 64 those above it */
	struct wl_record_layout *slot, *unkept; /* for headers that are not kept */
};

/* Of 2^bits slots. */
bool wl_record_layouts_init(struct wl_record_layouts *l, const struct wl_scan *scan,
			    const struct wl_shape *shape, unsigned bits) WL_MUST_CHECK;
void wl_record_layouts_release(struct wl_record_layouts *l);

/*
 * Work out the layout of a record from its first n bytes, which hold the whole header.
 * NULL, or what is strange about it.
 */
const char *wl_record_layout_parse(const struct wl_record_layouts *l, const uint8_t *record,
				   size_t n, struct wl_record_layout *ret);

#endif
