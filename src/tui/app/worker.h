/* SPDX-License-Identifier: MIT */
/*
 * worker.h - the background thread of the views: loads the traces and answers questions, one
 * job after the other.
 *
 * First come the rows of all traces, then what was asked, then the further stages of loading,
 * which no view waits for.
 *
 * All functions are for the views' thread. The worker's findings are theirs from the
 * stage on that promises it (scene.h); answers are handed over by tick.
 */
#ifndef WL_TUI_WORKER_H
#define WL_TUI_WORKER_H

#include "tui/app/view.h"

struct wl_worker;

enum { WL_ASK_SLOTS = 8 };
typedef void wl_answer_fn(void *ctx, const struct wl_document *document, const struct wl_err *err);

/* Nothing begins before the first tick. opts must outlive it. NULL without memory. */
struct wl_worker *wl_worker_new(const struct wl_app_opts *opts) WL_MUST_CHECK;

/* End what is under way as soon as that can be. Loaded traces stay until it is freed. */
void wl_worker_stop(struct wl_worker *w);

/* Stops it first. Accepts NULL. */
void wl_worker_free(struct wl_worker *w);

/* The first or second trace; NULL where there is none. */
const struct wl_scene *wl_worker_scene(const struct wl_worker *w, int which);

/* What is asked of which trace, and who hears the answer. */
struct wl_app_question {
	const struct wl_request *request;
	wl_answer_fn *answered;
	void *ctx;
	int which; /* trace */
	int slot;
	bool says_missing; /* no data is an answer: wl_session_ask() */
};

/* See wl_app_ask(). */
void wl_worker_ask(struct wl_worker *w, const struct wl_app_question *question);

/* Something is under way or waits. */
bool wl_worker_is_busy(const struct wl_worker *w);

/* Begin what comes next, unless something is under way. Hands nothing over. */
void wl_worker_begin(struct wl_worker *w);

/* Hand over an answer that is there, and begin what comes next. Does not wait. */
void wl_worker_tick(struct wl_worker *w);

/* Wait until what is under way is done. */
void wl_worker_wait(struct wl_worker *w);

#endif
