/* SPDX-License-Identifier: MIT */
/*
 * Events of a Perfetto trace.
 *
 * A slice is one packet at its begin and one at its end. A row keeps the ends of the slices that
 * are under way, innermost last; they are written when a later event of the row begins, or when the
 * row is closed.
 */
#include "export/perfetto/perfetto.h"

#include <stdlib.h>

#include "export/formats.h"
#include "export/perfetto/perfetto_parts.h"

/*
 * A sequence id is in every packet; below FIRST_LONG it takes one byte, else two. Rows with few
 * events therefore leave the short ids to others, once there are more rows than small traces have.
 */
enum { FEW_EVENTS = 1000, FIRST_RESERVED = 32, FIRST_LONG = 128 };

static struct wl_perfetto *self(struct wl_emitter *e)
{
	return (struct wl_perfetto *)e;
}

static void put_row(struct wl_emitter *e, const struct wl_emit_row *row)
{
	struct wl_perfetto *p = self(e);
	const struct wl_perfetto_slot slot = { .is_small = row->n_events > 0 &&
							   row->n_events < FEW_EVENTS,
					       .decimals = (uint8_t)row->decimals };

	if (e->failed)
		return;
	assert(row->id == p->rows.n + 1);
	wl_vec_push(&p->rows, &slot);
	e->failed |= p->rows.failed;
	wl_perfetto_put_track(p->sink, row);
}

static void free_row(struct wl_perfetto *p, struct wl_perfetto_row *r)
{
	wl_vec_release(&r->open);
	wl_iids_release(&r->iids);
	free(r);
	wl_budget_give(p->budget, sizeof(*r));
}

static struct wl_perfetto_row *new_row(struct wl_perfetto *p, uint32_t sequence)
{
	struct wl_perfetto_row *r;
	unsigned char *end;

	if (!wl_budget_take(p->budget, sizeof(*r)))
		return NULL;
	r = calloc(1, sizeof(*r));
	if (!r) {
		wl_budget_give(p->budget, sizeof(*r));
		return NULL;
	}
	wl_vec_init(&r->open, sizeof(uint64_t), p->budget);
	wl_iids_init(&r->iids, &p->hash, p->budget);
	end = wl_pb_uint(r->mark, PACKET_SEQUENCE_ID, sequence);
	end = wl_pb_uint(end, PACKET_SEQUENCE_FLAGS, FLAG_NEEDS_STATE);
	r->n_mark = (size_t)(end - r->mark);
	memcpy(r->close, r->mark, r->n_mark);
	end = wl_pb_head(r->close + r->n_mark, PACKET_TRACK_EVENT,
			 wl_pb_uint_size(EVENT_TYPE, TYPE_SLICE_END));
	end = wl_pb_uint(end, EVENT_TYPE, TYPE_SLICE_END);
	r->n_close = (size_t)(end - r->close);
	return r;
}

static struct wl_perfetto_slot *slot_of(const struct wl_perfetto *p, uint32_t id)
{
	assert(id - 1 < p->rows.n);
	return (struct wl_perfetto_slot *)p->rows.data + (id - 1);
}

static uint32_t new_sequence(struct wl_perfetto *p, bool is_small)
{
	if (p->next_short < (is_small ? FIRST_RESERVED : FIRST_LONG))
		return p->next_short++;
	return p->next_long++;
}

/* The state of a row; its first event begins its sequence. NULL if out of memory. */
static struct wl_perfetto_row *row_of(struct wl_perfetto *p, uint32_t id)
{
	struct wl_perfetto_slot *slot;

	if (p->base.failed)
		return NULL;
	slot = slot_of(p, id);
	if (!slot->row) {
		uint32_t sequence = new_sequence(p, slot->is_small);

		slot->row = new_row(p, sequence);
		p->base.failed = !slot->row;
		if (slot->row)
			wl_perfetto_put_start(p->sink, sequence, id);
	}
	return slot->row;
}

static uint64_t on_file(const struct wl_perfetto *p, wl_ns t)
{
	return (uint64_t)t + p->shift;
}

static void put_end(struct wl_perfetto *p, struct wl_perfetto_row *r, uint64_t end)
{
	uint64_t step = wl_perfetto_step(r, end);
	unsigned char *at = wl_sink_room(p->sink, WL_PACKET_HEAD);

	at = wl_pb_head(at, TRACE_PACKET, wl_pb_uint_size(PACKET_TIMESTAMP, step) + r->n_close);
	at = wl_pb_uint(at, PACKET_TIMESTAMP, step);
	memcpy(at, r->close, WL_PACKET_MARK);
	wl_sink_took(p->sink, at + r->n_close);
}

/* End the slices that have ended by then, innermost first. */
static void end_until(struct wl_perfetto *p, struct wl_perfetto_row *r, uint64_t at)
{
	const uint64_t *end = r->open.data;

	while (r->open.n && end[r->open.n - 1] <= at)
		put_end(p, r, end[--r->open.n]);
}

static void put_slice(struct wl_emitter *e, uint32_t row, const struct wl_emit_slice *s)
{
	struct wl_perfetto *p = self(e);
	struct wl_perfetto_row *r = row_of(p, row);
	uint64_t start = on_file(p, s->start), end = on_file(p, s->end);
	const uint64_t *ends;

	if (!r)
		return;
	end_until(p, r, start);
	ends = r->open.data;
	assert(start <= end && (!r->open.n || end <= ends[r->open.n - 1]));
	wl_perfetto_put_begin(p, r, start, s);
	if (end > start) {
		wl_vec_push(&r->open, &end);
		e->failed |= r->open.failed;
	} else if (!e->failed) {
		put_end(p, r, end);
	}
}

static void put_count(struct wl_emitter *e, uint32_t row, wl_ns at, int64_t value)
{
	struct wl_perfetto *p = self(e);
	struct wl_perfetto_row *r = row_of(p, row);
	static const double unit[] = { 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6 };
	size_t n_event =
		wl_pb_uint_size(EVENT_TYPE, TYPE_COUNTER) + wl_pb_fixed64_size(EVENT_DOUBLE_VALUE);
	unsigned char *to;

	if (!r)
		return;
	to = wl_sink_room(p->sink, WL_PACKET_HEAD + 3 * WL_PB_FIELD);
	to = wl_perfetto_head(to, r, wl_perfetto_step(r, on_file(p, at)),
			      wl_pb_bytes_size(PACKET_TRACK_EVENT, n_event));
	to = wl_pb_head(to, PACKET_TRACK_EVENT, n_event);
	to = wl_pb_uint(to, EVENT_TYPE, TYPE_COUNTER);
	to = wl_pb_double(to, EVENT_DOUBLE_VALUE, (double)value / unit[slot_of(p, row)->decimals]);
	wl_sink_took(p->sink, to);
}

static void close_row(struct wl_emitter *e, uint32_t row)
{
	struct wl_perfetto *p = self(e);
	struct wl_perfetto_slot *slot = e->failed ? NULL : slot_of(p, row);

	if (!slot || !slot->row)
		return;
	end_until(p, slot->row, UINT64_MAX);
	free_row(p, slot->row);
	slot->row = NULL;
}

/* A trace ends with its last packet. */
static void finish(struct wl_emitter *e)
{
	(void)e;
}

static const struct wl_emitter_ops ops = {
	.row = put_row,
	.slice = put_slice,
	.count = put_count,
	.close = close_row,
	.finish = finish,
};

struct wl_emitter *wl_perfetto_open(struct wl_sink *sink, wl_ns shift, struct wl_budget *budget)
{
	struct wl_perfetto *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->base.ops = &ops;
	p->sink = sink;
	p->budget = budget;
	p->shift = (uint64_t)shift;
	p->next_short = WL_SEQUENCE_OF_TRACKS + 1;
	p->next_long = FIRST_LONG;
	wl_hash_key_init(&p->hash);
	wl_vec_init(&p->rows, sizeof(struct wl_perfetto_slot), budget);
	wl_vec_init(&p->terms, sizeof(struct wl_perfetto_term), budget);
	wl_perfetto_put_root(sink);
	return &p->base;
}

void wl_perfetto_close(struct wl_emitter *e)
{
	struct wl_perfetto *p = self(e);
	const struct wl_perfetto_slot *slot;

	if (!p)
		return;
	slot = p->rows.data;
	for (size_t i = 0; i < p->rows.n; i++) {
		if (slot[i].row)
			free_row(p, slot[i].row);
	}
	wl_vec_release(&p->rows);
	wl_vec_release(&p->terms);
	free(p);
}

const struct wl_export_format wl_export_perfetto = {
	.name = "perfetto",
	.suffix = { ".pftrace", ".pftrace.gz", ".perfetto-trace", ".perfetto-trace.gz" },
	.n_listed = 2,
	.media = "application/octet-stream",
	.open = wl_perfetto_open,
	.close = wl_perfetto_close,
	.shifts = true,
	.is_sized = true,
	.reader = "Perfetto's page",
	.comfortable = 5,
};
