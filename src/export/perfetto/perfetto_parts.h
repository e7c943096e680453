/* SPDX-License-Identifier: MIT */
/*
 * perfetto_parts.h - declarations that the sources of the Perfetto format share.
 *
 * perfetto.c keeps the rows and is the format, perfetto_begin.c writes the packet that
 * begins a slice, perfetto_tracks.c packets without events.
 */
#ifndef WL_EXPORT_PERFETTO_PARTS_H
#define WL_EXPORT_PERFETTO_PARTS_H

#include <assert.h>
#include <string.h>

#include "export/emit.h"
#include "export/perfetto/iids.h"
#include "export/perfetto/pb.h"
#include "export/perfetto/perfetto_fields.h"

enum {
	WL_PACKET_HEAD = 3 * WL_PB_FIELD, /* room for a packet's head, time and mark */
	WL_PACKET_MARK = 16,

	WL_SEQUENCE_OF_TRACKS = 1, /* sequences of rows follow */
};

/* A row with events: a packet sequence. */
struct wl_perfetto_row {
	uint64_t last;          /* time of its last packet */
	struct wl_vec open;     /* uint64_t: when the slices that are under way end */
	size_t n_mark, n_close; /* bytes of the next two */
	/* Sequence id and flags; the same and the event that ends a slice. What follows a time. */
	unsigned char mark[WL_PACKET_MARK], close[WL_PACKET_MARK];
	struct wl_iids iids;
};

/* A text by its number. */
struct wl_perfetto_ref {
	uint64_t iid;
	bool is_new; /* has to be defined in this packet */
};

/* What an argument refers to, and the size of its annotation without its head. */
struct wl_perfetto_term {
	struct wl_perfetto_ref key, value; /* value: of kept texts */
	size_t n_text;                     /* of other texts */
	size_t size;
};

struct wl_perfetto_slot {
	struct wl_perfetto_row *row; /* NULL while there are no events, and once closed */
	bool is_small;               /* few events will come */
	uint8_t decimals;            /* of its values */
};

struct wl_perfetto {
	struct wl_emitter base;
	struct wl_sink *sink;
	struct wl_budget *budget;
	uint64_t shift;
	uint32_t next_short, next_long; /* sequence ids */
	struct wl_hash_key hash;
	struct wl_vec rows;  /* struct wl_perfetto_slot, by id - 1 */
	struct wl_vec terms; /* struct wl_perfetto_term: of the slice at hand */
};

/* Time since the last packet of the row. */
static inline uint64_t wl_perfetto_step(struct wl_perfetto_row *r, uint64_t at)
{
	uint64_t step = at - r->last;

	assert(at >= r->last);
	r->last = at;
	return step;
}

/* A packet's head, time and mark; n bytes will follow. */
static inline unsigned char *wl_perfetto_head(unsigned char *at, const struct wl_perfetto_row *r,
					      uint64_t step, size_t n)
{
	size_t size = wl_pb_uint_size(PACKET_TIMESTAMP, step) + r->n_mark + n;

	at = wl_pb_head(at, TRACE_PACKET, size);
	at = wl_pb_uint(at, PACKET_TIMESTAMP, step);
	memcpy(at, r->mark, WL_PACKET_MARK);
	return at + r->n_mark;
}

/*
 * The packet that begins a slice at this time of the file, with the texts that are new to
 * the row. Nothing and failed without memory.
 */
void wl_perfetto_put_begin(struct wl_perfetto *p, struct wl_perfetto_row *r, uint64_t start,
			   const struct wl_emit_slice *s);

/* The first packet of a file and of the sequence of tracks: processes and threads are shown in our
 * order. */
void wl_perfetto_put_root(struct wl_sink *sink);

/* What a row is. Its uuid is its id, and that of no other row. */
void wl_perfetto_put_track(struct wl_sink *sink, const struct wl_emit_row *row);

/*
 * The first packet of a sequence: events after it are of this row, and their times count
 * from that of the packet before, the first from 0.
 */
void wl_perfetto_put_start(struct wl_sink *sink, uint32_t sequence, uint32_t row);

#endif
