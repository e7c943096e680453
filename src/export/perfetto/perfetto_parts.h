/* SPDX-License-Identifier: MIT */
/*
 * perfetto_parts.h - declarations shared by the sources of the Perfetto format.
 *
 * perfetto.c implements the format and keeps the rows, perfetto_begin.c writes the packets that
 * begin slices, and perfetto_tracks.c writes packets without events.
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

	WL_SEQUENCE_OF_TRACKS = 1, /* the sequences of rows come after it */
};

/* A row with events, which is a packet sequence. */
struct wl_perfetto_row {
	uint64_t last;          /* time of its last packet */
	struct wl_vec open;     /* uint64_t: end times of the open slices */
	size_t n_mark, n_close; /* bytes of the next two */
	/* Bytes that follow a time: sequence id and flags; the same with the event that ends a
	 * slice. */
	unsigned char mark[WL_PACKET_MARK], close[WL_PACKET_MARK];
	struct wl_iids iids;
};

/* A reference to an interned text. */
struct wl_perfetto_ref {
	uint64_t iid;
	bool is_new; /* must be defined in this packet */
};

/* The texts of an argument, and the size of its annotation without its head. */
struct wl_perfetto_term {
	struct wl_perfetto_ref key, value; /* value: only if the text is kept */
	size_t n_text;                     /* of other texts */
	size_t size;
};

struct wl_perfetto_slot {
	struct wl_perfetto_row *row; /* NULL before the first event and once closed */
	bool is_small;               /* few events are expected */
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
	struct wl_vec terms; /* struct wl_perfetto_term: for the current slice */
};

/* Return the time since the last packet of the row. */
static inline uint64_t wl_perfetto_step(struct wl_perfetto_row *r, uint64_t at)
{
	uint64_t step = at - r->last;

	assert(at >= r->last);
	r->last = at;
	return step;
}

/* Write a packet's head, time and mark; n bytes will follow. */
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
 * Write the packet that begins a slice at this file time, with the texts that are new to the row.
 * Without memory, writes nothing and sets failed.
 */
void wl_perfetto_put_begin(struct wl_perfetto *p, struct wl_perfetto_row *r, uint64_t start,
			   const struct wl_emit_slice *s);

/* Write the first packet of a file and of the sequence of tracks. It makes viewers show processes
 * and threads in our order. */
void wl_perfetto_put_root(struct wl_sink *sink);

/* Describe a row. Its uuid is its id, which no other row has. */
void wl_perfetto_put_track(struct wl_sink *sink, const struct wl_emit_row *row);

/*
 * Write the first packet of a sequence. Events after it belong to this row; each time is relative
 * to the packet before, the first to 0.
 */
void wl_perfetto_put_start(struct wl_sink *sink, uint32_t sequence, uint32_t row);

#endif
