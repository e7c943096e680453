/* SPDX-License-Identifier: MIT */
#include "serve/answers/served.h"

#include <stdio.h>
#include <stdlib.h>

#include "compare/fingerprint/take.h"
#include "serve/page/head.h"
#include "serve/shown/compared.h"
#include "sql/sql.h"

static int write_head(struct wl_served *s, const struct wl_compared *compared,
		      struct wl_arena *scratch, struct wl_err *reterr)
{
	const struct wl_head head = { .show = &s->show,
				      .program = s->opts.program,
				      .compared = compared };
	FILE *out = open_memstream(&s->head, &s->n_head);
	struct wl_jsonw json;
	bool ok;

	if (!out)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for the page");
	wl_jsonw_init(&json, out);
	ok = wl_head_write(&head, &json, scratch) && !ferror(out);
	ok = fclose(out) == 0 && ok;
	return ok ? WL_OK : wl_fail(reterr, WL_E_NOMEM, "no memory for the page");
}

static int make_head(struct wl_served *s, struct wl_err *reterr)
{
	bool are_two = s->show.n == WL_N_SIDES;
	struct wl_compared compared;
	struct wl_arena scratch;
	int r = WL_OK;

	wl_arena_init_on(&scratch, s->opts.budget);
	if (are_two)
		r = wl_compared_make(&s->show, &scratch, &compared, reterr);
	if (r == WL_OK)
		r = write_head(s, are_two ? &compared : NULL, &scratch, reterr);
	wl_arena_release(&scratch);
	return r;
}

int wl_served_finish(struct wl_served *s, struct wl_err *reterr)
{
	int r;

	if (!wl_names_find(&s->names, &s->show, WL_NAMES_AS_THEY_ARE, &s->arena))
		return wl_fail(reterr, WL_E_NOMEM, "no memory for names");
	if (!wl_merged_init(&s->merged, &s->show, &s->arena))
		return wl_fail(reterr, WL_E_NOMEM, "no memory for rows");
	r = make_head(s, reterr);
	for (size_t i = 0; i < s->opts.n; i++)
		wl_scene_settle(&s->scene[i]);
	if (r == WL_OK)
		atomic_store(&s->state, WL_SERVED_READY);
	return r;
}

static void fail(struct wl_served *s, const struct wl_err *err)
{
	s->err = *err;
	atomic_store(&s->state, WL_SERVED_FAILED);
}

/* All traces, all stages. Requests wait until all is there, so nothing is done in parts. */
static void load(void *ctx)
{
	struct wl_served *s = ctx;
	struct wl_err err;

	for (size_t i = 0; i < s->opts.n; i++) {
		struct wl_scene *scene = &s->scene[i];

		while (scene->stage < WL_SCENE_FINDINGS)
			wl_scene_load(scene, &s->opts.trace[i]);
		if (scene->stage == WL_SCENE_FAILED) {
			fail(s, &scene->err);
			return;
		}
		s->show.scene[i] = scene;
	}
	s->show.n = s->opts.n;
	if (wl_served_finish(s, &err) < 0)
		fail(s, &err);
}

int wl_served_begin(struct wl_served *s, const struct wl_served_opts *opts, struct wl_err *reterr)
{
	*s = (struct wl_served){ .opts = *opts };
	wl_arena_init_on(&s->arena, opts->budget);
	for (size_t i = 0; i < opts->n; i++) {
		s->scene[i].path = opts->label[i];
		s->scene[i].files = opts->files[i];
		s->opts.trace[i].cancel = &s->stop;
		s->opts.trace[i].asks_more = true;
		wl_sql_want(&s->opts.trace[i].also);
		if (opts->n == WL_N_SIDES)
			wl_fp_want(&s->opts.trace[i].also);
		wl_arena_init_on(&s->scene[i].arena, opts->budget);
	}
	s->jobs = wl_jobs_new(WL_SERVED_WAITING);
	if (!s->jobs || !wl_jobs_add(s->jobs, load, s))
		return wl_fail(reterr, WL_E_NOMEM, "no memory for the server");
	return WL_OK;
}

void wl_served_give_up(struct wl_served *s)
{
	(void)atomic_fetch_or(&s->stop, WL_STOP_QUESTION);
}

void wl_served_resume(struct wl_served *s)
{
	(void)atomic_fetch_and(&s->stop, ~WL_STOP_QUESTION);
}

void wl_served_end(struct wl_served *s)
{
	(void)atomic_fetch_or(&s->stop, WL_STOP_SERVER);
}

void wl_served_stop(struct wl_served *s)
{
	wl_served_end(s);
	wl_jobs_close(s->jobs);
}

void wl_served_release(struct wl_served *s)
{
	wl_jobs_free(s->jobs);
	s->jobs = NULL;
	wl_names_release(&s->names);
	wl_merged_release(&s->merged);
	free(s->head);
	s->head = NULL;
	for (size_t i = 0; i < s->opts.n; i++)
		wl_scene_unload(&s->scene[i]);
	wl_arena_release(&s->arena);
}
