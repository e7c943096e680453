/* SPDX-License-Identifier: MIT */
#include "agent/route/asked_steps.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agent/route/answer_rows.h"
#include "base/attr.h"
#include "base/memory/sort.h"

enum { N_PARTS = 4, USUAL_STEPS = 5 };

/* The parts of a step in which to look for a difference. */
static const struct {
	const char *column, *says;
} parts[N_PARTS] = {
	{ "compute", "compute" },
	{ "exposed_comm", "exposed communication" },
	{ "exposed_copy", "exposed copies" },
	{ "idle", "idle" },
};

/* Rows of steps from first to last, of one kind, or of all kinds for NULL. */
struct steps {
	const struct wl_answer_rows *r;
	int64_t first, last;
	const char *kind;
	const char *length; /* length column: of chosen steps, the last may have no period */
};

static bool is_in(const struct steps *s, size_t i)
{
	const struct wl_cell kind = wl_said_at(s->r, i, "kind");
	const int64_t iter = wl_said_whole(s->r, i, "iter");

	return wl_said_at(s->r, i, s->length).set && iter >= s->first && iter <= s->last &&
	       (!s->kind || (kind.set && strcmp(kind.str, s->kind) == 0));
}

/* The cells of a column in these rows, ascending; NULL for none. */
static int64_t *cells(const struct steps *s, const char *column, size_t *ret_n)
{
	int64_t *of = WL_NEW(s->r->p->arena, int64_t, s->r->v->n_total);

	*ret_n = 0;
	for (size_t i = 0; of && i < s->r->v->n_total; i++) {
		if (is_in(s, i))
			of[(*ret_n)++] = wl_said_whole(s->r, i, column);
	}
	if (of && *ret_n)
		wl_sort_i64(of, *ret_n);
	return *ret_n ? of : NULL;
}

static int64_t mean(const struct steps *s, const char *column)
{
	double sum = 0;
	size_t n;
	const int64_t *of = cells(s, column, &n);

	for (size_t i = 0; i < n; i++)
		sum += (double)of[i];
	return n ? (int64_t)(sum / (double)n) : 0;
}

static int64_t deviation(const struct steps *s)
{
	const double middle = (double)mean(s, s->length);
	double sum = 0;
	size_t n;
	const int64_t *of = cells(s, s->length, &n);

	for (size_t i = 0; i < n; i++)
		sum += ((double)of[i] - middle) * ((double)of[i] - middle);
	return n ? (int64_t)sqrt(sum / (double)n) : 0;
}

static int64_t percentile(const struct steps *s, const char *column, unsigned percent)
{
	size_t n;
	const int64_t *of = cells(s, column, &n);

	return n ? of[wl_rank(n, percent)] : 0;
}

/* "1.2 ms longer", "300 us shorter" */
static void put_change(const struct wl_answer_rows *r, int64_t by, const char *more,
		       const char *less)
{
	wl_said_put_ns(r, by < 0 ? -by : by);
	wl_prose_say(r->p, " %s", by < 0 ? less : more);
}

/* Write the part that changed most, in the direction of the whole. */
static void put_part(const struct wl_answer_rows *r, const int64_t change[N_PARTS], int64_t whole)
{
	size_t most = 0;

	for (size_t k = 1; k < N_PARTS; k++) {
		if (whole < 0 ? change[k] < change[most] : change[k] > change[most])
			most = k;
	}
	if ((whole < 0) != (change[most] < 0) || change[most] == 0)
		return;
	wl_prose_say(r->p, "; the part that changed most is %s, ", parts[most].says);
	put_change(r, change[most], "more", "less");
}

/* Write how much longer b is than a, in total and in which part. */
static void put_difference(const struct steps *a, const struct steps *b)
{
	const int64_t by = mean(b, b->length) - mean(a, a->length);
	int64_t change[N_PARTS];

	for (size_t k = 0; k < N_PARTS; k++)
		change[k] = mean(b, parts[k].column) - mean(a, parts[k].column);
	put_change(a->r, by, "longer", "shorter");
	wl_prose_say(a->r->p, " (%.1f%%)", wl_said_share(by < 0 ? -by : by, mean(a, a->length)));
	put_part(a->r, change, by);
	wl_prose_put(a->r->p, ". ");
}

static void put_mean(const struct steps *s)
{
	if (s->first == s->last)
		wl_prose_say(s->r->p, "tep %" PRId64 " takes ", s->first);
	else
		wl_prose_say(s->r->p, "teps %" PRId64 " to %" PRId64 " take ", s->first, s->last);
	wl_said_put_ns(s->r, mean(s, s->length));
	if (s->first != s->last)
		wl_prose_put(s->r->p, " (mean)");
}

/* Find the first and the last step that have a period. */
static bool find_ends(const struct wl_answer_rows *r, struct steps *ret)
{
	bool is_any = false;

	for (size_t i = 0; i < r->v->n_total; i++) {
		const int64_t iter = wl_said_whole(r, i, "iter");

		if (!wl_said_at(r, i, ret->length).set)
			continue;
		ret->first = is_any && ret->first < iter ? ret->first : iter;
		ret->last = is_any && ret->last > iter ? ret->last : iter;
		is_any = true;
	}
	return is_any;
}

/* The most frequent kind of step; NULL if steps have no kinds. */
static const char *usual_kind(const struct wl_answer_rows *r)
{
	const char *best = NULL;
	size_t most = 0;

	for (size_t i = 0; i < r->v->n_total; i++) {
		const struct wl_cell kind = wl_said_at(r, i, "kind");
		size_t n = 0;

		if (!kind.set || (best && strcmp(kind.str, best) == 0))
			continue;
		for (size_t k = i; k < r->v->n_total; k++)
			n += wl_said_is(r, k, "kind", kind.str);
		best = n > most ? kind.str : best;
		most = n > most ? n : most;
	}
	return best;
}

/* --- two steps, or one --- */

static bool say_two(const struct wl_answer_rows *r, const struct steps *all)
{
	struct steps a = *all, b = *all;

	a.last = a.first;
	b.first = b.last;
	if (!percentile(&a, a.length, 50) || !percentile(&b, b.length, 50))
		return false;
	wl_prose_put(r->p, "S");
	put_mean(&a);
	wl_prose_put(r->p, ", s");
	put_mean(&b);
	wl_prose_put(r->p, ": ");
	put_difference(&a, &b);
	return true;
}

static bool say_one(const struct wl_answer_rows *r, const struct steps *all)
{
	wl_prose_put(r->p, "S");
	put_mean(all);
	wl_prose_put(r->p, ": ");
	for (size_t k = 0; k < N_PARTS; k++) {
		wl_prose_put(r->p, k ? ", " : "");
		wl_said_put_ns(r, mean(all, parts[k].column));
		wl_prose_say(r->p, " %s", parts[k].says);
	}
	wl_prose_put(r->p, r->v->n_total > 1 ? " (means of its rows). " : ". ");
	return true;
}

/* --- a trend --- */

/* "five", "10" before or after "first" and "last"; 0 for none. */
static int64_t steps_named(const struct wl_question *q)
{
	static const char *const names[] = { "two",   "three", "four", "five", "six",
					     "seven", "eight", "nine", "ten" };

	for (size_t i = 0; i < q->n; i++) {
		if (q->word[i].kind == WL_WORD_NUMBER &&
		    strspn(q->word[i].text, "0123456789") == strlen(q->word[i].text))
			return strtol(q->word[i].text, NULL, 10);
		for (size_t k = 0; k < WL_COUNT(names); k++) {
			if (strcmp(q->word[i].key, names[k]) == 0)
				return (int64_t)k + 2;
		}
	}
	return 0;
}

/* Compares the first step separately, since warm-up makes it longer; then early and late steps. */
static bool say_trend(const struct wl_question *q, const struct wl_answer_rows *r,
		      const struct steps *all)
{
	struct steps first = *all, early = *all, late = *all, rest = *all;
	int64_t n = steps_named(q);

	if (all->last - all->first < 3)
		return false;
	n = n > 0 ? n : USUAL_STEPS;
	n = n <= (all->last - all->first) / 2 ? n : (all->last - all->first) / 2;
	rest.kind = early.kind = late.kind = usual_kind(r);
	rest.first = early.first = all->first + 1;
	early.last = early.first + n - 1;
	late.first = late.last - n + 1;
	first.last = first.first;
	if (rest.kind && (!percentile(&early, "period", 50) || !percentile(&late, "period", 50)))
		return false;
	wl_prose_put(r->p, "S");
	put_mean(&early);
	wl_prose_put(r->p, ", s");
	put_mean(&late);
	wl_prose_put(r->p, ": ");
	put_difference(&early, &late);
	if (rest.kind)
		return true; /* the first step may be of another kind */
	wl_prose_put(r->p, "The first s");
	put_mean(&first);
	wl_prose_put(r->p, ", the median of the others is ");
	wl_said_put_ns(r, percentile(&rest, "period", 50));
	wl_prose_put(r->p, ". ");
	return true;
}

/* --- the slowest step, against the median of its kind --- */

static bool say_slowest(const struct wl_answer_rows *r)
{
	size_t worst = wl_said_most(r, "period");
	const struct wl_cell kind = wl_said_at(r, worst, "kind");
	const struct steps like = { r, INT64_MIN, INT64_MAX, kind.set ? kind.str : NULL, "period" };
	const int64_t median = percentile(&like, "period", 50);
	const int64_t by = wl_said_whole(r, worst, "period") - median;
	int64_t change[N_PARTS];

	if (median <= 0)
		return false;
	for (size_t k = 0; k < N_PARTS; k++)
		change[k] = wl_said_whole(r, worst, parts[k].column) -
			    percentile(&like, parts[k].column, 50);
	wl_prose_say(r->p, "The slowest%s%s step is number %" PRId64, like.kind ? " " : "",
		     like.kind ? like.kind : "", wl_said_whole(r, worst, "iter"));
	if (wl_said_at(r, worst, "device").set) {
		wl_prose_put(r->p, " on GPU ");
		wl_said_put(r, worst, "device");
	}
	wl_prose_put(r->p, ": ");
	wl_said_put(r, worst, "period");
	wl_prose_put(r->p, ", ");
	wl_said_put_ns(r, by);
	wl_prose_say(r->p, " (%.1f%%) above the median of ", wl_said_share(by, median));
	wl_said_put_ns(r, median);
	put_part(r, change, by);
	wl_prose_put(r->p, ". ");
	return true;
}

/* --- percentiles --- */

static void put_statistics(const struct wl_question *q, const struct steps *s)
{
	static const struct {
		const char *words[8];
		const char *says;
		unsigned percent; /* 101: the mean, 102: standard deviation */
	} asked[] = {
		{ { "mean", "average", "avg" }, "mean", 101 },
		{ { "deviation", "stddev", "std", "variance", "jitter", "spread" },
		  "standard deviation",
		  102 },
		{ { "shortest", "fastest", "min", "minimum", "best" }, "min", 0 },
		{ { "longest", "slowest", "worst", "max", "maximum", "most" }, "max", 100 },
	};
	size_t n;
	const char *kind = s->kind ? s->kind : "";

	if (!cells(s, "period", &n))
		return;
	wl_prose_say(s->r->p, "Steps%s%s: median ", *kind ? " of kind " : "", kind);
	wl_said_put_ns(s->r, percentile(s, "period", 50));
	for (size_t i = 0; i < q->n; i++) {
		const char *key = q->word[i].key;
		char *end;
		unsigned long percent = strtoul(key + (*key == 'p'), &end, 10);
		bool is_named = *key == 'p' || strcmp(end, "th") == 0;

		if (end == key + (*key == 'p') || !is_named || (*end && strcmp(end, "th") != 0) ||
		    percent == 0 || percent >= 100 || percent == 50)
			continue;
		wl_prose_say(s->r->p, ", p%lu ", percent);
		wl_said_put_ns(s->r, percentile(s, "period", (unsigned)percent));
	}
	for (size_t k = 0; k < WL_COUNT(asked); k++) {
		if (!wl_question_says(q, asked[k].words, WL_COUNT(asked[k].words)))
			continue;
		wl_prose_say(s->r->p, ", %s ", asked[k].says);
		wl_said_put_ns(s->r, asked[k].percent == 102 ? deviation(s)
				     : asked[k].percent == 101
					     ? mean(s, s->length)
					     : percentile(s, "period", asked[k].percent));
	}
	wl_prose_say(s->r->p, " (of %zu periods). ", n);
}

static bool say_statistics(const struct wl_question *q, const struct wl_answer_rows *r)
{
	struct steps s = { r, INT64_MIN, INT64_MAX, NULL, "period" };

	if (!usual_kind(r)) {
		put_statistics(q, &s);
		return true;
	}
	for (size_t i = 0; i < r->v->n_total; i++) {
		const struct wl_cell kind = wl_said_at(r, i, "kind");
		size_t k = 0;

		while (kind.set && k < i && !wl_said_is(r, k, "kind", kind.str))
			k++;
		if (!kind.set || k < i)
			continue;
		s.kind = kind.str;
		put_statistics(q, &s);
	}
	return true;
}

static bool has_percentile(const struct wl_question *q)
{
	static const char *const words[] = { "percentile", "percentiles", "mean",      "average",
					     "avg",        "median",      "fastest",   "shortest",
					     "min",        "max",         "longest",   "worst",
					     "minimum",    "maximum",     "deviation", "std",
					     "jitter",     "spread",      "variance" };

	for (size_t i = 0; i < q->n; i++) {
		const char *key = q->word[i].key;

		if (key[0] == 'p' && key[1] && strspn(key + 1, "0123456789") == strlen(key + 1))
			return true;
	}
	return wl_question_says(q, words, WL_COUNT(words));
}

static bool say(const struct wl_question *q, const struct wl_answer_rows *r)
{
	static const char *const trend[] = { "creep",     "creeps",    "drift",      "drifts",
					     "trend",     "upward",    "grow",       "growing",
					     "increase",  "increases", "end",        "late",
					     "later",     "last",      "constant",   "first",
					     "early",     "initial",   "warmup",     "warm",
					     "beginning", "during",    "throttling", NULL };
	static const char *const slowest[] = { "slowest", "worst", "longest", "outlier", "spike",
					       "spikes",  "tail",  "hiccup",  NULL };
	static const char *const why[] = { "why",    "what",    "different", "differently",
					   "reason", "special", "doing",     "happened",
					   "slow",   "wrong",   NULL };
	static const char *const stalls[] = { "stall", "stalls",    "block",     "blocks",
					      "delay", "delays",    "hold",      "holds",
					      "wait",  "interfere", "interrupt", "behind" };
	struct steps all = { r, 0, 0, NULL, "period" };
	size_t n;

	for (size_t i = 0; i < r->v->n_total && r->v->n_total < r->v->table->n_rows; i++)
		all.length = wl_said_at(r, i, "period").set || usual_kind(r) ? all.length : "span";
	if (!find_ends(r, &all) || !cells(&all, all.length, &n))
		return false;
	if (all.first == all.last)
		return say_one(r, &all);
	if (wl_question_says(q, stalls, WL_COUNT(stalls)) && usual_kind(r) &&
	    say_statistics(q, r)) {
		wl_prose_put(r->p,
			     "Steps follow each other: during a step of one kind, no other runs "
			     "on its process. ");
		return true;
	}
	if (all.last - all.first >= 1 && r->v->n_total < r->v->table->n_rows &&
	    n < r->v->table->n_rows && !usual_kind(r)) {
		struct steps between = { r, all.first + 1, all.last - 1, NULL, all.length };

		if (!cells(&between, between.length, &n))
			return say_two(r, &all);
	}
	if (wl_question_says(q, slowest, WL_COUNT(slowest)) &&
	    wl_question_says(q, why, WL_COUNT(why)) && !has_percentile(q))
		return say_slowest(r);
	if (wl_question_says(q, trend, WL_COUNT(trend)))
		return say_trend(q, r, &all);
	if (wl_question_says(q, slowest, WL_COUNT(slowest)) &&
	    wl_question_says(q, why, WL_COUNT(why)))
		return say_slowest(r);
	return has_percentile(q) && say_statistics(q, r);
}

const char *wl_asked_steps_say(const struct wl_question *q, const struct wl_document *doc,
			       struct wl_arena *arena)
{
	struct wl_prose p = { .arena = arena };
	const struct wl_answer_rows r = { &doc->sections[0].view, &p };
	struct wl_err err;

	if (doc->n_sections != 1 || doc->sections[0].missing || r.v->n_total == 0 ||
	    !wl_said_has(&r, "vs_median") || !say(q, &r) || p.n == 0)
		return NULL;
	while (p.n && p.text[p.n - 1] == ' ')
		p.text[--p.n] = '\0';
	return wl_prose_end(&p, &err);
}
