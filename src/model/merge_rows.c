/* SPDX-License-Identifier: MIT */
/* merge_rows.c - appends the rows of a file to those of the files before it. */
#include <string.h>

#include "model/merge_parts.h"

void wl_merge_begin(struct wl_merge *m, uint64_t families)
{
	for (size_t f = 0; f < WL_N_FAMILIES; f++) {
		struct wl_build_family *family = &m->build->family[f];

		if (!(families >> f & 1) || f == WL_F_TABLES)
			continue;
		for (size_t c = wl_family_infos[f].first_column;
		     c < wl_family_end((enum wl_family_id)f); c++)
			wl_vec_release(&m->build->column[c]);
		family->long_row.n = family->long_dur.n = 0;
		family->n = family->n_dropped = 0;
		family->ordered = false;
		family->filled = true;
	}
}

static void map_numbers(uint32_t *out, const uint32_t *in, size_t n, const uint32_t *map)
{
	for (size_t i = 0; i < n; i++)
		out[i] = in[i] == WL_NONE ? WL_NONE : map[in[i]];
}

static void map_strings(struct wl_merging *k, uint32_t *out, const uint32_t *in, size_t n)
{
	for (size_t i = 0; i < n; i++)
		out[i] = wl_merging_string(k, in[i]);
}

static const struct wl_trace_file *clock_of(const struct wl_merging *k)
{
	return &((const struct wl_build_file *)k->b->files.data)[k->file].clock;
}

static void map_times(const struct wl_merging *k, wl_ns *out, const wl_ns *in, size_t n)
{
	const struct wl_trace_file clock = *clock_of(k);

	for (size_t i = 0; i < n; i++)
		out[i] = in[i] == WL_NO_TIME ? WL_NO_TIME : wl_merge_time(&clock, in[i]);
}

/* Both ends are on the file's clock: if it drifts, lengths change too. */
static wl_ns map_length(const struct wl_trace_file *clock, wl_ns start, wl_ns length)
{
	return wl_merge_time(clock, start + length) - wl_merge_time(clock, start);
}

static void map_lengths(const struct wl_merging *k, size_t column, uint32_t *out, size_t n)
{
	const struct wl_trace_file clock = *clock_of(k);
	const uint32_t *in = k->t->column[column];
	const wl_ns *start = k->t->column[wl_family_keys(wl_column_infos[column].family).start];

	for (size_t i = 0; i < n; i++) {
		wl_ns length = in[i];

		if (in[i] != WL_LONG && clock.drift) {
			length = map_length(&clock, start[i], in[i]);
			/* The few that no longer fit lose a few nanoseconds out of four seconds. */
			length = length < WL_LONG ? length : (wl_ns)WL_LONG - 1;
		}
		out[i] = (uint32_t)length;
	}
}

static void map_column(struct wl_merging *k, size_t column, void *out, size_t n)
{
	const void *in = k->t->column[column];

	switch (wl_column_infos[column].domain) {
	case WL_D_START:
	case WL_D_TIME:
		map_times(k, out, in, n);
		return;
	case WL_D_PLACE:
		map_numbers(out, in, n, k->place);
		return;
	case WL_D_THREAD:
	case WL_D_THREAD_OR_NONE:
		map_numbers(out, in, n, k->thread);
		return;
	case WL_D_KERNEL_NAME:
		map_numbers(out, in, n, k->name);
		return;
	case WL_D_CONFIG:
		map_numbers(out, in, n, k->config);
		return;
	case WL_D_TEXT:
		map_strings(k, out, in, n);
		return;
	case WL_D_STACK:
		map_numbers(out, in, n, k->stack);
		return;
	case WL_D_SERIES:
		map_numbers(out, in, n, k->series);
		return;
	case WL_D_LENGTH:
		map_lengths(k, column, out, n);
		return;
	case WL_D_SIZE:
	case WL_D_CODE:
		memcpy(out, in, n * wl_column_infos[column].size);
		return;
	}
}

/* Also reserves room for the remaining files, assuming that they are like the earlier ones, so that
 * columns are rarely moved. */
static void *make_room(const struct wl_merging *k, struct wl_vec *v, size_t n)
{
	size_t want = v->n + n, whole = want / (k->file + 1) * k->m->n_files;

	if (want > v->cap && whole > want && whole / k->m->n_files < WL_NONE &&
	    !wl_vec_reserve(v, whole))
		v->failed = false; /* what this file needs may still fit */
	return wl_vec_extend(v, n);
}

static int too_many(const struct wl_merging *k, enum wl_family_id family, struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_NOMEM, "%s: more than %u %s in all files", k->b->path,
		       WL_NONE - 1, wl_family_infos[family].help);
}

static void take_long(struct wl_merging *k, enum wl_family_id family)
{
	struct wl_build_family *to = &k->b->family[family];
	const struct wl_family *from = &k->t->family[family];
	const wl_ns *start = k->t->column[wl_family_infos[family].first_column];

	for (size_t i = 0; i < from->n_long; i++) {
		uint32_t row = from->long_row[i];
		wl_ns length = map_length(clock_of(k), start[row], from->long_dur[i]);

		row += (uint32_t)to->n;
		wl_vec_push(&to->long_row, &row);
		wl_vec_push(&to->long_dur, &length);
	}
}

static int take_rows(struct wl_merging *k, enum wl_family_id family, const struct wl_columns *want,
		     struct wl_err *reterr)
{
	struct wl_build_family *to = &k->b->family[family];
	const struct wl_family *from = &k->t->family[family];

	if (from->n >= WL_NONE - to->n)
		return too_many(k, family, reterr);
	for (size_t c = wl_family_infos[family].first_column; c < wl_family_end(family); c++) {
		void *out;

		if (from->n == 0 || !wl_columns_has(want, (enum wl_column_id)c))
			continue;
		out = make_room(k, &k->b->column[c], from->n);
		if (!out || (wl_column_infos[c].domain == WL_D_STACK && !wl_merging_stacks(k)))
			return wl_fail(reterr, WL_E_NOMEM, "%s: no memory for %zu %s", k->b->path,
				       to->n + from->n, wl_family_infos[family].help);
		map_column(k, c, out, from->n);
	}
	take_long(k, family);
	to->n += from->n;
	to->n_dropped += from->n_dropped;
	return WL_OK;
}

/* Sums the rows of each table over all files. */
static bool count_tables(struct wl_merging *k)
{
	struct wl_vec *rows = &k->b->column[WL_TABLES_ROWS];
	const uint32_t *name = wl_tables_name(k->t);
	const int64_t *n = wl_tables_rows(k->t);

	while (rows->n < k->b->family[WL_F_TABLES].n && !rows->failed)
		wl_vec_push(rows, &(int64_t){ 0 });
	for (size_t i = 0; n && !rows->failed && i < k->t->family[WL_F_TABLES].n; i++) {
		uint32_t text = wl_merging_string(k, name[i]);
		uint32_t table = wl_intern_find(&k->m->table_keys, &text);

		if (table < rows->n)
			((int64_t *)rows->data)[table] += n[i];
	}
	return !rows->failed;
}

static int take_families(struct wl_merging *k, const struct wl_merge_rows *rows,
			 struct wl_err *reterr)
{
	int r = WL_OK;

	for (size_t f = 0; r == WL_OK && f < WL_N_FAMILIES; f++) {
		if (!(rows->families >> f & 1))
			continue;
		if (f == WL_F_TABLES) {
			k->m->failed |= !count_tables(k);
			continue;
		}
		r = take_rows(k, (enum wl_family_id)f, rows->want, reterr);
		if (rows->drop)
			rows->drop(rows->ctx, (enum wl_family_id)f);
	}
	return r;
}

int wl_merge_take(struct wl_merge *m, const struct wl_merge_rows *rows, struct wl_err *reterr)
{
	struct wl_merging k = {
		.m = m, .b = m->build, .t = rows->trace, .file = (uint32_t)rows->file
	};
	bool ok = wl_merging_begin(&k) && wl_merging_owners(&k);
	int r = ok ? take_families(&k, rows, reterr) : WL_OK;

	wl_arena_release(&k.arena);
	if (r == WL_OK && (!ok || !wl_merge_is_fine(m)))
		r = wl_fail(reterr, WL_E_NOMEM, "%s: no memory to join its files", m->build->path);
	return r;
}
