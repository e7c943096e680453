/* SPDX-License-Identifier: MIT */
#include "scene/roofline.h"

#include <string.h>

#include "analysis/analysis.h"
#include "analysis/gpu/kernel_blocks.h"
#include "session/open/session.h"

/* The table of the whole trace, which *ret is then; a reason without one is a section, too. */
static int ask(struct wl_scene *scene, const struct wl_analysis *a, const char *const *args,
	       const struct wl_chart *chart, const struct wl_section **ret, struct wl_err *reterr)
{
	struct wl_request request = scene->request;
	struct wl_section *section;
	struct wl_document doc;
	struct wl_err err;
	int r;

	section = WL_NEW(&scene->arena, struct wl_section, 1);
	if (!section)
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory for %s", scene->path, a->name);
	request.analysis = a;
	request.args = args;
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
	section->title = chart->title;
	section->chart = chart;
	*ret = section;
	return WL_OK;
}

int wl_scene_find_roofline(struct wl_scene *scene, struct wl_err *reterr)
{
	const struct wl_analysis *a = wl_analysis_get("roofline");

	return scene->request.ncu ? ask(scene, a, NULL, a->chart, &scene->roofline, reterr) : WL_OK;
}

int wl_scene_find_blocks(struct wl_scene *scene, struct wl_err *reterr)
{
	const struct wl_analysis *a = wl_analysis_get("kernels");
	const struct wl_trace *t = wl_session_trace(scene->session);
	const char *args[WL_MAX_PARAMS] = { NULL };

	if (!t->family[WL_F_BLOCKS].present && !t->family[WL_F_WARPS].present)
		return WL_OK;
	for (size_t i = 0; i < a->n_params; i++) {
		if (strcmp(a->params[i].key, "by") == 0)
			args[i] = "block";
	}
	return ask(scene, a, args, &wl_blocks_chart, &scene->blocks, reterr);
}
