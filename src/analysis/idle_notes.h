/* idle_notes.h - what answers about idle time have to admit. */
#ifndef WL_ANALYSIS_IDLE_NOTES_H
#define WL_ANALYSIS_IDLE_NOTES_H

#include "analysis/analysis.h"
#include "derive/idle.h"

/* How sure the gaps in the window are of their causes; tasks count, the answer adds up. */
struct wl_idle_trust {
	size_t n_gaps, n_linked; /* gaps in the window; those with a launch call */
	bool blind;              /* host code that may as well be a wait in the OS */
};

/* Count a gap of which a part is in the window. */
void wl_idle_trust_add(struct wl_idle_trust *trust, const struct wl_trace *trace,
		       const struct wl_idle *idle, const struct wl_gap *gap,
		       struct wl_interval window);

void wl_idle_trust_join(struct wl_idle_trust *trust, const struct wl_idle_trust *other);

/* Cover and note it: launches, OS calls, clocks, graph replays. */
void wl_idle_trust_note(const struct wl_idle_trust *trust, const struct wl_run *r,
			const struct wl_idle *idle, struct wl_table *out);

#endif
