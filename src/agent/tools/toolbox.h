/* SPDX-License-Identifier: MIT */
/*
 * toolbox.h - tools with which programs of limited memory query traces: typed arguments in, bounded
 * JSON out.
 *
 * Order of calls: new; call, any number of times and from any thread; free. Traces are known by
 * handles ("t1"), which live as long as the box: a trace that has not been used for a while is
 * closed, and reopened when its handle is used. A trace answers one call at a time; other calls
 * wait.
 *
 * No tool writes files, starts a program of the user's, or shows environment variables or the
 * output of the recorded process. Names in a trace are untrusted text: they are cut, and control
 * characters in them are replaced.
 */
#ifndef WL_AGENT_TOOLBOX_H
#define WL_AGENT_TOOLBOX_H

#include "agent/tools/tools.h" /* IWYU pragma: export */

struct wl_json;
struct wl_toolbox;

/* opts is copied, but its strings are not. NULL if memory runs out. */
struct wl_toolbox *wl_toolbox_new(const struct wl_toolbox_opts *opts) WL_MUST_CHECK;

/* No call may be under way. Accepts NULL. */
void wl_toolbox_free(struct wl_toolbox *box);

/*
 * Call a tool. args is an object, or NULL for none. If the tool itself fails, returns WL_OK and a
 * reply with is_error that says what to do next. WL_E_USAGE: no such tool; WL_E_CANCELED: the flag
 * was set and there is no reply; WL_E_NOMEM: no memory for the reply.
 */
int wl_toolbox_call(struct wl_toolbox *box, const char *name, const struct wl_json *args,
		    const struct wl_call *how, struct wl_reply *ret,
		    struct wl_err *reterr) WL_MUST_CHECK;
void wl_reply_release(struct wl_reply *reply); /* accepts a zeroed struct */

/* A schema as one line of text, which the caller must free(); NULL if memory runs out. */
char *wl_tool_schema_text(void (*schema)(struct wl_jsonw *w)) WL_MUST_CHECK;

#endif
