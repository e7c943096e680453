/* SPDX-License-Identifier: MIT */
/*
 * track_gaps.c - the row of gaps: idle time by cause, and exposed communication and copies.
 *
 * A ref must lead to its detail without a table that fills write to, because rows are filled
 * concurrently. All details are texts that the trace, the range names or the program already hold,
 * so a ref is the number of such a text.
 */
#include <string.h>

#include "base/memory/sort.h"
#include "derive/exposed/exposed_walk.h"
#include "derive/idle/idle.h"
#include "derive/tracks/tracks_inside.h"
#include "known/exports/codes.h"

/* Values of the two highest bits of a ref. */
enum { OF_PROGRAM, OF_STRING, OF_RANGE };

/* Numbers of the program's own texts. */
enum {
	NO_DETAIL,
	FIRST_REASON,
	FIRST_COLLECTIVE = FIRST_REASON + 8,
	FIRST_COPY = FIRST_COLLECTIVE + WL_N_COLLECTIVES,
	END_COPY = FIRST_COPY + UINT8_MAX + 1,
};

static const char *const reasons[] = { "skew", "no launch" };

static uint32_t pack(unsigned of, size_t number)
{
	return number >> WL_REF_BITS ? NO_DETAIL : (uint32_t)of << WL_REF_BITS | (uint32_t)number;
}

const char *wl_gap_detail(const struct wl_tracks *tracks, uint32_t ref)
{
	uint32_t number = ref & ((UINT32_C(1) << WL_REF_BITS) - 1);

	switch (ref >> WL_REF_BITS) {
	case OF_STRING:
		return wl_str(tracks->trace, number);
	case OF_RANGE:
		return tracks->inside->names->name[number].label_text;
	default:
		if (number >= FIRST_COPY && number < END_COPY)
			return wl_copy_kind_name(number - FIRST_COPY);
		if (number >= FIRST_COLLECTIVE && number < FIRST_COPY)
			return wl_collective_title((enum wl_collective)(number - FIRST_COLLECTIVE));
		if (number >= FIRST_REASON && number - FIRST_REASON < WL_COUNT(reasons))
			return reasons[number - FIRST_REASON];
		return NULL;
	}
}

/* A text to look up by its address. */
struct sought {
	const struct wl_tracks *tracks;
	uintptr_t address;
};

static bool string_before(const void *ctx, size_t i)
{
	const struct sought *s = ctx;
	const struct wl_strings *strings = &s->tracks->trace->strings;

	return (uintptr_t)(strings->blob + strings->offset[i]) < s->address;
}

static bool label_before(const void *ctx, size_t i)
{
	const struct sought *s = ctx;
	const struct wl_tracks_inside *in = s->tracks->inside;

	return (uintptr_t)in->names->name[in->names_by_address[i]].label_text < s->address;
}

static uint32_t ref_of(const struct wl_tracks *tracks, const char *detail)
{
	const struct wl_tracks_inside *in = tracks->inside;
	const struct wl_strings *strings = &tracks->trace->strings;
	const struct sought s = { tracks, (uintptr_t)detail };
	size_t i;

	if (!detail)
		return NO_DETAIL;
	i = wl_lower_bound(strings->n, string_before, &s);
	if (i < strings->n && strings->blob + strings->offset[i] == detail)
		return pack(OF_STRING, i);
	i = in->names ? wl_lower_bound(in->names->n, label_before, &s) : 0;
	if (in->names && i < in->names->n &&
	    in->names->name[in->names_by_address[i]].label_text == detail)
		return pack(OF_RANGE, in->names_by_address[i]);
	for (i = 0; i < WL_COUNT(reasons); i++) {
		if (strcmp(reasons[i], detail) == 0)
			return (uint32_t)(FIRST_REASON + i);
	}
	return NO_DETAIL;
}

enum { N_KNOWN = 256 };

struct merging {
	struct wl_filling *filling;
	struct wl_exposed_walk exposed;
	bool failed;
	/* Most gaps have one of a few details: a cache of recent lookups, by address. */
	struct {
		const char *detail;
		uint32_t ref;
	} known[N_KNOWN];
};

static uint32_t known_ref(struct merging *m, const char *detail)
{
	size_t slot = (size_t)((uintptr_t)detail * UINT64_C(0x9E3779B97F4A7C15) >> 56);

	if (m->known[slot].detail != detail) {
		m->known[slot].detail = detail;
		m->known[slot].ref = ref_of(m->filling->tracks, detail);
	}
	return m->known[slot].ref;
}

static void take_gap(void *ctx, const struct wl_gap *gap)
{
	struct merging *m = ctx;

	m->failed = m->failed || !wl_exposed_walk_to(&m->exposed, gap->begin);
	for (size_t i = 0; i < gap->n_parts; i++) {
		const struct wl_gap_part *p = &gap->part[i];

		wl_filling_put(m->filling,
			       &(struct wl_lane_event){ p->begin, p->end, known_ref(m, p->detail),
							(uint8_t)(WL_GAP_OF_CAUSE + p->cause) });
	}
}

static void take_exposed(void *ctx, const struct wl_op *op, wl_ns begin, wl_ns end)
{
	struct merging *m = ctx;
	const struct wl_tracks *tracks = m->filling->tracks;
	const struct wl_trace *t = tracks->trace;
	struct wl_lane_event event = { begin, end, NO_DETAIL, WL_GAP_EXPOSED_COPY };

	if (wl_class_of(t, tracks->inside->classes, op->family, op->row) == WL_COMM) {
		event.cat = WL_GAP_EXPOSED_COMM;
		event.ref = FIRST_COLLECTIVE +
			    (uint32_t)wl_collective_of(t, tracks->inside->collectives, op->family,
						       op->row);
	} else {
		event.ref = FIRST_COPY + (uint32_t)wl_known_copy_kind(wl_memcpys_kind(t)[op->row]);
	}
	wl_filling_put(m->filling, &event);
}

bool wl_fill_gaps(struct wl_filling *f)
{
	const struct wl_tracks *tracks = f->tracks;
	const struct wl_exposed_question q = { .trace = tracks->trace,
					       .scope = &tracks->inside->scope,
					       .classes = tracks->inside->classes,
					       .device = tracks->at[f->track].device };
	struct merging m = { .filling = f };
	bool ok;

	wl_exposed_walk_init(&m.exposed, &q, wl_arena_budget(&f->scratch), take_exposed, &m);
	ok = wl_idle_visit(tracks->idle, q.scope, q.device, &f->scratch,
			   &(struct wl_gap_visitor){ .take = take_gap, .ctx = &m }) &&
	     !m.failed && wl_exposed_walk_to(&m.exposed, INT64_MAX);
	wl_exposed_walk_release(&m.exposed);
	return ok;
}
