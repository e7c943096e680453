/* SPDX-License-Identifier: MIT */
/*
 * served.h - the traces of a server: loaded in the background, then constant.
 *
 * One thread loads and asks sessions (base/process/jobs.h); any number of others look at what is
 * ready. wl_served_is_ready() comes before everything else.
 */
#ifndef WL_SERVE_SERVED_H
#define WL_SERVE_SERVED_H

#include <stdatomic.h>

#include "base/process/jobs.h"
#include "scene/load.h"
#include "serve/shown/merged.h"
#include "serve/shown/names.h"

/* Why a long computation gives up. */
enum wl_why_stop { WL_STOP_SERVER = 1, WL_STOP_QUESTION = 2 };

enum wl_served_state { WL_SERVED_LOADING, WL_SERVED_READY, WL_SERVED_FAILED };

/* Options that are set before the begin; borrowed. */
struct wl_served_opts {
	struct wl_loading trace[WL_MAX_SHOWN]; /* the begin sets cancel and also */
	const char *label[WL_MAX_SHOWN];       /* as given, which the page calls it by */
	struct wl_scene_files files[WL_MAX_SHOWN];
	size_t n;
	const char *program; /* "warplens 0.1.0" */
	const char *scratch; /* where exports are written for a moment; NULL: /tmp */
	struct wl_budget *budget;
};

/* The window that another program wants to be seen (answer_show.c). */
struct wl_pointing {
	_Atomic uint64_t serial; /* 0: none; 2 more with each; odd while it changes */
	_Atomic size_t trace;
	_Atomic int64_t begin, end; /* from the origin of the trace */
};

struct wl_served {
	struct wl_served_opts opts;
	_Atomic enum wl_served_state state;
	struct wl_err err;  /* FAILED */
	atomic_int stop;    /* bits of enum wl_why_stop; not 0: give up */
	atomic_int n_files; /* that are being written */
	struct wl_jobs *jobs;
	struct wl_pointing pointing;
	struct wl_scene scene[WL_MAX_SHOWN];
	/* READY */
	struct wl_show show;
	struct wl_names names;
	struct wl_merged merged;
	char *head; /* JSON of n_head bytes */
	size_t n_head;
	struct wl_arena arena; /* owns names */
};

enum { WL_SERVED_WAITING = 64 }; /* questions to sessions that may wait */

/* Begin to load. WL_E_NOMEM; release then, too. Stays where it is until the release. */
int wl_served_begin(struct wl_served *s, const struct wl_served_opts *opts,
		    struct wl_err *reterr) WL_MUST_CHECK;

/* Drop what the queue does now; until the resume it does nothing long. */
void wl_served_give_up(struct wl_served *s);
void wl_served_resume(struct wl_served *s);

/* Nothing long is begun any more, and what is computed gives up where it can. Does not wait. */
void wl_served_end(struct wl_served *s);

/* The same, and what was under way has given up or is done. */
void wl_served_stop(struct wl_served *s);

/* After the stop, when no request uses it any more. Accepts a zeroed one. */
void wl_served_release(struct wl_served *s);

static inline enum wl_served_state wl_served_state(const struct wl_served *s)
{
	return atomic_load(&s->state);
}

static inline bool wl_served_is_ready(const struct wl_served *s)
{
	return wl_served_state(s) == WL_SERVED_READY;
}

/*
 * What comes behind loading: names, head, READY. For tests, whose scenes are made in
 * memory; the show must be set.
 */
int wl_served_finish(struct wl_served *s, struct wl_err *reterr) WL_MUST_CHECK;

#endif
