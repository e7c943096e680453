/* SPDX-License-Identifier: MIT */
/*
 * kept_answers.h - a cache of a trace's answer tables, so that another page, order or filter of the
 * same table takes no computation.
 *
 * An answer depends only on the trace and the question. Copies hold only results: the scratch
 * memory of an analysis can be a hundred times larger.
 */
#ifndef WL_AGENT_KEPT_ANSWERS_H
#define WL_AGENT_KEPT_ANSWERS_H

#include "table/document.h"

struct wl_kept_answers;

/* An answer: its frame and its whole table. Valid until the next put or release. */
struct wl_kept_answer {
	struct wl_document frame; /* without sections */
	const struct wl_table *table;
};

/* Find a kept answer; NULL if the question was not asked before. Accepts NULL. */
const struct wl_kept_answer *wl_kept_answers_find(struct wl_kept_answers *kept,
						  const char *question);

/*
 * Keep the first table of a document, whose columns must be constant; creates *kept if it is NULL.
 * Large tables are not kept; the oldest make room for new ones. Does nothing if memory runs out.
 */
void wl_kept_answers_put(struct wl_kept_answers **kept, const char *question,
			 const struct wl_document *doc);

void wl_kept_answers_release(struct wl_kept_answers *kept); /* accepts NULL */

#endif
