/* SPDX-License-Identifier: MIT */
#include "scene/lateness.h"

#include "analysis/comm/lateness.h"
#include "session/open/session.h"

void wl_scene_find_lateness(struct wl_scene *scene)
{
	static const char *const args[WL_MAX_PARAMS] = { "step" };
	struct wl_request request = scene->request;
	struct wl_document doc;
	struct wl_arena scratch;
	struct wl_err err;

	scene->lateness = (struct wl_heat){ .n_items = 0 };
	request.analysis = wl_analysis_get("ranks");
	request.document = NULL;
	request.visitor = NULL;
	request.args = args;
	/* A window sets the first view of a timeline: the map has all steps. */
	request.selection.window = NULL;
	wl_arena_init_child(&scratch, &scene->arena);
	if (wl_session_run(scene->session, &request, &scratch, &doc, &err) == WL_OK &&
	    wl_heat_has(doc.sections[0].view.table, &wl_lateness_chart) &&
	    !wl_heat_read(&doc.sections[0].view, &wl_lateness_chart, &scene->arena,
			  &scene->lateness))
		scene->lateness.n_items = 0;
	wl_arena_release(&scratch);
}
