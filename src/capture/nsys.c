/* SPDX-License-Identifier: MIT */
/*
 * Exit status and output of `nsys export` as observed with 2022.4 and 2023.4:
 *
 *   0  done
 *   0  disk full: "database or disk is full" on stderr, an empty file
 *   1  "Exportation error: REASON"; a report that is too new is one of the
 *      reasons, in words that differ between versions
 *
 * Therefore the text is looked at before the status, and the version of nsys is
 * only asked for after a failure, to tell a new report from a damaged one.
 */
#include "capture/nsys.h"

#include <ctype.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/process/proc.h"
#include "base/text/clean.h"

#define NS_PER_MS        INT64_C(1000000)
#define NS_PER_S         (1000 * NS_PER_MS)
#define VERSION_LIMIT_NS (10 * NS_PER_S)
#define DEFAULT_NSYS     "nsys"
#define ERROR_PREFIX     "Exportation error: "

enum {
	/* Lengths in a message, each with its NUL; the remedy at its end must still fit. */
	NAME_CAP = 100,                  /* a path */
	WORD_CAP = NAME_CAP + 10,        /* a path as a word of a command line */
	COMMAND_CAP = 32 + 2 * WORD_CAP, /* that command line */
	QUOTE_CAP = 160,                 /* nsys's own words */
};

static const char *program(const struct wl_nsys_export *e)
{
	return e->nsys ? e->nsys : DEFAULT_NSYS;
}

static const char *dash_guard(const char *path)
{
	return path[0] == '-' ? "./" : "";
}

int wl_nsys_plan(const struct wl_nsys_export *e, struct wl_nsys_plan *ret, struct wl_err *reterr)
{
	int n_in = snprintf(ret->in, sizeof(ret->in), "%s%s", dash_guard(e->report), e->report);
	int n_out = snprintf(ret->out, sizeof(ret->out), "%s%s/export.sqlite", dash_guard(e->dir),
			     e->dir);
	size_t n = 0;

	if (n_in < 0 || n_in >= WL_PATH_CAP || n_out < 0 || n_out >= WL_PATH_CAP)
		return wl_fail(reterr, WL_E_IO, "path too long: %.80s...", e->report);
	ret->argv[n++] = program(e);
	ret->argv[n++] = "export";
	ret->argv[n++] = "--type";
	ret->argv[n++] = "sqlite";
	ret->argv[n++] = "-q";
	ret->argv[n++] = "true";
	ret->argv[n++] = "-f";
	ret->argv[n++] = "true";
	ret->argv[n++] = "-o";
	ret->argv[n++] = ret->out;
	ret->argv[n++] = ret->in;
	ret->argv[n] = NULL;
	return WL_OK;
}

/* Read the number at *text and step over it and a dot; 0 where there is none. */
static unsigned long take_number(const char **text)
{
	char *end;
	unsigned long number;

	if (!isdigit((unsigned char)**text)) {
		*text += strlen(*text);
		return 0;
	}
	number = strtoul(*text, &end, 10);
	*text = end + (*end == '.');
	return number;
}

int wl_nsys_version_cmp(const char *a, const char *b)
{
	while (*a != '\0' || *b != '\0') {
		unsigned long x = take_number(&a), y = take_number(&b);

		if (x != y)
			return x < y ? -1 : 1;
	}
	return 0;
}

/* A path for a message: of a long one the end, which says most. */
static void put_name(char out[NAME_CAP], const char *path)
{
	size_t n = strlen(path);

	if (n < NAME_CAP) {
		wl_clean_copy(out, NAME_CAP, path, n);
	} else {
		(void)snprintf(out, NAME_CAP, "...");
		wl_clean_copy(out + 3, NAME_CAP - 3, path + n - (NAME_CAP - 4), NAME_CAP - 4);
	}
}

/* A word of a command line for a message: between single quotes where it needs them. */
static void put_word(char out[WORD_CAP], const char *path)
{
	static const char safe[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
				   "_./+=:,@%-";
	char name[NAME_CAP];
	size_t used = 0;
	bool is_quoted;

	put_name(name, path);
	is_quoted = name[strspn(name, safe)] != '\0';
	if (is_quoted)
		out[used++] = '\'';
	for (const char *c = name; *c != '\0' && used < WORD_CAP - 6; c++) {
		if (*c == '\'') {
			memcpy(out + used, "'\\'", 3);
			used += 3;
		}
		out[used++] = *c;
	}
	if (is_quoted)
		out[used++] = '\'';
	out[used] = '\0';
}

/* Without the ending of a report. */
static size_t stem_length(const char *path)
{
	size_t n = wl_report_stem(path);

	return n ? n : strlen(path);
}

/* The command that the user may run elsewhere: X.nsys-rep becomes X.sqlite. */
static void put_command(char out[COMMAND_CAP], const char *path)
{
	char from[WL_PATH_CAP], to[WL_PATH_CAP + sizeof(".sqlite")];
	char from_word[WORD_CAP], to_word[WORD_CAP];
	const char *slash = strrchr(path, '/');

	if (slash && strlen(path) + sizeof("./.sqlite") > NAME_CAP)
		path = slash + 1;
	(void)snprintf(from, sizeof(from), "%s%s", dash_guard(path), path);
	(void)snprintf(to, sizeof(to), "%.*s.sqlite", (int)stem_length(from), from);
	put_word(from_word, from);
	put_word(to_word, to);
	(void)snprintf(out, COMMAND_CAP, "nsys export --type sqlite -o %s %s", to_word, from_word);
}

/* The reason in nsys's own words: what follows its prefix, else the last line that is not empty. */
static void put_quote(char out[QUOTE_CAP], const struct wl_proc_result *r)
{
	const char *begin = strstr(r->tail, ERROR_PREFIX);
	const char *end = r->tail + r->n_tail;

	if (begin) {
		begin += strlen(ERROR_PREFIX);
		end = begin + strcspn(begin, "\r\n");
	} else {
		while (end > r->tail && isspace((unsigned char)end[-1]))
			end--;
		for (begin = end; begin > r->tail && begin[-1] != '\n';)
			begin--;
	}
	if (end > begin && end[-1] == '.')
		end--; /* it goes into a sentence of ours */
	if (begin == end)
		(void)snprintf(out, QUOTE_CAP, "no message");
	else
		wl_clean_copy(out, QUOTE_CAP, begin, (size_t)(end - begin));
}

static const char *missing_reason(const char *nsys)
{
	return strchr(nsys, '/') ? "does not exist" : "is not on PATH";
}

/* Find "version 2023.4.4.54-..." in the answer. */
static bool take_answer(const char *text, char ret_version[WL_REPORT_VERSION_CAP])
{
	static const char word[] = "version ";
	const char *at = strstr(text, word);
	size_t n;

	if (!at)
		return false;
	at += strlen(word);
	n = strspn(at, "0123456789.");
	if (n >= WL_REPORT_VERSION_CAP || !memchr(at, '.', n))
		return false;
	memcpy(ret_version, at, n);
	ret_version[n] = '\0';
	return true;
}

int wl_nsys_version(const char *nsys, const atomic_int *cancel,
		    char ret_version[WL_REPORT_VERSION_CAP], struct wl_err *reterr)
{
	const char *const argv[] = { nsys ? nsys : DEFAULT_NSYS, "--version", NULL };
	struct wl_proc_result r;
	char name[NAME_CAP], quote[QUOTE_CAP];
	int rc = wl_proc_run(
		&(struct wl_proc){ .argv = argv, .limit_ns = VERSION_LIMIT_NS, .cancel = cancel },
		&r, reterr);

	if (rc)
		return rc;
	put_name(name, argv[0]);
	switch (r.end) {
	case WL_PROC_NOT_FOUND:
		return wl_fail(reterr, WL_E_IO, "%s %s; give --nsys PATH", name,
			       missing_reason(argv[0]));
	case WL_PROC_TIMED_OUT:
		return wl_fail(reterr, WL_E_TIMEOUT, "%s --version does not end", name);
	case WL_PROC_CANCELED:
		return wl_fail(reterr, WL_E_CANCELED, "%s --version was interrupted", name);
	case WL_PROC_EXITED:
	case WL_PROC_SIGNALED:
		break;
	}
	if (r.end == WL_PROC_EXITED && r.code == 0 && take_answer(r.tail, ret_version))
		return WL_OK;
	put_quote(quote, &r);
	return wl_fail(reterr, WL_E_IO, "%s --version prints no version: %s", name, quote);
}

static int fail_missing(const struct wl_nsys_export *e, const struct wl_report *report,
			struct wl_err *reterr)
{
	char name[NAME_CAP], command[COMMAND_CAP];

	put_name(name, program(e));
	put_command(command, e->report);
	return wl_fail(reterr, WL_E_IO,
		       "%s %s; run `%s` where nsys%s%s is installed, or give --nsys PATH", name,
		       missing_reason(program(e)), command,
		       report->version[0] != '\0' ? " >= " : "", report->version);
}

/* A length of time as a person writes it: 30 min, 90 s, 200 ms. */
static void put_limit(char *out, size_t cap, int64_t ns)
{
	if (ns >= 60 * NS_PER_S && ns % (60 * NS_PER_S) == 0)
		(void)snprintf(out, cap, "%" PRId64 " min", ns / (60 * NS_PER_S));
	else if (ns >= NS_PER_S)
		(void)snprintf(out, cap, "%" PRId64 " s", ns / NS_PER_S);
	else
		(void)snprintf(out, cap, "%" PRId64 " ms", ns / NS_PER_MS);
}

static int fail_timeout(const struct wl_nsys_export *e, struct wl_err *reterr)
{
	char name[NAME_CAP], command[COMMAND_CAP], limit[32];

	put_name(name, e->report);
	put_command(command, e->report);
	put_limit(limit, sizeof(limit), e->limit_ns);
	return wl_fail(reterr, WL_E_TIMEOUT,
		       "nsys did not export %s within %s; allow more with --nsys-timeout, or run "
		       "`%s` and give its output",
		       name, limit, command);
}

static int fail_canceled(const struct wl_nsys_export *e, struct wl_err *reterr)
{
	char name[NAME_CAP];

	put_name(name, e->report);
	return wl_fail(reterr, WL_E_CANCELED, "the export of %s was interrupted", name);
}

static int fail_signal(const struct wl_nsys_export *e, int sig, struct wl_err *reterr)
{
	char name[NAME_CAP];

	put_name(name, e->report);
	return wl_fail(reterr, WL_E_IO, "nsys was killed by signal %d while it exported %s%s", sig,
		       name, sig == SIGKILL ? "; perhaps it ran out of memory" : "");
}

static int fail_full(const struct wl_nsys_export *e, struct wl_err *reterr)
{
	char name[NAME_CAP], dir[NAME_CAP];

	put_name(name, e->report);
	put_name(dir, e->dir);
	return wl_fail(reterr, WL_E_OUTPUT,
		       "no room in %s for the export of %s; set TMPDIR to a larger file system, "
		       "or give --keep-export a file there",
		       dir, name);
}

static int fail_newer(const struct wl_nsys_export *e, const struct wl_report *report,
		      const char *installed, struct wl_err *reterr)
{
	char name[NAME_CAP], command[COMMAND_CAP];

	put_name(name, e->report);
	put_command(command, e->report);
	return wl_fail(reterr, WL_E_FORMAT,
		       "%s was made by nsys %s, newer than the installed %s; run `%s` with a newer "
		       "nsys, or give --nsys PATH",
		       name, report->version, installed, command);
}

/* nsys ran and said no: to a new report, to a damaged one, or it does not work at all. */
static int fail_status(const struct wl_nsys_export *e, const struct wl_report *report,
		       const struct wl_proc_result *r, struct wl_err *reterr)
{
	char installed[WL_REPORT_VERSION_CAP] = "";
	char name[NAME_CAP], quote[QUOTE_CAP];
	int rc = wl_nsys_version(e->nsys, e->cancel, installed, NULL);

	if (rc == WL_E_CANCELED)
		return fail_canceled(e, reterr);
	put_quote(quote, r);
	if (rc || r->code != 1) {
		put_name(name, program(e));
		return wl_fail(reterr, WL_E_IO, "%s does not work, exit status %d: %s", name,
			       r->code, quote);
	}
	if (wl_nsys_version_cmp(report->version, installed) > 0)
		return fail_newer(e, report, installed, reterr);
	put_name(name, e->report);
	return wl_fail(reterr, WL_E_FORMAT,
		       "nsys %s cannot export %s: %s; the report may be damaged, copy or capture "
		       "it again",
		       installed, name, quote);
}

/* nsys says that it succeeded. */
static int check_output(const struct wl_nsys_export *e, const char *path,
			const struct wl_proc_result *r, struct wl_err *reterr)
{
	struct wl_report out;
	char name[NAME_CAP], quote[QUOTE_CAP];

	if (wl_report_identify(path, &out, NULL) == WL_OK && out.kind == WL_REPORT_SQLITE)
		return WL_OK;
	put_name(name, program(e));
	put_quote(quote, r);
	return wl_fail(reterr, WL_E_IO,
		       "%s reported success and wrote no SQLite file (%s); check that it is nsys",
		       name, quote);
}

/* Who opens a trace.sqlite does not expect that its bytes start a program. */
static int fail_name(const struct wl_nsys_export *e, struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_FORMAT,
		       "%.300s is an Nsight Systems report by its content and not by its name; "
		       "if you trust it, call it .nsys-rep",
		       e->report);
}

static bool is_full(const struct wl_proc_result *r)
{
	return strstr(r->tail, "disk is full") || strstr(r->tail, "No space left on device");
}

static int check_end(const struct wl_nsys_export *e, const struct wl_report *report,
		     const char *path, const struct wl_proc_result *r, struct wl_err *reterr)
{
	switch (r->end) {
	case WL_PROC_NOT_FOUND:
		return fail_missing(e, report, reterr);
	case WL_PROC_TIMED_OUT:
		return fail_timeout(e, reterr);
	case WL_PROC_CANCELED:
		return fail_canceled(e, reterr);
	case WL_PROC_SIGNALED:
		return fail_signal(e, r->code, reterr);
	case WL_PROC_EXITED:
		break;
	}
	if (is_full(r))
		return fail_full(e, reterr);
	return r->code != 0 ? fail_status(e, report, r, reterr) : check_output(e, path, r, reterr);
}

int wl_nsys_export(const struct wl_nsys_export *e, const struct wl_report *report,
		   char ret_path[WL_PATH_CAP], struct wl_err *reterr)
{
	struct wl_nsys_plan plan = { 0 };
	struct wl_proc_result r;
	int rc;

	if (!wl_report_stem(e->report))
		return fail_name(e, reterr);
	rc = wl_nsys_plan(e, &plan, reterr);
	if (rc)
		return rc;
	rc = wl_proc_run(&(struct wl_proc){ .argv = plan.argv,
					    .limit_ns = e->limit_ns,
					    .cancel = e->cancel,
					    .tick = e->tick,
					    .ctx = e->ctx },
			 &r, reterr);
	if (rc)
		return rc;
	rc = check_end(e, report, plan.out, &r, reterr);
	if (!rc)
		memcpy(ret_path, plan.out, sizeof(plan.out));
	return rc;
}
