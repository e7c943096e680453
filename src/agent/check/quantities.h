/* SPDX-License-Identifier: MIT */
/* quantities.h - units as people and models write them: "ms", "GB/s", "percent", "million". */
#ifndef WL_AGENT_LLM_QUANTITIES_H
#define WL_AGENT_LLM_QUANTITIES_H

#include <stdbool.h>
#include <stddef.h>

/* What a number measures. Each dimension has a base unit, which tool results use. */
enum wl_dimension {
	WL_DIM_PLAIN, /* a count or identifier; base unit 1 */
	WL_DIM_TIME,  /* ns */
	WL_DIM_BYTES,
	WL_DIM_RATE,   /* bytes per second */
	WL_DIM_RATIO,  /* 1.0 is 100% */
	WL_DIM_FACTOR, /* "1.3x": 1 */
	WL_DIM_FLOP,   /* operations */
	WL_DIM_FLOPS,  /* operations per second */
	WL_DIM_HERTZ,
	WL_DIM_WATT,
};

struct wl_quantity {
	enum wl_dimension dim;
	double scale; /* base units in one of this unit */
};

/*
 * Length in bytes of the letter, digit or underscore at the start of text; 0 for anything else,
 * such as dashes, arrows, spaces and signs beyond ASCII.
 */
size_t wl_word_char(const char *text);

/*
 * The unit that text begins with, as a whole word: no letter, digit or underscore follows it.
 * Returns its length in bytes, 0 if there is none. is_apart: a blank separates number and text, and
 * units that could be words there ("a 5 A card") do not count.
 */
size_t wl_quantity_at(const char *text, bool is_apart, struct wl_quantity *ret);

/* Look up the unit of a column or member: "ns", "bytes/s", "ratio"; false for others. */
bool wl_quantity_named(const char *unit, struct wl_quantity *ret);

/* The unit implied by the end of a name: "total_ns", "share_pct"; false for others. */
bool wl_quantity_of_key(const char *key, struct wl_quantity *ret);

#endif
