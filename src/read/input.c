/* SPDX-License-Identifier: MIT */
/*
 * input.c - opens a trace file and fills column families from its tables.
 *
 * Which rows of a table become rows of its family depends on the table alone, never on the
 * requested columns, so columns loaded by different calls align.
 */
#include "read/input.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "read/admit.h"
#include "read/catalogue.h"
#include "read/chains.h"
#include "read/fill.h"
#include "read/reads.h"

struct wl_input {
	struct wl_input_opts opts;
	struct wl_probe probe;
	struct wl_build build;
	struct wl_strings_map strings;
	const struct wl_family_table *table[WL_N_FAMILIES]; /* table that fills it; NULL if none */
	int64_t n_rows[WL_N_FAMILIES];                      /* estimated rows of that table */
	_Atomic int64_t rows_done;                          /* progress of the running load */
	int64_t rows_total;
	atomic_flag telling;   /* set while progress is reported */
	struct wl_err failure; /* failure of a previous load */
};

void wl_input_close(struct wl_input *input)
{
	if (!input)
		return;
	if (input->probe.reader)
		input->probe.reader->ops->close(input->probe.reader);
	wl_strings_map_release(&input->strings);
	wl_build_release(&input->build);
	free(input);
}

/* Saves files without payload layouts a second pass over their ranges. */
static bool may_have_payloads(const struct wl_probe *probe)
{
	return wl_probe_has(probe, "NVTX_PAYLOAD_SCHEMA_ENTRIES", "name") ||
	       wl_probe_has(probe, "NCCL_GPU_OPERATIONS", "commHash");
}

static const struct wl_family_table *find_table(const struct wl_input *in, enum wl_family_id family)
{
	for (size_t i = 0; i < wl_n_family_tables; i++) {
		const struct wl_family_table *t = &wl_family_tables[i];
		bool fits = t->family == family &&
			    (family != WL_F_NCCL_CALLS || may_have_payloads(&in->probe));

		for (size_t c = 0; fits && c < WL_TABLE_REQUIRED && t->required[c]; c++)
			fits = wl_probe_has(&in->probe, t->table, t->required[c]);
		if (fits)
			return t;
	}
	return NULL;
}

static void see_what_is_used(struct wl_input *in)
{
	struct wl_build *b = &in->build;
	const uint32_t *name = b->column[WL_TABLES_NAME].data;

	for (size_t i = 0; i < b->family[WL_F_TABLES].n; i++) {
		const char *table = wl_string_get(&b->strings, name[i]);
		const uint8_t use = (uint8_t)wl_reads_table(table, in->table);

		wl_vec_push(&b->column[WL_TABLES_USE], &use);
	}
	wl_columns_add(&b->loaded, WL_TABLES_USE);
}

/* Finds which families have rows: data that cannot be read must not look as if it was not
 * recorded. */
static int see_what_is_there(struct wl_input *in, struct wl_err *reterr)
{
	int r = WL_OK;

	for (size_t f = 0; r == WL_OK && f < WL_N_FAMILIES; f++) {
		const struct wl_family_table *t = find_table(in, (enum wl_family_id)f);
		int64_t rows = 0;

		if (t)
			r = in->probe.reader->ops->estimate(in->probe.reader, t->table, &rows,
							    reterr);
		in->table[f] = t;
		in->n_rows[f] = rows;
		in->build.family[f].present = rows > 0;
	}
	return r;
}

int wl_input_open(const char *path, const struct wl_input_opts *opts, struct wl_input **ret_input,
		  struct wl_err *reterr)
{
	const struct wl_reader_ops *ops = opts->reader ? opts->reader : &wl_reader_pages;
	struct wl_input *in = calloc(1, sizeof(*in));
	int r;

	if (!in)
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory to open it", path);
	in->opts = *opts;
	atomic_flag_clear(&in->telling);
	in->probe.build = &in->build;
	r = wl_build_init(&in->build, path, opts->budget, reterr);
	in->build.pool = opts->pool;
	wl_strings_map_init(&in->strings, in->build.budget);
	if (r == WL_OK)
		r = ops->open(path, opts->cancel, in->build.budget, &in->probe.reader, reterr);
	if (r == WL_OK)
		r = wl_probe_run(&in->probe, reterr);
	if (r == WL_OK)
		r = see_what_is_there(in, reterr);
	if (r == WL_OK) {
		see_what_is_used(in);
		in->build.pids_only = wl_admit_by_pid(&in->probe, in->table);
		r = wl_catalogue_load(&in->probe, reterr);
	}
	if (r == WL_OK)
		r = in->probe.reader->ops->check(in->probe.reader, reterr);
	in->build.reader = ops->name;
	if (r == WL_OK)
		r = wl_build_finish(&in->build, reterr);
	if (r < 0) {
		wl_input_close(in);
		return r;
	}
	*ret_input = in;
	return WL_OK;
}

int wl_input_admit(const struct wl_input *input, struct wl_err *reterr)
{
	return wl_admit(&input->probe, input->table, reterr);
}

const struct wl_trace *wl_input_trace(const struct wl_input *input)
{
	return &input->build.trace;
}

struct last_end {
	wl_ns end;
	int start_at, end_at;
};

static int find_last_end(void *ctx, const struct wl_batch *batch, struct wl_err *reterr)
{
	struct last_end *l = ctx;

	(void)reterr;
	for (size_t i = 0; i < batch->n; i++) {
		int64_t start = wl_cell_int(batch, l->start_at, i, INT64_MIN);
		int64_t end = wl_cell_int(batch, l->end_at, i, start);

		end = end > start ? end : start;
		if (end <= WL_TIME_MAX && end > l->end)
			l->end = end;
	}
	return WL_OK;
}

/*
 * Unclosed ranges end with the capture. If an edited or very old file does not record the capture's
 * end, the last event in the file is used.
 */
static int find_trace_end(struct wl_input *in, wl_ns *ret_end, struct wl_err *reterr)
{
	struct last_end last = { .end = -WL_TIME_MAX };
	int r = WL_OK;

	*ret_end = in->build.duration;
	for (size_t f = 0; r == WL_OK && in->build.duration == WL_NO_TIME && f < WL_N_FAMILIES;
	     f++) {
		const struct wl_family_table *table = in->table[f];
		struct wl_probe_scan query;

		if (!table)
			continue;
		wl_probe_scan_init(&query, &in->probe, table->table);
		last.start_at = wl_probe_scan_ask(&query, &in->probe, "start", WL_WANT_INT);
		last.end_at = wl_probe_scan_ask(&query, &in->probe, "end", WL_WANT_INT);
		r = wl_probe_scan_run(&query, &in->probe, find_last_end, &last, reterr);
		if (r == WL_E_RETRY)
			r = wl_probe_scan_run(&query, &in->probe, find_last_end, &last, reterr);
		*ret_end = last.end;
	}
	return r;
}

static bool is_string_column(const struct wl_binding *binding)
{
	enum wl_make make = binding->make;

	return make == WL_MAKE_STRING || make == WL_MAKE_FUNCTION || make == WL_MAKE_KERNEL_NAME ||
	       make == WL_MAKE_TEXT_OR_STRING || make == WL_MAKE_STACK || make == WL_MAKE_STEP_LOG;
}

static uint32_t resolve(void *ctx, int64_t id)
{
	const struct wl_strings_map *map = ctx;

	return wl_strings_map_get(map, id);
}

static int load_strings(struct wl_input *in, struct wl_err *reterr)
{
	int r;

	if (in->strings.loaded)
		return WL_OK;
	r = wl_strings_map_load(&in->strings, &in->probe, reterr);
	return r < 0 ? r : wl_catalogue_threads(&in->probe, resolve, &in->strings, reterr);
}

/* Reports the reader's progress; a thread that finds another one reporting continues to read. */
static void report_progress(void *ctx, int64_t rows)
{
	struct wl_input *in = ctx;
	int64_t done = atomic_fetch_add(&in->rows_done, rows) + rows;

	if (!in->opts.progress || atomic_flag_test_and_set(&in->telling))
		return;
	in->opts.progress(in->opts.progress_ctx, done, in->rows_total);
	atomic_flag_clear(&in->telling);
}

static bool wants_stacks(const struct wl_family_table *t, const struct wl_columns *want)
{
	for (size_t c = wl_family_infos[t->family].first_column; c < wl_family_end(t->family);
	     c++) {
		if (t->binding[c].make == WL_MAKE_STACK &&
		    wl_columns_has(want, (enum wl_column_id)c))
			return true;
	}
	return false;
}

static int fill_family(struct wl_input *in, enum wl_family_id family, const struct wl_columns *want,
		       struct wl_err *reterr)
{
	struct wl_raw_map chains;
	struct wl_fill fill = { .probe = &in->probe,
				.strings = &in->strings,
				.chains = &chains,
				.table = in->table[family],
				.want = want,
				.pool = in->opts.pool,
				.cancel = in->opts.cancel,
				.tell = report_progress,
				.ctx = in };
	int r = WL_OK;

	wl_raw_map_init(&chains, in->build.budget);
	for (size_t c = wl_family_infos[family].first_column;
	     r == WL_OK && fill.table && c < wl_family_end(family); c++) {
		if (wl_columns_has(want, (enum wl_column_id)c) &&
		    is_string_column(&fill.table->binding[c]))
			r = load_strings(in, reterr);
	}
	if (r == WL_OK && fill.table && family == WL_F_NVTX)
		r = find_trace_end(in, &fill.trace_end, reterr);
	if (r == WL_OK && fill.table && wants_stacks(fill.table, want))
		r = wl_chains_load(&in->probe, family, &in->strings, &chains, reterr);
	if (r == WL_OK)
		r = wl_fill_family(&fill, family, reterr);
	wl_raw_map_release(&chains);
	return r;
}

/* Counts the rows of all tables; tables that were read are counted already. */
static int count_tables(struct wl_input *in, struct wl_err *reterr)
{
	struct wl_build *b = &in->build;
	const uint32_t *name = b->column[WL_TABLES_NAME].data;
	size_t n = b->family[WL_F_TABLES].n;
	int64_t *rows = wl_vec_extend(&b->column[WL_TABLES_ROWS], n);
	int r = WL_OK;

	if (!rows)
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory to count rows", b->path);
	for (size_t i = 0; r == WL_OK && i < n; i++) {
		const char *table = wl_string_get(&b->strings, name[i]);

		rows[i] = -1;
		for (size_t f = 0; f < WL_N_FAMILIES; f++) {
			if (b->family[f].filled && in->table[f] &&
			    strcmp(in->table[f]->table, table) == 0)
				rows[i] = (int64_t)(b->family[f].n + b->family[f].n_dropped +
						    b->family[f].n_left_out);
		}
		if (rows[i] < 0)
			r = in->probe.reader->ops->count(in->probe.reader, table, &rows[i], reterr);
	}
	return r;
}

/* A family is always read whole: columns that are already loaded are read again. */
static void add_loaded(struct wl_columns *want, const struct wl_columns *loaded)
{
	for (size_t f = 0; f < WL_N_FAMILIES; f++) {
		if (!wl_columns_has_family(want, (enum wl_family_id)f))
			continue;
		for (size_t c = wl_family_infos[f].first_column;
		     c < wl_family_end((enum wl_family_id)f); c++) {
			if (wl_columns_has(loaded, (enum wl_column_id)c))
				wl_columns_add(want, (enum wl_column_id)c);
		}
	}
}

static bool is_new(const struct wl_input *in, const struct wl_columns *want,
		   enum wl_family_id family)
{
	for (size_t c = wl_family_infos[family].first_column; c < wl_family_end(family); c++) {
		if (wl_columns_has(want, (enum wl_column_id)c) &&
		    !wl_columns_has(&in->build.loaded, (enum wl_column_id)c))
			return true;
	}
	return false;
}

static void guess_rows(struct wl_input *in, const struct wl_columns *want)
{
	atomic_store(&in->rows_done, 0);
	in->rows_total = 0;
	for (size_t f = 0; f < WL_N_FAMILIES; f++) {
		if (is_new(in, want, (enum wl_family_id)f))
			in->rows_total += in->n_rows[f];
	}
}

static int load(struct wl_input *in, const struct wl_columns *asked, struct wl_err *reterr)
{
	struct wl_columns want = *asked;
	bool any = false;
	int r = WL_OK;

	wl_columns_close(&want);
	add_loaded(&want, &in->build.loaded);
	guess_rows(in, &want);
	for (size_t f = 0; r == WL_OK && f < WL_N_FAMILIES; f++) {
		if (f == WL_F_TABLES || !is_new(in, &want, (enum wl_family_id)f))
			continue;
		r = fill_family(in, (enum wl_family_id)f, &want, reterr);
		any = true;
	}
	if (r == WL_OK && is_new(in, &want, WL_F_TABLES)) {
		r = count_tables(in, reterr);
		any = true;
	}
	if (r == WL_OK && any)
		r = in->probe.reader->ops->check(in->probe.reader, reterr);
	if (r < 0 || !any)
		return r;
	wl_columns_join(&in->build.loaded, &want);
	in->build.detours = in->probe.reader->ops->detours(in->probe.reader);
	return wl_build_finish(&in->build, reterr);
}

/* A failed load leaves families half filled, so every later load returns the same failure. */
int wl_input_load(struct wl_input *in, const struct wl_columns *want, struct wl_err *reterr)
{
	if (in->failure.code == WL_OK && load(in, want, &in->failure) == WL_OK)
		return WL_OK;
	if (reterr)
		*reterr = in->failure;
	return (int)in->failure.code;
}

void wl_input_drop(struct wl_input *in, enum wl_family_id family)
{
	struct wl_trace *t = &in->build.trace;

	for (size_t c = wl_family_infos[family].first_column; c < wl_family_end(family); c++) {
		wl_vec_release(&in->build.column[c]);
		t->column[c] = NULL;
	}
	in->build.family[family].n = 0;
	t->family[family].n = 0;
}
