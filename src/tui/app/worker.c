/* SPDX-License-Identifier: MIT */
#include "tui/app/worker.h"

#include <stdlib.h>

#include "scene/load.h"

struct question {
	uint64_t number; /* from 1, in the order they were asked; 0: there is none */
	int which;
	bool says_missing;
	struct wl_request request;
	wl_answer_fn *answered;
	void *ctx;
};

struct wl_worker {
	const struct wl_app_opts *opts;
	int n_traces;
	struct wl_scene scene[2];
	atomic_int cancel;
	bool is_under_way;  /* something was begun, and not handed over */
	struct wl_job *job; /* that does it; NULL where there are no threads, and it is done */
	struct wl_loading loading;
	int loading_which; /* of scene */
	struct question waiting[WL_ASK_SLOTS];
	uint64_t n_asked;
	/* The question under way; number 0: none, a trace is being loaded. */
	struct question asked;
	struct wl_arena arena; /* of its answer */
	struct wl_document document;
	struct wl_err err;
	int result;
};

struct wl_worker *wl_worker_new(const struct wl_app_opts *opts)
{
	struct wl_worker *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->opts = opts;
	for (int i = 0; i < 2; i++) {
		w->scene[i].path = opts->label[i] ? opts->label[i] : opts->path[i];
		wl_arena_init_on(&w->scene[i].arena, opts->budget);
		w->n_traces += opts->path[i] != NULL;
	}
	if (w->n_traces == 0)
		atomic_store(&w->scene[0].stage, WL_SCENE_FINDINGS);
	return w;
}

void wl_worker_stop(struct wl_worker *w)
{
	w->cancel = 1;
	wl_job_join(w->job);
	w->job = NULL;
	wl_arena_release(&w->arena);
}

void wl_worker_free(struct wl_worker *w)
{
	if (!w)
		return;
	wl_worker_stop(w);
	for (int i = 0; i < 2; i++)
		wl_scene_unload(&w->scene[i]);
	free(w);
}

const struct wl_scene *wl_worker_scene(const struct wl_worker *w, int which)
{
	return which == 0 || which < w->n_traces ? &w->scene[which] : NULL;
}

void wl_worker_ask(struct wl_worker *w, const struct wl_app_question *question)
{
	struct question *q = &w->waiting[question->slot];

	*q = (struct question){ .number = ++w->n_asked,
				.which = question->which,
				.says_missing = question->says_missing,
				.request = *question->request,
				.answered = question->answered,
				.ctx = question->ctx };
	/* Another naming would throw away what the views look at. */
	q->request.marker = w->opts->request.marker;
	q->request.conventions = w->opts->request.conventions;
	q->request.pool = w->opts->request.pool;
}

static struct question *next_question(struct wl_worker *w)
{
	struct question *first = NULL;

	for (size_t i = 0; i < WL_ASK_SLOTS; i++) {
		struct question *q = &w->waiting[i];

		if (q->number && (!first || q->number < first->number))
			first = q;
	}
	return first;
}

/* A trace that is not loaded up to a stage, -1 for none. */
static int next_trace(const struct wl_worker *w, enum wl_scene_stage stage)
{
	for (int i = 0; i < w->n_traces; i++) {
		if (atomic_load(&w->scene[i].stage) < stage)
			return i;
	}
	return -1;
}

bool wl_worker_is_busy(const struct wl_worker *w)
{
	bool asked = false;

	for (size_t i = 0; i < WL_ASK_SLOTS; i++)
		asked = asked || w->waiting[i].number;
	return w->is_under_way || asked || next_trace(w, WL_SCENE_FINDINGS) >= 0;
}

static void load(void *ctx)
{
	struct wl_worker *w = ctx;

	wl_scene_load(&w->scene[w->loading_which], &w->loading);
}

static void answer(void *ctx)
{
	struct wl_worker *w = ctx;
	struct wl_scene *scene = &w->scene[w->asked.which];

	if (scene->tracks.n == 0 || !scene->session)
		w->result = wl_fail(&w->err, WL_E_NODATA, "the trace has no rows");
	else if (w->asked.says_missing)
		w->result = wl_session_ask(scene->session, &w->asked.request, &w->arena,
					   &w->document, &w->err);
	else
		w->result = wl_session_run(scene->session, &w->asked.request, &w->arena,
					   &w->document, &w->err);
}

/* Where there is no thread the views must wait. */
static void run(struct wl_worker *w, wl_job_fn *fn)
{
	w->is_under_way = true;
	w->job = wl_job_start(fn, w);
	if (!w->job)
		fn(w);
}

static void begin_load(struct wl_worker *w, int which)
{
	const struct wl_app_opts *opts = w->opts;

	w->loading_which = which;
	w->loading = (struct wl_loading){ .path = opts->path[which],
					  .input = opts->input,
					  .index = opts->indexed ? &opts->index : NULL,
					  .request = opts->request,
					  .budget = opts->budget,
					  .cancel = &w->cancel };
	run(w, load);
}

static void begin_answer(struct wl_worker *w, struct question *q)
{
	w->asked = *q;
	q->number = 0;
	w->err = (struct wl_err){ .code = WL_OK };
	wl_arena_init_on(&w->arena, w->opts->budget);
	run(w, answer);
}

void wl_worker_begin(struct wl_worker *w)
{
	int rows = next_trace(w, WL_SCENE_TRACKS), more = next_trace(w, WL_SCENE_FINDINGS);
	struct question *q = next_question(w);

	if (w->is_under_way)
		return;
	if (rows >= 0)
		begin_load(w, rows);
	else if (q)
		begin_answer(w, q);
	else if (more >= 0)
		begin_load(w, more);
}

static void hand_over(struct wl_worker *w)
{
	struct question q = w->asked;

	wl_job_join(w->job);
	w->job = NULL;
	w->is_under_way = false;
	w->asked.number = 0;
	if (q.number && q.answered)
		q.answered(q.ctx, w->result == WL_OK ? &w->document : NULL, &w->err);
	wl_arena_release(&w->arena);
}

void wl_worker_tick(struct wl_worker *w)
{
	if (w->is_under_way && (!w->job || wl_job_is_done(w->job)))
		hand_over(w);
	wl_worker_begin(w);
}

void wl_worker_wait(struct wl_worker *w)
{
	if (w->is_under_way)
		hand_over(w);
}
