/* SPDX-License-Identifier: MIT */
/*
 * emit.h - the interface of a timeline format: rows, slices, values.
 *
 * export/timeline/timeline.h walks over the rows of a trace and calls these functions; a format
 * (perfetto.h, chrome.h) implements them and streams bytes into a sink. Both formats therefore show
 * the same rows, and a test can record the calls in memory.
 *
 * The caller guarantees:
 *  - rows are numbered 1, 2, 3, ... in the order of their calls; a parent comes before its
 *    children, and a row before its events;
 *  - slices of a row come in order of start, and of those that start together the longer
 *    first, and nest: each one either lies inside an earlier one that is still under way, or
 *    begins after that has ended; in a flat format only the latter;
 *  - values of a counter come in order of time;
 *  - events of different rows may alternate; no event of a row follows its close();
 *  - name, category, and the argument keys and texts marked so, keep their address
 *    until finish(): a format that interns them may compare addresses. Two addresses may
 *    hold equal texts.
 *  - texts are valid UTF-8 without NUL, and may hold anything else.
 *
 * Errors are sticky: the sink holds stream errors, and failed is set if memory runs out.
 */
#ifndef WL_EXPORT_EMIT_H
#define WL_EXPORT_EMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/trace.h"

enum wl_emit_kind {
	WL_EMIT_GROUP,   /* holds rows, no events */
	WL_EMIT_PROCESS, /* the same; has a pid */
	WL_EMIT_THREAD,  /* slices of a thread; its parent is a PROCESS row; may contain rows */
	WL_EMIT_SLICES,
	WL_EMIT_COUNTER, /* values */
};

struct wl_emit_row {
	enum wl_emit_kind kind;
	uint32_t id;             /* from 1 on, see above */
	uint32_t parent;         /* id of a row; 0 at the top */
	uint32_t order;          /* unique among the rows of its parent */
	const char *name;        /* valid during the call only */
	const char *description; /* as name; NULL for none */
	size_t n_events;         /* approximate number of events; 0: not known. Only a hint */
	/* For PROCESS and THREAD rows: pid is unique among processes, tid among the threads of a
	 * process. */
	uint32_t pid, tid;
	/* For COUNTER rows: "%", "MHz", ..., "" for none; valid during the call only. */
	const char *unit;
	unsigned decimals; /* 0 to WL_EMIT_DECIMALS: values are in units / 10^decimals */
};

enum { WL_EMIT_DECIMALS = 6 };

enum wl_arg_type { WL_ARG_INT, WL_ARG_TEXT /* valid during the call */, WL_ARG_KEPT_TEXT };

struct wl_emit_arg {
	const char *key; /* a constant of the program */
	enum wl_arg_type type;
	int64_t number;
	const char *text;
};

struct wl_emit_slice {
	wl_ns start, end; /* start <= end, on the trace's clock */
	const char *name;
	const char *category; /* NULL for none */
	uint64_t flow_out;    /* arrow that begins at its start; 0 for none */
	uint64_t flow_in;     /* arrow that ends at its start; 0 for none */
	bool has_correlation; /* slices of one correlation belong together */
	uint64_t correlation; /* process and correlation id, unique in the trace */
	const struct wl_emit_arg *args;
	size_t n_args;
};

struct wl_emitter;

struct wl_emitter_ops {
	bool flat; /* slices of a row must not nest */
	void (*row)(struct wl_emitter *e, const struct wl_emit_row *row);
	void (*slice)(struct wl_emitter *e, uint32_t row, const struct wl_emit_slice *slice);
	/* A value that holds from a time on; see decimals. */
	void (*count)(struct wl_emitter *e, uint32_t row, wl_ns at, int64_t value);
	void (*close)(struct wl_emitter *e, uint32_t row); /* for each row with events */
	void (*finish)(struct wl_emitter *e);              /* the file is complete; once */
};

/* A format embeds this as its first member. */
struct wl_emitter {
	const struct wl_emitter_ops *ops;
	bool failed; /* out of memory: the file is not complete */
};

#endif
