/* SPDX-License-Identifier: MIT */
/* ledger_keys.c - makes the key of an atom: what the rows prove about a loss. */
#include "derive/ledger/ledger_parts.h"
#include "derive/rows/ops.h"
#include "known/exports/codes.h"

static const char no_stage[] = "(none)";

/* Whether an operation is a copy from or to that kind of memory. */
static bool has_memory(const struct wl_trace *t, const struct wl_op *op, enum wl_memory_kind kind)
{
	const uint8_t *src = wl_memcpys_src(t), *dst = wl_memcpys_dst(t);

	return op->family == WL_F_MEMCPYS &&
	       ((src && src[op->row] == kind) || (dst && dst[op->row] == kind));
}

static bool is_blocking_copy(const struct wl_ledger_sources *from, uint32_t call)
{
	return call != WL_NONE && from->blocking->call[call] == WL_BLOCKS_BY_COPY;
}

static bool is_read(const struct wl_ledger_sources *from, uint32_t call)
{
	return from->basis.reads && call != WL_NONE && from->basis.reads[call];
}

static bool is_first_run(const struct wl_ledger_sources *from, const struct wl_op *op)
{
	return op->family == WL_F_KERNELS && from->basis.first_start &&
	       op->start == from->basis.first_start[wl_kernels_name(from->trace)[op->row]];
}

struct wl_atom_key wl_gap_key(const struct wl_ledger_sources *from, const struct wl_gap *gap)
{
	struct wl_atom_key key = { .opener = wl_gap_opened_by(from->trace, gap),
				   .opener_range = gap->opener_range };

	/*
	 * Flags are part of an atom's key to let rules claim short gaps, pageable copies or first
	 * runs without reading rows again.
	 */
	key.flags |= gap->end - gap->begin <= WL_SHORT_GAP_NS ? WL_LOST_IN_SHORT : 0;
	key.flags |=
		has_memory(from->trace, &gap->after, WL_MEMORY_PAGEABLE) ? WL_LOST_TO_PAGEABLE : 0;
	key.flags |= is_read(from, gap->call) || is_read(from, gap->opener) ? WL_LOST_TO_READ : 0;
	key.flags |= is_first_run(from, &gap->after) ? WL_LOST_TO_FIRST : 0;
	key.flags |= gap->begin >= from->basis.last_work[gap->device] ? WL_LOST_AFTER : 0;
	return key;
}

bool wl_is_long_call(const struct wl_gap_part *p)
{
	wl_ns length = p->end - p->begin;

	if (p->cause == WL_CAUSE_LAUNCH)
		return length >= WL_LONG_LAUNCH_NS;
	return length >= WL_LONG_CALL_NS && (p->cause == WL_CAUSE_ALLOC ||
					     p->cause == WL_CAUSE_LOAD || p->cause == WL_CAUSE_API);
}

static const char *stage_of(const struct wl_ledger_sources *from, uint32_t call, bool *ret_bridged)
{
	uint32_t stage;

	*ret_bridged = false;
	if (!from->forest || call == WL_NONE)
		return no_stage;
	stage = wl_stage_of_call(from->stages, from->trace, from->forest, call, ret_bridged);
	return stage == WL_NONE ? no_stage : from->stages->text[stage];
}

struct wl_atom_key wl_exposed_key(const struct wl_ledger_sources *from, const struct wl_op *op,
				  enum wl_class class, const bool *computes)
{
	const int64_t *bytes = wl_memcpys_bytes(from->trace);
	uint32_t call = wl_link_of(from->links, op->kind, op->row);
	struct wl_atom_key key = { .loss = WL_LOSS_EXPOSED_COPY };
	bool is_bridged;

	if (class == WL_COMM) {
		key.loss = WL_LOSS_EXPOSED_COMM;
		key.detail = wl_collective_title(
			wl_collective_of(from->trace, from->collectives, op->family, op->row));
		key.stage = stage_of(from, call, &is_bridged);
		key.flags =
			computes[from->basis.streams.of_place[op->place]] ? WL_LOST_ON_MIXED : 0;
		key.flags |= is_bridged ? WL_LOST_IN_BRIDGED : 0;
		return key;
	}
	key.copy = wl_known_copy_kind(wl_memcpys_kind(from->trace)[op->row]);
	key.detail = wl_copy_kind_name(key.copy);
	key.flags = has_memory(from->trace, op, WL_MEMORY_PAGEABLE) ? WL_LOST_TO_PAGEABLE : 0;
	key.flags |= has_memory(from->trace, op, WL_MEMORY_PINNED) ? WL_LOST_TO_PINNED : 0;
	key.flags |= is_blocking_copy(from, call) ? WL_LOST_TO_BLOCKING : 0;
	key.flags |= is_read(from, call) ? WL_LOST_TO_READ : 0;
	/* Copies after the last kernel fetch results once; no loop waits for them. */
	if (op->start >= from->basis.last_work[from->trace->places[op->place].device])
		key.flags |= WL_LOST_AFTER;
	if (bytes && bytes[op->row] <= WL_SMALL_COPY_BYTES)
		key.flags |= WL_LOST_TO_SMALL;
	return key;
}
