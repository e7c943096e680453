/* SPDX-License-Identifier: MIT */
#include "agent/skills/store.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/skills/calls.h"
#include "base/file/file.h"
#include "base/text/nearest.h"
#include "known/builtin.h"

/* Most files of a directory that are read. */
enum { MAX_OWN = 1000 };

#define FOLDER "skills"

static const char *const endings[] = { ".md", ".json" };

static int no_memory(struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_NOMEM, "no memory for skills");
}

/* ---- Built-in skills ---- */

static void respell(char *name, char from, char to)
{
	while ((name = strchr(name, from)))
		*name = to;
}

/* The name with _ for -, as in the program's skills; false if it does not fit. */
static bool spell(const char *name, char ret[WL_SKILL_NAME])
{
	size_t i = 0;

	for (; i < WL_SKILL_NAME - 1 && name[i]; i++)
		ret[i] = name[i];
	ret[i] = '\0';
	respell(ret, '-', '_');
	return name[i] == '\0';
}

static const char *find_builtin(const char *name, size_t *ret_size)
{
	char spelled[WL_SKILL_NAME];

	return spell(name, spelled) ? wl_builtin_find(FOLDER, spelled, ret_size) : NULL;
}

/* Names of verbs have -, those of aliases _. */
static bool find_verb(const char *name, struct wl_arena *arena, struct wl_skill *ret)
{
	char other[WL_SKILL_NAME];

	if (wl_skill_of_verb(name, arena, ret))
		return true;
	if (!spell(name, other))
		return false;
	if (wl_skill_of_verb(other, arena, ret))
		return true;
	respell(other, '_', '-');
	return wl_skill_of_verb(other, arena, ret);
}

static int read_builtin(const char *text, size_t n, const char *name, struct wl_arena *arena,
			struct wl_skill *ret, struct wl_err *reterr)
{
	char file[WL_SKILL_NAME + 16], *kept;
	int r;

	(void)snprintf(file, sizeof(file), "built-in %.60s", name);
	kept = wl_arena_strdup(arena, file);
	if (!kept)
		return no_memory(reterr);
	r = wl_skill_parse(text, n, kept, arena, ret, reterr);
	ret->origin = WL_SKILL_BUILTIN;
	return r;
}

bool wl_skill_is_taken(const char *name)
{
	struct wl_arena arena;
	struct wl_skill skill;
	size_t n;
	bool taken;

	wl_arena_init(&arena, 1 << 20);
	taken = find_builtin(name, &n) || find_verb(name, &arena, &skill);
	wl_arena_release(&arena);
	return taken;
}

/* ---- The user's skills ---- */

int wl_skill_read(const char *path, struct wl_arena *arena, struct wl_skill *ret,
		  struct wl_err *reterr)
{
	char *text = NULL, *kept;
	size_t n;
	/* One byte more than is allowed shows that the file is too large. */
	int r = wl_file_read(path, WL_SKILL_BYTES + 1, &text, &n, reterr);

	if (r < 0)
		return r;
	kept = wl_arena_strdup(arena, path);
	r = kept ? wl_skill_parse(text, n, kept, arena, ret, reterr) : no_memory(reterr);
	free(text);
	ret->origin = WL_SKILL_OWN;
	ret->path = kept;
	return r;
}

/* DIR/NAME.md or DIR/NAME.json, whichever exists; false if neither does. */
static bool own_path(const char *dir, const char *name, char ret[WL_PATH_CAP])
{
	struct stat st;

	if (!dir || !wl_skill_is_name(name, strlen(name)))
		return false;
	for (size_t i = 0; i < WL_COUNT(endings); i++) {
		if (snprintf(ret, WL_PATH_CAP, "%s/%s%s", dir, name, endings[i]) < WL_PATH_CAP &&
		    stat(ret, &st) == 0 && S_ISREG(st.st_mode))
			return true;
	}
	return false;
}

/* Read a file of the directory as a skill with the file's name. */
static int read_own(const char *path, const char *name, struct wl_arena *arena,
		    struct wl_skill *ret, struct wl_err *reterr)
{
	int r = wl_skill_read(path, arena, ret, reterr);

	if (r == WL_OK && strcmp(ret->name, name) != 0)
		return wl_fail(reterr, WL_E_USAGE,
			       "%.300s: the skill in it is called %s; give the file that name",
			       path, ret->name);
	if (r == WL_OK && wl_skill_is_taken(name))
		return wl_fail(reterr, WL_E_USAGE,
			       "%.300s: %s is a skill of the program; rename yours", path, name);
	return r;
}

static int is_skill_file(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && (wl_path_ends_in(entry->d_name, endings[0]) ||
					   wl_path_ends_in(entry->d_name, endings[1]));
}

/* Sorted names of the files, without extensions; *ret_n is 0 if the directory does not exist. */
static struct dirent **list_own(const char *dir, int *ret_n)
{
	struct dirent **entry = NULL;
	int n = dir ? scandir(dir, &entry, is_skill_file, alphasort) : 0;

	*ret_n = n < 0 ? 0 : n;
	for (int i = 0; i < *ret_n; i++)
		*strrchr(entry[i]->d_name, '.') = '\0';
	return entry;
}

static void free_own(struct dirent **entry, int n)
{
	for (int i = 0; i < n; i++)
		free(entry[i]);
	free(entry);
}

/* ---- Finding ---- */

static int refuse_name(const char *name, const char *dir, struct wl_err *reterr)
{
	struct wl_nearest nearest;
	struct dirent **own;
	const char *offer;
	char meant[WL_SKILL_NAME] = "";
	int n;

	wl_nearest_init(&nearest, name);
	for (size_t i = 0; (offer = wl_builtin_name(FOLDER, i)); i++)
		wl_nearest_offer(&nearest, offer);
	for (size_t i = 0; i < wl_n_analyses; i++)
		wl_nearest_offer(&nearest, wl_analyses[i]->name);
	own = list_own(dir, &n);
	for (int i = 0; i < n; i++)
		wl_nearest_offer(&nearest, own[i]->d_name);
	offer = wl_nearest_get(&nearest);
	if (offer)
		(void)snprintf(meant, sizeof(meant), "%.60s", offer);
	free_own(own, n);
	return wl_fail(reterr, WL_E_USAGE, "no skill \"%.60s\"%s%s%s", name,
		       offer ? "; did you mean " : "; \"warplens skill list\" lists them", meant,
		       offer ? "?" : "");
}

int wl_skill_find(const char *name, const char *dir, struct wl_arena *arena, struct wl_skill *ret,
		  struct wl_err *reterr)
{
	char path[WL_PATH_CAP];
	size_t n;
	const char *text = find_builtin(name, &n);

	if (text)
		return read_builtin(text, n, name, arena, ret, reterr);
	if (find_verb(name, arena, ret))
		return WL_OK;
	if (own_path(dir, name, path))
		return read_own(path, name, arena, ret, reterr);
	return refuse_name(name, dir, reterr);
}

/* ---- All ---- */

static int add_builtins(struct wl_skill_list *list, struct wl_arena *arena, struct wl_err *reterr)
{
	const char *name;
	int r = WL_OK;

	for (size_t i = 0; r == WL_OK && (name = wl_builtin_name(FOLDER, i)); i++) {
		size_t n;
		const char *text = wl_builtin_find(FOLDER, name, &n);

		r = read_builtin(text, n, name, arena, &list->skill[list->n], reterr);
		list->n += r == WL_OK;
	}
	return r;
}

static bool add_verbs(struct wl_skill_list *list, struct wl_arena *arena)
{
	for (size_t i = 0; i < wl_n_documents; i++) {
		if (!wl_skill_of_verb(wl_documents[i]->name, arena, &list->skill[list->n++]))
			return false;
	}
	for (size_t i = 0; i < wl_n_analyses; i++) {
		if (!wl_skill_of_verb(wl_analyses[i]->name, arena, &list->skill[list->n++]))
			return false;
	}
	return true;
}

static int add_own(struct wl_skill_list *list, const char *dir, struct dirent *const *entry, int n,
		   struct wl_arena *arena, struct wl_err *reterr)
{
	for (int i = 0; i < n && i < MAX_OWN; i++) {
		char path[WL_PATH_CAP];
		struct wl_err why;
		int r = WL_OK;

		/* A name with both extensions occurs twice; its first file counts. */
		if (i > 0 && strcmp(entry[i - 1]->d_name, entry[i]->d_name) == 0)
			continue;
		if (!own_path(dir, entry[i]->d_name, path))
			r = wl_fail(&why, WL_E_USAGE,
				    "%.200s/%.60s: name the file by its skill: a-z, 0-9, _ and -",
				    dir, entry[i]->d_name);
		else
			r = read_own(path, entry[i]->d_name, arena, &list->skill[list->n], &why);
		if (r == WL_OK)
			list->n++;
		else
			list->refused[list->n_refused++] = wl_arena_strdup(arena, why.msg);
		if (r < 0 && !list->refused[list->n_refused - 1])
			return no_memory(reterr);
	}
	return WL_OK;
}

int wl_skill_list(const char *dir, struct wl_arena *arena, struct wl_skill_list *ret,
		  struct wl_err *reterr)
{
	size_t n = wl_n_documents + wl_n_analyses;
	struct dirent **own;
	int n_own, r = WL_OK;

	while (wl_builtin_name(FOLDER, n - wl_n_documents - wl_n_analyses))
		n++;
	own = list_own(dir, &n_own);
	*ret = (struct wl_skill_list){ .n = 0 };
	ret->skill = WL_NEW(arena, struct wl_skill, n + (size_t)n_own + 1);
	ret->refused = WL_NEW(arena, const char *, (size_t)n_own + 1);
	if (!ret->skill || !ret->refused)
		r = no_memory(reterr);
	if (r == WL_OK)
		r = add_builtins(ret, arena, reterr);
	if (r == WL_OK)
		r = add_own(ret, dir, own, n_own, arena, reterr);
	if (r == WL_OK && !add_verbs(ret, arena))
		r = no_memory(reterr);
	free_own(own, n_own);
	return r;
}

/* ---- Adding and removing ---- */

static int write_file(const char *dir, const struct wl_skill *s, const char *ending,
		      struct wl_err *reterr)
{
	char name[WL_SKILL_NAME + 8];
	struct wl_dir open = { .fd = -1 };
	struct wl_file file = { .stream = NULL };
	int r = wl_dir_open(dir, &open, reterr);

	(void)snprintf(name, sizeof(name), "%.60s%s", s->name, ending);
	if (r == WL_OK)
		r = wl_file_begin_in(&open, name, &file, reterr);
	if (r == WL_OK)
		r = wl_file_put(&file, s->text, strlen(s->text), reterr);
	if (r == WL_OK)
		r = wl_file_commit(&file, reterr);
	wl_file_abort(&file);
	wl_dir_close(&open);
	return r;
}

int wl_skill_add(const char *path, const char *dir, struct wl_arena *arena, struct wl_skill *ret,
		 struct wl_err *reterr)
{
	char there[WL_PATH_CAP];
	int r = wl_skill_read(path, arena, ret, reterr);

	if (r < 0)
		return r;
	if (wl_skill_is_taken(ret->name))
		return wl_fail(reterr, WL_E_USAGE,
			       "%.300s: %s is a skill of the program; give yours another name",
			       path, ret->name);
	if (own_path(dir, ret->name, there))
		return wl_fail(reterr, WL_E_USAGE,
			       "%s is there already (%.300s); \"warplens skill remove %s\" "
			       "removes it",
			       ret->name, there, ret->name);
	r = write_file(dir, ret, ret->text[strspn(ret->text, " \t\r\n")] == '{' ? ".json" : ".md",
		       reterr);
	if (r == WL_OK && own_path(dir, ret->name, there))
		ret->path = wl_arena_strdup(arena, there);
	return r < 0 || ret->path ? r : no_memory(reterr);
}

int wl_skill_remove(const char *name, const char *dir, struct wl_arena *arena,
		    const char **ret_path, struct wl_err *reterr)
{
	char path[WL_PATH_CAP];

	if (!own_path(dir, name, path)) {
		if (wl_skill_is_taken(name))
			return wl_fail(reterr, WL_E_USAGE,
				       "%.60s is a skill of the program; only your own can be "
				       "removed",
				       name);
		return refuse_name(name, dir, reterr);
	}
	*ret_path = wl_arena_strdup(arena, path);
	if (!*ret_path)
		return no_memory(reterr);
	if (unlink(path) != 0)
		return wl_fail(reterr, WL_E_OUTPUT, "%.300s: %s", path, strerror(errno));
	return WL_OK;
}
