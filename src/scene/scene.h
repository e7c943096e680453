/* SPDX-License-Identifier: MIT */
/*
 * scene.h - a trace ready to be viewed: loaded in stages by another thread, then constant.
 * The terminal and the browser look at the same one.
 *
 * A background thread reads, derives and answers, one job after the other. A
 * view looks at the stage before anything else, and finds below it what that promises.
 * What is there never changes any more.
 */
#ifndef WL_SCENE_SCENE_H
#define WL_SCENE_SCENE_H

#include <stdatomic.h>

#include "base/err.h"
#include "derive/calls/launches.h"
#include "derive/iters/step_change.h"
#include "derive/nvtx/ranks.h"
#include "derive/rows/stats.h"
#include "derive/tracks/tracks.h"
#include "session/answer/finding_list.h"
#include "table/heat.h"

struct wl_thread_stacks;
struct wl_stack_names;
struct wl_scene_collectives;

enum wl_scene_stage {
	WL_SCENE_WAITING,  /* nothing yet */
	WL_SCENE_LOADING,  /* progress counts */
	WL_SCENE_TRACKS,   /* tracks and lanes are there, but those of late rows */
	WL_SCENE_CAUSES,   /* those of gaps and the critical path, too, and of_name */
	WL_SCENE_FINDINGS, /* findings, too: all is there */
	WL_SCENE_FAILED,   /* err says why; what an earlier stage promised stays */
};

/* One finding, as the verb "findings" has it. */
struct wl_scene_finding {
	const char *code, *title, *detail;
	const char *claim, *beyond;         /* see struct wl_listed_finding */
	const char *severity;               /* see struct wl_listed_finding */
	const char *evidence;               /* the command that shows it as a table */
	const struct wl_finding_line *line; /* what to do, see struct wl_listed_finding */
	size_t n_lines;
	const char *fixing; /* see struct wl_listed_finding */
	wl_ns saving;       /* the same; -1 for none */
	wl_ns replayed;     /* the same; WL_NO_TIME for none */
	double share;       /* -1 for none */
	double saves_share; /* the same */
	const char *saves_kind, *part;
	bool saves_about;
	wl_ns part_time;         /* see session/answer/finding_list.h */
	wl_ns at;                /* where to look, WL_NO_TIME if nowhere */
	struct wl_interval span; /* what to look at there; see wl_finding_span() */
	enum wl_holds row;       /* of the device: what it holds */
	uint32_t device;         /* WL_NONE if none */
};

/* The files that a job was given by, for commands that people paste; none of another trace. */
struct wl_scene_files {
	const char *const *path;
	size_t n;
};

struct wl_scene {
	const char *path; /* as given, which messages call it by */
	struct wl_scene_files files;
	_Atomic enum wl_scene_stage stage;
	_Atomic int64_t rows_read, rows_total; /* LOADING */
	struct wl_err err;

	/* TRACKS */
	struct wl_session *session; /* only the worker may ask it */
	struct wl_request request;  /* what was selected, to ask for more of the same */
	const struct wl_trace *trace;
	const struct wl_links *links;
	struct wl_launches launches;
	const struct wl_forest *forest;
	const struct wl_range_names *range_names;
	const uint32_t *range_parent; /* by NVTX row; see derive/nvtx/range_parents.h */
	const struct wl_ranks *ranks; /* of processes, as analyses have them */
	const struct wl_step_change *step_change;
	struct wl_scope scope;     /* what --gpu and the like select, in the window below */
	struct wl_interval window; /* what --window selects on any GPU; the extent without it */
	struct wl_tracks tracks;
	struct wl_lanes *lanes; /* by track: all its events; none of an empty one */
	struct wl_lanes *flat;  /* by track: one lane of all, where lanes has several; else none */
	size_t n_events;        /* of all lanes but those of late rows and of counters */
	/* CAUSES */
	const struct wl_stats *of_name; /* durations by kernel name */
	/* Call stacks of threads, and their functions; NULL of a trace without. */
	const struct wl_thread_stacks *thread_stacks;
	const struct wl_stack_names *stack_names;
	const struct wl_scene_collectives *collectives; /* members of each; NULL before CAUSES */
	/* FINDINGS */
	const struct wl_scene_finding *finding;
	size_t n_findings;
	/* Below the roofs, of the whole trace; without a table missing says why. NULL without ncu.
	 */
	const struct wl_section *roofline;
	/* Blocks of kernels, of the whole trace; NULL where none were recorded. */
	const struct wl_section *blocks;
	struct wl_heat lateness; /* by rank and step, of the whole trace; n_items 0: no rank's */
	struct wl_arena arena;   /* owns what is not the session's */
};

/* The lane by which a track is drawn on one line; NULL where it has no events or is not ready. */
const struct wl_lane *wl_scene_lane(const struct wl_scene *scene, size_t track);

/*
 * The iterations of the process that a device's row is of, which are those of its
 * ITERATIONS row; NULL for none.
 */
const struct wl_process_iters *wl_device_iters(const struct wl_scene *scene, uint32_t device);

#endif
