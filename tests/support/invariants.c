/* SPDX-License-Identifier: MIT */
#include "support/invariants.h"

#include <string.h>

#include "base/text/utf8.h"

struct wl_columns all_columns(void)
{
	struct wl_columns all = { { 0 } };

	for (size_t c = 0; c < WL_N_COLUMNS; c++)
		wl_columns_add(&all, (enum wl_column_id)c);
	return all;
}

static bool is_string(const struct wl_trace *t, uint32_t id)
{
	return id == WL_NONE || id < t->strings.n;
}

static bool is_time(wl_ns time)
{
	return time >= -WL_TIME_MAX && time <= WL_TIME_MAX;
}

static const char *check_strings(const struct wl_trace *t)
{
	for (size_t i = 0; i < t->strings.n; i++) {
		const char *s = t->strings.blob + t->strings.offset[i];
		size_t n = strlen(s);

		if (i + 1 < t->strings.n &&
		    t->strings.offset[i + 1] != t->strings.offset[i] + n + 1)
			return "strings follow each other, each without NUL";
		if (!wl_utf8_is_valid(s, n))
			return "strings are valid UTF-8";
	}
	return NULL;
}

static const char *check_processes(const struct wl_trace *t)
{
	for (size_t i = 0; i < t->n_processes; i++) {
		const struct wl_process *p = &t->processes[i];

		if (i > 0 && p->key <= t->processes[i - 1].key)
			return "processes are sorted and distinct";
		if (!is_string(t, p->name))
			return "a process's name is a string";
		if ((p->rank_source == WL_RANK_NONE) != (p->rank < 0))
			return "a rank has a source";
	}
	for (size_t i = 0; i < t->n_threads; i++) {
		const struct wl_thread *h = &t->threads[i];

		if (h->process >= t->n_processes || t->processes[h->process].key != h->global >> 24)
			return "a thread belongs to its process";
		if (!is_string(t, h->name))
			return "a thread's name is a string";
	}
	return NULL;
}

static const char *check_devices(const struct wl_trace *t)
{
	for (size_t i = 0; i < t->n_devices; i++) {
		const struct wl_device *d = &t->devices[i];

		if (d->proven ? d->process != WL_NONE : d->process >= t->n_processes)
			return "a device is proven or belongs to a process";
		if (d->gpu != WL_NONE && d->gpu >= t->n_gpus)
			return "a device's GPU is in range";
		if (!is_string(t, d->uuid) || !is_string(t, d->name))
			return "a device's names are strings";
	}
	for (size_t i = 0; i < t->n_gpus; i++) {
		const struct wl_gpu *g = &t->gpus[i];

		if (!is_string(t, g->name) || !is_string(t, g->bus) || !is_string(t, g->uuid))
			return "a GPU's names are strings";
	}
	for (size_t i = 0; i < t->n_places; i++) {
		const struct wl_place *p = &t->places[i];

		if (p->process >= t->n_processes ||
		    (p->device != WL_NONE && p->device >= t->n_devices))
			return "a place's process and device are in range";
	}
	return NULL;
}

static const char *check_catalogue(const struct wl_trace *t)
{
	for (size_t i = 0; i < t->n_kernel_names; i++) {
		const struct wl_kernel_name *k = &t->kernel_names[i];

		if (!is_string(t, k->demangled) || !is_string(t, k->brief) ||
		    !is_string(t, k->mangled))
			return "kernel names are strings";
	}
	for (size_t i = 0; i < t->n_meta; i++) {
		if (t->meta[i].table >= t->strings.n || t->meta[i].name >= t->strings.n ||
		    t->meta[i].value >= t->strings.n)
			return "metadata are strings";
	}
	for (size_t i = 0; i < t->n_source_columns; i++) {
		const struct wl_source_column *c = &t->source_columns[i];

		if (c->table >= t->family[WL_F_TABLES].n || c->name >= t->strings.n ||
		    c->type >= t->strings.n)
			return "source columns have a table and a name";
	}
	if (t->duration != WL_NO_TIME && (t->duration < 0 || t->duration > WL_TIME_MAX))
		return "the duration is a length";
	return is_string(t, t->host) ? NULL : "the host is a string";
}

/* What a family is ordered by first; places without a device come last. */
static uint64_t owner_of(const struct wl_trace *t, enum wl_order order, uint32_t owner)
{
	return order == WL_BY_DEVICE ? t->places[owner].device : t->threads[owner].global;
}

/* Columns of an ordered family: start, length if it has one, and owner. */
struct rows {
	const struct wl_family *family;
	enum wl_order order;
	const wl_ns *start;
	const uint32_t *dur; /* NULL: no lengths */
	const uint32_t *owner;
};

static wl_ns dur_of(const struct rows *r, size_t i)
{
	return r->dur ? wl_dur(r->family, r->dur, i) : 0;
}

static const char *check_row(const struct wl_trace *t, const struct rows *r, size_t i)
{
	uint64_t before, here;

	if (r->owner[i] >= (r->order == WL_BY_DEVICE ? t->n_places : t->n_threads))
		return "a row's place or thread is in range";
	if (!is_time(r->start[i]) || dur_of(r, i) < 0 || dur_of(r, i) > 2 * WL_TIME_MAX)
		return "times and lengths are bounded";
	if (i == 0)
		return NULL;
	before = owner_of(t, r->order, r->owner[i - 1]);
	here = owner_of(t, r->order, r->owner[i]);
	if (before > here ||
	    (before == here && (r->start[i - 1] > r->start[i] ||
				(r->start[i - 1] == r->start[i] && r->order == WL_BY_THREAD &&
				 dur_of(r, i - 1) > dur_of(r, i)))))
		return "rows are in order";
	return NULL;
}

/* Every long length stands in the side table, and nothing else does. */
static const char *check_longs(const struct rows *r)
{
	size_t n = 0;

	for (size_t i = 0; r->dur && i < r->family->n; i++) {
		if (r->dur[i] != WL_LONG)
			continue;
		if (n >= r->family->n_long || r->family->long_row[n] != i ||
		    r->family->long_dur[n] < WL_LONG)
			return "long lengths are in the side table";
		n++;
	}
	return n == r->family->n_long ? NULL : "the side table has no other rows";
}

static const char *check_rows(const struct wl_trace *t, enum wl_family_id family)
{
	size_t first = wl_family_infos[family].first_column;
	bool has_dur = strcmp(wl_column_infos[first + 1].name, "dur") == 0;
	struct rows r = { .family = &t->family[family],
			  .order = wl_family_infos[family].order,
			  .start = t->column[first],
			  .dur = has_dur ? t->column[first + 1] : NULL,
			  .owner = t->column[first + (has_dur ? 2 : 1)] };
	const char *broken = NULL;

	if (r.order == WL_BY_ROW || r.family->n == 0)
		return NULL;
	if (!r.start || !r.owner || (has_dur && !r.dur))
		return "a family with rows has the columns that order it";
	for (size_t i = 0; !broken && i < r.family->n; i++)
		broken = check_row(t, &r, i);
	return broken ? broken : check_longs(&r);
}

/* No value of an index column is limit or more, but WL_NONE. */
static bool in_range(const struct wl_trace *t, enum wl_column_id column, size_t limit)
{
	const uint32_t *v = t->column[column];

	for (size_t i = 0; v && i < t->family[wl_column_infos[column].family].n; i++) {
		if (v[i] != WL_NONE && v[i] >= limit)
			return false;
	}
	return true;
}

static const char *check_indexes(const struct wl_trace *t)
{
	static const enum wl_column_id strings[] = { WL_API_NAME,      WL_NODES_NAME,
						     WL_NVTX_NAME,     WL_OSRT_NAME,
						     WL_OVERHEAD_NAME, WL_DIAGNOSTICS_TEXT,
						     WL_TABLES_NAME };

	for (size_t i = 0; i < WL_COUNT(strings); i++) {
		if (!in_range(t, strings[i], t->strings.n))
			return "names are strings";
	}
	if (!in_range(t, WL_KERNELS_NAME, t->n_kernel_names) ||
	    !in_range(t, WL_KERNELS_CONFIG, t->n_configs))
		return "kernel names and configurations are in range";
	if (!in_range(t, WL_SAMPLES_STACK, t->n_stacks) ||
	    !in_range(t, WL_OSRT_STACK, t->n_stacks) || !in_range(t, WL_API_STACK, t->n_stacks))
		return "stacks are in range";
	for (size_t i = 0; i < t->n_stacks; i++) {
		if ((t->stacks[i].caller != WL_NONE && t->stacks[i].caller >= i) ||
		    t->stacks[i].frame >= t->n_frames)
			return "a stack is called by one before it";
	}
	if (!in_range(t, WL_METRICS_SERIES, t->n_series))
		return "series are in range";
	if (!in_range(t, WL_EVENTS_PLACE, t->n_places) ||
	    !in_range(t, WL_NVTX_END_THREAD, t->n_threads))
		return "places and threads are in range";
	for (size_t f = 0; f < WL_N_OP_FAMILIES; f++) {
		struct wl_ops ops = wl_trace_ops(t, wl_op_families[f]);

		for (size_t i = 0; ops.place && i < ops.n; i++) {
			if (t->places[ops.place[i]].device == WL_NONE)
				return "an operation ran on a device";
		}
	}
	return NULL;
}

/* No value of a 64-bit column is negative. */
static bool is_counted(const struct wl_trace *t, enum wl_column_id column)
{
	const int64_t *v = t->column[column];

	for (size_t i = 0; v && i < t->family[wl_column_infos[column].family].n; i++) {
		if (v[i] < 0)
			return false;
	}
	return true;
}

/* Every time is bounded or absent. */
static bool is_timed(const struct wl_trace *t, enum wl_column_id column)
{
	const wl_ns *v = t->column[column];

	for (size_t i = 0; v && i < t->family[wl_column_infos[column].family].n; i++) {
		if (v[i] != WL_NO_TIME && !is_time(v[i]))
			return false;
	}
	return true;
}

static const char *check_values(const struct wl_trace *t)
{
	if (!is_counted(t, WL_MEMCPYS_BYTES) || !is_counted(t, WL_MEMSETS_BYTES))
		return "bytes are not negative";
	if (!is_counted(t, WL_TABLES_ROWS))
		return "row counts are not negative";
	if (!is_timed(t, WL_EVENTS_TIME) || !is_timed(t, WL_DIAGNOSTICS_TIME))
		return "times are bounded";
	return NULL;
}

const char *broken_invariant(const struct wl_trace *t)
{
	const char *broken = check_strings(t);

	broken = broken ? broken : check_processes(t);
	broken = broken ? broken : check_devices(t);
	broken = broken ? broken : check_catalogue(t);
	for (size_t c = 0; !broken && c < WL_N_COLUMNS; c++) {
		if (wl_columns_has(&t->loaded, (enum wl_column_id)c) &&
		    t->family[wl_column_infos[c].family].n > 0 && !t->column[c])
			broken = "a loaded column of a family with rows is there";
	}
	for (size_t f = 0; !broken && f < WL_N_FAMILIES; f++)
		broken = check_rows(t, (enum wl_family_id)f);
	broken = broken ? broken : check_indexes(t);
	return broken ? broken : check_values(t);
}
