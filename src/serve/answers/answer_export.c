/* SPDX-License-Identifier: MIT */
/*
 * answer_export.c - the range as a file for other tools.
 *
 * It is written to a private temporary file first, which is gone when it was sent: its
 * length must be known before the first byte.
 */
#include <fcntl.h>
#include <stdio.h>

#include "base/file/file.h"
#include "export/file.h"
#include "serve/answers/answer_window.h"

struct writing {
	const struct wl_ask *ask;
	const struct wl_scene *scene;
	const struct wl_export_format *format;
	struct wl_stack_choice stacks;
	char path[WL_PATH_CAP];
};

static int write_range(void *ctx, const struct wl_run *run, const struct wl_scope_notes *notes,
		       struct wl_err *reterr)
{
	const struct writing *w = ctx;
	const struct wl_served *served = w->ask->served;
	const struct wl_export_source source = { .derived = run->derived,
						 .tracks = &w->scene->tracks,
						 .stacks = w->stacks };
	const struct wl_export_opts opts = { .scope = run->scope,
					     .budget = served->opts.budget,
					     .stop = &served->stop };
	const struct wl_export_target target = { .format = w->format, .path = w->path };
	struct wl_export_done done;

	(void)notes;
	return wl_export_file(&source, &opts, &target, &done, reterr);
}

static int write_file(struct writing *w, struct wl_asked_window *window, struct wl_err *reterr)
{
	struct wl_visitor visitor = { .name = "export", .visit = write_range, .ctx = w };
	struct wl_document frame;

	wl_export_want_format(&visitor.wanted, w->format, &w->stacks);
	window->request.visitor = &visitor;
	return wl_session_run(w->scene->session, &window->request, w->ask->arena, &frame, reterr);
}

static int answer(const struct wl_ask *ask, struct wl_answer *ret, struct wl_err *reterr)
{
	WL_CLEANUP(wl_tmpdir_close) struct wl_tmpdir dir = { .path = "" };
	struct wl_asked_window window;
	struct writing w = { .ask = ask };
	size_t format = 0, during = WL_STACK_DURING_IDLE;
	int r = wl_window_of(&window, ask, reterr);

	if (r == WL_OK)
		r = wl_query_word(ask->query, "fmt", wl_export_names, &format, reterr);
	if (r == WL_OK)
		r = wl_query_word(ask->query, "during", wl_stack_durings, &during, reterr);
	if (r == WL_OK)
		r = wl_tmpdir_open(ask->served->opts.scratch, &dir, reterr);
	if (r < 0)
		return r;
	w.format = wl_export_formats[format];
	w.stacks = wl_stack_during(during);
	w.scene = ask->served->show.scene[window.which];
	if (!w.scene->session)
		return wl_fail(reterr, WL_E_NODATA, "the trace cannot be asked");
	(void)snprintf(w.path, sizeof(w.path), "%.4000s/range%s", dir.path, w.format->suffix[0]);
	r = write_file(&w, &window, reterr);
	if (r < 0)
		return r;
	ret->fd = open(w.path, O_RDONLY | O_CLOEXEC);
	if (ret->fd < 0)
		return wl_fail(reterr, WL_E_OUTPUT, "the export cannot be read back");
	ret->type = w.format->media;
	ret->suffix = w.format->suffix[0];
	return WL_OK;
}

int wl_answer_export(const struct wl_ask *ask, struct wl_answer *ret, struct wl_err *reterr)
{
	int r;

	(void)atomic_fetch_add(&ask->served->n_files, 1);
	r = answer(ask, ret, reterr);
	(void)atomic_fetch_sub(&ask->served->n_files, 1);
	return r;
}
