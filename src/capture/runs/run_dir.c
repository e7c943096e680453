/* SPDX-License-Identifier: MIT */
#include "capture/runs/run_dir.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/text/nearest.h"

enum { NAME_LENGTH = 32, TRIES = 20 };

/* Programs whose first word that is no option says more than they do. */
static bool is_interpreter(const char *name)
{
	static const char *const names[] = { "python", "bash", "sh",      "torchrun",  "accelerate",
					     "mpirun", "srun", "mpiexec", "deepspeed", "env" };

	for (size_t i = 0; i < WL_COUNT(names); i++) {
		size_t n = strlen(names[i]);

		if (strncmp(name, names[i], n) == 0 &&
		    strspn(name + n, "0123456789.") == strlen(name + n))
			return true;
	}
	return false;
}

/* "train.py" of "python -u train.py", "pkg.main" of "python -m pkg.main"; else the program. */
static const char *telling_word(const char *const *argv)
{
	if (!is_interpreter(wl_path_name(argv[0])))
		return argv[0];
	for (size_t i = 1; argv[i]; i++) {
		if (wl_path_ends_in(argv[i], ".py") || wl_path_ends_in(argv[i], ".sh"))
			return argv[i];
		if (strcmp(argv[i], "-m") == 0 && argv[i + 1])
			return argv[i + 1];
	}
	return argv[0];
}

static void put_name(const char *word, char ret[NAME_LENGTH + 1])
{
	const char *name = wl_path_name(word), *dot = strrchr(name, '.');
	size_t n = strlen(name), used = 0;

	if (dot && (strcmp(dot, ".py") == 0 || strcmp(dot, ".sh") == 0))
		n = (size_t)(dot - name);
	for (size_t i = 0; i < n && used < NAME_LENGTH; i++) {
		ret[used] = name[i];
		if (!isalnum((unsigned char)name[i]) && !strchr("._-", name[i]))
			ret[used] = '_';
		used++;
	}
	ret[used] = '\0';
}

void wl_run_id_make(const char *const *argv, int64_t utc_ms, char ret[WL_RUN_ID_CAP])
{
	time_t seconds = (time_t)(utc_ms / 1000);
	char date[32] = "0", name[NAME_LENGTH + 1];
	uint32_t random = (uint32_t)utc_ms; /* where the system has no better number */
	struct tm tm;

	(void)!getrandom(&random, sizeof(random), GRND_NONBLOCK);
	if (gmtime_r(&seconds, &tm))
		(void)strftime(date, sizeof(date), "%Y%m%d-%H%M%S", &tm);
	put_name(argv[0] ? telling_word(argv) : "run", name);
	(void)snprintf(ret, WL_RUN_ID_CAP, "%s-%s-%06x", date, name, random & 0xffffff);
}

int wl_run_dir_make(const char *parent, const char *const *argv, int64_t utc_ms,
		    char ret_id[WL_RUN_ID_CAP], char ret_path[WL_PATH_CAP], struct wl_err *reterr)
{
	static const char *const rooms[] = { "nsys", "ncu", "report" };
	struct wl_dir dir = { .fd = -1 }, run = { .fd = -1 }, room = { .fd = -1 };
	int r = wl_dir_open(parent, &dir, reterr), made = -1;

	if (r < 0)
		return r;
	for (int i = 0; i < TRIES && made < 0; i++) {
		wl_run_id_make(argv, utc_ms, ret_id);
		made = mkdirat(dir.fd, ret_id, 0777);
		if (made < 0 && errno != EEXIST)
			break;
	}
	if (made < 0)
		r = wl_fail(reterr, WL_E_OUTPUT, "cannot make a directory in %.300s: %s", parent,
			    strerror(errno));
	if (r == WL_OK)
		r = wl_dir_open_in(&dir, ret_id, &run, reterr);
	for (size_t i = 0; r == WL_OK && i < WL_COUNT(rooms); i++) {
		r = wl_dir_open_in(&run, rooms[i], &room, reterr);
		wl_dir_close(&room);
	}
	if (r == WL_OK)
		memcpy(ret_path, run.path, strlen(run.path) + 1);
	wl_dir_close(&run);
	wl_dir_close(&dir);
	return r;
}

/* Newest first; of two that began at once by id. */
static int by_age(const void *a, const void *b)
{
	const struct wl_manifest *x = &((const struct wl_run_found *)a)->manifest;
	const struct wl_manifest *y = &((const struct wl_run_found *)b)->manifest;

	if (x->begin_ms != y->begin_ms)
		return x->begin_ms > y->begin_ms ? -1 : 1;
	return strcmp(y->id, x->id);
}

static const char *join(const char *dir, const char *name, struct wl_arena *arena)
{
	char path[WL_PATH_CAP];
	size_t n = strlen(dir);
	int used;

	while (n > 1 && dir[n - 1] == '/')
		n--;
	used = snprintf(path, sizeof(path), "%.*s%s%s", (int)n, dir,
			n == 1 && dir[0] == '/' ? "" : "/", name);
	return used < 0 || used >= WL_PATH_CAP ? NULL : wl_arena_strdup(arena, path);
}

/* A directory, no link, that has something called manifest.json. */
static bool may_be_run(int dir, const char *name)
{
	char path[300];
	struct stat st;

	return wl_run_is_id(name) && strlen(name) < 256 &&
	       fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode) &&
	       snprintf(path, sizeof(path), "%s/" WL_MANIFEST_NAME, name) > 0 &&
	       fstatat(dir, path, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

struct finding {
	const char *dir;
	struct wl_arena *arena;
	struct wl_run_found *run;
	const char **refused;
	struct wl_runs_found *ret;
};

static int take_run(struct finding *f, const char *name, struct wl_err *reterr)
{
	struct wl_run_found *run = &f->run[f->ret->n];
	struct wl_err why;
	int r;

	run->path = join(f->dir, name, f->arena);
	if (!run->path)
		return wl_fail(reterr, WL_E_NOMEM, "%.200s: no memory for its runs", f->dir);
	r = wl_manifest_read(run->path, f->arena, &run->manifest, &why);
	if (r == WL_OK) {
		f->ret->n++;
		return WL_OK;
	}
	if (r == WL_E_NOMEM)
		return wl_fail(reterr, r, "%s", why.msg);
	f->refused[f->ret->n_refused] = wl_arena_strdup(f->arena, why.msg);
	if (!f->refused[f->ret->n_refused])
		return wl_fail(reterr, WL_E_NOMEM, "%.200s: no memory for its runs", f->dir);
	f->ret->n_refused++;
	return WL_OK;
}

static int scan(struct finding *f, DIR *dir, struct wl_err *reterr)
{
	const struct dirent *entry;
	size_t n = 0;
	int r = WL_OK;

	while (r == WL_OK && (entry = readdir(dir))) {
		if (!may_be_run(dirfd(dir), entry->d_name))
			continue;
		if (n++ == WL_RUN_MAX_ITEMS)
			return wl_fail(reterr, WL_E_IO,
				       "%.200s: more than %d runs; move some to another directory",
				       f->dir, WL_RUN_MAX_ITEMS);
		r = take_run(f, entry->d_name, reterr);
	}
	return r;
}

int wl_runs_find(const char *dir, struct wl_arena *arena, struct wl_runs_found *ret,
		 struct wl_err *reterr)
{
	struct finding f = { .dir = dir,
			     .arena = arena,
			     .run = WL_NEW(arena, struct wl_run_found, WL_RUN_MAX_ITEMS),
			     .refused = WL_NEW(arena, const char *, WL_RUN_MAX_ITEMS),
			     .ret = ret };
	DIR *stream = opendir(dir);
	int r;

	*ret = (struct wl_runs_found){ .run = f.run, .refused = f.refused };
	if (!stream)
		return wl_fail(reterr, WL_E_IO, "%.300s: %s; name the directory of the runs", dir,
			       strerror(errno));
	r = f.run && f.refused ? scan(&f, stream, reterr)
			       : wl_fail(reterr, WL_E_NOMEM, "%.200s: no memory for its runs", dir);
	(void)closedir(stream);
	if (r == WL_OK && ret->n > 1)
		qsort(f.run, ret->n, sizeof(*f.run), by_age);
	return r;
}

/* The id in dir that is spelled most like the text; NULL if none comes near. */
static const char *nearest_id(const char *dir, const char *text, struct wl_arena *arena)
{
	struct wl_runs_found found;
	struct wl_nearest near;

	if (wl_runs_find(dir, arena, &found, NULL) < 0)
		return NULL;
	wl_nearest_init(&near, text);
	for (size_t i = 0; i < found.n; i++)
		wl_nearest_offer(&near, found.run[i].manifest.id);
	return wl_nearest_get(&near);
}

int wl_run_find(const char *dir, const char *text, struct wl_arena *arena, struct wl_run_found *ret,
		struct wl_err *reterr)
{
	bool is_path = strchr(text, '/') != NULL;
	char parent[WL_PATH_CAP];
	const char *id = text, *near;
	struct stat st;

	if (is_path) {
		size_t n = strlen(text);
		char *copy = wl_arena_strdup(arena, text);

		while (copy && n > 1 && copy[n - 1] == '/')
			copy[--n] = '\0';
		if (!copy || wl_file_dir(copy, parent, NULL) < 0)
			return wl_fail(reterr, WL_E_USAGE, "%.200s: no such run", text);
		dir = parent;
		id = wl_path_name(copy);
	}
	if (!wl_run_is_id(id))
		return wl_fail(reterr, WL_E_USAGE,
			       "%.200s is not the id of a run; `warplens runs list` shows ids",
			       text);
	ret->path = join(dir, id, arena);
	if (!ret->path)
		return wl_fail(reterr, WL_E_NOMEM, "%.200s: no memory for the run", text);
	if (lstat(ret->path, &st) == 0)
		return wl_manifest_read(ret->path, arena, &ret->manifest, reterr);
	near = nearest_id(dir, id, arena);
	return wl_fail(reterr, WL_E_USAGE, "no run %.96s in %.200s%s%s%s", id, dir,
		       near ? "; did you mean " : "; `warplens runs list` shows ids",
		       near ? near : "", near ? "?" : "");
}

/* All entries but the manifest; the first failure is told. */
static int empty_run(const char *path, struct wl_err *reterr)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), r = WL_OK;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	char inner[WL_PATH_CAP];

	if (!dir) {
		r = wl_fail(reterr, WL_E_OUTPUT, "cannot remove %.300s: %s", path, strerror(errno));
		if (fd >= 0)
			(void)close(fd);
		return r;
	}
	while (r == WL_OK && (entry = readdir(dir))) {
		int n;

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
		    strcmp(entry->d_name, WL_MANIFEST_NAME) == 0)
			continue;
		n = snprintf(inner, sizeof(inner), "%s/%s", path, entry->d_name);
		r = n < 0 || n >= WL_PATH_CAP
			    ? wl_fail(reterr, WL_E_OUTPUT, "path too long: %.80s...", path)
			    : wl_tree_remove(inner, reterr);
	}
	(void)closedir(dir);
	return r;
}

int wl_run_remove(const struct wl_run_found *run, struct wl_err *reterr)
{
	struct wl_manifest again;
	struct wl_arena arena;
	int r;

	wl_arena_init(&arena, (size_t)64 << 20);
	r = wl_manifest_read(run->path, &arena, &again, reterr);
	wl_arena_release(&arena);
	if (r == WL_OK)
		r = empty_run(run->path, reterr);
	return r < 0 ? r : wl_tree_remove(run->path, reterr);
}
