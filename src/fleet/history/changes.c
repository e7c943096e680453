/* SPDX-License-Identifier: MIT */
#include "fleet/history/changes.h"

#include <math.h>
#include <string.h>

#include "base/memory/sort.h"
#include "compare/stats/student.h"

/*
 * A verdict on given groups may be wrong once in 200 times: normal noise makes that 1 in 100
 * newest runs look changed at most, with rare outliers of four times the noise 2 in 100. A search
 * looks at every split of every night: its splits share 1 in 1,000.
 */
static const double verdict_chance = 0.005, search_chance = 0.001;

const char *wl_hist_verdict_name(const struct wl_hist_verdict *v)
{
	return v->is_sufficient ? wl_verdict_name(v->judged.verdict) : "insufficient";
}

static bool is_change(const struct wl_hist_verdict *v)
{
	return v->judged.verdict == WL_SLOWER || v->judged.verdict == WL_FASTER;
}

/* Sums of some runs, relative to an origin near them: squares of nanoseconds lose digits. */
struct sums {
	double n, sum, squares;
};

static void add(struct sums *s, double v)
{
	s->n++;
	s->sum += v;
	s->squares += v * v;
}

/* The sum of squared distances from the mean; rounding may bring it below 0. */
static double scatter(const struct sums *s)
{
	double v = s->squares - s->sum * s->sum / s->n;

	return v > 0 ? v : 0;
}

static struct sums minus(const struct sums *all, const struct sums *part)
{
	return (struct sums){ all->n - part->n, all->sum - part->sum,
			      all->squares - part->squares };
}

/* Student's t of two means with one spread; infinite where there is no spread. */
static double t_of(const struct sums *before, const struct sums *after)
{
	double rest = scatter(before) + scatter(after), freedom = before->n + after->n - 2;
	double change = after->sum / after->n - before->sum / before->n;
	double squared = rest / freedom * (1 / before->n + 1 / after->n);

	if (change == 0)
		return 0;
	/* Below half a nanosecond it is rounding of sums. */
	return squared > 0.25 ? change / sqrt(squared) : copysign((double)INFINITY, change);
}

/* Copies [from, end) sorted, and the mean of the middle two as its median. */
static int64_t sort_runs(const int64_t *value, size_t from, size_t end, int64_t *sorted)
{
	size_t n = end - from;
	int64_t low;

	memcpy(sorted, value + from, n * sizeof(*value));
	wl_sort_i64(sorted, n);
	low = sorted[(n - 1) / 2];
	return low + (sorted[n / 2] - low) / 2;
}

/* Moves values to another middle, further from it by a factor. */
static void move(int64_t *at, size_t n, int64_t middle, int64_t to, double factor)
{
	for (size_t i = 0; i < n; i++)
		at[i] = to + llround((double)(at[i] - middle) * factor);
}

/*
 * The residuals of both groups around their medians, in order. Of n runs with one or two medians
 * taken from themselves, residuals are too small by sqrt((n - 1) / n) or sqrt((n - 2) / n). A group
 * of one run has no residual.
 */
static size_t pool_residuals(const int64_t *value, struct wl_hist_verdict *v, int64_t *pool)
{
	size_t n_before = v->at - v->from, n_after = v->end - v->at;
	size_t n = n_before + (n_after > 1 ? n_after : 0);
	double factor = sqrt((double)n / (double)(n - (n_after > 1 ? 2 : 1)));

	v->judged.before = sort_runs(value, v->from, v->at, pool);
	v->judged.after = sort_runs(value, v->at, v->end, pool + n_before);
	move(pool, n_before, v->judged.before, 0, factor);
	move(pool + n_before, n_after, v->judged.after, 0, factor);
	wl_sort_i64(pool, n);
	return n;
}

static bool find_interval(const int64_t *value, struct wl_hist_verdict *v, struct wl_arena *arena)
{
	struct wl_arena scratch;
	int64_t *before, *after;
	bool ok = false;

	wl_arena_init_child(&scratch, arena);
	before = WL_NEW(&scratch, int64_t, v->end - v->from);
	after = WL_NEW(&scratch, int64_t, v->end - v->from);
	if (before && after) {
		size_t n = pool_residuals(value, v, before);

		memcpy(after, before, n * sizeof(*after));
		move(before, n, 0, v->judged.before, 1);
		move(after, n, 0, v->judged.after, 1);
		ok = wl_bootstrap((struct wl_sorted){ before, n, v->at - v->from },
				  (struct wl_sorted){ after, n, v->end - v->at }, &scratch,
				  &v->judged.change);
	}
	wl_arena_release(&scratch);
	return ok;
}

static void find_chance(const int64_t *value, struct wl_hist_verdict *v)
{
	struct sums before = { 0 }, after = { 0 };
	size_t freedom = v->end - v->from - 2;

	for (size_t i = v->from; i < v->end; i++)
		add(i < v->at ? &before : &after, (double)(value[i] - value[v->from]));
	v->noise = llround(sqrt((scatter(&before) + scatter(&after)) / (double)freedom));
	v->chance = wl_student_tail(t_of(&before, &after), freedom);
}

bool wl_hist_judge(const int64_t *value, size_t from, size_t at, size_t end,
		   const struct wl_hist_opts *opts, struct wl_arena *arena,
		   struct wl_hist_verdict *ret)
{
	const size_t most = opts->baseline ? opts->baseline : WL_HIST_BASELINE;
	struct wl_judgement *j = &ret->judged;

	*ret = (struct wl_hist_verdict){ .from = at - from > most ? at - most : from,
					 .at = at,
					 .end = end - at > most ? at + most : end,
					 .judged = { .verdict = WL_INCONCLUSIVE } };
	if (at - ret->from < WL_HIST_ENOUGH)
		return true;
	ret->is_sufficient = true;
	if (!find_interval(value, ret, arena))
		return false;
	find_chance(value, ret);
	j->is_known = true;
	j->verdict = wl_verdict_of(j, opts->threshold);
	if (is_change(ret) && ret->chance > verdict_chance)
		j->verdict = WL_INCONCLUSIVE;
	return true;
}

/*
 * Where [from, end) is split best, with at least that many runs before: the largest likelihood
 * ratio is the largest |t|, as all splits have the same degrees of freedom. 0 where no split is
 * possible, and where chance makes one as good among all of them.
 */
static size_t best_split(const int64_t *value, size_t from, size_t end, size_t n_before)
{
	struct sums all = { 0 }, before = { 0 };
	double best_t = 0, n_splits = 0;
	size_t best = 0;

	for (size_t i = from; i < end; i++)
		add(&all, (double)(value[i] - value[from]));
	for (size_t i = from; i + WL_HIST_CONFIRMED <= end; i++) {
		if (i - from >= n_before) {
			struct sums after = minus(&all, &before);
			double t = fabs(t_of(&before, &after));

			n_splits++;
			if (t > best_t) {
				best_t = t;
				best = i;
			}
		}
		add(&before, (double)(value[i] - value[from]));
	}
	return best && wl_student_tail(best_t, end - from - 2) * n_splits <= search_chance ? best
											   : 0;
}

/* Whether the runs [from, end) show a change, and where. *ret_at is 0 for none. */
static bool look(const int64_t *value, size_t from, size_t end, const struct wl_hist_opts *opts,
		 struct wl_arena *arena, size_t *ret_at)
{
	const size_t first = end - from > WL_HIST_WINDOW ? end - WL_HIST_WINDOW : from;
	struct wl_hist_verdict v;
	size_t at = best_split(value, first, end, WL_HIST_ENOUGH);

	*ret_at = 0;
	if (!at)
		return true;
	if (!wl_hist_judge(value, first, at, end, opts, arena, &v))
		return false;
	if (is_change(&v))
		*ret_at = at;
	return true;
}

/*
 * With all runs up to the next change known, a change may lie a run or two from where it was first
 * seen, or be none. The runs that confirm one change are enough to stand before the next.
 */
static bool settle(const int64_t *value, size_t n, const struct wl_hist_opts *opts,
		   struct wl_arena *arena, struct wl_hist_changes *all)
{
	size_t kept = 0;

	for (size_t i = 0; i < all->n; i++) {
		struct wl_hist_change c = all->change[i];
		size_t from = kept ? all->change[kept - 1].verdict.at : 0;
		size_t end = i + 1 < all->n ? all->change[i + 1].verdict.at : n;
		size_t at = best_split(value, from, end, kept ? WL_HIST_CONFIRMED : WL_HIST_ENOUGH);

		if (!at)
			continue;
		/* A verdict needs WL_HIST_ENOUGH runs, if need be of before the last change. */
		if (at - from < WL_HIST_ENOUGH)
			from = at - WL_HIST_ENOUGH;
		if (!wl_hist_judge(value, from, at, end, opts, arena, &c.verdict))
			return false;
		if (is_change(&c.verdict))
			all->change[kept++] = c;
	}
	all->n = kept;
	return true;
}

bool wl_hist_find(const int64_t *value, size_t n, const struct wl_hist_opts *opts,
		  struct wl_arena *arena, struct wl_hist_changes *ret)
{
	size_t from = 0, at;

	/* A change takes WL_HIST_ENOUGH runs before it. */
	*ret = (struct wl_hist_changes){
		WL_NEW(arena, struct wl_hist_change, n / WL_HIST_ENOUGH + 1), 0
	};
	if (!ret->change)
		return false;
	for (size_t end = 1; end <= n; end++) {
		if (!look(value, from, end, opts, arena, &at))
			return false;
		if (!at)
			continue;
		ret->change[ret->n++] =
			(struct wl_hist_change){ .verdict = { .at = at }, .confirmed = end - 1 };
		from = at;
	}
	return settle(value, n, opts, arena, ret);
}
