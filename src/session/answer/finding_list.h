/* SPDX-License-Identifier: MIT */
/* finding_list.h - the findings of a trace as a list, for viewers and exports. */
#ifndef WL_SESSION_FINDING_LIST_H
#define WL_SESSION_FINDING_LIST_H

#include "session/open/session.h"

/* What a finding says besides: "PyTorch", and the call or option that fixes it there. */
struct wl_finding_line {
	const char *title, *text;
};

/* A row of the verb findings. Texts are owned by the arena. */
struct wl_listed_finding {
	const char *code;
	const char *severity; /* see findings/severity.h */
	const char *action, *text, *evidence;
	const char *claim, *beyond; /* the text in two: what it is, and what is said of it */
	const struct wl_finding_line *line; /* how, in each framework, and the caveat */
	size_t n_lines;
	const char *fixing;     /* what fixing it saves, in words; "" for nothing */
	wl_ns saving;           /* at most so much of a step, or of the window; -1 for none */
	wl_ns replayed;         /* what a replay saves of that; WL_NO_TIME for none */
	double share;           /* of the step, or of the window; -1 for none */
	double saves_share;     /* what fixing it saves of the run; -1 for none */
	const char *saves_kind; /* see findings/saves.h; "" for none */
	bool saves_about;       /* it is printed as about that much (known/saves_kinds.h) */
	const char *part;       /* of the account of time; "" for none */
	wl_ns part_time;        /* what it claims of that in the account; WL_NO_TIME for none */
	uint32_t device;        /* that shows the cause; WL_NONE for no device */
	wl_ns at;               /* of the gap or step that the text names; WL_NO_TIME for none */
};

/* Add the columns that asking for them reads, for who loads once and asks later. */
void wl_finding_list_load(struct wl_columns *columns);

/*
 * Ask for the findings of what the request selects, in their order; none where the trace
 * has no data for them. Owned by the arena. WL_E_NOMEM and what a run may fail with.
 */
int wl_finding_list(struct wl_session *session, const struct wl_request *selection,
		    struct wl_arena *arena, const struct wl_listed_finding **ret, size_t *ret_n,
		    struct wl_err *reterr) WL_MUST_CHECK;

#endif
