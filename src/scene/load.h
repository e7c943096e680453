/* SPDX-License-Identifier: MIT */
/*
 * load.h - loads a scene from a file, in the stages of scene.h.
 */
#ifndef WL_SCENE_LOAD_H
#define WL_SCENE_LOAD_H

#include "base/memory/budget.h"
#include "index/index.h"
#include "scene/scene.h"

/* The options of loading. Borrowed. */
struct wl_loading {
	const char *path;                  /* of the database */
	struct wl_input_opts input;        /* without progress, the scene counts rows */
	const struct wl_index_opts *index; /* NULL: no index is looked for */
	struct wl_request request;         /* selection, conventions, marker, ncu, pool */
	struct wl_wanted also;             /* besides what views and the verbs want */
	bool only_window;                  /* findings are of the window, not of all */
	bool asks_more; /* after the findings the session is asked of the same scopes: it keeps
			   them until wl_scene_settle() */
	wl_ns min_dur;  /* shorter events are in no row; see struct wl_track_filter */
	struct wl_budget *budget;
	const atomic_int *cancel; /* besides that of input, which counts first */
};

/*
 * Go one stage further: to the tracks, the causes, the findings; or to FAILED. Runs in
 * the background of views, which may look at what the stages before promise.
 */
void wl_scene_load(struct wl_scene *scene, const struct wl_loading *how);

/* All is asked that needs the scopes of findings. */
void wl_scene_settle(struct wl_scene *scene);

/* No view may use it any more. Accepts a zeroed one. */
void wl_scene_unload(struct wl_scene *scene);

#endif
