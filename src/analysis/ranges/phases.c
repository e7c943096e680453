/* SPDX-License-Identifier: MIT */
/* phases.c - host and GPU time by phase, where a user's map of range names defines the phases. */
#include "derive/use/phases.h"
#include "analysis/ranges/phase_map.h"
#include "analysis/ranges/range_rows.h"
#include "derive/derived.h"

WL_DECLARE_ANALYSIS(phases);

enum { PHASE, RANGES, HOST_BUSY, GPU_BUSY, GPU_SUM, SHARE, HOST_AVG, GPU_AVG };

static const struct wl_col cols[] = {
	[PHASE] = { "phase", "Phase", WL_T_STR, WL_KEY,
		    "Phase name, or (none) if no phase matches." },
	[RANGES] = { "ranges", "Ranges", WL_T_COUNT, WL_PLAIN,
		     "Outermost ranges of the phase with a part in the window." },
	[HOST_BUSY] = { "host_busy", "Host busy", WL_T_NS, WL_SUM,
			"Time in which a range of the phase was open, added up over threads." },
	[GPU_BUSY] = { "gpu_busy", "GPU busy", WL_T_NS, WL_SUM,
		       "Time in which an operation of the phase ran, added up over GPUs." },
	[GPU_SUM] = { "gpu_sum", "GPU sum", WL_T_NS, WL_SUM,
		      "Sum of the durations of the phase's operations." },
	[SHARE] = { "share", "Share", WL_T_RATIO, WL_PLAIN,
		    "Share of the sum over all operations in the window." },
	[HOST_AVG] = { "host_avg", "Host avg", WL_T_NS, WL_MINOR, "Host time of one range." },
	[GPU_AVG] = { "gpu_avg", "GPU avg", WL_T_NS, WL_PLAIN,
		      "GPU time of one range: the sum over the number of ranges." },
};

enum { MAP, NO_BRIDGE };

static const struct wl_param params[] = {
	[MAP] = { .key = "phase-map",
		  .type = WL_P_DOC,
		  .alias = "phases-json",
		  .help = "JSON object: for each phase an array of patterns, such as \"decode\" or "
			  "\"LLM:decode\", where LLM is an NVTX domain." },
	[NO_BRIDGE] = { .key = "no-bridge",
			.type = WL_P_BOOL,
			.help = "Look only at ranges of the thread that launched." },
};

static const struct wl_example examples[] = {
	{ "warplens phases run.sqlite --phase-map phases.json",
	  "Time by phase; the file may say {\"forward\": [\"forward\", \"re:^fwd[0-9]\"]}." },
	{ NULL, NULL },
};

/* Checks that the expected ranges exist and launched something. */
static void note_missing(const struct wl_phase_map *m, const struct wl_phases *phases,
			 struct wl_table *out)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct wl_phase *p = &phases->phase[i];

		if (p->ranges == 0)
			wl_table_note(out, "no push/pop range in the window matches %.100s",
				      m->phase[i]);
		else if (p->gpu_sum == 0)
			wl_table_note(out, "the ranges of %.100s launched no GPU work",
				      m->phase[i]);
	}
}

static void put_rows(const struct wl_phase_map *m, const struct wl_phases *phases,
		     struct wl_table *out)
{
	int64_t total = 0;

	/* Includes (none): shares then add up to all operations in the window. */
	for (size_t i = 0; i <= m->n; i++)
		total = wl_add_up(total, phases->phase[i].gpu_sum);
	for (size_t i = 0; i <= m->n; i++) {
		const struct wl_phase *p = &phases->phase[i];

		wl_table_row(out);
		wl_put_str(out, PHASE, i < m->n ? m->phase[i] : wl_phase_none);
		wl_put_i64(out, RANGES, (int64_t)p->ranges);
		wl_put_i64(out, HOST_BUSY, p->host_busy);
		wl_put_i64(out, GPU_BUSY, p->gpu_busy);
		wl_put_i64(out, GPU_SUM, p->gpu_sum);
		wl_put_ratio(out, SHARE, p->gpu_sum, total);
		if (i < m->n && p->ranges) {
			wl_put_i64(out, HOST_AVG, p->host_busy / (int64_t)p->ranges);
			wl_put_i64(out, GPU_AVG, p->gpu_sum / (int64_t)p->ranges);
		}
	}
	note_missing(m, phases, out);
	wl_table_cover(out, "operations_with_launch", (int64_t)phases->n_with_launch,
		       (int64_t)phases->n_ops);
}

static int count(const struct wl_phase_map *m, const struct wl_run *r, struct wl_table *out,
		 struct wl_err *reterr)
{
	const struct wl_range_names *names = r->derived->range_names;
	struct wl_phase_opts opts = { .n = m->n, .bridge = !r->arg[NO_BRIDGE].flag };
	struct wl_phases phases;

	opts.of = wl_phase_map_match(m, names, r->arena);
	if (!opts.of || !wl_phases_find(r->derived, r->scope, &opts, r->arena, &phases))
		return wl_no_memory(&wl_analysis_phases, reterr);
	put_rows(m, &phases, out);
	wl_range_note_window(r, out);
	return wl_range_names_check(names, reterr);
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	struct wl_phase_map m;
	int result = wl_phase_map_read("phases", r->arg[MAP].doc, r->arena, &m, reterr);

	if (result == WL_OK)
		result = count(&m, r, out, reterr);
	else if (result == WL_E_NOMEM)
		result = wl_no_memory(&wl_analysis_phases, reterr);
	wl_phase_map_release(&m);
	return result;
}

static const struct wl_form forms[] = { { WL_FORM("nvtx", "phase-map"), .value = "*" },
					{ .verb = NULL } };

const struct wl_analysis wl_analysis_phases = {
	.name = "phases",
	.topic = WL_TOPIC_TIME,
	.forms = forms,
	.help = "Sum host and GPU time by phases that you define",
	.about =
		"A phase is a set of push/pop ranges, by patterns of their names: part of the name "
		"in any case, or re: and a regular expression. LLM:decode also means decode in the "
		"NVTX domain LLM, and {\"domain\": \"LLM\"} all of it. A name belongs to the first "
		"phase of the map that matches it. An operation belongs to the outermost range "
		"around its launch that has a phase; the ranges open on the thread with most "
		"ranges are above those of the launching thread. Nested ranges count once. Rows "
		"are in the order of the map; (none) holds operations without a phase.",
	.needs = wl_range_needs,
	.needs_any = wl_range_counted,
	.from = WL_FROM(RANGE_NAMES) | WL_FROM(PHASES),
	.params = params,
	.n_params = WL_COUNT(params),
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.examples = examples,
	.run = run,
};
