/* SPDX-License-Identifier: MIT */
/* hash_files.c - the files that a run read and wrote, with their sums. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/text/utf8.h"
#include "capture/runs/surroundings.h"

enum { MAX_INPUTS = 64, MAX_DEPTH = 6 };

static const int64_t max_input = (int64_t)256 << 20; /* bytes that are summed of one input */

static int no_memory(struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_NOMEM, "no memory for the files of the run");
}

/* Size and sum of a regular file; 0 or an errno. Takes fd. */
static int sum_up(int fd, int64_t limit, const atomic_int *cancel, struct wl_run_file *ret)
{
	struct stat st;
	int why = 0;

	if (fstat(fd, &st) < 0)
		why = errno;
	else if (!S_ISREG(st.st_mode))
		why = EINVAL;
	ret->bytes = why ? 0 : st.st_size;
	if (!why && (limit < 0 || st.st_size <= limit))
		why = wl_sha256_fd(fd, cancel, ret->sha256, &ret->bytes);
	(void)close(fd);
	return why;
}

static bool is_known(const struct wl_run_file *list, size_t n, const char *path)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(list[i].path, path) == 0)
			return true;
	return false;
}

/* A regular file that a name stands for; links are followed, since the user wrote the name. */
static int open_input(int dir, const char *name)
{
	struct stat st;

	if (!*name || fstatat(dir, name, &st, 0) < 0 || !S_ISREG(st.st_mode))
		return -1;
	return openat(dir, name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

/* 0, or an errno: a file that cannot be read is none of the run's inputs. */
static int take_input(struct wl_manifest *m, struct wl_run_file *list, int dir, const char *name,
		      const atomic_int *cancel)
{
	struct wl_run_file file = { .path = name };
	int fd, why;

	if (m->n_inputs == MAX_INPUTS || is_known(list, m->n_inputs, name) ||
	    !wl_utf8_is_valid(name, strlen(name)))
		return 0;
	fd = open_input(dir, name);
	if (fd < 0)
		return 0;
	why = sum_up(fd, max_input, cancel, &file);
	if (!why)
		list[m->n_inputs++] = file;
	return why == ECANCELED ? why : 0;
}

int wl_manifest_hash_inputs(struct wl_manifest *m, const atomic_int *cancel, struct wl_arena *arena,
			    struct wl_err *reterr)
{
	struct wl_run_file *list = WL_NEW(arena, struct wl_run_file, MAX_INPUTS);
	int dir = open(m->directory ? m->directory : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int why = 0;

	m->input = list;
	m->n_inputs = 0;
	for (size_t i = 0; list && dir >= 0 && !why && i < m->n_argv; i++) {
		const char *word = m->argv[i], *equals = strchr(word, '=');

		/* A program without a slash is looked up in PATH and not here. */
		if (i > 0 || strchr(word, '/'))
			why = take_input(m, list, dir, word, cancel);
		if (!why && equals)
			why = take_input(m, list, dir, equals + 1, cancel);
	}
	if (dir >= 0)
		(void)close(dir);
	if (!list)
		return no_memory(reterr);
	return why ? wl_fail(reterr, WL_E_CANCELED, "stopped") : WL_OK;
}

struct walking {
	struct wl_run_file *list;
	size_t n;
	const atomic_int *cancel;
	struct wl_arena *arena;
	struct wl_err *reterr;
};

static int walk(struct walking *w, int parent, const char *name, const char *path, int depth);

static int take_output(struct walking *w, int dir, const char *name, const char *path)
{
	struct wl_run_file file = { .path = wl_arena_strdup(w->arena, path) };
	int fd, why;

	if (!file.path)
		return no_memory(w->reterr);
	if (w->n == WL_RUN_MAX_ITEMS)
		return wl_fail(w->reterr, WL_E_IO, "the run wrote more than %d files",
			       WL_RUN_MAX_ITEMS);
	fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	why = fd < 0 ? errno : sum_up(fd, -1, w->cancel, &file);
	if (why == ECANCELED)
		return wl_fail(w->reterr, WL_E_CANCELED, "stopped");
	if (why)
		return wl_fail(w->reterr, WL_E_IO, "%.300s: %s", path, strerror(why));
	w->list[w->n++] = file;
	return WL_OK;
}

static int take_entry(struct walking *w, int dir, const char *name, const char *parent, int depth)
{
	char path[WL_PATH_CAP];
	struct stat st;
	int n = snprintf(path, sizeof(path), "%s/%s", parent, name);

	if (name[0] == '.' || n < 0 || n >= WL_PATH_CAP || !wl_utf8_is_valid(name, strlen(name)) ||
	    fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return WL_OK;
	if (S_ISDIR(st.st_mode))
		return walk(w, dir, name, path, depth + 1);
	return S_ISREG(st.st_mode) ? take_output(w, dir, name, path) : WL_OK;
}

static int walk(struct walking *w, int parent, const char *name, const char *path, int depth)
{
	int fd = depth > MAX_DEPTH
			 ? -1
			 : openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	int r = WL_OK;

	if (!dir) {
		if (fd >= 0)
			(void)close(fd);
		return WL_OK; /* a room that is not there holds nothing */
	}
	while (r == WL_OK && (entry = readdir(dir)))
		r = take_entry(w, dirfd(dir), entry->d_name, path, depth);
	(void)closedir(dir);
	return r;
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct wl_run_file *)a)->path, ((const struct wl_run_file *)b)->path);
}

static int hash_rooms(struct walking *w, const char *dir, const char *const *room, size_t n_rooms,
		      struct wl_manifest *m)
{
	int fd = open(dir, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), r = WL_OK;

	if (fd < 0)
		return wl_fail(w->reterr, WL_E_IO, "%.300s: %s", dir, strerror(errno));
	for (size_t i = 0; r == WL_OK && i < n_rooms; i++)
		r = walk(w, fd, room[i], room[i], 0);
	(void)close(fd);
	if (r < 0)
		return r;
	if (w->n > 1)
		qsort(w->list, w->n, sizeof(*w->list), by_path);
	m->output = w->list;
	m->n_outputs = w->n;
	return WL_OK;
}

int wl_manifest_hash_outputs(struct wl_manifest *m, const char *dir, const atomic_int *cancel,
			     struct wl_arena *arena, struct wl_err *reterr)
{
	static const char *const rooms[] = { "nsys", "ncu", WL_RUN_REPORT };
	struct walking w = { .list = WL_NEW(arena, struct wl_run_file, WL_RUN_MAX_ITEMS),
			     .cancel = cancel,
			     .arena = arena,
			     .reterr = reterr };

	if (!w.list)
		return no_memory(reterr);
	return hash_rooms(&w, dir, rooms, WL_COUNT(rooms), m);
}

int wl_manifest_hash_report(struct wl_manifest *m, const char *dir, struct wl_arena *arena,
			    struct wl_err *reterr)
{
	static const char *const rooms[] = { WL_RUN_REPORT };
	struct walking w = { .list = WL_NEW(arena, struct wl_run_file, WL_RUN_MAX_ITEMS),
			     .arena = arena,
			     .reterr = reterr };

	if (!w.list)
		return no_memory(reterr);
	for (size_t i = 0; i < m->n_outputs; i++) {
		if (!wl_run_is_report(m->output[i].path))
			w.list[w.n++] = m->output[i];
	}
	return hash_rooms(&w, dir, rooms, WL_COUNT(rooms), m);
}
