/* SPDX-License-Identifier: MIT */
/*
 * Until nsys 2023.2 the header of a report carries a format number, "1", and
 * the version of nsys is a string in one of the protobuf sections of the body.
 * These are private, so the string is searched by its looks. It stands near the
 * end of the file; therefore the search goes backwards, and a version that some
 * path or variable at the beginning may contain does not win.
 */
#include "capture/report.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/file.h"
#include "known/exports/formats.h"

enum {
	HEAD = 256,          /* bytes that are looked at for the kind */
	CHUNK = 1024 * 1024, /* bytes searched at once for a version */
	OVERLAP = 64,        /* chunks share this much; a version is shorter */
	MAX_CHUNKS = 64,
	HASH_DIGITS = 7, /* of the build, behind the version */
	PARTS = 4,       /* numbers in a version */
	MAX_DIGITS = 6,  /* in one of them */
};

static const char sqlite_magic[] = "SQLite format 3"; /* with its NUL */
static const char nsys_magic[] = "NVIDIA Tegra Profiler Report ";
static const char stream_magic[] = "NVIDIA Nsight Systems Stream ";
static const char ncu_magic[] = "NVR"; /* with its NUL */

/*
 * Read four numbers that are parted by sep at text[0..n). Returns how many
 * bytes they take and writes them with dots, or returns 0.
 */
static size_t take_version(const char *text, size_t n, char sep, char *ret)
{
	size_t i = 0;

	for (int part = 0; part < PARTS; part++) {
		size_t digits = 0;

		if (part > 0) {
			if (i == n || text[i] != sep)
				return 0;
			ret[i++] = '.';
		}
		for (; i < n && isdigit((unsigned char)text[i]); i++, digits++) {
			if (digits == MAX_DIGITS)
				return 0;
			ret[i] = text[i];
		}
		if (digits == 0)
			return 0;
	}
	ret[i] = '\0';
	return i;
}

static_assert(PARTS * (MAX_DIGITS + 1) <= WL_REPORT_VERSION_CAP, "a version fits");
static_assert(WL_REPORT_VERSION_CAP + 1 + HASH_DIGITS <= OVERLAP,
	      "no version falls between chunks");

/* True at "2022.4.2.1-df9881f". */
static bool is_version_at(const char *text, size_t n, char ret[WL_REPORT_VERSION_CAP])
{
	size_t used;

	if (n < 4 || memcmp(text, "20", 2) != 0 || !isdigit((unsigned char)text[2]) ||
	    !isdigit((unsigned char)text[3]) || (n > 4 && text[4] != '.'))
		return false;
	used = take_version(text, n, '.', ret);
	if (used == 0 || n - used < 1 + HASH_DIGITS || text[used] != '-')
		return false;
	for (size_t i = used + 1; i <= used + HASH_DIGITS; i++)
		if (!isdigit((unsigned char)text[i]) && (text[i] < 'a' || text[i] > 'f'))
			return false;
	return true;
}

/* The last version in the bytes. */
static bool find_version(const char *bytes, size_t n, char ret[WL_REPORT_VERSION_CAP])
{
	char found[WL_REPORT_VERSION_CAP];

	for (size_t end = n; end > 0;) {
		const char *two = memrchr(bytes, '2', end);

		if (!two)
			return false;
		end = (size_t)(two - bytes);
		if (is_version_at(two, n - end, found)) {
			memcpy(ret, found, sizeof(found));
			return true;
		}
	}
	return false;
}

/* Search backwards in chunks; the last chunk that may be read is the file's first. */
static void search_body(int fd, int64_t size, char *buf, struct wl_report *r)
{
	int64_t end = size;

	for (int i = 0; i < MAX_CHUNKS && end > 0; i++) {
		int64_t begin = end > CHUNK && i < MAX_CHUNKS - 1 ? end - CHUNK : 0;
		int64_t want = end - begin < CHUNK ? end - begin : CHUNK;
		ssize_t got = wl_fd_read_at(fd, buf, (size_t)want, (uint64_t)begin);

		if (got < 0)
			return;
		if (find_version(buf, (size_t)got, r->version))
			return;
		end = begin == 0 ? 0 : begin + OVERLAP;
	}
}

/* The version behind a magic: "2025@5@1@121-255136380782v0." or "2023.4.4.54-...!". */
static void take_header_version(const char *text, size_t n, char sep, struct wl_report *r)
{
	char version[WL_REPORT_VERSION_CAP];

	if (take_version(text, n, sep, version) > 0)
		memcpy(r->version, version, sizeof(version));
}

static bool has_magic(const char *head, size_t n, const char *magic, size_t n_magic)
{
	return n >= n_magic && memcmp(head, magic, n_magic) == 0;
}

static void identify_head(const char *head, size_t n, struct wl_report *r)
{
	const size_t n_nsys = sizeof(nsys_magic) - 1, n_stream = sizeof(stream_magic) - 1;
	const char *stream = memmem(head, n, stream_magic, n_stream);

	if (n == 0) {
		r->kind = WL_REPORT_EMPTY;
	} else if (has_magic(head, n, sqlite_magic, sizeof(sqlite_magic))) {
		r->kind = WL_REPORT_SQLITE;
	} else if (has_magic(head, n, ncu_magic, sizeof(ncu_magic))) {
		r->kind = WL_REPORT_NCU;
	} else if (has_magic(head, n, nsys_magic, n_nsys)) {
		r->kind = WL_REPORT_NSYS;
		take_header_version(head + n_nsys, n - n_nsys, '@', r);
	} else if (stream) {
		size_t at = (size_t)(stream - head) + n_stream;

		r->kind = WL_REPORT_STREAM;
		take_header_version(head + at, n - at, '.', r);
	} else if (wl_format_of_bytes(head, n)) {
		r->kind = WL_REPORT_EXPORT;
		r->format = wl_format_of_bytes(head, n);
	}
}

static int fail_read(const char *path, int errnum, struct wl_err *reterr)
{
	if (strcmp(path, "-") == 0)
		return wl_fail(reterr, WL_E_USAGE, "\"-\": a trace must be a file, not a pipe");
	return wl_fail(reterr, WL_E_IO, "cannot read %s: %s", path, strerror(errnum));
}

static int identify_fd(int fd, const char *path, struct wl_report *r, struct wl_err *reterr)
{
	char head[HEAD];
	ssize_t n = wl_fd_read_at(fd, head, sizeof(head), 0);
	char *buf;

	if (n < 0)
		return fail_read(path, errno, reterr);
	identify_head(head, (size_t)n, r);
	if (r->kind != WL_REPORT_NSYS || r->version[0] != '\0')
		return WL_OK;
	buf = malloc(CHUNK);
	if (!buf)
		return wl_fail(reterr, WL_E_NOMEM, "no memory to search %s", path);
	search_body(fd, r->size, buf, r);
	free(buf);
	return WL_OK;
}

/* Opening a FIFO wakes up its writer, opening a device may do anything: look before. */
static int check_kind(const char *path, const struct stat *st, struct wl_err *reterr)
{
	if (S_ISREG(st->st_mode))
		return WL_OK;
	if (S_ISDIR(st->st_mode))
		return wl_fail(reterr, WL_E_IO, "%s is a directory, not a trace", path);
	if (S_ISFIFO(st->st_mode) || S_ISSOCK(st->st_mode))
		return wl_fail(reterr, WL_E_IO, "%s is a pipe; a trace must be a regular file",
			       path);
	return wl_fail(reterr, WL_E_IO, "%s is a device; a trace must be a regular file", path);
}

int wl_report_identify(const char *path, struct wl_report *ret, struct wl_err *reterr)
{
	struct wl_report r = { .kind = WL_REPORT_OTHER };
	struct stat st;
	int fd, rc;

	if (stat(path, &st))
		return fail_read(path, errno, reterr);
	rc = check_kind(path, &st, reterr);
	if (rc)
		return rc;
	fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return fail_read(path, errno, reterr);
	rc = fstat(fd, &st) ? fail_read(path, errno, reterr) : check_kind(path, &st, reterr);
	if (!rc) {
		r.size = st.st_size;
		rc = identify_fd(fd, path, &r, reterr);
	}
	(void)close(fd);
	if (!rc)
		*ret = r;
	return rc;
}

size_t wl_report_stem(const char *path)
{
	static const char *const endings[] = { ".nsys-rep", ".qdrep" };

	for (size_t i = 0; i < WL_COUNT(endings); i++) {
		if (wl_path_ends_in(path, endings[i]))
			return strlen(path) - strlen(endings[i]);
	}
	return 0;
}

int wl_report_refuse(const char *path, const struct wl_report *report, struct wl_err *reterr)
{
	switch (report->kind) {
	case WL_REPORT_EMPTY:
		return wl_fail(reterr, WL_E_FORMAT, "%s is empty", path);
	case WL_REPORT_STREAM:
		return wl_fail(reterr, WL_E_FORMAT,
			       "%s is an unfinished capture (.qdstrm); make a report of it with "
			       "`QdstrmImporter -i` of Nsight Systems %s",
			       path, report->version);
	case WL_REPORT_NCU:
		return wl_fail(reterr, WL_E_FORMAT,
			       "%s is an Nsight Compute report; `warplens ncu` reads it, other "
			       "verbs take an Nsight Systems report (.nsys-rep) or its export "
			       "(.sqlite)",
			       path);
	case WL_REPORT_EXPORT:
		return wl_format_refuse(path, report->format, reterr);
	case WL_REPORT_OTHER:
		if (wl_format_of_name(path))
			return wl_format_refuse(path, wl_format_of_name(path), reterr);
		break;
	case WL_REPORT_SQLITE:
	case WL_REPORT_NSYS:
		break;
	}
	return wl_fail(reterr, WL_E_FORMAT,
		       "%s is neither an Nsight Systems report (.nsys-rep) nor its export "
		       "(.sqlite)",
		       path);
}
