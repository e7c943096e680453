/* SPDX-License-Identifier: MIT */
/* event.h - slices, counters and flows, as TrackEvent messages tell them. */
#ifndef PFCHECK_EVENT_H
#define PFCHECK_EVENT_H

#include "sequence.h"
#include "track.h"

struct flow {
	uint64_t id, begin, end; /* times; UINT64_MAX where none was seen */
	const unsigned char *begin_at, *end_at;
};

/* What to print of the events on the way; at most one of these. */
enum print { PRINT_NOTHING, PRINT_SLICES, PRINT_COUNTERS, PRINT_TRACKS, PRINT_STATS };

struct trace {
	struct span file;
	enum print print;
	struct numbers sequence_id;
	struct sequence *sequence;
	struct tracks tracks;
	struct numbers flow_id;
	struct flow *flow;
	uint64_t n_packets, n_slices, n_instants, n_values;
};

/* A TrackEvent of a sequence at a time; at: its packet. */
void event_take(struct trace *t, uint32_t sequence, uint64_t time, struct span message,
		const unsigned char *at);

/* Every flow begins once and ends once, and not before it begins. */
void flows_finish(const struct trace *t);

#endif
