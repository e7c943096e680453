/* SPDX-License-Identifier: MIT */
/*
 * reply.h - writes a table as a reply: rows as arrays, cut after the last row within the bound, and
 * a cursor to the rest.
 */
#ifndef WL_AGENT_REPLY_H
#define WL_AGENT_REPLY_H

#include "agent/tools/call.h"

/* What a reply says in addition to the document. Texts are borrowed. */
struct wl_told {
	const char *verb;   /* verb of the rows; their keys begin with it */
	const char *handle; /* NULL: not of a trace */
	const char *how;    /* the command line that gives the same table */
	const char *answer; /* NULL: made from the first row */
	const char *extra;  /* a further note; NULL for none */
	const char *key;    /* only the row with this key, its texts nearly whole; NULL for all */
	const char *whole;  /* how to see a long text whole; NULL if not possible */
	size_t offset, limit;
	size_t n_before; /* rows of the answer before the section's rows */
	bool has_more;   /* an unknown number of rows follows */
	bool has_calls;  /* commands in rows are shown as calls, too; handle must be set */
};

/* Default and largest number of rows in a reply. */
enum { WL_REPLY_ROWS = 50, WL_REPLY_MAX_ROWS = 2000 };

/*
 * Write the whole reply, including begin and end. The section has a view of all rows. WL_E_USAGE if
 * no row has the key, or a single row exceeds the bound.
 */
int wl_reply_table(struct wl_tool_call *c, const struct wl_document *doc,
		   const struct wl_section *section, const struct wl_told *told,
		   struct wl_err *reterr) WL_MUST_CHECK;

/* The offset of a cursor, which must come from a reply to this command line. */
int wl_cursor_parse(const char *cursor, const char *how, size_t *ret,
		    struct wl_err *reterr) WL_MUST_CHECK;

/* Write a cell that is not text; ratios and rates with six digits. */
void wl_reply_put_cell(struct wl_jsonw *w, enum wl_type type, struct wl_cell cell);

/* Members that other replies have, too. */
void wl_reply_put_window(struct wl_jsonw *w, const struct wl_document *doc);
void wl_reply_put_step(struct wl_tool_call *c, const struct wl_document *doc);
void wl_reply_put_notes(struct wl_tool_call *c, const struct wl_table *t, const char *extra);

/*
 * What a row of findings says: its sentence, or, if it has none, as with facts of several traces,
 * its code and saving. NULL if it has neither.
 */
const char *wl_reply_finding(struct wl_tool_call *c, const struct wl_view *view, size_t row);

#endif
