/* SPDX-License-Identifier: MIT */
/* baseline.c - the command that keeps fingerprints of traces under names. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text/apportion.h"
#include "base/text/clean.h"
#include "base/text/units.h"
#include "cli/commands/diff/sides.h"
#include "cli/print.h"
#include "cli/status.h"
#include "compare/fingerprint/fingerprint_json.h"

enum { DIR_PARAM };

static const struct wl_param params[] = {
	[DIR_PARAM] = { .key = "dir",
			.type = WL_P_STR,
			.help = "Where baselines are; without it $WARPLENS_BASELINE_DIR." },
};

enum { NAME, TRACE, GPUS, GPU, RANKS, STEPS, STEP, METHOD, WINDOW, BYTES, N_LIST_COLS };

static const struct wl_col list_cols[N_LIST_COLS] = {
	[NAME] = { "name", "Baseline", WL_T_STR, WL_KEY, "Name of the baseline." },
	[TRACE] = { "trace", "Trace", WL_T_STR, WL_PLAIN, "The file it was taken of." },
	[GPUS] = { "gpus", "GPUs", WL_T_COUNT, WL_MINOR, "How many." },
	[GPU] = { "gpu", "GPU", WL_T_STR, WL_PLAIN, "The model of the first." },
	[RANKS] = { "processes", "Processes", WL_T_COUNT, WL_MINOR, "Processes with steps." },
	[STEPS] = { "steps", "Steps", WL_T_COUNT, WL_PLAIN, "Steps in the sample." },
	[STEP] = { "step", "Median step", WL_T_NS, WL_PLAIN, "The median step of the sample." },
	[METHOD] = { "method", "Found by", WL_T_ENUM, WL_MINOR, "How steps were found." },
	[WINDOW] = { "window", "Window", WL_T_STR, WL_MINOR, "The part of the trace." },
	[BYTES] = { "bytes", "Size", WL_T_BYTES, WL_MINOR, "Of the file." },
};

enum { PART, PART_NS, N_BUDGET_COLS };

static const struct wl_col budget_cols[N_BUDGET_COLS] = {
	[PART] = { "part", "Part", WL_T_ENUM, WL_KEY, "What the time went to, as in diff." },
	[PART_NS] = { "time", "Time", WL_T_NS, WL_SUM, "Per step, or per GPU without steps." },
};

enum { KERNEL, KERNEL_CALLS, KERNEL_NS, N_KERNEL_COLS };

static const struct wl_col kernel_cols[N_KERNEL_COLS] = {
	[KERNEL] = { "name", "Kernel", WL_T_STR, WL_KEY, "Demangled name of the kernel." },
	[KERNEL_CALLS] = { "calls", "Calls", WL_T_REAL, WL_PLAIN, "Per step." },
	[KERNEL_NS] = { "sum", "Sum", WL_T_NS, WL_SUM, "Of durations, per step." },
};

static const struct wl_table_info tables[] = {
	{ "baselines", "Baselines", list_cols, N_LIST_COLS },
	{ "budget", "Where the time went", budget_cols, N_BUDGET_COLS },
	{ "kernels", "Kernels", kernel_cols, N_KERNEL_COLS },
	{ NULL, NULL, NULL, 0 },
};

struct keeping {
	const struct wl_invocation *inv;
	struct wl_printing print;
	struct wl_siding siding;
	const char *dir;
};

static int no_memory(struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_NOMEM, "baseline: no memory for the answer");
}

static enum wl_extent extent_of(const struct wl_fingerprint *f)
{
	return f->n_steps ? WL_OF_STEPS : WL_OF_WINDOW;
}

static bool put_baseline(struct keeping *k, const char *name, const struct wl_fingerprint *f,
			 struct wl_table *out)
{
	char path[WL_PATH_CAP];
	struct wl_sorted steps;
	struct stat st;

	if (!wl_sorted_make(f->step, f->n_steps, &k->siding.arena, &steps))
		return false;
	wl_table_row(out);
	wl_put_copy(out, NAME, name);
	wl_put_str(out, TRACE, f->label);
	wl_put_i64(out, GPUS, (int64_t)f->n_devices);
	wl_put_str(out, GPU, f->n_gpus ? f->gpu[0] : NULL);
	wl_put_i64(out, RANKS, (int64_t)f->n_processes);
	wl_put_i64(out, STEPS, (int64_t)f->n_steps);
	if (f->n_steps)
		wl_put_i64(out, STEP, wl_sorted_median(steps));
	wl_put_str(out, METHOD, f->method);
	wl_put_str(out, WINDOW, f->window);
	if (wl_baseline_path(k->dir, name, path, &(struct wl_err){ .code = WL_OK }) == WL_OK &&
	    stat(path, &st) == 0)
		wl_put_i64(out, BYTES, st.st_size);
	return true;
}

static bool put_budget(struct keeping *k, const struct wl_fingerprint *f, struct wl_table *out)
{
	const wl_ns *part = f->part[extent_of(f)];
	int64_t by = wl_fp_divisor(f, extent_of(f));
	wl_ns sum = 0, mean[WL_N_PARTS];

	by = by ? by : 1;
	for (size_t p = 0; p < WL_N_PARTS; p++)
		sum += part[p];
	/*
	 * Parts are rounded together, so that they add up to the rounded mean as they do in diff.
	 */
	if (!wl_apportion(part, WL_N_PARTS, by, wl_rounded_mean(sum, by), &k->siding.arena, mean))
		return false;
	for (size_t p = 0; p < WL_N_PARTS; p++) {
		if (p >= WL_PART_IDLE && mean[p] == 0)
			continue;
		wl_table_row(out);
		wl_put_str(out, PART, wl_part_name((enum wl_part)p));
		wl_put_i64(out, PART_NS, mean[p]);
	}
	return true;
}

static void put_kernels(const struct wl_fingerprint *f, struct wl_table *out)
{
	enum wl_extent x = extent_of(f);
	int64_t by = wl_fp_divisor(f, x);

	by = by ? by : 1;
	for (size_t i = 0; i <= f->kernels.n; i++) {
		const struct wl_fp_row *row =
			i < f->kernels.n ? &f->kernels.row[i] : &f->kernels.others;

		if (row->of[x].calls == 0)
			continue;
		wl_table_row(out);
		wl_put_str(out, KERNEL, row->name);
		wl_put_ratio(out, KERNEL_CALLS, row->of[x].calls, by);
		wl_put_i64(out, KERNEL_NS, wl_rounded_mean(row->of[x].ns, by));
	}
}

static int make_section(struct keeping *k, size_t table, struct wl_table *filled,
			struct wl_section *ret, struct wl_err *reterr)
{
	const struct wl_view_opts opts = wl_printing_view(&k->print);

	if (!wl_table_ok(filled))
		return no_memory(reterr);
	*ret = (struct wl_section){ .analysis = tables[table].name, .title = tables[table].title };
	return wl_view_make(filled, &opts, &k->siding.arena, &ret->view, reterr);
}

static int print_sections(struct keeping *k, const struct wl_section *sections, size_t n,
			  struct wl_err *reterr)
{
	const struct wl_document doc = { .name = "baseline",
					 .n_devices = -1,
					 .sections = sections,
					 .n_sections = n,
					 .single = n == 1 };

	return wl_print(&k->print, &doc, reterr);
}

/* NAME of "NAME.json" in buf; false for other files. */
static bool take_name(const char *file, char buf[256])
{
	size_t n = strlen(file), ending = strlen(".json");

	if (n <= ending || n > 200 || file[0] == '.' || strcmp(file + n - ending, ".json") != 0)
		return false;
	(void)snprintf(buf, 256, "%.*s", (int)(n - ending), file);
	return true;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* A file that is no baseline is passed over and told. */
static int list(struct keeping *k, struct wl_err *reterr)
{
	struct wl_table table;
	struct wl_section section;
	struct dirent **entry;
	int n = scandir(k->dir, &entry, NULL, by_name), r = WL_OK;

	if (n < 0)
		return wl_fail(reterr, WL_E_IO, "%.200s: %s", k->dir, strerror(errno));
	wl_table_init(&table, &k->siding.arena, list_cols, N_LIST_COLS);
	for (int i = 0; i < n; i++) {
		struct wl_side_read side;
		struct wl_err why;
		char name[256];

		if (r == WL_OK && take_name(entry[i]->d_name, name)) {
			if (wl_side_of_baseline(&k->siding, k->dir, name, &side, &why) < 0)
				wl_table_note(&table, "%s", why.msg);
			else if (!put_baseline(k, name, &side.f, &table))
				r = no_memory(reterr);
		}
		free(entry[i]);
	}
	free(entry);
	if (r == WL_OK)
		r = make_section(k, 0, &table, &section, reterr);
	return r < 0 ? r : print_sections(k, &section, 1, reterr);
}

static int show(struct keeping *k, const char *name, struct wl_err *reterr)
{
	const char *only = k->inv->opt.section;
	struct wl_table table[WL_COUNT(tables) - 1];
	struct wl_section section[WL_COUNT(tables) - 1];
	struct wl_side_read side;
	size_t n = 0;
	int r;

	if (!only && wl_printing_has_view(&k->print))
		return wl_fail(reterr, WL_E_USAGE,
			       "baseline show has several tables; --where, --sort and --columns "
			       "need --section NAME");
	r = wl_side_of_baseline(&k->siding, k->dir, name, &side, reterr);
	if (r < 0)
		return r;
	for (size_t i = 0; i < WL_COUNT(table); i++)
		wl_table_init(&table[i], &k->siding.arena, tables[i].cols, tables[i].n_cols);
	if (!put_baseline(k, name, &side.f, &table[0]) || !put_budget(k, &side.f, &table[1]))
		return no_memory(reterr);
	put_kernels(&side.f, &table[2]);
	if (!only && !k->print.format->whole)
		only = tables[0].name;
	for (size_t i = 0; r == WL_OK && i < WL_COUNT(table); i++) {
		if (!only || strcmp(only, tables[i].name) == 0)
			r = make_section(k, i, &table[i], &section[n++], reterr);
	}
	if (r == WL_OK && n == 0)
		return wl_fail(reterr, WL_E_USAGE,
			       "--section %.60s: baseline show has baselines, budget, kernels",
			       only);
	return r < 0 ? r : print_sections(k, section, n, reterr);
}

static int tag(struct keeping *k, const char *name, const char *trace, struct wl_err *reterr)
{
	char path[WL_PATH_CAP], size[WL_UNITS_BUF];
	struct wl_side_read side = { .frame = { .name = NULL } };
	struct wl_file file;
	struct stat st;
	int r = wl_baseline_path(k->dir, name, path, reterr);

	if (r == WL_OK)
		r = wl_side_of_trace(&k->siding, trace, 0, &side, reterr);
	/* It would be compared with a trace later, by kernels that it does not have. */
	if (r == WL_OK && side.f.is_of_sums)
		r = wl_fail(reterr, WL_E_USAGE,
			    "%.200s: facts of several traces hold no kernels by name; take the "
			    "baseline of the traces, or of the facts of one",
			    trace);
	if (r == WL_OK)
		r = wl_side_replay(&k->siding, trace, &side, reterr);
	if (r < 0)
		return r;
	if (mkdir(k->dir, 0777) < 0 && errno != EEXIST)
		return wl_fail(reterr, WL_E_OUTPUT, "%.200s: %s", k->dir, strerror(errno));
	(void)wl_signals_catch(); /* a file that is begun is ended */
	/*
	 * The program chose the name: a link called NAME.json, in a checkout or a shared directory,
	 * must not lead elsewhere.
	 */
	r = wl_file_begin_nofollow(path, &file, reterr);
	if (r == WL_OK) {
		wl_fp_write(&side.f, file.stream);
		r = wl_file_commit(&file, reterr);
	}
	wl_signals_release();
	if (r < 0)
		return r;
	(void)fputs("wrote ", stdout);
	wl_put_clean(stdout, path);
	if (stat(path, &st) == 0)
		(void)printf(" (%s), %zu steps", wl_fmt_bytes(size, st.st_size), side.f.n_steps);
	(void)putchar('\n');
	return wl_check_stdout(reterr);
}

static int remove_baseline(struct keeping *k, const char *name, struct wl_err *reterr)
{
	char path[WL_PATH_CAP];
	int r = wl_baseline_path(k->dir, name, path, reterr);

	if (r < 0)
		return r;
	if (unlink(path) < 0)
		return wl_fail(reterr, errno == ENOENT ? WL_E_IO : WL_E_OUTPUT, "%.300s: %s", path,
			       strerror(errno));
	(void)fputs("removed ", stdout);
	wl_put_clean(stdout, path);
	(void)putchar('\n');
	return wl_check_stdout(reterr);
}

/* Which of the four, told by the first operand and how many there are. */
static int dispatch(struct keeping *k, struct wl_err *reterr)
{
	const char *const *word = k->inv->operand;
	size_t n = k->inv->n_operands;

	if (n == 1 && strcmp(word[0], "list") == 0)
		return list(k, reterr);
	if (n == 2 && strcmp(word[0], "show") == 0)
		return show(k, word[1], reterr);
	if (n == 2 && strcmp(word[0], "remove") == 0)
		return remove_baseline(k, word[1], reterr);
	if (n == 3 && strcmp(word[0], "tag") == 0)
		return tag(k, word[1], word[2], reterr);
	return wl_fail(reterr, WL_E_USAGE,
		       "usage: warplens baseline tag NAME TRACE, list, show NAME or remove NAME");
}

static int run(const struct wl_invocation *inv)
{
	struct keeping k = { .inv = inv };
	struct wl_err err;
	int r = wl_siding_init(&k.siding, inv, &err);

	if (r == WL_OK)
		r = wl_printing_init(&k.print, inv, &err);
	if (r == WL_OK)
		r = wl_baseline_dir(inv->param[DIR_PARAM], &k.dir, &err);
	if (r == WL_OK)
		r = dispatch(&k, &err);
	wl_siding_release(&k.siding);
	return r < 0 ? wl_report_failure(&err) : 0;
}

static const struct wl_example examples[] = {
	{ "warplens baseline tag main run.sqlite --dir baselines",
	  "Saves a baseline of the trace as main." },
	{ "warplens baseline list --dir baselines", "What there is." },
	{ "warplens baseline show main --dir baselines", "What it holds." },
	{ NULL, NULL },
};

static const char *word_at(size_t i)
{
	static const char *const words[] = { "tag", "list", "show", "remove" };

	return i < WL_COUNT(words) ? words[i] : NULL;
}

static const struct wl_form forms[] = { { WL_FORM("diff", "save"), .value = "*", .operand = "tag" },
					{ WL_FORM("diff", "baselines"), .operand = "list" },
					{ .verb = NULL } };

const struct wl_command wl_command_baseline = {
	.name = "baseline",
	.topic = WL_TOPIC_FIX,
	.forms = forms,
	.help = "Save a named baseline for diff",
	.about = "A baseline is a fingerprint of a trace: its steps, where their time went, its "
		 "kernels, ranges and idle causes; less than 200 kB, whatever the trace's size. "
		 "\"tag NAME TRACE\" writes it to NAME.json in a directory of yours, with the "
		 "selection, window and naming that are given; \"list\", \"show NAME\" and "
		 "\"remove NAME\" manage baselines. \"diff baseline:NAME B\" then gives the same "
		 "answer as the trace itself. There is no default directory: --dir or "
		 "$WARPLENS_BASELINE_DIR names it.",
	.operands = "tag|list|show|remove [NAME] [TRACE]",
	.word = word_at,
	.examples = examples,
	.params = params,
	.n_params = WL_COUNT(params),
	.common = true,
	.tables = tables,
	.several = WL_SEVERAL_JOB,
	.run = run,
};
