/* SPDX-License-Identifier: MIT */
/* tree_export.c - the tree as a file: the table of the verb tree, over the same window. */
#include <stdio.h>
#include <string.h>

#include "base/file/file.h"
#include "render/formats.h"
#include "tui/tree/tree.h"

static void answered(void *ctx, const struct wl_document *doc, const struct wl_err *err)
{
	struct wl_tree *t = ctx;
	struct wl_render_opts opts = { .width = 0 };
	WL_CLEANUP(wl_file_abort) struct wl_file file = { .stream = NULL };
	struct wl_err why;

	t->is_exporting = false;
	if (!doc) {
		wl_app_say(t->app, "not written: %s", err->msg);
		return;
	}
	if (wl_file_begin(t->export_path, &file, &why) < 0) {
		wl_app_say(t->app, "not written: %s", why.msg);
		return;
	}
	wl_format_of_file(t->export_path)->render(doc, &opts, file.stream);
	if (wl_file_commit(&file, &why) < 0)
		wl_app_say(t->app, "not written: %s", why.msg);
	else
		wl_app_say(t->app, "wrote %.200s", t->export_path);
}

static void export_to(void *ctx, const char *path)
{
	struct wl_tree *t = ctx;
	struct wl_request request = wl_app_options(t->app)->request;
	char endings[WL_FORMAT_LIST_BUF];

	if (!path || !path[0])
		return;
	if (!wl_format_of_file(path) || strlen(path) >= sizeof(t->export_path)) {
		wl_app_say(t->app, "the ending chooses the format: %s",
			   wl_format_list_endings(endings));
		return;
	}
	(void)snprintf(t->export_path, sizeof(t->export_path), "%s", path);
	request.analysis = wl_analysis_get("tree");
	request.document = NULL;
	request.visitor = NULL;
	request.view = (struct wl_view_opts){ .limit = 0 };
	request.selection.window = wl_tree_window(t, t->export_window);
	t->is_exporting = true;
	wl_app_ask(t->app, &(struct wl_app_question){ .which = 0,
						      .slot = WL_TREE_EXPORT_SLOT,
						      .request = &request,
						      .answered = answered,
						      .ctx = t });
}

static void export_rows(struct wl_tree *t)
{
	if (t->is_exporting)
		wl_app_say(t->app, "%.200s is still being written", t->export_path);
	else
		wl_app_prompt(t->app, &(struct wl_prompt_opts){ .label = "write the tree to: ",
								.text = "tree.csv",
								.done = export_to,
								.ctx = t });
}

/* The screen, and how it looks, are the timeline's business, too. */
static void configure(struct wl_tree *t)
{
	wl_app_hand_over(t->app, WL_VIEW_TIMELINE, WL_ACT_CONFIG);
}

static void write_screen(struct wl_tree *t)
{
	wl_app_hand_over(t->app, WL_VIEW_TIMELINE, WL_ACT_WRITE_SCREEN);
}

const struct wl_tree_act wl_tree_exports[] = {
	{ WL_ACT_TREE_EXPORT, .fn = export_rows },
	{ WL_ACT_TREE_CONFIG, .fn = configure },
	{ WL_ACT_TREE_WRITE_SCREEN, .fn = write_screen },
	{ .action = WL_ACT_NONE },
};
