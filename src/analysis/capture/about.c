/* SPDX-License-Identifier: MIT */
/* about.c - the facts of the file: versions, command, host, duration. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "analysis/analysis.h"
#include "analysis/capture/unknown_tables.h"
#include "base/text/units.h"
#include "derive/kinds/capture_modes.h"
#include "model/command.h"

WL_DECLARE_ANALYSIS(about);

enum { KEY, VALUE };

static const struct wl_col cols[] = {
	[KEY] = { "key", "Fact", WL_T_STR, WL_KEY, "Name of the fact." },
	[VALUE] = { "value", "Value", WL_T_STR, WL_PLAIN,
		    "Value of the fact; empty if the file does not state it." },
};

static void add_fact(struct wl_table *out, const char *key, const char *value)
{
	wl_table_row(out);
	wl_put_str(out, KEY, key);
	wl_put_copy(out, VALUE, value && *value ? value : NULL);
}

static void put_start(struct wl_table *out, const struct wl_trace *t)
{
	time_t seconds = (time_t)(t->utc_start / 1000000000);
	struct tm tm;
	char buf[64];
	bool known = t->utc_start > 0 && gmtime_r(&seconds, &tm) &&
		     strftime(buf, sizeof(buf), "%Y-%m-%d %H:%M:%S UTC", &tm) > 0;

	add_fact(out, "started", known ? buf : NULL);
}

static void put_duration(struct wl_table *out, const struct wl_trace *t)
{
	char buf[WL_UNITS_BUF];
	bool known = t->duration != WL_NO_TIME;

	add_fact(out, "duration", known ? wl_fmt_ns(buf, t->duration, WL_UNIT_AUTO) : NULL);
}

/* How the capture was made: "unknown" if the file does not say, which is usual. */
static void put_mode(struct wl_table *out, const char *key, const char *mode)
{
	add_fact(out, key, mode ? mode : "unknown");
}

enum { DOTTED = 32, LISTED = 8, LIST = 400 };

/*
 * Exports before 2024 write the digits of a version without its dots: 5154807 is 515.48.07 and
 * 53510405 is 535.104.05. The first three digits are one number and, in more than six digits, the
 * last two another. Returns NULL for 0, which means no driver.
 */
static const char *spell_driver(const char *version, char buf[DOTTED])
{
	size_t n = version ? strlen(version) : 0;
	int middle = n > 6 ? (int)n - 5 : (int)n - 3;

	if (n < 5 || n > 8 || strspn(version, "0123456789") != n)
		return version && strcmp(version, "0") != 0 ? version : NULL;
	(void)snprintf(buf, DOTTED, "%.3s.%.*s%s%s", version, middle, version + 3, n > 6 ? "." : "",
		       version + 3 + middle);
	return buf;
}

/* "1 host", and the number of files that do not name their host: the clock of each is fitted
 * separately. */
static void say_hosts(const struct wl_trace *t, char *buf, size_t size)
{
	size_t n_hosts = 0, n_unnamed = 0;
	int n = 0;

	for (size_t i = 0; i < t->n_files; i++) {
		size_t k = 0;

		/* The files of a host are usually adjacent. */
		while (k < i && t->files[i - 1 - k].host != t->files[i].host)
			k++;
		n_unnamed += t->files[i].host == WL_NONE;
		n_hosts += k == i && t->files[i].host != WL_NONE;
	}
	if (n_hosts)
		n = snprintf(buf, size, "%zu host%s%s", n_hosts, n_hosts == 1 ? "" : "s",
			     n_unnamed ? ", " : "");
	if (n_unnamed)
		(void)snprintf(buf + n, size - (size_t)n, "%zu clock%s of unnamed hosts", n_unnamed,
			       n_unnamed == 1 ? "" : "s");
}

/* "5 files, 8 ranks, 1 host, SLURM_JOB_ID 165592" */
static void put_job(struct wl_table *out, const struct wl_trace *t)
{
	char buf[240], ranks[48] = "", hosts[80] = "";

	if (t->n_files == 0)
		return;
	say_hosts(t, hosts, sizeof(hosts));
	if (t->world)
		(void)snprintf(ranks, sizeof(ranks), ", %lld ranks", (long long)t->world);
	(void)snprintf(buf, sizeof(buf), "%zu file%s%s, %s%s%s", t->n_files,
		       t->n_files == 1 ? "" : "s", ranks, hosts, t->job == WL_NONE ? "" : ", ",
		       t->job == WL_NONE ? "" : wl_str(t, t->job));
	add_fact(out, "job", buf);
}

/* Distinct values in file order. */
struct list {
	uint32_t said[LISTED];
	size_t n;
	bool has_more; /* than are listed */
	bool has_gap;  /* some file does not say */
};

static void add(struct list *l, uint32_t text)
{
	size_t i = 0;

	l->has_gap = l->has_gap || text == WL_NONE;
	while (i < l->n && l->said[i] != text)
		i++;
	if (text == WL_NONE || i < l->n)
		return;
	if (l->n == LISTED)
		l->has_more = true;
	else
		l->said[l->n++] = text;
}

/* "535.104.05, 550.54.15, not recorded": the values in the files of a job. */
static void put_list(struct wl_table *out, const struct wl_trace *t, const char *key,
		     const struct list *l)
{
	bool is_driver = strcmp(key, "driver") == 0;
	char buf[LIST] = "", dotted[DOTTED];
	size_t used = 0;

	for (size_t i = 0; i < l->n && used < sizeof(buf); i++) {
		const char *text = wl_str(t, l->said[i]);
		const char *spelled = is_driver ? spell_driver(text, dotted) : text;

		if (spelled)
			used += (size_t)snprintf(buf + used, sizeof(buf) - used, "%s%.60s",
						 used ? ", " : "", spelled);
	}
	if (l->has_more && used < sizeof(buf))
		used += (size_t)snprintf(buf + used, sizeof(buf) - used, " and others");
	if ((l->has_gap || used == 0) && used < sizeof(buf))
		(void)snprintf(buf + used, sizeof(buf) - used, "%snot recorded",
			       used ? "; of some files " : "");
	add_fact(out, key, buf);
}

/* A fact that each file of a job has, or else one from the trace's metadata. */
static void put_fact(struct wl_table *out, const struct wl_trace *t, const char *key,
		     enum wl_file_fact fact)
{
	const char *text = wl_trace_meta(t, wl_file_fact_name(fact));
	char dotted[DOTTED];
	struct list l = { .n = 0 };

	if (t->n_files == 0) {
		add_fact(out, key, fact == WL_FACT_DRIVER ? spell_driver(text, dotted) : text);
		return;
	}
	for (size_t i = 0; i < t->n_files; i++)
		add(&l, t->files[i].fact[fact]);
	put_list(out, t, key, &l);
}

/* The section "files" lists them. */
static void put_reports(struct wl_table *out, const struct wl_trace *t)
{
	size_t n = 0;
	char buf[48];

	for (size_t i = 0; i < t->n_files; i++)
		n += t->files[i].fact[WL_FACT_REPORT] != WL_NONE;
	if (n < 2) {
		put_fact(out, t, "report", WL_FACT_REPORT);
		return;
	}
	(void)snprintf(buf, sizeof(buf), "%zu reports", n);
	add_fact(out, "report", buf);
}

static void put_hosts(struct wl_table *out, const struct wl_trace *t)
{
	struct list l = { .n = 0 };

	if (t->n_files == 0) {
		add_fact(out, "host", t->host == WL_NONE ? NULL : wl_str(t, t->host));
		return;
	}
	for (size_t i = 0; i < t->n_files; i++)
		add(&l, t->files[i].host);
	put_list(out, t, "host", &l);
}

static const enum wl_column_id uses[] = { WL_TABLES_NAME,  WL_TABLES_ROWS,      WL_KERNELS_NODE,
					  WL_GRAPHS_START, WL_DIAGNOSTICS_TEXT, WL_N_COLUMNS };

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	const struct wl_trace *t = r->trace;
	const char *command = wl_command_line(t, r->arena);

	if (!command)
		return wl_no_memory(&wl_analysis_about, reterr);
	put_fact(out, t, "exported by nsys", WL_FACT_NSYS);
	put_fact(out, t, "schema", WL_FACT_SCHEMA);
	put_reports(out, t);
	add_fact(out, "command", command);
	put_job(out, t);
	put_hosts(out, t);
	put_fact(out, t, "system", WL_FACT_SYSTEM);
	put_fact(out, t, "driver", WL_FACT_DRIVER);
	put_start(out, t);
	put_duration(out, t);
	put_mode(out, "CUDA tracing", wl_capture_tracing(t));
	put_mode(out, "CUDA graphs", wl_capture_graphs(t));
	if (t->n_repaired)
		wl_table_note(out, "invalid UTF-8 was replaced in %zu names", t->n_repaired);
	if (t->n_mistyped)
		wl_table_note(out, "%zu cells have values of the wrong type; treated as missing",
			      t->n_mistyped);
	return wl_note_unknown_tables(r, out) ? WL_OK : wl_no_memory(&wl_analysis_about, reterr);
}

const struct wl_analysis wl_analysis_about = {
	.name = "about",
	.help = "Show the facts that the file states about itself",
	.on_host = true,
	.of_file = true,
	.on_reading = true,
	.uses = uses,
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.run = run,
};
