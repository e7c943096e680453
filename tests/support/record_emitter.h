/* SPDX-License-Identifier: MIT */
/*
 * record_emitter.h - a format that writes nothing: it keeps rows, slices and values in memory
 * and fails the test where a guarantee of export/emit.h does not hold.
 *
 * Order of calls: init; an export with its emitter; look; release.
 */
#ifndef WL_TESTS_RECORD_EMITTER_H
#define WL_TESTS_RECORD_EMITTER_H

#include "export/emit.h"

struct record_value {
	wl_ns at;
	int64_t value;
};

struct record_slice {
	uint32_t row; /* id */
	wl_ns start, end;
	const char *name;     /* text, unless drops_texts */
	const char *handed;   /* the name as handed over, which must stay until the end only */
	const char *category; /* a constant */
	uint64_t flow_out, flow_in, correlation;
	bool has_correlation;
	char *text;
	char *args; /* "grid=1x1x1 registers=16"; NULL for none */
};

struct record_row {
	struct wl_emit_row row; /* its texts are these */
	char *name, *description, *unit;
	size_t n_slices, n_values;
	struct record_value *value;
	bool closed;
	/* Private: what is under way. */
	wl_ns *open;
	size_t n_open, cap_open, cap_values;
	wl_ns last_start, last_end;
};

struct record {
	struct wl_emitter emitter; /* hand this over */
	struct wl_emitter_ops ops;
	bool drops_texts;       /* names are as handed over, no arguments: for many slices */
	struct record_row *row; /* id - 1 */
	size_t n_rows, cap_rows;
	struct record_slice *slice; /* in the order of calls */
	size_t n_slices, cap_slices;
	bool finished;
};

void record_init(struct record *r, bool flat);
void record_release(struct record *r);

/* The first row of that name; the test fails where there is none. */
const struct record_row *record_find(const struct record *r, const char *name);
bool record_has(const struct record *r, const char *name);

/* The i-th slice of a row; the test fails where there are fewer. */
const struct record_slice *record_slice_of(const struct record *r, const struct record_row *row,
					   size_t i);

/* Nothing may lie before a time. */
void record_expect_from(const struct record *r, wl_ns time);

/* A line per row, children below their parents: "  Stream 7 compute: a 0-10, b 10-20". Free it. */
char *record_print(const struct record *r);

#endif
