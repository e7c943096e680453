/* SPDX-License-Identifier: MIT */
#include "base/file/secret_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/file.h"

static int check_owner(const char *path, const struct stat *st, struct wl_err *reterr)
{
	if (!S_ISREG(st->st_mode))
		return wl_fail(reterr, WL_E_USAGE, "%s: not a file", path);
	if (st->st_uid != geteuid())
		return wl_fail(reterr, WL_E_USAGE, "%s: belongs to another user", path);
	if (st->st_mode & (S_IRWXG | S_IRWXO))
		return wl_fail(reterr, WL_E_USAGE, "%s: others can open it; chmod 600 it", path);
	return WL_OK;
}

/* Cut at the end of the first line; n bytes were read. */
static int take_line(const char *path, char *text, size_t n, size_t cap, struct wl_err *reterr)
{
	const char *end = memchr(text, '\n', n);
	size_t length = end ? (size_t)(end - text) : n;

	if (length > 0 && text[length - 1] == '\r')
		length--;
	if (length == 0)
		return wl_fail(reterr, WL_E_USAGE, "%s: its first line is empty", path);
	if (!end && n == cap)
		return wl_fail(reterr, WL_E_USAGE, "%s: its first line is too long", path);
	for (size_t i = 0; i < length; i++)
		if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
			return wl_fail(reterr, WL_E_USAGE, "%s: its first line is not text", path);
	text[length] = '\0';
	return WL_OK;
}

static int read_open(int fd, const char *path, char *ret, size_t cap, struct wl_err *reterr)
{
	struct stat st;
	ssize_t n = -1;

	if (fd >= 0 && fstat(fd, &st) == 0) {
		if (check_owner(path, &st, reterr) < 0)
			return reterr->code;
		n = wl_fd_read_at(fd, ret, cap, 0);
	}
	if (n < 0)
		return wl_fail(reterr, WL_E_IO, "cannot read %s: %s", path, strerror(errno));
	return take_line(path, ret, (size_t)n, cap, reterr);
}

int wl_secret_read(const char *path, char *ret, size_t cap, struct wl_err *reterr)
{
	/* Not blocking: a pipe in its place is refused, not waited for. */
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	int r = read_open(fd, path, ret, cap, reterr);

	if (fd >= 0)
		(void)close(fd);
	return r;
}
