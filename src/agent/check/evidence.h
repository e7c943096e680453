/* SPDX-License-Identifier: MIT */
/*
 * evidence.h - what tools have said, for looking up the numbers of an answer.
 *
 * Numbers come from the cells of tables, with the unit of their column, from other members with
 * the unit that their name tells, and from sentences of the program. Names of the trace (kernels,
 * ranges, files) are anybody's text: their digits are no evidence, and where a sentence quotes a
 * name, it counts without it. Nor are what the model itself sent (command lines, window
 * specifications, cursors) and results that are errors.
 */
#ifndef WL_AGENT_LLM_EVIDENCE_H
#define WL_AGENT_LLM_EVIDENCE_H

#include "agent/check/scan.h"
#include "base/text/text.h"

/* A number that a tool has said, in base units. */
struct wl_tool_fact {
	double value;
	enum wl_dimension dim;
	bool is_any;    /* of no known unit, such as a column of SQL */
	bool is_signed; /* its sign means something: not of a sentence without one */
	enum wl_noun noun;
	bool is_range; /* from value to end: numbers that a sentence counts */
	double end;
};

/* What a column holds. */
enum wl_column_kind {
	WL_COLUMN_UNKNOWN,
	WL_COLUMN_NAME,   /* text of the trace */
	WL_COLUMN_PROSE,  /* sentences or words of the program */
	WL_COLUMN_ADVICE, /* the same for every trace, or a command line: its numbers are no facts
			   */
	WL_COLUMN_NUMBER, /* in a unit */
};

/* Zeroed but for column at the begin. */
struct wl_evidence {
	/* The column of a verb, NULL: of any; NULL where nothing is known of columns. */
	enum wl_column_kind (*column)(const char *verb, const char *key,
				      struct wl_quantity *ret_unit);
	/* Private. */
	struct wl_tool_fact *fact;
	size_t n, cap;
	struct wl_text names;  /* one a line */
	struct wl_text texts;  /* all texts, for versions and shapes */
	struct wl_text advice; /* what may be quoted, one a line */
	struct wl_said_list asked;
	bool failed;
};

/* Take a result, JSON or any other text. failed is set without memory. */
void wl_evidence_add(struct wl_evidence *e, const char *result);

/* Take documentation: its sentences may be quoted, but say nothing of the trace. */
void wl_evidence_quote(struct wl_evidence *e, const char *text);

/* Take the question: its numbers may be repeated, but are no evidence. */
void wl_evidence_ask(struct wl_evidence *e, const char *question);
void wl_evidence_release(struct wl_evidence *e); /* accepts a zeroed one */

#endif
