/* SPDX-License-Identifier: MIT */
/* clocks.c - the clocks of a job's hosts. */
#include "analysis/analysis.h"
#include "derive/comm/hosts.h"
#include "derive/derived.h"

WL_DECLARE_ANALYSIS(clocks);

enum { HOST, FILES, CLOCK, OFFSET, DRIFT, RESIDUAL, ANCHORS, VIOLATIONS };

static const struct wl_col cols[] = {
	[HOST] = { "host", "Host", WL_T_STR, WL_KEY, "Name of the machine; empty if unknown." },
	[FILES] = { "files", "Files", WL_T_COUNT, WL_PLAIN, "Files of the job from this host." },
	[CLOCK] = { "clock", "Clock", WL_T_ENUM, WL_PLAIN,
		    "utc: as its files say; fitted: on ends of collectives; refused: ends "
		    "contradict any clock." },
	[OFFSET] = { "offset", "Offset", WL_T_NS, WL_CHANGE,
		     "What was added to UTC; empty where nothing was fitted." },
	[DRIFT] = { "drift_ppb", "Drift ppb", WL_T_COUNT, WL_NUMBER | WL_CHANGE,
		    "Parts per billion by which its clock was made faster." },
	[RESIDUAL] = { "residual", "Residual", WL_T_NS, WL_PLAIN,
		       "99th percentile of how far the host is from the median of all hosts when a "
		       "collective ends." },
	[ANCHORS] = { "anchors", "Anchors", WL_T_COUNT, WL_PLAIN,
		      "Collectives with members on other hosts that this was measured on." },
	[VIOLATIONS] = { "violations", "Violations", WL_T_COUNT, WL_PLAIN,
			 "Members here that leave such a collective before the last one has "
			 "arrived, with the clocks as they are." },
};

/* Processes become known from rows. */
static const enum wl_column_id uses[] = { WL_KERNELS_PLACE, WL_N_COLUMNS };

static const char *const states[] = {
	[WL_CLOCK_UTC] = "utc", [WL_CLOCK_FITTED] = "fitted", [WL_CLOCK_REFUSED] = "refused"
};

static void put_host(const struct wl_run *r, struct wl_table *out, uint32_t host, int64_t n_files)
{
	const struct wl_trace *t = r->trace;
	uint32_t process = r->derived->hosts->process[host];
	const struct wl_trace_file *f = &t->files[t->processes[process].file];

	wl_table_row(out);
	if (f->host != WL_NONE)
		wl_put_str(out, HOST, wl_str(t, f->host));
	wl_put_i64(out, FILES, n_files);
	wl_put_str(out, CLOCK, states[f->clock_state]);
	if (f->clock_state == WL_CLOCK_UTC)
		return;
	/*
	 * A refused clock contradicts the collective ends it was fitted to: its offset and drift
	 * are not applied.
	 */
	if (f->clock_state == WL_CLOCK_FITTED) {
		wl_put_i64(out, OFFSET, f->fitted);
		wl_put_i64(out, DRIFT, f->drift);
	}
	wl_put_i64(out, RESIDUAL, f->residual);
	wl_put_i64(out, ANCHORS, f->anchors);
	wl_put_i64(out, VIOLATIONS, f->violations);
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	const struct wl_trace *t = r->trace;
	const struct wl_hosts *hosts = r->derived->hosts;
	int64_t *n_files = WL_NEW(r->arena, int64_t, hosts->n);
	bool *seen = WL_NEW(r->arena, bool, t->n_files);

	if (!n_files || !seen)
		return wl_no_memory(&wl_analysis_clocks, reterr);
	for (size_t i = 0; t->n_files && i < t->n_processes; i++) {
		n_files[hosts->of[i]] += !seen[t->processes[i].file];
		seen[t->processes[i].file] = true;
	}
	for (uint32_t i = 0; t->n_files && i < hosts->n; i++)
		put_host(r, out, i, n_files[i]);
	return WL_OK;
}

const struct wl_analysis wl_analysis_clocks = {
	.name = "clocks",
	.help = "Show how the clocks of a job's hosts were made one",
	.about = "Times of one host need no correction beyond UTC. Between hosts, offset and drift "
		 "follow from the ends of matched collectives that all members leave together.",
	.on_host = true,
	.of_file = true,
	.uses = uses,
	.from = WL_FROM(HOSTS),
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.facts = WL_FACTS_RUN,
	.run = run,
};
