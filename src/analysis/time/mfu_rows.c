/* SPDX-License-Identifier: MIT */
#include "analysis/time/mfu_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/words/step_words.h"
#include "base/text/units.h"
#include "derive/iters/iters.h"
#include "derive/rows/stats.h"

#define C(name) WL_MFU_COL_##name

/* A step, or a range, phase or stage. */
struct row {
	char what[120]; /* for messages */
	const struct wl_mfu_times *t;
	const struct wl_mfu_region *region; /* NULL if no FLOPs were given for it */
};

/* A column of shares: FLOPs over a time, which has a name. */
struct share {
	size_t col;
	const char *time_name;
	wl_ns time; /* summed over pieces */
	double flops;
};

static const char wall_name[] = "Wall", busy_name[] = "GPU busy", sum_name[] = "Kernel sum";

/* The most bytes that flops_text() writes. */
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

/*
 * FLOPs are those of a region on all GPUs of the job, divided equally among pieces; the time is the
 * sum over pieces (docs/definitions/mfu.md). A share above 1 means that a given value is wrong; a
 * time of 0 has no share.
 */
static int put_share(const struct wl_mfu_answer *a, const struct row *row, struct share s,
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
			       row->what, wl_fmt_ratio(part, share), s.time_name,
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

static int put_shares(const struct wl_mfu_answer *a, const struct row *row, struct wl_table *out,
		      struct wl_err *reterr)
{
	const struct wl_mfu_times *t = row->t;
	const double flops = row->region->flops;
	const struct share shares[] = {
		{ C(MFU), wall_name, t->wall, flops },
		{ C(MFU_BUSY), busy_name, t->busy, flops },
		/*
		 * The kernels of replays recorded whole are unknown: no sum, and no share of it.
		 */
		{ C(MFU_KERNELS), sum_name, t->n_graphs ? 0 : t->kernels, flops },
		{ C(HFU), wall_name, t->wall, row->region->hardware },
	};
	int r = WL_OK;

	wl_put_f64(out, C(FLOPS), flops);
	if (t->wall > 0)
		wl_put_f64(out, C(TFLOPS),
			   flops / a->gpus * (double)t->pieces / (1e3 * (double)t->wall));
	for (size_t i = 0; r == WL_OK && i < WL_COUNT(shares); i++)
		r = put_share(a, row, shares[i], out, reterr);
	return r;
}

/* If less of the kernel time was measured, it says too little about the rest. */
static const double least_measured = 0.9;

static bool is_measured(const struct wl_mfu_times *t)
{
	return t->n_graphs == 0 && t->kernels > 0 &&
	       (double)t->measured >= least_measured * (double)t->kernels;
}

/* FLOPs of a region on all selected GPUs: the mean for ranges, the sum for steps and stages. */
static double measured_flops(const struct wl_mfu_answer *a, const struct wl_mfu_times *t)
{
	size_t n = 0;

	if (a->in.by == WL_MFU_BY_STEP || a->in.by == WL_MFU_BY_STAGE)
		return t->flops;
	for (uint32_t i = 0; i < a->run->trace->n_devices; i++)
		n += a->run->scope->device_on[i];
	return t->flops / (double)t->pieces * (double)n;
}

/*
 * Counters include recomputation: HFU. Only the trace's GPUs have counters: each piece counts with
 * its own, whatever --gpus says.
 */
static int put_measured(struct wl_mfu_answer *a, const struct row *row, struct wl_table *out,
			struct wl_err *reterr)
{
	const struct wl_mfu_times *t = row->t;
	/* put_share() divides by the GPUs of the job and multiplies by the pieces. */
	const double flops = t->flops * a->gpus / (double)t->pieces;
	const struct share shares[] = {
		{ C(HFU), wall_name, t->wall, flops },
		{ C(HFU_BUSY), busy_name, t->busy, flops },
		{ C(HFU_KERNELS), sum_name, t->kernels, flops },
	};
	int r = WL_OK;

	/* For steps the sum decides, in check_measured(). */
	if (a->in.by != WL_MFU_BY_STEP && !is_measured(t)) {
		a->n_unmeasured++;
		return WL_OK;
	}
	wl_put_f64(out, C(FLOPS), measured_flops(a, t));
	if (t->wall > 0)
		wl_put_f64(out, C(TFLOPS), t->flops / (1e3 * (double)t->wall));
	for (size_t i = 0; t->n_graphs == 0 && r == WL_OK && i < WL_COUNT(shares); i++)
		r = put_share(a, row, shares[i], out, reterr);
	return r;
}

/* Puts the cells after the keys. */
static int put_row(struct wl_mfu_answer *a, const struct row *row, struct wl_table *out,
		   struct wl_err *reterr)
{
	const struct wl_mfu_times *t = row->t;
	const wl_ns n = (wl_ns)t->pieces;

	wl_put_i64(out, C(PIECES), n);
	if (a->peak.tflops > 0)
		wl_put_f64(out, C(PEAK), a->peak.tflops);
	if (n == 0)
		return WL_OK;
	if (a->in.by != WL_MFU_BY_STAGE)
		wl_put_i64(out, C(WALL), t->wall / n);
	wl_put_i64(out, C(BUSY), t->busy / n);
	if (t->n_graphs == 0)
		wl_put_i64(out, C(KERNEL_SUM), t->kernels / n);
	if (a->join)
		return put_measured(a, row, out, reterr);
	return a->in.has_flops && row->region ? put_shares(a, row, out, reterr) : WL_OK;
}

static void add_row(struct wl_mfu_answer *a, const struct wl_mfu_times *t)
{
	a->total.pieces += t->pieces;
	a->total.wall = wl_add_up(a->total.wall, t->wall);
	a->total.kernels = wl_add_up(a->total.kernels, t->kernels);
	a->total.measured = wl_add_up(a->total.measured, t->measured);
	a->total.n_graphs += t->n_graphs;
	a->total.flops += t->flops;
	a->n_rows += t->pieces > 0;
}

/* "4 steps: MFU 25.0% of the wall time" */
static void note_total(const struct wl_mfu_answer *a, struct wl_table *out)
{
	char mfu[WL_UNITS_BUF];

	if (!a->in.has_flops || a->total.wall <= 0)
		return;
	wl_table_note(out, "%zu steps: MFU %s of the wall time", a->n_rows,
		      wl_fmt_ratio(mfu, a->in.region[0].flops / a->gpus * (double)a->total.pieces /
						(a->peak.tflops * 1e3 * (double)a->total.wall)));
}

/* Explains why counters give no FLOPs. */
static int refuse_measured(const struct wl_mfu_answer *a, struct wl_err *reterr)
{
	static const char *const rows[] = { "steps", "ranges", "stages", "phases" };
	const struct wl_mfu_times *t = &a->total;
	double part = t->kernels > 0 ? (double)t->measured / (double)t->kernels : 0;
	char share[WL_UNITS_BUF], least[WL_UNITS_BUF];

	if (t->n_graphs)
		return wl_fail(reterr, WL_E_USAGE,
			       "mfu: --ncu: CUDA graphs were recorded whole, their kernels are not "
			       "known; record with --cuda-graph-trace=node");
	return wl_fail(reterr, WL_E_USAGE,
		       "mfu: --ncu: the report counts the FLOPs of %s of the %s' compute "
		       "kernel time, and %s is the least; measure more kernels (warplens ncu "
		       "FILE --trace TRACE lists those that are missing)",
		       wl_fmt_ratio(share, part), rows[a->in.by],
		       wl_fmt_ratio(least, least_measured));
}

/* Notes how much of the steps was measured; refuses too little. */
static int check_measured(const struct wl_mfu_answer *a, struct wl_table *out,
			  struct wl_err *reterr)
{
	const struct wl_mfu_times *t = &a->total;
	double part = t->kernels > 0 ? (double)t->measured / (double)t->kernels : 0;
	char share[WL_UNITS_BUF], hfu[WL_UNITS_BUF];

	if (t->n_graphs || part < least_measured)
		return refuse_measured(a, reterr);
	wl_table_cover_ns(out, "kernel_time_measured", t->measured, t->kernels);
	if (t->wall > 0)
		wl_table_note(
			out,
			"%zu steps: HFU %s of the wall time, with FLOPs of %s of the compute "
			"kernel time; counters include recomputation and padding",
			a->n_rows,
			wl_fmt_ratio(hfu, t->flops / (a->peak.tflops * 1e3 * (double)t->wall)),
			wl_fmt_ratio(share, part));
	return WL_OK;
}

static int put_steps(struct wl_mfu_answer *a, struct wl_table *out, struct wl_err *reterr)
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
		return wl_fail(reterr, WL_E_NODATA, "%s", wl_no_iterations);
	of = wl_mfu_steps_find(run, a->join, &n);
	note = wl_iterations_notes(run->trace, found, run->scope->process_on, run->arena);
	if (!of || !note)
		return WL_E_NOMEM;
	for (size_t i = 0; r == WL_OK && i < n; i++) {
		struct row row = { .t = &of[i], .region = &a->in.region[0] };

		if (of[i].pieces == 0)
			continue;
		(void)snprintf(row.what, sizeof(row.what), "step %zu", i);
		wl_table_row(out);
		wl_put_i64(out, C(ITER), (int64_t)i);
		r = put_row(a, &row, out, reterr);
		add_row(a, &of[i]);
	}
	if (r == WL_OK && a->join)
		r = check_measured(a, out, reterr);
	note_total(a, out);
	wl_table_say_steps(out, false, note);
	return r;
}

/* The same for ranges, phases and stages, each separately. */
static int check_groups(const struct wl_mfu_answer *a, struct wl_table *out, struct wl_err *reterr)
{
	const struct wl_mfu_times *t = &a->total;
	char share[WL_UNITS_BUF], least[WL_UNITS_BUF];

	if (a->n_rows > 0 && a->n_unmeasured == a->n_rows)
		return refuse_measured(a, reterr);
	wl_table_cover_ns(out, "kernel_time_measured", t->measured, t->kernels);
	if (t->kernels > 0)
		wl_table_note(out,
			      "FLOPs are those of %s of the compute kernel time; counters include "
			      "recomputation and padding",
			      wl_fmt_ratio(share, (double)t->measured / (double)t->kernels));
	if (a->n_unmeasured)
		wl_table_note(out,
			      "%zu of %zu rows have no share: the report counts less than %s of "
			      "their compute kernel time, or they have none",
			      a->n_unmeasured, a->n_rows, wl_fmt_ratio(least, least_measured));
	return WL_OK;
}

static const struct wl_mfu_region *region_of(const struct wl_mfu_answer *a, const char *name)
{
	for (size_t i = 0; i < a->in.n; i++) {
		if (a->in.region[i].range && strcmp(a->in.region[i].range, name) == 0)
			return &a->in.region[i];
	}
	return NULL;
}

static int put_groups(struct wl_mfu_answer *a, struct wl_table *out, struct wl_err *reterr)
{
	static const struct {
		size_t col;
		const char *name;
	} key[] = { [WL_MFU_BY_STEP] = { C(ITER), "step" },
		    [WL_MFU_BY_RANGE] = { C(RANGE), "range" },
		    [WL_MFU_BY_STAGE] = { C(STAGE), "stage" },
		    [WL_MFU_BY_PHASE] = { C(PHASE), "phase" } };
	struct wl_mfu_groups all;
	int r = wl_mfu_groups_find(a->run, &a->in, a->join, &all, reterr);

	for (size_t i = 0; r == WL_OK && i < all.n; i++) {
		const struct wl_mfu_group *g = &all.group[i];
		struct row row = { .t = &g->t, .region = region_of(a, g->name) };

		(void)snprintf(row.what, sizeof(row.what), "%s \"%.80s\"", key[a->in.by].name,
			       g->name);
		wl_table_row(out);
		wl_put_copy(out, key[a->in.by].col, g->name);
		r = put_row(a, &row, out, reterr);
		add_row(a, &g->t);
		if (g->t.pieces == 0)
			wl_table_note(out,
				      "no push/pop range in the window %s\"%.100s\"%s launched GPU "
				      "work",
				      a->in.by == WL_MFU_BY_PHASE ? "of the phase " : "with ",
				      g->name, a->in.by == WL_MFU_BY_PHASE ? "" : " in its name");
	}
	return r == WL_OK && a->join ? check_groups(a, out, reterr) : r;
}

/* Notes the formula with all its inputs: they explain why two correct MFUs of one run differ. */
static void note_model(const struct wl_mfu_answer *a, struct wl_table *out)
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

static const char *source_of(const struct wl_mfu_answer *a)
{
	return a->peak.source ? a->peak.source : "as given";
}

static void put_notes(const struct wl_mfu_answer *a, struct wl_table *out)
{
	const char *type = wl_dtype_names[a->run->arg[WL_MFU_DTYPE].i64];
	const char *doubt = a->peak.is_open ? " (figure not confirmed)" : "";
	char peak[WL_UNITS_BUF];

	if (a->in.has_model)
		note_model(a, out);
	if (a->join)
		wl_table_note(out, "peak %s TFLOP/s, dense, %s: %s%s",
			      wl_fmt_real(peak, a->peak.tflops), type, source_of(a), doubt);
	if (a->in.has_flops)
		wl_table_note(out,
			      "FLOPs are shared by %.0f GPU%s; peak %s TFLOP/s, dense, "
			      "%s: %s%s",
			      a->gpus, a->gpus > 1 ? "s" : "", wl_fmt_real(peak, a->peak.tflops),
			      type, source_of(a), doubt);
}

int wl_mfu_rows_put(struct wl_mfu_answer *a, struct wl_table *out, struct wl_err *reterr)
{
	int r;

	r = a->in.by == WL_MFU_BY_STEP ? put_steps(a, out, reterr) : put_groups(a, out, reterr);
	put_notes(a, out);
	return r;
}
