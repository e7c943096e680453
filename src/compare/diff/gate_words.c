/* SPDX-License-Identifier: MIT */
/* gate_words.c - what gates found, in words of diff_words.h. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/text/units.h"
#include "compare/diff/diff_words.h"

const char *wl_diff_difference(const struct wl_diff *d, char buf[WL_WORDS])
{
	const struct wl_fingerprint *a = d->side[WL_BEFORE], *b = d->side[WL_AFTER];
	bool is_of_gpus = a->n_devices != b->n_devices;
	char ratio[WL_UNITS_BUF];
	int n = 0;

	if (is_of_gpus || a->n_processes != b->n_processes)
		n = snprintf(buf, WL_WORDS, "%zu and %zu %s, ",
			     is_of_gpus ? a->n_devices : a->n_processes,
			     is_of_gpus ? b->n_devices : b->n_processes,
			     is_of_gpus ? "GPUs" : "processes");
	n += snprintf(buf + n, WL_WORDS - (size_t)n, "%s same kernels",
		      wl_fmt_ratio(ratio, d->kernels.matched));
	if (d->ranges.n)
		n += snprintf(buf + n, WL_WORDS - (size_t)n, ", %s same ranges",
			      wl_fmt_ratio(ratio, d->ranges.matched));
	/* Ranges as the other side's do not suffice: say what does not fit. */
	if (d->ranges.n && d->ranges.matched >= WL_SAME_WORK &&
	    d->categories.matched < WL_SAME_WORK)
		(void)snprintf(buf + n, WL_WORDS - (size_t)n, ", %s same categories",
			       wl_fmt_ratio(ratio, d->categories.matched));
	return buf;
}

/* A value of the gate's metric. */
static const char *value(const struct wl_gated *g, char buf[WL_UNITS_BUF], int64_t v)
{
	if (g->gate->metric == WL_METRIC_LAUNCHES)
		(void)snprintf(buf, WL_UNITS_BUF, "%" PRId64, v);
	else
		(void)wl_fmt_ns(buf, v, WL_UNIT_AUTO);
	return buf;
}

/* "5.1%", without its sign; "from 0" where there was nothing before. */
static const char *share(char buf[WL_UNITS_BUF], int64_t change, int64_t of)
{
	return of ? wl_fmt_ratio(buf, fabs((double)change / (double)of)) : "from 0";
}

const char *wl_gate_words(const struct wl_diff *d, const struct wl_gated *g, char buf[WL_WORDS])
{
	const struct wl_judgement *j = &g->result.j;
	struct wl_range_of_change of = g->gate->is_relative ? j->change : g->result.value;
	int64_t change = j->after - j->before;
	char before[WL_UNITS_BUF], after[WL_UNITS_BUF], ratio[WL_UNITS_BUF], limit[WL_UNITS_BUF];
	char low[WL_UNITS_BUF], high[WL_UNITS_BUF], words[WL_WORDS];

	if (g->result.outcome == WL_GATE_SKIPPED) {
		(void)snprintf(buf, WL_WORDS,
			       "the runs are not comparable (%.100s); compare runs of the same "
			       "work on as many GPUs, or judge them with --allow-different",
			       wl_diff_difference(d, words));
		return buf;
	}
	if (!j->is_known) {
		(void)snprintf(buf, WL_WORDS, "a side has no steps");
		return buf;
	}
	(void)snprintf(
		buf, WL_WORDS, "%s%s%.150s %s -> %s (%s%s), allowed %s%s, 95%% interval %s to %s",
		wl_metric_name(g->gate->metric), g->name ? " " : "", g->name ? g->name : "",
		value(g, before, j->before), value(g, after, j->after),
		share(ratio, change, j->before),
		change > 0 && j->before ? " more"
		: change < 0            ? " less"
					: "",
		g->gate->is_relative && g->result.limit >= 0 ? "+" : "",
		value(g, limit, g->result.limit), value(g, low, of.low), value(g, high, of.high));
	return buf;
}

const char *wl_gate_margin(const struct wl_gated *g, char buf[WL_WORDS])
{
	const struct wl_judgement *j = &g->result.j;
	int64_t change = j->after - j->before;
	bool is_above = g->gate->op == WL_ABOVE || g->gate->op == WL_AT_LEAST;
	char measured[WL_UNITS_BUF], allowed[WL_UNITS_BUF];

	if (g->gate->is_relative)
		(void)snprintf(buf, WL_WORDS, "%.200s (measured %s%s, allowed %+.4g%%)",
			       g->gate->text,
			       !j->before || !change ? ""
			       : change < 0          ? "-"
						     : "+",
			       change ? share(measured, change, j->before) : "no change",
			       100 * g->gate->ratio);
	else
		(void)snprintf(buf, WL_WORDS, "%.200s (measured %s, allowed %s %s)", g->gate->text,
			       value(g, measured, j->after), is_above ? "up to" : "down to",
			       value(g, allowed, g->result.limit));
	return buf;
}
