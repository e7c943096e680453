/* SPDX-License-Identifier: MIT */
/*
 * emit.h - the interface of a timeline format: rows, slices, values.
 *
 * export/timeline/timeline.h walks over the rows of a trace and calls these functions; a format
 * (perfetto.h, chrome.h) implements them and streams bytes into a sink. So both
 * formats show the same rows, and a test can record the calls in memory.
 *
 * The caller guarantees:
 *  - rows are numbered 1, 2, 3, ... in the order of their calls; a parent comes before its
 *    children, and a row before its events;
 *  - slices of a row come in order of start, of those that start together the longer
 *    first, and nest: each one either lies inside the one before that is still under way, or
 *    begins when that has ended; of a flat format only the latter;
 *  - values of a counter come in order of time;
 *  - events of different rows may alternate; nothing of a row follows its close();
 *  - name, category, and keys and texts of arguments that are marked so, stay where they are
 *    until finish(): a format that interns them may compare addresses. Two addresses may
 *    hold equal texts.
 *  - texts are valid UTF-8 without NUL, and may hold anything else.
 *
 * Errors are sticky: the sink has those of the stream, failed those of memory.
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
	WL_EMIT_THREAD,  /* slices of a thread; its parent is a PROCESS row; may hold rows */
	WL_EMIT_SLICES,
	WL_EMIT_COUNTER, /* values */
};

struct wl_emit_row {
	enum wl_emit_kind kind;
	uint32_t id;             /* from 1 on, see above */
	uint32_t parent;         /* id of a row; 0 at the top */
	uint32_t order;          /* among the rows of its parent, unlike all others there */
	const char *name;        /* valid during the call only */
	const char *description; /* as name; NULL for none */
	size_t n_events;         /* about how many will come; 0: not known. Only a hint */
	/* Of PROCESS and THREAD rows: unlike those of all other processes, and threads of it. */
	uint32_t pid, tid;
	/* Of COUNTER rows: "%", "MHz", ..., "" for none; valid during the call only. */
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
	uint64_t flow_out;    /* an arrow begins at its start; 0 for none */
	uint64_t flow_in;     /* an arrow ends at its start; 0 for none */
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
	/* A value from a time on, see decimals. */
	void (*count)(struct wl_emitter *e, uint32_t row, wl_ns at, int64_t value);
	void (*close)(struct wl_emitter *e, uint32_t row); /* of a row with events */
	void (*finish)(struct wl_emitter *e);              /* the file is complete; once */
};

/* A format has this as its first member. */
struct wl_emitter {
	const struct wl_emitter_ops *ops;
	bool failed; /* memory was exhausted: the file is not complete */
};

#endif
