/* SPDX-License-Identifier: MIT */
#include "analysis/ncu_join.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory/intern.h"
#include "base/text/units.h"
#include "known/kernels/names.h"

/* A kernel of either side, as a key for lookup. */
struct key {
	const char *name;
	const uint32_t *grid, *block;
	int64_t shared; /* -1: any */
	uint32_t at;    /* index in its own list */
};

static int compare_dims(const uint32_t *a, const uint32_t *b)
{
	for (size_t i = 0; i < 3; i++) {
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	}
	return 0;
}

static int compare_launch(const struct key *a, const struct key *b)
{
	int by = strcmp(a->name, b->name);

	by = by ? by : compare_dims(a->grid, b->grid);
	return by ? by : compare_dims(a->block, b->block);
}

static int compare_keys(const void *x, const void *y)
{
	const struct key *a = x, *b = y;
	int by = compare_launch(a, b);

	by = by ? by : (a->shared > b->shared) - (a->shared < b->shared);
	return by ? by : (a->at > b->at) - (a->at < b->at);
}

static bool same_shared(const struct key *a, const struct key *b)
{
	return a->shared < 0 || b->shared < 0 || a->shared == b->shared;
}

/* The first sorted key that equals wanted; NULL if none does. */
static const struct key *find(const struct key *key, size_t n, const struct key *wanted)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (compare_launch(&key[mid], wanted) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < n && compare_launch(&key[lo], wanted) == 0; lo++) {
		if (same_shared(&key[lo], wanted))
			return &key[lo];
	}
	return NULL;
}

static struct key key_of_group(const struct wl_launch_group *g, const char *name, size_t at)
{
	return (struct key){ name, g->config->grid, g->config->block, wl_launch_shared(g->config),
			     (uint32_t)at };
}

static void join_kernel(struct wl_ncu_join *j, size_t group, uint32_t kernel,
			enum wl_ncu_match match)
{
	struct wl_ncu_partner *p = &j->of[kernel];

	j->kernel[group] = kernel;
	p->match = match;
	p->count += j->groups.group[group].count;
	p->sum = wl_add_up(p->sum, j->groups.group[group].sum);
	j->joined = wl_add_up(j->joined, j->groups.group[group].sum);
}

/* Joins by the whole name, in both forms that a trace has. */
static bool join_names(const struct wl_run *run, struct wl_ncu_join *j)
{
	const struct wl_trace *t = run->trace;
	struct key *key = WL_NEW(run->arena, struct key, j->ncu.n + 1);

	for (size_t i = 0; key && i < j->ncu.n; i++) {
		const struct wl_measured *m = &j->ncu.kernel[i];

		key[i] = (struct key){ m->kernel, m->grid, m->block, m->shared, (uint32_t)i };
	}
	if (key && j->ncu.n)
		qsort(key, j->ncu.n, sizeof(*key), compare_keys);
	for (size_t i = 0; key && i < j->groups.n; i++) {
		const struct wl_launch_group *g = &j->groups.group[i];
		const struct wl_kernel_name *name = &t->kernel_names[g->name];
		struct key wanted = key_of_group(g, wl_str(t, name->demangled), i);
		const struct key *found = find(key, j->ncu.n, &wanted);

		wanted.name = wl_str(t, name->mangled);
		found = found ? found : find(key, j->ncu.n, &wanted);
		if (found)
			join_kernel(j, i, found->at, WL_NCU_BY_NAME);
	}
	return key != NULL;
}

static const char *base_of(const char *name, struct wl_arena *arena)
{
	char *base = WL_NEW(arena, char, strlen(name) + 1);

	if (base)
		(void)wl_name_base(name, base, strlen(name) + 1);
	return base;
}

/* Measured kernels without a partner, keyed and sorted by function name; NULL if memory runs
 * out. */
static struct key *rest_of_ncu(const struct wl_run *run, const struct wl_ncu_join *j, size_t *ret_n)
{
	struct key *key = WL_NEW(run->arena, struct key, j->ncu.n + 1);

	*ret_n = 0;
	for (size_t i = 0; key && i < j->ncu.n; i++) {
		const struct wl_measured *m = &j->ncu.kernel[i];
		const char *name;

		if (j->of[i].match != WL_NCU_NO_MATCH)
			continue;
		name = base_of(m->kernel, run->arena);
		if (!name)
			return NULL;
		key[(*ret_n)++] = (struct key){ name, m->grid, m->block, m->shared, (uint32_t)i };
	}
	if (key && *ret_n)
		qsort(key, *ret_n, sizeof(*key), compare_keys);
	return key;
}

/* The same for the groups of the trace. */
static struct key *rest_of_trace(const struct wl_run *run, const struct wl_ncu_join *j,
				 size_t *ret_n)
{
	const struct wl_trace *t = run->trace;
	struct key *key = WL_NEW(run->arena, struct key, j->groups.n + 1);

	*ret_n = 0;
	for (size_t i = 0; key && i < j->groups.n; i++) {
		const struct wl_launch_group *g = &j->groups.group[i];
		const char *name;

		if (j->kernel[i] != WL_NONE)
			continue;
		name = base_of(wl_str(t, t->kernel_names[g->name].demangled), run->arena);
		if (!name)
			return NULL;
		key[(*ret_n)++] = key_of_group(g, name, i);
	}
	if (key && *ret_n)
		qsort(key, *ret_n, sizeof(*key), compare_keys);
	return key;
}

/* How many keys from this one on belong to the same launch, regardless of shared memory. */
static size_t run_length(const struct key *key, size_t n)
{
	size_t k = 1;

	while (k < n && compare_launch(&key[k], key) == 0)
		k++;
	return k;
}

/* Joins by function name, if that leaves one kernel on either side. */
static bool join_functions(const struct wl_run *run, struct wl_ncu_join *j)
{
	size_t n_ncu = 0, n_groups = 0, a = 0, b = 0;
	struct key *ncu = rest_of_ncu(run, j, &n_ncu);
	struct key *group = rest_of_trace(run, j, &n_groups);

	if (!ncu || !group)
		return false;
	while (a < n_ncu && b < n_groups) {
		size_t k = run_length(&ncu[a], n_ncu - a), m = run_length(&group[b], n_groups - b);
		int by = compare_launch(&ncu[a], &group[b]);

		/*
		 * All instances of a template share a function name: with two on one side, the
		 * match is ambiguous.
		 */
		if (by == 0 && k == 1 && m == 1 && same_shared(&ncu[a], &group[b]))
			join_kernel(j, group[b].at, ncu[a].at, WL_NCU_BY_FUNCTION);
		a += by <= 0 ? k : 0;
		b += by >= 0 ? m : 0;
	}
	return true;
}

int wl_ncu_join_find(const struct wl_run *run, const struct wl_json *doc, struct wl_ncu_join *ret,
		     struct wl_err *reterr)
{
	int r;

	*ret = (struct wl_ncu_join){ .joined = 0 };
	r = wl_measured_read(doc, run->arena, &ret->ncu, reterr);
	if (r < 0)
		return r;
	if (wl_launch_groups_find(run, &ret->groups)) {
		ret->of = WL_NEW(run->arena, struct wl_ncu_partner, ret->ncu.n + 1);
		ret->kernel = WL_NEW(run->arena, uint32_t, ret->groups.n + 1);
	}
	for (size_t i = 0; ret->kernel && i < ret->groups.n; i++)
		ret->kernel[i] = WL_NONE;
	if (!ret->of || !ret->kernel || !join_names(run, ret) || !join_functions(run, ret))
		return wl_fail(reterr, WL_E_NOMEM, "--ncu: no memory for the kernels");
	return WL_OK;
}

/* A report from another machine has other counters and roofs. */
static void note_gpus(const struct wl_run *run, const struct wl_ncu_join *j, struct wl_table *out)
{
	const char *other = NULL, *own = NULL;

	for (size_t d = 0; d < run->trace->n_devices; d++) {
		uint32_t name = run->trace->devices[d].name;

		if (!run->scope->device_on[d] || name == WL_NONE)
			continue;
		own = wl_str(run->trace, name);
		for (size_t i = 0; !other && i < j->ncu.n; i++) {
			if (j->ncu.kernel[i].gpu && strcmp(j->ncu.kernel[i].gpu, own) != 0)
				other = j->ncu.kernel[i].gpu;
		}
		if (other)
			break;
	}
	if (other)
		wl_table_note(
			out,
			"the GPUs differ: the report is from \"%.80s\", the trace from \"%.80s\"",
			other, own);
}

void wl_ncu_join_note(const struct wl_run *run, const struct wl_ncu_join *j, struct wl_table *out)
{
	char share[WL_UNITS_BUF];
	size_t n = 0;

	for (size_t i = 0; i < j->ncu.n; i++)
		n += j->of[i].match != WL_NCU_NO_MATCH;
	wl_table_cover_ns(out, "kernel_time_measured", j->joined, j->groups.compute);
	wl_table_note(out,
		      "%zu of %zu measured kernels occur in the trace and cover %s of "
		      "its compute kernel time",
		      n, j->ncu.n,
		      wl_fmt_ratio(share, j->groups.compute > 0
						  ? (double)j->joined / (double)j->groups.compute
						  : 0));
	note_gpus(run, j, out);
	if (j->ncu.left_out)
		wl_table_note(out, "%zu short kernels of the report were skipped", j->ncu.left_out);
}
