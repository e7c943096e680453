/* SPDX-License-Identifier: MIT */
#include "read/make.h"

#include <stdlib.h>
#include <string.h>

#include "known/exports/codes.h"
#include "known/step_log.h"
#include "read/make_parts.h"
#include "read/payload.h"

static enum wl_want want_of(enum wl_make make, size_t source)
{
	if (make == WL_MAKE_TEXT || (make == WL_MAKE_TEXT_OR_STRING && source == 0))
		return WL_WANT_TEXT;
	if (make == WL_MAKE_PAYLOAD_READ)
		return WL_WANT_BYTES;
	if (make == WL_MAKE_PAYLOAD || make == WL_MAKE_PAYLOAD_TEXT)
		return source == 0 ? WL_WANT_BYTES : WL_WANT_TEXT;
	return make == WL_MAKE_NVTX_FLAGS && source >= 2 ? WL_WANT_PRESENT : WL_WANT_INT;
}

void wl_making_init(struct wl_making *g, enum wl_column_id column, const struct wl_binding *binding,
		    struct wl_budget *budget)
{
	*g = (struct wl_making){ .column = column, .binding = binding };
	wl_intern_init(&g->tuples, wl_tuple_size(binding->make), budget);
	wl_string_pool_init(&g->texts, budget);
	wl_vec_init(&g->number, sizeof(uint32_t), budget);
}

void wl_making_release(struct wl_making *g)
{
	wl_intern_release(&g->tuples);
	wl_string_pool_release(&g->texts);
	wl_vec_release(&g->number);
	free(g->memo);
	g->memo = NULL;
}

/* A table written by another program may name a row's owner differently: see admit.h. */
static void ask_owner(struct wl_making *g, struct wl_probe_scan *query,
		      const struct wl_probe *probe)
{
	enum wl_make how = g->binding->make;
	bool is_thread = how == WL_MAKE_THREAD;
	const char *pid = wl_owner_fallback(probe, query->scan.table);

	if ((!is_thread && how != WL_MAKE_PLACE && how != WL_MAKE_OP_PLACE) || g->at[0] >= 0 ||
	    !pid)
		return;
	g->by_pid = true;
	g->at[0] = wl_probe_scan_ask(query, probe, pid, WL_WANT_INT);
	if (is_thread)
		g->at[1] = wl_probe_scan_ask(query, probe, "threadId", WL_WANT_INT);
}

void wl_making_ask(struct wl_making *g, struct wl_probe_scan *query, const struct wl_probe *probe)
{
	const struct wl_binding *binding = g->binding;

	for (size_t i = 0; i < WL_BIND_SOURCES; i++)
		g->at[i] = binding->source[i] ? wl_probe_scan_ask(query, probe, binding->source[i],
								  want_of(binding->make, i))
					      : -1;
	ask_owner(g, query, probe);
}

static bool is_time(int64_t v)
{
	return v >= -WL_TIME_MAX && v <= WL_TIME_MAX;
}

/* CUDA's result; 0 if the row has none. */
static int32_t result(struct wl_maker *m, const struct wl_making *g, size_t k)
{
	int64_t v = wl_cell(m, g, 0, k, 0);

	if (v >= INT32_MIN && v <= INT32_MAX)
		return (int32_t)v;
	m->n_mistyped++;
	return -1;
}

static uint8_t differ(const struct wl_maker *m, const struct wl_making *g, size_t k)
{
	return wl_is_set(m, g, 0, k) && wl_is_set(m, g, 1, k) &&
	       wl_cell(m, g, 0, k, 0) != wl_cell(m, g, 1, k, 0);
}

/*
 * The meaning of syncType depends on the nsys version; whether a row names a stream or an event
 * does not.
 */
static uint8_t sync_kind(struct wl_maker *m, const struct wl_making *g, size_t k)
{
	bool has_stream = wl_cell(m, g, 0, k, 0) != UINT32_MAX;
	bool has_event = wl_cell(m, g, 1, k, 0) != UINT32_MAX;

	if (!wl_is_set(m, g, 0, k) || !wl_is_set(m, g, 1, k))
		return (uint8_t)wl_cell_bounded(m, g, 2, k, WL_NO_U8 - 1, WL_NO_U8);
	if (has_stream)
		return has_event ? WL_SYNC_STREAM_WAITS : WL_SYNC_STREAM;
	return has_event ? WL_SYNC_EVENT : WL_SYNC_CONTEXT;
}

static uint32_t stack_cell(const struct wl_maker *m, const struct wl_making *g, size_t k)
{
	return wl_is_set(m, g, 0, k) ? wl_raw_map_get(m->chains, wl_cell(m, g, 0, k, 0)) : WL_NONE;
}

static wl_ns time_cell(struct wl_maker *m, const struct wl_making *g, size_t k)
{
	int64_t v = wl_cell(m, g, 0, k, WL_NO_TIME);

	if (is_time(v))
		return v;
	m->n_mistyped += wl_is_set(m, g, 0, k);
	return WL_NO_TIME;
}

static bool is_unclosed(const struct wl_maker *m, const struct wl_making *g, size_t k)
{
	return !wl_is_set(m, g, 0, k) && wl_nvtx_is_range((unsigned)wl_cell(m, g, 1, k, 0));
}

/* The loop of nearly every batch: all ends are present, none precedes its start, and lengths fit in
 * 32 bits. */
static bool make_plain_dur(const struct wl_maker *m, const struct wl_making *g, uint32_t *out)
{
	const struct wl_batch_column *end = &m->batch->column[g->at[0] < 0 ? 0 : g->at[0]];
	uint64_t wrong = 0;

	if (g->at[0] < 0 || !end->all_ok || m->n_kept != m->batch->n)
		return false;
	for (size_t k = 0; k < m->n_kept; k++) {
		uint64_t dur = (uint64_t)end->value[k] - (uint64_t)m->start[k];

		wrong |= dur >= WL_LONG;
		out[k] = (uint32_t)dur;
	}
	return !wrong;
}

static void make_dur(struct wl_maker *m, const struct wl_making *g, uint32_t *out, bool nvtx)
{
	if (make_plain_dur(m, g, out))
		return;
	for (size_t k = 0; k < m->n_kept; k++) {
		wl_ns start = m->start[m->kept[k]];
		wl_ns end = wl_cell(m, g, 0, k, start);
		wl_ns dur;

		if (nvtx && is_unclosed(m, g, k))
			end = m->trace_end;
		dur = end > start ? end - start : 0;
		out[k] = dur < WL_LONG ? (uint32_t)dur : WL_LONG;
		if (out[k] == WL_LONG) {
			uint32_t row = (uint32_t)(m->first + k);

			wl_vec_push(&m->long_row, &row);
			wl_vec_push(&m->long_dur, &dur);
		}
	}
}

static void make_flags(struct wl_maker *m, const struct wl_making *g, uint8_t *out)
{
	for (size_t k = 0; k < m->n_kept; k++) {
		uint8_t flags = is_unclosed(m, g, k) ? WL_NVTX_UNCLOSED : 0;

		for (size_t s = 2; s < 8; s++)
			flags |= wl_is_set(m, g, s, k) ? WL_NVTX_NUMBER : 0;
		if (wl_is_set(m, g, 8, k) || wl_is_set(m, g, 9, k))
			flags |= WL_NVTX_JSON;
		if (wl_is_set(m, g, 10, k))
			flags |= WL_NVTX_BINARY;
		out[k] = flags;
	}
}

static uint64_t payload_cell(const struct wl_maker *m, const struct wl_making *g, size_t k,
			     enum wl_payload_what what)
{
	const struct wl_batch_column *c;
	size_t row = m->kept[k];

	if (wl_is_set(m, g, 0, k)) {
		c = &m->batch->column[g->at[0]];
		return wl_payload_binary(m->build, m->batch->text + c->value[row], c->len[row],
					 what);
	}
	if (!wl_is_set(m, g, 1, k))
		return WL_NO_U64;
	c = &m->batch->column[g->at[1]];
	return wl_payload_json(m->batch->text + c->value[row], c->len[row], what);
}

static void make_payload(const struct wl_maker *m, const struct wl_making *g, uint64_t *out)
{
	enum wl_payload_what what = g->column == WL_NCCL_CALLS_COMM    ? WL_PAYLOAD_COMM
				    : g->column == WL_NCCL_CALLS_BYTES ? WL_PAYLOAD_BYTES
				    : g->column == WL_NCCL_CALLS_RANK  ? WL_PAYLOAD_RANK
				    : g->column == WL_NCCL_CALLS_PEER  ? WL_PAYLOAD_PEER
								       : WL_PAYLOAD_RANKS;

	for (size_t k = 0; k < m->n_kept; k++)
		out[k] = payload_cell(m, g, k, what);
}

static void make_read(const struct wl_maker *m, const struct wl_making *g, uint8_t *out)
{
	for (size_t k = 0; k < m->n_kept; k++) {
		const struct wl_batch_column *c;
		size_t row = m->kept[k];

		out[k] = WL_NO_U8;
		if (!wl_is_set(m, g, 0, k))
			continue;
		c = &m->batch->column[g->at[0]];
		out[k] = wl_payload_is_read(m->build, m->batch->text + c->value[row], c->len[row]);
	}
}

/* Only numbers are kept from a program's output. */
static void make_step_log(const struct wl_maker *m, const struct wl_making *g, uint64_t *out)
{
	for (size_t k = 0; k < m->n_kept; k++) {
		uint32_t string = WL_NONE;
		struct wl_step_log log = { 0, 0 };

		if (wl_is_set(m, g, 0, k))
			string = wl_strings_map_get(m->strings, wl_cell(m, g, 0, k, 0));
		if (string != WL_NONE) {
			const char *text = wl_string_get(&m->build->strings, string);

			log = wl_step_log_read(text, strlen(text));
		}
		out[k] = g->column == WL_OUTPUTS_LINES ? log.lines : (uint64_t)log.median;
	}
}

static void make_number(struct wl_maker *m, const struct wl_making *g, enum wl_make how, void *out)
{
	for (size_t k = 0; k < m->n_kept; k++) {
		if (how == WL_MAKE_U8)
			((uint8_t *)out)[k] =
				(uint8_t)wl_cell_bounded(m, g, 0, k, WL_NO_U8 - 1, WL_NO_U8);
		else if (how == WL_MAKE_U32)
			((uint32_t *)out)[k] = wl_cell_u32(m, g, 0, k);
		else if (how == WL_MAKE_I32)
			((int32_t *)out)[k] = result(m, g, k);
		else if (how == WL_MAKE_U64)
			((uint64_t *)out)[k] = wl_is_set(m, g, 0, k)
						       ? (uint64_t)wl_cell(m, g, 0, k, 0)
						       : WL_NO_U64;
		else if (how == WL_MAKE_DIFFER)
			((uint8_t *)out)[k] = differ(m, g, k);
		else if (how == WL_MAKE_IS_ZERO)
			((uint8_t *)out)[k] = wl_is_set(m, g, 0, k) && !wl_cell(m, g, 0, k, 0);
		else if (how == WL_MAKE_STACK)
			((uint32_t *)out)[k] = stack_cell(m, g, k);
		else if (how == WL_MAKE_SYNC_KIND)
			((uint8_t *)out)[k] = sync_kind(m, g, k);
		else if (how == WL_MAKE_SIZE)
			((int64_t *)out)[k] = wl_cell_bounded(m, g, 0, k, INT64_MAX, 0);
		else if (how == WL_MAKE_TIME)
			((wl_ns *)out)[k] = time_cell(m, g, k);
		else
			((wl_ns *)out)[k] = m->start[m->kept[k]];
	}
}

void wl_making_run(struct wl_making *g, struct wl_maker *m, void *out)
{
	enum wl_make how = g->binding->make;

	switch (how) {
	case WL_MAKE_DUR:
	case WL_MAKE_NVTX_DUR:
		make_dur(m, g, out, how == WL_MAKE_NVTX_DUR);
		break;
	case WL_MAKE_NVTX_FLAGS:
		make_flags(m, g, out);
		break;
	case WL_MAKE_PAYLOAD:
		make_payload(m, g, out);
		break;
	case WL_MAKE_PAYLOAD_READ:
		make_read(m, g, out);
		break;
	case WL_MAKE_PLACE:
	case WL_MAKE_OP_PLACE:
	case WL_MAKE_STREAM_PLACE:
	case WL_MAKE_THREAD:
	case WL_MAKE_OTHER_THREAD:
	case WL_MAKE_KERNEL_NAME:
	case WL_MAKE_CONFIG:
	case WL_MAKE_SERIES:
	case WL_MAKE_NIC_SERIES:
	case WL_MAKE_FUNCTION:
		wl_tuples_run(g, m, out);
		break;
	case WL_MAKE_STRING:
	case WL_MAKE_TEXT:
	case WL_MAKE_TEXT_OR_STRING:
	case WL_MAKE_PAYLOAD_TEXT:
		wl_texts_run(g, m, out);
		break;
	case WL_MAKE_STEP_LOG:
		make_step_log(m, g, out);
		break;
	case WL_MAKE_NOTHING:
	case WL_MAKE_START:
	case WL_MAKE_TIME:
	case WL_MAKE_U8:
	case WL_MAKE_U32:
	case WL_MAKE_I32:
	case WL_MAKE_U64:
	case WL_MAKE_SYNC_KIND:
	case WL_MAKE_SIZE:
	case WL_MAKE_DIFFER:
	case WL_MAKE_IS_ZERO:
	case WL_MAKE_STACK:
		make_number(m, g, how, out);
		break;
	}
}
