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

/* Default bytes of a reply, and the least that a call may set. */
enum { WL_REPLY_BYTES = 40000, WL_REPLY_LEAST = 4000 };

/* How a call is made. A zeroed struct is never cancelled and reports nothing. */
struct wl_call {
	/* NULL, or a flag: if not 0, exporting, reading and computing end soon. */
	const atomic_int *cancel;
	/* Called periodically, on the thread of the call, with increasing numbers; may be NULL. */
	void (*progress)(void *ctx, double done, double total, const char *message);
	void *ctx;
	size_t bytes; /* bound of the reply; 0: WL_REPLY_BYTES */
};

struct wl_reply {
	char *json; /* one object in one line, for the holder to free() */
	size_t n;
	bool is_error; /* the call failed: {error, kind, next}, not the schema's reply */
};

struct wl_tool {
	const char *name, *title;
	const char *help;        /* first sentence, for lists; without a full stop */
	const char *description; /* at most 2 KB, as much as clients show */
	/* JSON Schema 2020-12, an object; made from the registry of verbs. */
	void (*input)(struct wl_jsonw *w);
	void (*output)(struct wl_jsonw *w);
	int (*run)(struct wl_tool_call *call, struct wl_err *reterr);
	bool changes_view; /* moves a page that a person is viewing; other tools only read */
};

/* An open trace. */
struct wl_tool_trace {
	struct wl_session *session;
	const char *database; /* file of the trace or of its export; valid until the close */
	void *of_opener;
};

/* Receives an opener's reports while it reads; lives as long as the trace is open. */
struct wl_trace_reading {
	atomic_int stop; /* not 0: give up */
	/* To be called periodically while rows are read or a report is exported. */
	void (*tick)(struct wl_trace_reading *reading, int64_t done, int64_t total);
};

/* How the front-end opens paths as sessions and shows windows on a page. */
struct wl_trace_opener {
	int (*open)(void *ctx, const char *path, struct wl_trace_reading *reading,
		    struct wl_tool_trace *ret, struct wl_err *reterr);
	void (*close)(void *ctx, struct wl_tool_trace *trace);
	/*
	 * Move the page that shows the trace of this path to a window of its clock; window NULL:
	 * all of it. show is NULL if there is no page.
	 */
	int (*show)(void *ctx, const char *path, const int64_t window[2], struct wl_err *reterr);
	void *ctx;
};

struct wl_toolbox_opts {
	struct wl_trace_opener opener;
	struct wl_pool *pool;     /* borrowed; NULL answers on one thread */
	struct wl_budget *budget; /* borrowed; for answers; NULL: no limit */
	const char *version;      /* of the program */
	const char *skills;       /* directory of the user's skills; NULL for none */
};

#endif
