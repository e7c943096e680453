/* SPDX-License-Identifier: MIT */
#include "cli/shell/history.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * A file is cut at twice the lines that are kept, so that not every shell that begins writes it
 * again.
 */
enum { KEPT = 1000, CUT_AT = 2000, MAX_BYTES = 16 << 20 };

bool wl_history_path(char ret_path[WL_PATH_CAP])
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	int n = -1;

	/* The standard has it that a path which is not absolute does not count. */
	if (state && state[0] == '/')
		n = snprintf(ret_path, WL_PATH_CAP, "%s/warplens/sql_history", state);
	else if (home && home[0] == '/')
		n = snprintf(ret_path, WL_PATH_CAP, "%s/.local/state/warplens/sql_history", home);
	return n > 0 && n < WL_PATH_CAP;
}

/* Never through a link, because the name is the program's own, nor into a pipe. */
static int open_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
		      0600);

	if (fd >= 0)
		(void)fchmod(fd, 0600); /* also where it was made by hand */
	return fd;
}

static bool write_all(int fd, const char *bytes, size_t n)
{
	while (n > 0) {
		ssize_t done = write(fd, bytes, n);

		if (done <= 0)
			return false;
		bytes += done;
		n -= (size_t)done;
	}
	return true;
}

bool wl_history_add(const char *path, const char *line)
{
	size_t n = strlen(line);
	char dir[WL_PATH_CAP], *text;
	bool ok = false;
	int fd;

	if (wl_file_dir(path, dir, NULL) < 0 || wl_dir_make(dir, NULL) < 0)
		return false;
	fd = open_file(path);
	text = fd >= 0 ? malloc(n + 1) : NULL;
	if (text) {
		/* One write, so that lines of two shells do not mix. */
		memcpy(text, line, n);
		text[n] = '\n';
		ok = write_all(fd, text, n + 1);
	}
	free(text);
	if (fd >= 0)
		(void)close(fd);
	return ok;
}

/* Where the last n lines begin. */
static char *last_lines(char *text, size_t size, size_t n)
{
	char *at = text + size;

	/* The newline that ends the last line is no beginning of another. */
	while (at > text && n > 0) {
		at--;
		if (at > text && at[-1] == '\n')
			n--;
	}
	return at;
}

static size_t count_lines(const char *text, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < size; i++)
		n += text[i] == '\n';
	return n;
}

/* The file becomes these bytes; where that fails it stays long. */
static void cut(const char *path, const char *text, size_t size)
{
	struct wl_file file;

	if (wl_file_begin_nofollow(path, &file, NULL) < 0)
		return;
	if (fchmod(fileno(file.stream), 0600) < 0 || wl_file_put(&file, text, size, NULL) < 0) {
		wl_file_abort(&file);
		return;
	}
	(void)!wl_file_commit(&file, NULL);
}

/*
 * The end of the file, which has the newest lines, to free(); NULL without one. The first line of a
 * file that is longer may be only the rest of one.
 */
static char *read_end(const char *path, size_t *ret_size, bool *ret_is_longer)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	ssize_t n = -1;
	char *text = NULL;
	struct stat st;

	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		off_t begin = st.st_size > MAX_BYTES ? st.st_size - MAX_BYTES : 0;
		size_t size = (size_t)(st.st_size - begin);

		*ret_is_longer = begin > 0;
		text = malloc(size + 1);
		n = text ? wl_fd_read_at(fd, text, size, (uint64_t)begin) : -1;
	}
	if (fd >= 0)
		(void)close(fd);
	if (n < 0) {
		free(text);
		return NULL;
	}
	*ret_size = (size_t)n;
	return text;
}

/* Where its first whole line begins. */
static char *skip_rest(char *text, size_t size)
{
	char *stop = memchr(text, '\n', size);

	return stop ? stop + 1 : text + size;
}

void wl_history_load(const char *path, wl_history_fn *fn, void *ctx)
{
	bool is_longer = false;
	size_t size = 0;
	char *text = read_end(path, &size, &is_longer), *whole, *at, *end;

	if (!text)
		return;
	end = text + size;
	whole = is_longer ? skip_rest(text, size) : text;
	at = last_lines(whole, (size_t)(end - whole), KEPT);
	if (is_longer || count_lines(text, size) > CUT_AT)
		cut(path, at, (size_t)(end - at));
	while (at < end) {
		char *stop = memchr(at, '\n', (size_t)(end - at));

		if (!stop)
			break; /* a line that was not written whole */
		*stop = '\0';
		if (*at)
			fn(ctx, at);
		at = stop + 1;
	}
	free(text);
}
