/* SPDX-License-Identifier: MIT */
#include "findings/replayed.h"

#include <string.h>

#include "analysis/words/whatif_words.h"
#include "derive/graph/scenario/held_out.h"
#include "findings/say_saving.h"
#include "findings/severity.h"

/* The total saving of a finding and those before it. */
struct total {
	wl_ns saving, in_steps;
};

struct replaying {
	struct wl_rule_state *d;
	struct wl_arena scratch; /* of all replays */
	struct wl_fidelity fidelity;
	struct wl_whatif w;         /* what is selected */
	struct wl_said_saving *say; /* by finding */
	struct total *total;        /* the same */
};

static bool is_of_steps(const struct wl_rule_state *d, const struct wl_finding *f)
{
	return d->gpu[f->gpu].by_step && !f->of_window;
}

/* Fidelity is measured on the whole trace, even if a window is replayed. */
static bool begin(struct replaying *r)
{
	const struct wl_run *run = r->d->run;
	const struct wl_interval *window = run->scope->whole ? NULL : run->scope->process;

	if (!wl_whatif_begin(run->derived, NULL, &r->scratch, &r->w) ||
	    !wl_fidelity_find(&r->w, &r->scratch, &r->fidelity))
		return false;
	return r->fidelity.refused || !window ||
	       wl_whatif_begin(run->derived, window, &r->scratch, &r->w);
}

/* Find what takes most of the replay's critical path, and return its share; NULL if nothing
 * does. */
static double find_next(const struct wl_whatif_result *result, struct wl_said_saving *ret)
{
	unsigned most = 0;
	wl_ns all = 0;

	for (unsigned i = 0; i < WL_N_SPENT; i++) {
		most = result->spent[i] > result->spent[most] ? i : most;
		all += result->spent[i];
	}
	ret->next = all > 0 ? wl_spent_name((enum wl_spent)most) : NULL;
	ret->is_rigid = most == WL_SPENT_RIGID;
	return all > 0 ? (double)result->spent[most] / (double)all : 0;
}

/* The saving per step, as in whatif; savings in single steps are averaged over all. */
static wl_ns saving_of(const struct replaying *r, const struct wl_finding *f,
		       const struct wl_whatif_result *result)
{
	wl_ns per_step;

	if (!is_of_steps(r->d, f))
		return result->saving;
	return wl_whatif_per_step(&r->w, result, &per_step) ? per_step
							    : result->saving / (wl_ns)r->w.n_steps;
}

/* The time that the finding claims in its GPU's window. */
static wl_ns claim_of(const struct wl_rule_state *d, const struct wl_finding *f)
{
	return (wl_ns)(f->window_share * (double)d->gpu[f->gpu].window);
}

/*
 * For a finding per step, only the savings in steps: before and after them its scenario may save
 * more. A late rank is late in the whole run; ranks and whatif report that cost.
 */
static wl_ns saving_of_run(const struct replaying *r, const struct wl_finding *f,
			   const struct wl_whatif_result *result)
{
	wl_ns saving = is_of_steps(r->d, f) && !f->names_who ? result->in_steps : result->saving;

	/* No more can be hidden behind other work than the finding claims. */
	if (f->hides_most && saving > claim_of(r->d, f))
		saving = claim_of(r->d, f);
	return saving > 0 ? saving : 0;
}

static enum wl_saves_kind kind_of(enum wl_forecast forecast)
{
	switch (forecast) {
	case WL_UPPER_BOUND:
		return WL_SAVES_AT_MOST;
	case WL_NO_BOUND:
		return WL_SAVES_NO_BOUND;
	case WL_LOWER_BOUND:
		return WL_SAVES_AT_LEAST;
	case WL_PREDICTION:
		break;
	}
	return WL_SAVES_PREDICTION;
}

static wl_ns error_of(const struct replaying *r, wl_ns left)
{
	double error = wl_fidelity_error(&r->fidelity);

	return error >= 0 ? (wl_ns)(error * (double)left) : -1;
}

/* A bound has no error: the error of its replay is not that of the fix. */
static struct wl_saves saves_of(const struct replaying *r, const struct wl_finding *f,
				const struct wl_whatif_result *result)
{
	wl_ns time = saving_of_run(r, f, result);
	struct wl_forecasted as = wl_fidelity_forecast(&r->fidelity, result, time);
	struct wl_saves ret = { .kind = kind_of(as.forecast),
				.time = time,
				.error = as.error,
				.run = result->measured,
				.whole = result->saving > 0 ? result->saving : 0 };

	ret.share = ret.run > 0 ? (double)ret.time / (double)ret.run : 0;
	return ret;
}

static void keep_saving(struct replaying *r, struct wl_finding *f,
			const struct wl_whatif_result *result)
{
	const struct wl_rule_state *d = r->d;
	wl_ns saving = saving_of(r, f, result);
	wl_ns whole =
		is_of_steps(d, f) ? wl_rule_state_step(&d->gpu[f->gpu]) : d->gpu[f->gpu].window;
	struct wl_said_saving *say = &r->say[f - (struct wl_finding *)d->findings.data];

	*say = (struct wl_said_saving){ .is_replayed = true, .is_held = wl_whatif_is_held(result) };
	saving = saving < f->saving ? saving : f->saving;
	f->replayed = (struct wl_replayed){ .is_known = true,
					    .saving = saving,
					    .error = error_of(r, whole - saving) };
	f->saves = saves_of(r, f, result);
	f->alone = f->saves.time;
	f->alone_whole = f->saves.whole;
	r->total[f - (struct wl_finding *)d->findings.data] =
		(struct total){ result->saving, result->in_steps };
	say->next_share = find_next(result, say);
}

/*
 * A replay ends with the last operation of a window; GPU idle time after that is not part of it.
 * Whether a finding claims so much more than its replay saves that this may be the reason.
 */
static bool is_outside(const struct replaying *r, const struct wl_finding *f,
		       const struct wl_whatif_result *result)
{
	const wl_ns window = r->d->gpu[f->gpu].window, outside = window - result->measured;

	return !r->d->run->scope->whole && (double)outside >= WL_LISTED_SHARE * (double)window &&
	       2 * (claim_of(r->d, f) - result->saving) > outside;
}

/* False when the arena is exhausted. A scenario that changes nothing keeps the bound. */
static bool replay(struct replaying *r, struct wl_finding *f)
{
	struct wl_whatif_result result;
	struct wl_asked ask;
	struct wl_err err;
	int status;

	status = wl_ask_parse(f->scenario, &r->scratch, &ask, &err);
	if (status == WL_OK)
		status = wl_whatif_run(&r->w, &ask, 1, &result, &err);
	if (status == WL_E_NOMEM)
		return false;
	if (status == WL_OK && !result.refused && is_outside(r, f, &result)) {
		f->unreplayed = "the window ends while the GPU is idle";
		return true;
	}
	if (status == WL_OK && !result.refused && (result.n_changed || result.saving != 0) &&
	    (!is_of_steps(r->d, f) || r->w.n_steps)) {
		keep_saving(r, f, &result);
		return true;
	}
	f->unreplayed = status < 0       ? "no matching operations"
			: result.refused ? wl_refusal_say(result.refused)
					 : wl_whatif_say(&result, r->d->run->arena);
	if (f->unreplayed && !*f->unreplayed)
		f->unreplayed = "nothing to change";
	return f->unreplayed != NULL;
}

/* The finding with the next largest bound that can be replayed; NULL if there are no more. */
static struct wl_finding *next_of(struct wl_rule_state *d, const bool *is_done, double least)
{
	struct wl_finding *all = d->findings.data, *best = NULL;

	for (size_t i = 0; i < d->findings.n; i++) {
		double weight =
			all[i].accounts_for > all[i].share ? all[i].accounts_for : all[i].share;

		if (all[i].kind == WL_FINDING_SAVING && all[i].scenario && !is_done[i] &&
		    weight >= least && (!best || all[i].window_share > best->window_share))
			best = &all[i];
	}
	return best;
}

static bool replay_all(struct replaying *r, double least)
{
	struct wl_finding *all = r->d->findings.data, *f;
	bool *is_done = WL_NEW(&r->scratch, bool, r->d->findings.n);
	bool ok = is_done != NULL;

	for (unsigned n = 0; ok && n < WL_MOST_REPLAYS && (f = next_of(r->d, is_done, least));
	     n++) {
		is_done[f - all] = true;
		/* Graphs are large: they are built only if there is something to replay. */
		if (n == 0)
			ok = begin(r);
		if (ok && r->fidelity.refused)
			break;
		ok = ok && replay(r, f);
	}
	return ok;
}

/* Findings that were not replayed save at most the ledger's bound. */
static void bound_rest(struct wl_rule_state *d)
{
	struct wl_finding *all = d->findings.data;

	for (size_t i = 0; i < d->findings.n; i++) {
		struct wl_finding *f = &all[i];
		const struct wl_rule_gpu *gpu = &d->gpu[f->gpu];

		if (f->kind != WL_FINDING_SAVING || f->replayed.is_known)
			continue;
		f->saves = (struct wl_saves){ .kind = WL_SAVES_AT_MOST, .error = -1 };
		f->saves.run = gpu->window;
		f->saves.time = is_of_steps(d, f) ? f->saving * (wl_ns)gpu->n_steps : f->saving;
		f->saves.share = gpu->window > 0 ? (double)f->saves.time / (double)gpu->window : 0;
		f->alone = f->alone_whole = f->saves.whole = f->saves.time;
	}
}

/*
 * Ordering the list so that its numbers add up: each is what a finding saves besides those before
 * it.
 */
enum { MOST_COMPOSED = 5, MOST_ACTIVITIES = 5000000 };

struct ordering {
	struct replaying *r;
	struct wl_asked ask[MOST_COMPOSED]; /* scenarios of the findings placed so far */
	size_t n_asks;
	wl_ns saved, saved_in_steps; /* by these together */
	double printed;              /* sum of the shares of the run printed so far */
	uint32_t n_placed;
	uint32_t first[MOST_COMPOSED]; /* findings with the largest scores: these are replayed */
	size_t n_first;
};

static void limit(struct wl_finding *f, wl_ns most)
{
	if (most < 0)
		most = 0;
	f->saves.whole = f->saves.whole < most ? f->saves.whole : most;
	if (f->saves.time <= most)
		return;
	f->saves.time = most;
	f->saves.share = f->saves.run > 0 ? (double)most / (double)f->saves.run : 0;
}

/*
 * A scenario removes time even where other findings have claimed it. Time claimed by a start-up
 * finding, which no replay shortens, is not saved by less host code in the steps.
 */
static void leave_start_up(struct wl_rule_state *d, struct wl_finding *f)
{
	const struct wl_finding *all = d->findings.data;
	wl_ns left = f->saves.run;

	if (!f->replayed.is_known || f->is_once || f->saves.kind == WL_SAVES_PREDICTION)
		return;
	for (size_t i = 0; i < d->findings.n; i++) {
		if (all[i].is_once && !all[i].replayed.is_known && all[i].gpu == f->gpu)
			left -= all[i].alone;
	}
	limit(f, left);
}

/*
 * Replay one of the first findings with the scenarios of those before it applied. A saving beyond
 * what it saves alone, as from two causes that delay each other, belongs to neither, and would put
 * it before a finding that is already placed.
 */
static bool replay_further(struct ordering *o, struct wl_finding *f)
{
	struct replaying *r = o->r;
	struct wl_whatif_result result;
	struct wl_err err;
	wl_ns further, whole;
	int status = wl_ask_parse(f->scenario, &r->scratch, &o->ask[o->n_asks], &err);

	if (status == WL_OK)
		status = wl_whatif_run(&r->w, o->ask, o->n_asks + 1, &result, &err);
	if (status == WL_E_NOMEM)
		return false;
	if (status != WL_OK || result.refused)
		return true;
	r->total[f - (struct wl_finding *)r->d->findings.data] =
		(struct total){ result.saving, result.in_steps };
	whole = result.saving - o->saved;
	further =
		is_of_steps(r->d, f) && !f->names_who ? result.in_steps - o->saved_in_steps : whole;
	f->saves.time = f->alone;
	f->saves.share = f->saves.run > 0 ? (double)f->saves.time / (double)f->saves.run : 0;
	limit(f, further);
	whole = whole < f->alone_whole ? whole : f->alone_whole;
	f->saves.whole = whole > f->saves.time ? whole : f->saves.time;
	leave_start_up(r->d, f);
	return true;
}

/*
 * Findings with one scenario are fixed together and listed together: stragglers of groups that run
 * at the same time, where fixing one alone may save nothing. The first one has the saving of all.
 */
static void place_joint(struct ordering *o, struct wl_finding *f)
{
	struct wl_finding *all = o->r->d->findings.data;

	for (uint32_t i = 0; f->scenario && i < o->r->d->findings.n; i++) {
		if (!all[i].scenario || all[i].place ||
		    wl_finding_weight(&all[i]) < WL_LISTED_SHARE ||
		    strcmp(all[i].scenario, f->scenario) != 0)
			continue;
		all[i].place = ++o->n_placed;
		f->is_first_of_joint = all[i].is_joint = true;
		all[i].saves = f->saves;
		all[i].saves.time = all[i].saves.whole = 0;
	}
}

/* Once a finding is placed, its scenario is applied for all that follow. */
static bool place(struct ordering *o, struct wl_finding *f)
{
	const struct total *total = &o->r->total[f - (struct wl_finding *)o->r->d->findings.data];
	struct wl_err err;
	int status;

	f->place = ++o->n_placed;
	o->printed += f->saves.share;
	place_joint(o, f);
	if (!f->replayed.is_known || o->n_asks + 1 >= MOST_COMPOSED)
		return true;
	status = wl_ask_parse(f->scenario, &o->r->scratch, &o->ask[o->n_asks], &err);
	if (status != WL_OK)
		return status != WL_E_NOMEM;
	o->n_asks++;
	o->saved = total->saving;
	o->saved_in_steps = total->in_steps;
	return true;
}

static bool is_first(const struct ordering *o, uint32_t i)
{
	for (size_t k = 0; k < o->n_first; k++) {
		if (o->first[k] == i)
			return true;
	}
	return false;
}

static bool is_asked(const struct wl_finding *f)
{
	return (f->kind == WL_FINDING_SAVING || f->late > 0) && f->place == 0;
}

/* With equal scores, findings that a longer run spends more on come first, then those that claim
 * more. */
static bool is_before(const struct wl_finding *a, const struct wl_finding *b)
{
	if (a->is_once != b->is_once)
		return b->is_once;
	return a->window_share > b->window_share;
}

/* Findings that are listed only on request are never chosen to be replayed together. */
enum among { NOT_CHOSEN, CHOSEN, ALL };

static bool is_among(const struct ordering *o, uint32_t i, enum among among)
{
	const struct wl_finding *all = o->r->d->findings.data;

	if (among == NOT_CHOSEN)
		return !is_first(o, i) && wl_finding_weight(&all[i]) >= WL_LISTED_SHARE;
	return among == ALL || is_first(o, i);
}

/*
 * The unplaced finding with the largest score. If scores are nearly the same, both name the same
 * time, and a straggler goes before a finding that says only when it is lost.
 */
static uint32_t next_by_score(const struct ordering *o, enum among among)
{
	const struct wl_finding *all = o->r->d->findings.data;
	uint32_t best = WL_NONE;
	double most = -1;

	for (uint32_t i = 0; i < o->r->d->findings.n; i++) {
		double score =
			all[i].late > 0 ? all[i].late * 2 / 3 : wl_saves_score(&all[i].saves);

		if (!is_asked(&all[i]) || !is_among(o, i, among))
			continue;
		if (all[i].names_who)
			score /= 0.9;
		if (score < most ||
		    (best != WL_NONE && score <= most && !is_before(&all[i], &all[best])))
			continue;
		most = score;
		best = i;
	}
	return best;
}

/* A straggler that counts beside a finding that says only when time is lost, and is not due to
 * chance; NULL for none. */
static struct wl_finding *who_beside(const struct ordering *o, const struct wl_finding *f)
{
	enum { QUARTER = 4 };
	struct wl_finding *all = o->r->d->findings.data;

	for (uint32_t i = 0; i < o->r->d->findings.n && !f->names_who; i++) {
		if (is_asked(&all[i]) && all[i].names_who && is_first(o, i) &&
		    all[i].replayed.is_known && all[i].alone > 0 &&
		    all[i].saves.error < all[i].saves.time &&
		    QUARTER * wl_saves_score(&all[i].saves) >= wl_saves_score(&f->saves))
			return &all[i];
	}
	return NULL;
}

/* The total saving with one more scenario than those applied; false without memory. */
static bool replay_with(struct ordering *o, size_t n, const struct wl_finding *f, wl_ns *ret)
{
	struct wl_whatif_result result = { .saving = 0 };
	struct wl_err err;
	int status = wl_ask_parse(f->scenario, &o->r->scratch, &o->ask[n], &err);

	if (status == WL_OK)
		status = wl_whatif_run(&o->r->w, o->ask, n + 1, &result, &err);
	*ret = status == WL_OK && !result.refused ? result.saving : -1;
	return status != WL_E_NOMEM;
}

/*
 * A straggler that would save nothing after the next finding goes before it: both have the same
 * time, but the straggler names who loses it, and the rest is left to the other.
 */
static bool let_who_go_first(struct ordering *o, uint32_t *next)
{
	enum { TENTH = 10 };
	struct wl_finding *all = o->r->d->findings.data, *when = &all[*next];
	struct wl_finding *who = who_beside(o, when);
	wl_ns with, with_both;

	if (!who || !when->replayed.is_known || o->n_asks + 2 > MOST_COMPOSED ||
	    o->r->w.plan->n > MOST_ACTIVITIES)
		return true;
	if (!replay_with(o, o->n_asks, when, &with) ||
	    !replay_with(o, o->n_asks + 1, who, &with_both))
		return false;
	if (with >= 0 && with_both >= 0 && TENTH * (with_both - with) < who->alone)
		*next = (uint32_t)(who - all);
	return true;
}

/*
 * A wait that empties the queue every few kernels goes before the late launches behind it if it
 * claims at least as much: no CUDA graph can be captured across it, and launches that are too slow
 * even without it are left to them.
 */
static void let_cause_go_first(const struct ordering *o, uint32_t *next)
{
	const struct wl_finding *all = o->r->d->findings.data, *late = &all[*next];
	double most = 0;

	for (uint32_t i = 0; late->behind && i < o->r->d->findings.n; i++) {
		double score = wl_saves_score(&all[i].saves);

		if (!is_asked(&all[i]) || !is_first(o, i) || all[i].gpu != late->gpu ||
		    !all[i].replayed.is_known || all[i].saves.share < WL_LISTED_SHARE ||
		    all[i].window_share < late->window_share || !all[i].lets_go ||
		    strcmp(all[i].lets_go, late->behind) != 0 || score <= most)
			continue;
		most = score;
		*next = i;
	}
}

static void choose_first(struct ordering *o)
{
	for (uint32_t i; o->n_first < MOST_COMPOSED; o->n_first++) {
		i = next_by_score(o, NOT_CHOSEN);
		if (i == WL_NONE)
			return;
		o->first[o->n_first] = i;
	}
}

/* The rest of the run bounds the findings that are not replayed together. */
static bool update(struct ordering *o)
{
	struct wl_rule_state *d = o->r->d;
	struct wl_finding *all = d->findings.data;
	bool composes = o->n_asks && o->r->w.plan->n <= MOST_ACTIVITIES;

	for (uint32_t i = 0; i < d->findings.n; i++) {
		if (!is_asked(&all[i]))
			continue;
		if (composes && is_first(o, i) && all[i].replayed.is_known &&
		    !replay_further(o, &all[i]))
			return false;
		limit(&all[i], (wl_ns)((1 - o->printed) * (double)all[i].saves.run));
	}
	return true;
}

static void limit_rest(const struct ordering *o)
{
	struct wl_finding *all = o->r->d->findings.data;

	for (uint32_t i = 0; i < o->r->d->findings.n; i++) {
		if (is_asked(&all[i]))
			limit(&all[i], (wl_ns)((1 - o->printed) * (double)all[i].saves.run));
	}
}

static bool order(struct replaying *r)
{
	struct ordering o = { .r = r };
	struct wl_finding *all = r->d->findings.data;

	for (size_t i = 0; i < r->d->findings.n; i++)
		leave_start_up(r->d, &all[i]);
	choose_first(&o);
	for (unsigned among = CHOSEN; among <= ALL; among++) {
		for (uint32_t i; (i = next_by_score(&o, (enum among)among)) != WL_NONE;) {
			if (among == CHOSEN && !let_who_go_first(&o, &i))
				return false;
			if (among == CHOSEN)
				let_cause_go_first(&o, &i);
			if (!place(&o, &all[i]) || (among == CHOSEN && !update(&o)))
				return false;
			if (among == ALL)
				limit_rest(&o);
		}
	}
	return true;
}

static bool put_into_words(const struct replaying *r)
{
	struct wl_finding *all = r->d->findings.data;

	for (size_t i = 0; i < r->d->findings.n; i++) {
		if (all[i].kind != WL_FINDING_SAVING)
			continue;
		r->say[i].of_steps = is_of_steps(r->d, &all[i]);
		r->say[i].first = r->d->gpu[all[i].gpu].first;
		r->say[i].last = r->d->gpu[all[i].gpu].last;
		all[i].fixing = wl_say_saving(r->d, &all[i], &r->say[i]);
		if (!all[i].fixing.part[0])
			return false;
	}
	return true;
}

bool wl_findings_replay(struct wl_rule_state *d, double least, struct wl_table *out)
{
	struct replaying r = { .d = d };
	bool ok;

	wl_arena_init_child(&r.scratch, d->run->arena);
	r.say = WL_NEW(&r.scratch, struct wl_said_saving, d->findings.n);
	r.total = WL_NEW(&r.scratch, struct total, d->findings.n);
	ok = r.say && r.total && replay_all(&r, least);
	if (ok)
		bound_rest(d);
	ok = ok && order(&r) && put_into_words(&r);
	if (ok && r.fidelity.refused &&
	    wl_rule_state_skewed(d) == WL_NONE) /* otherwise a note says it */
		wl_table_remark(out, "savings are not replayed: %s",
				wl_refusal_say(r.fidelity.refused));
	wl_arena_release(&r.scratch);
	return ok;
}
