/* SPDX-License-Identifier: MIT */
/* answer_rows.h - access to an answer's rows by column key, for sentences about them. */
#ifndef WL_AGENT_ROUTE_ANSWER_ROWS_H
#define WL_AGENT_ROUTE_ANSWER_ROWS_H

#include <stdbool.h>

#include "agent/explain/prose.h"
#include "table/document.h"

/* The rows that pass the filter, shown or not, and the text made from them. */
struct wl_answer_rows {
	const struct wl_view *v;
	struct wl_prose *p;
};

/* Whether the table has a column of this key. */
bool wl_said_has(const struct wl_answer_rows *r, const char *key);

/* A cell; unset if the table has no such column. */
struct wl_cell wl_said_at(const struct wl_answer_rows *r, size_t i, const char *key);

/* The value in a column of counts, times or bytes; 0 if it is unset. */
int64_t wl_said_whole(const struct wl_answer_rows *r, size_t i, const char *key);
int64_t wl_said_sum(const struct wl_answer_rows *r, const char *key);

/* The row with the largest, or smallest, value in such a column. */
size_t wl_said_most(const struct wl_answer_rows *r, const char *key);
size_t wl_said_least(const struct wl_answer_rows *r, const char *key);

/* In percent; 0 if whole is 0. */
double wl_said_share(int64_t part, int64_t whole);

bool wl_said_is(const struct wl_answer_rows *r, size_t i, const char *key, const char *text);

/* Write a cell of a table row as the table shows it; long names are cut. False if it is unset or
 * the table has no such column. */
bool wl_said_put_cell(struct wl_prose *p, const struct wl_view *v, size_t row, const char *key);

/* Write a cell of a row of the view, or a time. */
void wl_said_put(const struct wl_answer_rows *r, size_t i, const char *key);
void wl_said_put_ns(const struct wl_answer_rows *r, int64_t ns);

/* Write what a row describes: "gemm on GPU 2", "rank 3", "step 4 on GPU 0"; or only the name or the
 * place, false if there is none. */
bool wl_said_put_name(const struct wl_answer_rows *r, size_t i);
bool wl_said_put_place(const struct wl_answer_rows *r, size_t i);
void wl_said_put_row(const struct wl_answer_rows *r, size_t i);

#endif
