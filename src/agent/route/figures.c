/* SPDX-License-Identifier: MIT */
#include "agent/route/figures.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "agent/route/answer_rows.h"
#include "base/attr.h"

enum { MOST_FIGURES = 6, MOST_ROWS = 4, MOST_GROUPS = 3 };

/* Common words for a figure, and the columns that have it, the best first. */
static const struct {
	const char *words[14], *columns[10]; /* NULL ends */
} figures[] = {
	{ { "compute", "computing", "computation", "kernel", "kernels", "work", "fastest", "slower",
	    "faster" },
	  { "compute" } },
	{ { "exposed", "uncovered", "unhidden", "hidden", "covered", "communication", "comm",
	    "all-to-all" },
	  { "exposed_comm", "exposed", "comm" } },
	{ { "wait", "waits", "waiting", "waited", "standing", "peers" },
	  { "wait", "wait_all", "sync" } },
	{ { "wait", "waits", "waiting", "waited", "mpi" }, { "mpi_wait" } },
	{ { "transfer", "moving", "transferring", "wire" }, { "transfer", "hidden_transfer" } },
	{ { "copy", "copies", "copying", "memcpy", "memcpys", "transfers", "uploads" },
	  { "exposed_copy" } },
	{ { "overlap", "overlapping", "overlapped", "simultaneously" }, { "overlapped_comm" } },
	{ { "overlap", "overlapping", "overlapped", "hidden", "simultaneously" }, { "overlap" } },
	{ { "idle", "nothing", "unused", "bored" }, { "idle", "gpu_idle" } },
	{ { "busy", "utilization", "utilisation", "active" },
	  { "busy_share", "busy", "gpu_busy" } },
	{ { "average", "mean", "avg", "typical", "per" },
	  { "avg", "gpu_avg", "latency_avg", "host_avg", "api_avg" } },
	{ { "median", "p50" }, { "p50", "host_p50", "queue_p50", "latency_p50" } },
	{ { "p90", "p95" }, { "p90", "host_p90" } },
	{ { "p99", "tail" }, { "p99", "max" } },
	{ { "worst", "longest", "max", "maximum", "slowest" }, { "max" } },
	{ { "shortest", "min", "minimum", "fastest" }, { "min" } },
	{ { "spread", "deviation", "variance", "varies", "vary", "jitter", "stddev", "place",
	    "unstable", "consistent" },
	  { "stddev" } },
	{ { "spread", "deviation", "variance", "varies", "vary", "jitter", "stddev", "place",
	    "unstable", "consistent" },
	  { "min" } },
	{ { "spread", "deviation", "variance", "varies", "vary", "jitter", "stddev", "place",
	    "unstable", "consistent" },
	  { "p50" } },
	{ { "spread", "deviation", "variance", "varies", "vary", "jitter", "stddev", "place",
	    "unstable", "consistent" },
	  { "max" } },
	{ { "delay", "latency", "queue", "queued", "start", "starts" },
	  { "latency_p50", "queue_p50" } },
	{ { "often", "calls", "count", "many", "counts", "times" },
	  { "calls", "count", "launches", "ops", "instances" } },
	{ { "second", "rate" }, { "launches_per_second" } },
	{ { "bytes", "volume", "mb", "gb", "big", "large", "data", "size" }, { "bytes" } },
	{ { "bandwidth", "throughput", "rate", "gbs", "gb", "fast", "busbw" },
	  { "busbw", "bandwidth", "algbw" } },
	{ { "gpu" }, { "gpu_busy" } },
	{ { "share", "percent", "percentage", "fraction", "ratio", "portion", "part" },
	  { "share" } },
	{ { "total", "sum", "long", "time", "much", "expensive", "cost" },
	  { "sum", "gpu_busy", "api_sum" } },
};

struct asked {
	const char *column[MOST_FIGURES];
	size_t n;
};

static void add(struct asked *a, const struct wl_answer_rows *r, const char *column)
{
	bool is_any = false;

	for (size_t i = 0; i < r->v->n_total && !is_any; i++)
		is_any = wl_said_at(r, i, column).set;
	for (size_t k = 0; k < a->n; k++)
		is_any = is_any && strcmp(a->column[k], column) != 0;
	if (is_any && a->n < MOST_FIGURES)
		a->column[a->n++] = column;
}

static void find(struct asked *a, const struct wl_question *q, const struct wl_answer_rows *r,
		 bool is_chosen)
{
	static const char *const others[] = { "for",   "others", "everyone", "who",
					      "whose", "make",   "makes",    "why" };

	a->n = 0;
	for (size_t i = 0; i < WL_COUNT(figures); i++) {
		size_t n = a->n;

		if (!wl_question_says(q, figures[i].words, WL_COUNT(figures[i].words)))
			continue;
		/* The verb's sentence already says which rank makes the others wait. */
		if (wl_said_has(r, "lateness") && !is_chosen &&
		    wl_question_says(q, others, WL_COUNT(others)) &&
		    strncmp(figures[i].columns[0], "wait", 4) == 0)
			continue;
		for (size_t k = 0; n == a->n && k < WL_COUNT(figures[i].columns); k++) {
			if (figures[i].columns[k])
				add(a, r, figures[i].columns[k]);
		}
	}
}

/* Add the figures always given for chosen rows. */
static void add_usual(struct asked *a, const struct wl_answer_rows *r)
{
	static const char *const usual[] = { "calls",    "count",    "sum",          "gpu_idle",
					     "wait_all", "gpu_busy", "bridged_busy", "host_avg",
					     "avg",      "bytes",    "share" };

	for (size_t i = 0; i < WL_COUNT(usual); i++)
		add(a, r, usual[i]);
}

/* "GPU busy", "avg", "host sum": a title within a sentence. */
static void put_title(const struct wl_answer_rows *r, const char *key)
{
	size_t col;
	const struct wl_col *c = wl_table_find_col(r->v->table, key, &col);
	char first[2];

	if (!c)
		return;
	first[0] = islower((unsigned char)c->title[1]) ? (char)tolower((unsigned char)c->title[0])
						       : c->title[0];
	first[1] = '\0';
	wl_prose_put(r->p, first);
	wl_prose_put(r->p, c->title + 1);
}

static void put_figure(const struct wl_answer_rows *r, size_t i, const char *key)
{
	const int64_t window = wl_said_whole(r, i, "window");
	size_t col;
	const struct wl_col *c = wl_table_find_col(r->v->table, key, &col);

	put_title(r, key);
	wl_prose_put(r->p, " ");
	wl_said_put(r, i, key);
	if (c && c->type == WL_T_NS && window > 0 && wl_said_has(r, "compute"))
		wl_prose_say(r->p, " (%.1f%% of the window)",
			     wl_said_share(wl_said_whole(r, i, key), window));
}

static void put_rows(const struct wl_answer_rows *r, const struct asked *a, size_t most)
{
	size_t n = r->v->n_rows < most ? r->v->n_rows : most;

	for (size_t i = 0; i < n; i++) {
		bool is_first = true;

		if (i)
			wl_prose_put(r->p, "; ");
		wl_said_put_row(r, i);
		for (size_t k = 0; k < a->n; k++) {
			const struct wl_cell cell = wl_said_at(r, i, a->column[k]);

			if (!cell.set || (strcmp(a->column[k], "bridged_busy") == 0 && !cell.i64))
				continue;
			wl_prose_put(r->p, is_first ? ": " : ", ");
			put_figure(r, i, a->column[k]);
			is_first = false;
		}
	}
	if (n < r->v->n_total && most > 1)
		wl_prose_say(r->p, "; and %zu more", r->v->n_total - n);
	wl_prose_put(r->p, ".");
}

/* --- the same thing on several GPUs or processes --- */

static const char *name_of(const struct wl_answer_rows *r, size_t i)
{
	static const char *const names[] = { "name", "type", "kind", "category" };

	for (size_t k = 0; k < WL_COUNT(names); k++) {
		const struct wl_cell cell = wl_said_at(r, i, names[k]);

		if (cell.set)
			return cell.str;
	}
	return "";
}

/* The number of rows with the i-th row's name, if the i-th is the first of them; else 0. */
static size_t count_same(const struct wl_answer_rows *r, size_t i)
{
	size_t n = 0;

	for (size_t k = 0; k < r->v->n_total; k++) {
		bool is_same = strcmp(name_of(r, k), name_of(r, i)) == 0;

		if (is_same && k < i)
			return 0;
		n += is_same;
	}
	return n;
}

static double value_of(const struct wl_answer_rows *r, size_t i, const char *key)
{
	const struct wl_cell cell = wl_said_at(r, i, key);
	size_t col;
	const struct wl_col *c = wl_table_find_col(r->v->table, key, &col);

	if (!c || !cell.set)
		return 0;
	return wl_type_is_real(c->type) ? cell.f64 : (double)cell.i64;
}

/* ", sum 1.9 s on GPU 0 to 150 ms on GPU 2" */
static void put_range(const struct wl_answer_rows *r, size_t first, const char *key)
{
	size_t most = first, least = first;

	for (size_t k = first; k < r->v->n_total; k++) {
		if (strcmp(name_of(r, k), name_of(r, first)) != 0 || !wl_said_at(r, k, key).set)
			continue;
		most = value_of(r, k, key) > value_of(r, most, key) ? k : most;
		least = value_of(r, k, key) < value_of(r, least, key) ? k : least;
	}
	put_figure(r, most, key);
	if (most == least) {
		wl_prose_put(r->p, " on each");
		return;
	}
	wl_prose_put(r->p, " on ");
	wl_said_put_place(r, most);
	wl_prose_put(r->p, " to ");
	wl_said_put(r, least, key);
	wl_prose_put(r->p, " on ");
	wl_said_put_place(r, least);
}

static bool is_same_place(const struct wl_answer_rows *r, size_t i, size_t k)
{
	return wl_said_whole(r, i, "device") == wl_said_whole(r, k, "device") &&
	       wl_said_whole(r, i, "pid") == wl_said_whole(r, k, "pid");
}

/* Whether the first name has one row on each of several GPUs or processes. */
static bool is_by_name(const struct wl_answer_rows *r)
{
	bool has_place = wl_said_at(r, 0, "device").set || wl_said_at(r, 0, "rank").set ||
			 wl_said_at(r, 0, "pid").set;

	for (size_t k = 1; k < r->v->n_total; k++) {
		if (strcmp(name_of(r, k), name_of(r, 0)) == 0 && is_same_place(r, 0, k))
			return false;
	}
	return has_place && *name_of(r, 0) && !wl_said_has(r, "start") && r->v->n_total > 2 &&
	       count_same(r, 0) > 2;
}

static void put_groups(const struct wl_answer_rows *r, const struct asked *a)
{
	size_t n = 0;

	for (size_t i = 0; i < r->v->n_total && n < MOST_GROUPS; i++) {
		size_t n_same = count_same(r, i);

		if (n_same == 0)
			continue;
		wl_prose_put(r->p, n++ ? "; " : "");
		wl_said_put_name(r, i);
		wl_prose_say(r->p, " (%zu rows)", n_same);
		for (size_t k = 0; k < a->n; k++) {
			if (!wl_said_at(r, i, a->column[k]).set)
				continue;
			wl_prose_put(r->p, k ? ", " : ": ");
			put_range(r, i, a->column[k]);
		}
	}
	wl_prose_put(r->p, ".");
}

/* Whether the rows compare GPUs or ranks. */
static bool is_by_place(const struct wl_answer_rows *r)
{
	return wl_said_has(r, "window") && wl_said_has(r, "compute") &&
	       !wl_said_at(r, 0, "iter").set && !wl_said_at(r, 0, "stage").set;
}

static bool is_whole(const struct wl_answer_rows *r, const char *key)
{
	size_t col;
	const struct wl_col *c = wl_table_find_col(r->v->table, key, &col);

	return c && c->type == WL_T_NS;
}

/* "For compute, GPU 2 has the most, 2.8 s, and GPU 0 the least, 2.4 s: 366 ms (15.1%) apart." */
static void put_extremes(const struct wl_answer_rows *r, const struct asked *a)
{
	for (size_t k = 0; k < a->n; k++) {
		const char *key = a->column[k];
		size_t most = 0, least = 0;
		int64_t by;

		for (size_t i = 1; i < r->v->n_total; i++) {
			most = value_of(r, i, key) > value_of(r, most, key) ? i : most;
			least = value_of(r, i, key) < value_of(r, least, key) ? i : least;
		}
		wl_prose_put(r->p, r->p->n ? " For " : "For ");
		put_title(r, key);
		wl_prose_put(r->p, ", ");
		wl_said_put_row(r, most);
		wl_prose_put(r->p, " has the most, ");
		wl_said_put(r, most, key);
		wl_prose_put(r->p, ", and ");
		wl_said_put_row(r, least);
		wl_prose_put(r->p, " the least, ");
		wl_said_put(r, least, key);
		by = is_whole(r, key) ? wl_said_whole(r, most, key) - wl_said_whole(r, least, key)
				      : 0;
		if (by > 0) {
			wl_prose_put(r->p, ": ");
			wl_said_put_ns(r, by);
			if (by < wl_said_whole(r, least, key))
				wl_prose_say(r->p, " (%.1f%%)",
					     wl_said_share(by, wl_said_whole(r, least, key)));
			wl_prose_put(r->p, " apart");
		}
		wl_prose_put(r->p, ".");
	}
}

/* --- bounds: "more than 5% of the step", "below 12 percent" --- */

/* The bound, and whether "yes" means above it; false if the question has none. */
static bool find_bound(const struct wl_question *q, double *ret, bool *ret_above)
{
	static const char *const above[] = { "more",    "over",   "above", "exceed", "exceeds",
					     "greater", "larger", "least", "higher" };
	static const char *const below[] = { "less",    "under", "below", "within",
					     "smaller", "lower", "most" };

	*ret_above = wl_question_says(q, above, WL_COUNT(above));
	if (!*ret_above && !wl_question_says(q, below, WL_COUNT(below)))
		return false;
	for (size_t i = 0; i < q->n; i++) {
		const char *end = q->word[i].text + strspn(q->word[i].text, "0123456789.");
		bool is_cent =
			strcmp(end, "%") == 0 || (!*end && i + 1 < q->n &&
						  (strcmp(q->word[i + 1].key, "percent") == 0 ||
						   strcmp(q->word[i + 1].key, "per") == 0));

		if (q->word[i].kind != WL_WORD_NUMBER || !is_cent)
			continue;
		*ret = strtod(q->word[i].text, NULL);
		return true;
	}
	return false;
}

/* The largest share of a GPU's window, summed over its rows, and a row of that GPU. */
static double part_of_window(const struct wl_answer_rows *r, const char *key, size_t *ret_row)
{
	double most = -1;

	for (size_t i = 0; i < r->v->n_total; i++) {
		int64_t part = 0, whole = 0;

		for (size_t k = 0; k < r->v->n_total; k++) {
			if (wl_said_whole(r, k, "device") != wl_said_whole(r, i, "device"))
				continue;
			part += wl_said_whole(r, k, key);
			whole += wl_said_whole(r, k, "window");
		}
		if (wl_said_share(part, whole) <= most)
			continue;
		most = wl_said_share(part, whole);
		*ret_row = i;
	}
	return most;
}

/* Total time of all GPUs in the answer's windows. */
static int64_t gpu_time(const struct wl_document *doc)
{
	int64_t sum = 0;

	for (size_t i = 0; i < doc->n_windows; i++)
		sum += doc->windows[i].end - doc->windows[i].begin;
	return doc->n_windows == 1 && doc->n_devices > 1 ? sum * doc->n_devices : sum;
}

/* Write first whether the figure is above the bound, then the figure. */
static void put_verdict(const struct wl_answer_rows *r, double is, double bound, bool above)
{
	wl_prose_say(r->p, "%s: %.1f%%", (is > bound) == above ? "Yes" : "No", is);
}

static bool say_bound(const struct wl_question *q, const struct wl_answer_rows *r,
		      const struct wl_document *doc, const struct asked *a, bool is_chosen)
{
	double bound, is = 0;
	bool above;
	size_t row = 0;

	if (!find_bound(q, &bound, &above))
		return false;
	if (wl_said_has(r, "window") && wl_said_has(r, "compute") && a->n &&
	    is_whole(r, a->column[0])) {
		is = part_of_window(r, a->column[0], &row);
		put_verdict(r, is, bound, above);
		wl_prose_put(r->p, " of the time of GPU ");
		wl_said_put(r, row, "device");
		wl_prose_put(r->p, " is ");
		put_title(r, a->column[0]);
		wl_prose_put(r->p, ", and on no GPU is it more.");
		return true;
	}
	if (is_chosen && wl_said_has(r, "gpu_busy") && gpu_time(doc) > 0) {
		is = wl_said_share(wl_said_sum(r, "gpu_busy") + wl_said_sum(r, "bridged_busy"),
				   gpu_time(doc));
		put_verdict(r, is, bound, above);
		wl_prose_put(r->p, " of the time of the GPUs. ");
		return false;
	}
	if (!is_chosen || !wl_said_at(r, 0, "share").set)
		return false;
	for (size_t i = 0; i < r->v->n_total; i++)
		is += 100 * wl_said_at(r, i, "share").f64;
	put_verdict(r, is, bound, above);
	wl_prose_put(r->p, " in all. ");
	return false;
}

/* --- totals over all rows --- */

static size_t count_pids(const struct wl_answer_rows *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->v->n_total; i++) {
		size_t k = 0;

		while (k < i && wl_said_whole(r, k, "pid") != wl_said_whole(r, i, "pid"))
			k++;
		n += k == i;
	}
	return n;
}

/* Write whether each name has a row for each process. */
static void put_alike(const struct wl_answer_rows *r)
{
	const size_t n_pids = count_pids(r);
	size_t n_names = 0, n_missing = 0;

	for (size_t i = 0; i < r->v->n_total; i++) {
		const size_t n_same = count_same(r, i);

		if (n_same == 0)
			continue;
		n_names++;
		if (n_same >= n_pids || n_missing++)
			continue;
		wl_prose_put(r->p, "Not all processes have the same ranges: ");
		(void)wl_said_put_name(r, i);
		wl_prose_say(r->p, " is in %zu of %zu", n_same, n_pids);
	}
	if (n_missing > 1)
		wl_prose_say(r->p, ", and %zu other ranges are in some only", n_missing - 1);
	if (n_missing == 0)
		wl_prose_say(r->p, "All %zu processes have the same %zu ranges", n_pids, n_names);
	wl_prose_put(r->p, ".");
}

/* Answer for all rows: the mean time from launch to start of kernels, or counts of threads. */
static bool say_whole(const struct wl_question *q, const struct wl_answer_rows *r)
{
	static const char *const delays[] = { "delay", "latency", "queue",  "queued",
					      "wait",  "start",   "starts", "until" };
	static const char *const counts[] = { "many", "number", "count" };
	static const char *const alike[] = { "missing", "lack",  "lacks",     "same",
					     "carry",   "alike", "identical", "different" };
	const int64_t n = wl_said_sum(r, "launched");
	size_t n_users = 0, n_pids;

	if (wl_said_has(r, "latency_sum") && n > 0 &&
	    wl_question_says(q, delays, WL_COUNT(delays))) {
		wl_prose_put(r->p,
			     "From the begin of the launch call to the start of the kernel it is ");
		wl_said_put_ns(r, wl_said_sum(r, "latency_sum") / n);
		wl_prose_say(r->p, " on average, of %" PRId64 " launches; in the queue ", n);
		wl_said_put_ns(r, wl_said_sum(r, "queue_sum") / n);
		wl_prose_put(r->p, ".");
		return true;
	}
	if (wl_said_has(r, "bridged_busy") && wl_said_at(r, 0, "pid").set &&
	    wl_question_says(q, alike, WL_COUNT(alike))) {
		put_alike(r);
		return true;
	}
	if (!wl_said_has(r, "nvtx_self") || !wl_question_says(q, counts, WL_COUNT(counts)))
		return false;
	for (size_t i = 0; i < r->v->n_total; i++)
		n_users += wl_said_whole(r, i, "api") > 0;
	n_pids = count_pids(r);
	wl_prose_say(r->p,
		     "%zu of %zu threads make CUDA calls, in %zu processes: %.3g each (mean).",
		     n_users, r->v->n_total, n_pids, (double)n_users / (double)n_pids);
	return true;
}

/* The sum or the mean over all calls, if the question names none. */
static bool say_all_calls(const struct wl_question *q, const struct wl_answer_rows *r)
{
	static const char *const means[] = { "average", "mean", "avg" };
	static const char *const sums[] = { "total", "much", "altogether", "many", "number" };
	static const char *const rows[] = { "largest", "most", "top",  "which", "longest",
					    "biggest", "each", "list", "counts" };
	bool is_mean = wl_question_says(q, means, WL_COUNT(means));
	const int64_t n = wl_said_sum(r, "calls"), sum = wl_said_sum(r, "sum");
	const size_t most = wl_said_most(r, "sum");
	size_t n_names = 0;

	if (n <= 0 || !wl_said_has(r, "p90") || !wl_said_has(r, "avg") ||
	    (!is_mean && (!wl_question_says(q, sums, WL_COUNT(sums)) ||
			  wl_question_says(q, rows, WL_COUNT(rows)))))
		return false;
	for (size_t i = 0; i < r->v->n_total; i++)
		n_names += count_same(r, i) > 0;
	wl_prose_say(r->p, "In all, %" PRId64 " calls of %zu names take ", n, n_names);
	wl_said_put_ns(r, sum);
	if (is_mean) {
		wl_prose_put(r->p, ", ");
		wl_said_put_ns(r, sum / n);
		wl_prose_put(r->p, " each on average");
	}
	wl_prose_put(r->p, "; ");
	(void)wl_said_put_name(r, most);
	wl_prose_put(r->p, " takes the most, ");
	wl_said_put(r, most, "sum");
	wl_prose_put(r->p, ".");
	return true;
}

const char *wl_figures_say(const struct wl_question *q, const struct wl_document *doc,
			   bool is_chosen, struct wl_arena *arena)
{
	struct wl_prose p = { .arena = arena };
	const struct wl_answer_rows r = { &doc->sections[0].view, &p };
	static const char *const bandwidth[] = { "bandwidth", "throughput", "busbw", "algbw",
						 "gbs",       "bytes",      "size" };
	struct asked a;
	struct wl_err err;
	bool is_by;

	if (doc->n_sections != 1 || doc->sections[0].missing || r.v->n_rows == 0)
		return NULL;
	find(&a, q, &r, is_chosen);
	is_by = is_by_place(&r);
	if (say_whole(q, &r) || (!is_chosen && say_all_calls(q, &r)))
		return wl_prose_end(&p, &err);
	if (say_bound(q, &r, doc, &a, is_chosen))
		return wl_prose_end(&p, &err);
	if (is_by && is_chosen && a.n == 0 && r.v->n_total == 2) {
		add(&a, &r, "compute");
		add(&a, &r, "exposed_comm");
		add(&a, &r, "wait");
		add(&a, &r, "mpi_wait");
		add(&a, &r, "idle");
	}
	if (is_by && a.n && r.v->n_total > 2)
		put_extremes(&r, &a);
	else if (is_chosen || (is_by && a.n)) {
		if (!is_by && a.n < 3)
			add_usual(&a, &r);
		if (wl_said_has(&r, "busbw") && !wl_said_at(&r, 0, "busbw").set &&
		    wl_question_says(q, bandwidth, WL_COUNT(bandwidth)))
			wl_prose_put(&p, "No bandwidth: the trace has no sizes of collectives "
					 "(nsys export --include-blobs=true has them). ");
		if (wl_said_has(&r, "duration") && wl_said_has(&r, "start")) {
			add(&a, &r, "bytes");
			add(&a, &r, "duration");
			add(&a, &r, "start");
			put_rows(&r, &a, 1);
		} else if (a.n && is_by_name(&r))
			put_groups(&r, &a);
		else if (a.n)
			put_rows(&r, &a, MOST_ROWS);
	}
	return p.n ? wl_prose_end(&p, &err) : NULL;
}
