/* SPDX-License-Identifier: MIT */
/*
 * scan.h - finds the numbers in a text written by or for people.
 *
 * What counts as a number: digits with thousands separators, fraction, exponent and unit ("22,564",
 * "1.2e9", "6.92 ms", "**13**%", "1.3x", "4k"); number words that have a unit or are above twelve
 * ("ten milliseconds", "two hundred kernels"). A number takes the unit of the next one if the two
 * are linked ("283.7 vs 247.1 us"); cells of a Markdown table take the unit of their heading
 * ("Total (ms)").
 *
 * What does not count: digits inside a name, which begins with a letter or underscore (sm_90, FP8,
 * H100, ZeRO-3); markers of lists that count up from 1; "2D" and "64-bit"; the words one to twelve
 * without a unit, and words such as half and twice.
 */
#ifndef WL_AGENT_LLM_SCAN_H
#define WL_AGENT_LLM_SCAN_H

#include "agent/check/quantities.h"
#include "base/attr.h"

/* What a number counts or identifies, according to the word before it. */
enum wl_noun {
	WL_NOUN_NONE,
	WL_NOUN_GPU,
	WL_NOUN_RANK,
	WL_NOUN_STEP,
	WL_NOUN_STREAM,
	WL_NOUN_PROCESS,
	WL_NOUN_THREAD,
	WL_NOUN_NODE,
};

enum wl_said_kind {
	WL_SAID_NUMBER,
	WL_SAID_TOKEN, /* digits that are not a number: "12.4.1", "128x256x64", "90a" */
	WL_SAID_ODD,   /* digits of another script, fractions as one character */
	WL_SAID_NAME,  /* begins with a letter; reported only if it contains digits */
};

/* A number in a text. */
struct wl_said {
	enum wl_said_kind kind;
	size_t begin, end; /* byte range in the text, with sign and unit */
	double value;      /* without its sign, in the written unit */
	int decimals;      /* its last digit is worth 10^-decimals */
	int sign;          /* -1 or 1 if one is written, else 0 */
	bool has_unit;
	struct wl_quantity unit;
	bool has_other; /* may have the unit of the number it is linked to */
	struct wl_quantity other;
	enum wl_noun noun;
	bool is_range; /* this and the next number are the ends of a range */
};

/* Growing list; zeroed is empty. */
struct wl_said_list {
	struct wl_said *at;
	size_t n, cap;
	bool failed; /* out of memory */
};

/* Append the numbers in a text, in order. */
void wl_scan(const char *text, struct wl_said_list *ret);
void wl_said_release(struct wl_said_list *list); /* accepts a zeroed list */

/* The noun whose numbers a column of this name holds. */
enum wl_noun wl_noun_of_key(const char *key);

#endif
