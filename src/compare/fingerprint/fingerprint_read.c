/* SPDX-License-Identifier: MIT */
/*
 * fingerprint_read.c - the other direction. Shape and types are checked here, what the
 * numbers mean by wl_fp_problem(). The first fault is reported.
 */
#include <string.h>

#include "base/num.h"
#include "compare/fingerprint/fingerprint_json.h"
#include "derive/kinds/category_rules.h"
#include "known/definitions.h"

struct reading {
	struct wl_arena *arena;
	const char *wrong; /* the key that is missing or of another kind; NULL so far */
	bool no_memory;
};

static const struct wl_json *member(struct reading *r, const struct wl_json *v, const char *key,
				    enum wl_json_type type)
{
	const struct wl_json *m = wl_json_member(v, key);

	if (m && wl_json_type_of(m) == type)
		return m;
	r->wrong = r->wrong ? r->wrong : key;
	return NULL;
}

static const char *copy(struct reading *r, const char *text)
{
	const char *mine = wl_arena_strdup(r->arena, text);

	r->no_memory = r->no_memory || !mine;
	return mine ? mine : "";
}

static const char *get_text(struct reading *r, const struct wl_json *v, const char *key)
{
	const struct wl_json *m = member(r, v, key, WL_JSON_STRING);

	return m ? copy(r, wl_json_string(m)) : "";
}

/* Of a member that files of version 1 have not: empty there. */
static const char *get_later_text(struct reading *r, const struct wl_json *v, const char *key)
{
	return wl_json_member(v, key) ? get_text(r, v, key) : "";
}

static int64_t as_i64(struct reading *r, const struct wl_json *v, const char *key)
{
	double number;
	int64_t i64;

	if (v && wl_json_number(v, &number) && wl_integral(number, &i64) && i64 >= -1 &&
	    i64 <= WL_FP_MAX)
		return i64;
	r->wrong = r->wrong ? r->wrong : key;
	return 0;
}

static int64_t get_i64(struct reading *r, const struct wl_json *v, const char *key)
{
	return as_i64(r, wl_json_member(v, key), key);
}

static size_t get_count(struct reading *r, const struct wl_json *v, const char *key)
{
	int64_t n = get_i64(r, v, key);

	if (n < 0)
		r->wrong = r->wrong ? r->wrong : key;
	return n < 0 ? 0 : (size_t)n;
}

/* An array of numbers, no longer than most; its length in *ret_n. */
static const int64_t *get_numbers(struct reading *r, const struct wl_json *v, const char *key,
				  size_t most, size_t *ret_n)
{
	const struct wl_json *m = member(r, v, key, WL_JSON_ARRAY);
	size_t n = m ? wl_json_size(m) : 0;
	int64_t *at;

	if (n > most) {
		r->wrong = r->wrong ? r->wrong : key;
		n = 0;
	}
	at = WL_NEW(r->arena, int64_t, n);
	*ret_n = at ? n : 0;
	r->no_memory = r->no_memory || !at;
	for (size_t i = 0; i < *ret_n; i++)
		at[i] = as_i64(r, wl_json_at(m, i), key);
	return at;
}

static void get_pair(struct reading *r, const struct wl_json *v, const char *key, int64_t *ret)
{
	size_t n;
	const int64_t *at = get_numbers(r, v, key, WL_N_EXTENTS, &n);

	if (n == WL_N_EXTENTS)
		memcpy(ret, at, sizeof(*ret) * WL_N_EXTENTS);
	else
		r->wrong = r->wrong ? r->wrong : key;
}

static struct wl_series get_series(struct reading *r, const struct wl_json *v, size_t n_steps)
{
	struct wl_series s = { .n = n_steps, .worth = get_count(r, v, "worth") };

	s.at = get_numbers(r, v, "at", WL_SERIES_KEPT, &s.n_kept);
	return s;
}

static void get_amounts(struct reading *r, const struct wl_json *v, struct wl_fp_row *row)
{
	int64_t calls[WL_N_EXTENTS] = { 0 }, ns[WL_N_EXTENTS] = { 0 };

	get_pair(r, v, "calls", calls);
	get_pair(r, v, "ns", ns);
	for (size_t x = 0; x < WL_N_EXTENTS; x++)
		row->of[x] = (struct wl_amount){ calls[x], ns[x] };
}

/* Elements of an array of objects; 0 of one that is too long. */
static size_t count_rows(struct reading *r, const struct wl_json *array, const char *key,
			 size_t most)
{
	size_t n = array ? wl_json_size(array) : 0;

	if (n <= most)
		return n;
	r->wrong = r->wrong ? r->wrong : key;
	return 0;
}

static struct wl_fp_list get_list(struct reading *r, const struct wl_json *doc, const char *key,
				  size_t most, size_t n_steps)
{
	const struct wl_json *v = member(r, doc, key, WL_JSON_OBJECT);
	const struct wl_json *rows = member(r, v, "rows", WL_JSON_ARRAY);
	const struct wl_json *others = member(r, v, "others", WL_JSON_OBJECT);
	struct wl_fp_list list = { .n = count_rows(r, rows, key, most) };

	list.row = WL_NEW(r->arena, struct wl_fp_row, list.n);
	r->no_memory = r->no_memory || !list.row;
	for (size_t i = 0; list.row && i < list.n; i++) {
		const struct wl_json *from = wl_json_at(rows, i);
		struct wl_fp_row *row = &list.row[i];

		row->name = get_text(r, from, "name");
		get_amounts(r, from, row);
		get_pair(r, from, "gpu", row->gpu);
		row->position = get_i64(r, from, "position");
		if (wl_json_member(from, "category"))
			row->category = get_text(r, from, "category");
		row->series = get_series(r, from, n_steps);
	}
	list.others = (struct wl_fp_row){ .name = "(others)", .position = -1 };
	get_amounts(r, others, &list.others);
	list.n_others = get_count(r, others, "names");
	return list;
}

/* Files of version 1 have none. */
static void get_copies(struct reading *r, const struct wl_json *doc, struct wl_fingerprint *f)
{
	f->copies.others = (struct wl_fp_row){ .name = "(others)", .position = -1 };
	f->has_copies = wl_json_member(doc, "copies") != NULL;
	if (f->has_copies)
		f->copies = get_list(r, doc, "copies", WL_FP_COPIES, f->n_steps);
}

static void get_parts(struct reading *r, const struct wl_json *doc, struct wl_fingerprint *f)
{
	const struct wl_json *parts = member(r, doc, "parts", WL_JSON_OBJECT);

	for (size_t p = 0; p < WL_N_PARTS; p++) {
		int64_t ns[WL_N_EXTENTS] = { 0 };

		get_pair(r, parts, wl_part_name((enum wl_part)p), ns);
		for (size_t x = 0; x < WL_N_EXTENTS; x++)
			f->part[x][p] = ns[x];
	}
}

static enum wl_cause get_cause(struct reading *r, const struct wl_json *v)
{
	const struct wl_json *m = member(r, v, "cause", WL_JSON_STRING);

	for (size_t c = 0; m && c < WL_N_CAUSES; c++) {
		if (strcmp(wl_json_string(m), wl_cause_name((enum wl_cause)c)) == 0)
			return (enum wl_cause)c;
	}
	r->wrong = r->wrong ? r->wrong : "cause";
	return WL_CAUSE_UNKNOWN;
}

static const char *get_text_or_null(struct reading *r, const struct wl_json *v, const char *key)
{
	const struct wl_json *text = wl_json_member(v, key);

	return text && wl_json_type_of(text) != WL_JSON_NULL ? get_text(r, v, key) : NULL;
}

static void get_waits(struct reading *r, const struct wl_json *doc, struct wl_fingerprint *f)
{
	const struct wl_json *v = member(r, doc, "idle", WL_JSON_ARRAY);
	size_t n = count_rows(r, v, "idle", WL_FP_WAITS + WL_N_CAUSES);
	struct wl_fp_wait *wait = WL_NEW(r->arena, struct wl_fp_wait, n);

	r->no_memory = r->no_memory || !wait;
	for (size_t i = 0; wait && i < n; i++) {
		const struct wl_json *from = wl_json_at(v, i);

		wait[i].cause = get_cause(r, from);
		wait[i].detail = get_text_or_null(r, from, "detail");
		get_pair(r, from, "ns", wait[i].ns);
	}
	f->wait = wait;
	f->n_waits = wait ? n : 0;
}

/* Files of older versions have none. */
static void get_rank_kernels(struct reading *r, const struct wl_json *v, struct wl_fp_rank *ret)
{
	size_t n = 0;
	const int64_t *at = NULL;
	struct wl_fp_rank_kernel *kernel;

	if (!wl_json_member(v, "kernels"))
		return;
	at = get_numbers(r, v, "kernels", (size_t)2 * WL_FP_RANK_KERNELS, &n);
	if (n % 2)
		r->wrong = r->wrong ? r->wrong : "kernels";
	kernel = WL_NEW(r->arena, struct wl_fp_rank_kernel, n / 2);
	r->no_memory = r->no_memory || !kernel;
	for (size_t i = 0; kernel && i < n / 2; i++)
		kernel[i] = (struct wl_fp_rank_kernel){ (size_t)at[2 * i], at[2 * i + 1] };
	ret->kernel = kernel;
	ret->n_kernels = kernel ? n / 2 : 0;
}

static void get_ranks(struct reading *r, const struct wl_json *doc, struct wl_fingerprint *f)
{
	const struct wl_json *v = member(r, doc, "ranks", WL_JSON_ARRAY);
	size_t n = count_rows(r, v, "ranks", WL_FP_RANKS);
	struct wl_fp_rank *rank = WL_NEW(r->arena, struct wl_fp_rank, n);

	r->no_memory = r->no_memory || !rank;
	for (size_t i = 0; rank && i < n; i++) {
		const struct wl_json *from = wl_json_at(v, i);

		rank[i] = (struct wl_fp_rank){ .rank = get_i64(r, from, "rank"),
					       .pid = get_i64(r, from, "pid"),
					       .device = get_i64(r, from, "device"),
					       .compute = get_i64(r, from, "compute"),
					       .exposed_comm = get_i64(r, from, "exposed_comm"),
					       .period = get_series(r, from, f->n_steps) };
		get_rank_kernels(r, from, &rank[i]);
	}
	f->rank = rank;
	f->n_ranks = rank ? n : 0;
}

/* Files of older versions have none. */
static void get_functions(struct reading *r, const struct wl_json *doc, struct wl_fingerprint *f)
{
	const struct wl_json *v = wl_json_member(doc, "functions");
	struct wl_fp_function *function;
	size_t n;

	if (!v)
		return;
	v = member(r, doc, "functions", WL_JSON_ARRAY);
	n = count_rows(r, v, "functions", WL_FP_FUNCTIONS + 2);
	function = WL_NEW(r->arena, struct wl_fp_function, n);
	r->no_memory = r->no_memory || !function;
	for (size_t i = 0; function && i < n; i++) {
		const struct wl_json *from = wl_json_at(v, i);

		function[i].name = get_text_or_null(r, from, "name");
		get_pair(r, from, "ns", function[i].ns);
		get_pair(r, from, "samples", function[i].n);
		/* Files of older versions do not say how much of the time is exact. */
		get_pair(r, from, wl_json_member(from, "sampled") ? "sampled" : "ns",
			 function[i].sampled);
	}
	f->function = function;
	f->n_functions = function ? n : 0;
}

static void get_whatifs(struct reading *r, const struct wl_json *doc, struct wl_fingerprint *f)
{
	const struct wl_json *v = wl_json_member(doc, "whatif");
	size_t n;
	struct wl_fp_whatif *whatif;

	if (!v)
		return;
	v = member(r, doc, "whatif", WL_JSON_ARRAY);
	n = count_rows(r, v, "whatif", WL_FP_WHATIFS);
	whatif = WL_NEW(r->arena, struct wl_fp_whatif, n);
	r->no_memory = r->no_memory || !whatif;
	for (size_t i = 0; whatif && i < n; i++) {
		const struct wl_json *from = wl_json_at(v, i);

		whatif[i] = (struct wl_fp_whatif){ get_text(r, from, "scenario"),
						   (wl_ns)get_count(r, from, "saving") };
	}
	f->whatif = whatif;
	f->n_whatifs = whatif ? n : 0;
}

static size_t get_texts(struct reading *r, const struct wl_json *doc, const char *key,
			const char **ret, size_t most)
{
	const struct wl_json *v = member(r, doc, key, WL_JSON_ARRAY);
	size_t n = count_rows(r, v, key, most);

	for (size_t i = 0; i < n; i++) {
		const char *text = wl_json_string(wl_json_at(v, i));

		if (!text)
			r->wrong = r->wrong ? r->wrong : key;
		ret[i] = copy(r, text ? text : "");
	}
	return n;
}

static void get_head(struct reading *r, const struct wl_json *doc, struct wl_fingerprint *f)
{
	const char **gpu = WL_NEW(r->arena, const char *, WL_FP_GPUS);

	f->label = get_text(r, doc, "label");
	f->window = get_text(r, doc, "window");
	f->selection = get_text(r, doc, "selection");
	f->method = get_text(r, doc, "method");
	f->what = get_text(r, doc, "what");
	f->host = get_later_text(r, doc, "host");
	f->recorded = get_later_text(r, doc, "recorded");
	f->command = get_later_text(r, doc, "command");
	r->no_memory = r->no_memory || !gpu;
	f->n_gpus = gpu ? get_texts(r, doc, "gpus", gpu, WL_FP_GPUS) : 0;
	f->gpu = gpu;
	f->n_notes = get_texts(r, doc, "notes", f->note, WL_COUNT(f->note));
	f->n_devices = get_count(r, doc, "devices");
	f->n_processes = get_count(r, doc, "processes");
	f->n_left_out = get_count(r, doc, "left_out");
	f->n_thinned = get_count(r, doc, "thinned");
	f->window_ns = get_i64(r, doc, "window_ns");
	f->step = get_numbers(r, doc, "steps", WL_FP_STEPS, &f->n_steps);
}

/* A file that does not say is of the first definitions. */
static int check_definitions(const struct wl_json *doc, const char *name, struct wl_err *reterr)
{
	const struct wl_json *given = wl_json_member(doc, "definitions");
	double is = 1;

	if (given && !wl_json_number(given, &is))
		return wl_fail(reterr, WL_E_FORMAT, "%.200s: \"definitions\" is malformed", name);
	if (is == (double)WL_DEFINITIONS)
		return WL_OK;
	return wl_fail(reterr, WL_E_INCOMPARABLE,
		       "%.200s: its numbers follow definitions %g, those of this version %d; tag "
		       "the baseline again: warplens baseline tag NAME TRACE",
		       name, is, WL_DEFINITIONS);
}

int wl_fp_read(const struct wl_json *doc, const char *name, struct wl_arena *arena,
	       struct wl_fingerprint *ret, struct wl_err *reterr)
{
	struct reading r = { .arena = arena };
	const struct wl_json *schema = wl_json_member(doc, "schema");
	const char *is = schema ? wl_json_string(schema) : NULL;
	const char *problem;
	int known;

	if (!is || (strcmp(is, WL_FP_SCHEMA) != 0 && strcmp(is, WL_FP_SCHEMA_1) != 0))
		return wl_fail(reterr, WL_E_FORMAT,
			       "%.200s is not a baseline that this version reads", name);
	known = check_definitions(doc, name, reterr);
	if (known < 0)
		return known;
	*ret = (struct wl_fingerprint){ .n_steps = 0 };
	get_head(&r, doc, ret);
	get_parts(&r, doc, ret);
	get_pair(&r, doc, "launches", ret->launches);
	ret->launch_series =
		get_series(&r, member(&r, doc, "launches_by_step", WL_JSON_OBJECT), ret->n_steps);
	ret->busy = get_series(&r, member(&r, doc, "busy", WL_JSON_OBJECT), ret->n_steps);
	ret->idle = get_series(&r, member(&r, doc, "idle_by_step", WL_JSON_OBJECT), ret->n_steps);
	ret->exposed_comm =
		get_series(&r, member(&r, doc, "exposed_comm", WL_JSON_OBJECT), ret->n_steps);
	ret->kernels = get_list(&r, doc, "kernels", WL_FP_KERNELS, ret->n_steps);
	ret->ranges = get_list(&r, doc, "ranges", WL_FP_RANGES, ret->n_steps);
	ret->categories = get_list(&r, doc, "categories", WL_MAX_CATEGORIES, ret->n_steps);
	get_copies(&r, doc, ret);
	get_waits(&r, doc, ret);
	get_functions(&r, doc, ret);
	get_ranks(&r, doc, ret);
	get_whatifs(&r, doc, ret);
	if (r.no_memory)
		return wl_fail(reterr, WL_E_NOMEM, "%.200s: no memory to read it", name);
	if (r.wrong)
		return wl_fail(reterr, WL_E_FORMAT, "%.200s: \"%s\" is missing or malformed", name,
			       r.wrong);
	problem = wl_fp_problem(ret);
	return problem ? wl_fail(reterr, WL_E_FORMAT, "%.200s: %s", name, problem) : WL_OK;
}
