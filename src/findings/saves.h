/* SPDX-License-Identifier: MIT */
/*
 * saves.h - the one number of a finding: what fixing it takes off the run.
 *
 * Every list, headline and page prints this number in front, and order and severity follow it.
 * Shares of the step, of idle or of exposed time stand in sentences, with what they are of.
 */
#ifndef WL_FINDINGS_SAVES_H
#define WL_FINDINGS_SAVES_H

#include "known/saves_kinds.h"
#include "model/trace.h"

struct wl_saves {
	enum wl_saves_kind kind;
	wl_ns time;   /* of the run; not below 0 */
	wl_ns error;  /* of a prediction; -1 for none, and where replays are not validated */
	wl_ns run;    /* that it is of: the window */
	double share; /* time over run */
	wl_ns whole;  /* time, with what it saves outside of the steps */
};

/* At most, or that but for calls that another thread or a full launch queue holds. */
bool wl_saves_is_upper_bound(const struct wl_saves *saves);

/* What lists are ordered by: the share, of a bound two thirds of it, because it is no promise. */
double wl_saves_score(const struct wl_saves *saves);

#endif
