/* SPDX-License-Identifier: MIT */
/* answer_meta.c - the first answers to a page: itself, the progress of loading, the head. */
#include <stdlib.h>
#include <string.h>

#include "serve/answers/answer.h"
#include "serve/page/page.h"

int wl_answer_page(const struct wl_ask *ask, struct wl_answer *ret, struct wl_err *reterr)
{
	FILE *out = open_memstream(&ret->bytes, &ret->n);
	bool ok;

	(void)ask;
	if (!out)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for the page");
	wl_page_write_server(out);
	ok = !ferror(out);
	ok = fclose(out) == 0 && ok;
	ret->type = "text/html; charset=utf-8";
	ret->is_page = true;
	return ok ? WL_OK : wl_fail(reterr, WL_E_NOMEM, "no memory for the page");
}

static const char *stage_name(const struct wl_served *s)
{
	static const char *const names[] = {
		[WL_SCENE_WAITING] = "waiting", [WL_SCENE_LOADING] = "reading",
		[WL_SCENE_TRACKS] = "causes",   [WL_SCENE_CAUSES] = "findings",
		[WL_SCENE_FINDINGS] = "names",  [WL_SCENE_FAILED] = "failed",
	};
	enum wl_scene_stage stage;
	size_t i = 0;

	if (wl_served_is_ready(s))
		return "ready";
	if (wl_served_state(s) == WL_SERVED_FAILED)
		return "failed";
	while (i + 1 < s->opts.n && atomic_load(&s->scene[i].stage) == WL_SCENE_FINDINGS)
		i++;
	/* Not in the brackets: gcc 12 reads an index that is atomic as if it were not. */
	stage = atomic_load(&s->scene[i].stage);
	return names[stage];
}

/* Rows of the trace that is being read, and of those before it. */
int wl_answer_progress(const struct wl_ask *ask, struct wl_answer *ret, struct wl_err *reterr)
{
	const struct wl_served *s = ask->served;
	int64_t done = 0, total = 0;
	struct wl_json_answer j;
	int r = wl_answer_begin_json(ret, &j, reterr);

	if (r < 0)
		return r;
	for (size_t i = 0; i < s->opts.n; i++) {
		done += atomic_load(&s->scene[i].rows_read);
		total += atomic_load(&s->scene[i].rows_total);
	}
	wl_jsonw_begin_object(&j.json);
	wl_jsonw_put_str(&j.json, "stage", stage_name(s));
	wl_jsonw_put_i64(&j.json, "done", done);
	wl_jsonw_put_i64(&j.json, "total", total);
	wl_jsonw_put_str(&j.json, "error",
			 wl_served_state(s) == WL_SERVED_FAILED ? s->err.msg : NULL);
	wl_jsonw_end_object(&j.json);
	return wl_answer_end_json(ret, &j, reterr);
}

int wl_answer_meta(const struct wl_ask *ask, struct wl_answer *ret, struct wl_err *reterr)
{
	const struct wl_served *s = ask->served;
	char *to = wl_answer_binary(ret, s->n_head);

	if (!to)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for the head");
	memcpy(to, s->head, s->n_head);
	ret->type = "application/json";
	return WL_OK;
}
