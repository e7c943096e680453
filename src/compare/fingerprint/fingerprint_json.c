/* SPDX-License-Identifier: MIT */
/* fingerprint_json.c - what the file of a fingerprint holds: its members in their order. */
#include "compare/fingerprint/fingerprint_json.h"

#include "derive/kinds/category_rules.h"
#include "store/record.h"

static const struct wl_record_head head = {
	.schema = WL_FP_SCHEMA,
	.what = "a baseline",
	.again = "tag the baseline again: warplens baseline tag NAME TRACE",
};

static const char *cause_name(size_t i)
{
	return wl_cause_name((enum wl_cause)i);
}

static const char *part_name(size_t i)
{
	return wl_part_name((enum wl_part)i);
}

/* How many values there were, the steps say. */
static const struct wl_record_member series_members[] = {
	WL_KEEP(wl_series, "worth", COUNT, worth, 0),
	WL_KEEP_ARRAY(wl_series, "at", NUMBERS, at, n_kept, WL_SERIES_KEPT, 0),
};
static const struct wl_record series = WL_RECORD(wl_series, series_members);

static const struct wl_record_member row_members[] = {
	WL_KEEP(wl_fp_row, "name", TEXT, name, 0),
	WL_KEEP_EACH(wl_fp_row, "calls", of[0].calls, of, 0),
	WL_KEEP_EACH(wl_fp_row, "ns", of[0].ns, of, 0),
	WL_KEEP_EACH(wl_fp_row, "gpu", gpu, gpu, 0),
	WL_KEEP(wl_fp_row, "position", NUMBER, position, 0, .least = -1),
	WL_KEEP(wl_fp_row, "category", TEXT, category, WL_LEFT_OUT),
	WL_KEEP(wl_fp_row, "worth", COUNT, series.worth, 0),
	WL_KEEP_ARRAY(wl_fp_row, "at", NUMBERS, series.at, series.n_kept, WL_SERIES_KEPT, 0),
};
static const struct wl_record row = WL_RECORD(wl_fp_row, row_members);

static const struct wl_record_member others_members[] = {
	WL_KEEP(wl_fp_list, "names", COUNT, n_others, 0),
	WL_KEEP_EACH(wl_fp_list, "calls", others.of[0].calls, others.of, 0),
	WL_KEEP_EACH(wl_fp_list, "ns", others.of[0].ns, others.of, 0),
};
static const struct wl_record others = WL_RECORD(wl_fp_list, others_members);

/* A list with at most so many rows: the record NAME. */
#define LIST(name, most)                                                                           \
	static const struct wl_record_member name##_members[] = {                                  \
		WL_KEEP_ARRAY(wl_fp_list, "rows", ROWS, row, n, most, 0, .of = &row),              \
		{ "others", WL_KEPT_OBJECT, 0, .flags = WL_ON_A_LINE, .of = &others },             \
	};                                                                                         \
	static const struct wl_record name = WL_RECORD(wl_fp_list, name##_members)

LIST(kernels, WL_FP_KERNELS);
LIST(ranges, WL_FP_RANGES);
LIST(categories, WL_MAX_CATEGORIES);
LIST(copies, WL_FP_COPIES);

static const struct wl_record_member wait_members[] = {
	WL_KEEP(wl_fp_wait, "cause", CHOICE, cause, 0, .most = WL_N_CAUSES, .name = cause_name),
	WL_KEEP(wl_fp_wait, "detail", TEXT, detail, WL_OR_NULL),
	WL_KEEP_EACH(wl_fp_wait, "ns", ns, ns, 0),
};
static const struct wl_record wait = WL_RECORD(wl_fp_wait, wait_members);

static const struct wl_record_member function_members[] = {
	WL_KEEP(wl_fp_function, "name", TEXT, name, WL_OR_NULL),
	WL_KEEP_EACH(wl_fp_function, "ns", ns, ns, 0),
	WL_KEEP_EACH(wl_fp_function, "sampled", sampled, sampled, 0),
	WL_KEEP_EACH(wl_fp_function, "samples", n, n, 0),
};
static const struct wl_record function = WL_RECORD(wl_fp_function, function_members);

static const struct wl_record_member rank_members[] = {
	WL_KEEP(wl_fp_rank, "rank", NUMBER, rank, 0, .least = -1),
	WL_KEEP(wl_fp_rank, "pid", NUMBER, pid, 0),
	WL_KEEP(wl_fp_rank, "device", NUMBER, device, 0),
	WL_KEEP(wl_fp_rank, "compute", NUMBER, compute, 0),
	WL_KEEP(wl_fp_rank, "exposed_comm", NUMBER, exposed_comm, 0),
	WL_KEEP(wl_fp_rank, "worth", COUNT, period.worth, 0),
	WL_KEEP_ARRAY(wl_fp_rank, "at", NUMBERS, period.at, period.n_kept, WL_SERIES_KEPT, 0),
	/* Row and time of each, one after the other. */
	WL_KEEP_ARRAY(wl_fp_rank, "kernels", PAIRS, kernel, n_kernels, WL_FP_RANK_KERNELS, 0),
};
static const struct wl_record rank = WL_RECORD(wl_fp_rank, rank_members);

static const struct wl_record_member whatif_members[] = {
	WL_KEEP(wl_fp_whatif, "scenario", TEXT, scenario, 0),
	WL_KEEP(wl_fp_whatif, "saving", NUMBER, saving, 0),
};
static const struct wl_record whatif = WL_RECORD(wl_fp_whatif, whatif_members);

static const struct wl_record_member members[] = {
	WL_KEEP(wl_fingerprint, "label", TEXT, label, WL_ON_A_LINE),
	WL_KEEP(wl_fingerprint, "window", TEXT, window, 0),
	WL_KEEP(wl_fingerprint, "selection", TEXT, selection, 0),
	WL_KEEP(wl_fingerprint, "method", TEXT, method, 0),
	WL_KEEP(wl_fingerprint, "what", TEXT, what, 0),
	WL_KEEP(wl_fingerprint, "host", TEXT, host, 0),
	WL_KEEP(wl_fingerprint, "recorded", TEXT, recorded, 0),
	WL_KEEP(wl_fingerprint, "command", TEXT, command, 0),
	WL_KEEP(wl_fingerprint, "graphs", TEXT, graphs, WL_OR_NULL | WL_LEFT_OUT),
	WL_KEEP(wl_fingerprint, "tracing", TEXT, tracing, WL_OR_NULL | WL_LEFT_OUT),
	WL_KEEP_ARRAY(wl_fingerprint, "gpus", TEXTS, gpu, n_gpus,
		      WL_COUNT(((struct wl_fingerprint *)0)->gpu), WL_ON_A_LINE),
	WL_KEEP(wl_fingerprint, "devices", COUNT, n_devices, WL_ON_A_LINE),
	WL_KEEP(wl_fingerprint, "processes", COUNT, n_processes, 0),
	WL_KEEP(wl_fingerprint, "left_out", COUNT, n_left_out, 0),
	WL_KEEP(wl_fingerprint, "thinned", COUNT, n_thinned, 0),
	WL_KEEP(wl_fingerprint, "window_ns", NUMBER, window_ns, 0),
	WL_KEEP_ARRAY(wl_fingerprint, "steps", NUMBERS, step, n_steps, WL_FP_STEPS, WL_ON_A_LINE),
	WL_KEEP(wl_fingerprint, "parts", PARTS, part, WL_ON_A_LINE, .most = WL_N_EXTENTS,
		.step = sizeof(((struct wl_fingerprint *)0)->part[0]), .n = WL_N_PARTS,
		.name = part_name),
	WL_KEEP_EACH(wl_fingerprint, "launches", launches, launches, WL_ON_A_LINE),
	WL_KEEP(wl_fingerprint, "launches_by_step", OBJECT, launch_series, WL_ON_A_LINE,
		.of = &series),
	WL_KEEP(wl_fingerprint, "busy", OBJECT, busy, WL_ON_A_LINE, .of = &series),
	WL_KEEP(wl_fingerprint, "idle_by_step", OBJECT, idle, WL_ON_A_LINE, .of = &series),
	WL_KEEP(wl_fingerprint, "exposed_comm", OBJECT, exposed_comm, WL_ON_A_LINE, .of = &series),
	WL_KEEP(wl_fingerprint, "kernels", OBJECT, kernels, WL_ON_A_LINE, .of = &kernels),
	WL_KEEP(wl_fingerprint, "ranges", OBJECT, ranges, WL_ON_A_LINE, .of = &ranges),
	WL_KEEP(wl_fingerprint, "categories", OBJECT, categories, WL_ON_A_LINE, .of = &categories),
	WL_KEEP(wl_fingerprint, "copies", OBJECT, copies, WL_ON_A_LINE, .of = &copies),
	WL_KEEP_ARRAY(wl_fingerprint, "idle", ROWS, wait, n_waits, WL_FP_WAITS + WL_N_CAUSES,
		      WL_ON_A_LINE, .of = &wait),
	WL_KEEP_ARRAY(wl_fingerprint, "functions", ROWS, function, n_functions, WL_FP_FUNCTIONS + 2,
		      WL_ON_A_LINE | WL_LEFT_OUT, .of = &function),
	WL_KEEP_ARRAY(wl_fingerprint, "ranks", ROWS, rank, n_ranks, WL_FP_RANKS, WL_ON_A_LINE,
		      .of = &rank),
	WL_KEEP_ARRAY(wl_fingerprint, "whatif", ROWS, whatif, n_whatifs, WL_FP_WHATIFS,
		      WL_ON_A_LINE, .of = &whatif),
	WL_KEEP_ARRAY(wl_fingerprint, "notes", TEXTS, note, n_notes,
		      WL_COUNT(((struct wl_fingerprint *)0)->note), WL_ON_A_LINE),
};
static const struct wl_record fingerprint = WL_RECORD(wl_fingerprint, members);

void wl_fp_write(const struct wl_fingerprint *f, FILE *out)
{
	wl_record_write(&head, &fingerprint, f, out);
}

/* What every list leaves to its rows. */
static void complete_list(struct wl_fp_list *list, size_t n_steps)
{
	for (size_t i = 0; i < list->n; i++)
		/* NOLINTNEXTLINE(performance-no-int-to-ptr): read a moment ago */
		((struct wl_fp_row *)(uintptr_t)list->row)[i].series.n = n_steps;
	list->others.name = "(others)";
	list->others.position = -1;
}

int wl_fp_read(const struct wl_json *doc, const char *name, struct wl_arena *arena,
	       struct wl_fingerprint *ret, struct wl_err *reterr)
{
	const char *problem;
	int r;

	*ret = (struct wl_fingerprint){ .n_steps = 0 };
	r = wl_record_read(&head, &fingerprint, doc, name, arena, ret, reterr);
	if (r < 0)
		return r;
	ret->launch_series.n = ret->busy.n = ret->idle.n = ret->exposed_comm.n = ret->n_steps;
	complete_list(&ret->kernels, ret->n_steps);
	complete_list(&ret->ranges, ret->n_steps);
	complete_list(&ret->categories, ret->n_steps);
	complete_list(&ret->copies, ret->n_steps);
	for (size_t i = 0; i < ret->n_ranks; i++)
		/* NOLINTNEXTLINE(performance-no-int-to-ptr): read a moment ago */
		((struct wl_fp_rank *)(uintptr_t)ret->rank)[i].period.n = ret->n_steps;
	problem = wl_fp_problem(ret);
	return problem ? wl_fail(reterr, WL_E_FORMAT, "%.200s: %s", name, problem) : WL_OK;
}

static bool is_series(const struct wl_series *s, size_t n)
{
	size_t n_kept = n < WL_SERIES_KEPT ? n : WL_SERIES_KEPT;

	if (s->n != n || s->n_kept != n_kept || s->worth > n || (n && s->worth == 0))
		return false;
	for (size_t i = 1; i < s->n_kept; i++) {
		if (s->at[i] < s->at[i - 1])
			return false;
	}
	return true;
}

/* Sums of numbers of at most WL_RECORD_MAX are again; adding them up needs no checks then. */
static bool add(int64_t *sum, int64_t v)
{
	*sum += v;
	return *sum <= WL_RECORD_MAX;
}

static bool is_list(const struct wl_fp_list *l, size_t n_steps)
{
	struct wl_amount sum[WL_N_EXTENTS] = { { 0, 0 } };

	for (size_t i = 0; i <= l->n; i++) {
		const struct wl_fp_row *r = i < l->n ? &l->row[i] : &l->others;

		if (i < l->n && !is_series(&r->series, n_steps))
			return false;
		for (size_t x = 0; x < WL_N_EXTENTS; x++) {
			if (!add(&sum[x].calls, r->of[x].calls) || !add(&sum[x].ns, r->of[x].ns))
				return false;
		}
	}
	return true;
}

/* False when parts do not add up to n times the whole. */
static bool adds_up(const wl_ns *part, size_t n, wl_ns whole)
{
	wl_ns sum = 0;

	for (size_t i = 0; i < WL_N_PARTS; i++) {
		if (!add(&sum, part[i]))
			return false;
	}
	return (n == 0 ? whole == 0 : whole <= WL_RECORD_MAX / (wl_ns)n) && sum == (wl_ns)n * whole;
}

static bool has_good_steps(const struct wl_fingerprint *f)
{
	wl_ns sum = 0;

	if (f->n_steps && f->n_processes == 0)
		return false;
	for (size_t i = 0; i < f->n_steps; i++) {
		if (!add(&sum, f->step[i]))
			return false;
	}
	return adds_up(f->part[WL_OF_STEPS], f->n_processes, sum);
}

static bool has_good_sums(const struct wl_fingerprint *f)
{
	bool ok = true;

	for (size_t x = 0; x < WL_N_EXTENTS; x++) {
		wl_ns waits = 0, functions = 0;

		for (size_t i = 0; ok && i < f->n_waits; i++)
			ok = add(&waits, f->wait[i].ns[x]);
		for (size_t i = 0; ok && i < f->n_functions; i++)
			ok = add(&functions, f->function[i].ns[x]);
	}
	return ok;
}

static bool has_good_ranks(const struct wl_fingerprint *f)
{
	for (size_t i = 0; i < f->n_ranks; i++) {
		const struct wl_fp_rank *r = &f->rank[i];

		for (size_t k = 0; k < r->n_kernels; k++) {
			if ((size_t)r->kernel[k].row >= f->kernels.n)
				return false;
		}
		if (!is_series(&r->period, f->n_steps))
			return false;
	}
	return true;
}

const char *wl_fp_problem(const struct wl_fingerprint *f)
{
	if (!wl_record_is_within(&fingerprint, f))
		return "its times are too long, or its lists";
	if (!has_good_steps(f))
		return "its steps do not add up, or are too long";
	if (!adds_up(f->part[WL_OF_WINDOW], f->n_devices, f->n_devices ? f->window_ns : 0))
		return "its window does not add up, or is too long";
	if (!is_series(&f->busy, f->n_steps) || !is_series(&f->idle, f->n_steps) ||
	    !is_series(&f->exposed_comm, f->n_steps) || !is_series(&f->launch_series, f->n_steps))
		return "its times by step are out of range";
	if (!is_list(&f->kernels, f->n_steps) || !is_list(&f->ranges, f->n_steps) ||
	    !is_list(&f->categories, f->n_steps) || !is_list(&f->copies, f->n_steps))
		return "its kernels, ranges, categories or copies are out of range";
	if (!has_good_sums(f) || !has_good_ranks(f))
		return "its idle times, functions or ranks are out of range";
	return NULL;
}
