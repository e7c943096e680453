/* SPDX-License-Identifier: MIT */
#include "capture/runs/retain.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/gz.h"

enum { PIECE = 1 << 16 };

struct retaining {
	const struct wl_run_found *run;
	const atomic_int *cancel;
	struct wl_retained *told;
	struct wl_err *reterr;
	size_t n_files; /* compressed of this run */
};

/* The directory that a path of a manifest is in, and the name there; -1 with errno. No links. */
static int open_parent(const char *run, const char *path, const char **ret_name)
{
	int fd = open(run, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	const char *slash;

	while (fd >= 0 && (slash = strchr(path, '/')) != NULL) {
		char part[256];
		int next;

		(void)snprintf(part, sizeof(part), "%.*s", (int)(slash - path), path);
		next = openat(fd, part, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		(void)close(fd);
		fd = next;
		path = slash + 1;
	}
	*ret_name = path;
	return fd;
}

static int open_regular(int dir, const char *name, struct stat *ret)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0 && (fstat(fd, ret) < 0 || !S_ISREG(ret->st_mode))) {
		(void)close(fd);
		fd = -1;
	}
	return fd;
}

/* A file has this size and sum. False also when it is not there. */
static bool is_file(int dir, const char *name, int64_t bytes, const char *sha256)
{
	char sum[WL_SHA256_HEX];
	struct stat st;
	int fd = open_regular(dir, name, &st);
	bool is = fd >= 0 && st.st_size == bytes && wl_sha256_fd(fd, NULL, sum, &bytes) == 0 &&
		  strcmp(sum, sha256) == 0;

	if (fd >= 0)
		(void)close(fd);
	return is;
}

/* Compress an open file into a stream; the sum of what was read is written. 0 or an errno. */
static int squeeze(int fd, FILE *out, const atomic_int *cancel, char ret_sha256[WL_SHA256_HEX])
{
	struct wl_gz *gz = wl_gz_open(out);
	struct wl_sha256 sum;
	char piece[PIECE];
	uint64_t at = 0;
	ssize_t n = gz ? PIECE : -1;
	int why = gz ? 0 : ENOMEM;

	wl_sha256_init(&sum);
	while (!why && n == PIECE) {
		n = wl_fd_read_at(fd, piece, sizeof(piece), at);
		if (n < 0)
			why = errno;
		else if (cancel && atomic_load(cancel))
			why = ECANCELED;
		if (why)
			break;
		wl_sha256_put(&sum, piece, (size_t)n);
		wl_gz_put(gz, piece, (size_t)n);
		at += (uint64_t)n;
	}
	if (!why)
		(void)wl_gz_finish(gz);
	wl_gz_close(gz);
	wl_sha256_finish(&sum, ret_sha256);
	return why;
}

static int fail(struct retaining *r, const char *path, int why)
{
	if (why == ECANCELED)
		return wl_fail(r->reterr, WL_E_CANCELED, "stopped");
	return wl_fail(r->reterr, why == ENOMEM ? WL_E_NOMEM : WL_E_IO, "%.200s/%.200s: %s",
		       r->run->path, path, strerror(why));
}

/* What the compressed file is, for the manifest. */
static int sum_gz(struct retaining *r, int dir, const char *gz_name, struct wl_run_file *file)
{
	struct stat st;
	int fd = open_regular(dir, gz_name, &st);
	int why = fd < 0 ? (errno ? errno : EINVAL)
			 : wl_sha256_fd(fd, r->cancel, file->gz_sha256, &file->gz_bytes);

	if (fd >= 0)
		(void)close(fd);
	if (why) {
		file->gz_sha256[0] = '\0';
		return fail(r, file->path, why);
	}
	return WL_OK;
}

/*
 * Write NAME.gz beside a file that is still what the manifest says. A file that is not stays as it
 * is, and so does the manifest.
 */
static int compress(struct retaining *r, int dir, int fd, const char *name,
		    struct wl_run_file *file)
{
	struct wl_dir where = { .fd = dir };
	char gz_name[260], sum[WL_SHA256_HEX];
	struct wl_file out;
	int s, why;

	(void)snprintf(gz_name, sizeof(gz_name), "%.250s.gz", name);
	(void)snprintf(where.path, sizeof(where.path), "%s", r->run->path);
	s = wl_file_begin_in(&where, gz_name, &out, r->reterr);
	if (s < 0)
		return s;
	why = squeeze(fd, out.stream, r->cancel, sum);
	if (why || strcmp(sum, file->sha256) != 0) {
		wl_file_abort(&out);
		r->told->n_changed += !why;
		return why ? fail(r, file->path, why) : WL_OK;
	}
	s = wl_file_commit(&out, r->reterr);
	if (s == WL_OK)
		s = sum_gz(r, dir, gz_name, file);
	if (s == WL_OK) {
		r->n_files++;
		r->told->saved += file->bytes - file->gz_bytes;
	}
	return s;
}

/* Neither small nor compressed by its own format, whole, and no page that a browser opens. */
static bool is_worth_it(const struct wl_run_file *file)
{
	size_t slash = strlen(file->path) - strlen(wl_path_name(file->path));

	return file->bytes >= WL_RETAIN_LARGE && file->sha256[0] && !wl_run_is_report(file->path) &&
	       !wl_path_ends_in(file->path, ".gz") && strlen(file->path + slash) <= 250;
}

/* First pass: a compressed file beside each large one. */
static int compress_file(struct retaining *r, struct wl_run_file *file)
{
	const char *name;
	char gz_name[260];
	struct stat st;
	int dir, fd, s = WL_OK;

	if (!is_worth_it(file))
		return WL_OK;
	dir = open_parent(r->run->path, file->path, &name);
	if (dir < 0)
		return WL_OK;
	fd = open_regular(dir, name, &st);
	(void)snprintf(gz_name, sizeof(gz_name), "%.250s.gz", name);
	if (fd >= 0 && st.st_size != file->bytes)
		r->told->n_changed++;
	else if (fd >= 0 &&
		 !(file->gz_sha256[0] && is_file(dir, gz_name, file->gz_bytes, file->gz_sha256)))
		s = compress(r, dir, fd, name, file);
	if (fd >= 0)
		(void)close(fd);
	(void)close(dir);
	return s;
}

/* Last pass: files go whose compressed form is there as the manifest says. */
static int drop_file(struct retaining *r, const struct wl_run_file *file)
{
	char gz_name[260];
	const char *name;
	struct stat st;
	int dir, s = WL_OK;

	if (!file->gz_sha256[0] || !is_worth_it(file))
		return WL_OK;
	dir = open_parent(r->run->path, file->path, &name);
	if (dir < 0)
		return WL_OK;
	(void)snprintf(gz_name, sizeof(gz_name), "%.250s.gz", name);
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
	    st.st_size == file->bytes && is_file(dir, gz_name, file->gz_bytes, file->gz_sha256) &&
	    unlinkat(dir, name, 0) < 0 && errno != ENOENT)
		s = wl_fail(r->reterr, WL_E_OUTPUT, "cannot remove %.200s/%.200s: %s", r->run->path,
			    file->path, strerror(errno));
	(void)close(dir);
	return s;
}

/* Compress, tell the manifest, and only then remove. */
static int compress_run(struct retaining *r, struct wl_arena *arena)
{
	struct wl_manifest m = r->run->manifest;
	struct wl_run_file *file = WL_NEW(arena, struct wl_run_file, m.n_outputs + 1);
	int s = WL_OK;

	if (!file)
		return fail(r, WL_MANIFEST_NAME, ENOMEM);
	for (size_t i = 0; s == WL_OK && i < m.n_outputs; i++) {
		file[i] = m.output[i];
		s = compress_file(r, &file[i]);
	}
	m.output = file;
	if (s == WL_OK && r->n_files)
		s = wl_manifest_write(&m, r->run->path, r->reterr);
	for (size_t i = 0; s == WL_OK && i < m.n_outputs; i++)
		s = drop_file(r, &file[i]);
	if (s == WL_OK) {
		r->told->n_files += r->n_files;
		r->told->n_runs += r->n_files > 0;
	}
	return s;
}

int wl_runs_retain(const char *dir, size_t keep, const atomic_int *cancel, struct wl_arena *arena,
		   struct wl_retained *ret, struct wl_err *reterr)
{
	struct wl_runs_found found;
	int s = wl_runs_find(dir, arena, &found, reterr);

	*ret = (struct wl_retained){ .n_runs = 0 };
	for (size_t i = keep; s == WL_OK && i < found.n; i++) {
		struct retaining r = {
			.run = &found.run[i], .cancel = cancel, .told = ret, .reterr = reterr
		};

		s = compress_run(&r, arena);
	}
	return s;
}
