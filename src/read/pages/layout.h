/* SPDX-License-Identifier: MIT */
/*
 * layout.h - the positions of the wanted fields in a record.
 *
 * A record begins with a header that gives the type and size of each field. A table of millions of
 * rows has a few hundred distinct headers, so each is parsed once and then found by comparing
 * bytes.
 */
#ifndef WL_READ_PAGES_LAYOUT_H
#define WL_READ_PAGES_LAYOUT_H

#include <assert.h>

#include "read/shape.h"

/* The encoding of a field's bytes. Integers of all sizes are read without a branch. */
enum wl_field_kind {
	WL_FIELD_ZERO, /* 0, or not wanted by the scan: NULL or another type */
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
	uint32_t end; /* bytes from the start of the record to the field's end */
	uint8_t kind; /* enum wl_field_kind */
};

/* Longer headers are parsed again for each row. */
enum { WL_LAYOUT_WORDS = 8, WL_LAYOUT_BYTES = WL_LAYOUT_WORDS * 8 };

/* Sets of columns are bits by their number in the scan. */
struct wl_record_layout {
	uint32_t n_bytes;               /* of the header; 0: the slot is empty */
	uint32_t need;                  /* bytes of the record to the last wanted field's end */
	uint32_t total;                 /* of the record, summed up from its header */
	uint32_t ok, null;              /* columns; those in neither are of another type */
	uint32_t special;               /* columns that need more than reading an integer */
	uint64_t word[WL_LAYOUT_WORDS]; /* the header's bytes, padded with zeros */
	struct wl_field field[WL_SCAN_COLUMNS];
	uint32_t size[WL_SCAN_COLUMNS]; /* of texts */
};

/* Slots are half a kilobyte each, so the scan of a small table uses few. */
enum { WL_LAYOUT_BITS = 10, WL_LAYOUT_FEW_BITS = 4 };

static_assert(WL_SCAN_COLUMNS <= 32, "a bit for each column");

/* What a scan needs from each record, and the layouts found so far. Used by one thread. */
struct wl_record_layouts {
	const struct wl_scan *scan;
	const struct wl_shape *shape;
	uint32_t n_fields; /* up to the last wanted field */
	unsigned shift;    /* a slot is the hash's bits from this one upwards */
	struct wl_record_layout *slot, *unkept; /* for headers that are not kept */
};

/* Of 2^bits slots. */
bool wl_record_layouts_init(struct wl_record_layouts *l, const struct wl_scan *scan,
			    const struct wl_shape *shape, unsigned bits) WL_MUST_CHECK;
void wl_record_layouts_release(struct wl_record_layouts *l);

/*
 * Derive the layout of a record from its first n bytes, which hold the whole header. Returns NULL,
 * or what is wrong with it.
 */
const char *wl_record_layout_parse(const struct wl_record_layouts *l, const uint8_t *record,
				   size_t n, struct wl_record_layout *ret);

#endif
