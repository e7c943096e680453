/*
 * input.c - open a trace file and fill column families from its tables.
 *
 * Which rows of a table become rows of its family depends on the table alone,
 * never on the columns asked for; so columns loaded by different calls align.
 */
#include "read/input.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "facts/codes.h"
#include "read/catalogue.h"
#include "read/make.h"

struct wl_input {
	struct wl_input_opts opts;
	struct wl_probe probe;
	struct wl_build build;
	struct wl_strings_map strings;
	const struct wl_family_table *table[WL_N_FAMILIES]; /* that fills it; NULL if none does */
	int64_t rows_done, rows_total;                      /* progress of the running load */
	struct wl_err failure;                              /* of an earlier load */
};

void wl_input_close(struct wl_input *input)
{
	if (!input)
		return;
	if (input->probe.reader)
		input->probe.ops->close(input->probe.reader);
	wl_strings_map_release(&input->strings);
	wl_build_release(&input->build);
	free(input);
}

static const struct wl_family_table *find_table(const struct wl_input *in, enum wl_family_id family)
{
	for (size_t i = 0; i < wl_n_family_tables; i++) {
		const struct wl_family_table *t = &wl_family_tables[i];
		bool fits = t->family == family;

		for (size_t c = 0; fits && c < WL_TABLE_REQUIRED && t->required[c]; c++)
			fits = wl_probe_has(&in->probe, t->table, t->required[c]);
		if (fits)
			return t;
	}
	return NULL;
}

static void see_what_is_there(struct wl_input *in)
{
	for (size_t f = 0; f < WL_N_FAMILIES; f++) {
		const struct wl_family_table *t = find_table(in, (enum wl_family_id)f);

		in->table[f] = t;
		in->build.family[f].present =
			t && in->probe.ops->estimate(in->probe.reader, t->table) > 0;
	}
}

int wl_input_open(const char *path, const struct wl_input_opts *opts, struct wl_input **ret_input,
		  struct wl_err *reterr)
{
	struct wl_input *in = calloc(1, sizeof(*in));
	int r;

	if (!in)
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory to open it", path);
	in->opts = *opts;
	in->probe = (struct wl_probe){ .ops = opts->reader ? opts->reader : &wl_reader_pages,
				       .build = &in->build };
	r = wl_build_init(&in->build, path, opts->memory, reterr);
	wl_strings_map_init(&in->strings, &in->build.budget);
	if (r == WL_OK)
		r = in->probe.ops->open(path, opts->cancel, &in->probe.reader, reterr);
	if (r == WL_OK)
		r = wl_probe_run(&in->probe, reterr);
	if (r == WL_OK)
		r = wl_catalogue_load(&in->probe, reterr);
	if (r == WL_OK)
		r = in->probe.ops->check(in->probe.reader, reterr);
	if (r == WL_OK)
		see_what_is_there(in);
	in->build.reader = in->probe.ops->name;
	if (r == WL_OK)
		r = wl_build_finish(&in->build, reterr);
	if (r < 0) {
		wl_input_close(in);
		return r;
	}
	*ret_input = in;
	return WL_OK;
}

const struct wl_trace *wl_input_trace(const struct wl_input *input)
{
	return &input->build.trace;
}

/* One family while its table is read. */
struct filling {
	struct wl_input *in;
	struct wl_maker maker;
	struct wl_making making[WL_SCAN_COLUMNS];
	size_t n_makings;
	size_t n_columns; /* of the scan */
	int start_at;     /* column without which a row is dropped, or -1 */
	int device_at;    /* the same */
	int class_at;     /* event class, of a table that has rows of other kinds; or -1 */
	bool needs_start, needs_device;
};

/* OS tracing notes in the table of calls when it began and ended. */
static bool is_no_call(const struct filling *f, const struct wl_batch *batch, size_t i)
{
	int64_t class = wl_cell_int(batch, f->class_at, i, -1);

	return class == WL_EVENT_OSRT_BEGIN || class == WL_EVENT_OSRT_END;
}

/*
 * Rows that can be placed in time and on a device; the others are counted and
 * dropped. Rows that are no calls are left out.
 */
static void keep_rows(struct filling *f, const struct wl_batch *batch)
{
	struct wl_maker *m = &f->maker;

	m->batch = batch;
	m->n_kept = 0;
	for (size_t i = 0; i < batch->n; i++) {
		int64_t start = wl_cell_int(batch, f->start_at, i, INT64_MIN);
		int64_t device = wl_cell_int(batch, f->device_at, i, -1);

		if (is_no_call(f, batch, i)) {
			m->family->n_left_out++;
			continue;
		}
		if ((f->needs_start && (start < -WL_TIME_MAX || start > WL_TIME_MAX)) ||
		    (f->needs_device && (device < 0 || device >= UINT32_MAX))) {
			m->family->n_dropped++;
			continue;
		}
		m->start[i] = start;
		m->kept[m->n_kept++] = (uint16_t)i;
	}
}

static int fill_batch(void *ctx, const struct wl_batch *batch, struct wl_err *reterr)
{
	struct filling *f = ctx;
	struct wl_input *in = f->in;
	struct wl_maker *m = &f->maker;

	if (in->opts.cancel && *in->opts.cancel)
		return wl_fail(reterr, WL_E_CANCELED, "%s: stopped", in->build.path);
	keep_rows(f, batch);
	if (m->family->n + m->n_kept >= WL_NONE)
		return wl_fail(reterr, WL_E_NOMEM, "%s: more than %u rows in a table",
			       in->build.path, WL_NONE - 1);
	m->family->n_mistyped += wl_batch_mistyped(batch, f->n_columns);
	for (size_t i = 0; i < f->n_makings; i++)
		wl_making_run(&f->making[i], m);
	m->family->n += m->n_kept;
	if (wl_build_failed(&in->build))
		return wl_fail(reterr, WL_E_NOMEM,
			       "%s: no memory after %zu rows (%zu MB in use); raise the limit or "
			       "take a machine with more",
			       in->build.path, m->family->n, in->build.budget.used >> 20);
	in->rows_done += (int64_t)batch->n;
	if (in->opts.progress)
		in->opts.progress(in->opts.progress_ctx, in->rows_done, in->rows_total);
	return WL_OK;
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
 * Where unclosed ranges end: with the capture. A file that does not say when that
 * was, which is an edited or a very old one, ends with the last thing in it.
 */
static int find_trace_end(struct wl_input *in, wl_ns *ret_end, struct wl_err *reterr)
{
	struct last_end last = { .end = -WL_TIME_MAX };
	int r = WL_OK;

	*ret_end = in->build.duration;
	for (size_t f = 0; r == WL_OK && in->build.duration == WL_NO_TIME && f < WL_N_FAMILIES;
	     f++) {
		const struct wl_family_table *table = in->table[f];
		struct wl_query query;

		if (!table)
			continue;
		wl_query_init(&query, &in->probe, table->table);
		last.start_at = wl_query_ask(&query, &in->probe, "start", WL_WANT_INT);
		last.end_at = wl_query_ask(&query, &in->probe, "end", WL_WANT_INT);
		r = wl_query_run(&query, &in->probe, find_last_end, &last, reterr);
		if (r == WL_E_RETRY)
			r = wl_query_run(&query, &in->probe, find_last_end, &last, reterr);
		*ret_end = last.end;
	}
	return r;
}

static bool is_string_column(enum wl_column_id column)
{
	enum wl_make make = wl_bindings[column].make;

	return make == WL_MAKE_STRING || make == WL_MAKE_FUNCTION || make == WL_MAKE_KERNEL_NAME ||
	       make == WL_MAKE_TEXT_OR_STRING;
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

static void prepare_filling(struct filling *f, struct wl_query *query,
			    const struct wl_columns *want, enum wl_family_id family)
{
	const struct wl_probe *probe = &f->in->probe;

	f->start_at = f->device_at = f->class_at = -1;
	if (family == WL_F_OSRT)
		f->class_at = wl_query_ask(query, probe, "eventClass", WL_WANT_INT);
	for (size_t c = wl_family_infos[family].first_column; c < wl_family_end(family); c++) {
		enum wl_make make = wl_bindings[c].make;

		if (make == WL_MAKE_START) {
			f->needs_start = true;
			f->start_at =
				wl_query_ask(query, probe, wl_bindings[c].source[0], WL_WANT_INT);
		}
		if (make == WL_MAKE_PLACE || make == WL_MAKE_OP_PLACE) {
			f->needs_device = true;
			f->device_at =
				wl_query_ask(query, probe, wl_bindings[c].source[1], WL_WANT_INT);
		}
		if (wl_columns_has(want, (enum wl_column_id)c))
			wl_making_init(&f->making[f->n_makings++], (enum wl_column_id)c, query,
				       probe);
	}
	assert(!query->overflow);
	f->n_columns = query->scan.n_columns;
}

static void empty_family(struct wl_build *b, enum wl_family_id family)
{
	struct wl_build_family *f = &b->family[family];

	for (size_t c = wl_family_infos[family].first_column; c < wl_family_end(family); c++)
		wl_vec_release(&b->column[c]);
	f->long_row.n = f->long_dur.n = 0;
	f->n = f->n_dropped = f->n_left_out = f->n_mistyped = 0;
	f->filled = f->ordered = false;
}

static int fill_family(struct wl_input *in, enum wl_family_id family, const struct wl_columns *want,
		       struct wl_err *reterr)
{
	const struct wl_family_table *table = in->table[family];
	struct filling *f;
	struct wl_query query;
	int r = WL_OK;

	empty_family(&in->build, family);
	in->build.family[family].filled = true;
	if (!table)
		return WL_OK;
	f = calloc(1, sizeof(*f));
	if (!f)
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory to read %s", in->build.path,
			       table->table);
	f->in = in;
	f->maker = (struct wl_maker){ .build = &in->build,
				      .strings = &in->strings,
				      .family = &in->build.family[family] };
	wl_query_init(&query, &in->probe, table->table);
	prepare_filling(f, &query, want, family);
	for (size_t i = 0; r == WL_OK && i < f->n_makings; i++) {
		if (is_string_column(f->making[i].column))
			r = load_strings(in, reterr);
	}
	if (r == WL_OK && family == WL_F_NVTX)
		r = find_trace_end(in, &f->maker.trace_end, reterr);
	if (r == WL_OK)
		r = wl_query_run(&query, &in->probe, fill_batch, f, reterr);
	if (r == WL_E_RETRY) {
		empty_family(&in->build, family);
		in->build.family[family].filled = true;
		r = wl_query_run(&query, &in->probe, fill_batch, f, reterr);
	}
	for (size_t i = 0; i < f->n_makings; i++)
		wl_vec_trim(&in->build.column[f->making[i].column]);
	free(f);
	return r;
}

/* Row counts of all tables; those that were read are known already. */
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
			r = in->probe.ops->count(in->probe.reader, table, &rows[i], reterr);
	}
	return r;
}

/* The closure of a wish: what else must be read so that rows can be ordered and devices told. */
static void complete(struct wl_columns *want, const struct wl_columns *loaded)
{
	bool gpu = false;

	for (size_t i = 0; i < WL_N_OP_FAMILIES; i++)
		gpu = gpu || wl_columns_has_family(want, wl_op_families[i]);
	gpu = gpu || wl_columns_has_family(want, WL_F_SYNCS) ||
	      wl_columns_has_family(want, WL_F_EVENTS);
	for (size_t f = 0; f < WL_N_FAMILIES; f++) {
		enum wl_order order = wl_family_infos[f].order;
		size_t first = wl_family_infos[f].first_column;
		bool is_op = false;

		for (size_t i = 0; i < WL_N_OP_FAMILIES; i++)
			is_op = is_op || wl_op_families[i] == f;
		if (!(is_op && gpu) && !wl_columns_has_family(want, (enum wl_family_id)f))
			continue;
		/* A family is read whole: columns that are there already come along. */
		for (size_t c = first; c < wl_family_end((enum wl_family_id)f); c++) {
			bool key = order != WL_BY_ROW && (wl_bindings[c].make == WL_MAKE_START ||
							  wl_bindings[c].make == WL_MAKE_DUR ||
							  wl_bindings[c].make == WL_MAKE_NVTX_DUR ||
							  wl_bindings[c].make == WL_MAKE_PLACE ||
							  wl_bindings[c].make == WL_MAKE_OP_PLACE ||
							  wl_bindings[c].make == WL_MAKE_THREAD);

			if (key || wl_columns_has(loaded, (enum wl_column_id)c))
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
	in->rows_done = in->rows_total = 0;
	for (size_t f = 0; f < WL_N_FAMILIES; f++) {
		if (in->table[f] && is_new(in, want, (enum wl_family_id)f))
			in->rows_total +=
				in->probe.ops->estimate(in->probe.reader, in->table[f]->table);
	}
}

static int load(struct wl_input *in, const struct wl_columns *asked, struct wl_err *reterr)
{
	struct wl_columns want = *asked;
	bool any = false;
	int r = WL_OK;

	complete(&want, &in->build.loaded);
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
		r = in->probe.ops->check(in->probe.reader, reterr);
	if (r < 0 || !any)
		return r;
	wl_columns_join(&in->build.loaded, &want);
	return wl_build_finish(&in->build, reterr);
}

/* A load that failed left families half filled: what it said stays true. */
int wl_input_load(struct wl_input *in, const struct wl_columns *want, struct wl_err *reterr)
{
	if (in->failure.code == WL_OK && load(in, want, &in->failure) == WL_OK)
		return WL_OK;
	if (reterr)
		*reterr = in->failure;
	return (int)in->failure.code;
}
