/* SPDX-License-Identifier: MIT */
/* call.h - a tool call in progress: its arguments, the traces it holds, and its reply. */
#ifndef WL_AGENT_CALL_H
#define WL_AGENT_CALL_H

#include "agent/tools/tool.h"
#include "base/memory/arena.h"
#include "base/text/json_read.h"
#include "session/open/session.h"

struct wl_handle;
struct wl_handles;

enum { WL_CALL_HELD = 2 }; /* traces that a call may hold: diff takes two */

struct wl_tool_call {
	const struct wl_toolbox_opts *opts;
	struct wl_handles *handles;
	const struct wl_tool *tool;
	const struct wl_tool *all_tools; /* ends with one without a name */
	const struct wl_json *args;      /* an object, or NULL */
	struct wl_call how;              /* with the reply bound filled in */
	struct wl_stop stop;             /* stops when the flag of how is set */
	struct wl_budget budget;         /* the budget of the options, with the stop */
	struct wl_arena arena;
	struct wl_handle *held[WL_CALL_HELD];
	size_t n_held;
	/* The reply being written; wl_call_end() sets text. */
	FILE *out;
	struct wl_jsonw w;
	char *text;
	size_t n_text;
};

/* ---- Arguments ---- */

/*
 * WL_E_USAGE with the nearest name if an argument is not among keys, which are separated by blanks.
 */
int wl_call_only(struct wl_tool_call *c, const char *keys, struct wl_err *reterr) WL_MUST_CHECK;

/*
 * A text argument, NULL if it is absent or null. Models write numbers, switches and lists instead
 * of texts: 2 is "2", true is "true", ["a", "b"] is "a,b". Owned by the arena.
 */
int wl_call_text(struct wl_tool_call *c, const char *key, const char **ret,
		 struct wl_err *reterr) WL_MUST_CHECK;

/* The same for a value; between separates the elements of a list. */
int wl_call_text_of(struct wl_tool_call *c, const char *key, const struct wl_json *value,
		    char between, const char **ret, struct wl_err *reterr) WL_MUST_CHECK;

/* A whole number in [min, max]; *ret is unchanged if it is absent. */
int wl_call_i64(struct wl_tool_call *c, const char *key, int64_t min, int64_t max, int64_t *ret,
		struct wl_err *reterr) WL_MUST_CHECK;

/* ---- Traces ---- */

/*
 * The trace that an argument names by handle or path, opened, and held by the call until it ends.
 * If the argument is absent, the only trace there is, else WL_E_USAGE with the handles.
 */
int wl_call_trace(struct wl_tool_call *c, const char *key, struct wl_handle **ret,
		  struct wl_err *reterr) WL_MUST_CHECK;

/* Open a trace for the call, which releases it at its end. */
int wl_call_hold(struct wl_tool_call *c, struct wl_handle *h, struct wl_err *reterr) WL_MUST_CHECK;

/* Fill in selection and naming from the arguments "window", "gpu", "pid", "rank", "stream",
 * "marker" and "traces". */
int wl_call_request(struct wl_tool_call *c, struct wl_request *ret,
		    struct wl_err *reterr) WL_MUST_CHECK;

#define WL_CALL_SELECTION "trace window gpu pid rank stream marker traces"

/* Ask the session of a trace that the call holds. A failed read closes the trace. */
int wl_call_run(struct wl_tool_call *c, struct wl_handle *h, const struct wl_request *request,
		struct wl_document *ret, struct wl_err *reterr) WL_MUST_CHECK;

/*
 * The whole table of an analysis, ignoring the view of the request, and its frame; a kept copy if
 * the question was asked before. Valid as long as the call holds the trace.
 */
int wl_call_ask(struct wl_tool_call *c, struct wl_handle *h, const struct wl_request *request,
		struct wl_document *ret_frame, const struct wl_table **ret_table,
		struct wl_err *reterr) WL_MUST_CHECK;

/* WL_E_CANCELED if the caller no longer wants the answer. */
int wl_call_check(const struct wl_tool_call *c, struct wl_err *reterr) WL_MUST_CHECK;

/* ---- The reply ---- */

/* Begin the reply's object in c->w. */
int wl_call_begin(struct wl_tool_call *c, struct wl_err *reterr) WL_MUST_CHECK;

/* Close the reply's object; c->text is then the reply. */
int wl_call_end(struct wl_tool_call *c, struct wl_err *reterr) WL_MUST_CHECK;

/* Add a member with a text cut to cap bytes, ending in an ellipsis; controls are replaced. */
void wl_call_put(struct wl_tool_call *c, const char *key, const char *text, size_t cap);

/* Format a text owned by the arena. NULL if memory runs out. */
char *wl_call_printf(struct wl_tool_call *c, const char *fmt, ...) WL_PRINTF(2, 3);

/* ---- The tools, each in its own source file, with their schemas ---- */

typedef int wl_tool_fn(struct wl_tool_call *c, struct wl_err *reterr);
typedef void wl_schema_fn(struct wl_jsonw *w);

wl_tool_fn wl_tool_open_trace, wl_tool_findings, wl_tool_analyze, wl_tool_sql, wl_tool_diff,
	wl_tool_describe, wl_tool_plan_capture, wl_tool_show, wl_tool_skill;
wl_schema_fn wl_schema_open_input, wl_schema_open_output, wl_schema_findings_input,
	wl_schema_findings_output, wl_schema_analyze_input, wl_schema_table_output,
	wl_schema_sql_input, wl_schema_diff_input, wl_schema_describe_input,
	wl_schema_describe_output, wl_schema_plan_input, wl_schema_plan_output,
	wl_schema_show_input, wl_schema_show_output, wl_schema_skill_input;

#endif
