/* SPDX-License-Identifier: MIT */
#include "cli/run_tables.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/clock.h"
#include "base/text/shell.h"
#include "cli/run_facts.h"

enum { RUN, BEGIN, PROGRAM, SWEEP, EXIT, WALL, BARE, STEP, BYTES, STATE, FAILURE, DIR_COL, N_LIST };

static const struct wl_col list_cols[N_LIST] = {
	[RUN] = { "run", "Run", WL_T_STR, WL_KEY, "Id of the run: the name of its directory." },
	[BEGIN] = { "begin", "Begin (UTC)", WL_T_STR, WL_MINOR, "When it began." },
	[PROGRAM] = { "program", "Program", WL_T_STR, WL_PROSE, "The command line." },
	[SWEEP] = { "sweep", "Sweep", WL_T_STR, WL_PLAIN, "Values of the parameters of --sweep." },
	[EXIT] = { "exit", "Exit", WL_T_COUNT, WL_NUMBER,
		   "Exit status of the program; 128 and more: ended by a signal." },
	[WALL] = { "wall", "Wall", WL_T_NS, WL_PLAIN, "Wall time under the profiler." },
	[BARE] = { "without_profiler", "Without", WL_T_NS, WL_PLAIN,
		   "Wall time of the run without the profiler." },
	[STEP] = { "step", "Median step", WL_T_NS, WL_PLAIN, "Median step of the trace." },
	[BYTES] = { "bytes", "Size", WL_T_BYTES, WL_SUM, "Files of the run, as they are now." },
	[STATE] = { "state", "Files", WL_T_ENUM, WL_PLAIN,
		    "Whole, compressed (large files are .gz), or failed: no good trace." },
	[FAILURE] = { "failure", "Failure", WL_T_STR, WL_PROSE | WL_MINOR,
		      "Why there is no good trace." },
	[DIR_COL] = { "path", "Path", WL_T_STR, WL_MINOR, "Directory of the run." },
};

enum { WHAT, NAME, VALUE, N_FACTS };

static const struct wl_col fact_cols[N_FACTS] = {
	[WHAT] = { "what", "What", WL_T_ENUM, WL_KEY, "Part of the manifest." },
	[NAME] = { "name", "Name", WL_T_STR, WL_KEY, "Which of them." },
	[VALUE] = { "value", "Value", WL_T_STR, WL_PROSE, "What it was." },
};

enum { KIND, PATH, SIZE, SUM, GZ_SIZE, GZ_SUM, THERE, N_FILES };

static const struct wl_col file_cols[N_FILES] = {
	[KIND] = { "kind", "Kind", WL_T_ENUM, WL_KEY, "Input or output." },
	[PATH] = { "path", "Path", WL_T_STR, WL_KEY,
		   "An input as the command line names it, an output below the run." },
	[SIZE] = { "bytes", "Size", WL_T_BYTES, WL_PLAIN, "Before it was compressed." },
	[SUM] = { "sha256", "SHA-256", WL_T_STR, WL_MINOR, "Before it was compressed." },
	[GZ_SIZE] = { "gz_bytes", "As .gz", WL_T_BYTES, WL_PLAIN, "Of the compressed file." },
	[GZ_SUM] = { "gz_sha256", "SHA-256 of .gz", WL_T_STR, WL_MINOR, "Of the compressed file." },
	[THERE] = { "state", "State", WL_T_ENUM, WL_PLAIN,
		    "Whole, compressed, missing, or changed: of another size." },
};

static const struct wl_col change_cols[WL_N_CHANGE_COLS] = {
	[WL_CHANGE_WHAT] = { "what", "What", WL_T_ENUM, WL_KEY, "Part of the manifest." },
	[WL_CHANGE_NAME] = { "name", "Name", WL_T_STR, WL_KEY, "Which of them." },
	[WL_CHANGE_A] = { "a", "A", WL_T_STR, WL_PROSE, "In the first run." },
	[WL_CHANGE_B] = { "b", "B", WL_T_STR, WL_PROSE, "In the second run." },
	[WL_CHANGE_SHARE] = { "change", "Change", WL_T_RATIO, WL_CHANGE,
			      "Of a time, from A to B." },
};

const struct wl_table_info wl_run_tables[WL_N_RUN_TABLES + 1] = {
	[WL_RUNS_LIST] = { "list", "Runs", list_cols, N_LIST },
	[WL_RUNS_FACTS] = { "facts", "What it was", fact_cols, N_FACTS },
	[WL_RUNS_FILES] = { "files", "Files", file_cols, N_FILES },
	[WL_RUNS_CHANGES] = { "changes", "What differs", change_cols, WL_N_CHANGE_COLS },
	[WL_N_RUN_TABLES] = { NULL, NULL, NULL, 0 },
};

enum { TEXT_CAP = 2048 };

/* Append to a text that is cut where it is full. */
static void append(char text[TEXT_CAP], const char *more)
{
	size_t n = strlen(text);

	(void)snprintf(text + n, TEXT_CAP - n, "%s", more);
}

/* As a shell takes it, to be pasted. */
static void put_program(struct wl_table *out, const struct wl_manifest *m)
{
	char text[TEXT_CAP] = "";

	for (size_t i = 0; i < m->n_argv; i++) {
		const char *word = wl_shell_word(m->argv[i], out->arena);

		append(text, i ? " " : "");
		append(text, word ? word : m->argv[i]);
	}
	wl_put_copy(out, PROGRAM, text);
}

static void put_sweep(struct wl_table *out, const struct wl_manifest *m)
{
	char text[TEXT_CAP] = "";

	for (size_t i = 0; i < m->n_sweep; i++) {
		append(text, i ? " " : "");
		append(text, m->sweep[i].name);
		append(text, "=");
		append(text, m->sweep[i].value);
	}
	if (m->n_sweep)
		wl_put_copy(out, SWEEP, text);
}

static void put_time(struct wl_table *out, size_t col, int64_t ns)
{
	if (ns >= 0)
		wl_put_i64(out, col, ns);
}

/* What is at RUN/PATH, with ".gz" behind it or not; -1 where there is no regular file. */
static int64_t size_of(const struct wl_run_found *run, const char *path, const char *ending)
{
	char whole[WL_PATH_CAP];
	struct stat st;
	int n = snprintf(whole, sizeof(whole), "%s/%s%s", run->path, path, ending);

	if (n < 0 || n >= WL_PATH_CAP || lstat(whole, &st) < 0 || !S_ISREG(st.st_mode))
		return -1;
	return st.st_size;
}

/* By size alone: sums would mean reading every trace of the list. */
static const char *state_of(const struct wl_run_found *run, const struct wl_run_file *f)
{
	int64_t whole = size_of(run, f->path, "");

	if (whole >= 0)
		return whole == f->bytes ? "whole" : "changed";
	if (!f->gz_sha256[0])
		return "missing";
	whole = size_of(run, f->path, ".gz");
	return whole < 0 ? "missing" : whole == f->gz_bytes ? "compressed" : "changed";
}

static int64_t disk_use(const struct wl_run_found *run, bool *ret_is_gz)
{
	int64_t sum = 0;

	*ret_is_gz = false;
	for (size_t i = 0; i < run->manifest.n_outputs; i++) {
		const struct wl_run_file *f = &run->manifest.output[i];
		int64_t whole = size_of(run, f->path, "");
		int64_t gz = f->gz_sha256[0] ? size_of(run, f->path, ".gz") : -1;

		sum += (whole > 0 ? whole : 0) + (gz > 0 ? gz : 0);
		*ret_is_gz = *ret_is_gz || (whole < 0 && gz >= 0);
	}
	return sum;
}

static int64_t exit_of(const struct wl_manifest *m)
{
	return m->exit_signal ? 128 + m->exit_signal : m->exit_status;
}

void wl_run_put(struct wl_table *out, const struct wl_run_found *run)
{
	const struct wl_manifest *m = &run->manifest;
	bool is_gz;
	int64_t bytes = disk_use(run, &is_gz);
	char date[32];
	const char *begin = wl_clock_date(m->begin_ms, date);

	wl_table_show_whole(out, RUN); /* `runs remove` wants all of it */
	wl_table_row(out);
	wl_put_str(out, RUN, m->id);
	wl_put_copy(out, BEGIN, begin ? begin : "");
	put_program(out, m);
	put_sweep(out, m);
	put_time(out, EXIT, exit_of(m));
	put_time(out, WALL, m->wall_ns);
	put_time(out, BARE, m->bare_ns);
	put_time(out, STEP, m->step_ns);
	wl_put_i64(out, BYTES, bytes);
	wl_put_str(out, STATE, m->failure ? "failed" : is_gz ? "compressed" : "whole");
	wl_put_str(out, FAILURE, m->failure);
	wl_put_str(out, DIR_COL, run->path);
}

const struct wl_run_file *wl_run_trace(const struct wl_run_found *run, bool *ret_is_gz)
{
	static const char *const endings[] = { ".sqlite", ".nsys-rep" };
	const struct wl_run_file *best = NULL;

	/* A database opens at once, a report only where nsys is installed. */
	for (size_t e = 0; !best && e < WL_COUNT(endings); e++) {
		for (size_t i = 0; i < run->manifest.n_outputs; i++) {
			const struct wl_run_file *f = &run->manifest.output[i];

			if (wl_path_ends_in(f->path, endings[e]) &&
			    (!best || f->bytes > best->bytes))
				best = f;
		}
	}
	*ret_is_gz = best && strcmp(state_of(run, best), "compressed") == 0;
	return best;
}

static void put_files(struct wl_table *out, const struct wl_run_found *run, bool is_output)
{
	const struct wl_manifest *m = &run->manifest;
	size_t n = is_output ? m->n_outputs : m->n_inputs;

	for (size_t i = 0; i < n; i++) {
		const struct wl_run_file *f = is_output ? &m->output[i] : &m->input[i];

		wl_table_row(out);
		wl_put_str(out, KIND, is_output ? "output" : "input");
		wl_put_str(out, PATH, f->path);
		wl_put_i64(out, SIZE, f->bytes);
		wl_put_str(out, SUM, f->sha256[0] ? f->sha256 : NULL);
		if (f->gz_sha256[0]) {
			wl_put_i64(out, GZ_SIZE, f->gz_bytes);
			wl_put_str(out, GZ_SUM, f->gz_sha256);
		}
		wl_put_str(out, THERE, is_output ? state_of(run, f) : NULL);
	}
}

void wl_run_put_files(struct wl_table *out, const struct wl_run_found *run)
{
	put_files(out, run, true);
	put_files(out, run, false);
}

void wl_run_put_facts(struct wl_table *out, const struct wl_manifest *m)
{
	size_t n = 0;
	const struct wl_run_fact *fact = wl_run_facts(m, out->arena, &n);

	if (!fact)
		out->failed = true;
	for (size_t i = 0; fact && i < n; i++) {
		wl_table_row(out);
		wl_put_str(out, WHAT, fact[i].what);
		wl_put_str(out, NAME, fact[i].name);
		wl_put_str(out, VALUE, fact[i].value);
	}
}
