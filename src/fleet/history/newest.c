/* SPDX-License-Identifier: MIT */
#include "fleet/history/newest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/sort.h"

/*
 * Runs this many scaled MADs from the median of a baseline are left out of it, so that one night on
 * a slow node does not hide the next regression. Normal noise of ten runs has one in 300 baselines
 * with such a run.
 */
static const double outlier_mads = 7, mad_to_deviation = 1.4826;

/*
 * Later runs may move a change by so many: anyone who acknowledged the run where it was first seen
 * has acknowledged it.
 */
enum { MOVES = WL_HIST_CONFIRMED - 1 };

struct walk {
	const struct wl_hist_runs *runs;
	const struct wl_hist_opts *opts;
	struct wl_arena *arena;
	struct wl_hist_newest *to;
	size_t from, before; /* the level that counts, and the one before it, begin here */
};

const char *wl_hist_state_name(enum wl_hist_state state)
{
	static const char *const names[] = {
		[WL_HIST_OPEN] = "open", [WL_HIST_ACKED] = "acknowledged", [WL_HIST_OVER] = "over"
	};

	return names[state];
}

static size_t most_before(const struct walk *w)
{
	return w->opts->baseline ? w->opts->baseline : WL_HIST_BASELINE;
}

static bool is_acked(const struct walk *w, size_t run)
{
	return w->runs->is_acked && w->runs->is_acked[run];
}

/* Halfway between the levels before and after a change. */
static int64_t middle_of(const struct wl_hist_change *c)
{
	const struct wl_judgement *j = &c->verdict.judged;

	return j->before + (j->after - j->before) / 2;
}

/* The first open change that a run belongs to; changes.n for none. */
static size_t open_change_of(const struct walk *w, size_t run)
{
	const struct wl_hist_changes *all = &w->to->changes;
	size_t i = 0;

	while (i < all->n && (w->to->state[i] != WL_HIST_OPEN || all->change[i].verdict.at > run ||
			      w->runs->value[run] <= middle_of(&all->change[i])))
		i++;
	return i;
}

static void accept(struct walk *w, size_t from)
{
	if (from == w->from)
		return;
	w->before = w->from;
	w->from = from;
}

/* All open changes end in that state, if later runs are at most at that level; true if none is
 * left. */
static bool close_changes(struct walk *w, enum wl_hist_state state, int64_t level, size_t last)
{
	const struct wl_hist_changes *all = &w->to->changes;
	bool is_closed = true;

	for (size_t i = 0; i < all->n; i++) {
		if (w->to->state[i] != WL_HIST_OPEN || all->change[i].verdict.at > last)
			continue;
		if (level <= middle_of(&all->change[i]))
			w->to->state[i] = state;
		else
			is_closed = false;
	}
	return is_closed;
}

static bool was_acked_before_it_moved(const struct walk *w, size_t at)
{
	bool was = false;

	for (size_t run = at > MOVES ? at - MOVES : 0; run < at; run++)
		was = was || is_acked(w, run);
	return was;
}

static void take_change(struct walk *w, size_t i)
{
	const struct wl_hist_verdict *v = &w->to->changes.change[i].verdict;
	size_t at = v->at;

	if (v->judged.verdict == WL_SLOWER) {
		if (!was_acked_before_it_moved(w, at))
			return;
		w->to->state[i] = WL_HIST_ACKED;
		accept(w, at);
		return;
	}
	w->to->state[i] = WL_HIST_OVER;
	/* Back at the old level, or a new one that is better. */
	if (close_changes(w, WL_HIST_OVER, v->judged.after, at))
		accept(w, at);
}

/* Accepting a run accepts the level that it belongs to. */
static void take_ack(struct walk *w, size_t run)
{
	size_t from = run, last = run;

	for (size_t i = 0; i < w->to->changes.n; i++)
		if (w->to->state[i] == WL_HIST_OPEN && w->to->changes.change[i].verdict.at <= run)
			from = w->to->changes.change[i].verdict.at;
	(void)close_changes(w, WL_HIST_ACKED, INT64_MIN, last);
	accept(w, from);
}

/* The state of each change, and where the level that counts begins. */
static bool walk_changes(struct walk *w)
{
	struct wl_hist_newest *to = w->to;
	size_t next = 0;

	to->state = WL_NEW(w->arena, enum wl_hist_state, to->changes.n + 1);
	if (!to->state)
		return false;
	for (size_t i = 0; i < to->changes.n; i++)
		to->state[i] = WL_HIST_OPEN;
	for (size_t run = 0; run < w->runs->n; run++) {
		if (next < to->changes.n && to->changes.change[next].verdict.at == run)
			take_change(w, next++);
		if (is_acked(w, run))
			take_ack(w, run);
	}
	return true;
}

/* A baseline that grows: numbers of runs, and their values. */
struct base {
	size_t *run;
	int64_t *value, *scratch;
	size_t n;
};

static bool make_base(struct walk *w, struct base *ret)
{
	size_t n = w->runs->n + 1;

	*ret = (struct base){ WL_NEW(w->arena, size_t, n), WL_NEW(w->arena, int64_t, n),
			      WL_NEW(w->arena, int64_t, n), 0 };
	return ret->run && ret->value && ret->scratch;
}

static void add_run(struct base *b, size_t run, int64_t value)
{
	b->run[b->n] = run;
	b->value[b->n++] = value;
}

static int64_t median_of(const int64_t *value, size_t n, int64_t *scratch)
{
	int64_t low;

	memcpy(scratch, value, n * sizeof(*value));
	wl_sort_i64(scratch, n);
	low = scratch[(n - 1) / 2];
	return low + (scratch[n / 2] - low) / 2;
}

/* Leaves the last runs, without those that stand out, where enough are left. */
static void trim(const struct walk *w, struct base *b)
{
	size_t from = b->n > most_before(w) ? b->n - most_before(w) : 0, n = b->n - from, kept = 0;
	int64_t middle, spread;
	double limit;

	memmove(b->run, b->run + from, n * sizeof(*b->run));
	memmove(b->value, b->value + from, n * sizeof(*b->value));
	b->n = n;
	if (n <= WL_HIST_ENOUGH)
		return;
	middle = median_of(b->value, n, b->scratch);
	for (size_t i = 0; i < n; i++)
		b->scratch[i] = llabs(b->value[i] - middle);
	wl_sort_i64(b->scratch, n);
	spread = b->scratch[n / 2];
	limit = outlier_mads * mad_to_deviation * (double)spread;
	limit = fmax(limit, w->opts->threshold * (double)middle);
	for (size_t i = 0; i < n; i++)
		kept += (double)llabs(b->value[i] - middle) <= limit;
	if (kept < WL_HIST_ENOUGH)
		return;
	kept = 0;
	for (size_t i = 0; i < n; i++) {
		if ((double)llabs(b->value[i] - middle) > limit)
			continue;
		b->run[kept] = b->run[i];
		b->value[kept++] = b->value[i];
	}
	b->n = kept;
}

static bool is_changed(const struct wl_hist_verdict *v)
{
	return v->is_sufficient &&
	       (v->judged.verdict == WL_SLOWER || v->judged.verdict == WL_FASTER);
}

/* Runs of the level before that are in no open change, moved by so much. */
static size_t add_older(const struct walk *w, struct base *b, size_t n_most, int64_t shift)
{
	size_t n = 0, first = w->from;

	for (size_t run = w->from; run-- > w->before && n < n_most;)
		if (open_change_of(w, run) == w->to->changes.n) {
			first = run;
			n++;
		}
	for (size_t run = first; run < w->from; run++)
		if (open_change_of(w, run) == w->to->changes.n)
			add_run(b, run, w->runs->value[run] + shift);
	return n;
}

/*
 * The baseline of a run, from the runs of its level. Too few of them say where the level is, and
 * runs of the level before it how much runs differ.
 */
static bool pick(struct walk *w, const struct base *level, struct base *ret)
{
	int64_t shift = 0;

	if (!make_base(w, ret))
		return false;
	if (level->n < WL_HIST_ENOUGH && w->from > w->before) {
		size_t n = add_older(w, ret, most_before(w) - level->n, 0);

		if (level->n && n)
			shift = median_of(level->value, level->n, ret->scratch) -
				median_of(ret->value, n, ret->scratch + level->n);
		for (size_t i = 0; i < n; i++)
			ret->value[i] += shift;
	}
	for (size_t i = 0; i < level->n; i++)
		add_run(ret, level->run[i], level->value[i]);
	trim(w, ret);
	return true;
}

static bool judge(struct walk *w, const struct base *level, size_t run, struct base *picked,
		  struct wl_hist_verdict *ret)
{
	if (!pick(w, level, picked))
		return false;
	add_run(picked, run, w->runs->value[run]);
	return wl_hist_judge(picked->value, 0, picked->n - 1, picked->n, w->opts, w->arena, ret);
}

/*
 * The runs of the level that counts, without those of open changes, and without recent ones that
 * are judged to differ: until later runs have shown what they are.
 */
static bool find_level(struct walk *w, size_t newest, struct base *ret)
{
	if (!make_base(w, ret))
		return false;
	for (size_t run = w->from; run < newest; run++) {
		struct wl_hist_verdict v = { 0 };
		struct base picked;

		if (open_change_of(w, run) < w->to->changes.n)
			continue;
		if (run + WL_HIST_ENOUGH >= newest && ret->n >= WL_HIST_ENOUGH &&
		    !judge(w, ret, run, &picked, &v))
			return false;
		if (!is_changed(&v))
			add_run(ret, run, w->runs->value[run]);
	}
	return true;
}

bool wl_hist_newest(const struct wl_hist_runs *runs, const struct wl_hist_opts *opts,
		    struct wl_arena *arena, struct wl_hist_newest *ret)
{
	struct walk w = { .runs = runs, .opts = opts, .arena = arena, .to = ret };
	const size_t newest = runs->n - 1;
	struct base level, picked;

	*ret = (struct wl_hist_newest){ .is_acked = false };
	if (!wl_hist_find(runs->value, runs->n, opts, arena, &ret->changes) || !walk_changes(&w) ||
	    !find_level(&w, newest, &level) || !judge(&w, &level, newest, &picked, &ret->verdict))
		return false;
	ret->run = picked.run;
	ret->open = open_change_of(&w, newest);
	ret->is_acked = newest > 0 && w.from == newest;
	if (ret->open < ret->changes.n)
		ret->verdict.judged.verdict = WL_SLOWER;
	return true;
}

const char *wl_hist_newest_name(const struct wl_hist_newest *newest)
{
	if (newest->is_acked)
		return "acknowledged";
	return newest->open < newest->changes.n ? wl_verdict_name(WL_SLOWER)
						: wl_hist_verdict_name(&newest->verdict);
}

int wl_hist_newest_status(const struct wl_hist_newest *newest)
{
	const struct wl_hist_verdict *v = &newest->verdict;

	if (newest->is_acked)
		return 0;
	if (newest->open < newest->changes.n ||
	    (v->is_sufficient && v->judged.verdict == WL_SLOWER))
		return 1;
	return !v->is_sufficient || v->judged.verdict == WL_INCONCLUSIVE ? 4 : 0;
}
