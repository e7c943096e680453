/* SPDX-License-Identifier: MIT */
#include "ncu/read.h"

#include "base/file/file.h"
#include "base/file/map.h"
#include "base/memory/intern.h"
#include "ncu/ncu_rep.h"
#include "ncu/raw_csv.h"

/* The value of a numeric metric, by name. */
static double find(const struct wl_ncu *ncu, const struct wl_ncu_launch *l, uint32_t metric)
{
	const struct wl_ncu_value *v = wl_ncu_values(ncu, l);

	for (size_t i = 0; metric != WL_NONE && i < l->n; i++) {
		if (v[i].metric == metric && !v[i].text)
			return v[i].number;
	}
	return -1;
}

/* What a raw page has as columns, a report has as metrics. */
static void fill_devices(struct wl_ncu *ncu)
{
	const uint32_t device = wl_ncu_find(ncu, "launch__device_id"),
		       major = wl_ncu_find(ncu, "device__attribute_compute_capability_major"),
		       minor = wl_ncu_find(ncu, "device__attribute_compute_capability_minor"),
		       fixed = wl_ncu_find(ncu, "launch__shared_mem_per_block_static"),
		       dynamic = wl_ncu_find(ncu, "launch__shared_mem_per_block_dynamic");
	struct wl_ncu_launch *l = ncu->launches.data;

	for (size_t i = 0; i < ncu->launches.n; i++) {
		double ordinal = find(ncu, &l[i], device);
		double cc = 10 * find(ncu, &l[i], major) + find(ncu, &l[i], minor);

		double shared = find(ncu, &l[i], fixed), more = find(ncu, &l[i], dynamic);

		l[i].shared = shared >= 0 && more >= 0 && shared + more < INT32_MAX
				      ? (int64_t)(shared + more)
				      : -1;
		if (l[i].device < 0 && ordinal >= 0 && ordinal < INT32_MAX)
			l[i].device = (int64_t)ordinal;
		if (l[i].cc == 0 && cc > 0 && cc < 10000)
			l[i].cc = (uint32_t)cc;
	}
}

int wl_ncu_parse(const char *name, const unsigned char *bytes, size_t n, struct wl_arena *arena,
		 struct wl_ncu *ret, struct wl_err *reterr)
{
	int r;

	wl_ncu_init(ret, wl_arena_budget(arena));
	if (!wl_ncu_rep_is(bytes, n) && wl_path_ends_in(name, ".ncu-repz"))
		return wl_fail(
			reterr, WL_E_FORMAT,
			"%.200s: compressed reports are not read; print the raw page with ncu "
			"--import FILE --page raw --csv --print-units base > FILE.csv and give "
			"that",
			name);
	r = wl_ncu_rep_is(bytes, n) ? wl_ncu_rep_parse(name, bytes, n, arena, ret, reterr)
				    : wl_raw_csv_parse(name, bytes, n, arena, ret, reterr);
	if (r == WL_OK && (ret->metrics.failed || ret->launches.failed || ret->values.failed))
		r = wl_fail(reterr, WL_E_NOMEM, "%.200s: no memory for its metrics", name);
	if (r == WL_OK)
		fill_devices(ret);
	return r;
}

int wl_ncu_read(const char *path, struct wl_arena *arena, struct wl_ncu *ret, struct wl_err *reterr)
{
	struct wl_map map;
	int r;

	*ret = (struct wl_ncu){ .n_ranges = 0 };
	r = wl_map_open(path, &map, reterr);
	if (r < 0)
		return r;
	r = wl_ncu_parse(path, map.data, map.size, arena, ret, reterr);
	if (!wl_map_is_whole(&map))
		r = wl_fail(reterr, WL_E_IO, "%.200s: the file shrank while it was read", path);
	wl_map_close(&map);
	return r;
}
