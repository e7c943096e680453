/* SPDX-License-Identifier: MIT */
/* saying.h - an answer in one or two sentences, made from its rows; see sentences.def. */
#ifndef WL_AGENT_ROUTE_SAYING_H
#define WL_AGENT_ROUTE_SAYING_H

#include "base/memory/arena.h"
#include "table/document.h"

/*
 * Sentences about the rows that the answer of a verb shows, in numbers as people read them; every
 * number is a cell, the step that the answer names, or of iters with its kernels the median of
 * these by GPU. Owned by the arena. NULL where the verb has
 * none, no row fits, the answer has several tables, or memory runs out. Kernels have the labels
 * that the table shows; other names are cut where they are long. is_filtered: rows were left
 * out by --where, so that nothing is said to be the most.
 */
const char *wl_saying_of(const char *verb, const struct wl_document *doc, bool is_filtered,
			 struct wl_arena *arena);

/*
 * Where the row of the first sentence is none of those that the answer shows, sort them by its
 * column. Returns the column, for --sort; NULL: they stay as they are.
 */
const char *wl_saying_sort(const char *verb, struct wl_document *doc, struct wl_arena *arena);

/* The i-th verb that has sentences, and their templates; NULL past the last. For tests. */
const char *wl_saying_template(size_t i, bool is_filtered, const char **ret_pick,
			       const char **ret_first, const char **ret_second);

#endif
