/* SPDX-License-Identifier: MIT */
/*
 * document.h - the output of a command: the frame (trace, window) and an ordered
 * list of titled tables. A verb that gives one table is a document of one.
 *
 * It holds borrowed pointers and plain values only, so that renderers need not
 * know what a trace is.
 */
#ifndef WL_TABLE_DOCUMENT_H
#define WL_TABLE_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "table/view.h"

/* One row of the frame's "trace" object; str == NULL means the number i64. */
struct wl_fact {
	const char *key;
	const char *str;
	int64_t i64;
};

/* The window of one device, or of all when device < 0. [begin, end) on the trace clock. */
struct wl_doc_window {
	int64_t device;
	int64_t begin, end;
};

/* So many of one kind, or of one length. */
struct wl_step_part {
	const char *name; /* "decodes"; "" where the part before it names it; NULL ends a list */
	int64_t n;
	int64_t median; /* ns */
};

enum { WL_STEP_PARTS = 3 };

/* What a step is, in answers that speak of steps. */
struct wl_doc_step {
	const char *method;  /* how steps were found: "nvtx" */
	const char *what;    /* a noun: "NVTX range `step #`" */
	int64_t count;       /* steps of the process that has most */
	int64_t median;      /* of the periods, of the process where it is longest; ns */
	int64_t n_processes; /* whose steps these are */
	/* Where they are of several kinds, the most frequent first; or the shorter and the longer
	 * where they have two clear lengths. */
	struct wl_step_part part[WL_STEP_PARTS];
	struct wl_step_part outer; /* ranges around several steps each: "iterations" */
	int64_t has_kinds;         /* 1: the parts are kinds */
	int64_t is_guess;          /* 1: it may be a layer and not a step; < 0: not said */
};

struct wl_chart;
struct wl_strip;

enum { WL_MAX_SPLIT = 5 };

/*
 * Columns of a table whose rows divide a whole: a screen shows shares, and rows that hardly
 * differ as one.
 */
struct wl_split {
	const char *subject;             /* what a row is: "GPU" */
	const char *label;               /* key of the column that numbers the rows */
	const char *whole;               /* key of what is divided */
	const char *parts[WL_MAX_SPLIT]; /* keys of the parts; NULL ends a shorter list */
	/* Where a screen shows row by row, of a job: NULL otherwise. */
	const char *why;          /* key of a text */
	const char *late;         /* key of a time: of many rows the latest are shown */
	const char *saving;       /* key of a time: before them those that have it */
	const char *const *names; /* keys of what else names a row; NULL ends */
};

struct wl_section {
	const char *analysis; /* name of the analysis, the "analysis" key in JSON */
	const char *title;    /* for people; NULL in a document of one */
	struct wl_view view;  /* unused when missing is set */
	const char *missing;  /* why the trace has no data for this section, or NULL */
	enum wl_look look;
	const struct wl_chart *chart; /* what a page draws above the table; NULL for nothing */
	const struct wl_chart *other; /* a second picture, beside the first where it is drawn */
	const struct wl_split *split; /* of what a screen shows shares; NULL for nothing */
	/* The time that its rows are of, where it is another than the document's; NULL: the same.
	 */
	const struct wl_doc_window *window;
	/* For documents that explain themselves; NULL where they do not. */
	const char *from;  /* a sentence: which data the table was derived from */
	const char *about; /* a paragraph: definition and limits */
	const char *file;  /* where all rows are, next to the document; NULL for nowhere */
	/* By row of the table, what a page draws beside it (render/chart/strip.h); NULL: nothing.
	 */
	const struct wl_strip *const *strips;
};

struct wl_document {
	const char *name;            /* the verb */
	const char *title;           /* for people; NULL: the program and the verb */
	const struct wl_fact *trace; /* first is "path" */
	size_t n_trace;
	const struct wl_fact *selection; /* what was asked for: gpu, pid, rank, stream */
	size_t n_selection;
	const char *window_spec; /* as given, "all" by default; NULL where no window applies */
	const struct wl_doc_window *windows; /* one for all devices, or one per device */
	size_t n_windows;
	const struct wl_doc_step *step; /* NULL where the answer does not speak of steps */
	int64_t n_devices;              /* that the answer speaks of; < 0 where none are involved */
	const struct wl_section *sections;
	size_t n_sections;
	bool single; /* one table, not a list of sections */
	bool brief;  /* text shows what fits a screen of 24 lines, and names what it leaves out */
	/*
	 * Of a brief one: its lines, NULL ends; NULL where they are made of the sections. And what
	 * shows what is left out: verbs, "a|b", or with lines a line of its own.
	 */
	const char *const *gist;
	const char *more;
	/* What people read first, in whole sentences: the answer, and why; NULL for nothing. */
	const char *lead, *reason;
	bool in_detail;   /* trace also says where and when it was recorded, for pages */
	const char *data; /* the file next to it that holds all its rows; NULL for none */
	/*
	 * To be mailed: a page begins with the length of a step in large figures and ends with the
	 * definitions of all sections.
	 */
	bool has_front;
	/*
	 * Where the table joins several traces: the document of each, for its frame and
	 * where it is missing. The frame of this document is then that of the first.
	 */
	const struct wl_document *traces;
	size_t n_traces; /* 0 for a document of one trace */
};

/* From the first begin to the last end of all windows; false where the document has none. */
bool wl_document_bounds(const struct wl_document *doc, struct wl_doc_window *ret);

/*
 * The bounds of a section that was asked for alone, where they are others than those of the
 * document that shows it; false where they are the same, or one of the two has none.
 */
bool wl_document_differs(const struct wl_document *doc, const struct wl_document *own,
			 struct wl_doc_window *ret);

#endif
