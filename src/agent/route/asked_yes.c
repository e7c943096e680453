/* SPDX-License-Identifier: MIT */
#include "agent/route/asked_yes.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "agent/route/answer_rows.h"
#include "base/attr.h"
#include "base/memory/sort.h"
#include "render/words/human.h"

/* --- is there a straggler: ranks --- */

static bool straggler(const struct wl_answer_rows *r)
{
	size_t named = wl_said_most(r, "saving");
	bool is_matched = false;

	for (size_t i = 0; i < r->v->n_total; i++)
		is_matched = is_matched || wl_said_at(r, i, "lateness").set;
	if (wl_said_at(r, named, "saving").set) {
		wl_prose_put(r->p, "Yes: GPU ");
		wl_said_put(r, named, "device");
		wl_prose_put(r->p, ". As fast as the others, the run would be ");
		wl_said_put(r, named, "saving");
		wl_prose_put(r->p, " (");
		wl_said_put(r, named, "saving_share");
		wl_prose_put(r->p, ") shorter");
		if (wl_said_at(r, named, "why").set) {
			wl_prose_put(r->p, ". Why: ");
			wl_said_put(r, named, "why");
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

/* --- are the ranks balanced: ranks, by what they compute --- */

/* Ranks that exceed the least by this many percent are unbalanced. */
static bool balanced(const struct wl_answer_rows *r)
{
	static const double least = 5;
	size_t most = wl_said_most(r, "compute"), fewest = wl_said_least(r, "compute");
	double apart = wl_said_share(wl_said_whole(r, most, "compute") -
					     wl_said_whole(r, fewest, "compute"),
				     wl_said_whole(r, fewest, "compute"));
	bool is_named = wl_said_at(r, wl_said_most(r, "saving"), "saving").set;

	if (r->v->n_total < 2) {
		wl_prose_put(r->p, "Cannot say: there is only one GPU to compare");
		return true;
	}
	wl_prose_say(r->p, "%s: compute takes ",
		     apart >= least || is_named ? "Not balanced" : "Balanced");
	wl_said_put(r, most, "compute");
	wl_prose_put(r->p, " on ");
	wl_said_put_row(r, most);
	wl_prose_put(r->p, " and ");
	wl_said_put(r, fewest, "compute");
	wl_prose_put(r->p, " on ");
	wl_said_put_row(r, fewest);
	wl_prose_say(r->p, ", %.1f%% apart", apart);
	if (is_named) {
		wl_prose_put(r->p, ". ");
		return straggler(r);
	}
	return true;
}

/* --- is communication overlapped: overlap --- */

static bool overlapped(const struct wl_answer_rows *r)
{
	size_t worst = wl_said_most(r, "exposed_comm");
	const struct wl_cell hidden = wl_said_at(r, worst, "overlap");

	if (!hidden.set) {
		wl_prose_put(r->p, "Cannot say: no communication is recorded on a GPU");
		return true;
	}
	wl_prose_put(r->p, hidden.f64 >= 0.95 ? "Yes: " : hidden.f64 > 0.5 ? "Mostly: " : "No: ");
	wl_said_put(r, worst, "overlap");
	wl_prose_put(r->p, " of the communication of GPU ");
	wl_said_put(r, worst, "device");
	wl_prose_put(r->p, " is hidden; ");
	wl_said_put(r, worst, "exposed_comm");
	wl_prose_say(r->p, " (%.1f%% of its window) is exposed",
		     wl_said_share(wl_said_whole(r, worst, "exposed_comm"),
				   wl_said_whole(r, worst, "window")));
	return true;
}

/* --- how much is exposed: overlap --- */

/* Whether no earlier row is of the same GPU. */
static bool is_first_of_gpu(const struct wl_answer_rows *r, size_t row)
{
	size_t i = 0;

	while (i < row && wl_said_at(r, i, "device").i64 != wl_said_at(r, row, "device").i64)
		i++;
	return i == row;
}

/* Exposed communication in the median step, on the GPU with the most over all steps. */
static bool exposed_by_step(const struct wl_answer_rows *r)
{
	int64_t *of = WL_NEW(r->p->arena, int64_t, r->v->n_total), most = -1, device = 0,
		median = 0;
	size_t n_steps = 0;

	for (size_t i = 0; of && i < r->v->n_total; i++) {
		int64_t sum = 0;
		size_t n = 0;

		for (size_t k = 0; is_first_of_gpu(r, i) && k < r->v->n_total; k++) {
			if (!wl_said_at(r, k, "iter").set ||
			    wl_said_at(r, k, "device").i64 != wl_said_at(r, i, "device").i64)
				continue;
			of[n] = wl_said_whole(r, k, "exposed_comm");
			sum += of[n++];
		}
		if (n == 0 || sum <= most)
			continue;
		wl_sort_i64(of, n);
		most = sum;
		device = wl_said_at(r, i, "device").i64;
		median = of[wl_rank(n, 50)];
		n_steps = n;
	}
	if (most < 0)
		return false;
	wl_said_put_ns(r, median);
	wl_prose_say(r->p,
		     " of communication is exposed in a step on GPU %" PRId64
		     " (median of %zu steps), the GPU with the most of all",
		     device, n_steps);
	return true;
}

static bool exposed(const struct wl_answer_rows *r)
{
	size_t worst = wl_said_most(r, "exposed_comm"), iter;

	if (wl_table_find_col(r->v->table, "iter", &iter))
		return exposed_by_step(r);
	if (!wl_said_at(r, worst, "exposed_comm").set)
		return false;
	wl_said_put(r, worst, "exposed_comm");
	wl_prose_say(r->p, " of communication (%.1f%% of a window of ",
		     wl_said_share(wl_said_whole(r, worst, "exposed_comm"),
				   wl_said_whole(r, worst, "window")));
	wl_said_put(r, worst, "window");
	wl_prose_put(r->p, ") is exposed on GPU ");
	wl_said_put(r, worst, "device");
	if (r->v->n_total > 1)
		wl_prose_say(r->p, ", the most of %zu GPUs", r->v->n_total);
	if (wl_said_at(r, worst, "exposed_copy").set) {
		wl_prose_put(r->p, "; of copies ");
		wl_said_put(r, worst, "exposed_copy");
	}
	return true;
}

/* --- is it X bound: how the time of all GPUs divides, by ranks --- */

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

static bool bound(const struct wl_answer_rows *r, int by)
{
	const int64_t window = wl_said_sum(r, "window");
	int64_t time[N_PARTS] = { 0 };
	int most = 0;

	for (int k = 0; k < N_PARTS; k++) {
		for (size_t c = 0; c < WL_COUNT(parts[k].columns) && parts[k].columns[c]; c++)
			time[k] += wl_said_sum(r, parts[k].columns[c]);
		most = time[k] > time[most] ? k : most;
	}
	if (window <= 0)
		return false;
	if (most == by)
		wl_prose_say(r->p,
			     "Yes: %s takes %.1f%% of the GPU time, more than anything else%s",
			     parts[by].says, wl_said_share(time[by], window),
			     by == COMPUTE ? "; what limits its kernels, ncu measures" : "");
	else
		wl_prose_say(r->p, "No: %s takes %.1f%% of the GPU time; %s %.1f%%",
			     parts[most].says, wl_said_share(time[most], window), parts[by].says,
			     wl_said_share(time[by], window));
	return true;
}

/* --- is it launch bound: idle, on the GPU with the most launch idle time --- */

/* A device's idle time due to this cause, or to all causes for NULL, divided by its window. */
static double cause_share(const struct wl_answer_rows *r, int64_t device, const char *cause)
{
	double sum = 0;

	for (size_t i = 0; i < r->v->n_total; i++) {
		if (wl_said_at(r, i, "share").set && wl_said_at(r, i, "device").i64 == device &&
		    (!cause || wl_said_is(r, i, "cause", cause)))
			sum += wl_said_at(r, i, "share").f64;
	}
	return sum;
}

/* Launch bound: launches take more than work and more than all other idle causes together. */
static bool launch_bound(const struct wl_answer_rows *r)
{
	double launch = -1, idle = 0;
	int64_t device = 0;

	for (size_t i = 0; i < r->v->n_total; i++) {
		int64_t on = wl_said_at(r, i, "device").i64;
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

/* --- does the host feed the GPU: idle, on the GPU with the most idle time --- */

/* Starving costs at least a twentieth of the window. */
static bool starved(const struct wl_answer_rows *r)
{
	static const char *const of_host[] = { "host", "launch", "latency", "dispatch", "os" };
	static const double least = 0.05;
	double idle = -1, host = 0;
	int64_t device = 0;
	size_t most = 0;

	for (size_t i = 0; i < r->v->n_total; i++) {
		double all = cause_share(r, wl_said_whole(r, i, "device"), NULL);

		device = all > idle ? wl_said_whole(r, i, "device") : device;
		idle = all > idle ? all : idle;
	}
	for (size_t k = 0; k < WL_COUNT(of_host); k++)
		host += cause_share(r, device, of_host[k]);
	for (size_t i = 0; i < r->v->n_total; i++) {
		if (wl_said_whole(r, i, "device") == device &&
		    (wl_said_whole(r, most, "device") != device ||
		     wl_said_whole(r, i, "sum") > wl_said_whole(r, most, "sum")))
			most = i;
	}
	wl_prose_say(r->p,
		     "%s: GPU %" PRId64
		     " is idle for %.1f%% of its window, %.1f%% of that because of "
		     "host code, the system, launches and their latency; the largest cause is ",
		     host >= least && 2 * host > idle ? "Yes" : "No", device, 100 * idle,
		     idle > 0 ? 100 * host / idle : 0);
	wl_said_put(r, most, "cause");
	wl_prose_put(r->p, " with ");
	wl_said_put(r, most, "sum");
	return true;
}

/* --- is the data loader the bottleneck: idle --by detail --- */

/* Whether a range or file is named after loading, by how its words begin (not "thread"). */
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

/* A device's idle time in host code and system calls, in percent of its window; is_named: only in
 * code named after loading. */
static double idle_share(const struct wl_answer_rows *r, int64_t device, bool is_named)
{
	double sum = 0;

	for (size_t i = 0; i < r->v->n_total; i++) {
		const struct wl_cell detail = wl_said_at(r, i, "detail"),
				     share = wl_said_at(r, i, "share");
		bool is_host = wl_said_is(r, i, "cause", "host") || wl_said_is(r, i, "cause", "os");

		if (is_host && share.set && wl_said_at(r, i, "device").i64 == device &&
		    (!is_named || (detail.set && is_loading(detail.str))))
			sum += 100 * share.f64;
	}
	return sum;
}

/* A bottleneck costs at least a twentieth of a GPU's window. */
static bool loader(const struct wl_answer_rows *r)
{
	static const double least = 5;
	double host = 0, loading = 0;
	int64_t device = 0;

	for (size_t i = 0; i < r->v->n_total; i++) {
		double in_host = idle_share(r, wl_said_at(r, i, "device").i64, false);
		double in_loading = idle_share(r, wl_said_at(r, i, "device").i64, true);

		host = in_host > host ? in_host : host;
		device = in_loading > loading ? wl_said_at(r, i, "device").i64 : device;
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

/* Substrings of the names of GEMMs compiled for tensor cores, in cuBLAS, CUTLASS and cuDNN. */
static const char *const tensor[] = { "tensorop", "nvjet", "hmma",    "imma",   "gmma",
				      "s16816",   "s1688", "s161616", "h16816", "h1688",
				      "i16832",   "xmma",  "s884",    "h884",   "bf16" };
/* Substrings of the names of those that are not. */
static const char *const simt[] = { "simt", "sgemm", "dgemm", "gemv", "ffma" };

static bool has_part(const char *name, const char *const *list, size_t n)
{
	for (size_t k = 0; k < n; k++) {
		if (strcasestr(name, list[k]))
			return true;
	}
	return false;
}

static bool tensor_cores(const struct wl_answer_rows *r)
{
	int64_t all = 0, known = 0, with = 0;

	for (size_t i = 0; i < r->v->n_total; i++) {
		const struct wl_cell name = wl_said_at(r, i, "name");
		const int64_t sum = wl_said_whole(r, i, "sum");

		if (!name.set || !wl_said_is(r, i, "category", "gemm"))
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
	else if (with == 0 && wl_said_share(known, all) < 50)
		wl_prose_put(
			r->p,
			"Cannot say: the names of the matrix products leave it open; metrics of "
			"GPUs would say (nsys profile --gpu-metrics-devices=all)");
	else
		wl_prose_say(
			r->p,
			"%s, by kernel name: %.1f%% of the time of matrix products is in kernels for "
			"tensor cores",
			with > 0 ? "Yes" : "No", wl_said_share(with, all));
	if (known < all && (with > 0 || wl_said_share(known, all) >= 50))
		wl_prose_say(r->p, "; names leave %.1f%% open", wl_said_share(all - known, all));
	return true;
}

/* --- are CUDA graphs used: graphs --- */

static bool graphs(const struct wl_answer_rows *r)
{
	char count[WL_UNITS_BUF];
	int64_t n = wl_said_sum(r, "launches");

	if (n == 0)
		n = wl_said_sum(r, "replays");
	wl_prose_say(r->p, "%s: %s launches of CUDA graphs", n ? "Yes" : "No",
		     n ? wl_fmt_count(count, n) : "no");
	return true;
}

/* --- are copies pinned: transfers --- */

static bool pinned(const struct wl_answer_rows *r)
{
	int64_t bytes = 0, pageable = 0, time = 0;
	char part[WL_UNITS_BUF], whole[WL_UNITS_BUF];

	for (size_t i = 0; i < r->v->n_total; i++) {
		bool is_pageable =
			wl_said_is(r, i, "src", "pageable") || wl_said_is(r, i, "dst", "pageable");

		if (!is_pageable && !wl_said_is(r, i, "src", "pinned") &&
		    !wl_said_is(r, i, "dst", "pinned"))
			continue;
		bytes += wl_said_whole(r, i, "bytes");
		pageable += is_pageable ? wl_said_whole(r, i, "bytes") : 0;
		time += is_pageable ? wl_said_whole(r, i, "sum") : 0;
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
		     wl_said_share(pageable, bytes) < 1 ? "Mostly" : "No",
		     wl_fmt_bytes(part, pageable), wl_fmt_bytes(whole, bytes));
	wl_said_put_ns(r, time);
	wl_prose_put(r->p, " of copies");
	return true;
}

/* --- is memory growing: memory --by step --- */

static bool growing(const struct wl_answer_rows *r)
{
	size_t first = r->v->n_total, last = 0;

	/* Among the rows of device memory, the first is the one a quarter into the steps, after
	 * warm-up. */
	for (size_t i = 0; i < r->v->n_total; i++) {
		if (!wl_said_at(r, i, "iter").set || !wl_said_is(r, i, "kind", "device"))
			continue;
		if (wl_said_whole(r, i, "iter") >= wl_said_whole(r, last, "iter"))
			last = i;
	}
	for (size_t i = 0; i < r->v->n_total; i++) {
		if (!wl_said_is(r, i, "kind", "device") || !wl_said_at(r, i, "iter").set ||
		    wl_said_at(r, i, "device").i64 != wl_said_at(r, last, "device").i64 ||
		    4 * wl_said_whole(r, i, "iter") < wl_said_whole(r, last, "iter"))
			continue;
		if (first == r->v->n_total ||
		    wl_said_whole(r, i, "iter") < wl_said_whole(r, first, "iter"))
			first = i;
	}
	if (first == r->v->n_total ||
	    wl_said_whole(r, first, "iter") >= wl_said_whole(r, last, "iter")) {
		wl_prose_put(r->p, "Cannot say: there are no steps with device memory to compare");
		return true;
	}
	wl_prose_put(r->p, wl_said_share(wl_said_whole(r, last, "in_use") -
						 wl_said_whole(r, first, "in_use"),
					 wl_said_whole(r, first, "in_use")) >= 1
				   ? "Yes: "
				   : "No: ");
	wl_said_put(r, first, "in_use");
	wl_prose_say(r->p, " of device memory is in use after step %" PRId64 ", and ",
		     wl_said_whole(r, first, "iter"));
	wl_said_put(r, last, "in_use");
	wl_prose_say(r->p, " after step %" PRId64, wl_said_whole(r, last, "iter"));
	return true;
}

/* --- are events missing: info --section coverage --- */

static bool missing(const struct wl_answer_rows *r)
{
	bool is_any = false;

	for (size_t i = 0; i < r->v->n_total; i++) {
		if (wl_said_whole(r, i, "have") >= wl_said_whole(r, i, "of"))
			continue;
		wl_prose_put(r->p, is_any ? "; " : "Yes: only ");
		wl_said_put(r, i, "have");
		wl_prose_put(r->p, " of ");
		wl_said_put(r, i, "of");
		wl_prose_put(r->p, " are ");
		wl_said_put(r, i, "what");
		is_any = true;
	}
	if (!is_any)
		wl_prose_put(r->p,
			     "No, as far as the trace shows: every kernel, copy and memory set has "
			     "its launch call");
	return true;
}

static bool say(enum wl_asked_for asked, const struct wl_answer_rows *r)
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
	case WL_ASKED_BALANCED:
		return balanced(r);
	case WL_ASKED_STARVED:
		return starved(r);
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
	const struct wl_answer_rows rows = { &doc->sections[0].view, &p };
	struct wl_err err;

	if (doc->n_sections != 1 || doc->sections[0].missing || rows.v->n_total == 0 ||
	    !say(asked, &rows) || !p.text)
		return NULL;
	wl_prose_put(&p, ".");
	return wl_prose_end(&p, &err);
}
