/* SPDX-License-Identifier: MIT */
/* about.c - the facts of the file: versions, command, host, duration. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "analysis/analysis.h"
#include "base/units.h"
#include "model/command.h"

enum { KEY, VALUE };

static const struct wl_col cols[] = {
	[KEY] = { "key", "Fact", WL_T_STR, WL_KEY, "Name of the fact." },
	[VALUE] = { "value", "Value", WL_T_STR, WL_PLAIN,
		    "Value of the fact; empty if the file does not state it." },
};

static void put(struct wl_table *out, const char *key, const char *value)
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

	put(out, "started", known ? buf : NULL);
}

static void put_duration(struct wl_table *out, const struct wl_trace *t)
{
	char buf[WL_UNITS_BUF];
	bool known = t->duration != WL_NO_TIME;

	put(out, "duration", known ? wl_fmt_ns(buf, t->duration, WL_UNIT_AUTO) : NULL);
}

/*
 * Exports before 2024 write the digits of a version without its dots: 5154807 is 515.48.07 and
 * 53510405 is 535.104.05. The first three digits are one number and the last two another, where
 * there are more than six. 0 stands for no driver.
 */
static void put_driver(struct wl_table *out, const char *version)
{
	size_t n = version ? strlen(version) : 0;
	int middle = n > 6 ? (int)n - 5 : (int)n - 3;
	char dotted[32];

	if (n < 5 || n > 8 || strspn(version, "0123456789") != n) {
		put(out, "driver", version && strcmp(version, "0") != 0 ? version : NULL);
		return;
	}
	(void)snprintf(dotted, sizeof(dotted), "%.3s.%.*s%s%s", version, middle, version + 3,
		       n > 6 ? "." : "", version + 3 + middle);
	put(out, "driver", dotted);
}

/* "5 files, 8 ranks, 1 host, SLURM_JOB_ID 165592" */
static void put_job(struct wl_table *out, const struct wl_trace *t)
{
	size_t n_hosts = 0;
	char buf[240], ranks[48] = "";

	if (t->n_files == 0)
		return;
	for (size_t i = 0; i < t->n_files; i++) {
		size_t k = 0;

		/* Files of a host follow each other as a rule. */
		while (k < i && t->files[i - 1 - k].host != t->files[i].host)
			k++;
		n_hosts += k == i;
	}
	if (t->world)
		(void)snprintf(ranks, sizeof(ranks), ", %lld ranks", (long long)t->world);
	(void)snprintf(buf, sizeof(buf), "%zu file%s%s, %zu host%s%s%s", t->n_files,
		       t->n_files == 1 ? "" : "s", ranks, n_hosts, n_hosts == 1 ? "" : "s",
		       t->job == WL_NONE ? "" : ", ", t->job == WL_NONE ? "" : wl_str(t, t->job));
	put(out, "job", buf);
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	const struct wl_trace *t = r->trace;
	const char *command = wl_command_line(t, r->arena);

	if (!command)
		return wl_no_memory(&wl_analysis_about, reterr);
	put(out, "exported by nsys", wl_trace_meta(t, "EXPORT_PRODUCT_VERSION"));
	put(out, "schema", wl_trace_meta(t, "EXPORT_SCHEMA_VERSION"));
	put(out, "report", wl_trace_meta(t, "EXPORT_PARAM_INPUT_FILE"));
	put(out, "command", command);
	put_job(out, t);
	put(out, "host", t->host == WL_NONE ? NULL : wl_str(t, t->host));
	put(out, "system", wl_trace_meta(t, "OsDescription"));
	put_driver(out, wl_trace_meta(t, "NvDriverVersion"));
	put_start(out, t);
	put_duration(out, t);
	if (t->n_repaired)
		wl_table_note(out, "names that held invalid UTF-8, which was replaced: %zu",
			      t->n_repaired);
	if (t->n_mistyped)
		wl_table_note(out,
			      "%zu cells held a value that does not fit their column: read as "
			      "absent",
			      t->n_mistyped);
	return WL_OK;
}

const struct wl_analysis wl_analysis_about = {
	.name = "about",
	.help = "Show the facts that the file states about itself",
	.on_host = true,
	.on_reading = true,
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.run = run,
};
