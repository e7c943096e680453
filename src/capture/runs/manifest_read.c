/* SPDX-License-Identifier: MIT */
/*
 * manifest_read.c - reads a manifest that anybody may have written.
 *
 * Errors are sticky: the first one stays, and all later steps do nothing. Members that are not
 * known are passed over, so that later versions may add some.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/num.h"
#include "base/text/json_read.h"
#include "capture/runs/manifest.h"

enum { MAX_TEXT = 64 << 10, MAX_PATH_PARTS = 8 };

static const int64_t max_number = (int64_t)1 << 53; /* numbers of JSON are exact up to here */

struct reading {
	const char *name;
	struct wl_arena *arena;
	struct wl_err *reterr;
	int status;
};

static void refuse(struct reading *r, const char *what, const char *why)
{
	if (r->status == WL_OK)
		r->status = wl_fail(r->reterr, WL_E_FORMAT, "%.200s: %.60s %s", r->name, what, why);
}

static void no_memory(struct reading *r)
{
	if (r->status == WL_OK)
		r->status = wl_fail(r->reterr, WL_E_NOMEM, "%.200s: no memory for the manifest",
				    r->name);
}

static bool is_null(const struct wl_json *v)
{
	return !v || wl_json_type_of(v) == WL_JSON_NULL;
}

/* A copy of a text; NULL where there is none. */
static const char *take_text(struct reading *r, const struct wl_json *v, const char *what)
{
	const char *text = is_null(v) ? NULL : wl_json_string(v), *copy;

	if (is_null(v))
		return NULL;
	if (!text || strlen(text) > MAX_TEXT) {
		refuse(r, what, "is not a text of 64 KiB or less");
		return NULL;
	}
	copy = wl_arena_strdup(r->arena, text);
	if (!copy)
		no_memory(r);
	return copy;
}

/* From 0 on; -1 where there is none. */
static int64_t take_number(struct reading *r, const struct wl_json *v, const char *what)
{
	double d = 0;
	int64_t n = -1;

	if (is_null(v))
		return -1;
	if (!wl_json_number(v, &d) || !wl_integral(d, &n) || n < 0 || n > max_number) {
		refuse(r, what, "is not a whole number from 0 on");
		return -1;
	}
	return n;
}

/* The length of a list that is there; 0 for none. */
static size_t take_size(struct reading *r, const struct wl_json *v, enum wl_json_type type,
			const char *what)
{
	if (is_null(v))
		return 0;
	if (wl_json_type_of(v) != type || wl_json_size(v) > WL_RUN_MAX_ITEMS) {
		refuse(r, what, "is not a list of 4096 items or fewer");
		return 0;
	}
	return wl_json_size(v);
}

static const char *const *take_texts(struct reading *r, const struct wl_json *v, const char *what,
				     size_t *ret_n)
{
	size_t n = take_size(r, v, WL_JSON_ARRAY, what);
	const char **list = WL_NEW(r->arena, const char *, n + 1);

	*ret_n = 0;
	if (!list)
		no_memory(r);
	for (size_t i = 0; list && i < n; i++) {
		list[i] = take_text(r, wl_json_at(v, i), what);
		if (!list[i])
			refuse(r, what, "has an item that is no text");
	}
	*ret_n = r->status == WL_OK ? n : 0;
	return list;
}

static const struct wl_run_pair *take_pairs(struct reading *r, const struct wl_json *v,
					    const char *what, size_t *ret_n)
{
	size_t n = take_size(r, v, WL_JSON_OBJECT, what), i = 0;
	struct wl_run_pair *list = WL_NEW(r->arena, struct wl_run_pair, n + 1);
	const struct wl_json *value;
	const void *at = NULL;
	const char *key;

	*ret_n = 0;
	if (!list)
		no_memory(r);
	while (list && i < n && wl_json_next(v, &at, &key, &value)) {
		list[i].name = wl_arena_strdup(r->arena, key);
		list[i].value = take_text(r, value, what);
		if (!list[i].name)
			no_memory(r);
		if (!list[i].value)
			refuse(r, what, "has a value that is no text");
		i++;
	}
	*ret_n = r->status == WL_OK ? i : 0;
	return list;
}

/* Below the directory of the run: no root, no way up, no empty part. */
static bool is_below(const char *path)
{
	size_t parts = 0;

	while (parts++ < MAX_PATH_PARTS) {
		size_t n = strcspn(path, "/");

		if (n == 0 || n > 255 || (n == 1 && path[0] == '.') ||
		    (n == 2 && path[0] == '.' && path[1] == '.'))
			return false;
		if (path[n] == '\0')
			return true;
		path += n + 1;
	}
	return false;
}

static void take_sum(struct reading *r, const struct wl_json *v, const char *what,
		     char ret[WL_SHA256_HEX])
{
	const struct wl_json *sum = wl_json_member(v, "sha256");
	const char *text = is_null(sum) ? NULL : wl_json_string(sum);

	if (is_null(sum))
		return;
	if (!text || !wl_sha256_is_hex(text))
		refuse(r, what, "has a sha256 that is not 64 digits");
	else
		memcpy(ret, text, WL_SHA256_HEX);
}

static void take_file(struct reading *r, const struct wl_json *v, const char *what,
		      struct wl_run_file *ret)
{
	const struct wl_json *gz = wl_json_member(v, "gz");

	ret->path = take_text(r, wl_json_member(v, "path"), what);
	ret->bytes = take_number(r, wl_json_member(v, "bytes"), what);
	take_sum(r, v, what, ret->sha256);
	if (!is_null(gz)) {
		ret->gz_bytes = take_number(r, wl_json_member(gz, "bytes"), what);
		take_sum(r, gz, what, ret->gz_sha256);
		if (ret->gz_bytes < 0 || !ret->gz_sha256[0] || !ret->sha256[0])
			refuse(r, what, "has a compressed file without size and sums");
	}
	if (!ret->path || !*ret->path || ret->bytes < 0)
		refuse(r, what, "has a file without path or size");
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct wl_run_file *)a)->path, ((const struct wl_run_file *)b)->path);
}

/* Outputs lie below the run, each once. */
static void check_outputs(struct reading *r, struct wl_run_file *file, size_t n)
{
	for (size_t i = 0; r->status == WL_OK && i < n; i++) {
		if (!is_below(file[i].path) || strcmp(file[i].path, WL_MANIFEST_NAME) == 0)
			refuse(r, "outputs", "has a path that does not lead into the run");
	}
	if (r->status == WL_OK && n > 1)
		qsort(file, n, sizeof(*file), by_path);
	for (size_t i = 1; r->status == WL_OK && i < n; i++) {
		if (strcmp(file[i - 1].path, file[i].path) == 0)
			refuse(r, "outputs", "has a path twice");
	}
}

static struct wl_run_file *take_files(struct reading *r, const struct wl_json *v, const char *what,
				      size_t *ret_n)
{
	size_t n = take_size(r, v, WL_JSON_ARRAY, what);
	struct wl_run_file *list = WL_NEW(r->arena, struct wl_run_file, n + 1);

	*ret_n = 0;
	if (!list)
		no_memory(r);
	for (size_t i = 0; list && r->status == WL_OK && i < n; i++)
		take_file(r, wl_json_at(v, i), what, &list[i]);
	*ret_n = r->status == WL_OK ? n : 0;
	return list;
}

static void take_stages(struct reading *r, const struct wl_json *v, struct wl_manifest *ret)
{
	size_t n = take_size(r, v, WL_JSON_ARRAY, "stages");
	struct wl_run_stage *list = WL_NEW(r->arena, struct wl_run_stage, n + 1);

	if (!list)
		no_memory(r);
	for (size_t i = 0; list && r->status == WL_OK && i < n; i++) {
		const struct wl_json *stage = wl_json_at(v, i);

		list[i].name = take_text(r, wl_json_member(stage, "name"), "stages");
		list[i].wall_ns = take_number(r, wl_json_member(stage, "wall_ns"), "stages");
		if (!list[i].name || list[i].wall_ns < 0)
			refuse(r, "stages", "has one without name or time");
	}
	ret->stage = list;
	ret->n_stages = r->status == WL_OK ? n : 0;
}

static void take_timing(struct reading *r, const struct wl_json *v, struct wl_manifest *ret)
{
	ret->begin_ms = take_number(r, wl_json_member(v, "begin_ms"), "begin_ms");
	ret->end_ms = take_number(r, wl_json_member(v, "end_ms"), "end_ms");
	ret->wall_ns = take_number(r, wl_json_member(v, "wall_ns"), "wall_ns");
	ret->bare_ns =
		take_number(r, wl_json_member(v, "without_profiler_ns"), "without_profiler_ns");
	ret->step_ns = take_number(r, wl_json_member(v, "step_ns"), "step_ns");
	take_stages(r, wl_json_member(v, "stages"), ret);
	if (ret->begin_ms < 0)
		refuse(r, "begin_ms", "is missing");
}

/* An exit status or a signal. */
static int take_small(struct reading *r, const struct wl_json *v, const char *what)
{
	int64_t n = take_number(r, v, what);

	if (n > 255)
		refuse(r, what, "is above 255");
	return n > 255 ? -1 : (int)n;
}

static void take_machine(struct reading *r, const struct wl_json *doc, struct wl_manifest *ret)
{
	const struct wl_json *versions = wl_json_member(doc, "versions");
	const struct wl_json *git = wl_json_member(doc, "git");
	const struct wl_json *dirty = wl_json_member(git, "dirty");
	bool is_dirty;

	ret->host = take_text(r, wl_json_member(doc, "host"), "host");
	ret->system = take_text(r, wl_json_member(doc, "system"), "system");
	ret->gpu = take_texts(r, wl_json_member(doc, "gpus"), "gpus", &ret->n_gpus);
	ret->driver = take_text(r, wl_json_member(doc, "driver"), "driver");
	ret->warplens = take_text(r, wl_json_member(versions, "warplens"), "versions");
	ret->nsys = take_text(r, wl_json_member(versions, "nsys"), "versions");
	ret->ncu = take_text(r, wl_json_member(versions, "ncu"), "versions");
	ret->revision = take_text(r, wl_json_member(git, "revision"), "revision");
	if (is_null(dirty))
		return;
	if (wl_json_bool(dirty, &is_dirty))
		ret->dirty = is_dirty ? WL_RUN_DIRTY : WL_RUN_CLEAN;
	else
		refuse(r, "dirty", "is neither true nor false");
}

static void take_head(struct reading *r, const struct wl_json *doc, const char *id,
		      struct wl_manifest *ret)
{
	const char *format = wl_json_string(wl_json_member(doc, "format"));

	if (!format || strcmp(format, "warplens run") != 0)
		refuse(r, "format", "is not \"warplens run\"");
	else if (take_number(r, wl_json_member(doc, "version"), "version") != 1)
		refuse(r, "version", "is not 1: a newer warplens wrote it");
	ret->id = take_text(r, wl_json_member(doc, "id"), "id");
	if (r->status == WL_OK && (!ret->id || !wl_run_is_id(ret->id) || strcmp(ret->id, id) != 0))
		refuse(r, "id", "is not the name of its directory");
}

static void take_all(struct reading *r, const struct wl_json *doc, struct wl_manifest *ret)
{
	const struct wl_json *exit = wl_json_member(doc, "exit");
	struct wl_run_file *outputs;
	int signal;

	ret->argv = take_texts(r, wl_json_member(doc, "argv"), "argv", &ret->n_argv);
	if (ret->n_argv == 0)
		refuse(r, "argv", "is empty");
	ret->sweep = take_pairs(r, wl_json_member(doc, "sweep"), "sweep", &ret->n_sweep);
	ret->directory = take_text(r, wl_json_member(doc, "directory"), "directory");
	ret->env = take_pairs(r, wl_json_member(doc, "environment"), "environment", &ret->n_env);
	ret->allowed = take_texts(r, wl_json_member(doc, "secrets_allowed"), "secrets_allowed",
				  &ret->n_allowed);
	take_machine(r, doc, ret);
	take_timing(r, wl_json_member(doc, "timing"), ret);
	ret->exit_status = take_small(r, wl_json_member(exit, "status"), "exit status");
	signal = take_small(r, wl_json_member(exit, "signal"), "signal");
	ret->exit_signal = signal > 0 ? signal : 0;
	ret->failure = take_text(r, wl_json_member(doc, "failure"), "failure");
	ret->input = take_files(r, wl_json_member(doc, "inputs"), "inputs", &ret->n_inputs);
	outputs = take_files(r, wl_json_member(doc, "outputs"), "outputs", &ret->n_outputs);
	check_outputs(r, outputs, ret->n_outputs);
	ret->output = outputs;
}

int wl_manifest_parse(const char *text, size_t n, const char *id, struct wl_arena *arena,
		      struct wl_manifest *ret, struct wl_err *reterr)
{
	char name[WL_RUN_ID_CAP + sizeof("/" WL_MANIFEST_NAME)];
	struct reading r = { .name = name, .arena = arena, .reterr = reterr };
	struct wl_json *doc = NULL;
	struct wl_manifest m;

	wl_manifest_init(&m);
	(void)snprintf(name, sizeof(name), "%.95s/" WL_MANIFEST_NAME, id);
	r.status = wl_json_parse(text, n, name, &doc, reterr);
	if (r.status == WL_E_USAGE) { /* a document that the user did not write */
		r.status = WL_E_FORMAT;
		if (reterr)
			reterr->code = WL_E_FORMAT;
	}
	if (r.status == WL_OK)
		take_head(&r, doc, id, &m);
	if (r.status == WL_OK)
		take_all(&r, doc, &m);
	wl_json_free(doc);
	if (r.status == WL_OK)
		*ret = m;
	return r.status;
}

/* The open manifest of a directory, neither of them a link; -1 with errno. */
static int open_manifest(const char *dir)
{
	int at = open(dir, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), fd, why;
	struct stat st;

	if (at < 0)
		return -1;
	fd = openat(at, WL_MANIFEST_NAME, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	why = errno;
	(void)close(at);
	if (fd >= 0 && (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))) {
		(void)close(fd);
		fd = -1;
		why = EINVAL;
	}
	errno = why;
	return fd;
}

int wl_manifest_read(const char *dir, struct wl_arena *arena, struct wl_manifest *ret,
		     struct wl_err *reterr)
{
	const size_t limit = (size_t)WL_JSON_MAX_BYTES + 1; /* one more: the parser refuses it */
	int fd = open_manifest(dir), r;
	char name[WL_PATH_CAP], *bytes;
	ssize_t n;

	(void)snprintf(name, sizeof(name), "%.4000s/" WL_MANIFEST_NAME, dir);
	if (fd < 0)
		return wl_fail(reterr, WL_E_IO, "%.300s: %s; it is not a run", name,
			       strerror(errno));
	bytes = malloc(limit);
	n = bytes ? wl_fd_read_at(fd, bytes, limit, 0) : 0;
	(void)close(fd);
	if (!bytes)
		return wl_fail(reterr, WL_E_NOMEM, "%.300s: no memory for it", name);
	r = n < 0 ? wl_fail(reterr, WL_E_IO, "%.300s: %s", name, strerror(errno))
		  : wl_manifest_parse(bytes, (size_t)n, wl_path_name(dir), arena, ret, reterr);
	free(bytes);
	return r;
}
