/* SPDX-License-Identifier: MIT */
#include "index/kept.h"

#include <stdio.h>

#include "base/file/pack.h"
#include "derive/calls/launch.h"
#include "derive/iters/iters.h"
#include "derive/nvtx/range_names.h"
#include "known/exports/codes.h"

/* All that a derivation reads must be loaded: without it, it would not be found as it is kept. */
static bool is_loaded(const struct wl_trace *t, uint64_t from)
{
	const struct wl_columns want = wl_wanted_columns(&(struct wl_wanted){ .from = from });

	for (size_t i = 0; i < WL_COUNT(want.bits); i++) {
		if (want.bits[i] & ~t->loaded.bits[i])
			return false;
	}
	return true;
}

/* A copy of an array by row, that fits its sum; NULL when it is not there, or without memory. */
static const uint32_t *get_rows(const struct wl_index *index, const char *name, size_t n,
				struct wl_arena *arena)
{
	const struct wl_index_file *file = wl_index_get_file(index);
	const struct wl_index_section *s = wl_index_section_find(file, name, sizeof(uint32_t));
	uint32_t *rows = s && s->n == n ? WL_NEW(arena, uint32_t, n) : NULL;

	return rows && wl_index_section_copy(file, s, rows) ? rows : NULL;
}

/* A copy of a record, that fits its sum; false when it is not there, or without memory. */
static bool get_record(const struct wl_index *index, const char *name, struct wl_arena *arena,
		       struct wl_unpack *ret)
{
	const struct wl_index_file *file = wl_index_get_file(index);
	const struct wl_index_section *s = wl_index_section_find(file, name, 1);
	char *copy = s ? WL_NEW(arena, char, (size_t)s->n) : NULL;

	if (!copy)
		return false;
	*ret = (struct wl_unpack){ .at = copy, .left = (size_t)s->n };
	return wl_index_section_copy(file, s, copy);
}

/* A record, which is released. What does not fit the limit of memory is found again later; false
 * then, and where the system has none: the index is not written. */
static bool put_record(struct wl_index_writer *w, const char *name, struct wl_vec *bytes)
{
	const bool ok = !bytes->failed;

	if (ok)
		wl_index_put(w, name, bytes->data, bytes->n, 1);
	else if (!wl_budget_root(&w->budget)->is_hit && w->failure.code == WL_OK)
		(void)wl_fail(&w->failure, WL_E_NOMEM, "index: no memory");
	wl_vec_release(bytes);
	return ok;
}

/* --- links ------------------------------------------------------------------------------- */

static void link_name(size_t kind, char *buf)
{
	(void)snprintf(buf, WL_SECTION_NAME, "links.%s",
		       wl_family_infos[wl_op_families[kind]].name);
}

static void put_links(const struct wl_derived *d, struct wl_index_writer *w)
{
	const struct wl_links *links = d->links;

	for (size_t kind = 0; kind < WL_N_OP_FAMILIES; kind++) {
		char name[WL_SECTION_NAME];

		link_name(kind, name);
		if (links->of[kind])
			wl_index_put(w, name, links->of[kind],
				     d->trace->family[wl_op_families[kind]].n, sizeof(uint32_t));
	}
}

static bool get_links(const void *index, const struct wl_trace *t, struct wl_arena *arena,
		      struct wl_links *ret)
{
	size_t n_calls = t->family[WL_F_API].n;
	struct wl_links links;

	if (!is_loaded(t, WL_FROM(LINKS)))
		return false;
	for (size_t kind = 0; kind < WL_N_OP_FAMILIES; kind++) {
		size_t n = t->family[wl_op_families[kind]].n;
		char name[WL_SECTION_NAME];
		const uint32_t *of;
		bool bad = false;

		link_name(kind, name);
		links.of[kind] = of = get_rows(index, name, n, arena);
		/*
		 * Analyses use links as indexes without a check, so that every one is checked here.
		 * No branch in the loop.
		 */
		for (size_t i = 0; of && i < n; i++)
			bad |= of[i] >= n_calls && of[i] != WL_NONE;
		if (!of || bad)
			return false;
	}
	*ret = links;
	return true;
}

/* --- names of ranges --------------------------------------------------------------------- */

static void put_range_names(const struct wl_derived *d, struct wl_index_writer *w)
{
	const struct wl_range_names *names = d->range_names;
	struct wl_vec bytes;

	wl_vec_init(&bytes, 1, &w->budget);
	wl_pack_u64(&bytes, names->n);
	for (size_t i = 0; i < names->n; i++) {
		const struct wl_range_name *name = &names->name[i];

		wl_pack_str(&bytes, name->text);
		wl_pack_str(&bytes, name->domain);
		wl_pack_str(&bytes, name->exact);
		wl_pack_str(&bytes, name->label_text);
		wl_pack_u64(&bytes, name->same_exact);
		wl_pack_u64(&bytes, name->label);
		wl_pack_u64(&bytes, name->is_default);
		wl_pack_u64(&bytes, name->is_nccl);
	}
	if (put_record(w, "range_names.name", &bytes))
		wl_index_put(w, "range_names.of", names->of, d->trace->family[WL_F_NVTX].n,
			     sizeof(uint32_t));
}

static void get_name(struct wl_unpack *from, size_t n, struct wl_range_name *ret)
{
	ret->text = wl_unpack_str(from);
	ret->domain = wl_unpack_str(from);
	ret->exact = wl_unpack_str(from);
	ret->label_text = wl_unpack_str(from);
	/* n is at least 1 here: it counts the names, of which this is one. */
	ret->same_exact = (uint32_t)wl_unpack_upto(from, n - 1);
	ret->label = (uint32_t)wl_unpack_upto(from, n - 1);
	ret->is_default = wl_unpack_upto(from, 1) != 0;
	ret->is_nccl = wl_unpack_upto(from, 1) != 0;
	from->failed = from->failed || !ret->exact || !ret->label_text;
}

static bool get_range_names(const void *index, const struct wl_trace *t, struct wl_arena *arena,
			    struct wl_range_names *ret)
{
	const uint8_t *kind = wl_nvtx_kind(t);
	size_t n = t->family[WL_F_NVTX].n;
	struct wl_range_name *names;
	struct wl_range_names got;
	struct wl_unpack from;
	bool bad = false;

	if (!is_loaded(t, WL_FROM(RANGE_NAMES)) || n == 0 ||
	    !get_record(index, "range_names.name", arena, &from))
		return false;
	got.n = (size_t)wl_unpack_upto(&from, from.left);
	got.name = names = WL_NEW(arena, struct wl_range_name, got.n);
	got.of = get_rows(index, "range_names.of", n, arena);
	if (!names || !got.of)
		return false;
	for (size_t i = 0; i < got.n && !from.failed; i++)
		get_name(&from, got.n, &names[i]);
	for (size_t i = 0; i < n; i++)
		bad |= got.of[i] >= got.n && (got.of[i] != WL_NONE || wl_nvtx_is_range(kind[i]));
	if (bad || !wl_unpack_done(&from))
		return false;
	*ret = got;
	return true;
}

/* --- iterations -------------------------------------------------------------------------- */

static void put_process(const struct wl_process_iters *p, struct wl_vec *bytes)
{
	wl_pack_u64(bytes, p->method);
	wl_pack_str(bytes, p->what);
	wl_pack_str(bytes, p->is);
	wl_pack_str(bytes, p->by);
	wl_pack_u64(bytes, p->is_guess);
	wl_pack_u64(bytes, p->is_joined);
	wl_pack_u64(bytes, p->n);
	wl_pack_u64(bytes, p->n_dropped);
	wl_pack_u64(bytes, (uint64_t)p->median);
	wl_pack_u64(bytes, p->steady);
	wl_pack_u64(bytes, p->by_marker != NULL);
	wl_pack_u64(bytes, p->has_kinds);
	for (size_t k = 0; k < WL_N_STEP_KINDS; k++) {
		wl_pack_u64(bytes, p->kind[k].n);
		wl_pack_u64(bytes, (uint64_t)p->kind[k].median);
	}
	for (size_t i = 0; i < WL_COUNT(p->lengths.n); i++) {
		wl_pack_u64(bytes, p->lengths.n[i]);
		wl_pack_u64(bytes, (uint64_t)p->lengths.median[i]);
	}
	wl_pack_str(bytes, p->outer.label);
	wl_pack_u64(bytes, p->outer.n);
	wl_pack_u64(bytes, (uint64_t)p->outer.median);
	for (size_t i = 0; i < p->n; i++) {
		wl_pack_u64(bytes, (uint64_t)p->at[i].tile.begin);
		wl_pack_u64(bytes, (uint64_t)p->at[i].tile.end);
		wl_pack_u64(bytes, (uint64_t)p->at[i].last_end);
		wl_pack_u64(bytes, (uint64_t)p->at[i].host.begin);
		wl_pack_u64(bytes, (uint64_t)p->at[i].host.end);
		wl_pack_u64(bytes, p->at[i].kind);
		wl_pack_u64(bytes, p->at[i].marker);
		wl_pack_u64(bytes, p->by_marker ? p->by_marker[i] : 0);
	}
}

static void put_iterations(const struct wl_derived *d, struct wl_index_writer *w)
{
	const struct wl_iterations *all = d->iterations;
	struct wl_vec bytes;

	/*
	 * A marker of the user's is not part of an index, so a problem cannot occur; if it does,
	 * nothing is kept.
	 */
	if (all->problem)
		return;
	wl_vec_init(&bytes, 1, &w->budget);
	wl_pack_u64(&bytes, all->n_found);
	wl_pack_u64(&bytes, all->n_uneven);
	for (size_t i = 0; i < d->trace->n_processes; i++)
		put_process(&all->process[i], &bytes);
	/* The number changes with the bytes of this record, which the layout does not cover. */
	(void)put_record(w, "iterations.3", &bytes);
}

static bool is_time(wl_ns t)
{
	return t >= -WL_TIME_MAX && t <= WL_TIME_MAX;
}

/* Iterations follow each other without a gap, and all or none have their markers. */
static bool tiles_ok(const struct wl_process_iters *p, size_t n_ranges)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct wl_iteration *at = &p->at[i];
		bool marked = at->marker < n_ranges;

		if (!is_time(at->tile.begin) || !is_time(at->tile.end) || !is_time(at->last_end) ||
		    !is_time(at->host.begin) || !is_time(at->host.end) ||
		    at->tile.end < at->tile.begin || at->last_end < at->tile.begin ||
		    (i > 0 && at->tile.begin != p->at[i - 1].tile.end) ||
		    (p->by_marker ? !marked : at->marker != WL_NONE))
			return false;
	}
	return true;
}

static bool get_process(struct wl_unpack *from, size_t n_ranges, struct wl_arena *arena,
			struct wl_process_iters *p)
{
	struct wl_iteration *at;
	uint32_t *by_marker;
	bool marked;

	p->method = (enum wl_iter_method)wl_unpack_upto(from, WL_ITER_TENANT);
	p->what = wl_unpack_str(from);
	p->is = wl_unpack_str(from);
	p->by = wl_unpack_str(from);
	p->is_guess = wl_unpack_upto(from, 1) != 0;
	p->is_joined = wl_unpack_upto(from, 1) != 0;
	p->n = (size_t)wl_unpack_upto(from, from->left);
	p->n_dropped = (size_t)wl_unpack_u64(from);
	p->median = (wl_ns)wl_unpack_upto(from, 2 * (uint64_t)WL_TIME_MAX);
	p->steady = (uint32_t)wl_unpack_upto(from, WL_NONE);
	marked = wl_unpack_upto(from, 1) != 0;
	p->has_kinds = wl_unpack_upto(from, 1) != 0;
	for (size_t k = 0; k < WL_N_STEP_KINDS; k++) {
		p->kind[k].n = (size_t)wl_unpack_upto(from, p->n);
		p->kind[k].median = (wl_ns)wl_unpack_upto(from, 2 * (uint64_t)WL_TIME_MAX);
	}
	for (size_t i = 0; i < WL_COUNT(p->lengths.n); i++) {
		p->lengths.n[i] = (size_t)wl_unpack_upto(from, p->n);
		p->lengths.median[i] = (wl_ns)wl_unpack_upto(from, 2 * (uint64_t)WL_TIME_MAX);
	}
	p->outer.label = wl_unpack_str(from);
	p->outer.n = (size_t)wl_unpack_upto(from, p->n);
	p->outer.median = (wl_ns)wl_unpack_upto(from, 2 * (uint64_t)WL_TIME_MAX);
	p->at = at = WL_NEW(arena, struct wl_iteration, p->n);
	by_marker = WL_NEW(arena, uint32_t, p->n);
	p->by_marker = marked ? by_marker : NULL;
	if (!at || !by_marker)
		return false;
	for (size_t i = 0; i < p->n && !from->failed; i++) {
		at[i].tile.begin = (wl_ns)wl_unpack_u64(from);
		at[i].tile.end = (wl_ns)wl_unpack_u64(from);
		at[i].last_end = (wl_ns)wl_unpack_u64(from);
		at[i].host.begin = (wl_ns)wl_unpack_u64(from);
		at[i].host.end = (wl_ns)wl_unpack_u64(from);
		at[i].kind = (enum wl_step_kind)wl_unpack_upto(from, WL_N_STEP_KINDS - 1);
		at[i].marker = (uint32_t)wl_unpack_upto(from, WL_NONE);
		at[i].is_last = i + 1 == p->n;
		by_marker[i] = (uint32_t)wl_unpack_upto(from, p->n - 1);
	}
	return !from->failed && tiles_ok(p, n_ranges) && !p->outer.label == !p->outer.n &&
	       (p->n == 0 || (p->method != WL_ITER_NONE && p->method != WL_ITER_TENANT && p->what &&
			      p->is && p->by)) &&
	       (p->steady == WL_NONE || p->steady < p->n);
}

static bool get_iterations(const void *index, const struct wl_trace *t, struct wl_arena *arena,
			   struct wl_iterations *ret)
{
	struct wl_process_iters *process;
	struct wl_unpack from;
	size_t n_found, n_uneven;
	bool ok;

	if (!is_loaded(t, WL_FROM(ITERATIONS)) || !get_record(index, "iterations.3", arena, &from))
		return false;
	process = WL_NEW(arena, struct wl_process_iters, t->n_processes);
	ok = process != NULL;
	n_found = (size_t)wl_unpack_upto(&from, t->n_processes);
	n_uneven = (size_t)wl_unpack_upto(&from, t->n_processes);
	for (size_t i = 0; ok && i < t->n_processes; i++)
		ok = get_process(&from, t->family[WL_F_NVTX].n, arena, &process[i]);
	if (!ok || !wl_unpack_done(&from))
		return false;
	*ret = (struct wl_iterations){ .process = process,
				       .n_found = n_found,
				       .n_uneven = n_uneven };
	return true;
}

const uint64_t wl_kept_from = WL_FROM(LINKS) | WL_FROM(RANGE_NAMES) | WL_FROM(ITERATIONS);

void wl_kept_put(const struct wl_derived *derived, struct wl_index_writer *w)
{
	put_links(derived, w);
	put_range_names(derived, w);
	put_iterations(derived, w);
}

struct wl_derived_source wl_kept_source(const struct wl_index *index)
{
	return (struct wl_derived_source){ .ctx = index,
					   .links = get_links,
					   .range_names = get_range_names,
					   .iterations = get_iterations };
}
