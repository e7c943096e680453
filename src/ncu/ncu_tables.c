/* SPDX-License-Identifier: MIT */
#include "ncu/ncu_tables.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "ncu/bound.h"
#include "ncu/kernel_rows.h"

enum {
	LAUNCH,
	KERNEL,
	GRID,
	BLOCK,
	SHARED,
	CONTEXT,
	STREAM,
	LAUNCHES,
	DURATION,
	SHARE,
	MEAN,
	SM,
	MEMORY,
	DRAM,
	BOUND,
	OCCUPANCY,
	MAX_OCCUPANCY,
	LIMITER,
	TENSOR,
	WAVES,
	TFLOPS,
	INTENSITY,
	FLOP,
	DRAM_BYTES,
	GPU,
	CC,
};

static const struct wl_col kernel_cols[] = {
	[LAUNCH] = { "launch", "Launch", WL_T_COUNT, WL_KEY | WL_NUMBER,
		     "Number of the launch in the report, as ncu counts it." },
	[KERNEL] = { "kernel", "Kernel", WL_T_STR, WL_KEY | WL_KERNEL, "Name of the kernel." },
	[GRID] = { "grid", "Grid", WL_T_STR, WL_KEY, "Blocks of the grid: x,y,z." },
	[BLOCK] = { "block", "Block", WL_T_STR, WL_KEY, "Threads of a block: x,y,z." },
	[SHARED] = { "shared", "Shared", WL_T_BYTES, WL_KEY | WL_MINOR,
		     "Shared memory of a block, static and dynamic." },
	[CONTEXT] = { "context", "Context", WL_T_COUNT, WL_MINOR | WL_NUMBER, "CUDA context." },
	[STREAM] = { "stream", "Stream", WL_T_COUNT, WL_MINOR | WL_NUMBER, "CUDA stream." },
	[LAUNCHES] = { "launches", "Launches", WL_T_COUNT, WL_SUM,
		       "Launches in the report with this configuration." },
	[DURATION] = { "duration", "Duration", WL_T_NS, WL_SUM,
		       "Sum of the durations that ncu measured, at the clocks that it set." },
	[SHARE] = { "share", "Share", WL_T_RATIO, WL_MINOR,
		    "Part of the durations of all launches in the report." },
	[MEAN] = { "mean", "Mean", WL_T_NS, WL_MINOR, "Mean duration of a launch." },
	[SM] = { "sm", "SM", WL_T_RATIO, WL_PLAIN,
		 "Throughput of the SMs, of the peak of their busiest part." },
	[MEMORY] = { "memory", "Memory", WL_T_RATIO, WL_MINOR,
		     "Throughput of caches and memory, of the peak of their busiest part." },
	[DRAM] = { "dram", "DRAM", WL_T_RATIO, WL_PLAIN, "Throughput of the memory, of its peak." },
	[BOUND] = { "bound", "Bound", WL_T_ENUM, WL_PLAIN,
		    "What holds it up: compute, DRAM, cache, balanced, latency or small grid." },
	[OCCUPANCY] = { "occupancy", "Occupancy", WL_T_RATIO, WL_PLAIN,
			"Warps active on an SM, of those that fit." },
	[MAX_OCCUPANCY] = { "max_occupancy", "Max occupancy", WL_T_RATIO, WL_MINOR,
			    "Occupancy that the launch configuration allows." },
	[LIMITER] = { "limiter", "Limiter", WL_T_ENUM, WL_PLAIN,
		      "What keeps that below 100%: registers, shared memory, block size, blocks, "
		      "barriers." },
	[TENSOR] = { "tensor", "Tensor", WL_T_RATIO, WL_PLAIN,
		     "Part of the time in which tensor cores were busy." },
	[WAVES] = { "waves", "Waves", WL_T_REAL, WL_MINOR,
		    "Blocks of the grid, by the number that run at a time." },
	[TFLOPS] = { "tflops", "TFLOP/s", WL_T_REAL, WL_MINOR,
		     "Floating-point operations executed per second, in 10^12." },
	[INTENSITY] = { "intensity", "FLOP/B", WL_T_REAL, WL_MINOR,
			"Floating-point operations per byte of DRAM traffic." },
	[FLOP] = { "flop", "FLOP", WL_T_REAL, WL_MINOR | WL_SUM,
		   "Floating-point operations executed, those of tensor cores included." },
	[DRAM_BYTES] = { "dram_bytes", "DRAM bytes", WL_T_BYTES, WL_MINOR | WL_SUM,
			 "Bytes read from and written to DRAM." },
	[GPU] = { "gpu", "GPU", WL_T_STR, WL_KEY | WL_MINOR, "Name of the GPU." },
	[CC] = { "cc", "CC", WL_T_REAL, WL_MINOR, "Compute capability of the GPU." },
};

enum { M_LAUNCH, M_KERNEL, M_METRIC, M_VALUE, M_TEXT };

static const struct wl_col metric_cols[] = {
	[M_LAUNCH] = { "launch", "Launch", WL_T_COUNT, WL_KEY | WL_NUMBER,
		       "Number of the launch in the report." },
	[M_KERNEL] = { "kernel", "Kernel", WL_T_STR, WL_KEY | WL_KERNEL, "Name of the kernel." },
	[M_METRIC] = { "metric", "Metric", WL_T_STR, WL_KEY, "Name of the metric." },
	[M_VALUE] = { "value", "Value", WL_T_REAL, WL_PLAIN,
		      "Its value in base units: ns, bytes, percent, per second." },
	[M_TEXT] = { "text", "Text", WL_T_STR, WL_PLAIN, "The same where it is a text." },
};

const struct wl_table_info wl_ncu_tables[WL_NCU_N_SECTIONS + 1] = {
	[WL_NCU_KERNELS] = { "kernels", "Kernels", kernel_cols, WL_COUNT(kernel_cols) },
	[WL_NCU_METRICS] = { "metrics", "Metrics", metric_cols, WL_COUNT(metric_cols) },
};

/* Columns that only make sense for one launch, or only for several. */
static const uint8_t of_launch[] = { LAUNCH, CONTEXT, STREAM };
static const uint8_t of_kernel[] = { LAUNCHES, MEAN };

void wl_ncu_table_init(enum wl_ncu_section section, bool by_launch, struct wl_arena *arena,
		       struct wl_table *ret)
{
	const struct wl_table_info *info = &wl_ncu_tables[section];

	wl_table_init(ret, arena, info->cols, info->n_cols);
	if (section != WL_NCU_KERNELS)
		return;
	for (size_t i = 0; !by_launch && i < WL_COUNT(of_launch); i++)
		wl_table_hide(ret, of_launch[i]);
	for (size_t i = 0; by_launch && i < WL_COUNT(of_kernel); i++)
		wl_table_hide(ret, of_kernel[i]);
}

static void put_dims(struct wl_table *t, size_t col, const uint32_t dims[3])
{
	char buf[48];

	if (dims[0] == 0)
		return;
	(void)snprintf(buf, sizeof(buf), "%" PRIu32 ",%" PRIu32 ",%" PRIu32, dims[0], dims[1],
		       dims[2]);
	wl_put_copy(t, col, buf);
}

static void put_id(struct wl_table *t, size_t col, int64_t v)
{
	if (v >= 0)
		wl_put_i64(t, col, v);
}

/* Puts a number, which may be unknown, as an integer. */
static void put_round(struct wl_table *t, size_t col, double v)
{
	if (v >= 0 && v < 9e18)
		wl_put_i64(t, col, (int64_t)(v + 0.5));
}

static void put_launch(struct wl_table *t, const struct wl_ncu_row *r, bool by_launch)
{
	wl_put_str(t, KERNEL, r->launch->kernel);
	put_dims(t, GRID, r->launch->grid);
	put_dims(t, BLOCK, r->launch->block);
	put_id(t, SHARED, r->launch->shared);
	wl_put_str(t, GPU, r->gpu);
	if (r->launch->cc > 0)
		wl_put_f64(t, CC, r->launch->cc / 10.0);
	if (!by_launch) {
		wl_put_i64(t, LAUNCHES, (int64_t)r->n_launches);
		put_round(t, MEAN, r->work.ns / (double)r->n_launches);
		return;
	}
	put_id(t, LAUNCH, r->launch->id);
	put_id(t, CONTEXT, r->launch->context);
	put_id(t, STREAM, r->launch->stream);
}

static void put_work(struct wl_table *t, const struct wl_ncu_row *r, double total_ns)
{
	const struct wl_ncu_work *w = &r->work;

	put_round(t, DURATION, w->ns);
	wl_put_f64(t, SHARE, total_ns > 0 ? w->ns / total_ns : (double)NAN);
	wl_put_f64(t, FLOP, w->total_flop);
	wl_put_f64(t, TFLOPS, w->ns > 0 ? w->total_flop / w->ns / 1e3 : (double)NAN);
	wl_put_f64(t, INTENSITY, w->dram_bytes > 0 ? w->total_flop / w->dram_bytes : (double)NAN);
	put_round(t, DRAM_BYTES, w->dram_bytes);
}

static void put_shares(struct wl_table *t, const struct wl_ncu_measures *m)
{
	static const struct {
		uint8_t col;
		enum wl_ncu_meaning meaning;
	} shares[] = {
		{ SM, WL_NCU_SM_SHARE },
		{ MEMORY, WL_NCU_MEMORY_SHARE },
		{ DRAM, WL_NCU_DRAM_SHARE },
		{ OCCUPANCY, WL_NCU_OCCUPANCY },
		{ MAX_OCCUPANCY, WL_NCU_MAX_OCCUPANCY },
		{ TENSOR, WL_NCU_TENSOR_SHARE },
		{ WAVES, WL_NCU_WAVES },
	};
	char limiter[WL_NCU_LIMITER_CAP];

	for (size_t i = 0; i < WL_COUNT(shares); i++)
		wl_put_f64(t, shares[i].col, m->of[shares[i].meaning]);
	wl_put_str(t, BOUND, wl_ncu_bound(m));
	if (wl_ncu_limiter(m, limiter))
		wl_put_copy(t, LIMITER, limiter);
}

/* Notes which ncu sections would record the values that no launch has. */
static void note_missing(const struct wl_ncu_rows *rows, struct wl_table *t)
{
	static const struct {
		enum wl_ncu_meaning meaning;
		const char *note;
	} notes[] = {
		{ WL_NCU_DURATION, "durations were not collected (--section SpeedOfLight)" },
		{ WL_NCU_SM_SHARE, "shares of the peaks were not collected: what holds kernels up "
				   "is not known (--section SpeedOfLight)" },
		{ WL_NCU_OCCUPANCY, "occupancy was not collected (--section Occupancy)" },
		{ WL_NCU_TENSOR_SHARE, "use of tensor cores was not collected (--section "
				       "ComputeWorkloadAnalysis)" },
	};

	for (size_t i = 0; i < WL_COUNT(notes); i++) {
		bool is_known = false;

		for (size_t k = 0; !is_known && k < rows->n; k++)
			is_known = !isnan(rows->row[k].mean.of[notes[i].meaning]);
		if (!is_known)
			wl_table_note(t, "%s", notes[i].note);
	}
}

static int fail_memory(struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_NOMEM, "ncu: no memory for the answer");
}

static int fill_kernels(const struct wl_ncu *ncu, bool by_launch, struct wl_table *t,
			struct wl_err *reterr)
{
	struct wl_ncu_rows rows;

	if (!wl_ncu_rows_find(ncu, by_launch, t->arena, &rows))
		return fail_memory(reterr);
	for (size_t i = 0; i < rows.n; i++) {
		wl_table_row(t);
		put_launch(t, &rows.row[i], by_launch);
		put_work(t, &rows.row[i], rows.total_ns);
		put_shares(t, &rows.row[i].mean);
	}
	note_missing(&rows, t);
	wl_table_remark(t, "durations are at the clocks that ncu set, base clocks by default: they "
			   "are not those of a trace");
	return WL_OK;
}

static void fill_metrics(const struct wl_ncu *ncu, struct wl_table *t)
{
	for (size_t i = 0; i < ncu->launches.n; i++) {
		const struct wl_ncu_launch *l = wl_ncu_launch(ncu, i);
		const struct wl_ncu_value *v = wl_ncu_values(ncu, l);

		for (size_t k = 0; k < l->n; k++) {
			wl_table_row(t);
			put_id(t, M_LAUNCH, l->id);
			wl_put_str(t, M_KERNEL, l->kernel);
			wl_put_str(t, M_METRIC, wl_ncu_metric(ncu, v[k].metric));
			if (v[k].text)
				wl_put_str(t, M_TEXT, v[k].text);
			else
				wl_put_f64(t, M_VALUE, v[k].number);
		}
	}
}

int wl_ncu_table_fill(const struct wl_ncu *ncu, enum wl_ncu_section section, bool by_launch,
		      struct wl_table *table, struct wl_err *reterr)
{
	int r = WL_OK;

	if (ncu->launches.n == 0)
		return wl_fail(reterr, WL_E_NODATA,
			       ncu->n_ranges
				       ? "the report has results of ranges only; profile "
					 "kernels with --replay-mode kernel"
				       : "the report has no kernels; check the filters of ncu "
					 "(-k, --launch-skip, --nvtx-include)");
	if (section == WL_NCU_KERNELS)
		r = fill_kernels(ncu, by_launch, table, reterr);
	else
		fill_metrics(ncu, table);
	if (ncu->n_ranges > 0)
		wl_table_note(table, "%zu range result%s %s skipped (only kernels are read)",
			      ncu->n_ranges, ncu->n_ranges == 1 ? "" : "s",
			      ncu->n_ranges == 1 ? "is" : "are");
	return r < 0 || wl_table_ok(table) ? r : fail_memory(reterr);
}
