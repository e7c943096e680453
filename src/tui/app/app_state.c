/* SPDX-License-Identifier: MIT */
/* app_state.c - the state of the views and the bookmarks, kept in a file. */
#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "base/text/json_read.h"
#include "base/text/json_write.h"
#include "tui/app/app_parts.h"
#include "tui/app/state_json.h"

static const char format[] = "warplens_state";
enum { VERSION = 1 };

static const char *const name_styles[WL_N_NAME_STYLES] = { "short", "full", "mangled" };

/* ---- Reading ---- */

/*
 * WL_E_NODATA where there is no file, WL_E_FORMAT where it is none of ours; on success
 * *ret is to be freed.
 */
static int read_file(const char *path, struct wl_json **ret, struct wl_err *reterr)
{
	struct wl_json *doc;
	struct wl_err err;
	char *bytes;
	int version;
	size_t n;
	int r;

	if (!path || wl_file_read(path, WL_JSON_MAX_BYTES + 1, &bytes, &n, &err) < 0)
		return wl_fail(reterr, WL_E_NODATA, "there is no such file");
	r = wl_json_parse(bytes, n, path, &doc, &err);
	free(bytes);
	if (r < 0)
		return wl_fail(reterr, WL_E_FORMAT, "%s", err.msg);
	if (!wl_state_int(doc, format, VERSION, VERSION, &version)) {
		wl_json_free(doc);
		return wl_fail(reterr, WL_E_FORMAT, "%.300s: not what warplens keeps", path);
	}
	*ret = doc;
	return WL_OK;
}

/* NULL where there is nothing; that something is there and of no use is said. */
static struct wl_json *try_file(struct wl_app *app, const char *path)
{
	struct wl_json *doc = NULL;
	struct wl_err err;
	int r = read_file(path, &doc, &err);

	if (r == WL_E_FORMAT)
		wl_app_say(app, "ignored %s", err.msg);
	return r == WL_OK ? doc : NULL;
}

static const char *bookmarks_path(const struct wl_app *app)
{
	return app->opts.bookmarks_file ? app->opts.bookmarks_file : app->opts.state_file;
}

void wl_state_read_bookmarks(struct wl_app *app)
{
	struct wl_json *doc = try_file(app, bookmarks_path(app));

	if (doc)
		wl_bookmarks_restore(&app->bookmarks, wl_json_member(doc, "bookmarks"));
	wl_json_free(doc);
}

static bool same(const struct wl_json *object, const char *key, const char *word)
{
	const struct wl_json *v = wl_json_member(object, key);
	const char *text = v ? wl_json_string(v) : NULL;

	return text && strcmp(text, word) == 0;
}

static void restore(struct wl_app *app, const struct wl_json *doc)
{
	for (size_t i = 0; i < WL_N_NAME_STYLES; i++) {
		if (same(doc, "names", name_styles[i]))
			app->names = (enum wl_name_style)i;
	}
	for (size_t v = 0; v < WL_N_VIEWS; v++) {
		const struct wl_view_ops *ops = app->opts.views[v];
		const struct wl_json *state = wl_json_member(doc, ops->name);

		if (state)
			ops->restore(app->view[v], state);
	}
}

/* A view that was asked for by name stays; what the file says of it is for the other one. */
void wl_state_restore(struct wl_app *app)
{
	struct wl_json *doc;

	if (app->given) {
		restore(app, app->given);
		return;
	}
	if (app->opts.start || app->opts.window)
		return;
	doc = try_file(app, app->opts.state_file);
	if (doc) {
		restore(app, doc);
		wl_app_say(app, "restored your last view; 0 shows everything");
	}
	wl_json_free(doc);
}

/* ---- Writing ---- */

static void put_views(struct wl_app *app, struct wl_jsonw *out)
{
	wl_jsonw_put_str(out, "names", name_styles[app->names]);
	for (size_t v = 0; v < WL_N_VIEWS; v++) {
		wl_jsonw_newline(out);
		wl_jsonw_open_object(out, app->opts.views[v]->name);
		if (wl_app_is_ready(app))
			app->opts.views[v]->save(app->view[v], out);
		wl_jsonw_end_object(out);
	}
}

static void put_bookmarks(struct wl_app *app, struct wl_jsonw *out)
{
	wl_jsonw_newline(out);
	wl_jsonw_key(out, "bookmarks");
	wl_bookmarks_save(&app->bookmarks, out);
}

/* The folders that a path lies in, as far as they are not there. */
static int make_folders(const char *path, struct wl_err *reterr)
{
	char dir[WL_PATH_CAP];
	struct wl_err err;
	int r = wl_file_dir(path, dir, reterr);

	if (r < 0 || strcmp(dir, "/") == 0 || strcmp(dir, ".") == 0)
		return r;
	if (wl_dir_make(dir, &err) == WL_OK)
		return WL_OK;
	r = make_folders(dir, reterr);
	return r < 0 ? r : wl_dir_make(dir, reterr);
}

/* What was looked at is of no concern to others; bookmarks in a file of their own may be shared. */
static int write_file(struct wl_app *app, const char *path, bool with_views, bool with_bookmarks,
		      struct wl_err *reterr)
{
	struct wl_file file = { 0 };
	struct wl_jsonw out;
	int r = make_folders(path, reterr);

	if (r == WL_OK)
		r = wl_file_begin(path, &file, reterr);
	if (r < 0)
		return r;
	if (with_views && file.temp[0])
		(void)fchmod(fileno(file.stream), S_IRUSR | S_IWUSR);
	wl_jsonw_init(&out, file.stream);
	wl_jsonw_begin_object(&out);
	wl_jsonw_put_i64(&out, format, VERSION);
	if (with_views)
		put_views(app, &out);
	if (with_bookmarks)
		put_bookmarks(app, &out);
	wl_jsonw_newline(&out);
	wl_jsonw_end_object(&out);
	wl_jsonw_finish(&out);
	return wl_file_commit(&file, reterr);
}

/* A file that the user names may be something else by mistake; that is not written over. */
static int write_bookmarks(struct wl_app *app, const char *path, struct wl_err *reterr)
{
	struct wl_json *doc = NULL;
	struct wl_err err;

	if (read_file(path, &doc, &err) == WL_E_FORMAT)
		return wl_fail(reterr, WL_E_OUTPUT, "bookmarks are not written: %s", err.msg);
	wl_json_free(doc);
	return write_file(app, path, false, true, reterr);
}

int wl_app_save(struct wl_app *app, struct wl_err *reterr)
{
	const char *apart = app->opts.bookmarks_file;
	int r = WL_OK;

	if (!wl_app_is_ready(app))
		return WL_OK;
	if (app->opts.state_file)
		r = write_file(app, app->opts.state_file, true, !apart, reterr);
	if (r == WL_OK && apart)
		r = write_bookmarks(app, apart, reterr);
	return r;
}

/* ---- Telling ---- */

void wl_app_dump(struct wl_app *app, struct wl_jsonw *out)
{
	wl_jsonw_begin_object(out);
	wl_jsonw_put_str(out, "view", app->opts.views[app->current]->name);
	wl_jsonw_open_array(out, "size");
	wl_jsonw_i64(out, app->screen.cols);
	wl_jsonw_i64(out, app->screen.rows);
	wl_jsonw_end_array(out);
	wl_jsonw_put_str(out, "overlay", app->overlay ? app->overlay->ops->name : NULL);
	wl_jsonw_put_str(out, "message", app->message);
	wl_jsonw_put_str(out, "copied", app->copied);
	wl_jsonw_put_bool(out, "done", app->is_done);
	put_views(app, out);
	put_bookmarks(app, out);
	wl_jsonw_newline(out);
	wl_jsonw_end_object(out);
}

/* A shell takes everything between single quotes as it is, but for these themselves. */
static char *quote(const char *command, const char *state)
{
	static const char option[] = " --view '";
	size_t n = strlen(command) + sizeof(option) + strlen(state) + 2;
	char *line, *to;

	for (const char *c = state; *c; c++)
		n += *c == '\'' ? 3 : 0;
	line = malloc(n);
	if (!line)
		return NULL;
	to = stpcpy(stpcpy(line, command), option);
	for (const char *c = state; *c; c++) {
		if (*c == '\'')
			to = stpcpy(to, "'\\''");
		else if (*c != '\n')
			*to++ = *c;
	}
	(void)stpcpy(to, "'");
	return line;
}

static char *state_text(struct wl_app *app)
{
	char *text = NULL;
	size_t n;
	FILE *stream = open_memstream(&text, &n);
	struct wl_jsonw out;
	bool failed;

	if (!stream)
		return NULL;
	wl_jsonw_init(&out, stream);
	wl_jsonw_begin_object(&out);
	put_views(app, &out);
	wl_jsonw_end_object(&out);
	wl_jsonw_finish(&out);
	failed = ferror(stream);
	if (fclose(stream) != 0 || failed) {
		free(text);
		return NULL;
	}
	return text;
}

const char *wl_app_command_line(struct wl_app *app)
{
	const char *command = app->opts.command[app->current];
	char *state = state_text(app);

	free(app->command);
	app->command = state ? quote(command, state) : NULL;
	free(state);
	return app->command ? app->command : command;
}
