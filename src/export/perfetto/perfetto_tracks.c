/* SPDX-License-Identifier: MIT */
/* perfetto_tracks.c - packets of a Perfetto trace that describe tracks and sequences. */
#include <string.h>

#include "export/perfetto/pb.h"
#include "export/perfetto/perfetto_fields.h"
#include "export/perfetto/perfetto_parts.h"

/* A packet with a descriptor of n_descriptor bytes, and n_more bytes of other fields. */
static void open_packet(struct wl_sink *sink, size_t n_descriptor, size_t n_more)
{
	wl_pb_put_head(sink, TRACE_PACKET,
		       wl_pb_uint_size(PACKET_SEQUENCE_ID, WL_SEQUENCE_OF_TRACKS) + n_more +
			       wl_pb_bytes_size(PACKET_TRACK_DESCRIPTOR, n_descriptor));
	wl_pb_put_uint(sink, PACKET_SEQUENCE_ID, WL_SEQUENCE_OF_TRACKS);
}

void wl_perfetto_put_root(struct wl_sink *sink)
{
	size_t n_first = wl_pb_uint_size(PACKET_SEQUENCE_FLAGS, FLAG_STATE_CLEARED) +
			 wl_pb_uint_size(PACKET_FIRST_ON_SEQUENCE, 1);
	size_t size = wl_pb_uint_size(TRACK_UUID, 0) +
		      wl_pb_uint_size(TRACK_PROCESS_ORDERING, PROCESSES_EXPLICIT) +
		      wl_pb_uint_size(TRACK_THREAD_ORDERING, THREADS_EXPLICIT);

	open_packet(sink, size, n_first);
	wl_pb_put_uint(sink, PACKET_SEQUENCE_FLAGS, FLAG_STATE_CLEARED);
	wl_pb_put_uint(sink, PACKET_FIRST_ON_SEQUENCE, 1);
	wl_pb_put_head(sink, PACKET_TRACK_DESCRIPTOR, size);
	wl_pb_put_uint(sink, TRACK_UUID, 0);
	wl_pb_put_uint(sink, TRACK_PROCESS_ORDERING, PROCESSES_EXPLICIT);
	wl_pb_put_uint(sink, TRACK_THREAD_ORDERING, THREADS_EXPLICIT);
}

/* Counters in percent share one scale, which makes their heights comparable. */
static bool has_share_key(const struct wl_emit_row *row)
{
	return strcmp(row->unit, "%") == 0;
}

static size_t counter_size(const struct wl_emit_row *row)
{
	size_t size = wl_pb_bytes_size(COUNTER_UNIT_NAME, strlen(row->unit));

	return has_share_key(row) ? size + wl_pb_bytes_size(COUNTER_SHARE_KEY, strlen(row->unit))
				  : size;
}

/* The part of a descriptor that only some kinds have: its field number and size; 0 for none. */
struct part {
	uint32_t field;
	size_t size;
};

static struct part part_of(const struct wl_emit_row *row, size_t n_name)
{
	switch (row->kind) {
	case WL_EMIT_PROCESS:
		return (struct part){ TRACK_PROCESS,
				      wl_pb_uint_size(PROCESS_PID, row->pid) +
					      wl_pb_bytes_size(PROCESS_NAME, n_name) };
	case WL_EMIT_THREAD:
		return (struct part){ TRACK_THREAD, wl_pb_uint_size(THREAD_PID, row->pid) +
							    wl_pb_uint_size(THREAD_TID, row->tid) +
							    wl_pb_bytes_size(THREAD_NAME, n_name) };
	case WL_EMIT_COUNTER:
		return (struct part){ TRACK_COUNTER, counter_size(row) };
	case WL_EMIT_GROUP:
	case WL_EMIT_SLICES:
		break;
	}
	return (struct part){ 0, 0 };
}

static void put_part(struct wl_sink *sink, const struct wl_emit_row *row, size_t n_name,
		     struct part part)
{
	wl_pb_put_head(sink, part.field, part.size);
	switch (row->kind) {
	case WL_EMIT_PROCESS:
		wl_pb_put_uint(sink, PROCESS_PID, row->pid);
		wl_pb_put_text(sink, PROCESS_NAME, row->name, n_name);
		break;
	case WL_EMIT_THREAD:
		wl_pb_put_uint(sink, THREAD_PID, row->pid);
		wl_pb_put_uint(sink, THREAD_TID, row->tid);
		wl_pb_put_text(sink, THREAD_NAME, row->name, n_name);
		break;
	case WL_EMIT_COUNTER:
		wl_pb_put_text(sink, COUNTER_UNIT_NAME, row->unit, strlen(row->unit));
		if (has_share_key(row))
			wl_pb_put_text(sink, COUNTER_SHARE_KEY, row->unit, strlen(row->unit));
		break;
	case WL_EMIT_GROUP:
	case WL_EMIT_SLICES:
		break;
	}
}

void wl_perfetto_put_track(struct wl_sink *sink, const struct wl_emit_row *row)
{
	bool holds_rows = row->kind == WL_EMIT_GROUP || row->kind == WL_EMIT_PROCESS ||
			  row->kind == WL_EMIT_THREAD;
	size_t n_name = strlen(row->name);
	size_t n_description = row->description ? strlen(row->description) : 0;
	struct part part = part_of(row, n_name);
	size_t size = wl_pb_uint_size(TRACK_UUID, row->id) + wl_pb_bytes_size(TRACK_NAME, n_name) +
		      wl_pb_uint_size(TRACK_ORDER_RANK, row->order) +
		      wl_pb_uint_size(TRACK_MERGE_BEHAVIOR, MERGE_NONE);

	if (part.field)
		size += wl_pb_bytes_size(part.field, part.size);
	if (row->parent)
		size += wl_pb_uint_size(TRACK_PARENT_UUID, row->parent);
	if (holds_rows)
		size += wl_pb_uint_size(TRACK_CHILD_ORDERING, ORDERING_EXPLICIT);
	if (row->description)
		size += wl_pb_bytes_size(TRACK_DESCRIPTION, n_description);

	open_packet(sink, size, 0);
	wl_pb_put_head(sink, PACKET_TRACK_DESCRIPTOR, size);
	wl_pb_put_uint(sink, TRACK_UUID, row->id);
	wl_pb_put_text(sink, TRACK_NAME, row->name, n_name);
	if (part.field)
		put_part(sink, row, n_name, part);
	if (row->parent)
		wl_pb_put_uint(sink, TRACK_PARENT_UUID, row->parent);
	if (holds_rows)
		wl_pb_put_uint(sink, TRACK_CHILD_ORDERING, ORDERING_EXPLICIT);
	wl_pb_put_uint(sink, TRACK_ORDER_RANK, row->order);
	if (row->description)
		wl_pb_put_text(sink, TRACK_DESCRIPTION, row->description, n_description);
	wl_pb_put_uint(sink, TRACK_MERGE_BEHAVIOR, MERGE_NONE);
}

/* Messages are built inside out: each in its own buffer, which is then copied into the enclosing
 * one. */
struct message {
	size_t n;
	unsigned char bytes[64];
};

static void add_uint(struct message *m, uint32_t field, uint64_t v)
{
	m->n = (size_t)(wl_pb_uint(m->bytes + m->n, field, v) - m->bytes);
}

static void add_message(struct message *m, uint32_t field, const struct message *inner)
{
	unsigned char *p = wl_pb_head(m->bytes + m->n, field, inner->n);

	memcpy(p, inner->bytes, inner->n);
	m->n = (size_t)(p - m->bytes) + inner->n;
}

/* Our clock counts from packet to packet; both clocks start at 0. */
static struct message clock_snapshot(void)
{
	struct message ours = { 0 }, trace = { 0 }, snapshot = { 0 };

	add_uint(&ours, CLOCK_ID, FIRST_CLOCK_OF_A_SEQUENCE);
	add_uint(&ours, CLOCK_TIMESTAMP, 0);
	add_uint(&ours, CLOCK_IS_INCREMENTAL, 1);
	add_uint(&trace, CLOCK_ID, BOOTTIME);
	add_uint(&trace, CLOCK_TIMESTAMP, 0);
	add_message(&snapshot, SNAPSHOT_CLOCKS, &ours);
	add_message(&snapshot, SNAPSHOT_CLOCKS, &trace);
	add_uint(&snapshot, SNAPSHOT_PRIMARY_CLOCK, BOOTTIME);
	return snapshot;
}

static struct message defaults_of(uint32_t row)
{
	struct message event = { 0 }, defaults = { 0 };

	add_uint(&event, EVENT_DEFAULTS_TRACK_UUID, row);
	add_message(&defaults, DEFAULTS_TRACK_EVENT, &event);
	add_uint(&defaults, DEFAULTS_CLOCK_ID, FIRST_CLOCK_OF_A_SEQUENCE);
	return defaults;
}

void wl_perfetto_put_start(struct wl_sink *sink, uint32_t sequence, uint32_t row)
{
	struct message snapshot = clock_snapshot(), defaults = defaults_of(row), packet = { 0 };

	add_message(&packet, PACKET_CLOCK_SNAPSHOT, &snapshot);
	add_uint(&packet, PACKET_SEQUENCE_ID, sequence);
	add_uint(&packet, PACKET_SEQUENCE_FLAGS, FLAG_STATE_CLEARED | FLAG_NEEDS_STATE);
	add_message(&packet, PACKET_DEFAULTS, &defaults);
	add_uint(&packet, PACKET_FIRST_ON_SEQUENCE, 1);
	wl_pb_put_head(sink, TRACE_PACKET, packet.n);
	wl_sink_put(sink, packet.bytes, packet.n);
}
