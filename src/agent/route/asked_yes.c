/* SPDX-License-Identifier: MIT */
#include "agent/route/asked_yes.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "agent/explain/prose.h"
#include "base/attr.h"
#include "base/memory/sort.h"
#include "render/words/human.h"

/* The rows that pass the filter, shown or not. */
struct rows {
	const struct wl_view *v;
	struct wl_prose *p;
};

static struct wl_cell at(const struct rows *r, size_t i, const char *key)
{
	size_t col;

	if (!wl_table_find_col(r->v->table, key, &col))
		return (struct wl_cell){ .set = false };
	return wl_table_at(r->v->table, r->v->rows[i], col);
}

/* Of a column of counts, times or bytes; 0 where it is not set. */
static int64_t whole_at(const struct rows *r, size_t i, const char *key)
{
	const struct wl_cell cell = at(r, i, key);

	return cell.set ? cell.i64 : 0;
}

static int64_t sum_of(const struct rows *r, const char *key)
{
	int64_t sum = 0;

	for (size_t i = 0; i < r->v->n_total; i++)
		sum += whole_at(r, i, key);
	return sum;
}

/* A cell as the table shows it. */
static void put(const struct rows *r, size_t i, const char *key)
{
	char buf[WL_UNITS_BUF];
	size_t col;
	const struct wl_cell cell = at(r, i, key);

	if (!cell.set || !wl_table_find_col(r->v->table, key, &col))
		return;
	if (r->v->table->cols[col].flags & WL_PROSE)
		wl_prose_put(r->p, cell.str);
	else
		wl_prose_put(r->p, wl_human_cell(&r->v->table->cols[col], cell, WL_UNIT_AUTO, buf));
}

static void put_ns(const struct rows *r, int64_t ns)
{
	char buf[WL_UNITS_BUF];

	wl_prose_put(r->p, wl_fmt_ns(buf, ns, WL_UNIT_AUTO));
}

static double share_of(int64_t part, int64_t whole)
{
	return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}

/* The row with the most of a column. */
static size_t most_of(const struct rows *r, const char *key)
{
	size_t best = 0;

	for (size_t i = 1; i < r->v->n_total; i++) {
		if (whole_at(r, i, key) > whole_at(r, best, key))
			best = i;
	}
	return best;
}

static bool is_text(const struct rows *r, size_t i, const char *key, const char *text)
{
	const struct wl_cell cell = at(r, i, key);

	return cell.set && cell.str && strcmp(cell.str, text) == 0;
}

/* --- is there a straggler: ranks --- */

static bool straggler(const struct rows *r)
{
	size_t named = most_of(r, "saving");
	bool is_matched = false;

	for (size_t i = 0; i < r->v->n_total; i++)
		is_matched = is_matched || at(r, i, "lateness").set;
	if (at(r, named, "saving").set) {
		wl_prose_put(r->p, "Yes: GPU ");
		put(r, named, "device");
		wl_prose_put(r->p, ". As fast as the others, the run would be ");
		put(r, named, "saving");
		wl_prose_put(r->p, " (");
		put(r, named, "saving_share");
		wl_prose_put(r->p, ") shorter");
		if (at(r, named, "why").set) {
			wl_prose_put(r->p, ". Why: ");
			put(r, named, "why");
		}
	} else if (r->v->n_total == 1) {
		wl_prose_put(r->p, "Cannot say: there is only one GPU to compare");
	} else if (!is_matched) {
		wl_prose_put(r->p,
			     "Cannot say: no collective has its counterparts on other GPUs, so "
			     "that no waiting is known");
	} else {
		wl_prose_put(r->p, "No: none of the GPUs makes the run 1% longer");
	}
	return true;
}

/* --- is communication overlapped: overlap --- */

static bool overlapped(const struct rows *r)
{
	size_t worst = most_of(r, "exposed_comm");
	const struct wl_cell hidden = at(r, worst, "overlap");

	if (!hidden.set) {
		wl_prose_put(r->p, "Cannot say: no communication is recorded on a GPU");
		return true;
	}
	wl_prose_put(r->p, hidden.f64 >= 0.95 ? "Yes: " : hidden.f64 > 0.5 ? "Mostly: " : "No: ");
	put(r, worst, "overlap");
	wl_prose_put(r->p, " of the communication of GPU ");
	put(r, worst, "device");
	wl_prose_put(r->p, " is hidden; ");
	put(r, worst, "exposed_comm");
	wl_prose_say(r->p, " (%.1f%% of its window) is exposed",
		     share_of(whole_at(r, worst, "exposed_comm"), whole_at(r, worst, "window")));
	return true;
}

/* --- how much is exposed: overlap --- */

/* Whether no row before it is of the same GPU. */
static bool is_first_of_gpu(const struct rows *r, size_t row)
{
	size_t i = 0;

	while (i < row && at(r, i, "device").i64 != at(r, row, "device").i64)
		i++;
	return i == row;
}

/* What the median step of the GPU with the most in all of them has. */
static bool exposed_by_step(const struct rows *r)
{
	int64_t *of = WL_NEW(r->p->arena, int64_t, r->v->n_total), most = -1, device = 0,
		median = 0;
	size_t n_steps = 0;

	for (size_t i = 0; of && i < r->v->n_total; i++) {
		int64_t sum = 0;
		size_t n = 0;

		for (size_t k = 0; is_first_of_gpu(r, i) && k < r->v->n_total; k++) {
			if (!at(r, k, "iter").set ||
			    at(r, k, "device").i64 != at(r, i, "device").i64)
				continue;
			of[n] = whole_at(r, k, "exposed_comm");
			sum += of[n++];
		}
		if (n == 0 || sum <= most)
			continue;
		wl_sort_i64(of, n);
		most = sum;
		device = at(r, i, "device").i64;
		median = of[wl_rank(n, 50)];
		n_steps = n;
	}
	if (most < 0)
		return false;
	put_ns(r, median);
	wl_prose_say(r->p,
		     " of communication is exposed in a step on GPU %" PRId64
		     " (median of %zu steps), the GPU with the most of all",
		     device, n_steps);
	return true;
}

static bool exposed(const struct rows *r)
{
	size_t worst = most_of(r, "exposed_comm"), iter;

	if (wl_table_find_col(r->v->table, "iter", &iter))
		return exposed_by_step(r);
	if (!at(r, worst, "exposed_comm").set)
		return false;
	put(r, worst, "exposed_comm");
	wl_prose_say(r->p, " of communication (%.1f%% of a window of ",
		     share_of(whole_at(r, worst, "exposed_comm"), whole_at(r, worst, "window")));
	put(r, worst, "window");
	wl_prose_put(r->p, ") is exposed on GPU ");
	put(r, worst, "device");
	if (r->v->n_total > 1)
		wl_prose_say(r->p, ", the most of %zu GPUs", r->v->n_total);
	if (at(r, worst, "exposed_copy").set) {
		wl_prose_put(r->p, "; of copies ");
		put(r, worst, "exposed_copy");
	}
	return true;
}

/* --- is it X bound: the parts of the time of all GPUs, by ranks --- */

enum { COMPUTE, COMM, COPY, LAUNCH, HOST, OTHER, N_PARTS };

static const struct {
	const char *says;
	const char *columns[4]; /* NULL ends */
} parts[N_PARTS] = {
	[COMPUTE] = { "compute", { "compute" } },
	[COMM] = { "exposed communication", { "wait", "transfer" } },
	[COPY] = { "exposed copies", { "exposed_copy" } },
	[LAUNCH] = { "idle time that launches cause", { "idle_launch" } },
	[HOST] = { "idle time that host code and blocking calls cause",
		   { "idle_host", "idle_sync" } },
	[OTHER] = { "idle time of other causes", { "idle_queued", "idle_other" } },
};

static bool bound(const struct rows *r, int by)
{
	const int64_t window = sum_of(r, "window");
	int64_t time[N_PARTS] = { 0 };
	int most = 0;

	for (int k = 0; k < N_PARTS; k++) {
		for (size_t c = 0; c < WL_COUNT(parts[k].columns) && parts[k].columns[c]; c++)
			time[k] += sum_of(r, parts[k].columns[c]);
		most = time[k] > time[most] ? k : most;
	}
	if (window <= 0)
		return false;
	if (most == by)
		wl_prose_say(r->p,
			     "Yes: %s takes %.1f%% of the GPU time, more than anything else%s",
			     parts[by].says, share_of(time[by], window),
			     by == COMPUTE ? "; what limits its kernels, ncu measures" : "");
	else
		wl_prose_say(r->p, "No: %s takes %.1f%% of the GPU time; %s %.1f%%",
			     parts[most].says, share_of(time[most], window), parts[by].says,
			     share_of(time[by], window));
	return true;
}

/* --- is it launch bound: idle, on the GPU that has most of it --- */

/* Idle time of a device of this cause, or of all for NULL, over its window. */
static double cause_share(const struct rows *r, int64_t device, const char *cause)
{
	double sum = 0;

	for (size_t i = 0; i < r->v->n_total; i++) {
		if (at(r, i, "share").set && at(r, i, "device").i64 == device &&
		    (!cause || is_text(r, i, "cause", cause)))
			sum += at(r, i, "share").f64;
	}
	return sum;
}

/* Launches have the most where neither work nor the other causes have more. */
static bool launch_bound(const struct rows *r)
{
	double launch = -1, idle = 0;
	int64_t device = 0;

	for (size_t i = 0; i < r->v->n_total; i++) {
		int64_t on = at(r, i, "device").i64;
		double has = cause_share(r, on, "launch") + cause_share(r, on, "latency");

		if (has <= launch)
			continue;
		launch = has;
		idle = cause_share(r, on, NULL);
		device = on;
	}
	wl_prose_say(r->p,
		     "%s: GPU %" PRId64
		     " is busy %.1f%% of its window, idle because of launches and "
		     "their latency %.1f%%, and for other causes %.1f%%",
		     launch > 1 - idle && launch > idle - launch ? "Yes" : "No", device,
		     100 * (1 - idle), 100 * launch, 100 * (idle - launch));
	return true;
}

/* --- is the data loader the bottleneck: idle --by detail --- */

/* A range or file that is named after loading: a word begins so, and "thread" has none. */
static bool is_loading(const char *name)
{
	static const char *const words[] = { "load", "data", "batch", "fetch", "read", "pread" };

	for (size_t k = 0; name && k < WL_COUNT(words); k++) {
		for (const char *is = strcasestr(name, words[k]); is;
		     is = strcasestr(is + 1, words[k])) {
			bool is_camel = is > name && isupper((unsigned char)*is) &&
					islower((unsigned char)is[-1]);

			if (is == name || !isalpha((unsigned char)is[-1]) || is_camel)
				return true;
		}
	}
	return false;
}

/* Idle time of a device in host code and calls of the system; is_named: in what is named after
 * loading. Per cent of its window. */
static double idle_share(const struct rows *r, int64_t device, bool is_named)
{
	double sum = 0;

	for (size_t i = 0; i < r->v->n_total; i++) {
		const struct wl_cell detail = at(r, i, "detail"), share = at(r, i, "share");
		bool is_host = is_text(r, i, "cause", "host") || is_text(r, i, "cause", "os");

		if (is_host && share.set && at(r, i, "device").i64 == device &&
		    (!is_named || (detail.set && is_loading(detail.str))))
			sum += 100 * share.f64;
	}
	return sum;
}

/* A twentieth of the window of a GPU is what a bottleneck costs at least. */
static bool loader(const struct rows *r)
{
	static const double least = 5;
	double host = 0, loading = 0;
	int64_t device = 0;

	for (size_t i = 0; i < r->v->n_total; i++) {
		double in_host = idle_share(r, at(r, i, "device").i64, false);
		double in_loading = idle_share(r, at(r, i, "device").i64, true);

		host = in_host > host ? in_host : host;
		device = in_loading > loading ? at(r, i, "device").i64 : device;
		loading = in_loading > loading ? in_loading : loading;
	}
	if (loading >= least)
		wl_prose_say(r->p,
			     "Yes: GPU %" PRId64 " is idle for %.1f%% of its window in host code "
			     "that is named after loading",
			     device, loading);
	else if (loading > 0 || host < least)
		wl_prose_say(r->p, "No: the GPU is idle for at most %.1f%% of its window in %s",
			     loading > 0 ? loading : host,
			     loading > 0 ? "host code that is named after loading" : "host code");
	else
		wl_prose_say(r->p,
			     "Cannot say: the GPU is idle in host code for %.1f%% of its window, "
			     "but no range or file there is named after loading",
			     host);
	return true;
}

/* --- are tensor cores used: kernels, by name --- */

/* Parts of names of GEMMs that are compiled for tensor cores, of cuBLAS, CUTLASS and cuDNN. */
static const char *const tensor[] = { "tensorop", "nvjet", "hmma",    "imma",   "gmma",
				      "s16816",   "s1688", "s161616", "h16816", "h1688",
				      "i16832",   "xmma",  "s884",    "h884",   "bf16" };
/* And of those that are not. */
static const char *const simt[] = { "simt", "sgemm", "dgemm", "gemv", "ffma" };

static bool has_part(const char *name, const char *const *list, size_t n)
{
	for (size_t k = 0; k < n; k++) {
		if (strcasestr(name, list[k]))
			return true;
	}
	return false;
}

static bool tensor_cores(const struct rows *r)
{
	int64_t all = 0, known = 0, with = 0;

	for (size_t i = 0; i < r->v->n_total; i++) {
		const struct wl_cell name = at(r, i, "name");
		const int64_t sum = whole_at(r, i, "sum");

		if (!name.set || !is_text(r, i, "category", "gemm"))
			continue;
		all += sum;
		if (has_part(name.str, tensor, WL_COUNT(tensor)))
			with += sum;
		else if (!has_part(name.str, simt, WL_COUNT(simt)))
			continue;
		known += sum;
	}
	if (all == 0)
		wl_prose_put(r->p,
			     "Cannot say: no kernel is a matrix product by its name; metrics of "
			     "GPUs would say (nsys profile --gpu-metrics-devices=all)");
	else if (with == 0 && share_of(known, all) < 50)
		wl_prose_put(
			r->p,
			"Cannot say: the names of the matrix products leave it open; metrics of "
			"GPUs would say (nsys profile --gpu-metrics-devices=all)");
	else
		wl_prose_say(
			r->p,
			"%s, by kernel name: %.1f%% of the time of matrix products is in kernels for "
			"tensor cores",
			with > 0 ? "Yes" : "No", share_of(with, all));
	if (known < all && (with > 0 || share_of(known, all) >= 50))
		wl_prose_say(r->p, "; names leave %.1f%% open", share_of(all - known, all));
	return true;
}

/* --- are CUDA graphs used: graphs --- */

static bool graphs(const struct rows *r)
{
	char count[WL_UNITS_BUF];
	int64_t n = sum_of(r, "launches");

	if (n == 0)
		n = sum_of(r, "replays");
	wl_prose_say(r->p, "%s: %s launches of CUDA graphs", n ? "Yes" : "No",
		     n ? wl_fmt_count(count, n) : "no");
	return true;
}

/* --- are copies pinned: transfers --- */

static bool pinned(const struct rows *r)
{
	int64_t bytes = 0, pageable = 0, time = 0;
	char part[WL_UNITS_BUF], whole[WL_UNITS_BUF];

	for (size_t i = 0; i < r->v->n_total; i++) {
		bool is_pageable =
			is_text(r, i, "src", "pageable") || is_text(r, i, "dst", "pageable");

		if (!is_pageable && !is_text(r, i, "src", "pinned") &&
		    !is_text(r, i, "dst", "pinned"))
			continue;
		bytes += whole_at(r, i, "bytes");
		pageable += is_pageable ? whole_at(r, i, "bytes") : 0;
		time += is_pageable ? whole_at(r, i, "sum") : 0;
	}
	if (bytes == 0) {
		wl_prose_put(r->p,
			     "Cannot say: no copy between host and GPU says which memory it is of");
		return true;
	}
	if (pageable == 0) {
		wl_prose_say(
			r->p,
			"Yes: all %s that are copied between host and GPU are of pinned memory",
			wl_fmt_bytes(whole, bytes));
		return true;
	}
	wl_prose_say(r->p,
		     "%s: %s of %s that are copied between host and GPU are of pageable memory, "
		     "in ",
		     share_of(pageable, bytes) < 1 ? "Mostly" : "No", wl_fmt_bytes(part, pageable),
		     wl_fmt_bytes(whole, bytes));
	put_ns(r, time);
	wl_prose_put(r->p, " of copies");
	return true;
}

/* --- is memory growing: memory --by step --- */

static bool growing(const struct rows *r)
{
	size_t first = r->v->n_total, last = 0;

	/* Of the rows of device memory: the first is that of a quarter of the steps, after warm-up.
	 */
	for (size_t i = 0; i < r->v->n_total; i++) {
		if (!at(r, i, "iter").set || !is_text(r, i, "kind", "device"))
			continue;
		if (whole_at(r, i, "iter") >= whole_at(r, last, "iter"))
			last = i;
	}
	for (size_t i = 0; i < r->v->n_total; i++) {
		if (!is_text(r, i, "kind", "device") || !at(r, i, "iter").set ||
		    at(r, i, "device").i64 != at(r, last, "device").i64 ||
		    4 * whole_at(r, i, "iter") < whole_at(r, last, "iter"))
			continue;
		if (first == r->v->n_total || whole_at(r, i, "iter") < whole_at(r, first, "iter"))
			first = i;
	}
	if (first == r->v->n_total || whole_at(r, first, "iter") >= whole_at(r, last, "iter")) {
		wl_prose_put(r->p, "Cannot say: there are no steps with device memory to compare");
		return true;
	}
	wl_prose_put(r->p, share_of(whole_at(r, last, "in_use") - whole_at(r, first, "in_use"),
				    whole_at(r, first, "in_use")) >= 1
				   ? "Yes: "
				   : "No: ");
	put(r, first, "in_use");
	wl_prose_say(r->p, " of device memory is in use after step %" PRId64 ", and ",
		     whole_at(r, first, "iter"));
	put(r, last, "in_use");
	wl_prose_say(r->p, " after step %" PRId64, whole_at(r, last, "iter"));
	return true;
}

/* --- are events missing: info --section coverage --- */

static bool missing(const struct rows *r)
{
	bool is_any = false;

	for (size_t i = 0; i < r->v->n_total; i++) {
		if (whole_at(r, i, "have") >= whole_at(r, i, "of"))
			continue;
		wl_prose_put(r->p, is_any ? "; " : "Yes: only ");
		put(r, i, "have");
		wl_prose_put(r->p, " of ");
		put(r, i, "of");
		wl_prose_put(r->p, " are ");
		put(r, i, "what");
		is_any = true;
	}
	if (!is_any)
		wl_prose_put(r->p,
			     "No, as far as the trace shows: every kernel, copy and memory set has "
			     "its launch call");
	return true;
}

static bool say(enum wl_asked_for asked, const struct rows *r)
{
	switch (asked) {
	case WL_ASKED_STRAGGLER:
		return straggler(r);
	case WL_ASKED_OVERLAPPED:
		return overlapped(r);
	case WL_ASKED_COMPUTE_BOUND:
		return bound(r, COMPUTE);
	case WL_ASKED_COMM_BOUND:
		return bound(r, COMM);
	case WL_ASKED_COPY_BOUND:
		return bound(r, COPY);
	case WL_ASKED_LAUNCH_BOUND:
		return launch_bound(r);
	case WL_ASKED_HOST_BOUND:
		return bound(r, HOST);
	case WL_ASKED_LOADER:
		return loader(r);
	case WL_ASKED_TENSOR:
		return tensor_cores(r);
	case WL_ASKED_GRAPHS:
		return graphs(r);
	case WL_ASKED_PINNED:
		return pinned(r);
	case WL_ASKED_GROWING:
		return growing(r);
	case WL_ASKED_MISSING:
		return missing(r);
	case WL_ASKED_EXPOSED:
		return exposed(r);
	case WL_ASKED_NOTHING:
	case WL_ASKED_FASTER:
		break;
	}
	return false;
}

const char *wl_asked_yes_say(enum wl_asked_for asked, const struct wl_document *doc,
			     struct wl_arena *arena)
{
	struct wl_prose p = { .arena = arena };
	const struct rows rows = { &doc->sections[0].view, &p };
	struct wl_err err;

	if (doc->n_sections != 1 || doc->sections[0].missing || rows.v->n_total == 0 ||
	    !say(asked, &rows) || !p.text)
		return NULL;
	wl_prose_put(&p, ".");
	return wl_prose_end(&p, &err);
}
