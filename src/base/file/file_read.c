/* SPDX-License-Identifier: MIT */
/* file_read.c - reads a small file whole, up to a limit. */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/file/file.h"

enum { FIRST_ROOM = 16 << 10 };

static int fail_read(const char *path, int why, struct wl_err *reterr)
{
	if (why == ENOMEM)
		return wl_fail(reterr, WL_E_NOMEM, "%.200s: no memory to read it", path);
	return wl_fail(reterr, WL_E_IO, "cannot read %.200s: %s", path, strerror(why));
}

/* Make room for more, twice as much as there was; false when memory is exhausted. */
static bool grow(char **bytes, size_t *room, size_t limit)
{
	size_t more = *room > limit / 2 ? limit : *room * 2;
	char *moved = realloc(*bytes, more);

	if (!moved)
		return false;
	*bytes = moved;
	*room = more;
	return true;
}

/* Returns an errno value, or 0. *bytes is there to free in any case. */
static int read_all(int fd, size_t limit, char **bytes, size_t *n)
{
	size_t room = limit < FIRST_ROOM ? limit : FIRST_ROOM;

	*n = 0;
	*bytes = malloc(room ? room : 1);
	if (!*bytes)
		return ENOMEM;
	while (*n < limit) {
		ssize_t got;

		if (*n == room && !grow(bytes, &room, limit))
			return ENOMEM;
		got = read(fd, *bytes + *n, room - *n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return errno;
		if (got == 0)
			break;
		*n += (size_t)got;
	}
	return 0;
}

/* A pipe that a shell made has a file system of its own; a FIFO lies in a directory. */
static bool is_fifo(int fd)
{
	struct statfs where;
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode) && fstatfs(fd, &where) == 0 &&
	       where.f_type != PIPEFS_MAGIC;
}

/*
 * Without waiting for the other end of a FIFO. Standard input is taken as it is, also where it
 * is a FIFO that the shell opened.
 */
static int open_to_read(const char *path, struct wl_err *reterr)
{
	int fd = strcmp(path, "/dev/stdin") == 0
			 ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
			 : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	if (fd < 0)
		return fail_read(path, errno, reterr);
	if (strcmp(path, "/dev/stdin") == 0)
		return fd;
	if (is_fifo(fd)) {
		(void)close(fd);
		return wl_fail(reterr, WL_E_IO, "cannot read %.200s: it is a FIFO", path);
	}
	(void)fcntl(fd, F_SETFL, 0); /* of what this process opened itself it always succeeds */
	return fd;
}

int wl_file_read(const char *path, size_t limit, char **ret_bytes, size_t *ret_n,
		 struct wl_err *reterr)
{
	int fd = open_to_read(path, reterr), why;
	char *bytes = NULL;
	size_t n = 0;

	if (fd < 0)
		return fd;
	why = read_all(fd, limit, &bytes, &n);
	(void)close(fd);
	if (why) {
		free(bytes);
		return fail_read(path, why, reterr);
	}
	*ret_bytes = bytes;
	*ret_n = n;
	return WL_OK;
}

ssize_t wl_fd_read_at(int fd, void *to, size_t n, uint64_t offset)
{
	char *at = to;
	size_t done = 0;

	while (done < n) {
		ssize_t got = pread(fd, at + done, n - done, (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		done += (size_t)got;
	}
	return (ssize_t)done;
}
