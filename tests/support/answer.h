/* SPDX-License-Identifier: MIT */
/* answer.h - what an analysis says of a trace in memory: cells by row and column key. */
#ifndef WL_TESTS_ANSWER_H
#define WL_TESTS_ANSWER_H

#include "analysis/args.h"
#include "support/mem.h"

struct answer {
	struct wl_args args;
	struct wl_arena arena;
	struct wl_derivations derivations;
	struct wl_table table; /* valid when status is WL_OK */
	struct wl_err err;
	int status;
};

enum { ANSWER_BUDGET = 64 << 20 }; /* more than any test needs */

/* What to ask; args has one text per parameter, NULL for defaults; docs one document, NULL for
 * none. */
struct question {
	const char *analysis;
	const char *const *args;
	struct wl_json *const *docs;
	const char *marker; /* of iterations; NULL for none */
	const struct wl_trace *trace;
	const struct wl_scope *scope;
};

/* Ask within a byte budget, in line or on threads. Release it, also after a failure. */
void answer_within(struct answer *a, const struct question *q, size_t budget);
void answer_on(struct answer *a, const struct question *q, size_t budget, struct wl_pool *pool);
void answer_release(struct answer *a);

/* Ask with memory enough; fails the test when there is no answer. */
void answer_get(struct answer *a, const struct question *q);

/*
 * A trace and one question about it, asked once or again. Put rows to mem before
 * the first ask; change the scope after it, and ask again.
 */
struct asked {
	struct mem mem;
	struct mem_scope scope;
	struct question q;
	struct answer a;
};

void asked_init(struct asked *x, const char *analysis);
void asked_release(struct asked *x);

/* Ask; the first time in the whole window. NULL for args takes the defaults. */
void ask(struct asked *x, const char *const *args);

/* Ask with the defaults in another window, or expecting that there is no data. */
void ask_window(struct asked *x, wl_ns begin, wl_ns end);
const char *ask_in_vain(struct asked *x);

/* A cell, which must be set; the column must exist and not be hidden. */
int64_t answer_i64(const struct answer *a, size_t row, const char *column);
double answer_f64(const struct answer *a, size_t row, const char *column);
const char *answer_str(const struct answer *a, size_t row, const char *column);
bool answer_is_set(const struct answer *a, size_t row, const char *column);

/* Fail unless the cell is the number. */
void expect_i64(const struct answer *a, size_t row, const char *column, int64_t want);

/* The same of several cells of a row: "calls=2; name=gemm"; of columns of text what is shown is
 * text. */
void expect_cells(const struct answer *a, size_t row, const char *wanted);

/* True when some note has the words in it. */
bool answer_has_note(const struct answer *a, const char *words);

/* Two tables with the same columns, cells, notes and coverage. */
bool answer_equals(const struct answer *a, const struct answer *b);

#endif
