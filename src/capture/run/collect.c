/* SPDX-License-Identifier: MIT */
#include "capture/run/collect.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "capture/nsys.h"

enum { TRIES = 3 };

static int no_memory(struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_NOMEM, "no memory for the list of reports");
}

static const char *path_of(const char *dir, const char *name, const char *ending,
			   struct wl_arena *arena)
{
	const size_t size = strlen(dir) + strlen(name) + strlen(ending) + 2;
	char *path = WL_NEW(arena, char, size);

	if (path)
		(void)snprintf(path, size, "%s/%s%s", dir, name, ending);
	return path;
}

static int by_name(const void *a, const void *b)
{
	const struct wl_collected *x = a, *y = b;

	return strcmp(x->report, y->report);
}

static int take_name(const char *dir, const char *name, struct wl_arena *arena,
		     struct wl_collection *c, struct wl_err *reterr)
{
	const bool is_stream = wl_path_ends_in(name, ".qdstrm");
	const char *path;

	if (!is_stream && !wl_path_ends_in(name, ".nsys-rep"))
		return WL_OK;
	path = path_of(dir, name, "", arena);
	if (!path)
		return no_memory(reterr);
	if (is_stream)
		c->stream = path;
	else if (c->n == WL_COLLECT_MOST)
		return wl_fail(reterr, WL_E_IO, "%.200s has more than %d reports", dir,
			       WL_COLLECT_MOST);
	else
		c->report[c->n++].report = path;
	return WL_OK;
}

static int find(const char *dir, struct wl_arena *arena, struct wl_collection *c,
		struct wl_err *reterr)
{
	DIR *d = opendir(dir);
	const struct dirent *entry;
	int r = WL_OK;

	if (!d)
		return wl_fail(reterr, WL_E_IO, "cannot read %.200s: %s", dir, strerror(errno));
	c->report = WL_NEW(arena, struct wl_collected, WL_COLLECT_MOST);
	if (!c->report)
		r = no_memory(reterr);
	while (r == WL_OK && (entry = readdir(d)) != NULL)
		r = take_name(dir, entry->d_name, arena, c, reterr);
	(void)closedir(d);
	if (c->n)
		qsort(c->report, c->n, sizeof(*c->report), by_name);
	return r;
}

/* "a/run.sqlite" of "a/run.nsys-rep". */
static const char *database_of(const char *report, struct wl_arena *arena)
{
	const size_t n = strlen(report) - strlen(".nsys-rep"), size = n + sizeof(".sqlite");
	char *path = WL_NEW(arena, char, size);

	if (path)
		(void)snprintf(path, size, "%.*s.sqlite", (int)n, report);
	return path;
}

/* The signal that ended the program is no reason to stop the export; the next one is. */
struct flag {
	const atomic_int *count;
	int seen;
	atomic_int is_set;
};

static void tick(void *ctx, int64_t elapsed_ns)
{
	struct flag *flag = ctx;

	(void)elapsed_ns;
	if (flag->count && *flag->count != flag->seen)
		flag->is_set = 1;
}

/* Into a directory beside it first: a name that is there is whole. */
static int export_once(const struct wl_collecting *how, const struct wl_report *kind,
		       const struct wl_collected *c, struct wl_err *reterr)
{
	struct flag flag = { .count = how->signals, .seen = how->signals ? *how->signals : 0 };
	struct wl_tmpdir dir = { 0 };
	char path[WL_PATH_CAP];
	int r = wl_tmpdir_open(how->dir, &dir, reterr);

	if (r < 0)
		return r;
	r = wl_nsys_export(&(struct wl_nsys_export){ .nsys = how->nsys,
						     .report = c->report,
						     .dir = dir.path,
						     .limit_ns = how->limit_ns,
						     .cancel = &flag.is_set,
						     .tick = tick,
						     .ctx = &flag },
			   kind, path, reterr);
	if (r == WL_OK)
		r = wl_file_move(path, c->database, reterr);
	wl_tmpdir_close(&dir);
	return r;
}

static int export_report(const struct wl_collecting *how, struct wl_collected *c,
			 struct wl_collection *all, struct wl_err *reterr)
{
	struct wl_report kind;
	int r = wl_report_identify(c->report, &kind, reterr);

	if (r < 0)
		return r;
	c->bytes = kind.size;
	if (kind.kind != WL_REPORT_NSYS)
		return wl_report_refuse(c->report, &kind, reterr);
	for (int i = 1;; i++) {
		r = export_once(how, &kind, c, reterr);
		if (r != WL_E_IO || i == TRIES)
			return r;
		all->n_retries++;
	}
}

static void set_aside(const struct wl_collected *c, struct wl_arena *arena)
{
	const char *aside = path_of(".", c->report, ".incomplete", arena);

	if (aside)
		(void)rename(c->report, aside + (c->report[0] == '/' ? 2 : 0));
}

/* Export one and look at it. */
static int collect_one(const struct wl_collecting *how, struct wl_collected *c,
		       struct wl_collection *all, struct wl_err *reterr)
{
	const int64_t begin = wl_clock_wall_ns();
	int64_t exported;
	int r = export_report(how, c, all, reterr);

	exported = wl_clock_wall_ns();
	all->export_ns += exported - begin;
	if (r == WL_OK) {
		r = how->look(how->ctx, c->database, &c->facts, reterr);
		all->look_ns += wl_clock_wall_ns() - exported;
	}
	return r;
}

int wl_collect(const struct wl_collecting *how, struct wl_arena *arena, struct wl_collection *ret,
	       struct wl_err *reterr)
{
	struct wl_err err;
	int r;

	*ret = (struct wl_collection){ .n = 0 };
	r = find(how->dir, arena, ret, reterr);
	for (size_t i = 0; i < ret->n; i++) {
		struct wl_collected *c = &ret->report[i];
		int one;

		c->database = database_of(c->report, arena);
		if (!c->database)
			return no_memory(reterr);
		one = collect_one(how, c, ret, &err);
		if (one == WL_E_FORMAT)
			set_aside(c, arena);
		if (one < 0 && r == WL_OK)
			r = wl_fail(reterr, err.code, "%s", err.msg);
		if (one == WL_E_CANCELED)
			break;
	}
	return r;
}
