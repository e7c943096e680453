/* SPDX-License-Identifier: MIT */
#include "scene/roofline.h"

#include "analysis/analysis.h"
#include "session/open/session.h"

int wl_scene_find_roofline(struct wl_scene *scene, struct wl_err *reterr)
{
	const struct wl_analysis *a = wl_analysis_get("roofline");
	struct wl_request request = scene->request;
	struct wl_section *section;
	struct wl_document doc;
	struct wl_err err;
	int r;

	if (!request.ncu)
		return WL_OK;
	section = WL_NEW(&scene->arena, struct wl_section, 1);
	if (!section)
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory for the roofline", scene->path);
	request.analysis = a;
	request.document = NULL;
	request.visitor = NULL;
	/* As of findings: a window sets the first view of a timeline only. */
	request.selection.window = NULL;
	r = wl_session_run(scene->session, &request, &scene->arena, &doc, &err);
	if (r == WL_OK) {
		*section = doc.sections[0];
	} else if (r == WL_E_NOMEM || r == WL_E_CANCELED) {
		*reterr = err;
		return r;
	} else {
		*section =
			(struct wl_section){ .analysis = a->name,
					     .missing = wl_arena_strdup(&scene->arena, err.msg) };
	}
	section->title = a->chart->title;
	scene->roofline = section;
	return WL_OK;
}
