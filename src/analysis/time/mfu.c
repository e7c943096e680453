/* SPDX-License-Identifier: MIT */
/* mfu.c - the share of the GPUs' peak that a step or an NVTX range achieves. */
#include "analysis/time/mfu_rows.h"

WL_DECLARE_ANALYSIS(mfu);

#define C(name) WL_MFU_COL_##name

static const struct wl_col cols[] = {
	[C(ITER)] = { "iter", "Step", WL_T_COUNT, WL_KEY,
		      "Step, counted from 0; --window iter:N selects it." },
	[C(RANGE)] = { "range", "Range", WL_T_STR, WL_KEY, "Pattern of the NVTX ranges' names." },
	[C(STAGE)] = { "stage", "Stage", WL_T_STR, WL_KEY,
		       "Stage, or (none) for operations without one." },
	[C(PHASE)] = { "phase", "Phase", WL_T_STR, WL_KEY, "Phase of the map." },
	[C(PIECES)] = { "pieces", "Pieces", WL_T_COUNT, WL_MINOR,
			"Pairs of a step, a range or a stage, and a GPU; times are means over "
			"them." },
	[C(WALL)] = { "wall", "Wall", WL_T_NS, WL_PLAIN,
		      "Period of the step; first start to last end of a range's operations; "
		      "a stage has none." },
	[C(BUSY)] = { "busy", "GPU busy", WL_T_NS, WL_PLAIN, "Time with any operation under way." },
	[C(KERNEL_SUM)] = { "kernel_sum", "Kernel sum", WL_T_NS, WL_PLAIN,
			    "Sum of the durations of compute kernels; empty if CUDA graphs were "
			    "recorded whole." },
	[C(FLOPS)] = { "theoretical_flops", "FLOPs", WL_T_REAL, WL_MINOR,
		       "FLOPs of one step or range over all GPUs of the job, or of a stage." },
	[C(TFLOPS)] = { "tflops", "TFLOP/s", WL_T_REAL, WL_PLAIN,
			"FLOPs of one GPU over the wall time." },
	[C(PEAK)] = { "peak_tflops", "Peak", WL_T_REAL, WL_MINOR,
		      "Dense peak of one GPU for the data type, in TFLOP/s." },
	[C(MFU)] = { "mfu", "MFU", WL_T_RATIO, WL_PLAIN,
		     "Model FLOPs utilisation of the wall time." },
	[C(MFU_BUSY)] = { "mfu_busy", "MFU busy", WL_T_RATIO, WL_PLAIN,
			  "The same of the busy time." },
	[C(MFU_KERNELS)] = { "mfu_kernels", "MFU kernels", WL_T_RATIO, WL_PLAIN,
			     "The same of the sum of compute kernels." },
	[C(HFU)] = { "hfu", "HFU", WL_T_RATIO, WL_PLAIN,
		     "Hardware FLOPs utilisation of the wall time: with FLOPs computed again." },
	[C(HFU_BUSY)] = { "hfu_busy", "HFU busy", WL_T_RATIO, WL_PLAIN,
			  "The same of the busy time; of counters." },
	[C(HFU_KERNELS)] = { "hfu_kernels", "HFU kernels", WL_T_RATIO, WL_PLAIN,
			     "The same of the sum of compute kernels; of counters." },
};

static const char *const passes[] = { "train", "forward", NULL };
static const char *const attentions[] = { "causal", "full", NULL };
static const char *const rows[] = { "step", "range", "stage", "phase", NULL };
static const char *const recomputes[] = { "none", "attention", "full", NULL };

static const struct wl_param params[] = {
	[WL_MFU_FLOPS] = { .key = "flops",
			   .type = WL_P_STR,
			   .many = true,
			   .alias = "theoretical-flops",
			   .help = "FLOPs of a step over all GPUs (1.5e15, 1.5P), or of each range "
				   "with NAME in its name; may be given several times." },
	[WL_MFU_MODEL] = { .key = "model",
			   .type = WL_P_DOC,
			   .help = "FLOPs from the shape of a model, in the form of Hugging Face's "
				   "config.json." },
	[WL_MFU_SHAPE] = { .key = "shape",
			   .type = WL_P_STR,
			   .help = "The same from layers, hidden, heads, kv_heads, ffn, vocab, "
				   "gated "
				   "and other keys of a config.json." },
	[WL_MFU_TOKENS] = { .key = "tokens",
			    .type = WL_P_COUNT,
			    .help = "Tokens of a step, or of a range, over all GPUs." },
	[WL_MFU_SEQ] = { .key = "seq",
			 .type = WL_P_COUNT,
			 .alias = "seq-len",
			 .help = "Tokens of a sequence, which attention goes over." },
	[WL_MFU_PASS] = { .key = "pass",
			  .type = WL_P_ENUM,
			  .def = "train",
			  .choices = passes,
			  .help = "Training is three times the forward pass." },
	[WL_MFU_ATTENTION] = { .key = "attention",
			       .type = WL_P_ENUM,
			       .def = "causal",
			       .choices = attentions,
			       .help = "Whether causal attention counts half, or as full." },
	[WL_MFU_RECOMPUTE] = { .key = "recompute",
			       .type = WL_P_ENUM,
			       .def = "none",
			       .choices = recomputes,
			       .help = "Forward work that training does again, for HFU." },
	[WL_MFU_DTYPE] = { .key = "dtype",
			   .type = WL_P_ENUM,
			   .def = "bf16",
			   .choices = wl_dtype_names,
			   .help = "Data type of the matrices, which decides the peak." },
	[WL_MFU_PEAK] = { .key = "peak",
			  .type = WL_P_STR,
			  .alias = "peak-tflops",
			  .help = "Dense peak of one GPU in TFLOP/s, instead of the known one." },
	[WL_MFU_GPUS] = { .key = "gpus",
			  .type = WL_P_COUNT,
			  .alias = "num-gpus",
			  .help = "GPUs of the job; without it those of the trace." },
	[WL_MFU_RANGE] = { .key = "range",
			   .type = WL_P_STR,
			   .help = "NVTX ranges with NAME in their names instead of steps; or "
				   "re:REGEX." },
	[WL_MFU_NCU] = { .key = "ncu",
			 .type = WL_P_DOC,
			 .is_ncu = true,
			 .help = "FLOPs that kernels executed, from a report of Nsight Compute; "
				 "for "
				 "HFU." },
	[WL_MFU_BY] = { .key = "by",
			.type = WL_P_ENUM,
			.choices = rows,
			.help = "What rows are; without it as other options imply, else steps." },
	[WL_MFU_PHASE_MAP] = { .key = "phase-map",
			       .type = WL_P_DOC,
			       .alias = "phases-json",
			       .help = "Phases, as in the verb phases: a JSON object with patterns "
				       "of ranges' names." },
};

static const struct wl_alias aliases[] = {
	{ .name = "region_mfu" },
	{ .name = "theoretical_flops" },
	{ .name = NULL },
};

static const struct wl_example examples[] = {
	{ "warplens mfu run.sqlite --flops 10T", "MFU of each step, of known FLOPs." },
	{ "warplens mfu run.sqlite --flops forward=3T --flops backward=6T",
	  "MFU of NVTX ranges by their names." },
	{ "warplens mfu run.sqlite --ncu measured.csv", "HFU from counters of ncu." },
	{ "warplens mfu run.sqlite --ncu measured.csv --by stage", "The same of each stage." },
	{ NULL, NULL },
};

static const enum wl_column_id needs_any[] = { WL_OP_STARTS, WL_N_COLUMNS };

#define BIT(col) (UINT64_C(1) << (col))

static int check(const union wl_arg *arg, struct wl_err *reterr)
{
	struct wl_mfu_inputs in;

	return wl_mfu_inputs_read(arg, &in, reterr);
}

/* Arguments that check() refuses are treated as steps. */
static enum wl_mfu_by rows_of(const union wl_arg *arg)
{
	struct wl_mfu_inputs in;
	struct wl_err err;

	return wl_mfu_inputs_read(arg, &in, &err) == WL_OK ? in.by : WL_MFU_BY_STEP;
}

static void want(const union wl_arg *arg, struct wl_wanted *wanted)
{
	static const enum wl_column_id ranges[] = { WL_NVTX_START, WL_N_COLUMNS };
	static const enum wl_column_id ops[] = { WL_OP_STARTS, WL_N_COLUMNS };

	switch (rows_of(arg)) {
	case WL_MFU_BY_STEP:
		wl_want(wanted, WL_FROM(ITER_ACCOUNTS), NULL);
		break;
	case WL_MFU_BY_RANGE:
	case WL_MFU_BY_PHASE:
		wl_want(wanted, WL_FROM(REGIONS) | WL_FROM(RANGE_NAMES), ranges);
		break;
	case WL_MFU_BY_STAGE:
		wl_want(wanted,
			WL_FROM(LINKS) | WL_FROM(CLASSES) | WL_FROM(STAGES) | WL_FROM(FOREST), ops);
		break;
	}
	if (arg[WL_MFU_NCU].doc)
		wl_want(wanted, WL_FROM(CLASSES), wl_launch_group_columns);
}

static uint64_t hidden(const union wl_arg *arg)
{
	static const uint64_t key[] = { [WL_MFU_BY_STEP] = BIT(C(ITER)),
					[WL_MFU_BY_RANGE] = BIT(C(RANGE)),
					[WL_MFU_BY_STAGE] = BIT(C(STAGE)),
					[WL_MFU_BY_PHASE] = BIT(C(PHASE)) };
	const uint64_t mfu = BIT(C(MFU)) | BIT(C(MFU_BUSY)) | BIT(C(MFU_KERNELS));
	enum wl_mfu_by by = rows_of(arg);
	bool has_model = arg[WL_MFU_MODEL].doc || arg[WL_MFU_SHAPE].str;
	uint64_t bits = (BIT(C(ITER)) | BIT(C(RANGE)) | BIT(C(STAGE)) | BIT(C(PHASE))) & ~key[by];

	/* Operations of a stage are interleaved with those of other stages: it has no wall time. */
	if (by == WL_MFU_BY_STAGE)
		bits |= BIT(C(WALL)) | BIT(C(TFLOPS)) | BIT(C(HFU));
	if (arg[WL_MFU_NCU].doc)
		return bits | mfu;
	if (!arg[WL_MFU_FLOPS].str && !has_model)
		bits |= BIT(C(FLOPS)) | BIT(C(TFLOPS)) | mfu;
	if (arg[WL_MFU_FLOPS].str || arg[WL_MFU_RECOMPUTE].i64 == WL_RECOMPUTE_NONE || !has_model)
		bits |= BIT(C(HFU));
	return bits | BIT(C(HFU_BUSY)) | BIT(C(HFU_KERNELS));
}

/* The source of a row's FLOPs. */
static const char *const flops_of[] = {
	[WL_MFU_BY_STEP] = "--flops N, or --model FILE with --tokens and --seq, or --ncu FILE",
	[WL_MFU_BY_RANGE] =
		"--flops NAME=N, or --model FILE with --tokens and --seq, or --ncu FILE",
	[WL_MFU_BY_STAGE] = "a report of Nsight Compute with --ncu FILE",
	[WL_MFU_BY_PHASE] = "--flops PHASE=N, or --ncu FILE",
};

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	struct wl_mfu_answer a = { .run = r };
	struct wl_ncu_join join;
	const struct wl_json *doc = r->arg[WL_MFU_NCU].doc;
	int64_t gpus = r->arg[WL_MFU_GPUS].i64;
	int result = wl_mfu_inputs_read(r->arg, &a.in, reterr);

	if (result < 0)
		return result;
	/* A table of times without shares, with status 0, would look like an answer. */
	if (!a.in.has_flops && !doc)
		return wl_fail(reterr, WL_E_NODATA, "a trace has no FLOPs; give %s",
			       flops_of[a.in.by]);
	if (doc) {
		result = wl_ncu_join_find(r, doc, &join, reterr);
		if (result < 0)
			return result == WL_E_NOMEM ? wl_no_memory(&wl_analysis_mfu, reterr)
						    : result;
		a.join = &join;
	}
	/*
	 * All devices of the trace, not the selected ones: FLOPs are given for the job, and each
	 * GPU has an equal share.
	 */
	a.gpus = (double)(gpus > 0 ? gpus : (int64_t)r->trace->n_devices);
	result = wl_mfu_peak_find(r, &a.in, &a.peak, reterr);
	if (result == WL_OK)
		result = wl_mfu_rows_put(&a, out, reterr);
	return result == WL_E_NOMEM ? wl_no_memory(&wl_analysis_mfu, reterr) : result;
}

const struct wl_analysis wl_analysis_mfu = {
	.name = "mfu",
	.topic = WL_TOPIC_TIME,
	.listed = { .level = WL_LEVEL_SECOND, .line = "FLOPs utilisation of steps or ranges" },
	.across_ranks = true,
	.help = "Compare the FLOPs of steps or ranges with the GPUs' peak",
	.about =
		"MFU is the FLOPs of a step, or of an NVTX range, over a time, the dense peak of a "
		"GPU and the number of GPUs. Three times are shown: wall (a step's period; of a "
		"range, first start to last end of its operations), GPU busy (any operation under "
		"way) and the sum of compute kernels; each is a mean over GPUs. FLOPs are given, "
		"or "
		"come from the shape of a model (dense, GQA, MoE and MLA decoders), or from the "
		"counters of Nsight Compute, for HFU: FLOPs of each measured kernel times its "
		"launches in the step, refused below 90% of the compute kernel time. With them "
		"stages have a share, too, of the time in which they are busy. The peak "
		"comes "
		"from the GPU's name and --dtype, without sparsity; where it is unknown, or a "
		"share "
		"is above 100%, there is no answer but the inputs. The last step has no period and "
		"is left out. A range counts without those inside it that match, too.",
	.needs_any = needs_any,
	.want = want,
	.check = check,
	.hidden = hidden,
	.params = params,
	.n_params = WL_COUNT(params),
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.aliases = aliases,
	.examples = examples,
	.run = run,
};
