/* SPDX-License-Identifier: MIT */
#include "read/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/num.h"

/* The first bytes of a database and of a live rollback journal, as SQLite documents them. */
static const char db_magic[16] = "SQLite format 3";
static const unsigned char journal_magic[8] = { 0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7 };

enum { HEADER_BYTES = 100, MAX_HOLES = 1 << 16 };

/* O_NONBLOCK, so that a FIFO without a writer does not hang the open. */
static int open_regular(const char *path, struct stat *st, struct wl_err *reterr)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return wl_fail(reterr, WL_E_IO, "%s: %s", path, wl_open_reason(path));
	if (fstat(fd, st) < 0) {
		int saved = errno;

		(void)close(fd);
		return wl_fail(reterr, WL_E_IO, "%s: %s", path, strerror(saved));
	}
	if (S_ISREG(st->st_mode))
		return fd;
	(void)close(fd);
	return wl_fail(reterr, WL_E_IO, "%s: %s, not a trace; give a .sqlite or .nsys-rep file",
		       path, S_ISDIR(st->st_mode) ? "a directory" : "not a regular file");
}

/*
 * A sparse file can have any size and take no space. File systems without holes report everything
 * as data.
 */
static int64_t count_data(int fd, int64_t size)
{
	int64_t n = 0, at = 0;

	for (int i = 0; i < MAX_HOLES && at < size; i++) {
		int64_t begin = lseek(fd, at, SEEK_DATA), end;

		if (begin < 0)
			return errno == ENXIO ? n : size;
		end = lseek(fd, begin, SEEK_HOLE);
		if (end <= begin)
			return size;
		n += end - begin;
		at = end;
	}
	return at < size ? n + (size - at) : n;
}

static int read_header(const char *path, unsigned char header[HEADER_BYTES], struct wl_guard *guard,
		       struct wl_err *reterr)
{
	struct stat st = { .st_size = 0 };
	int fd = open_regular(path, &st, reterr);
	int64_t data;
	ssize_t n;

	if (fd < 0)
		return fd;
	memset(header, 0, HEADER_BYTES);
	n = wl_fd_read_at(fd, header, HEADER_BYTES, 0);
	data = count_data(fd, st.st_size);
	(void)close(fd);
	if (n < 0)
		return wl_fail(reterr, WL_E_IO, "%s: cannot be read: %s", path, strerror(errno));
	if (n == 0)
		return wl_fail(reterr, WL_E_FORMAT, "%s: the file is empty", path);
	if (n < HEADER_BYTES || memcmp(header, db_magic, sizeof(db_magic)) != 0)
		return wl_fail(reterr, WL_E_FORMAT,
			       "%s: not an SQLite database; export a report with "
			       "\"nsys export --type sqlite\"",
			       path);
	*guard = (struct wl_guard){ .size = st.st_size,
				    .data = data,
				    .device = (uint64_t)st.st_dev,
				    .inode = (uint64_t)st.st_ino,
				    .modified = st.st_mtim,
				    .change_counter = wl_be32(header + 24) };
	return WL_OK;
}

/* The header's page count is valid only if the writer kept it up to date (bytes 92-95). */
static int check_length(const char *path, const unsigned char *header, int64_t size,
			struct wl_err *reterr)
{
	int64_t page = wl_be16(header + 16);
	int64_t pages = wl_be32(header + 28);

	page = page == 1 ? 65536 : page;
	if (wl_be32(header + 24) == wl_be32(header + 92) && pages * page > size)
		return wl_fail(reterr, WL_E_FORMAT,
			       "%s: cut short: %" PRId64 " of %" PRId64
			       " bytes are there; copy it again, or wait until it is written",
			       path, size, pages * page);
	return WL_OK;
}

/* SQLite's name for a file next to the database, with links resolved first. NULL if out of
 * memory. */
static char *name_beside(const char *path, const char *suffix)
{
	char *real = realpath(path, NULL);
	const char *base = real ? real : path;
	size_t room = strlen(base) + strlen(suffix) + 1;
	char *name = malloc(room);

	if (name)
		(void)snprintf(name, room, "%s%s", base, suffix);
	free(real);
	return name;
}

/* The size of a file, with its first eight bytes in head; 0 if there is no file. An unknown size is
 * an error. */
static int64_t measure(const char *name, unsigned char head[8], struct wl_err *reterr)
{
	struct stat st;
	ssize_t n = -1;
	int fd;

	memset(head, 0, 8);
	if (stat(name, &st) < 0) {
		if (errno == ENOENT)
			return 0;
		return wl_fail(reterr, WL_E_IO, "%s: %s", name, strerror(errno));
	}
	if (!S_ISREG(st.st_mode) || st.st_size == 0)
		return 0;
	fd = open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0) {
		n = wl_fd_read_at(fd, head, 8, 0);
		(void)close(fd);
	}
	if (n < 0)
		return wl_fail(reterr, WL_E_IO, "%s: may hold rows of the trace: %s", name,
			       strerror(errno));
	return st.st_size;
}

static int64_t beside(const char *path, const char *suffix, unsigned char head[8],
		      struct wl_err *reterr)
{
	char *name = name_beside(path, suffix);
	int64_t size;

	if (!name)
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory to open it", path);
	size = measure(name, head, reterr);
	free(name);
	return size;
}

int wl_guard_take(const char *path, struct wl_guard *ret_guard, struct wl_err *reterr)
{
	unsigned char header[HEADER_BYTES], head[8];
	int r = read_header(path, header, ret_guard, reterr);
	int64_t size;

	if (r == WL_OK)
		r = check_length(path, header, ret_guard->size, reterr);
	if (r < 0)
		return r;
	size = beside(path, "-wal", head, reterr);
	if (size < 0)
		return (int)size;
	if (size > 0)
		return wl_fail(reterr, WL_E_IO,
			       "%s: rows wait in %s-wal; close the program that writes it, or run "
			       "sqlite3 FILE 'pragma wal_checkpoint(truncate)'",
			       path, path);
	size = beside(path, "-journal", head, reterr);
	if (size < 0)
		return (int)size;
	if (size > 0 && memcmp(head, journal_magic, 8) == 0)
		return wl_fail(reterr, WL_E_IO,
			       "%s: being written, or left unfinished (%s-journal); wait, or run "
			       "sqlite3 FILE .tables once to repair it",
			       path, path);
	return WL_OK;
}

int wl_guard_check(const char *path, const struct wl_guard *guard, struct wl_err *reterr)
{
	unsigned char header[HEADER_BYTES];
	struct wl_guard now = { .size = -1 };
	int r = read_header(path, header, &now, reterr);

	if (r < 0)
		return r;
	if (now.size != guard->size || now.device != guard->device || now.inode != guard->inode ||
	    now.modified.tv_sec != guard->modified.tv_sec ||
	    now.modified.tv_nsec != guard->modified.tv_nsec ||
	    now.change_counter != guard->change_counter)
		return wl_fail(reterr, WL_E_IO,
			       "%s: changed while it was read; wait until it is written", path);
	return WL_OK;
}
