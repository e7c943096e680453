/* SPDX-License-Identifier: MIT */
/* tool.h - what a tool is, how it is called, and how its traces are opened. */
#ifndef WL_AGENT_TOOL_H
#define WL_AGENT_TOOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text/json_write.h"

struct wl_budget;
struct wl_pool;
struct wl_session;
struct wl_tool_call;

/* Bytes of a reply unless a call says otherwise, and the least that it may say. */
enum { WL_REPLY_BYTES = 40000, WL_REPLY_LEAST = 4000 };

/* How a call is made. A zeroed one is never cancelled and reports nothing. */
struct wl_call {
	/* NULL, or a flag: not 0 ends exporting, reading and computing soon. */
	const atomic_int *cancel;
	/* Called now and then, by the thread of the call, with ever larger numbers; or NULL. */
	void (*progress)(void *ctx, double done, double total, const char *message);
	void *ctx;
	size_t bytes; /* bound of the reply; 0: WL_REPLY_BYTES */
};

struct wl_reply {
	char *json; /* one object in one line, the holder's to free() */
	size_t n;
	bool is_error; /* the work failed: {error, kind, next}, not what the tool's schema says */
};

struct wl_tool {
	const char *name, *title;
	const char *help;        /* its first sentence, for lists; without a full stop */
	const char *description; /* at most 2 KB, which is what clients show */
	/* JSON Schema 2020-12, an object; made from the registry of verbs. */
	void (*input)(struct wl_jsonw *w);
	void (*output)(struct wl_jsonw *w);
	int (*run)(struct wl_tool_call *call, struct wl_err *reterr);
	bool changes_view; /* moves a page that a person looks at; the others only read */
};

/* A trace that is open. */
struct wl_tool_trace {
	struct wl_session *session;
	const char *database; /* file of the trace, or of its export; lives until the close */
	void *of_opener;
};

/* What an opener reports to while it reads; it lives as long as the trace is open. */
struct wl_trace_reading {
	atomic_int stop; /* not 0: give up */
	/* To be called now and then while rows are read or a report is exported. */
	void (*tick)(struct wl_trace_reading *reading, int64_t done, int64_t total);
};

/* How paths become sessions, and windows appear on a page: the front-end knows. */
struct wl_trace_opener {
	int (*open)(void *ctx, const char *path, struct wl_trace_reading *reading,
		    struct wl_tool_trace *ret, struct wl_err *reterr);
	void (*close)(void *ctx, struct wl_tool_trace *trace);
	/*
	 * Move the page that shows the trace of this path to a window of its clock, which is NULL
	 * for all of it. NULL: there is no page.
	 */
	int (*show)(void *ctx, const char *path, const int64_t window[2], struct wl_err *reterr);
	void *ctx;
};

struct wl_toolbox_opts {
	struct wl_trace_opener opener;
	struct wl_pool *pool;     /* borrowed; NULL answers on one thread */
	struct wl_budget *budget; /* borrowed; of answers; NULL: without limit */
	const char *version;      /* of the program */
	const char *skills;       /* directory of the user's skills; NULL for none */
};

#endif
