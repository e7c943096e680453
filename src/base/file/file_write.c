/* SPDX-License-Identifier: MIT */
/*
 * file_write.c - files that appear complete or not.
 *
 * The directory of a file is opened once. The new file is made in it under another name
 * and renamed to its own, both by the descriptor: rename() replaces a link instead of
 * following it, so a name that is swapped between check and rename redirects nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/file/planted.h"

enum {
	MAX_NAMES = 100, /* temporary names that are tried */
	MAX_LINKS = 40,  /* from one to the next, as the system has it */
};

/* What may be at the name that is written. */
enum links {
	LINKS_REFUSED,
	LINKS_REPLACED, /* a link that leads nowhere */
};

static int fail_long(const char *path, struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_OUTPUT, "path too long: %.80s...", path);
}

static int fail_open(const char *path, int errnum, struct wl_err *reterr)
{
	if (errnum == ENOENT && *path)
		return wl_fail(reterr, WL_E_OUTPUT,
			       "cannot write %s: its directory does not exist; make it, or "
			       "correct the path",
			       path);
	return wl_fail(reterr, WL_E_OUTPUT, "cannot write %s: %s", path, strerror(errnum));
}

static int fail_link(const char *path, struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_OUTPUT,
		       "cannot write %s: it is a symbolic link; remove it first", path);
}

/* The last part of a path. */
static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int open_dir(int parent, const char *name, int follow, const char *path, struct wl_dir *ret,
		    struct wl_err *reterr)
{
	int made = mkdirat(parent, name, 0777);
	int why = made < 0 && errno != EEXIST ? errno : 0;
	int fd = why ? -1 : openat(parent, name, O_PATH | O_DIRECTORY | O_CLOEXEC | follow);
	struct stat st;

	if (fd < 0 && !why) {
		why = errno;
		if (follow == O_NOFOLLOW && fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISLNK(st.st_mode))
			return fail_link(path, reterr);
	}
	if (fd < 0)
		return wl_fail(reterr, WL_E_OUTPUT, "cannot make the directory %s: %s", path,
			       strerror(why));
	ret->fd = fd;
	(void)snprintf(ret->path, sizeof(ret->path), "%s", path);
	return WL_OK;
}

int wl_dir_open(const char *path, struct wl_dir *ret, struct wl_err *reterr)
{
	int r;

	if (strlen(path) >= WL_PATH_CAP)
		return fail_long(path, reterr);
	r = wl_dir_make(path, reterr);
	return r < 0 ? r : open_dir(AT_FDCWD, path, 0, path, ret, reterr);
}

int wl_dir_open_in(const struct wl_dir *dir, const char *name, struct wl_dir *ret,
		   struct wl_err *reterr)
{
	char path[WL_PATH_CAP];
	int n = snprintf(path, sizeof(path), "%s/%s", dir->path, name);

	if (n < 0 || n >= WL_PATH_CAP)
		return fail_long(dir->path, reterr);
	return open_dir(dir->fd, name, O_NOFOLLOW, path, ret, reterr);
}

void wl_dir_close(struct wl_dir *dir)
{
	if (dir->path[0] != '\0')
		(void)close(dir->fd);
	dir->path[0] = '\0';
}

/*
 * mkostemp would give mode 0600, and the umask cannot be asked for without
 * setting it for all threads; so open with 0666 and find a free name.
 */
static int open_temp(struct wl_file *f, struct wl_err *reterr)
{
	for (int i = 0; i < MAX_NAMES; i++) {
		int fd;

		(void)snprintf(f->temp, sizeof(f->temp), ".warplens-%ld-%d.tmp", (long)getpid(), i);
		fd = openat(f->dir, f->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
			    0666);
		if (fd >= 0 || errno != EEXIST)
			return fd >= 0 ? fd : fail_open(f->path, errno, reterr);
	}
	return fail_open(f->path, EEXIST, reterr);
}

/* Look at what f->path is now, and open the file that will replace it: a descriptor or a status. */
static int open_beside(struct wl_file *f, enum links links, struct wl_err *reterr)
{
	const char *name = name_of(f->path);
	struct stat st;
	bool is_there = fstatat(f->dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
	int fd;

	if (is_there && S_ISLNK(st.st_mode) && links == LINKS_REFUSED)
		return fail_link(f->path, reterr);
	is_there = is_there && !S_ISLNK(st.st_mode);
	if (is_there && !S_ISREG(st.st_mode))
		return wl_fail(reterr, WL_E_OUTPUT, "cannot write %s: not a regular file", f->path);
	if (is_there && faccessat(f->dir, name, W_OK, 0))
		return fail_open(f->path, errno, reterr);
	fd = open_temp(f, reterr);
	if (fd >= 0 && is_there && st.st_uid == geteuid())
		(void)fchmod(fd, st.st_mode & 0777);
	return fd;
}

/* Takes fd; a status is handed on. */
static int open_stream(struct wl_file *f, int fd, struct wl_err *reterr)
{
	int why;

	if (fd < 0)
		return fd;
	f->stream = fdopen(fd, "w");
	if (f->stream)
		return WL_OK;
	why = errno;
	(void)close(fd);
	return fail_open(f->path, why, reterr);
}

/* Begin f->path, in the directory whose descriptor is f->dir; takes that. */
static int begin(struct wl_file *f, enum links links, struct wl_file *ret, struct wl_err *reterr)
{
	int fd = open_beside(f, links, reterr), r;

	if (fd < 0)
		f->temp[0] = '\0';
	r = open_stream(f, fd, reterr);
	if (r == WL_OK) {
		*ret = *f;
		return WL_OK;
	}
	if (f->temp[0] != '\0')
		(void)unlinkat(f->dir, f->temp, 0);
	(void)close(f->dir);
	return r;
}

static int begin_path(const char *path, enum links links, struct wl_file *ret,
		      struct wl_err *reterr)
{
	struct wl_file f = { .stream = NULL };
	char dir[WL_PATH_CAP];
	int r = wl_file_dir(path, dir, reterr);

	if (r == WL_OK)
		r = wl_dir_check(dir, reterr);
	if (r < 0)
		return r;
	if (strlen(path) >= WL_PATH_CAP)
		return fail_long(path, reterr);
	memcpy(f.path, path, strlen(path) + 1);
	f.dir = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return f.dir < 0 ? fail_open(path, errno, reterr) : begin(&f, links, ret, reterr);
}

int wl_file_begin_nofollow(const char *path, struct wl_file *ret, struct wl_err *reterr)
{
	return begin_path(path, LINKS_REFUSED, ret, reterr);
}

int wl_file_begin_in(const struct wl_dir *dir, const char *name, struct wl_file *ret,
		     struct wl_err *reterr)
{
	struct wl_file f = { .stream = NULL };
	int n = snprintf(f.path, sizeof(f.path), "%s/%s", dir->path, name);

	if (n < 0 || n >= WL_PATH_CAP)
		return fail_long(dir->path, reterr);
	f.dir = fcntl(dir->fd, F_DUPFD_CLOEXEC, 0);
	return f.dir < 0 ? fail_open(f.path, errno, reterr) : begin(&f, LINKS_REFUSED, ret, reterr);
}

/* A terminal, a pipe: written directly. What is a file by now was swapped, and is left alone. */
static int begin_device(const char *path, struct wl_file *ret, struct wl_err *reterr)
{
	struct wl_file f = { .stream = NULL };
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY), r;
	struct stat st;

	if (fd < 0)
		return fail_open(path, errno, reterr);
	if (fstat(fd, &st) < 0 || S_ISREG(st.st_mode)) {
		(void)close(fd);
		return fail_open(path, EEXIST, reterr);
	}
	(void)snprintf(f.path, sizeof(f.path), "%s", path);
	r = open_stream(&f, fd, reterr);
	if (r == WL_OK)
		*ret = f;
	return r;
}

/* Read the very link that was looked at: one that takes its place meanwhile is not followed. */
static int read_link(int dir, const char *path, char ret_target[WL_PATH_CAP], struct wl_err *reterr)
{
	int fd = openat(dir, name_of(path), O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat link, above;
	ssize_t n = -1;

	if (fd >= 0 && fstat(fd, &link) == 0 && fstat(dir, &above) == 0) {
		if (wl_is_planted(&above, &link)) {
			(void)close(fd);
			return wl_fail(reterr, WL_E_OUTPUT,
				       "cannot write %s: it is a symbolic link of another user",
				       path);
		}
		n = readlinkat(fd, "", ret_target, WL_PATH_CAP);
	}
	if (fd >= 0)
		(void)close(fd);
	if (n < 0)
		return fail_link(path, reterr);
	if (n >= WL_PATH_CAP)
		return fail_long(path, reterr);
	ret_target[n] = '\0';
	return WL_OK;
}

/* Where a link leads, as a path; a relative one counts from its directory. */
static int follow(const char *path, char ret_path[WL_PATH_CAP], struct wl_err *reterr)
{
	char dir[WL_PATH_CAP], target[WL_PATH_CAP] = "";
	int r = wl_file_dir(path, dir, reterr), fd, n;

	if (r < 0)
		return r;
	fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return fail_open(path, errno, reterr);
	r = read_link(fd, path, target, reterr);
	(void)close(fd);
	if (r < 0)
		return r;
	n = target[0] == '/' ? snprintf(ret_path, WL_PATH_CAP, "%s", target)
			     : snprintf(ret_path, WL_PATH_CAP, "%s/%s", dir, target);
	return n < 0 || n >= WL_PATH_CAP ? fail_long(path, reterr) : WL_OK;
}

int wl_file_has_dir(const char *path, struct wl_err *reterr)
{
	char dir[WL_PATH_CAP];
	struct stat st;
	int r = wl_file_dir(path, dir, reterr);

	if (r < 0 || stat(dir, &st) == 0 || errno != ENOENT)
		return r;
	return fail_open(path, ENOENT, reterr);
}

/* What the path is, is found by following it; a link that leads nowhere is replaced. */
static int begin_found(const char *path, bool is_link, struct wl_file *ret, struct wl_err *reterr)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return is_link ? begin_path(path, LINKS_REPLACED, ret, reterr)
			       : fail_open(path, errno, reterr);
	if (S_ISDIR(st.st_mode))
		return fail_open(path, EISDIR, reterr);
	return S_ISREG(st.st_mode) ? begin_path(path, LINKS_REFUSED, ret, reterr)
				   : begin_device(path, ret, reterr);
}

int wl_file_begin(const char *path, struct wl_file *ret, struct wl_err *reterr)
{
	char at[WL_PATH_CAP], next[WL_PATH_CAP];

	if (strlen(path) >= WL_PATH_CAP)
		return fail_long(path, reterr);
	memcpy(at, path, strlen(path) + 1);
	for (int i = 0; i < MAX_LINKS; i++) {
		struct stat st;
		int r;

		if (lstat(at, &st) < 0)
			return begin_path(at, LINKS_REFUSED, ret, reterr);
		if (!S_ISLNK(st.st_mode))
			return begin_found(at, false, ret, reterr);
		r = follow(at, next, reterr);
		if (r < 0)
			return r;
		/* What is no file is opened by this name: links of /proc cannot be read. */
		if (stat(at, &st) < 0 || !S_ISREG(st.st_mode))
			return begin_found(at, true, ret, reterr);
		memcpy(at, next, sizeof(at));
	}
	return fail_open(path, ELOOP, reterr);
}

/* However many calls it takes; 0, or an errno. */
static int write_all(int fd, const void *bytes, size_t n)
{
	const char *at = bytes;

	while (n > 0) {
		ssize_t put = write(fd, at, n);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return put < 0 ? errno : ENOSPC;
		at += put;
		n -= (size_t)put;
	}
	return 0;
}

int wl_file_put(struct wl_file *file, const void *bytes, size_t n, struct wl_err *reterr)
{
	int why = write_all(fileno(file->stream), bytes, n);

	return why ? fail_open(file->path, why, reterr) : WL_OK;
}

int wl_file_write_new(const char *path, const void *bytes, size_t n, struct wl_err *reterr)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	int why = fd < 0 ? errno : write_all(fd, bytes, n);

	if (fd >= 0 && close(fd) && !why)
		why = errno;
	if (fd >= 0 && why)
		(void)unlink(path);
	return why ? fail_open(path, why, reterr) : WL_OK;
}

/* A stream remembers that a write failed, not why; a full disk is the usual reason. */
static int finish_stream(struct wl_file *f)
{
	int rc = 0;

	errno = 0;
	if (fflush(f->stream) || ferror(f->stream))
		rc = errno ? errno : ENOSPC;
	else if (f->temp[0] != '\0' && fsync(fileno(f->stream)))
		rc = errno;
	if (fclose(f->stream) && !rc)
		rc = errno;
	f->stream = NULL;
	return rc;
}

/* Forget the new file; the one in place stays. */
static void drop_temp(struct wl_file *f, bool remove)
{
	if (f->temp[0] == '\0')
		return;
	if (remove)
		(void)unlinkat(f->dir, f->temp, 0);
	(void)close(f->dir);
	f->temp[0] = '\0';
}

void wl_file_readers_add(struct wl_file_readers *readers, const char *path)
{
	struct stat st = { .st_mode = 0 };
	bool is_there = stat(path, &st) == 0, is_first = !readers->is_narrowed;
	bool has_group = is_there && (st.st_mode & S_IRGRP);

	readers->is_open = is_there && (st.st_mode & S_IROTH) && (is_first || readers->is_open);
	readers->is_all_groups = has_group && (is_first || readers->is_all_groups);
	readers->is_one_group =
		has_group && (is_first || (readers->is_one_group && readers->group == st.st_gid));
	readers->group = st.st_gid;
	readers->is_narrowed = true;
}

void wl_file_keep_from_others(struct wl_file *file, const struct wl_file_readers *readers)
{
	struct stat st;
	bool is_group, is_all;
	mode_t mode;

	if (!readers->is_narrowed || file->temp[0] == '\0' || fstat(fileno(file->stream), &st) < 0)
		return;
	mode = st.st_mode & (S_IRUSR | S_IWUSR);
	is_group = readers->is_one_group &&
		   (st.st_gid == readers->group ||
		    fchown(fileno(file->stream), (uid_t)-1, readers->group) == 0);
	/* A user that the group of a file keeps out is one of all where the group is another. */
	is_all = readers->is_open && (is_group || readers->is_all_groups);
	if (is_group || is_all)
		mode |= st.st_mode & S_IRGRP;
	if (is_all)
		mode |= st.st_mode & S_IROTH;
	(void)fchmod(fileno(file->stream), mode);
}

int wl_file_commit(struct wl_file *file, struct wl_err *reterr)
{
	int rc = finish_stream(file);

	if (!rc && file->temp[0] != '\0' &&
	    renameat(file->dir, file->temp, file->dir, name_of(file->path)))
		rc = errno;
	drop_temp(file, rc != 0);
	return rc ? fail_open(file->path, rc, reterr) : WL_OK;
}

void wl_file_abort(struct wl_file *file)
{
	if (file->stream)
		(void)fclose(file->stream);
	file->stream = NULL;
	drop_temp(file, true);
}
