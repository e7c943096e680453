/* SPDX-License-Identifier: MIT */
#include "cli/open.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/process/pool.h"
#include "base/text/clean.h"
#include "capture/nsys.h"
#include "capture/report.h"
#include "cli/confine.h"
#include "cli/job.h"
#include "cli/line/files.h"
#include "cli/line/option_names.h"
#include "cli/status.h"
#include "facts/gather.h"
#include "session/document/verb_call.h"

/* The temporary directory stands where the result will, so that keeping it is a rename. */
static int make_directory(struct wl_opened *o, const char *keep, struct wl_err *reterr)
{
	char parent[WL_PATH_CAP];
	int r;

	if (!keep)
		return wl_tmpdir_open(getenv("TMPDIR"), &o->export_dir, reterr);
	r = wl_file_dir(keep, parent, reterr);
	return r < 0 ? r : wl_tmpdir_open(parent, &o->export_dir, reterr);
}

static int export_report(struct wl_opened *o, struct wl_nsys_export *e,
			 const struct wl_report *report, const char *keep, struct wl_err *reterr)
{
	int r = make_directory(o, keep, reterr);

	if (r == WL_OK) {
		e->dir = o->export_dir.path;
		r = wl_nsys_export(e, report, o->database, reterr);
	}
	wl_progress_end(&o->progress);
	if (r < 0 || !keep)
		return r;
	r = wl_file_move(o->database, keep, reterr);
	if (r == WL_OK && strlen(keep) < WL_PATH_CAP)
		memcpy(o->database, keep, strlen(keep) + 1);
	return r;
}

int wl_command_args(struct wl_args *args, const struct wl_invocation *inv,
		    struct wl_json *const *docs, struct wl_err *reterr)
{
	const struct wl_command *c = inv->verb.command;

	const struct wl_param_list list = { .name = c->name,
					    .params = c->params,
					    .n = c->n_params };

	return wl_args_parse(args, &list, inv->param, docs, reterr);
}

struct wl_pool *wl_pool_option(const struct wl_invocation *inv)
{
	int64_t n = inv->opt.threads ? inv->opt.threads : sysconf(_SC_NPROCESSORS_ONLN);

	if (n < 1) /* the system does not say */
		n = 1;
	return wl_pool_new(n > WL_MAX_THREADS ? WL_MAX_THREADS : (unsigned)n);
}

struct wl_index_opts wl_index_options(const struct wl_invocation *inv)
{
	const char *given = inv->opt.index_dir, *set = getenv("WARPLENS_INDEX_DIR");

	return (struct wl_index_opts){ .dir = given         ? given
					      : set && *set ? set
							    : NULL,
				       .program = WL_VERSION };
}

void wl_opened_note_index(struct wl_opened *o)
{
	const char *note = o->session ? wl_session_index_note(o->session) : NULL;

	if (!note || o->index_noted)
		return;
	o->index_noted = true;
	wl_progress_end(&o->progress);
	(void)fputs("note: ", stderr);
	wl_put_clean(stderr, note);
	(void)fputs(", so it is not used; \"warplens index\" writes a new one\n", stderr);
}

bool wl_index_is_wanted(const struct wl_invocation *inv)
{
	return !inv->opt.no_index && !inv->opt.reader;
}

static int open_database(struct wl_opened *o, const char *path, const struct wl_invocation *inv,
			 const struct wl_input_opts *opts, struct wl_err *reterr)
{
	const struct wl_index_opts index = wl_index_options(inv);
	int r = wl_session_open_indexed(path, opts, wl_index_is_wanted(inv) ? &index : NULL,
					&o->session, reterr);

	if (r == WL_OK)
		wl_opened_note_index(o);
	return r;
}

static int copy_path(const char *path, char to[WL_PATH_CAP], struct wl_err *reterr)
{
	if (strlen(path) >= WL_PATH_CAP)
		return wl_fail(reterr, WL_E_IO, "%.100s...: the path is too long", path);
	memcpy(to, path, strlen(path) + 1);
	return WL_OK;
}

/* There is nothing to export, nor to keep. */
static int take_as_it_is(struct wl_opened *o, const char *path, const struct wl_invocation *inv,
			 struct wl_err *reterr)
{
	return inv->opt.keep_export ? wl_fail(reterr, WL_E_USAGE,
					      "--keep-export keeps the export of a report, and "
					      "%.200s is not one",
					      path)
				    : copy_path(path, o->database, reterr);
}

static int export_trace(struct wl_opened *o, const char *path, const struct wl_invocation *inv,
			const atomic_int *cancel, struct wl_err *reterr)
{
	struct wl_nsys_export e = { .nsys = inv->opt.nsys,
				    .report = path,
				    .limit_ns = inv->opt.nsys_timeout,
				    .cancel = cancel,
				    .tick = wl_progress_export,
				    .ctx = &o->progress };
	const char *term = getenv("TERM");
	struct wl_report report;
	int r;

	*o = (struct wl_opened){ .session = NULL };
	wl_progress_init(&o->progress, path, !term || strcmp(term, "dumb") == 0);
	/* The first of several stands for all. */
	if (wl_facts_are_at(path) && (inv->n_job < 2 || path != inv->operand[inv->job_at]))
		return take_as_it_is(o, path, inv, reterr);
	if (wl_job_is_meant(inv, path))
		return wl_job_export(path, inv,
				     &(struct wl_job_room){ &o->export_dir, &o->progress, cancel },
				     o->database, reterr);
	r = wl_report_identify(path, &report, reterr);
	if (r != WL_OK)
		return r;
	if (report.kind == WL_REPORT_NSYS && wl_job_find_export(inv, path, o->database))
		return WL_OK;
	if (report.kind == WL_REPORT_NSYS)
		return export_report(o, &e, &report, inv->opt.keep_export, reterr);
	if (report.kind != WL_REPORT_SQLITE)
		return wl_report_refuse(path, &report, reterr);
	return take_as_it_is(o, path, inv, reterr);
}

int wl_opened_export(struct wl_opened *o, const char *path, const struct wl_invocation *inv,
		     const atomic_int *cancel, struct wl_err *reterr)
{
	int r;

	/*
	 * A statement of SQL lets a signal end the program at once; while something is held it does
	 * not, and the directory is removed.
	 */
	wl_signals_hold(1); /* until there is no directory of an export */
	r = export_trace(o, path, inv, cancel, reterr);
	if (o->export_dir.path[0] == '\0')
		wl_signals_hold(-1);
	if (r == WL_OK)
		wl_confine_exported(inv, path, o->export_dir.path);
	return r;
}

/* WL_E_NOJOB with the ways to go on where guessed files are none. */
static int prove(struct wl_opened *o, const struct wl_invocation *inv, struct wl_err *reterr)
{
	struct wl_err why;

	if (!inv->is_guessed || wl_session_prove_job(o->session, inv->n_job, &why) == WL_OK)
		return WL_OK;
	return why.code == WL_E_USAGE ? wl_job_refuse(&why, true, reterr)
				      : wl_fail(reterr, why.code, "%s", why.msg);
}

/* Where the files could be something else, the answer says what they are taken for. */
static void note_job(struct wl_opened *o, const struct wl_invocation *inv)
{
	const struct wl_trace *t = wl_session_trace(o->session);
	bool separates = inv->may_separate || wl_verb_several(&inv->verb) == WL_SEVERAL_BESIDE;

	(void)snprintf(o->note, sizeof(o->note), "%zu files are one job (%.150s)%s", inv->n_job,
		       t->job != WL_NONE ? wl_str(t, t->job) : "their collectives coincide",
		       separates ? "; --separate splits it" : "");
	wl_session_set_note(o->session, o->note);
}

/* A job in a directory that was made for it. Its files that are no exports may have indexes. */
static int open_job(struct wl_opened *o, const char *path, const struct wl_invocation *inv,
		    const struct wl_input_opts *opts, struct wl_err *reterr)
{
	struct wl_err why;
	int r = open_database(o, o->database, inv, opts, &why);

	if (r == WL_E_USAGE && inv->is_guessed)
		return wl_job_refuse(&why, false, reterr);
	if (r < 0)
		return wl_fail(reterr, why.code, "%s", why.msg);
	r = prove(o, inv, reterr);
	if (r < 0)
		return r;
	if (inv->is_guessed)
		note_job(o, inv);
	if (inv->n_job > 1) {
		wl_job_label(inv, o->label, sizeof(o->label));
		wl_session_set_files(o->session, inv->job, inv->n_job, inv->job_directory);
	}
	wl_session_set_label(o->session, o->label[0] ? o->label : path);
	return WL_OK;
}

/* Open a database, or export a report and open that. */
static int open_trace(struct wl_opened *o, const char *path, const struct wl_opening *how,
		      const atomic_int *cancel, struct wl_err *reterr)
{
	const struct wl_invocation *inv = how->inv;
	struct wl_input_opts opts = { .cancel = cancel,
				      .progress = wl_progress_rows,
				      .progress_ctx = &o->progress,
				      .reader = inv->opt.reader,
				      .pool = how->pool,
				      .budget = how->budget };
	int r = wl_opened_export(o, path, inv, cancel, reterr);

	if (r != WL_OK)
		return r;
	/*
	 * Only a database that stays has an index: the export of a report has a new name each time.
	 */
	if (strcmp(o->database, path) == 0)
		return open_database(o, path, inv, &opts, reterr);
	if (wl_job_is_meant(inv, path))
		return open_job(o, path, inv, &opts, reterr);
	r = wl_session_open(o->database, &opts, &o->session, reterr);
	if (r == WL_OK)
		wl_session_set_label(o->session, path);
	return r;
}

int wl_opened_prove(struct wl_opened *o, const struct wl_opening *how, const atomic_int *cancel,
		    struct wl_err *reterr)
{
	const struct wl_input_opts opts = { .cancel = cancel,
					    .reader = how->inv->opt.reader,
					    .pool = how->pool,
					    .budget = how->budget };
	int r;

	if (!how->inv->is_guessed || !o->export_dir.path[0])
		return WL_OK;
	r = open_job(o, how->inv->job[0], how->inv, &opts, reterr);
	wl_session_close(o->session);
	o->session = NULL;
	return r;
}

void wl_opened_tell_job(struct wl_opened *o, const struct wl_invocation *inv)
{
	if (!o->note[0] || inv->opt.quiet)
		return;
	wl_progress_end(&o->progress);
	(void)fputs("note: ", stderr);
	wl_put_clean(stderr, o->note);
	(void)fputc('\n', stderr);
}

void wl_opened_keep(struct wl_opened *o, struct wl_tmpdir *ret_exports)
{
	*ret_exports = o->export_dir;
	o->export_dir.path[0] = '\0';
}

int wl_opened_either(const struct wl_invocation *inv, wl_either_fn *fn, void *ctx,
		     struct wl_err *reterr)
{
	struct wl_tmpdir exports = { .path = "" }, none = { .path = "" };
	struct wl_invocation *each;
	int r = fn(inv, ctx, &exports, reterr);

	if (r != WL_E_NOJOB || !inv->may_separate)
		return r;
	/* With its two lists of 4,096 paths it takes 66 kB; main() has the first on the stack. */
	each = calloc(1, sizeof(*each));
	if (each) {
		wl_files_separate(inv, each);
		each->exports = exports.path[0] ? exports.path : NULL;
		r = fn(each, ctx, &none, reterr);
	} else {
		r = wl_fail(reterr, WL_E_NOMEM, "no memory for the command line");
	}
	free(each);
	if (exports.path[0]) {
		wl_tmpdir_close(&exports);
		wl_signals_hold(-1);
	}
	return r;
}

void wl_opened_drop_file(struct wl_opened *o)
{
	wl_progress_end(&o->progress);
	if (o->export_dir.path[0] == '\0')
		return;
	wl_tmpdir_close(&o->export_dir);
	o->export_dir.path[0] = '\0';
	wl_signals_hold(-1);
}

void wl_opened_release(struct wl_opened *o)
{
	wl_session_close(o->session);
	o->session = NULL;
	wl_opened_drop_file(o);
}

/* The report of ncu that the command line names; NULL. */
static struct wl_json *report_of_ncu(const struct wl_invocation *inv, const struct wl_docs *docs)
{
	size_t n;
	const struct wl_param *params = wl_verb_params(&inv->verb, &n);

	for (size_t i = 0; i < n; i++) {
		if (params[i].is_ncu)
			return docs->param[i];
	}
	return NULL;
}

struct wl_request wl_opened_request(const struct wl_invocation *inv, const struct wl_docs *docs,
				    struct wl_pool *pool)
{
	struct wl_request q = {
		.traces = inv->opt.traces,
		.conventions = { .name = docs->conventions ? docs->conventions_path
							   : inv->opt.conventions,
				 .doc = docs->conventions },
		.ncu = report_of_ncu(inv, docs),
		.pool = pool,
	};

	/* As SQL, skills and tools place them: an option has the name of what it selects. */
	for (size_t i = 0; i < WL_N_SELECTING; i++) {
		const char *const key = wl_common_keys[i];

		*wl_request_place(&q, key) = inv->given[wl_option_common(key, strlen(key))];
	}
	return q;
}

int wl_opened_check(const struct wl_invocation *inv, const struct wl_request *request,
		    struct wl_err *reterr)
{
	const struct wl_visitor visitor = { .name = wl_verb_name(&inv->verb) };
	struct wl_request visiting = *request;

	visiting.visitor = &visitor;
	return wl_request_check(&visiting, reterr);
}

int wl_opened_open(struct wl_opened *o, const char *path, const struct wl_opening *how,
		   const atomic_int *cancel, struct wl_err *reterr)
{
	int r = open_trace(o, path, how, cancel, reterr);

	wl_progress_end(&o->progress);
	return r;
}

int wl_opened_load(struct wl_opened *o, const char *path, const struct wl_opening *how,
		   const struct wl_request *request, struct wl_err *reterr)
{
	const atomic_int *cancel = wl_signals_catch();
	int r;

	wl_costs_begin(how->costs);
	r = open_trace(o, path, how, cancel, reterr);
	wl_costs_end(how->costs, WL_COSTS_OPEN);
	if (r == WL_OK) {
		wl_costs_begin(how->costs);
		r = wl_session_load(o->session, request, reterr);
		wl_costs_end(how->costs, WL_COSTS_LOAD);
	}
	if (r == WL_OK)
		wl_costs_loaded(how->costs, wl_session_trace(o->session));
	if (r != WL_E_NOJOB) /* reports are exported once */
		wl_opened_drop_file(o);
	wl_signals_release();
	if (r == WL_OK && *cancel)
		r = wl_fail(reterr, WL_E_CANCELED, "%s: stopped", path);
	return r;
}
