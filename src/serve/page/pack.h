/* SPDX-License-Identifier: MIT */
/*
 * pack.h - the events of a page in few bytes: columns of varints, all one DEFLATE stream; see
 * docs/web.md, "The data of a file".
 *
 * The same traces give the same bytes. What comes out is kept in memory, at most so much as
 * the caller allows, because it is not known before whether it is little enough.
 */
#ifndef WL_SERVE_PACK_H
#define WL_SERVE_PACK_H

#include "base/memory/intern.h"
#include "serve/shown/labels.h"
#include "serve/shown/templates.h"

struct wl_pack_column {
	const char *key;        /* "start", ... */
	int64_t of;             /* the lane; of "columns" the row; -1 for neither */
	uint64_t n;             /* values */
	uint64_t offset, bytes; /* where they are before compression */
};

struct wl_pack_lane {
	uint32_t row;
	uint64_t n; /* events */
};

/* The function of a gap, and the one that it is under; WL_NONE for none. */
struct wl_pack_function {
	uint32_t scene;           /* of the show */
	uint32_t function, under; /* frames of its trace */
};

struct wl_pack {
	struct wl_vec column;      /* struct wl_pack_column, in the order of the bytes */
	struct wl_vec lane;        /* struct wl_pack_lane, in the order of rows */
	struct wl_vec config;      /* struct wl_launch_config: those that are used, in that order */
	struct wl_intern function; /* struct wl_pack_function: those of gaps, in that order */
	struct wl_vec data;        /* unsigned char: compressed */
	uint64_t bytes;            /* before compression */
	uint64_t n_events;
	uint32_t n_columns; /* of a row's picture; 0: all events are there, and no pictures */
	struct wl_templates templates;
	struct wl_labels labels;
	struct wl_arena arena; /* owns templates and labels */
};

struct wl_packing {
	const struct wl_show *show;
	const struct wl_names *names; /* of that show */
	size_t max_bytes;             /* of data; 0: any number */
	uint32_t n_columns;           /* of a picture per row that lacks events, or 0 for none */
	struct wl_budget *budget;
	const atomic_int *stop; /* not 0: give up; NULL for never */
};

enum wl_packed {
	WL_PACKED,
	WL_PACK_TOO_LARGE, /* than max_bytes */
	WL_PACK_STOPPED,
	WL_PACK_NO_MEMORY,
};

/* Release also after a failure. Linear in events. */
enum wl_packed wl_pack_make(struct wl_pack *pack, const struct wl_packing *how) WL_MUST_CHECK;
void wl_pack_release(struct wl_pack *pack); /* accepts a zeroed and a released one */

/* In how many pieces a file has the data, and how many of its bytes all but the last have. */
enum { WL_PIECE_BYTES = 3 << 20 }; /* 4 MB as Base64 */

static inline size_t wl_pack_pieces(const struct wl_pack *pack)
{
	return (pack->data.n + WL_PIECE_BYTES - 1) / WL_PIECE_BYTES;
}

#endif
