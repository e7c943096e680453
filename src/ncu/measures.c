/* SPDX-License-Identifier: MIT */
#include "ncu/measures.h"

#include <math.h>

static const double ns_per_s = 1e9;

bool wl_ncu_terms_find(const struct wl_ncu *ncu, struct wl_arena *arena, struct wl_ncu_terms *ret)
{
	uint16_t *term = WL_NEW(arena, uint16_t, ncu->metrics.n + 1);
	size_t line, suffix;

	for (size_t i = 0; term && i < ncu->metrics.n; i++) {
		if (wl_ncu_metric_known(wl_ncu_metric(ncu, i), &line, &suffix))
			term[i] = (uint16_t)(1 + line * WL_NCU_N_SUFFIXES + suffix);
	}
	ret->term = term;
	return term != NULL;
}

static bool is_of_dram(enum wl_ncu_meaning meaning)
{
	return meaning == WL_NCU_DRAM_BYTES || meaning == WL_NCU_DRAM_READ ||
	       meaning == WL_NCU_DRAM_WRITTEN;
}

/* Converts a counter to a count; a rate per second needs the time, a rate per cycle the clock of
 * its unit. */
static double count_of(enum wl_ncu_meaning meaning, const double as[WL_NCU_N_SUFFIXES],
		       const struct wl_ncu_measures *m)
{
	double clock = m->of[is_of_dram(meaning) ? WL_NCU_DRAM_CLOCK : WL_NCU_SM_CLOCK];
	double seconds = m->of[WL_NCU_DURATION] / ns_per_s;

	if (!isnan(as[WL_NCU_SUM]))
		return as[WL_NCU_SUM];
	if (!isnan(as[WL_NCU_PER_SECOND]))
		return as[WL_NCU_PER_SECOND] * seconds;
	return as[WL_NCU_PER_CYCLE] * clock * seconds;
}

static void put(const struct wl_ncu_metric_info *info, double v, struct wl_ncu_measures *m)
{
	double *of = &m->of[info->meaning];

	if (isnan(v))
		return;
	if (isnan(*of))
		*of = v;
	else if (wl_ncu_meaning_adds(info->meaning))
		*of += v;
}

void wl_ncu_measure(const struct wl_ncu *ncu, const struct wl_ncu_terms *terms,
		    const struct wl_ncu_launch *l, struct wl_ncu_measures *ret)
{
	const struct wl_ncu_value *v = wl_ncu_values(ncu, l);
	uint32_t chip = UINT32_C(1) << wl_ncu_chip_of(l->cc);
	double as[WL_NCU_N_METRICS][WL_NCU_N_SUFFIXES];

	for (size_t i = 0; i < WL_NCU_N_MEANINGS; i++)
		ret->of[i] = (double)NAN;
	for (size_t i = 0; i < WL_NCU_N_METRICS; i++) {
		for (size_t k = 0; k < WL_NCU_N_SUFFIXES; k++)
			as[i][k] = (double)NAN;
	}
	for (size_t i = 0; i < l->n; i++) {
		size_t term = v[i].text ? 0 : terms->term[v[i].metric];

		if (term > 0)
			as[(term - 1) / WL_NCU_N_SUFFIXES][(term - 1) % WL_NCU_N_SUFFIXES] =
				v[i].number;
	}
	for (size_t i = 0; i < WL_NCU_N_METRICS; i++) {
		const struct wl_ncu_metric_info *info = &wl_ncu_metrics[i];

		if (!(info->chips & chip))
			continue;
		put(info,
		    info->form == WL_NCU_COUNTER
			    ? count_of(info->meaning, as[i], ret)
			    : as[i][0] / (info->form == WL_NCU_PERCENT ? 100 : 1),
		    ret);
	}
}

/* The operations of tensor cores: 0 if they were idle. */
static void count_tensor(const struct wl_ncu_measures *m, struct wl_ncu_work *ret)
{
	bool is_idle = m->of[WL_NCU_TENSOR_SHARE] == 0;

	for (size_t i = WL_NCU_TENSOR_FP64; i < WL_NCU_N_DTYPES; i++) {
		double ops = m->of[WL_NCU_OPS_FP64 + (i - WL_NCU_TENSOR_FP64)];

		ret->flop[i] = isnan(ops) && is_idle ? 0 : ops;
	}
}

/* Types that the chip lacks, or that the report omits while it has others, count as 0. */
static double sum_tensor(const struct wl_ncu_work *w)
{
	double sum = (double)NAN;

	for (size_t i = WL_NCU_TENSOR_FP64; i < WL_NCU_TENSOR_INT8; i++) {
		if (!isnan(w->flop[i]))
			sum = isnan(sum) ? w->flop[i] : sum + w->flop[i];
	}
	return sum;
}

void wl_ncu_work_of(const struct wl_ncu_measures *m, struct wl_ncu_work *ret)
{
	const double *of = m->of;
	double split = of[WL_NCU_DRAM_READ] + of[WL_NCU_DRAM_WRITTEN];

	*ret = (struct wl_ncu_work){ .ns = of[WL_NCU_DURATION],
				     .dram_bytes = isnan(of[WL_NCU_DRAM_BYTES])
							   ? split
							   : of[WL_NCU_DRAM_BYTES],
				     .dram_roof = of[WL_NCU_DRAM_WIDTH] * of[WL_NCU_DRAM_CLOCK] };
	ret->flop[WL_NCU_FP64] = of[WL_NCU_DADD] + of[WL_NCU_DMUL] + 2 * of[WL_NCU_DFMA];
	ret->flop[WL_NCU_FP32] = of[WL_NCU_FADD] + of[WL_NCU_FMUL] + 2 * of[WL_NCU_FFMA];
	ret->flop[WL_NCU_FP16] = of[WL_NCU_HADD] + of[WL_NCU_HMUL] + 2 * of[WL_NCU_HFMA];
	count_tensor(m, ret);
	ret->total_flop = ret->flop[WL_NCU_FP64] + ret->flop[WL_NCU_FP32] + ret->flop[WL_NCU_FP16] +
			  sum_tensor(ret);
}
