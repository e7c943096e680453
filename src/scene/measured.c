/* SPDX-License-Identifier: MIT */
#include "scene/measured.h"

#include "session/session.h"

void wl_scene_put_docs(const struct wl_scene *scene, const struct wl_analysis *a,
		       struct wl_json *ret[WL_MAX_PARAMS])
{
	for (size_t i = 0; i < WL_MAX_PARAMS; i++)
		ret[i] = i < a->n_params && a->params[i].is_ncu ? scene->ncu : NULL;
}

int wl_scene_find_roofline(struct wl_scene *scene, struct wl_err *reterr)
{
	const struct wl_analysis *a = wl_analysis_get("roofline");
	struct wl_json *docs[WL_MAX_PARAMS];
	struct wl_request request = scene->request;
	struct wl_section *section;
	struct wl_document doc;
	struct wl_err err;
	int r;

	if (!scene->ncu)
		return WL_OK;
	section = WL_NEW(&scene->arena, struct wl_section, 1);
	if (!section)
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory for the roofline", scene->path);
	wl_scene_put_docs(scene, a, docs);
	request.analysis = a;
	request.document = NULL;
	request.visitor = NULL;
	request.docs = docs;
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
