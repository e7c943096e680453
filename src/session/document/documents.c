/* SPDX-License-Identifier: MIT */
/* documents.c - the sections of summary and info. */
#include <string.h>

#include "analysis/gpu/roofline.h"
#include "analysis/measured.h"
#include "session/document/document_info.h"

static const struct wl_split gpus = {
	.subject = "GPU",
	.label = "device",
	.whole = "window",
	.parts = { "compute", "exposed_comm", "exposed_copy", "idle" },
};

static const char *const more_names[] = { "device", "pp", "dp", "tp", "cp", "ep", "host", NULL };

static const struct wl_split ranks = {
	.subject = "Rank",
	.label = "rank",
	.whole = "window",
	.parts = { "compute", "wait", "transfer", "exposed_copy", "idle" },
	.why = "why",
	.late = "lateness",
	.saving = "saving",
	.names = more_names,
};

static const struct wl_section_info summary_sections[] = {
	{ .title = "What to do next", .analysis = "findings", .limit = 5, .full = "all" },
	{ .title = "Where the time goes", .analysis = "budget" },
	{ .title = "By GPU", .analysis = "overlap", .needed = true, .limit = 8, .split = &gpus },
	{ .title = "By rank",
	  .analysis = "ranks",
	  .only_in_job = true,
	  .limit = 16,
	  .split = &ranks },
	{ .title = "Top kernels", .analysis = "kernels", .limit = 5, .args = { NULL, "name" } },
	{ .title = "Roofline",
	  .analysis = "roofline",
	  .limit = 5,
	  .only_with_ncu = true,
	  .chart = &wl_roofline_chart },
	{ .title = "Why there is no GPU work", .analysis = "reasons", .of = WL_OF_HOST },
	{ .title = "Recorded on the host", .analysis = "host", .of = WL_OF_HOST, .needed = true },
	{ .title = "Top functions",
	  .analysis = "stacks",
	  .of = WL_OF_HOST,
	  .limit = 5,
	  .args = { "all", "function" },
	  .sort = "self" },
	{ .title = "Threads", .analysis = "threads", .of = WL_OF_HOST, .limit = 5 },
	{ .title = "Not recorded", .analysis = "limits", .of = WL_OF_ANY },
	{ .title = "GPU busy over time", .analysis = "busy" },
	{ .title = "Streams", .analysis = "streams", .limit = 8, .only_in_full = true },
	{ .title = "Profiler's own diagnostics",
	  .analysis = "diagnostics",
	  .of = WL_OF_HOST,
	  .limit = 8 },
};

static const struct wl_param summary_params[] = {
	{ .key = "all",
	  .type = WL_P_BOOL,
	  .stands_for = "verbose",
	  .help = "Print all tables in full, and findings below 1% of the step." },
	WL_PARAM_NCU,
};

static const struct wl_alias summary_aliases[] = {
	{ "profile_health_manifest", { { "format", "json" } } },
	{ .name = NULL },
};

static const struct wl_example summary_examples[] = {
	{ "warplens run.sqlite", "The first look; summary is the default verb." },
	{ "warplens run.sqlite -v", "All tables, with the streams of each GPU." },
	{ "warplens summary run.sqlite -f md", "The same for a pull request." },
	{ "warplens run.sqlite --ncu run.ncu-rep", "With how near to their roofs kernels are." },
	{ "warplens summary run.sqlite slow.sqlite", "Several traces: a line for each." },
	{ "warplens summary --job run.sqlite", "The files of a job, one or more, as one trace." },
	{ NULL, NULL },
};

/* What several.c makes a row of. */
static const struct wl_section_info several_sections[] = {
	{ .title = "Findings", .analysis = "findings", .limit = 1 },
	{ .title = "By GPU", .analysis = "overlap", .needed = true },
};

static const struct wl_document_info wl_document_several = {
	.name = "summary",
	.sections = several_sections,
	.n_sections = WL_COUNT(several_sections),
};

static const struct wl_document_info wl_document_summary = {
	.name = "summary",
	.topic = WL_TOPIC_FIX,
	.listed = { .level = WL_LEVEL_SECOND,
		    .line = "Show the first screen (same as \"warplens TRACE\")" },
	.help = "Show where GPU time went, on one screen",
	.about = "What a step is and where its time goes, GPU busy over time, the three largest "
		 "findings with what fixing each saves and what to do, which GPUs or ranks differ "
		 "and why, the three kernels with the largest sums, and what was not recorded: on "
		 "a terminal, in at most 24 lines of 80 columns. Ranks that are alike are one row. "
		 "-v prints all tables in full; "
		 "--section prints one. With a report of Nsight Compute it also says how near "
		 "kernels come to their roofs. Several files are a job, if they prove to be one; "
		 "with --separate, or if they do not, each trace is a row of one table.",
	.several = &wl_document_several,
	.sections = summary_sections,
	.n_sections = WL_COUNT(summary_sections),
	.next = "findings",
	.next_of_host = "info",
	.params = summary_params,
	.n_params = WL_COUNT(summary_params),
	.aliases = summary_aliases,
	.examples = summary_examples,
};

static const struct wl_section_info info_sections[] = {
	{ .title = "Trace", .analysis = "about" },
	{ .title = "Files", .analysis = "files", .only_in_job = true, .limit = 32 },
	{ .title = "GPUs", .analysis = "gpus" },
	{ .title = "Processes", .analysis = "processes" },
	{ .title = "Clocks", .analysis = "clocks", .only_in_job = true, .limit = 32 },
	{ .title = "Coverage", .analysis = "coverage" },
	{ .title = "Dependencies", .analysis = "dependencies" },
	{ .title = "Waits between streams", .analysis = "waits", .limit = 16 },
	{ .title = "Not recorded", .analysis = "limits" },
	{ .title = "Recorded, not used", .analysis = "unused" },
	{ .title = "Profiler's own diagnostics", .analysis = "diagnostics", .limit = 8 },
	{ .title = "Tables", .analysis = "tables" },
};

static const struct wl_alias info_aliases[] = {
	{ .name = "doctor" },
	{ .name = NULL },
};

static const struct wl_example info_examples[] = {
	{ "warplens info run.sqlite", "What is in the trace, and what is not." },
	{ "warplens info run.sqlite --section gpus -f csv", "One of its tables." },
	{ NULL, NULL },
};

static const struct wl_document_info wl_document_info = {
	.name = "info",
	.topic = WL_TOPIC_LOOK,
	.listed = { .level = WL_LEVEL_SECOND,
		    .line = "What was recorded, on which machine, and what is missing" },
	.help = "Show what the trace holds and what it cannot answer",
	.about =
		"Versions, command, host and duration; GPUs and processes; how many operations can "
		"be joined to their launch; which waits are proven; what was not recorded, and "
		"what "
		"was and is not used; the profiler's own warnings; row counts by table.",
	.sections = info_sections,
	.n_sections = WL_COUNT(info_sections),
	.aliases = info_aliases,
	.examples = info_examples,
};

const struct wl_document_info *const wl_documents[] = {
#define WL_DOCUMENT(name) &wl_document_##name,
#include "session/document/documents.def"
#undef WL_DOCUMENT
};

const size_t wl_n_documents = WL_COUNT(wl_documents);

bool wl_document_is_of_file(const struct wl_document_info *d)
{
	for (size_t i = 0; i < d->n_sections; i++) {
		if (!wl_analysis_get(d->sections[i].analysis)->of_file)
			return false;
	}
	return true;
}

const struct wl_document_info *wl_document_find(const char *name)
{
	for (size_t i = 0; i < wl_n_documents; i++) {
		if (strcmp(wl_documents[i]->name, name) == 0)
			return wl_documents[i];
	}
	return NULL;
}
