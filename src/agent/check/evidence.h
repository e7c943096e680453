/* SPDX-License-Identifier: MIT */
/*
 * evidence.h - what the tools have said: the evidence for the numbers in an answer.
 *
 * Numbers come from table cells, with the unit of their column; from other members, with the unit
 * their name implies; and from the program's sentences. Names from the trace (kernels, ranges,
 * files) are untrusted text: their digits are not evidence, and names quoted in a sentence are
 * ignored. What the model itself sent (command lines, window specifications, cursors) and error
 * results are not evidence either.
 */
#ifndef WL_AGENT_LLM_EVIDENCE_H
#define WL_AGENT_LLM_EVIDENCE_H

#include "agent/check/scan.h"
#include "base/text/text.h"

/* A number from a tool, in base units. */
struct wl_tool_fact {
	double value;
	enum wl_dimension dim;
	bool is_any;    /* of unknown unit, such as an SQL column */
	bool is_signed; /* its sign is meaningful: false for an unsigned number in a sentence */
	enum wl_noun noun;
	bool is_range; /* value to end is a range of numbers in a sentence */
	double end;
};

/* What a column holds. */
enum wl_column_kind {
	WL_COLUMN_UNKNOWN,
	WL_COLUMN_NAME,   /* text from the trace */
	WL_COLUMN_PROSE,  /* the program's sentences or words */
	WL_COLUMN_ADVICE, /* the same for every trace, or a command line: no facts */
	WL_COLUMN_NUMBER, /* in a unit */
};

/* Zeroed initially, except for column. */
struct wl_evidence {
	/* The kind of a verb's column (verb NULL: of any verb); NULL if columns are unknown. */
	enum wl_column_kind (*column)(const char *verb, const char *key,
				      struct wl_quantity *ret_unit);
	/* Private. */
	struct wl_tool_fact *fact;
	size_t n, cap;
	struct wl_text names;  /* one a line */
	struct wl_text texts;  /* all texts, for versions and shapes */
	struct wl_text advice; /* what may be quoted, one per line */
	struct wl_said_list asked;
	bool failed;
};

/* Take a result, JSON or any other text. Sets failed if memory runs out. */
void wl_evidence_add(struct wl_evidence *e, const char *result);

/* Take documentation: its sentences may be quoted, but say nothing about the trace. */
void wl_evidence_quote(struct wl_evidence *e, const char *text);

/* Take the question: its numbers may be repeated, but are not evidence. */
void wl_evidence_ask(struct wl_evidence *e, const char *question);
void wl_evidence_release(struct wl_evidence *e); /* accepts a zeroed struct */

#endif
