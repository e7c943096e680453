/* SPDX-License-Identifier: MIT */
#include "compare/diff/diff_words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/units.h"
#include "compare/diff/diff_parts.h"

/* A length without its sign, which words express. */
static const char *length(char buf[WL_UNITS_BUF], wl_ns ns)
{
	return wl_fmt_ns(buf, llabs(ns), WL_UNIT_AUTO);
}

static const char *share(char buf[WL_UNITS_BUF], wl_ns of, wl_ns whole)
{
	return whole ? wl_fmt_ratio(buf, (double)llabs(of) / (double)llabs(whole)) : "from 0";
}

/* "0.1 ms faster to 0.2 ms slower", "3 ms to 3.6 ms slower" */
static void put_interval(char *buf, size_t size, struct wl_range_of_change r)
{
	char low[WL_UNITS_BUF], high[WL_UNITS_BUF];

	if (r.low == 0 && r.high == 0)
		(void)snprintf(buf, size, "exactly 0 ns");
	else if (r.low >= 0)
		(void)snprintf(buf, size, "%s to %s slower", length(low, r.low),
			       length(high, r.high));
	else if (r.high <= 0)
		(void)snprintf(buf, size, "%s to %s faster", length(low, r.high),
			       length(high, r.low));
	else
		(void)snprintf(buf, size, "%s faster to %s slower", length(low, r.low),
			       length(high, r.high));
}

/* Why there is no clear verdict. */
static void put_reason(char *buf, size_t size, const struct wl_diff *d)
{
	size_t a = d->side[WL_BEFORE]->n_steps, b = d->side[WL_AFTER]->n_steps;
	bool moved = d->step.change.low > 0 || d->step.change.high < 0;
	char limit[WL_UNITS_BUF];

	buf[0] = '\0';
	if (d->step.verdict != WL_INCONCLUSIVE)
		return;
	(void)wl_fmt_ratio(limit, d->threshold);
	if (a < WL_ENOUGH_STEPS || b < WL_ENOUGH_STEPS)
		(void)snprintf(buf, size, "; at least %d are needed on each side", WL_ENOUGH_STEPS);
	else if (moved)
		(void)snprintf(buf, size, "; it may or may not be as much as the threshold of %s",
			       limit);
	else
		(void)snprintf(buf, size, "; the noise is larger than the threshold of %s", limit);
}

static const char *put_totals(const struct wl_diff *d, char buf[WL_WORDS])
{
	bool a = d->side[WL_BEFORE]->n_steps > 0, b = d->side[WL_AFTER]->n_steps > 0;
	char before[WL_UNITS_BUF], after[WL_UNITS_BUF];

	(void)snprintf(buf, WL_WORDS, "totals: %s -> %s per GPU; no verdict, because %s no steps",
		       length(before, d->mean[WL_BEFORE]), length(after, d->mean[WL_AFTER]),
		       a   ? "the second side has"
		       : b ? "the first side has"
			   : "the sides have");
	return buf;
}

/* Which steps are compared: the first, the last and how many that stand out are not. */
static void put_left_out(char *buf, size_t size, const struct wl_diff *d)
{
	bool has_ends = true;
	size_t out[WL_N_SIDES];

	for (size_t s = 0; s < WL_N_SIDES; s++) {
		has_ends = has_ends && d->side[s]->n_left_out >= 2;
		out[s] = d->side[s]->n_left_out > 2 ? d->side[s]->n_left_out - 2 : 0;
	}
	buf[0] = '\0';
	if (out[WL_BEFORE] || out[WL_AFTER])
		(void)snprintf(buf, size, " (left out: first, last, and %zu and %zu outliers)",
			       out[WL_BEFORE], out[WL_AFTER]);
	else if (has_ends)
		(void)snprintf(buf, size, " (left out: first and last)");
}

/* A step of several processes is as long as that of the slowest. */
static bool has_slowest(const struct wl_diff *d)
{
	return d->side[WL_BEFORE]->n_processes > 1 || d->side[WL_AFTER]->n_processes > 1;
}

const char *wl_diff_lead(const struct wl_diff *d, char buf[WL_WORDS])
{
	const struct wl_judgement *j = &d->step;
	wl_ns change = j->after - j->before;
	char by[WL_UNITS_BUF], ratio[WL_UNITS_BUF], words[WL_WORDS];

	if (d->extent == WL_OF_WINDOW)
		(void)snprintf(buf, WL_WORDS, "totals");
	else if (d->is_incomparable)
		(void)snprintf(buf, WL_WORDS, "not comparable (%.100s)",
			       wl_diff_difference(d, words));
	else if (j->verdict == WL_SLOWER || j->verdict == WL_FASTER)
		(void)snprintf(buf, WL_WORDS, "%s by %s (%s)", wl_verdict_name(j->verdict),
			       length(by, change), share(ratio, change, j->before));
	else
		(void)snprintf(buf, WL_WORDS, "%s", wl_verdict_name(j->verdict));
	return buf;
}

const char *wl_diff_verdict(const struct wl_diff *d, char buf[WL_WORDS])
{
	const struct wl_judgement *j = &d->step;
	char before[WL_UNITS_BUF], after[WL_UNITS_BUF], lead[WL_WORDS];

	if (d->extent == WL_OF_WINDOW)
		return put_totals(d, buf);
	(void)snprintf(buf, WL_WORDS, "%.200s: median step %s -> %s", wl_diff_lead(d, lead),
		       length(before, j->before), length(after, j->after));
	return buf;
}

const char *wl_diff_sample(const struct wl_diff *d, char buf[WL_WORDS])
{
	char interval[128], reason[128], out[128];

	buf[0] = '\0';
	if (d->extent == WL_OF_WINDOW)
		return buf;
	put_interval(interval, sizeof(interval), d->step.change);
	put_reason(reason, sizeof(reason), d);
	put_left_out(out, sizeof(out), d);
	(void)snprintf(buf, WL_WORDS, "95%% interval %s, %zu and %zu steps%s%s%s", interval,
		       d->side[WL_BEFORE]->n_steps, d->side[WL_AFTER]->n_steps,
		       has_slowest(d) ? ", each of its slowest process" : "", out, reason);
	return buf;
}

const char *wl_diff_line(const struct wl_diff *d, char buf[WL_WORDS])
{
	char sample[WL_WORDS];
	size_t n = strlen(wl_diff_verdict(d, buf));

	if (*wl_diff_sample(d, sample))
		(void)snprintf(buf + n, WL_WORDS - n, ", %.400s", sample);
	return buf;
}

/* What a row did: the effects as words. */
static const char *how(const struct wl_pair *p)
{
	wl_ns count = llabs(p->count_effect), duration = llabs(p->duration_effect);

	if (p->state == WL_ROW_NEW || p->state == WL_ROW_REMOVED)
		return wl_row_state_name(p->state);
	/* One effect is named alone if it is at least four fifths of both. */
	if (count > 4 * duration)
		return p->change > 0 ? "more calls" : "fewer calls";
	if (duration > 4 * count)
		return p->change > 0 ? "longer calls" : "shorter calls";
	return "number and length of calls";
}

/* The kernel that changed most in the direction of the whole; NULL when none did. */
static const struct wl_pair *largest_kernel(const struct wl_diff *d, wl_ns whole)
{
	for (size_t i = 0; i < d->kernels.n; i++) {
		const struct wl_pair *p = &d->kernels.pair[i];
		const struct wl_fp_row *row = p->after.row ? p->after.row : p->before.row;

		if (p->is_others || !p->change || (whole != 0 && (p->change > 0) != (whole > 0)))
			continue;
		/* Where the others wait for a rank, collectives are the victims. */
		if (d->culprit.rank && row && row->category &&
		    strcmp(row->category, "communication") == 0)
			continue;
		return p;
	}
	return NULL;
}

/* The part that changed most, in that direction. */
static size_t largest_part(const struct wl_diff *d, bool longer, wl_ns *ret_change)
{
	size_t part = 0;

	*ret_change = 0;
	for (size_t p = 0; p < WL_N_PARTS; p++) {
		wl_ns change = d->part[WL_AFTER][p] - d->part[WL_BEFORE][p];

		if (llabs(change) > llabs(*ret_change) && (change > 0) == longer) {
			*ret_change = change;
			part = p;
		}
	}
	return part;
}

/* "+804 us", "-757 us" */
static const char *signed_length(char buf[WL_UNITS_BUF + 1], wl_ns ns)
{
	char text[WL_UNITS_BUF];

	(void)snprintf(buf, WL_UNITS_BUF + 1, "%c%s", ns < 0 ? '-' : '+', length(text, ns));
	return buf;
}

/* "idle (sync) +1 ms" */
static int put_part(char *buf, size_t size, size_t part, wl_ns change)
{
	static const char *const words[] = {
		[WL_PART_COMPUTE] = "compute",
		[WL_PART_EXPOSED_COMM] = "exposed communication",
		[WL_PART_EXPOSED_COPY] = "exposed copies",
	};
	bool is_idle = part >= WL_PART_IDLE && part < WL_PART_RANK_SKEW;
	char by[WL_UNITS_BUF + 1];

	return snprintf(buf, size, "%s%s%s %s", is_idle ? "idle (" : "",
			part == WL_PART_RANK_SKEW ? "difference between ranks"
			: is_idle                 ? wl_part_name((enum wl_part)part)
						  : words[part],
			is_idle ? ")" : "", signed_length(by, change));
}

/* "GPU 2 computes 6.9 ms (15.0%) longer per step; the other 3 wait for it" */
static int put_culprit(const struct wl_diff *d, char *buf, size_t size)
{
	const struct wl_rank_change *r = d->culprit.rank;
	bool longer = d->culprit.change > 0;
	char who[64], by[WL_UNITS_BUF], of[WL_UNITS_BUF];

	if (r->rank >= 0)
		(void)snprintf(who, sizeof(who), "Rank %" PRId64 " (GPU %" PRId64 ")", r->rank,
			       r->device);
	else
		(void)snprintf(who, sizeof(who), "GPU %" PRId64, r->device);
	return snprintf(buf, size, "%s computes %s (%s) %s per step; the other %zu %s", who,
			length(by, d->culprit.change),
			share(of, d->culprit.change, r->compute[WL_BEFORE]),
			longer ? "longer" : "less", d->n_ranks - 1,
			longer && d->n_ranks == 2 ? "waits for it"
			: longer                  ? "wait for it"
			: d->n_ranks == 2         ? "waits less for it"
						  : "wait less for it");
}

/* A long name without its middle. */
static const char *name_of(const char *name, char buf[WL_NAME])
{
	enum { END = (WL_NAME - 4) / 3 };
	size_t n = strlen(name);

	if (n < WL_NAME)
		(void)snprintf(buf, WL_NAME, "%s", name);
	else
		(void)snprintf(buf, WL_NAME, "%.*s...%s", WL_NAME - 4 - END, name, name + n - END);
	return buf;
}

/* "Kernels of that rank that grew most: gemm 1.2 ms -> 1.4 ms per step, softmax 310 us -> 357 us"
 */
static void put_its_kernels(const struct wl_diff *d, char *buf, size_t size)
{
	int n = snprintf(buf, size, "Kernels of that rank that %s most: ",
			 d->culprit.change > 0 ? "grew" : "shrank");

	for (size_t i = 0; i < d->culprit.n_kernels && n > 0 && (size_t)n < size; i++) {
		const struct wl_rank_kernel *k = &d->culprit.kernel[i];
		char before[WL_UNITS_BUF], after[WL_UNITS_BUF], name[WL_NAME];

		n += snprintf(buf + n, size - (size_t)n, "%s%s %s -> %s%s", i ? ", " : "",
			      name_of(k->label, name), length(before, k->ns[WL_BEFORE]),
			      length(after, k->ns[WL_AFTER]), i ? "" : " per step");
	}
}

/* The part that explains the change, and what it changed; 0 for none. */
static size_t main_part(const struct wl_diff *d, wl_ns *ret_change)
{
	wl_ns whole = d->mean[WL_AFTER] - d->mean[WL_BEFORE];
	bool longer = whole > 0 || (whole == 0 && d->step.after > d->step.before);

	return largest_part(d, longer, ret_change);
}

/* "copies within the GPU -853 us (compute -634 us)", or the part alone. */
static int put_main_part(const struct wl_diff *d, char *buf, size_t size, size_t part, wl_ns change)
{
	wl_ns copies = part == WL_PART_COMPUTE ? wl_diff_copies_in_compute(d, change) : 0;
	char by[WL_UNITS_BUF + 1], all[WL_UNITS_BUF + 1];

	if (!copies)
		return put_part(buf, size, part, change);
	return snprintf(buf, size, "copies within the GPU %s (compute in all %s)",
			signed_length(by, copies), signed_length(all, change));
}

/* "Main cause: exposed copies -757 us, partly offset by compute +223 us" */
static int put_parts(const struct wl_diff *d, wl_ns whole, char *buf, size_t size)
{
	wl_ns change, against;
	size_t part = main_part(d, &change), offset;
	int n;

	if (change == 0)
		return 0;
	n = snprintf(buf, size,
		     "%s: ", 2 * llabs(change) > llabs(whole) ? "Main cause" : "Largest part");
	n += put_main_part(d, buf + n, size - (size_t)n, part, change);
	offset = largest_part(d, change < 0, &against);
	if (10 * llabs(against) >= llabs(change)) {
		n += snprintf(buf + n, size - (size_t)n, ", partly offset by ");
		n += put_part(buf + n, size - (size_t)n, offset, against);
	}
	return n;
}

const char *wl_diff_cause(const struct wl_diff *d, char buf[WL_WORDS])
{
	wl_ns whole = d->mean[WL_AFTER] - d->mean[WL_BEFORE];

	buf[0] = '\0';
	if (d->step.verdict == WL_SAME)
		return buf;
	if (d->culprit.rank)
		(void)put_culprit(d, buf, WL_WORDS);
	else
		(void)put_parts(d, whole, buf, WL_WORDS);
	return buf;
}

/*
 * A kernel that changed by less than a tenth of the whole explains nothing, nor one by less than
 * half of the copies that the cause names.
 */
static bool explains(const struct wl_diff *d, const struct wl_pair *kernel, wl_ns whole)
{
	wl_ns change, copies;
	size_t part = main_part(d, &change);

	copies = part == WL_PART_COMPUTE && !d->culprit.rank ? wl_diff_copies_in_compute(d, change)
							     : 0;
	return 10 * llabs(kernel->change) >= llabs(whole) &&
	       2 * llabs(kernel->change) >= llabs(copies);
}

const char *wl_diff_kernel(const struct wl_diff *d, char buf[WL_WORDS])
{
	wl_ns whole = d->mean[WL_AFTER] - d->mean[WL_BEFORE];
	const struct wl_pair *kernel = largest_kernel(d, whole);
	char by[WL_UNITS_BUF + 1], name[WL_NAME];

	buf[0] = '\0';
	if (d->step.verdict == WL_SAME)
		return buf;
	if (d->culprit.n_kernels) {
		put_its_kernels(d, buf, WL_WORDS);
		return buf;
	}
	if (kernel && explains(d, kernel, whole))
		(void)snprintf(buf, WL_WORDS, "Largest kernel %s: %s %s%s (%s)",
			       whole == 0  ? "change"
			       : whole > 0 ? "increase"
					   : "decrease",
			       name_of(d->kernel_label[kernel - d->kernels.pair], name),
			       signed_length(by, kernel->change),
			       d->culprit.rank ? ", mean over all ranks" : "", how(kernel));
	return buf;
}

/*
 * Functions are in the order of their changes; one by less than a tenth explains nothing, nor one
 * that may be chance.
 */
const char *wl_diff_function(const struct wl_diff *d, char buf[WL_WORDS])
{
	wl_ns whole = d->mean[WL_AFTER] - d->mean[WL_BEFORE];
	char by[WL_UNITS_BUF + 1], name[WL_NAME];

	buf[0] = '\0';
	for (size_t i = 0; d->step.verdict != WL_SAME && i < d->n_functions; i++) {
		const struct wl_function_change *f = &d->function[i];
		wl_ns change = f->ns[WL_AFTER] - f->ns[WL_BEFORE];

		if (10 * llabs(change) < llabs(whole) || change == 0)
			break;
		if (!f->name || strcmp(f->name, "(others)") == 0 || (change > 0) != (whole > 0) ||
		    llabs(change) <= f->error)
			continue;
		(void)snprintf(buf, WL_WORDS, "Largest %s of host code while GPUs are idle: %s %s",
			       change > 0 ? "increase" : "decrease", name_of(f->name, name),
			       signed_length(by, change));
		break;
	}
	return buf;
}

const char *wl_diff_why(const struct wl_diff *d, char buf[WL_WORDS])
{
	char kernel[WL_WORDS];
	size_t n = strlen(wl_diff_cause(d, buf));

	if (n && *wl_diff_kernel(d, kernel))
		(void)snprintf(buf + n, WL_WORDS - n, ". %.400s", kernel);
	return buf;
}
