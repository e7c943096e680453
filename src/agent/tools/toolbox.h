/* SPDX-License-Identifier: MIT */
/*
 * toolbox.h - the tools that programs with a small memory ask traces with: typed arguments in,
 * bounded JSON out.
 *
 * Order of calls: new; call, as often as wanted and by any thread; free. Traces are known by
 * handles ("t1"), which live as long as the box: a trace that is not used for a while is closed
 * and opened again when its handle is used. A trace answers one call at a time, the others wait.
 *
 * No tool writes, starts a program of the user's, or shows environment variables or the output of
 * the recorded process. Names in a trace are untrusted text: they are cut, and control characters
 * in them are replaced.
 */
#ifndef WL_AGENT_TOOLBOX_H
#define WL_AGENT_TOOLBOX_H

#include "agent/tools/tools.h" /* IWYU pragma: export */

struct wl_json;
struct wl_toolbox;

/* opts is copied, its texts are not. NULL without memory. */
struct wl_toolbox *wl_toolbox_new(const struct wl_toolbox_opts *opts) WL_MUST_CHECK;

/* No call may be under way. Accepts NULL. */
void wl_toolbox_free(struct wl_toolbox *box);

/*
 * Call a tool. args is an object, or NULL for none. A failure of the work is WL_OK and a reply
 * with is_error, which says what to do next. WL_E_USAGE: there is no such tool; WL_E_CANCELED: the
 * flag was set, there is no reply; WL_E_NOMEM: no memory for the reply.
 */
int wl_toolbox_call(struct wl_toolbox *box, const char *name, const struct wl_json *args,
		    const struct wl_call *how, struct wl_reply *ret,
		    struct wl_err *reterr) WL_MUST_CHECK;
void wl_reply_release(struct wl_reply *reply); /* accepts a zeroed one */

/* A schema as one line of text, the caller's to free(); NULL without memory. */
char *wl_tool_schema_text(void (*schema)(struct wl_jsonw *w)) WL_MUST_CHECK;

#endif
