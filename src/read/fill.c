/* SPDX-License-Identifier: MIT */
/*
 * fill.c - reads the parts of a table in parallel into one array per column.
 *
 * If the reader knows how many rows each part has, a part writes its values directly to their final
 * position. Parts that kept fewer rows leave holes, which are closed at the end.
 */
#include "read/fill.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/process/pool.h"
#include "base/text/units.h"
#include "known/exports/codes.h"

/* Parts per thread, so that a slow part does not keep the others waiting; and the number of rows
 * from which threads pay off. */
enum { PARTS_PER_THREAD = 4, MIN_ROWS = 50000 };

/* Rows of a column whose pages are populated at a time: few enough to stay in a cache until
 * written. */
enum { AHEAD = 16384 };

/* What the query requests besides the columns, to decide which rows count. */
struct keeping {
	int start_at;      /* column without which a row is dropped, or -1 */
	int device_at;     /* the same */
	int end_at;        /* column whose time may be absent, but not out of bounds; or -1 */
	int class_at;      /* event class, if the table has rows of other kinds; or -1 */
	int payload_at[2]; /* if only_payloads, columns of which a row must have one; or -1 */
	bool only_payloads;
	bool needs_start, needs_device;
};

struct filling;

/* One part of the table, read by one thread. */
struct part {
	const struct filling *filling;
	struct wl_maker maker;
	struct wl_making making[WL_SCAN_COLUMNS];
	int64_t start[WL_BATCH_ROWS]; /* used if the batch's own values do not suffice */
	size_t begin;                 /* first row of the family for its values */
	size_t n, n_dropped, n_left_out;
	int result;
	struct wl_err err;
};

struct filling {
	const struct wl_fill *fill;
	enum wl_family_id family;
	struct wl_build *build;
	struct wl_probe_scan query;
	struct keeping keeping;
	struct wl_making making[WL_SCAN_COLUMNS]; /* initial makings of each part */
	size_t n_makings;
	struct wl_scanning *scanning;
	bool sized; /* columns have room for all rows already */
	struct part *part;
	size_t n_parts;
};

/* OS tracing records its own begin and end in the table of calls; most ranges have no payload. */
static bool is_no_call(const struct keeping *keep, const struct wl_batch *batch, size_t i)
{
	int64_t class = wl_cell_int(batch, keep->class_at, i, -1);

	if (keep->only_payloads)
		return !wl_cell_is_set(batch, keep->payload_at[0], i) &&
		       !wl_cell_is_set(batch, keep->payload_at[1], i);
	return class == WL_EVENT_OSRT_BEGIN || class == WL_EVENT_OSRT_END;
}

/* True if the column is present, OK in all rows, and within both bounds. */
static bool all_within(const struct wl_batch *batch, int column, int64_t least, int64_t most)
{
	const struct wl_batch_column *c = &batch->column[column < 0 ? 0 : column];
	bool out = false;

	if (column < 0 || !c->all_ok)
		return false;
	for (size_t i = 0; i < batch->n; i++)
		out |= c->value[i] < least || c->value[i] > most;
	return !out;
}

/*
 * Keeps the rows that can be placed in time and on a device; the others are counted and dropped.
 * Rows that are not calls are left out.
 */
static void keep_rows(struct part *p, const struct keeping *keep, const struct wl_batch *batch)
{
	struct wl_maker *m = &p->maker;

	m->batch = batch;
	m->first = p->n;
	m->n_kept = 0;
	if (keep->class_at < 0 && !keep->only_payloads &&
	    (!keep->needs_start || all_within(batch, keep->start_at, -WL_TIME_MAX, WL_TIME_MAX)) &&
	    (!keep->needs_device || all_within(batch, keep->device_at, 0, UINT32_MAX - 1)) &&
	    (keep->end_at < 0 || all_within(batch, keep->end_at, -WL_TIME_MAX, WL_TIME_MAX))) {
		for (size_t i = 0; i < batch->n; i++)
			m->kept[i] = (uint16_t)i;
		m->n_kept = batch->n;
		m->start = keep->needs_start ? batch->column[keep->start_at].value : p->start;
		return;
	}
	m->start = p->start;
	for (size_t i = 0; i < batch->n; i++) {
		int64_t start = wl_cell_int(batch, keep->start_at, i, INT64_MIN);
		int64_t device = wl_cell_int(batch, keep->device_at, i, -1);
		int64_t end = wl_cell_int(batch, keep->end_at, i, 0);

		if (is_no_call(keep, batch, i)) {
			p->n_left_out++;
			continue;
		}
		if ((keep->needs_start && (start < -WL_TIME_MAX || start > WL_TIME_MAX)) ||
		    (keep->needs_device && (device < 0 || device >= UINT32_MAX)) ||
		    end < -WL_TIME_MAX || end > WL_TIME_MAX) {
			p->n_dropped++;
			continue;
		}
		p->start[i] = start;
		m->kept[m->n_kept++] = (uint16_t)i;
	}
}

static int no_memory(const struct filling *f, size_t rows, struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_NOMEM,
		       "%s: no memory after %zu rows (%zu MB in use); give more with --memory, "
		       "or take a machine with more",
		       f->build->path, rows, wl_budget_root(f->build->budget)->used >> 20);
}

/* Where the next n values of a column go; NULL if out of memory. */
static void *room_for(const struct filling *f, const struct part *p, size_t making, size_t n)
{
	struct wl_vec *v = &f->build->column[f->making[making].column];
	size_t at = p->begin + p->n;

	if (!f->sized)
		return wl_vec_extend(v, n);
	if (p->n / AHEAD != (p->n + n) / AHEAD || p->n == 0)
		wl_vec_expect(v, at, at + AHEAD < v->n ? at + AHEAD : v->n);
	return (char *)v->data + at * v->size;
}

static bool part_failed(const struct part *p)
{
	bool failed = p->maker.long_row.failed || p->maker.long_dur.failed;

	for (size_t i = 0; i < p->filling->n_makings; i++)
		failed = failed || p->making[i].failed;
	return failed;
}

static int fill_batch(void *ctx, const struct wl_batch *batch, struct wl_err *reterr)
{
	struct part *p = ctx;
	const struct filling *f = p->filling;
	struct wl_maker *m = &p->maker;

	if ((f->fill->cancel && *f->fill->cancel) || wl_budget_is_stopped(f->build->budget))
		return wl_fail(reterr, WL_E_CANCELED, "%s: stopped", f->build->path);
	keep_rows(p, &f->keeping, batch);
	if (p->begin + p->n + m->n_kept >= WL_NONE)
		return wl_fail(reterr, WL_E_NOMEM, "%s: more than %u rows in a table",
			       f->build->path, WL_NONE - 1);
	m->n_mistyped += wl_batch_mistyped(batch, f->query.scan.n_columns);
	for (size_t i = 0; i < f->n_makings; i++) {
		void *out = room_for(f, p, i, m->n_kept);

		if (!out)
			return no_memory(f, p->begin + p->n, reterr);
		wl_making_run(&p->making[i], m, out);
	}
	p->n += m->n_kept;
	if (part_failed(p))
		return no_memory(f, p->begin + p->n, reterr);
	f->fill->tell(f->fill->ctx, (int64_t)batch->n);
	return WL_OK;
}

static bool read_part(void *ctx, size_t i, struct wl_arena *arena)
{
	struct filling *f = ctx;
	struct part *p = &f->part[i];

	(void)arena;
	p->result = f->fill->probe->reader->ops->read_part(f->scanning, i, fill_batch, p, &p->err);
	return p->result == WL_OK;
}

static void ask(struct filling *f)
{
	const struct wl_probe *probe = f->fill->probe;
	struct keeping *keep = &f->keeping;

	*keep = (struct keeping){ .start_at = -1, .device_at = -1, .end_at = -1, .class_at = -1 };
	keep->only_payloads = f->family == WL_F_NCCL_CALLS;
	if (keep->only_payloads) {
		keep->payload_at[0] =
			wl_probe_scan_ask(&f->query, probe, "binaryData", WL_WANT_BYTES);
		keep->payload_at[1] = wl_probe_scan_ask(&f->query, probe, "jsonText", WL_WANT_TEXT);
	}
	if (f->family == WL_F_OSRT)
		keep->class_at = wl_probe_scan_ask(&f->query, probe, "eventClass", WL_WANT_INT);
	for (size_t c = wl_family_infos[f->family].first_column; c < wl_family_end(f->family);
	     c++) {
		const struct wl_binding *b = &f->fill->table->binding[c];

		if (b->make == WL_MAKE_START) {
			keep->needs_start = true;
			keep->start_at =
				wl_probe_scan_ask(&f->query, probe, b->source[0], WL_WANT_INT);
		}
		if (b->make == WL_MAKE_DUR || b->make == WL_MAKE_NVTX_DUR)
			keep->end_at =
				wl_probe_scan_ask(&f->query, probe, b->source[0], WL_WANT_INT);
		if ((b->make == WL_MAKE_PLACE || b->make == WL_MAKE_OP_PLACE) && b->source[1]) {
			keep->needs_device = true;
			keep->device_at =
				wl_probe_scan_ask(&f->query, probe, b->source[1], WL_WANT_INT);
		}
		if (wl_columns_has(f->fill->want, (enum wl_column_id)c)) {
			struct wl_making *g = &f->making[f->n_makings++];

			wl_making_init(g, (enum wl_column_id)c, b, f->build->budget);
			wl_making_ask(g, &f->query, probe);
		}
	}
	assert(!f->query.overflow);
}

static void empty_family(struct wl_build *b, enum wl_family_id family)
{
	struct wl_build_family *f = &b->family[family];

	for (size_t c = wl_family_infos[family].first_column; c < wl_family_end(family); c++)
		wl_vec_release(&b->column[c]);
	f->long_row.n = f->long_dur.n = 0;
	f->n = f->n_dropped = f->n_left_out = f->n_mistyped = 0;
	f->ordered = false;
	f->filled = true;
}

static int no_memory_for_parts(const struct filling *f, struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_NOMEM, "%s: no memory to read %s", f->build->path,
		       f->fill->table->table);
}

/* Reports the shortage before anything is read. */
static int no_room(const struct filling *f, size_t rows, size_t in_use, struct wl_err *reterr)
{
	const struct wl_budget *b = wl_budget_root(f->build->budget);
	char limit[WL_UNITS_BUF], used[WL_UNITS_BUF], need[WL_UNITS_BUF];
	size_t bytes = 0;

	for (size_t i = 0; i < f->n_makings; i++)
		bytes += rows * wl_column_infos[f->making[i].column].size;
	return wl_fail(reterr, WL_E_NOMEM,
		       "%s: no memory for %zu %s: they take %s beside the %s in use%s%s; give more "
		       "with --memory, or take a machine with more",
		       f->build->path, rows, wl_family_infos[f->family].help,
		       wl_fmt_bytes(need, (int64_t)bytes), wl_fmt_bytes(used, (int64_t)in_use),
		       b->limit ? ", and the limit is " : "",
		       b->limit ? wl_fmt_bytes(limit, (int64_t)b->limit) : "");
}

/* Reserves room for all rows if the reader knows how many there are. */
static int make_room(struct filling *f, struct wl_err *reterr)
{
	size_t n = 0, in_use = wl_budget_root(f->build->budget)->used;

	f->sized = true;
	for (size_t i = 0; i < f->n_parts; i++) {
		int64_t rows = f->scanning->rows[i];

		f->part[i].begin = n;
		f->sized = f->sized && rows >= 0;
		n += f->sized ? (size_t)rows : 0;
	}
	if (f->sized && n >= WL_NONE)
		return wl_fail(reterr, WL_E_NOMEM, "%s: more than %u rows in a table",
			       f->build->path, WL_NONE - 1);
	for (size_t i = 0; f->sized && i < f->n_makings; i++) {
		struct wl_vec *v = &f->build->column[f->making[i].column];

		if (!wl_vec_reserve(v, n) || !wl_vec_extend(v, n))
			return no_room(f, n, in_use, reterr);
	}
	return WL_OK;
}

static int make_parts(struct filling *f, struct wl_err *reterr)
{
	f->n_parts = f->scanning->n_parts;
	f->part = calloc(f->n_parts, sizeof(*f->part));
	if (!f->part)
		return no_memory_for_parts(f, reterr);
	for (size_t i = 0; i < f->n_parts; i++) {
		struct part *p = &f->part[i];

		p->filling = f;
		p->maker.strings = f->fill->strings;
		p->maker.chains = f->fill->chains;
		p->maker.build = f->build;
		p->maker.trace_end = f->fill->trace_end;
		wl_vec_init(&p->maker.long_row, sizeof(uint32_t), f->build->budget);
		wl_vec_init(&p->maker.long_dur, sizeof(wl_ns), f->build->budget);
		memcpy(p->making, f->making, f->n_makings * sizeof(f->making[0]));
	}
	return make_room(f, reterr);
}

static void free_parts(struct filling *f)
{
	for (size_t i = 0; f->part && i < f->n_parts; i++) {
		wl_vec_release(&f->part[i].maker.long_row);
		wl_vec_release(&f->part[i].maker.long_dur);
		for (size_t g = 0; g < f->n_makings; g++)
			wl_making_release(&f->part[i].making[g]);
	}
	free(f->part);
	f->part = NULL;
}

/* Closes the holes that dropped rows left, so that each part's rows follow those of the previous
 * part. */
static void close_up(struct filling *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n_parts; i++) {
		struct part *p = &f->part[i];

		for (size_t g = 0; f->sized && n != p->begin && g < f->n_makings; g++) {
			struct wl_vec *v = &f->build->column[f->making[g].column];

			memmove((char *)v->data + n * v->size, (char *)v->data + p->begin * v->size,
				p->n * v->size);
		}
		p->begin = n;
		n += p->n;
	}
	for (size_t g = 0; g < f->n_makings; g++) {
		struct wl_vec *v = &f->build->column[f->making[g].column];

		v->n = n;
		wl_vec_trim(v);
	}
}

static void merge_part(struct wl_build_family *to, const struct part *p)
{
	const uint32_t *row = p->maker.long_row.data;
	const wl_ns *dur = p->maker.long_dur.data;

	for (size_t i = 0; i < p->maker.long_row.n; i++) {
		uint32_t at = row[i] + (uint32_t)p->begin;

		wl_vec_push(&to->long_row, &at);
		wl_vec_push(&to->long_dur, &dur[i]);
	}
	to->n += p->n;
	to->n_dropped += p->n_dropped;
	to->n_left_out += p->n_left_out;
	to->n_mistyped += p->maker.n_mistyped;
}

static bool renumber_part(void *ctx, size_t i, struct wl_arena *arena)
{
	struct filling *f = ctx;
	struct part *p = &f->part[i];

	(void)arena;
	for (size_t g = 0; g < f->n_makings; g++) {
		struct wl_vec *v = &f->build->column[f->making[g].column];

		if (p->n)
			wl_making_renumber(&p->making[g], (char *)v->data + p->begin * v->size,
					   p->n);
	}
	return true;
}

static int merge(struct filling *f, struct wl_arena *arena, struct wl_err *reterr)
{
	struct wl_build_family *family = &f->build->family[f->family];

	close_up(f);
	for (size_t i = 0; i < f->n_parts; i++)
		merge_part(family, &f->part[i]);
	for (size_t g = 0; g < f->n_makings; g++) {
		for (size_t i = 0; i < f->n_parts; i++)
			wl_making_merge(&f->part[i].making[g], f->fill->strings, f->build);
	}
	if (wl_build_failed(f->build))
		return no_memory(f, family->n, reterr);
	if (!wl_pool_map(f->fill->pool, f->n_parts, renumber_part, f, arena))
		return no_memory_for_parts(f, reterr);
	return WL_OK;
}

/* The failure of the first part that has one; WL_E_RETRY of any part takes precedence. */
static int failure(const struct filling *f, struct wl_err *reterr)
{
	const struct part *first = NULL;

	for (size_t i = 0; i < f->n_parts; i++) {
		if (f->part[i].result == WL_E_RETRY)
			return WL_E_RETRY;
		if (!first && f->part[i].result < 0)
			first = &f->part[i];
	}
	return first ? wl_fail(reterr, first->err.code, "%s", first->err.msg)
		     : no_memory_for_parts(f, reterr);
}

static int fill_once(struct filling *f, struct wl_arena *arena, struct wl_err *reterr)
{
	const struct wl_reader_ops *ops = f->fill->probe->reader->ops;
	struct wl_reader *reader = f->fill->probe->reader;
	unsigned threads = wl_pool_threads(f->fill->pool);
	size_t max_parts = 1;
	int64_t rows = 0;
	int r = WL_OK;

	empty_family(f->build, f->family);
	if (threads > 1)
		r = ops->estimate(reader, f->fill->table->table, &rows, reterr);
	if (r < 0)
		return r;
	if (rows >= MIN_ROWS)
		max_parts = (size_t)threads * PARTS_PER_THREAD;
	r = ops->begin(reader, &f->query.scan, max_parts, &f->scanning, reterr);
	if (r < 0)
		return r;
	r = make_parts(f, reterr);
	if (r == WL_OK && !wl_pool_map(f->fill->pool, f->n_parts, read_part, f, arena))
		r = failure(f, reterr);
	ops->end(f->scanning);
	if (r == WL_OK)
		r = merge(f, arena, reterr);
	free_parts(f);
	return r;
}

int wl_fill_family(const struct wl_fill *fill, enum wl_family_id family, struct wl_err *reterr)
{
	struct filling f = { .fill = fill, .family = family, .build = fill->probe->build };
	struct wl_arena arena;
	int r;

	empty_family(f.build, family);
	if (!fill->table)
		return WL_OK;
	wl_probe_scan_init(&f.query, fill->probe, fill->table->table);
	ask(&f);
	if (f.query.table == WL_NONE || f.query.scan.n_columns == 0)
		return WL_OK;
	wl_arena_init_on(&arena, f.build->budget);
	r = fill_once(&f, &arena, reterr);
	if (r == WL_E_RETRY)
		r = fill_once(&f, &arena, reterr);
	wl_arena_release(&arena);
	return r;
}
