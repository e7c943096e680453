/* SPDX-License-Identifier: MIT */
/*
 * handles.h - the traces of a toolbox by handle: opened on use, closed when others need room.
 */
#ifndef WL_AGENT_HANDLES_H
#define WL_AGENT_HANDLES_H

#include <sys/stat.h>

#include "agent/tools/tool.h"
#include "base/file/file.h"

/*
 * Most handles of a box, and most traces open at a time. A path that cannot be opened keeps its
 * handle only if another was given since.
 */
enum { WL_MAX_HANDLES = 64, WL_MAX_OPEN = 6 };

struct wl_handles;
struct wl_kept_answers;

/* A trace. Everything except id and path belongs to the call that holds it. */
struct wl_handle {
	char id[8]; /* "t1" */
	char path[WL_PATH_CAP];
	struct wl_tool_trace trace; /* session NULL: closed */
	struct wl_kept_answers *kept;
	struct wl_trace_reading reading;
	const struct wl_call *now; /* the call that holds it */
	int64_t ticks;             /* of the call */
	struct stat was;           /* the file's status when it was opened */
	bool was_reread;           /* reread by the call: the file changed after it was opened */
	struct wl_handles *of;
	/* Private. */
	bool was_opened; /* at least once */
	bool is_refused; /* the first try to open it failed */
	bool is_retired; /* its id was taken back */
	struct wl_lock *lock;
	uint64_t used; /* when it was last held, counted in calls */
	int waiting;   /* calls that hold it or wait for it */
};

struct wl_handles *wl_handles_new(const struct wl_trace_opener *opener) WL_MUST_CHECK;
void wl_handles_free(struct wl_handles *all); /* accepts NULL */

/*
 * The handle of an id or a path, created if a path has none. WL_E_USAGE for an unknown id or if
 * there are too many handles; WL_E_IO if the path cannot be read.
 */
int wl_handle_find(struct wl_handles *all, const char *name, struct wl_handle **ret,
		   struct wl_err *reterr) WL_MUST_CHECK;

/* The only handle there is; WL_E_USAGE with what to do if there is none or several. */
int wl_handle_only(struct wl_handles *all, struct wl_handle **ret,
		   struct wl_err *reterr) WL_MUST_CHECK;

/*
 * Wait until no other call holds the trace, and open it if it is closed or its file has changed.
 * Release it in any case.
 */
int wl_handle_take(struct wl_handle *h, const struct wl_call *how,
		   struct wl_err *reterr) WL_MUST_CHECK;
void wl_handle_give(struct wl_handle *h);

/* Close the trace: the next call reads it again. Only the call that holds it may do this. */
void wl_handle_close(struct wl_handle *h);

#endif
