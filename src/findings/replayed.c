/* SPDX-License-Identifier: MIT */
#include "findings/replayed.h"

#include "base/units.h"
#include "derive/derived.h"
#include "derive/graph/held_out.h"
#include "derive/iters/iters.h"
#include "findings/say_saving.h"

struct replaying {
	struct wl_docket *d;
	struct wl_arena scratch; /* of all replays */
	struct wl_fidelity fidelity;
	struct wl_whatif w; /* what is selected */
	const char *reason; /* why the first of those is not replayed that name a scenario; NULL */
};

static bool is_of_steps(const struct wl_docket *d, const struct wl_finding *f)
{
	return d->gpu[f->gpu].by_step && !f->of_window;
}

/* Fidelity is of the whole trace, also where a window is replayed. */
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

/*
 * What has most of the critical path of the replay, and its share. NULL for latency: no finding
 * and no option of a program is about it.
 */
static double find_next(const struct wl_whatif_result *result, const char **ret)
{
	unsigned most = 0;
	wl_ns all = 0;

	for (unsigned i = 0; i < WL_N_SPENT; i++) {
		most = result->spent[i] > result->spent[most] ? i : most;
		all += result->spent[i];
	}
	*ret = all > 0 && most != WL_SPENT_RIGID ? wl_spent_name((enum wl_spent)most) : NULL;
	return all > 0 ? (double)result->spent[most] / (double)all : 0;
}

/* Of a step, or of the window. */
static wl_ns whole_of(const struct wl_docket *d, const struct wl_finding *f)
{
	return is_of_steps(d, f) ? wl_docket_step(&d->gpu[f->gpu]) : d->gpu[f->gpu].window;
}

/* Of a step as whatif has it; what single steps save is shared by all. */
static wl_ns saving_of(const struct replaying *r, const struct wl_finding *f,
		       const struct wl_whatif_result *result)
{
	wl_ns per_step;

	if (!is_of_steps(r->d, f))
		return result->saving;
	return wl_whatif_per_step(&r->w, result, &per_step) ? per_step
							    : result->saving / (wl_ns)r->w.n_steps;
}

static bool take(struct replaying *r, struct wl_finding *f, const struct wl_whatif_result *result)
{
	wl_ns saving = saving_of(r, f, result), whole = whole_of(r->d, f);
	double error = wl_fidelity_error(&r->fidelity);
	struct wl_said_saving say = {
		.saving = saving < f->saving ? saving : f->saving,
		.alone = saving > f->saving ? saving : 0,
		.error = -1,
		.whole = whole,
		.is_replayed = true,
		.bound = f->saving,
		.least = result->forecast == WL_LOWER_BOUND ||
			 (wl_fidelity_is_low(&r->fidelity) && result->forecast == WL_PREDICTION),
		.most = result->forecast == WL_UPPER_BOUND,
		.is_held = wl_whatif_is_held(result),
	};

	if (error >= 0)
		say.error = (wl_ns)(error * (double)(whole - say.saving));
	say.next_share = find_next(result, &say.next);
	f->replayed = (struct wl_replayed){
		.is_known = true,
		.saving = say.saving,
		.error = say.error,
		.share = (double)saving <= 0
				 ? 0
				 : f->window_share * (double)say.saving / (double)f->saving,
		.words = wl_say_saving(r->d, &say),
	};
	return f->replayed.words != NULL;
}

/* False when the arena is exhausted; a scenario that changes nothing leaves the bound. */
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
	if (status == WL_OK && !result.refused && (result.n_changed || result.saving != 0) &&
	    (!is_of_steps(r->d, f) || r->w.n_steps))
		return take(r, f, &result);
	if (!r->reason) {
		r->reason = status < 0       ? "the scenario finds nothing to change"
			    : result.refused ? result.refused
			    : result.remark  ? result.remark
					     : "the scenario changes nothing";
		r->reason = wl_say(r->d, "saving of %s not replayed: %s", f->code, r->reason);
	}
	return r->reason != NULL;
}

/* The next largest bound of those that can be replayed; NULL for no more. */
static struct wl_finding *next_of(struct wl_docket *d, const bool *is_done, double least)
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
		/* Graphs are large: nothing is replayed where nothing is to be. */
		if (n == 0)
			ok = begin(r);
		if (ok && r->fidelity.refused)
			break;
		ok = ok && replay(r, f);
	}
	return ok;
}

static bool say_bounds(struct wl_docket *d)
{
	struct wl_finding *all = d->findings.data;
	bool ok = true;

	for (size_t i = 0; ok && i < d->findings.n; i++) {
		const struct wl_said_saving say = { .saving = all[i].saving,
						    .error = -1,
						    .whole = whole_of(d, &all[i]),
						    .most = true,
						    .why_not = all[i].unreplayed };

		if (all[i].kind != WL_FINDING_SAVING || all[i].replayed.is_known)
			continue;
		all[i].replayed.words = wl_say_saving(d, &say);
		ok = all[i].replayed.words != NULL;
	}
	return ok;
}

bool wl_findings_replay(struct wl_docket *d, double least, struct wl_table *out)
{
	struct replaying r = { .d = d };
	bool ok;

	wl_arena_init_child(&r.scratch, d->run->arena);
	ok = replay_all(&r, least) && say_bounds(d);
	if (ok && r.fidelity.refused && wl_docket_skewed(d) == WL_NONE) /* else a note says it */
		wl_table_remark(out, "savings are not replayed: %s", r.fidelity.refused);
	else if (ok && r.reason && !r.fidelity.refused)
		wl_table_remark(out, "%s", r.reason);
	wl_arena_release(&r.scratch);
	return ok;
}
