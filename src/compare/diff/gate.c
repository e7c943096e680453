/* SPDX-License-Identifier: MIT */
#include "compare/diff/gate.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text/units.h"

const char *wl_metric_name(enum wl_metric metric)
{
	static const char *const names[WL_N_METRICS] = {
		[WL_METRIC_STEP] = "step",         [WL_METRIC_BUSY] = "busy",
		[WL_METRIC_IDLE] = "idle",         [WL_METRIC_EXPOSED_COMM] = "exposed_comm",
		[WL_METRIC_LAUNCHES] = "launches", [WL_METRIC_KERNEL] = "kernel",
		[WL_METRIC_RANGE] = "range",       [WL_METRIC_CATEGORY] = "category",
	};

	return names[metric];
}

const char *wl_outcome_name(enum wl_outcome outcome)
{
	static const char *const names[] = { [WL_GATE_PASSED] = "passed",
					     [WL_GATE_INCONCLUSIVE] = "inconclusive",
					     [WL_GATE_SKIPPED] = "skipped",
					     [WL_GATE_FAILED] = "failed" };

	return names[outcome];
}

/* The operator is the last one: names of kernels hold < and >, values do not. */
static const char *find_op(const char *text)
{
	const char *found = NULL;

	for (const char *s = text; *s; s++) {
		if (*s == '<' || *s == '>')
			found = s;
	}
	return found;
}

static void trim(const char **begin, const char **end)
{
	while (*begin < *end && isspace((unsigned char)**begin))
		++*begin;
	while (*end > *begin && isspace((unsigned char)(*end)[-1]))
		--*end;
}

static int unknown_metric(const char *text, struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_USAGE,
		       "--gate '%.100s': use METRIC > VALUE, with step, busy, idle, exposed_comm, "
		       "launches, kernel:NAME, range:NAME or category:NAME",
		       text);
}

static int parse_metric(const char *begin, const char *end, struct wl_gate *g,
			struct wl_err *reterr)
{
	const char *colon = memchr(begin, ':', (size_t)(end - begin));
	size_t n = (size_t)((colon ? colon : end) - begin);
	enum wl_metric m = WL_METRIC_STEP;

	while (m < WL_N_METRICS &&
	       (strlen(wl_metric_name(m)) != n || strncmp(wl_metric_name(m), begin, n) != 0))
		m++;
	if (m == WL_N_METRICS || (colon != NULL) != (m >= WL_METRIC_KERNEL))
		return unknown_metric(g->text, reterr);
	g->metric = m;
	if (!colon)
		return WL_OK;
	begin = colon + 1;
	trim(&begin, &end);
	n = (size_t)(end - begin);
	if (n == 0 || n >= sizeof(g->name))
		return wl_fail(reterr, WL_E_USAGE, "--gate '%.100s': %s: needs a name", g->text,
			       wl_metric_name(m));
	memcpy(g->name, begin, n);
	g->name[n] = '\0';
	return WL_OK;
}

static bool is_plain(const char *value)
{
	return *value && strspn(value, "+-.0123456789") == strlen(value);
}

/* 1 can be meant as 1% or as 1 ms; it was meant as nothing that is worth a gate. */
static int refuse_plain(const char *value, const struct wl_gate *g, struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_USAGE,
		       "--gate '%.100s': '%s' has no unit; write %s%% for a change, or %sms",
		       g->text, value, value, value);
}

static int parse_value(const char *value, struct wl_gate *g, struct wl_err *reterr)
{
	struct wl_err why;
	size_t n = strlen(value);
	int r;

	g->is_relative = n > 0 && value[n - 1] == '%';
	if (g->is_relative)
		r = wl_parse_ratio(value, &g->ratio, &why);
	else if (g->metric == WL_METRIC_LAUNCHES)
		r = wl_parse_count(value, &g->limit, &why);
	else if ((r = wl_parse_ns_with_unit(value, &g->limit, &why)) < 0 && is_plain(value))
		return refuse_plain(value, g, reterr);
	if (r < 0)
		return wl_fail(reterr, WL_E_USAGE,
			       "--gate '%.100s': %s; give a change in %%, or %s", g->text, why.msg,
			       g->metric == WL_METRIC_LAUNCHES ? "a number" : "a time");
	return WL_OK;
}

/*
 * A gate names the offence. "step<1%" reads as a demand, but would fail what has not changed
 * and pass what became slower. Only a decrease can be an offence: "busy<-5%".
 */
static int check_direction(const struct wl_gate *g, struct wl_err *reterr)
{
	bool is_below = g->op == WL_BELOW || g->op == WL_AT_MOST;

	if (!is_below || (g->is_relative ? g->ratio < 0 : g->metric == WL_METRIC_BUSY))
		return WL_OK;
	return wl_fail(reterr, WL_E_USAGE,
		       "--gate '%.100s': a gate says what must not happen; to fail when %s grows, "
		       "write > in place of <",
		       g->text, wl_metric_name(g->metric));
}

int wl_gate_parse(const char *text, struct wl_gate *ret, struct wl_err *reterr)
{
	const char *op = find_op(text), *begin = text, *end = op, *value;
	char copy[64];
	bool equal;
	int r;

	*ret = (struct wl_gate){ .text = text };
	if (!op)
		return unknown_metric(text, reterr);
	equal = op[1] == '=';
	ret->op = *op == '>' ? (equal ? WL_AT_LEAST : WL_ABOVE) : (equal ? WL_AT_MOST : WL_BELOW);
	trim(&begin, &end);
	r = parse_metric(begin, end, ret, reterr);
	if (r < 0)
		return r;
	value = op + 1 + equal;
	end = value + strlen(value);
	trim(&value, &end);
	(void)snprintf(copy, sizeof(copy), "%.*s", (int)(end - value > 60 ? 60 : end - value),
		       value);
	r = parse_value(copy, ret, reterr);
	return r < 0 ? r : check_direction(ret, reterr);
}

static bool holds(enum wl_gate_op op, int64_t value, int64_t limit)
{
	switch (op) {
	case WL_ABOVE:
		return value > limit;
	case WL_AT_LEAST:
		return value >= limit;
	case WL_BELOW:
		return value < limit;
	case WL_AT_MOST:
		break;
	}
	return value <= limit;
}

static bool contains(struct wl_range_of_change r, int64_t value)
{
	return r.low <= value && value <= r.high;
}

/* pivot: what the interval must exclude for a failure. */
static enum wl_outcome decide(const struct wl_gate *g, int64_t value, int64_t limit,
			      struct wl_range_of_change interval, int64_t pivot)
{
	bool is_point = interval.low == interval.high;

	/* Without any noise the medians are the truth. */
	if (is_point)
		return holds(g->op, value, limit) ? WL_GATE_FAILED : WL_GATE_PASSED;
	if (contains(interval, pivot) && contains(interval, limit))
		return WL_GATE_INCONCLUSIVE;
	return holds(g->op, value, limit) && !contains(interval, pivot) ? WL_GATE_FAILED
									: WL_GATE_PASSED;
}

#define FARTHEST ((int64_t)1 << 60)

/* A limit so large that it does not fit is one that nothing reaches. */
static int64_t relative_limit(double ratio, int64_t of)
{
	double limit = ratio * (double)of;

	if (limit > (double)FARTHEST)
		return FARTHEST;
	return limit < -(double)FARTHEST ? -FARTHEST : llround(limit);
}

static void judge_change(const struct wl_gate *g, struct wl_gate_result *r)
{
	r->limit = relative_limit(g->ratio, r->j.before);
	if (r->j.is_equal) {
		r->outcome = holds(g->op, 0, r->limit) ? WL_GATE_FAILED : WL_GATE_PASSED;
		return;
	}
	/*
	 * No change at all must not be an offence. Where it would be, as with "step>-5%", the
	 * interval has to exclude the limit instead of 0.
	 */
	r->outcome = decide(g, r->j.after - r->j.before, r->limit, r->j.change,
			    holds(g->op, 0, r->limit) ? r->limit : 0);
}

bool wl_gate_judge(const struct wl_gate *g, struct wl_sorted before, struct wl_sorted after,
		   struct wl_arena *arena, struct wl_gate_result *ret)
{
	*ret = (struct wl_gate_result){ .limit = g->limit, .outcome = WL_GATE_INCONCLUSIVE };
	if (!wl_judge(before, after, 0, arena, &ret->j))
		return false;
	/* Stays inconclusive: a gate must not pass on two steps. */
	if (before.n < WL_ENOUGH_STEPS || after.n < WL_ENOUGH_STEPS)
		return true;
	if (g->is_relative) {
		judge_change(g, ret);
		return true;
	}
	if (!wl_bootstrap((struct wl_sorted){ .n = 0 }, after, arena, &ret->value))
		return false;
	ret->outcome = decide(g, ret->j.after, g->limit, ret->value, g->limit);
	return true;
}
