/* SPDX-License-Identifier: MIT */
/*
 * saves_kinds.h - how far to trust what fixing a finding saves.
 *
 * Where an activity gets a length that was measured elsewhere in the trace, or a dependency goes,
 * the saving is a prediction; where something takes no time, or all overlap is granted, it is a
 * bound.
 */
#ifndef WL_KNOWN_SAVES_KINDS_H
#define WL_KNOWN_SAVES_KINDS_H

#include <stdbool.h>
#include <stdint.h>

enum wl_saves_kind {
	WL_SAVES_NOTHING, /* the finding has no saving */
	WL_SAVES_PREDICTION,
	WL_SAVES_AT_MOST,
	WL_SAVES_AT_LEAST, /* a prediction where much of the critical path keeps its time */
	WL_SAVES_NO_BOUND, /* a bound but for calls that are held, which keep their time */
};

/* The value of the column saves_kind: "prediction", "at most", "at least", "no bound"; NULL for
 * nothing.
 */
const char *wl_saves_kind_name(enum wl_saves_kind kind);

/* The kind of that name; nothing for others. */
enum wl_saves_kind wl_saves_kind_named(const char *name);

/* What stands before a number of the kind: "\u2264", "<=" in ASCII, "~" for no bound; "" for a
 * prediction. */
const char *wl_saves_kind_sign(enum wl_saves_kind kind, bool ascii);

/* Whether a saving in ns is printed as about that much: it is no bound, or its error, if it has
 * one, is a quarter of it or more; -1 for none. */
bool wl_saves_is_about(enum wl_saves_kind kind, int64_t saves, int64_t error);

#endif
