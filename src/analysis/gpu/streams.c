/* SPDX-License-Identifier: MIT */
/* streams.c - the class and the purpose of each stream. */
#include "analysis/analysis.h"
#include "derive/derived.h"
#include "derive/kinds/stream_use.h"
#include "derive/nvtx/ranks.h"
#include "derive/nvtx/stages.h"

WL_DECLARE_ANALYSIS(streams);

enum { DEVICE, PID, CONTEXT, STREAM, CLASS, PURPOSE, OPS, KERNELS, BUSY, COMM_SHARE, RANK };

static const struct wl_col cols[] = {
	[DEVICE] = { "device", "GPU", WL_T_COUNT, WL_KEY, "Device, numbered as in info." },
	[PID] = { "pid", "PID", WL_T_COUNT, WL_KEY, "Process that owns the stream." },
	[CONTEXT] = { "context", "Context", WL_T_COUNT, WL_KEY,
		      "CUDA context; stream numbers are its own." },
	[STREAM] = { "stream", "Stream", WL_T_COUNT, WL_KEY, "CUDA stream; empty if unknown." },
	[CLASS] = { "class", "Class", WL_T_ENUM, WL_PLAIN,
		    "copy (no kernel), comm (every kernel communicates) or compute." },
	[PURPOSE] = { "purpose", "Purpose", WL_T_STR, WL_PLAIN,
		      "Purpose of a communication stream, from the NVTX ranges around its "
		      "launches." },
	[OPS] = { "ops", "Operations", WL_T_COUNT, WL_PLAIN,
		  "GPU operations with a part in the window." },
	[KERNELS] = { "kernels", "Kernels", WL_T_COUNT, WL_PLAIN, "Kernels on the stream." },
	[BUSY] = { "busy", "Busy", WL_T_NS, WL_SUM,
		   "Time in which any operation of the stream runs." },
	[COMM_SHARE] = { "comm_share", "Comm share", WL_T_RATIO, WL_MINOR,
			 "Communicating share of the sum of its kernels." },
	[RANK] = { "rank", "Rank", WL_T_COUNT, WL_MINOR,
		   "Rank of the process, where one is known." },
};

static const struct wl_param params[] = {
	WL_PARAM_BEGIN("classify_streams"),
	WL_PARAM_END("classify_streams"),
};

static const enum wl_column_id needs_any[] = { WL_OP_STARTS, WL_N_COLUMNS };

static const struct wl_alias aliases[] = {
	/*
	 * The script of this name reads the middle chunk of PithTrain (docs/why-numbers-differ.md).
	 */
	{ "classify_streams",
	  { { "conventions", "pithtrain" },
	    { "window", "middle" },
	    { "columns", "pid,rank,device,stream,class,purpose,kernels" },
	    { "limit", "0" } } },
	{ .name = "stream_concurrency" },
	{ .name = NULL },
};

static const struct wl_example examples[] = {
	{ "warplens streams run.sqlite", "Which streams compute, communicate and copy." },
	{ "warplens streams run.sqlite --where 'class = compute and comm_share > 0'",
	  "Communication on streams that also compute." },
	{ NULL, NULL },
};

static const char *purpose_name(const struct wl_stream_use *use, const struct wl_stages *stages)
{
	if (use->has_mixed_ones)
		return "mixed";
	return use->purpose == WL_NONE ? "unknown" : stages->text[use->purpose];
}

static void put_row(struct wl_table *out, const struct wl_derived *derived,
		    const struct wl_place *p, const struct wl_stream_use *use)
{
	enum wl_stream_class class = wl_stream_class_of(use);
	int64_t rank = derived->ranks->of[p->process];

	wl_table_row(out);
	wl_put_i64(out, DEVICE, p->device);
	wl_put_i64(out, PID, derived->trace->processes[p->process].pid);
	if (p->context != WL_NONE)
		wl_put_i64(out, CONTEXT, p->context);
	if (p->stream != WL_NONE)
		wl_put_i64(out, STREAM, p->stream);
	wl_put_str(out, CLASS, wl_stream_class_name(class));
	if (class == WL_STREAM_COMM)
		wl_put_str(out, PURPOSE, purpose_name(use, derived->stages));
	wl_put_i64(out, OPS, (int64_t)use->n_ops);
	wl_put_i64(out, KERNELS, (int64_t)use->n_kernels);
	wl_put_i64(out, BUSY, use->busy);
	wl_put_ratio(out, COMM_SHARE, use->comm_sum, use->kernel_sum);
	if (rank >= 0)
		wl_put_i64(out, RANK, rank);
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	const struct wl_trace *t = r->trace;
	const struct wl_stream_use *use = NULL;
	struct wl_streams streams;

	if (wl_streams_find(t, r->arena, &streams))
		use = wl_stream_use_find(r->derived, r->scope, &streams, r->arena);
	if (!use)
		return wl_no_memory(&wl_analysis_streams, reterr);
	for (size_t i = 0; i < streams.n; i++) {
		/*
		 * The class is derived from the operations in the window: without any there is no
		 * class.
		 */
		if (use[i].n_ops)
			put_row(out, r->derived, &t->places[streams.place[i]], &use[i]);
	}
	return WL_OK;
}

static const struct wl_form forms[] = { { WL_FORM("overlap", "classes"), .beside = "by=stream" },
					{ .verb = NULL } };

const struct wl_analysis wl_analysis_streams = {
	.name = "streams",
	.topic = WL_TOPIC_TIME,
	.forms = forms,
	.help = "Classify streams: compute, communicate, copy",
	.about = "A stream without kernels and graph replays is copy. Else it is comm if all its "
		 "kernels communicate, and compute otherwise. A graph replay that was recorded "
		 "whole counts as a kernel that computes. The purpose of a comm stream comes from "
		 "the NVTX ranges around the launches of its kernels, by the conventions of the "
		 "framework: mixed if they disagree, unknown without one. Rows are sorted by "
		 "device, process, context and stream.",
	.needs_any = needs_any,
	.from = WL_FROM(STAGES) | WL_FROM(STREAM_USE) | WL_FROM(RANKS),
	.params = params,
	.n_params = WL_COUNT(params),
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.aliases = aliases,
	.examples = examples,
	.run = run,
};
