/* SPDX-License-Identifier: MIT */
/* print.h - what a checked file holds, as lines of tab-separated values. */
#ifndef PFCHECK_PRINT_H
#define PFCHECK_PRINT_H

#include "event.h"

/*
 * path, start, duration, depth, name, categories, ids of flows that begin, ids of flows that end,
 * correlation, arguments, uuid of the track. Lists are joined by ";", arguments are key=value; in
 * these ";" and
 * "=" are escaped too.
 */
void print_slice(const struct trace *t, const struct track *k, const struct open_slice *slice,
		 uint64_t duration, uint32_t depth);

/* path, time, value, uuid */
void print_value(const struct track *k, uint64_t time, bool is_real, int64_t integer, double real);

/* path, kind, pid, tid, rank, whether it has events, description, uuid, uuid of its parent or 0 */
void print_tracks(const struct tracks *t);

/* key, number */
void print_stats(const struct trace *t);

#endif
