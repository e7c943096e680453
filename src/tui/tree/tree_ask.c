/* SPDX-License-Identifier: MIT */
/*
 * tree_ask.c - makes models in the background.
 *
 * At most one question per trace is pending. A change in the meantime marks it stale, and it is
 * asked again once answered.
 */
#include <stdio.h>

#include "tui/tree/tree.h"

/* On the worker's thread. */
static int visit(void *ctx, const struct wl_run *run, const struct wl_scope_notes *notes,
		 struct wl_err *reterr)
{
	struct wl_tree_job *job = ctx;

	(void)notes;
	wl_tree_model_drop(&job->model);
	job->is_made = true;
	return wl_tree_model_make(&job->model, run, job->mode, job->budget, reterr);
}

static void forget_second(struct wl_tree *t)
{
	t->display.second = NULL;
	t->display.match = NULL;
	wl_arena_release(&t->match_arena);
}

/* The second trace is compared with the aggregated tree only. */
static void match(struct wl_tree *t)
{
	forget_second(t);
	if (!t->display.model || t->mode != WL_TREE_AGGREGATED || !t->shows_second ||
	    !t->second.trace || t->second_iteration != t->model_iteration[t->mode])
		return;
	t->display.match = wl_tree_match(t->display.model, &t->second, &t->match_arena);
	if (t->display.match)
		t->display.second = &t->second;
}

/* Open nodes stay open: folds do not depend on the window. */
static void carry_over(const struct wl_tree_model *from, struct wl_tree_model *to,
		       uint32_t *selected)
{
	uint32_t was = *selected;

	if (was != WL_NONE && wl_tree_get(from, was)->kind == WL_TREE_OP)
		was = wl_tree_get(from, was)->parent;
	*selected = WL_NONE;
	for (uint32_t i = 0; i < wl_tree_n(from); i++) {
		const struct wl_tree_node *n = wl_tree_get(from, i);
		uint32_t node;

		if (n->kind == WL_TREE_OP || (!n->is_open && i != was))
			continue;
		node = wl_tree_of_fold(to, n->id);
		if (node == WL_NONE)
			continue;
		wl_tree_get(to, node)->is_open = n->is_open;
		if (i == was)
			*selected = node;
	}
}

/* In chronological mode: the node of the same range. */
static uint32_t same_range(const struct wl_tree_model *from, struct wl_tree_model *to,
			   uint32_t node)
{
	uint8_t kind = wl_tree_get(from, node)->kind;

	if (kind != WL_TREE_RANGE && kind != WL_TREE_SPAN)
		return WL_NONE;
	return wl_tree_of_item(to, wl_tree_get(from, node)->id);
}

static bool has_ranges(const struct wl_tree_model *m, uint32_t node)
{
	uint32_t i = wl_tree_get(m, node)->first;

	while (i != WL_NONE && wl_tree_get(m, i)->kind == WL_TREE_OP)
		i = wl_tree_get(m, i)->next;
	return i != WL_NONE;
}

/* Opens three levels: nested ranges explain most. Kernels appear on request. */
static void open_at_first(struct wl_tree_model *m)
{
	for (uint32_t i = 0; m->mode == WL_TREE_AGGREGATED && i < wl_tree_n(m); i++) {
		struct wl_tree_node *n = wl_tree_get(m, i);

		n->is_open = n->kind != WL_TREE_OP && n->depth < 2 && n->is.own <= n->is.gpu / 2 &&
			     has_ranges(m, i);
	}
}

static void take_first(struct wl_tree *t, struct wl_tree_job *job)
{
	struct wl_tree_model *model = &t->model[job->mode];
	bool was_there = model->trace != NULL;
	uint32_t selected = t->display.model == model ? t->selected : WL_NONE;

	forget_second(t);
	/* These are node numbers, too. */
	t->came_to = t->find_from = WL_NONE;
	t->choices.n = 0;
	if (was_there && job->mode == WL_TREE_AGGREGATED)
		carry_over(model, &job->model, &selected);
	else if (selected != WL_NONE)
		selected = same_range(model, &job->model, selected);
	wl_tree_model_drop(model);
	*model = job->model;
	job->model = (struct wl_tree_model){ .trace = NULL };
	t->model_iteration[job->mode] = job->iteration;
	if (model->n_iterations && model->last_iteration >= t->n_iterations)
		t->n_iterations = model->last_iteration + 1;
	if (job->mode != t->mode)
		return;
	t->display.model = model;
	t->selected = selected;
	match(t);
	if (!was_there)
		open_at_first(model);
	/* A trace without GPU work has only host times to show. */
	if (!was_there && !model->all.gpu && t->display.measure == WL_TREE_GPU)
		t->display.measure = WL_TREE_WALL;
	wl_tree_settle(t);
	wl_tree_grant(t);
}

static void take_second(struct wl_tree *t, struct wl_tree_job *job)
{
	forget_second(t);
	wl_tree_model_drop(&t->second);
	t->second = job->model;
	job->model = (struct wl_tree_model){ .trace = NULL };
	t->second_iteration = job->iteration;
	match(t);
	if (wl_tree_is_ready(t))
		wl_tree_settle(t);
}

/* The last request failed: return to the previous state, if it differs. */
static void give_up(struct wl_tree *t, const struct wl_tree_job *job, const struct wl_err *err)
{
	if (t->iteration != job->iteration || t->mode != job->mode)
		return;
	if (t->iteration == WL_NONE && t->mode == WL_TREE_AGGREGATED) {
		t->err = *err;
		return;
	}
	wl_app_say(t->app, "%s", err->msg);
	t->iteration = WL_NONE;
	t->mode = WL_TREE_AGGREGATED;
	t->display.sort = WL_TREE_COL_MEASURE;
	job->tree->job[job->which].is_stale = true;
}

static void answered(void *ctx, const struct wl_document *document, const struct wl_err *err)
{
	struct wl_tree_job *job = ctx;
	struct wl_tree *t = job->tree;

	job->is_asked = false;
	if (!document) {
		wl_tree_model_drop(&job->model);
		if (job->which == 0)
			give_up(t, job, err);
		else
			wl_app_say(t->app, "second trace: %s", err->msg);
	} else if (job->which == 0) {
		t->err.code = WL_OK;
		take_first(t, job);
	} else {
		take_second(t, job);
	}
	if (job->is_stale)
		wl_tree_want(t);
}

static bool is_loaded(const struct wl_tree *t, int which)
{
	const struct wl_scene *scene = wl_app_scene(t->app, which);

	return scene && scene->stage >= WL_SCENE_TRACKS && scene->trace;
}

const char *wl_tree_window(const struct wl_tree *t, char buf[WL_TREE_WINDOW])
{
	if (t->iteration == WL_NONE)
		return wl_app_options(t->app)->window;
	(void)snprintf(buf, WL_TREE_WINDOW, "iter:%u", t->iteration);
	return buf;
}

static void ask(struct wl_tree *t, int which)
{
	struct wl_tree_job *job = &t->job[which];
	const struct wl_app_opts *opts = wl_app_options(t->app);
	struct wl_request request = opts->request;

	job->is_stale = job->is_asked;
	if (job->is_asked)
		return;
	job->tree = t;
	job->which = which;
	job->mode = which ? WL_TREE_AGGREGATED : t->mode;
	job->iteration = t->iteration;
	job->budget = opts->budget ? opts->budget : &t->own_budget;
	job->is_asked = true;
	job->visitor = (struct wl_visitor){ .name = "tree", .visit = visit, .ctx = job };
	wl_tree_model_want(&job->visitor.wanted);
	request.analysis = NULL;
	request.document = NULL;
	request.visitor = &job->visitor;
	request.selection.window = wl_tree_window(t, job->window);
	wl_app_ask(t->app, &(struct wl_app_question){ .which = which,
						      .slot = WL_TREE_SLOT + which,
						      .request = &request,
						      .answered = answered,
						      .ctx = job });
}

static bool has_first(const struct wl_tree *t)
{
	return t->model[t->mode].trace && t->model_iteration[t->mode] == t->iteration;
}

/* Shows the model of the current mode. */
static void turn_to_mode(struct wl_tree *t)
{
	if (t->display.model != &t->model[t->mode]) {
		forget_second(t);
		t->display.model = &t->model[t->mode];
		t->selected = t->came_to = t->find_from = WL_NONE;
		t->choices.n = 0;
	}
	match(t);
	wl_tree_settle(t);
	wl_tree_grant(t);
}

void wl_tree_want(struct wl_tree *t)
{
	bool wants_second = t->shows_second && t->mode == WL_TREE_AGGREGATED;
	bool has_second = t->second.trace && t->second_iteration == t->iteration;

	if (has_first(t))
		turn_to_mode(t);
	else if (is_loaded(t, 0))
		ask(t, 0);
	if (wants_second && !has_second && is_loaded(t, 1))
		ask(t, 1);
}

void wl_tree_drop_models(struct wl_tree *t)
{
	forget_second(t);
	t->display.model = NULL;
	for (size_t i = 0; i < WL_N_TREE_MODES; i++)
		wl_tree_model_drop(&t->model[i]);
	wl_tree_model_drop(&t->second);
	for (size_t i = 0; i < 2; i++)
		wl_tree_model_drop(&t->job[i].model);
}
