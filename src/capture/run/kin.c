/* SPDX-License-Identifier: MIT */
#include "capture/run/kin.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/memory/compare.h"

enum { MAX_DEPTH = 64, LINE_CAP = 1024 };

/* podman starts a container through these, and its monitor is adopted by us. */
static bool is_container_path(const char *path)
{
	static const char *const names[] = { "podman", "conmon", "runc", "crun" };

	for (size_t i = 0; i < WL_COUNT(names); i++) {
		if (strcmp(wl_path_name(path), names[i]) == 0)
			return true;
	}
	return false;
}

bool wl_kin_is_tool_path(const char *path, enum wl_kin_main kind)
{
	const char *name = wl_path_name(path);

	if (kind == WL_KIN_MAIN_LAUNCHER && is_container_path(path))
		return true;
	return strncmp(name, "nsys", 4) == 0 || strncmp(name, "QdstrmImporter", 14) == 0 ||
	       strstr(path, "/nsight-systems") || strstr(path, "/nsight-compute") ||
	       strcmp(name, "ncu") == 0 || strncmp(name, "TreeLauncher", 12) == 0;
}

/* "123 (a name) S 1 ...": the name may have anything in it, so its end is the last bracket. */
static bool parse_stat(const char *line, struct wl_kin *ret)
{
	const char *rest = strrchr(line, ')');
	char *end;

	if (!rest || rest[1] != ' ')
		return false;
	ret->pid = (pid_t)strtol(line, &end, 10);
	ret->is_dead = rest[2] == 'Z' || rest[2] == 'X';
	ret->parent = (pid_t)strtol(rest + 3, &end, 10);
	for (int field = 4; field < 21 && *end; field++) /* the 22nd is the time it was started */
		(void)strtol(end, &end, 10);
	ret->start = strtoll(end, NULL, 10);
	return ret->pid > 0;
}

static bool read_stat(const char *pid, struct wl_kin *ret)
{
	char path[64], line[LINE_CAP] = "";
	FILE *f;
	bool is_read;

	(void)snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return false;
	is_read = fgets(line, sizeof(line), f) != NULL;
	(void)fclose(f);
	return is_read && parse_stat(line, ret);
}

static bool add(struct wl_kinship *k, const struct wl_kin *kin)
{
	if (k->n == k->cap) {
		const size_t cap = k->cap ? 2 * k->cap : 256;
		struct wl_kin *grown = realloc(k->kin, cap * sizeof(*grown));

		if (!grown)
			return false;
		k->kin = grown;
		k->cap = cap;
	}
	k->kin[k->n++] = *kin;
	return true;
}

WL_COMPARE_BY(by_pid, wl_kin, pid)

const struct wl_kin *wl_kin_find(const struct wl_kinship *k, pid_t pid)
{
	const struct wl_kin key = { .pid = pid };

	return k->n ? bsearch(&key, k->kin, k->n, sizeof(*k->kin), by_pid) : NULL;
}

/* All processes of the machine. */
static bool read_all(struct wl_kinship *k)
{
	DIR *d = opendir("/proc");
	const struct dirent *entry;
	bool is_ok = d != NULL;

	k->n = 0;
	while (is_ok && (entry = readdir(d)) != NULL) {
		struct wl_kin kin = { 0 };

		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' &&
		    read_stat(entry->d_name, &kin))
			is_ok = add(k, &kin);
	}
	if (d)
		(void)closedir(d);
	if (is_ok && k->n)
		qsort(k->kin, k->n, sizeof(*k->kin), by_pid);
	return is_ok;
}

static bool descends(const struct wl_kinship *k, const struct wl_kin *kin, pid_t from)
{
	for (int i = 0; kin && i < MAX_DEPTH; i++) {
		if (kin->parent == from)
			return true;
		kin = wl_kin_find(k, kin->parent);
	}
	return false;
}

static void keep_descendants(struct wl_kinship *k)
{
	const pid_t self = getpid();
	size_t n = 0;

	/* a mark first: descent is found through those that go */
	for (size_t i = 0; i < k->n; i++)
		k->kin[i].is_program = descends(k, &k->kin[i], self);
	for (size_t i = 0; i < k->n; i++) {
		if (k->kin[i].is_program)
			k->kin[n++] = k->kin[i];
	}
	k->n = n;
}

/*
 * Fill in is_tool and is_ending. nsys starts its agent through two processes that end at once;
 * without a file they would pass for the program. A program that is not ours to read (set-user-ID)
 * fails with EACCES.
 */
static void look_at_file(struct wl_kin *kin, enum wl_kin_main kind)
{
	char link[64], path[WL_PATH_CAP];
	ssize_t n;

	if (kin->is_dead)
		return;
	(void)snprintf(link, sizeof(link), "/proc/%ld/exe", (long)kin->pid);
	n = readlink(link, path, sizeof(path) - 1);
	if (n < 0) {
		kin->is_ending = errno == ENOENT || errno == ESRCH;
		return;
	}
	path[n] = '\0';
	kin->is_tool = wl_kin_is_tool_path(path, kind);
}

/* What runs below a tool is the program; so is what we adopted, unless it is a tool itself. */
static bool is_program(const struct wl_kinship *k, const struct wl_kin *kin, pid_t main,
		       enum wl_kin_main kind)
{
	const struct wl_kin *up = kin;

	if (kin->is_dead || kin->is_tool || kin->is_ending)
		return false;
	if (kin->pid == main)
		return kind == WL_KIN_MAIN_PROGRAM;
	if (kind == WL_KIN_MAIN_PROGRAM)
		return true;
	for (int i = 0; i < MAX_DEPTH; i++) {
		if (up->parent == main && kind == WL_KIN_MAIN_TOOL)
			return true;
		if (up->parent == getpid())
			return up->pid != main;
		up = wl_kin_find(k, up->parent);
		if (!up)
			return false;
		if (up->is_tool)
			return true;
	}
	return false;
}

bool wl_kinship_look(struct wl_kinship *k, pid_t main, enum wl_kin_main kind)
{
	if (!read_all(k)) {
		k->n = 0;
		return false;
	}
	keep_descendants(k);
	for (size_t i = 0; i < k->n; i++)
		look_at_file(&k->kin[i], kind);
	for (size_t i = 0; i < k->n; i++)
		k->kin[i].is_program = is_program(k, &k->kin[i], main, kind);
	return true;
}

void wl_kinship_release(struct wl_kinship *k)
{
	free(k->kin);
	*k = (struct wl_kinship){ .kin = NULL };
}

size_t wl_kin_count_programs(const struct wl_kinship *k)
{
	size_t n = 0;

	for (size_t i = 0; i < k->n; i++)
		n += k->kin[i].is_program;
	return n;
}

size_t wl_kin_count_others(const struct wl_kinship *k, pid_t main)
{
	size_t n = 0;

	for (size_t i = 0; i < k->n; i++)
		n += (k->kin[i].is_tool || k->kin[i].is_ending) && k->kin[i].pid != main;
	return n;
}

void wl_kin_signal_programs(const struct wl_kinship *k, int number)
{
	for (size_t i = 0; i < k->n; i++) {
		if (k->kin[i].is_program)
			(void)kill(k->kin[i].pid, number);
	}
}

void wl_kin_signal_all(const struct wl_kinship *k, int number)
{
	for (size_t i = 0; i < k->n; i++) {
		if (!k->kin[i].is_dead)
			(void)kill(k->kin[i].pid, number);
	}
}

static bool maps_cuda(pid_t pid)
{
	char path[64], line[LINE_CAP];
	bool is_found = false;
	FILE *f;

	(void)snprintf(path, sizeof(path), "/proc/%ld/maps", (long)pid);
	f = fopen(path, "re");
	if (!f)
		return false;
	while (!is_found && fgets(line, sizeof(line), f))
		is_found = strstr(line, "/libcuda.so") != NULL;
	(void)fclose(f);
	return is_found;
}

bool wl_kin_has_cuda(const struct wl_kinship *k)
{
	for (size_t i = 0; i < k->n; i++) {
		if (k->kin[i].is_program && maps_cuda(k->kin[i].pid))
			return true;
	}
	return false;
}
