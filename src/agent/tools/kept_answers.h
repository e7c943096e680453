/* SPDX-License-Identifier: MIT */
/*
 * kept_answers.h - tables that a trace has answered with, copied, so that another page, order or
 * filter of the same one takes no computation.
 *
 * An answer depends on nothing but the trace and the question. Copies hold what was found and
 * nothing of how: scratch of an analysis can be a hundred times larger.
 */
#ifndef WL_AGENT_KEPT_ANSWERS_H
#define WL_AGENT_KEPT_ANSWERS_H

#include "table/document.h"

struct wl_kept_answers;

/* An answer: its frame, and its table, whole. Valid until the next keep or release. */
struct wl_kept_answer {
	struct wl_document frame; /* without sections */
	const struct wl_table *table;
};

/* NULL where the question was not asked before; accepts NULL. */
const struct wl_kept_answer *wl_kept_answers_find(struct wl_kept_answers *kept,
						  const char *question);

/*
 * Keep the first table of a document, whose columns are constant; makes *kept where it is NULL.
 * Large ones are not kept, and the oldest make room. Nothing happens without memory.
 */
void wl_kept_answers_put(struct wl_kept_answers **kept, const char *question,
			 const struct wl_document *doc);

void wl_kept_answers_release(struct wl_kept_answers *kept); /* accepts NULL */

#endif
