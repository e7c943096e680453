/* SPDX-License-Identifier: MIT */
#include "analysis/measured.h"

#include <math.h>

#include "base/text/json_read.h"

static double number(const struct wl_json *v, const char *key)
{
	double n;

	return wl_json_number(wl_json_member(v, key), &n) ? n : (double)NAN;
}

static int64_t integer(const struct wl_json *v, const char *key, int64_t unknown)
{
	double n = number(v, key);

	/* A double holds every integer up to here. */
	return n >= 0 && n < 9e15 ? (int64_t)n : unknown;
}

static bool flag(const struct wl_json *v, const char *key)
{
	bool is = false;

	return wl_json_bool(wl_json_member(v, key), &is) && is;
}

/* Three numbers; zeros if absent. */
static void dims(const struct wl_json *v, const char *key, uint32_t ret[3])
{
	const struct wl_json *list = wl_json_member(v, key);

	for (size_t i = 0; i < 3; i++) {
		double n = 0;

		if (list && wl_json_type_of(list) == WL_JSON_ARRAY && i < wl_json_size(list) &&
		    (!wl_json_number(wl_json_at(list, i), &n) || !(n >= 0 && n < UINT32_MAX)))
			n = 0;
		ret[i] = (uint32_t)n;
	}
}

static bool read_one(const struct wl_json *v, struct wl_measured *ret)
{
	*ret = (struct wl_measured){ .kernel = wl_json_string(wl_json_member(v, "kernel")),
				     .gpu = wl_json_string(wl_json_member(v, "gpu")),
				     .shared = integer(v, "shared", -1),
				     .launches = integer(v, "launches", 1),
				     .ns = number(v, "ns"),
				     .flop = number(v, "flop"),
				     .dram_bytes = number(v, "dram_bytes"),
				     .dtype = wl_json_string(wl_json_member(v, "dtype")),
				     .dtype_flop = number(v, "dtype_flop"),
				     .compute_roof = number(v, "compute_roof"),
				     .dram_roof = number(v, "dram_roof"),
				     .compute_measured = flag(v, "compute_measured"),
				     .dram_measured = flag(v, "dram_measured"),
				     .bound = wl_json_string(wl_json_member(v, "bound")) };
	dims(v, "grid", ret->grid);
	dims(v, "block", ret->block);
	return ret->kernel != NULL;
}

int wl_measured_read(const struct wl_json *doc, struct wl_arena *arena,
		     struct wl_measured_list *ret, struct wl_err *reterr)
{
	const struct wl_json *list = wl_json_member(doc, "kernels");
	struct wl_measured *kernel;

	*ret = (struct wl_measured_list){ .left_out = (size_t)integer(doc, "left_out", 0) };
	if (!list || wl_json_type_of(list) != WL_JSON_ARRAY)
		return wl_fail(reterr, WL_E_USAGE, "--ncu: no report of Nsight Compute");
	kernel = WL_NEW(arena, struct wl_measured, wl_json_size(list) + 1);
	if (!kernel)
		return wl_fail(reterr, WL_E_NOMEM, "--ncu: no memory for the kernels");
	for (size_t i = 0; i < wl_json_size(list); i++) {
		if (!read_one(wl_json_at(list, i), &kernel[ret->n++]))
			return wl_fail(reterr, WL_E_USAGE, "--ncu: kernel %zu has no name", i);
	}
	ret->kernel = kernel;
	return WL_OK;
}

static double share_of(double done, double roof, double seconds)
{
	return roof > 0 && seconds > 0 ? done / (roof * seconds) : (double)NAN;
}

void wl_measured_place(const struct wl_measured *m, struct wl_on_roof *ret)
{
	double seconds = m->ns / 1e9;

	*ret = (struct wl_on_roof){
		.flops = seconds > 0 ? m->flop / seconds : (double)NAN,
		.intensity = m->dram_bytes > 0 ? m->flop / m->dram_bytes : (double)NAN,
		.compute_share = share_of(m->dtype_flop, m->compute_roof, seconds),
		.dram_share = share_of(m->dram_bytes, m->dram_roof, seconds),
	};
	/* A NaN share loses against a number. */
	ret->is_dram = isnan(ret->compute_share) || ret->dram_share > ret->compute_share;
	ret->share = ret->is_dram ? ret->dram_share : ret->compute_share;
	if (!isnan(ret->share))
		ret->roof = ret->is_dram ? "DRAM" : "compute";
}
