/* SPDX-License-Identifier: MIT */
#include "analysis/missing_ranks.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/memory/sort.h"

enum { MAX_NAMED = 8 };

/* Collects the ranks of processes on GPUs, in order; returns their number. */
static size_t collect(const struct wl_trace *t, int64_t *rank)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n_processes; i++) {
		if (t->processes[i].on_gpu && t->processes[i].rank_source != WL_RANK_NONE)
			rank[n++] = t->processes[i].rank;
	}
	wl_sort_i64(rank, n);
	return n;
}

/* "0, 1, 5", or the first of many; returns how many are missing below world. */
static int64_t name_missing(const int64_t *rank, size_t n, int64_t world, char *buf, size_t size)
{
	size_t used = 0;
	int64_t missing = 0, next = 0;

	buf[0] = '\0';
	for (size_t i = 0; i <= n && next < world; i++) {
		int64_t end = i < n && rank[i] < world ? rank[i] : world;

		for (int64_t r = next; r < end && missing + (r - next) < MAX_NAMED; r++)
			used += (size_t)snprintf(buf + used, used < size ? size - used : 0,
						 "%s%" PRId64, used ? ", " : "", r);
		missing += end > next ? end - next : 0;
		next = end + 1 > next ? end + 1 : next;
	}
	if (missing > MAX_NAMED && used < size)
		(void)snprintf(buf + used, size - used, ", ...");
	return missing;
}

void wl_missing_ranks_note(const struct wl_trace *t, struct wl_table *out)
{
	int64_t *rank = t->n_files ? WL_NEW(out->arena, int64_t, t->n_processes) : NULL;
	size_t n = rank ? collect(t, rank) : 0;
	int64_t world, missing;
	char names[200];

	if (n == 0)
		return;
	/*
	 * Gaps below the highest rank are missing ranks, whatever size was recorded.
	 */
	world = t->world > rank[n - 1] ? t->world : rank[n - 1] + 1;
	missing = name_missing(rank, n, world, names, sizeof(names));
	if (missing)
		wl_table_note(out,
			      "%" PRId64 " of %" PRId64
			      " ranks are missing (%s): this covers only the ranks present",
			      missing, world, names);
}
