/* SPDX-License-Identifier: MIT */
/* roofline.c - how close kernels come to the peak of the SMs or of memory. */
#include "analysis/gpu/roofline.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/ncu_join.h"

WL_DECLARE_ANALYSIS(roofline);

enum {
	KERNEL,
	GRID,
	BLOCK,
	SHARED,
	COUNT,
	SUM,
	SHARE,
	TFLOPS,
	INTENSITY,
	ROOF,
	ROOF_SHARE,
	DTYPE,
	COMPUTE_SHARE,
	DRAM_SHARE,
	PEAK,
	COMPUTE_FROM,
	BANDWIDTH,
	DRAM_FROM,
	BOUND,
	NCU_MEAN,
	GPU
};

static const struct wl_col cols[] = {
	WL_LAUNCH_CONFIG_COLS(KERNEL, WL_MINOR),
	WL_LAUNCH_TIME_COLS(COUNT),
	[TFLOPS] = { "tflops", "TFLOP/s", WL_T_REAL, WL_PLAIN,
		     "Floating-point operations executed per second under ncu, in 10^12." },
	[INTENSITY] = { "arithmetic_intensity", "FLOP/B", WL_T_REAL, WL_PLAIN,
			"Floating-point operations per byte of DRAM traffic." },
	[ROOF] = { "roof", "Roof", WL_T_ENUM, WL_PLAIN,
		   "The roof that it is nearest to: compute or DRAM." },
	[ROOF_SHARE] = { "roof_share", "Of roof", WL_T_RATIO, WL_PLAIN, "Share of that roof." },
	[DTYPE] = { "dtype", "Type", WL_T_ENUM, WL_MINOR,
		    "Type of operations that is nearest to its peak; of tensor cores or of "
		    "vectors." },
	[COMPUTE_SHARE] = { "compute_share", "Of compute", WL_T_RATIO, WL_MINOR,
			    "Operations of this type, of what the SMs could do at its peak." },
	[DRAM_SHARE] = { "dram_share", "Of DRAM", WL_T_RATIO, WL_MINOR,
			 "Bytes moved, of what the memory could move." },
	[PEAK] = { "peak_tflops", "Peak", WL_T_REAL, WL_MINOR,
		   "Dense peak of the type, in TFLOP/s." },
	[COMPUTE_FROM] = { "compute_from", "Peak from", WL_T_ENUM, WL_MINOR,
			   "Where that is from: ncu, at the clock of the measurement, or "
			   "datasheet." },
	[BANDWIDTH] = { "bandwidth", "GB/s", WL_T_REAL, WL_MINOR,
			"Bandwidth of the memory, in 10^9 bytes per second." },
	[DRAM_FROM] = { "dram_from", "GB/s from", WL_T_ENUM, WL_MINOR, "The same of that." },
	[BOUND] = { "bound", "Bound", WL_T_ENUM, WL_PLAIN,
		    "What holds it up under ncu: compute, DRAM, cache, balanced, latency or small "
		    "grid." },
	[NCU_MEAN] = { "ncu_mean", "Under ncu", WL_T_NS, WL_MINOR,
		       "Mean duration under ncu, at the clocks that it set." },
	[GPU] = { "gpu", "GPU", WL_T_STR, WL_KEY | WL_MINOR, "GPU of the report." },
};

static const struct wl_param params[] = { WL_PARAM_NCU };

static const struct wl_example examples[] = {
	{ "warplens roofline run.sqlite --ncu measured.csv", "How near to the roof kernels are." },
	{ NULL, NULL },
};

static void put_dims(struct wl_table *out, size_t col, const uint32_t d[3])
{
	char buf[48];

	if (d[0] == 0)
		return;
	(void)snprintf(buf, sizeof(buf), "%" PRIu32 ",%" PRIu32 ",%" PRIu32, d[0], d[1], d[2]);
	wl_put_copy(out, col, buf);
}

static void put_launch(struct wl_table *out, const struct wl_measured *m)
{
	wl_put_str(out, KERNEL, m->kernel);
	put_dims(out, GRID, m->grid);
	put_dims(out, BLOCK, m->block);
	if (m->shared >= 0)
		wl_put_i64(out, SHARED, m->shared);
	/*
	 * The number comes from a file; converting one that does not fit is undefined behaviour.
	 */
	if (m->ns >= 0 && m->ns < 9e18)
		wl_put_i64(out, NCU_MEAN, (int64_t)(m->ns + 0.5));
	wl_put_str(out, BOUND, m->bound);
	wl_put_str(out, GPU, m->gpu);
}

static void put_roof(struct wl_table *out, const struct wl_measured *m, const struct wl_on_roof *at)
{
	/* Numbers missing from the report are not finite; their cells stay unset. */
	wl_put_f64(out, TFLOPS, at->flops / 1e12);
	wl_put_f64(out, INTENSITY, at->intensity);
	wl_put_str(out, ROOF, at->roof);
	wl_put_f64(out, ROOF_SHARE, at->share);
	wl_put_str(out, DTYPE, m->dtype);
	wl_put_f64(out, COMPUTE_SHARE, at->compute_share);
	wl_put_f64(out, DRAM_SHARE, at->dram_share);
	wl_put_f64(out, PEAK, m->compute_roof / 1e12);
	if (m->compute_roof > 0)
		wl_put_str(out, COMPUTE_FROM, m->compute_measured ? "ncu" : "datasheet");
	wl_put_f64(out, BANDWIDTH, m->dram_roof / 1e9);
	if (m->dram_roof > 0)
		wl_put_str(out, DRAM_FROM, m->dram_measured ? "ncu" : "datasheet");
}

/* What the rows do not show. */
struct gaps {
	size_t no_flop, listed, above;
};

static void put_row(struct wl_table *out, const struct wl_ncu_join *j, size_t i, struct gaps *gaps)
{
	const struct wl_measured *m = &j->ncu.kernel[i];
	const struct wl_ncu_partner *p = &j->of[i];
	struct wl_on_roof at;

	wl_measured_place(m, &at);
	wl_table_row(out);
	put_launch(out, m);
	put_roof(out, m, &at);
	if (p->match) {
		wl_put_i64(out, COUNT, (int64_t)p->count);
		wl_put_i64(out, SUM, p->sum);
		wl_put_ratio(out, SHARE, p->sum, j->groups.compute);
	}
	gaps->no_flop += isnan(m->flop) != 0;
	gaps->listed += at.roof && !(at.is_dram ? m->dram_measured : m->compute_measured);
	gaps->above += at.share > 1;
}

static void put_notes(struct wl_table *out, const struct wl_ncu_join *j, const struct gaps *gaps)
{
	if (gaps->no_flop)
		wl_table_note(out,
			      "FLOPs of %zu of %zu kernels are missing (record with ncu --set "
			      "roofline --metrics regex:sm__ops_path_tensor_src_.*)",
			      gaps->no_flop, j->ncu.n);
	if (gaps->listed)
		wl_table_note(out,
			      "%zu of %zu kernels are compared with datasheet peaks at boost "
			      "clocks; at ncu's clocks they are closer to peak",
			      gaps->listed, j->ncu.n);
	if (gaps->above)
		wl_table_note(out,
			      "%zu kernel%s the peak: it is set too low (structured sparsity, "
			      "or higher clocks)",
			      gaps->above, gaps->above > 1 ? "s exceed" : " exceeds");
}

/* The longest in the trace first, then the longest under ncu. */
struct ranked {
	wl_ns sum;
	double ns;
	size_t at;
};

static int compare(const void *x, const void *y)
{
	const struct ranked *a = x, *b = y;

	if (a->sum != b->sum)
		return a->sum > b->sum ? -1 : 1;
	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return (a->at > b->at) - (a->at < b->at);
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	const struct wl_json *doc = r->arg[0].doc;
	struct gaps gaps = { .no_flop = 0 };
	struct ranked *order = NULL;
	struct wl_ncu_join j;
	int result = doc ? wl_ncu_join_find(r, doc, &j, reterr)
			 : wl_fail(reterr, WL_E_NODATA,
				   "a trace has no counters of kernels; give a report of "
				   "Nsight Compute with --ncu FILE (warplens plan --for ncu)");

	if (result == WL_OK)
		order = WL_NEW(r->arena, struct ranked, j.ncu.n + 1);
	if (result < 0 && result != WL_E_NOMEM)
		return result;
	if (!order)
		return wl_no_memory(&wl_analysis_roofline, reterr);
	for (size_t i = 0; i < j.ncu.n; i++) {
		double ns = j.ncu.kernel[i].ns * (double)j.ncu.kernel[i].launches;

		/* NaN durations cannot be ordered. */
		order[i] = (struct ranked){ j.of[i].sum, isnan(ns) ? 0 : ns, i };
	}
	if (j.ncu.n)
		qsort(order, j.ncu.n, sizeof(*order), compare);
	for (size_t i = 0; i < j.ncu.n; i++)
		put_row(out, &j, order[i].at, &gaps);
	put_notes(out, &j, &gaps);
	wl_ncu_join_note(r, &j, out);
	return WL_OK;
}

static const struct wl_form forms[] = {
	{ WL_FORM("ncu", "roofline"), .value = "*", .takes = "ncu" }, { .verb = NULL }
};

const struct wl_analysis wl_analysis_roofline = {
	.name = "roofline",
	.topic = WL_TOPIC_TIME,
	.help = "Compare kernels with peak compute and bandwidth, from an ncu report",
	.about =
		"Operations and DRAM traffic of each kernel that Nsight Compute measured, over its "
		"duration under ncu, against what the GPU can do at most: the peak of the type of "
		"operations that is nearest to its own, and the bandwidth of the memory. Peaks "
		"are those of the report, at the clock of the measurement, and else those of the "
		"maker's datasheet, dense. The kernel is nearest to the roof of which it has the "
		"larger share. Count, sum and share are of the trace, joined by name, grid, block "
		"and shared memory. Operations include recomputation and padding.",
	.chart = &wl_roofline_chart,
	.needs = wl_launch_group_columns,
	.from = WL_FROM(CLASSES),
	.params = params,
	.n_params = WL_COUNT(params),
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.forms = forms,
	.examples = examples,
	.run = run,
};
