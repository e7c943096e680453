/* SPDX-License-Identifier: MIT */
/* saying.h - an answer in one or two sentences, made from its rows; see sentences.def. */
#ifndef WL_AGENT_ROUTE_SAYING_H
#define WL_AGENT_ROUTE_SAYING_H

#include "base/memory/arena.h"
#include "table/document.h"

/*
 * Sentences about the rows in a verb's answer, with human-readable numbers. Every number is a cell,
 * the step that the answer names, or, for iters with kernels, the median of these by GPU. Owned by
 * the arena. NULL if the verb has no sentences, no row fits, the answer has several tables, or
 * memory runs out. Kernels have the labels that the table shows; other long names are cut.
 * is_filtered: --where removed rows, and nothing may be called the most.
 */
const char *wl_saying_of(const char *verb, const struct wl_document *doc, bool is_filtered,
			 struct wl_arena *arena);

/*
 * If the answer does not show the row of the first sentence, sort the rows by that sentence's
 * column. Returns the column, for --sort; NULL: the order is unchanged.
 */
const char *wl_saying_sort(const char *verb, struct wl_document *doc, struct wl_arena *arena);

/* The i-th verb that has sentences, and their templates; NULL past the last. For tests. */
const char *wl_saying_template(size_t i, bool is_filtered, const char **ret_pick,
			       const char **ret_first, const char **ret_second);

#endif
