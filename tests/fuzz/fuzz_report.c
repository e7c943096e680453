/* SPDX-License-Identifier: MIT */
/*
 * fuzz_report.c - the first byte says how long a hole is, the rest is a file with that hole
 * behind its head.
 *
 * Every file is of some kind. Only reports and streams have a version, of four numbers, and one
 * in the body of a report is the last that looks like one, as a regular expression finds it.
 */
#include <regex.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "capture/report.h"
#include "fuzz/fuzz.h"

enum { HEAD = 256, FIRST_HOLE = 0xf8, HOLE = 1024 * 1024 - 160, LOOK = 64 };

static struct {
	char path[64];
	int fd;
	regex_t built, version;
} scratch = { "/dev/shm/warplens-fuzz-XXXXXX", -1, { 0 }, { 0 } };

/* A file as the program sees it: two parts, and zeros between them. */
struct file {
	const char *bytes;
	size_t n, head, hole;
};

static void need(bool promised)
{
	if (!promised)
		abort();
}

static void remove_scratch(void)
{
	(void)unlink(scratch.path);
	regfree(&scratch.built);
	regfree(&scratch.version);
}

/* What is no regular file is refused without a look, and names have the ending of a report or not.
 */
static void refuse_others(void)
{
	static const char *const paths[] = { "/", "/dev/null", "/nonexistent/report" };

	for (size_t i = 0; i < WL_COUNT(paths); i++) {
		struct wl_err err = { .code = WL_OK };
		struct wl_report r;

		need(wl_report_identify(paths[i], &r, &err) == WL_E_IO && *err.msg);
	}
	need(wl_report_stem("a/run.nsys-rep") == 5 && wl_report_stem("run.qdrep") == 3);
	need(wl_report_stem("run.sqlite") == 0);
}

static void prepare(void)
{
#define NUMBER "[0-9]{1,6}"
	need(regcomp(&scratch.built,
		     "^20[0-9]{2}[.]" NUMBER "[.]" NUMBER "[.]" NUMBER "-[0-9a-f]{7}",
		     REG_EXTENDED | REG_NOSUB) == 0);
	need(regcomp(&scratch.version, "^" NUMBER "[.]" NUMBER "[.]" NUMBER "[.]" NUMBER "$",
		     REG_EXTENDED | REG_NOSUB) == 0);
	scratch.fd = mkstemp(scratch.path);
	need(scratch.fd >= 0 && atexit(remove_scratch) == 0);
	refuse_others();
}

static void put(const struct file *f)
{
	size_t rest = f->n - f->head;

	need(ftruncate(scratch.fd, 0) == 0);
	need(pwrite(scratch.fd, f->bytes, f->head, 0) == (ssize_t)f->head);
	need(pwrite(scratch.fd, f->bytes + f->head, rest, (off_t)(f->head + f->hole)) ==
	     (ssize_t)rest);
}

/* The last version of a part; "" where there is none. */
static void find_last(const char *bytes, size_t n, char ret[LOOK])
{
	for (size_t at = n; at-- > 0;) {
		size_t len = n - at < LOOK - 1 ? n - at : LOOK - 1;

		memcpy(ret, bytes + at, len);
		ret[len] = '\0';
		if (regexec(&scratch.built, ret, 0, NULL, 0) == 0) {
			ret[strcspn(ret, "-")] = '\0';
			return;
		}
	}
	*ret = '\0';
}

static void check_body(const struct file *f, const struct wl_report *r)
{
	char last[LOOK];

	if (f->hole == 0) {
		find_last(f->bytes, f->n, last);
	} else {
		find_last(f->bytes + f->head, f->n - f->head, last);
		if (!*last)
			find_last(f->bytes, f->head, last);
	}
	need(strcmp(r->version, last) == 0);
}

static void check(const struct file *f, const struct wl_report *r)
{
	static const char magic[] = "NVIDIA Tegra Profiler Report ";
	const size_t n = sizeof(magic) - 1;
	bool is_nsys = f->n >= n && memcmp(f->bytes, magic, n) == 0;
	bool is_stream = r->kind == WL_REPORT_STREAM;
	struct wl_err err = { .code = WL_OK };

	need((r->kind == WL_REPORT_EMPTY) == (f->n == 0));
	need((r->kind == WL_REPORT_NSYS) == is_nsys);
	need(!*r->version || regexec(&scratch.version, r->version, 0, NULL, 0) == 0);
	need(!*r->version || is_nsys || is_stream);
	/* The header of a newer report has its version with other signs. */
	if (is_nsys && !memchr(f->bytes, '@', f->head))
		check_body(f, r);
	if (!is_nsys && r->kind != WL_REPORT_SQLITE)
		need(wl_report_refuse("fuzz", r, &err) == WL_E_FORMAT && *err.msg);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wl_err err = { .code = WL_OK };
	struct wl_report r;
	struct file f;

	if (size == 0)
		return 0;
	if (scratch.fd < 0)
		prepare();
	f = (struct file){ .bytes = (const char *)data + 1, .n = size - 1 };
	f.head = f.n < HEAD ? f.n : HEAD;
	if (*data >= FIRST_HOLE && f.n > f.head)
		f.hole = (size_t)(HOLE + 40 * (*data - FIRST_HOLE));
	put(&f);
	need(wl_report_identify(scratch.path, &r, &err) == WL_OK);
	need((size_t)r.size == f.n + f.hole);
	check(&f, &r);
	return 0;
}
