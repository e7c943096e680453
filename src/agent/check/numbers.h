/* SPDX-License-Identifier: MIT */
/*
 * numbers.h - checks that every number in an answer came from a tool.
 *
 * A number is found if a tool gave one of the same dimension that reads the same in the written
 * unit, rounded to the digits shown: 6923456 ns is "6.92 ms", "6.9 ms", "7 ms" and "6923.5 us", not
 * "6.93 ms". Sums, differences and shares that no tool gave are not found. These rules cover every
 * number:
 *
 * - A number without a unit matches counts, identifiers, ratios as such (0.13) and factors; a
 *   length of time or a size without its unit matches only in whole base units from 1000 on.
 * - The digits of "GPU 3", "rank 1" or "step 12" are looked up among numbers of GPUs, ranks or
 *   steps, if tools gave any, including ranges; otherwise among counts.
 * - A written sign must match that of the tool's number; without one only the magnitude counts.
 * - Digits inside names are part of the name. A name from the trace may be repeated whole, or
 *   from a word to its closing bracket ("gemm<float, 256>"); a name that has blanks and is not code
 *   only in quotes, since it could be a sentence. Versions, shapes and the like
 *   ("12.4.1", "128x256") must stand in a result or in the question.
 * - Advice and documentation that a tool gave may be quoted: its numbers are found if the two
 *   words before them are the same. Otherwise they are not evidence: they do not come from the
 * trace.
 * - Numbers from the question may be repeated and are marked as the user's, unless tools gave them.
 * - Digits that are not ASCII are never found. Invisible characters are removed first.
 *
 * Few digits match easily: "7 ms" fits any tool's number from 6.5 to 7.5 ms. Words for amounts
 * (one to twelve without a unit, half, twice, most) are not looked up.
 */
#ifndef WL_AGENT_LLM_NUMBERS_H
#define WL_AGENT_LLM_NUMBERS_H

#include "agent/check/evidence.h"
#include "base/err.h"

enum { WL_MAX_UNFOUND = 1, WL_UNFOUND_CAP = 200 };

struct wl_numbers_check {
	char *text;       /* the answer with marks, for the caller to free() */
	size_t n_numbers; /* not counting digits in names */
	size_t n_asked, n_unfound;
	char unfound[WL_UNFOUND_CAP]; /* the first few not found: "6.95 ms, 41%" */
};

/* WL_E_NOMEM, also if the evidence has failed. */
int wl_numbers_check(const struct wl_evidence *e, const char *answer, struct wl_numbers_check *ret,
		     struct wl_err *reterr) WL_MUST_CHECK;

/* Whether to withhold the answer: more than WL_MAX_UNFOUND numbers came from no tool. */
bool wl_numbers_withhold(const struct wl_numbers_check *check);

#endif
