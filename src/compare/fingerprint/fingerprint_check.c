/* SPDX-License-Identifier: MIT */
/* fingerprint_check.c - checks what every fingerprint can be relied on for. */
#include "compare/fingerprint/fingerprint.h"

#include "derive/kinds/category_rules.h"

static bool is_number(int64_t v)
{
	return v >= 0 && v <= WL_FP_MAX;
}

static bool is_series(const struct wl_series *s, size_t n)
{
	size_t n_kept = n < WL_SERIES_KEPT ? n : WL_SERIES_KEPT;

	if (s->n != n || s->n_kept != n_kept || s->worth > n || (n && s->worth == 0))
		return false;
	for (size_t i = 0; i < s->n_kept; i++) {
		if (!is_number(s->at[i]) || (i && s->at[i] < s->at[i - 1]))
			return false;
	}
	return true;
}

static bool is_row(const struct wl_fp_row *r, size_t n_steps)
{
	for (size_t x = 0; x < WL_N_EXTENTS; x++) {
		if (!is_number(r->of[x].calls) || !is_number(r->of[x].ns) || !is_number(r->gpu[x]))
			return false;
	}
	return r->position >= -1 && r->position <= WL_FP_MAX && is_series(&r->series, n_steps);
}

/* The sums of all rows fit as well, so that adding them up needs no checks. */
static bool is_list(const struct wl_fp_list *l, size_t most, size_t n_steps)
{
	struct wl_amount sum[WL_N_EXTENTS] = { { 0, 0 } };

	if (l->n > most || !is_row(&l->others, 0))
		return false;
	for (size_t i = 0; i <= l->n; i++) {
		const struct wl_fp_row *r = i < l->n ? &l->row[i] : &l->others;

		if (i < l->n && !is_row(r, n_steps))
			return false;
		for (size_t x = 0; x < WL_N_EXTENTS; x++) {
			sum[x].calls += r->of[x].calls;
			sum[x].ns += r->of[x].ns;
			if (!is_number(sum[x].calls) || !is_number(sum[x].ns))
				return false;
		}
	}
	return true;
}

/* False when parts do not add up to n times the whole. */
static bool adds_up(const wl_ns *part, size_t n, wl_ns whole)
{
	wl_ns sum = 0;

	for (size_t i = 0; i < WL_N_PARTS; i++) {
		sum += is_number(part[i]) ? part[i] : 0;
		if (!is_number(part[i]) || !is_number(sum))
			return false;
	}
	return (n == 0 ? whole == 0 : whole <= WL_FP_MAX / (wl_ns)n) && sum == (wl_ns)n * whole;
}

static bool has_good_steps(const struct wl_fingerprint *f)
{
	wl_ns sum = 0;

	if (f->n_steps > WL_FP_STEPS || (f->n_steps && f->n_processes == 0))
		return false;
	for (size_t i = 0; i < f->n_steps; i++) {
		if (!is_number(f->step[i]) || !is_number(sum + f->step[i]))
			return false;
		sum += f->step[i];
	}
	return adds_up(f->part[WL_OF_STEPS], f->n_processes, sum);
}

static bool has_good_waits(const struct wl_fingerprint *f)
{
	wl_ns sum[WL_N_EXTENTS] = { 0 };

	for (size_t i = 0; i < f->n_waits; i++) {
		for (size_t x = 0; x < WL_N_EXTENTS; x++) {
			if (!is_number(f->wait[i].ns[x]) || !is_number(sum[x] + f->wait[i].ns[x]))
				return false;
			sum[x] += f->wait[i].ns[x];
		}
	}
	return f->n_waits <= WL_FP_WAITS + WL_N_CAUSES;
}

static bool has_good_functions(const struct wl_fingerprint *f)
{
	wl_ns sum[WL_N_EXTENTS] = { 0 };

	for (size_t i = 0; i < f->n_functions; i++) {
		for (size_t x = 0; x < WL_N_EXTENTS; x++) {
			wl_ns ns = f->function[i].ns[x];

			if (!is_number(ns) || !is_number(sum[x] + ns) ||
			    !is_number(f->function[i].sampled[x]) ||
			    !is_number(f->function[i].n[x]))
				return false;
			sum[x] += ns;
		}
	}
	return f->n_functions <= WL_FP_FUNCTIONS + 2;
}

static bool has_good_kernels(const struct wl_fingerprint *f, const struct wl_fp_rank *r)
{
	for (size_t i = 0; i < r->n_kernels; i++) {
		if (r->kernel[i].row >= f->kernels.n || !is_number(r->kernel[i].ns))
			return false;
	}
	return r->n_kernels <= WL_FP_RANK_KERNELS;
}

static bool has_good_ranks(const struct wl_fingerprint *f)
{
	for (size_t i = 0; i < f->n_ranks; i++) {
		const struct wl_fp_rank *r = &f->rank[i];

		if (r->rank < -1 || r->rank > WL_FP_MAX || !is_number(r->pid) ||
		    !is_number(r->device) || !is_number(r->compute) ||
		    !is_number(r->exposed_comm) || !is_series(&r->period, f->n_steps) ||
		    !has_good_kernels(f, r))
			return false;
	}
	return f->n_ranks <= WL_FP_RANKS;
}

const char *wl_fp_problem(const struct wl_fingerprint *f)
{
	if (!has_good_steps(f))
		return "its steps do not add up, or are too long";
	if (!is_number(f->window_ns) ||
	    !adds_up(f->part[WL_OF_WINDOW], f->n_devices, f->n_devices ? f->window_ns : 0))
		return "its window does not add up, or is too long";
	if (!is_series(&f->busy, f->n_steps) || !is_series(&f->idle, f->n_steps) ||
	    !is_series(&f->exposed_comm, f->n_steps) || !is_series(&f->launch_series, f->n_steps) ||
	    !is_number(f->launches[WL_OF_STEPS]) || !is_number(f->launches[WL_OF_WINDOW]))
		return "its times by step are out of range";
	if (!is_list(&f->kernels, WL_FP_KERNELS, f->n_steps) ||
	    !is_list(&f->ranges, WL_FP_RANGES, f->n_steps) ||
	    !is_list(&f->categories, WL_MAX_CATEGORIES, f->n_steps) ||
	    !is_list(&f->copies, WL_FP_COPIES, f->n_steps))
		return "its kernels, ranges, categories or copies are out of range";
	if (!has_good_waits(f) || !has_good_functions(f) || !has_good_ranks(f))
		return "its idle times, functions or ranks are out of range";
	return NULL;
}
