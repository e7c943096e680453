/* SPDX-License-Identifier: MIT */
/* idle_notes.h - notes of answers about idle time: what was not recorded. */
#ifndef WL_ANALYSIS_IDLE_NOTES_H
#define WL_ANALYSIS_IDLE_NOTES_H

#include "analysis/analysis.h"
#include "base/memory/intern.h"
#include "derive/idle/idle.h"

/* How certain the causes of the gaps in the window are; each task counts, and the answer adds
 * up. */
struct wl_idle_trust {
	size_t n_gaps, n_linked; /* gaps in the window, and those with a launch call */
	size_t n_opened;         /* gaps that a blocking call opened */
	bool blind;              /* some host code may instead be a wait in the OS */
	bool faultless;          /* managed: the trace lacks the times when pages were touched */
};

/* Count a gap that is at least partly in the window. */
void wl_idle_trust_add(struct wl_idle_trust *trust, const struct wl_trace *trace,
		       const struct wl_idle *idle, const struct wl_gap *gap,
		       struct wl_interval window);

void wl_idle_trust_join(struct wl_idle_trust *trust, const struct wl_idle_trust *other);

/* Put coverage and notes: launches, OS calls, clocks, graph replays. */
void wl_idle_trust_note(const struct wl_idle_trust *trust, const struct wl_run *r,
			const struct wl_idle *idle, struct wl_table *out);

/* Host-side idle time in the window, by the blocking call that opened it. */
struct wl_idle_openers {
	wl_ns host_side;
	struct wl_intern calls; /* const char *: names of calls */
	struct wl_vec sums;     /* wl_ns, by index in calls */
};

void wl_idle_openers_init(struct wl_idle_openers *o, struct wl_budget *budget);
void wl_idle_openers_release(struct wl_idle_openers *o);

/* Add idle time of a gap opened by the call, or by none (NULL). Sets sums.failed if out of
 * memory. */
void wl_idle_openers_add(struct wl_idle_openers *o, enum wl_cause cause, const char *call,
			 wl_ns length);
void wl_idle_openers_join(struct wl_idle_openers *o, const struct wl_idle_openers *other);

/* Note the share that follows blocking calls, and the call with the most of it. */
void wl_idle_openers_note(const struct wl_idle_openers *o, struct wl_table *out);

#endif
