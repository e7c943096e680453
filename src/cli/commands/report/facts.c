/* SPDX-License-Identifier: MIT */
/* facts.c - the command that writes the facts of traces, and merges them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory/sort.h"
#include "base/text/clean.h"
#include "base/text/units.h"
#include "cli/commands/diff/sides.h"
#include "cli/status.h"
#include "compare/diff/ask.h"
#include "compare/fingerprint/fingerprint_json.h"
#include "facts/file.h"
#include "facts/gather.h"
#include "session/answer/write_facts.h"
#include "session/facts/facts_trace.h"
#include "session/job/job_files.h"

enum { KEY };

static const struct wl_param params[] = {
	[KEY] = { .key = "key",
		  .type = WL_P_STR,
		  .many = true,
		  .help = "What is known of the run: project, branch, sha, config or job." },
};

/* Facts being written. */
struct writing {
	const struct wl_invocation *inv;
	struct wl_siding siding;
	struct wl_facts_keys keys;
	const char *dir;
};

static int take_keys(struct writing *w, struct wl_err *reterr)
{
	static const char *const names[] = { "project", "branch", "sha", "config", "job" };
	const char **const to[] = { &w->keys.project, &w->keys.branch, &w->keys.sha,
				    &w->keys.config, &w->keys.job };

	w->keys.program = WL_VERSION;
	for (size_t i = 0; i < w->inv->n_many; i++) {
		const char *text = w->inv->many[i].text, *value = strchr(text, '=');
		size_t n = value ? (size_t)(value - text) : 0, k = 0;

		while (k < WL_COUNT(names) &&
		       (strlen(names[k]) != n || strncmp(names[k], text, n) != 0))
			k++;
		if (k == WL_COUNT(names))
			return wl_fail(reterr, WL_E_USAGE,
				       "--key %.100s: give project, branch, sha, config or job, as "
				       "in --key project=llm",
				       text);
		*to[k] = value + 1;
	}
	return WL_OK;
}

/* "wrote DIR/rank0.wlfacts (23 kB): 1 rank, 20 steps" */
static void print_wrote(const char *path, const struct wl_facts *f)
{
	char size[WL_UNITS_BUF];
	uint32_t steps = 0;
	struct stat st;

	for (size_t i = 0; i < f->n[WL_FACTS_STEPS]; i++) {
		uint32_t step = wl_facts_u32(f, WL_FACTS_STEPS_STEP, i);

		steps = step >= steps ? step + 1 : steps;
	}
	(void)fputs("wrote ", stdout);
	wl_put_clean(stdout, path);
	if (stat(path, &st) == 0)
		(void)printf(" (%s)", wl_fmt_bytes(size, st.st_size));
	(void)printf(": %zu rank%s, %u step%s\n", f->n[WL_FACTS_RANKS],
		     f->n[WL_FACTS_RANKS] == 1 ? "" : "s", steps, steps == 1 ? "" : "s");
}

static void put_answer(void *ctx, const char *name, const void *bytes, size_t n)
{
	struct wl_facts *f = ctx;

	f->failed = !wl_facts_answers_put(&f->answers, name, bytes, n) || f->failed;
}

/* What diff needs, with the frame of that side. A trace without it has facts all the same. */
static int add_fingerprint(struct writing *w, struct wl_session *session, struct wl_facts *f,
			   struct wl_err *reterr)
{
	const struct wl_request request = { .pool = w->siding.pool };
	const struct wl_answer_sink sink = { put_answer, f };
	struct wl_fingerprint fp;
	struct wl_document frame;
	struct wl_arena arena;
	char *text = NULL;
	size_t n = 0;
	FILE *out;
	int r;

	wl_arena_init_on(&arena, &w->siding.budget);
	r = wl_fp_ask(session, &request, &arena, &fp, &frame, reterr);
	if (r == WL_OK) {
		out = open_memstream(&text, &n);
		if (out)
			wl_fp_write(&fp, out);
		if (!out || fclose(out) != 0)
			f->failed = true;
		else
			put_answer(f, WL_FINGERPRINT_ANSWER, text, n);
		frame.name = "diff";
		f->failed = !wl_frame_store(&sink, NULL, &frame) || f->failed;
		free(text);
	}
	wl_arena_release(&arena);
	return r == WL_E_NODATA || r == WL_E_FORMAT ? WL_OK : r;
}

static int collect(struct writing *w, struct wl_session *session, const char *path,
		   struct wl_facts *f, struct wl_err *reterr)
{
	const char *name = wl_path_name(path);
	int r = wl_facts_collect(session, &w->keys, &w->siding.budget, w->siding.pool, f, reterr);

	if (r == WL_OK) {
		/*
		 * Facts are read on other machines, where the directory of the trace says nothing:
		 * messages and suggested commands have its name alone.
		 */
		wl_session_set_label(session, name);
		put_answer(f, wl_facts_trace_answer, name, strlen(name));
		wl_facts_set_trace(f, name);
		r = add_fingerprint(w, session, f, reterr);
	}
	if (r == WL_OK && !wl_facts_name(f))
		r = wl_fail(reterr, WL_E_NOMEM, "no memory for the facts");
	return r;
}

/* The output has a name as facts have: it is the file of one trace. */
static bool names_file(const struct writing *w)
{
	return wl_path_ends_in(w->dir, WL_FACTS_SUFFIX);
}

/* DIR/run.wlfacts of any/run.sqlite. */
static int make_target(const struct writing *w, const char *path, char to[WL_PATH_CAP],
		       struct wl_err *reterr)
{
	const char *name = wl_path_name(path), *dot = strrchr(name, '.');
	int n = dot && dot > name ? (int)(dot - name) : (int)strlen(name);
	const char *slash = w->dir[0] && w->dir[strlen(w->dir) - 1] == '/' ? "" : "/";

	n = names_file(w)
		    ? snprintf(to, WL_PATH_CAP, "%s", w->dir)
		    : snprintf(to, WL_PATH_CAP, "%s%s%.*s" WL_FACTS_SUFFIX, w->dir, slash, n, name);
	return n > 0 && n < WL_PATH_CAP
		       ? WL_OK
		       : wl_fail(reterr, WL_E_USAGE, "path too long: %.80s...", w->dir);
}

static int write_one(struct writing *w, const char *path, struct wl_err *reterr)
{
	const struct wl_opening how = { w->inv, w->siding.pool, &w->siding.budget,
					&w->siding.costs };
	const atomic_int *cancel = wl_signals_catch();
	const struct wl_stop stop = { .flag = cancel };
	struct wl_opened opened = { .session = NULL };
	struct wl_facts facts = { .budget = NULL };
	char target[WL_PATH_CAP];
	struct wl_err why = { .code = WL_OK };
	bool is_named = true; /* the message has the path */
	int r = make_target(w, path, target, reterr);

	if (r < 0)
		return r;
	w->siding.budget.stop = &stop; /* answers are computed with it, too */
	r = wl_opened_open(&opened, path, &how, cancel, &why);
	if (r == WL_OK) {
		r = collect(w, opened.session, path, &facts, &why);
		is_named = r == WL_OK;
	}
	wl_progress_end(&opened.progress);
	wl_opened_release(&opened);
	if (r == WL_OK) {
		wl_file_readers_add(&facts.readers, path);
		r = wl_facts_write(&facts, target, &why);
	}
	if (r < 0 && wl_stop_is_due(&stop)) { /* what is stopped fails as without memory */
		r = wl_stop_fail(&stop, path, &why);
		is_named = true;
	}
	w->siding.budget.stop = NULL;
	wl_signals_release();
	if (r == WL_OK)
		print_wrote(target, &facts);
	else
		r = is_named ? wl_fail(reterr, why.code, "%s", why.msg)
			     : wl_fail(reterr, why.code, "%.200s: %s", path, why.msg);
	wl_facts_release(&facts);
	return r;
}

/* A trace that cannot be read does not keep the others from being written. */
static int write_next(struct writing *w, const char *path, int status)
{
	struct wl_err err;
	int r = write_one(w, path, &err);

	if (r < 0)
		r = wl_report_failure(&err);
	return status ? status : r;
}

static int write_job(struct writing *w, const char *dir, int status)
{
	struct wl_job_files files;
	struct wl_err err;

	if (wl_job_files_list(dir, &files, &err) < 0)
		status = wl_report_failure(&err);
	for (size_t i = 0; i < files.n; i++)
		status = write_next(w, files.file[i].path, status);
	wl_job_files_release(&files);
	return status;
}

/* The files that are to be written, by operand, and these by the names of their files. */
struct targets {
	const char **name;
	uint32_t *order;
};

static bool is_before(const void *ctx, uint32_t a, uint32_t b)
{
	const struct targets *t = ctx;

	return strcmp(t->name[a], t->name[b]) < 0;
}

static int list_targets(const struct writing *w, struct wl_arena *arena, struct targets *ret,
			struct wl_err *reterr)
{
	size_t n = w->inv->n_operands;
	uint32_t *tmp = WL_NEW(arena, uint32_t, n);
	char path[WL_PATH_CAP];

	ret->name = WL_NEW(arena, const char *, n);
	ret->order = WL_NEW(arena, uint32_t, n);
	if (!tmp || !ret->name || !ret->order)
		return wl_fail(reterr, WL_E_NOMEM, "facts: no memory for the names of files");
	for (size_t i = 0; i < n; i++) {
		int r = make_target(w, w->inv->operand[i], path, reterr);

		if (r < 0)
			return r;
		ret->order[i] = (uint32_t)i;
		ret->name[i] = wl_arena_strdup(arena, path);
		if (!ret->name[i])
			return wl_fail(reterr, WL_E_NOMEM,
				       "facts: no memory for the names of files");
	}
	wl_sort_index(ret->order, n, tmp, is_before, ret);
	return WL_OK;
}

/* Two traces of one name would write one file. Of several such pairs the first is named. */
static int check_targets(const struct writing *w, const struct targets *t, struct wl_err *reterr)
{
	size_t n = w->inv->n_operands, first = n, second = n;

	for (size_t i = 1; i < n; i++) {
		uint32_t a = t->order[i - 1], b = t->order[i];

		/* Equal names are in the order of the operands. */
		if (b < second && strcmp(t->name[a], t->name[b]) == 0) {
			first = a;
			second = b;
		}
	}
	return second == n
		       ? WL_OK
		       : wl_fail(reterr, WL_E_USAGE,
				 "%.150s and %.150s would both write %.150s; give them "
				 "directories of their own",
				 w->inv->operand[first], w->inv->operand[second], t->name[first]);
}

static int check_names(struct writing *w, struct wl_err *reterr)
{
	struct targets targets;
	struct wl_arena arena;
	int r;

	if (names_file(w) && (w->inv->n_operands > 1 || wl_is_job(w->inv->operand[0])))
		return wl_fail(reterr, WL_E_USAGE,
			       "-o %.200s: facts of several traces are a file each: give a "
			       "directory, and \"warplens facts merge\" makes one file of them",
			       w->dir);
	wl_arena_init_on(&arena, &w->siding.budget);
	r = list_targets(w, &arena, &targets, reterr);
	if (r == WL_OK)
		r = check_targets(w, &targets, reterr);
	wl_arena_release(&arena);
	return r;
}

static int write_all(struct writing *w)
{
	struct wl_err err;
	int r = check_names(w, &err), status = 0;

	if (r == WL_OK && !names_file(w))
		r = wl_dir_make(w->dir, &err);
	if (r < 0)
		return wl_report_failure(&err);
	for (size_t i = 0; i < w->inv->n_operands; i++) {
		const char *path = w->inv->operand[i];

		status = wl_is_job(path) ? write_job(w, path, status) : write_next(w, path, status);
	}
	return status;
}

static int merge(struct writing *w, struct wl_err *reterr)
{
	const struct wl_stop stop = { .flag = wl_signals_catch() };
	struct wl_facts facts = { .budget = NULL };
	int r;

	w->siding.budget.stop = &stop;
	r = wl_facts_gather(w->inv->operand + 1, w->inv->n_operands - 1, WL_FACTS_ALL,
			    &w->siding.budget, &facts, reterr);
	if (r == WL_OK && !wl_stop_is_due(&stop)) {
		r = wl_facts_write(&facts, w->dir, reterr);
		if (r == WL_OK)
			print_wrote(w->dir, &facts);
	} else if (wl_stop_is_due(&stop)) { /* what is stopped fails as without memory */
		r = wl_stop_fail(&stop, w->dir, reterr);
	}
	wl_facts_release(&facts);
	w->siding.budget.stop = NULL;
	wl_signals_release();
	return r;
}

static int prepare(struct writing *w, bool is_merge, struct wl_err *reterr)
{
	int r = wl_siding_init(&w->siding, w->inv, reterr);

	if (r == WL_OK)
		r = take_keys(w, reterr);
	if (r == WL_OK && (!w->dir || w->inv->n_operands < 1 + (size_t)is_merge))
		r = wl_fail(
			reterr, WL_E_USAGE,
			"usage: warplens facts TRACE... -o DIR, or TRACE -o FILE" WL_FACTS_SUFFIX
			", or warplens facts merge FACTS... -o FILE");
	return r;
}

static int run(const struct wl_invocation *inv)
{
	struct writing w = { .inv = inv, .dir = inv->opt.output };
	bool is_merge = inv->n_operands > 0 && strcmp(inv->operand[0], "merge") == 0;
	struct wl_err err;
	int r = prepare(&w, is_merge, &err), status;

	if (r == WL_OK && is_merge)
		r = merge(&w, &err);
	status = r < 0 ? wl_report_failure(&err) : is_merge ? 0 : write_all(&w);
	wl_siding_release(&w.siding);
	return status ? status : wl_finish_stdout();
}

static const struct wl_example examples[] = {
	{ "warplens facts run.sqlite -o facts", "Writes facts/run" WL_FACTS_SUFFIX "." },
	{ "warplens facts run.sqlite -o run" WL_FACTS_SUFFIX, "Writes that file." },
	{ "warplens facts merge facts -o job" WL_FACTS_SUFFIX,
	  "The facts of all ranks in one file." },
	{ NULL, NULL },
};

static const char *word_at(size_t i)
{
	return i == 0 ? "merge" : NULL;
}

static const struct wl_form forms[] = { { WL_FORM("export", "format"), .value = "facts" },
					{ .verb = NULL } };

const struct wl_command wl_command_facts = {
	.name = "facts",
	.topic = WL_TOPIC_SHARE,
	.forms = forms,
	.help = "Reduce traces to facts of a few kB per rank, and merge them",
	.about = "Writes a file for each trace, DIR/NAME.wlfacts with -o DIR, of at most 60 kB for "
		 "each "
		 "rank and 1 kB for each of its steps: "
		 "steps, operations, collectives with arrivals, idle time by cause, findings, "
		 "coverage, and whitelisted settings. A facts file, a directory of "
		 "them, or the files of one job can be given where a trace is expected: ranks, "
		 "nccl, overlap, iters, "
		 "findings, diff, info and report answer, and other verbs name the trace to ask. "
		 "Facts of one trace have its numbers. Facts of a job differ from its traces in "
		 "five ways: nothing is replayed, so saving, reason and factor of ranks and the "
		 "sentences of findings are empty, and why says only which rank one waits for; "
		 "findings that need a replay, as straggler, are left out, and "
		 "notes say so; lengths are on the clock of each rank, so where clocks drift they "
		 "differ by the drift: at 10 millionths 10 us in a second; a note on a rank that "
		 "may be late compares medians of operations over the run, with the median of "
		 "those of the other ranks, where traces compare single kernels of slow steps; the "
		 "columns that name one range, stream or context (range of iters, stream and "
		 "context of nccl) are empty. "
		 "\"merge\" makes one file of several; order and grouping do not matter. With -o "
		 "FILE" WL_FACTS_SUFFIX " the facts of one trace are that file, else -o is a "
		 "directory. A trace that cannot be read is reported, and the others are written.",
	.operands = "TRACE... | merge FACTS...",
	.word = word_at,
	.examples = examples,
	.params = params,
	.n_params = WL_COUNT(params),
	.common = true,
	.without = ~(WL_OPT_BIT(OUTPUT) | WL_OPT_BIT(NSYS) | WL_OPT_BIT(NSYS_TIMEOUT) |
		     WL_OPT_BIT(INDEX_DIR) | WL_OPT_BIT(NO_INDEX) | WL_OPT_BIT(MEMORY) |
		     WL_OPT_BIT(READER) | WL_OPT_BIT(THREADS) | WL_OPT_BIT(HELP) |
		     WL_OPT_BIT(VERSION) | WL_OPT_BIT(INTROSPECT)),
	.instead = "facts are of the whole trace",
	.run = run,
};
