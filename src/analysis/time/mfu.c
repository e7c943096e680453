/* SPDX-License-Identifier: MIT */
/* mfu.c - the share of the GPUs' peak that the FLOPs of a step or an NVTX range take. */
#include <inttypes.h>
#include <stdio.h>

#include "analysis/time/mfu_times.h"
#include "base/units.h"
#include "derive/iters/iters.h"
#include "derive/rows/stats.h"

enum {
	ITER,
	RANGE,
	PIECES,
	WALL,
	BUSY,
	KERNEL_SUM,
	FLOPS,
	TFLOPS,
	PEAK,
	MFU,
	MFU_BUSY,
	MFU_KERNELS,
	HFU
};

static const struct wl_col cols[] = {
	[ITER] = { "iter", "Step", WL_T_COUNT, WL_KEY,
		   "Step, counted from 0; --window iter:N selects it." },
	[RANGE] = { "range", "Range", WL_T_STR, WL_KEY, "Pattern of the NVTX ranges' names." },
	[PIECES] = { "pieces", "Pieces", WL_T_COUNT, WL_MINOR,
		     "Pairs of a step, or a range, and a GPU; times are means over them." },
	[WALL] = { "wall", "Wall", WL_T_NS, WL_PLAIN,
		   "Period of the step; first start to last end of a range's operations." },
	[BUSY] = { "busy", "GPU busy", WL_T_NS, WL_PLAIN, "Time with any operation under way." },
	[KERNEL_SUM] = { "kernel_sum", "Kernel sum", WL_T_NS, WL_PLAIN,
			 "Sum of the durations of compute kernels; empty if CUDA graphs were "
			 "recorded whole." },
	[FLOPS] = { "theoretical_flops", "FLOPs", WL_T_REAL, WL_MINOR,
		    "FLOPs of one step or range, over all GPUs of the job." },
	[TFLOPS] = { "tflops", "TFLOP/s", WL_T_REAL, WL_PLAIN,
		     "FLOPs of one GPU over the wall time." },
	[PEAK] = { "peak_tflops", "Peak", WL_T_REAL, WL_MINOR,
		   "Dense peak of one GPU for the data type, in TFLOP/s." },
	[MFU] = { "mfu", "MFU", WL_T_RATIO, WL_PLAIN, "Model FLOPs utilisation of the wall time." },
	[MFU_BUSY] = { "mfu_busy", "MFU busy", WL_T_RATIO, WL_PLAIN, "The same of the busy time." },
	[MFU_KERNELS] = { "mfu_kernels", "MFU kernels", WL_T_RATIO, WL_PLAIN,
			  "The same of the sum of compute kernels." },
	[HFU] = { "hfu", "HFU", WL_T_RATIO, WL_PLAIN,
		  "Hardware FLOPs utilisation of the wall time: with FLOPs computed again." },
};

static const char *const passes[] = { "train", "forward", NULL };
static const char *const attentions[] = { "causal", "full", NULL };
static const char *const recomputes[] = { "none", "attention", "full", NULL };

static const struct wl_param params[] = {
	[WL_MFU_FLOPS] = { .key = "flops",
			   .type = WL_P_STR,
			   .many = true,
			   .alias = "theoretical-flops",
			   .argument = "[NAME=]N",
			   .help = "FLOPs of a step over all GPUs (1.5e15, 1.5P), or of each range "
				   "with NAME in its name; may be given several times." },
	[WL_MFU_MODEL] = { .key = "model",
			   .type = WL_P_DOC,
			   .help = "FLOPs from the shape of a model, in the form of Hugging Face's "
				   "config.json." },
	[WL_MFU_SHAPE] = { .key = "shape",
			   .type = WL_P_STR,
			   .argument = "KEY=N,...",
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
			  .argument = "TFLOPS",
			  .help = "Dense peak of one GPU in TFLOP/s, instead of the known one." },
	[WL_MFU_GPUS] = { .key = "gpus",
			  .type = WL_P_COUNT,
			  .alias = "num-gpus",
			  .help = "GPUs of the job; without it those of the trace." },
	[WL_MFU_RANGE] = { .key = "range",
			   .type = WL_P_STR,
			   .argument = "NAME",
			   .help = "NVTX ranges with NAME in their names instead of steps; or "
				   "re:REGEX." },
	[WL_MFU_NCU] = { .key = "ncu",
			 .type = WL_P_DOC,
			 .is_ncu = true,
			 .help = "FLOPs that kernels executed, from a report of Nsight Compute; "
				 "for "
				 "HFU." },
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
	{ NULL, NULL },
};

static const enum wl_column_id needs_any[] = { WL_OP_STARTS, WL_N_COLUMNS };

#define BIT(col) (UINT64_C(1) << (col))

static int check(const union wl_arg *arg, struct wl_err *reterr)
{
	struct wl_mfu_inputs in;

	return wl_mfu_inputs_read(arg, &in, reterr);
}

/* Arguments that check() refuses have steps. */
static bool is_by_range(const union wl_arg *arg)
{
	struct wl_mfu_inputs in;
	struct wl_err err;

	return wl_mfu_inputs_read(arg, &in, &err) == WL_OK && in.by_range;
}

static void want(const union wl_arg *arg, struct wl_wanted *wanted)
{
	static const enum wl_column_id ranges[] = { WL_NVTX_START, WL_N_COLUMNS };
	bool by_range = is_by_range(arg);

	wl_want(wanted, by_range ? WL_FROM(REGIONS) | WL_FROM(RANGE_NAMES) : WL_FROM(ITER_ACCOUNTS),
		by_range ? ranges : NULL);
	if (arg[WL_MFU_NCU].doc)
		wl_want(wanted, WL_FROM(CLASSES), wl_launch_group_columns);
}

static uint64_t hidden(const union wl_arg *arg)
{
	uint64_t bits = is_by_range(arg) ? BIT(ITER) : BIT(RANGE);

	if (arg[WL_MFU_NCU].doc)
		return bits | BIT(MFU) | BIT(MFU_BUSY) | BIT(MFU_KERNELS);
	if (!arg[WL_MFU_FLOPS].str && !arg[WL_MFU_MODEL].doc && !arg[WL_MFU_SHAPE].str)
		bits |= BIT(FLOPS) | BIT(TFLOPS) | BIT(MFU) | BIT(MFU_BUSY) | BIT(MFU_KERNELS);
	if (arg[WL_MFU_FLOPS].str || arg[WL_MFU_RECOMPUTE].i64 == WL_RECOMPUTE_NONE ||
	    (!arg[WL_MFU_MODEL].doc && !arg[WL_MFU_SHAPE].str))
		bits |= BIT(HFU);
	return bits;
}

struct answering {
	const struct wl_run *run;
	struct wl_mfu_inputs in;
	struct wl_mfu_peak peak;
	double gpus;
	const struct wl_ncu_join *join; /* of --ncu; NULL */
	struct wl_mfu_times total;      /* of steps */
	size_t n_steps;
};

/* A step or the ranges of a pattern. */
struct row {
	char what[120]; /* for messages */
	const struct wl_mfu_times *t;
	const struct wl_mfu_region *region;
};

/* A column of shares: FLOPs over a time, which another column has. */
struct share {
	size_t col, time_col;
	wl_ns time; /* summed over pieces */
	double flops;
};

/* Bytes that flops_text() writes at most. */
enum { FLOPS_BUF = WL_UNITS_BUF + 8 };

/* "51.47 GFLOP", "1.0 PFLOP"; returns buf. */
static const char *flops_text(char buf[FLOPS_BUF], double flops)
{
	static const char *const units[] = { "", "K", "M", "G", "T", "P", "E", "Z" };
	char number[WL_UNITS_BUF];
	size_t unit = 0;

	for (; flops >= 1000 && unit + 1 < WL_COUNT(units); unit++)
		flops /= 1000;
	(void)wl_fmt_real(number, flops);
	/* "1.0 PFLOP": one digit alone looks like a rounded number. */
	(void)snprintf(buf, FLOPS_BUF, "%s%s %sFLOP", number, number[1] ? "" : ".0", units[unit]);
	return buf;
}

/* Above 1 something that was given is wrong; a time of 0 has no share. */
static int put_share(const struct answering *a, const struct row *row, struct share s,
		     struct wl_table *out, struct wl_err *reterr)
{
	double pieces = (double)row->t->pieces;
	double share = s.flops / a->gpus * pieces / (a->peak.tflops * 1e3 * (double)s.time);
	char ns[WL_UNITS_BUF], part[WL_UNITS_BUF], peak[FLOPS_BUF], flops[FLOPS_BUF];

	if (s.time <= 0)
		return WL_OK;
	if (share > 1)
		return wl_fail(reterr, WL_E_USAGE,
			       "mfu: %s would take %s of the peak (%s %s): %s on %.0f GPU%s of "
			       "%s/s (%.60s, %s); check --%s, --gpus and --dtype",
			       row->what, wl_fmt_ratio(part, share), cols[s.time_col].title,
			       wl_fmt_ns(ns, s.time / (wl_ns)row->t->pieces, WL_UNIT_AUTO),
			       flops_text(flops, s.flops), a->gpus, a->gpus > 1 ? "s" : "",
			       flops_text(peak, a->peak.tflops * 1e12),
			       a->peak.gpu ? a->peak.gpu : "--peak",
			       wl_dtype_names[a->run->arg[WL_MFU_DTYPE].i64],
			       a->join           ? "ncu"
			       : a->in.has_model ? "tokens"
						 : "flops");
	wl_put_f64(out, s.col, share);
	return WL_OK;
}

static int put_shares(const struct answering *a, const struct row *row, struct wl_table *out,
		      struct wl_err *reterr)
{
	const struct wl_mfu_times *t = row->t;
	const double flops = row->region->flops;
	const struct share shares[] = {
		{ MFU, WALL, t->wall, flops },
		{ MFU_BUSY, BUSY, t->busy, flops },
		{ MFU_KERNELS, KERNEL_SUM, t->n_graphs ? 0 : t->kernels, flops },
		{ HFU, WALL, t->wall, row->region->hardware },
	};
	int r = WL_OK;

	wl_put_f64(out, FLOPS, flops);
	if (t->wall > 0)
		wl_put_f64(out, TFLOPS,
			   flops / a->gpus * (double)t->pieces / (1e3 * (double)t->wall));
	for (size_t i = 0; r == WL_OK && i < WL_COUNT(shares); i++)
		r = put_share(a, row, shares[i], out, reterr);
	return r;
}

/*
 * Counters include what is computed again: HFU. Those of the trace's GPUs are all there are, so
 * that each piece counts with its own, whatever --gpus says.
 */
static int put_measured(const struct answering *a, const struct row *row, struct wl_table *out,
			struct wl_err *reterr)
{
	const struct wl_mfu_times *t = row->t;
	/* put_share() divides by the GPUs of the job and multiplies by the pieces. */
	const double flops = t->flops * a->gpus / (double)t->pieces;

	wl_put_f64(out, FLOPS, t->flops);
	if (t->wall > 0)
		wl_put_f64(out, TFLOPS, t->flops / (1e3 * (double)t->wall));
	return put_share(a, row, (struct share){ HFU, WALL, t->wall, flops }, out, reterr);
}

/* The cells behind the keys. */
static int put_row(const struct answering *a, const struct row *row, struct wl_table *out,
		   struct wl_err *reterr)
{
	const struct wl_mfu_times *t = row->t;
	const wl_ns n = (wl_ns)t->pieces;

	wl_put_i64(out, PIECES, n);
	if (a->peak.tflops > 0)
		wl_put_f64(out, PEAK, a->peak.tflops);
	if (n == 0)
		return WL_OK;
	wl_put_i64(out, WALL, t->wall / n);
	wl_put_i64(out, BUSY, t->busy / n);
	if (t->n_graphs == 0)
		wl_put_i64(out, KERNEL_SUM, t->kernels / n);
	if (a->join)
		return put_measured(a, row, out, reterr);
	return a->in.has_flops ? put_shares(a, row, out, reterr) : WL_OK;
}

static void add_step(struct answering *a, const struct wl_mfu_times *t)
{
	a->total.pieces += t->pieces;
	a->total.wall = wl_add_up(a->total.wall, t->wall);
	a->total.kernels = wl_add_up(a->total.kernels, t->kernels);
	a->total.measured = wl_add_up(a->total.measured, t->measured);
	a->total.n_graphs += t->n_graphs;
	a->total.flops += t->flops;
	a->n_steps++;
}

/* "4 steps: MFU 25.0% of the wall time" */
static void note_total(const struct answering *a, struct wl_table *out)
{
	char mfu[WL_UNITS_BUF];

	if (!a->in.has_flops || a->total.wall <= 0)
		return;
	wl_table_note(out, "%zu steps: MFU %s of the wall time", a->n_steps,
		      wl_fmt_ratio(mfu, a->in.region[0].flops / a->gpus * (double)a->total.pieces /
						(a->peak.tflops * 1e3 * (double)a->total.wall)));
}

/* Less of the kernel time than this says too little of the rest. */
static const double least_measured = 0.9;

/* How much of the steps was measured; too little is refused. */
static int check_measured(const struct answering *a, struct wl_table *out, struct wl_err *reterr)
{
	const struct wl_mfu_times *t = &a->total;
	double part = t->kernels > 0 ? (double)t->measured / (double)t->kernels : 0;
	char share[WL_UNITS_BUF], least[WL_UNITS_BUF], hfu[WL_UNITS_BUF];

	if (t->n_graphs)
		return wl_fail(reterr, WL_E_USAGE,
			       "mfu: --ncu: CUDA graphs were recorded whole, their kernels are not "
			       "known; record with --cuda-graph-trace=node");
	if (part < least_measured)
		return wl_fail(
			reterr, WL_E_USAGE,
			"mfu: --ncu: the report counts the FLOPs of %s of the steps' compute "
			"kernel time, and %s is the least; measure more kernels (warplens ncu "
			"FILE --trace TRACE lists those that are missing)",
			wl_fmt_ratio(share, part), wl_fmt_ratio(least, least_measured));
	wl_table_cover_ns(out, "kernel_time_measured", t->measured, t->kernels);
	if (t->wall > 0)
		wl_table_note(
			out,
			"%zu steps: HFU %s of the wall time, with FLOPs of %s of the compute "
			"kernel time; counters include recomputation and padding",
			a->n_steps,
			wl_fmt_ratio(hfu, t->flops / (a->peak.tflops * 1e3 * (double)t->wall)),
			wl_fmt_ratio(share, part));
	return WL_OK;
}

static int put_steps(struct answering *a, struct wl_table *out, struct wl_err *reterr)
{
	const struct wl_run *run = a->run;
	const struct wl_iterations *found = run->derived->iterations;
	const char *const *note;
	const struct wl_mfu_times *of;
	size_t n = 0;
	int r = WL_OK;

	if (found->problem)
		return wl_fail(reterr, WL_E_USAGE, "--marker %.200s: %s", run->derived->opts.marker,
			       found->problem);
	if (found->n_found == 0)
		return wl_fail(reterr, WL_E_NODATA, "mfu: %s", wl_no_iterations);
	of = wl_mfu_steps_find(run, a->join, &n);
	note = wl_iterations_notes(run->trace, found, run->scope->process_on, run->arena);
	if (!of || !note)
		return wl_no_memory(&wl_analysis_mfu, reterr);
	for (size_t i = 0; r == WL_OK && i < n; i++) {
		struct row row = { .t = &of[i], .region = &a->in.region[0] };

		if (of[i].pieces == 0)
			continue;
		(void)snprintf(row.what, sizeof(row.what), "step %zu", i);
		wl_table_row(out);
		wl_put_i64(out, ITER, (int64_t)i);
		r = put_row(a, &row, out, reterr);
		add_step(a, &of[i]);
	}
	if (r == WL_OK && a->join)
		r = check_measured(a, out, reterr);
	note_total(a, out);
	for (; *note; note++)
		wl_table_note(out, "%s", *note);
	return r;
}

static int put_ranges(struct answering *a, struct wl_table *out, struct wl_err *reterr)
{
	struct wl_mfu_times of[WL_MFU_MOST_REGIONS];
	int r = wl_mfu_ranges_find(a->run, &a->in, of, reterr);

	if (r == WL_E_NOMEM)
		return wl_no_memory(&wl_analysis_mfu, reterr);
	for (size_t i = 0; r == WL_OK && i < a->in.n; i++) {
		struct row row = { .t = &of[i], .region = &a->in.region[i] };

		(void)snprintf(row.what, sizeof(row.what), "range \"%.80s\"", row.region->range);
		wl_table_row(out);
		wl_put_copy(out, RANGE, row.region->range);
		r = put_row(a, &row, out, reterr);
		if (of[i].pieces == 0)
			wl_table_note(out,
				      "no push/pop range in the window with \"%.100s\" in its name "
				      "launched GPU work",
				      row.region->range);
	}
	return r;
}

/* The formula with all that went into it: two honest MFUs of one run differ by it. */
static void note_model(const struct answering *a, struct wl_table *out)
{
	const struct wl_llm *m = &a->in.llm;
	char more[160] = "", mla[64] = "", mtp[64] = "", window[64] = "", flops[FLOPS_BUF];

	if (m->experts)
		(void)snprintf(more, sizeof(more),
			       " with %" PRId64 " of %" PRId64 " experts of %" PRId64
			       " (shared %" PRId64 ") in %" PRId64 " layers",
			       m->top_k, m->experts, m->expert_ffn, m->shared_ffn,
			       m->layers - m->dense_layers);
	if (m->kv_rank)
		(void)snprintf(mla, sizeof(mla), ", MLA ranks %" PRId64 " and %" PRId64, m->q_rank,
			       m->kv_rank);
	if (m->mtp_layers && a->in.work.backward)
		(void)snprintf(mtp, sizeof(mtp), ", further-token modules %" PRId64, m->mtp_layers);
	if (m->window && m->window < a->in.work.sequence)
		(void)snprintf(window, sizeof(window), " in a window of %" PRId64, m->window);
	wl_table_note(out,
		      "%s per token: layers %" PRId64 ", hidden %" PRId64 ", heads %" PRId64
		      " of %" PRId64 ", KV heads %" PRId64 "%s, FFN %" PRId64 " %s%s, "
		      "vocabulary %" PRId64 ", sequence %" PRId64 ", %s attention%s%s, %s",
		      flops_text(flops, a->in.cost.flops), m->layers, m->hidden, m->heads,
		      m->qk_dim, m->kv_heads, mla, m->ffn, m->gated ? "gated" : "not gated", more,
		      m->vocab, a->in.work.sequence, a->in.work.causal ? "causal" : "full", window,
		      mtp, a->in.work.backward ? "training (3 x forward)" : "forward pass");
}

static void put_notes(const struct answering *a, struct wl_table *out)
{
	const char *type = wl_dtype_names[a->run->arg[WL_MFU_DTYPE].i64];
	char peak[WL_UNITS_BUF];

	if (!a->in.has_flops && !a->join)
		wl_table_note(out,
			      "no FLOPs were given: add --flops, or --model FILE with --tokens "
			      "and --seq, for MFU");
	if (a->in.has_model)
		note_model(a, out);
	if (a->join)
		wl_table_note(out, "peak %s TFLOP/s, dense, %s: %s",
			      wl_fmt_real(peak, a->peak.tflops), type,
			      a->peak.source ? a->peak.source : "as given");
	if (a->in.has_flops)
		wl_table_note(out,
			      "FLOPs are shared by %.0f GPU%s (--gpus); peak %s TFLOP/s, dense, "
			      "%s: %s",
			      a->gpus, a->gpus > 1 ? "s" : "", wl_fmt_real(peak, a->peak.tflops),
			      type, a->peak.source ? a->peak.source : "as given");
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	struct answering a = { .run = r };
	struct wl_ncu_join join;
	const struct wl_json *doc = r->arg[WL_MFU_NCU].doc;
	struct wl_err unknown;
	int64_t gpus = r->arg[WL_MFU_GPUS].i64;
	int result = wl_mfu_inputs_read(r->arg, &a.in, reterr);

	if (result < 0)
		return result;
	if (doc) {
		result = wl_ncu_join_find(r, doc, &join, reterr);
		if (result < 0)
			return result == WL_E_NOMEM ? wl_no_memory(&wl_analysis_mfu, reterr)
						    : result;
		a.join = &join;
	}
	a.gpus = (double)(gpus > 0 ? gpus : (int64_t)r->trace->n_devices);
	result = wl_mfu_peak_find(r, &a.in, &a.peak, a.in.has_flops || doc ? reterr : &unknown);
	if (result < 0 && (a.in.has_flops || doc))
		return result;
	if (result < 0)
		a.peak.tflops = 0; /* times alone need no peak */
	result = a.in.by_range ? put_ranges(&a, out, reterr) : put_steps(&a, out, reterr);
	put_notes(&a, out);
	return result;
}

const struct wl_analysis wl_analysis_mfu = {
	.name = "mfu",
	.topic = WL_TOPIC_GPU_TIME,
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
		"launches in the step, refused below 90% of the compute kernel time. The peak "
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
