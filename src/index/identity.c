/* SPDX-License-Identifier: MIT */
#include "index/identity.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/checksum.h"
#include "base/file/file.h"
#include "base/num.h"

/*
 * The head holds SQLite's header and the first pages of the schema. The file change counter is
 * at offset 24 of the header, big endian, and grows with every transaction.
 */
enum { HEAD_BYTES = 65536, COUNTER_AT = 24 };

static int identify(int fd, const char *path, unsigned char *head, struct wl_trace_identity *ret,
		    struct wl_err *reterr)
{
	const char *base = wl_path_name(path);
	struct stat st;
	ssize_t n;

	if (fstat(fd, &st) < 0)
		return wl_fail(reterr, WL_E_IO, "%s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return wl_fail(reterr, WL_E_IO, "%s: not a regular file", path);
	n = wl_fd_read_at(fd, head, HEAD_BYTES, 0);
	if (n < 0)
		return wl_fail(reterr, WL_E_IO, "%s: cannot be read: %s", path, strerror(errno));
	*ret = (struct wl_trace_identity){ .size = st.st_size,
					   .modified_s = st.st_mtim.tv_sec,
					   .modified_ns = st.st_mtim.tv_nsec,
					   .change_counter = wl_be32(head + COUNTER_AT),
					   /*
					    * The base name and not the path, so that a trace and
					    * its index can move together.
					    */
					   .name = wl_checksum(base, strlen(base)),
					   .head = wl_checksum(head, (size_t)n) };
	return WL_OK;
}

int wl_trace_identify(const char *path, struct wl_trace_identity *ret, struct wl_err *reterr)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	unsigned char *head = calloc(1, HEAD_BYTES);
	int r;

	if (fd < 0)
		r = wl_fail(reterr, WL_E_IO, "%s: %s", path, wl_open_reason(path));
	else if (!head)
		r = wl_fail(reterr, WL_E_NOMEM, "%s: no memory to open it", path);
	else
		r = identify(fd, path, head, ret, reterr);
	if (fd >= 0)
		(void)close(fd);
	free(head);
	return r;
}
