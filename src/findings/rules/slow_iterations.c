/* SPDX-License-Identifier: MIT */
/*
 * slow_iterations.c - a rule: some steps stand out. Their losses beyond the median of the other
 * steps are claimed, cause by cause, and so is compute beyond their median. Only this saving is
 * neither idle nor exposed time: the other steps show that it can be saved.
 *
 * Warm-up steps count, steps of other changes do not (step_time_changed.c). Time that several slow
 * steps lose to copies, allocation or loading is left to the rule with the advice on it, and a step
 * that hardly stands out otherwise is not slow here. A step with a different number of kernels does
 * other work, and is a share without a saving; this does not apply if only the first steps of the
 * run stand out, which tune kernels once. The first step, which is not in the sample, counts if it
 * stands out, except for its waits: ranks start at different times. If steps are guessed, one that
 * is ten times as long and allocates memory or loads code is not a step but set-up between two runs
 * of steps.
 */

#include "base/text/units.h"
#include "derive/derived.h"
#include "derive/idle/idle_before.h"
#include "derive/iters/outliers.h"
#include "derive/iters/step_change.h"
#include "findings/rule.h"
#include "findings/rules/long_transfers.h"
#include "findings/rules/longest_copy.h"
#include "findings/rules/slow_step.h"
#include "findings/rules/usual_step.h"

WL_DECLARE_RULE(start_up);
WL_DECLARE_RULE(slow_iterations);

enum { TAIL_PART = 10 }; /* a tail is shorter than the delay before it divided by this */

/* A GPU and the data to compare its steps with. */
struct comparing {
	const struct wl_rule_gpu *gpu;
	const struct wl_process_iters *iters;
	const struct wl_step_change *change;
	bool *outlier;            /* by iteration */
	const wl_ns *idle_before; /* by iteration */
	wl_ns *room;              /* by tile */
	bool *is_on;              /* by tile */
	bool has_long_transfers;
	bool takes_first;   /* the first step stands out and is a real step */
	size_t n_start;     /* steps in which the run starts (outliers.h) */
	uint32_t recurring; /* losses, as in struct wl_rule_gpu */
	struct wl_usual_step usual[WL_N_STEP_KINDS];
};

static unsigned kind_of(const struct comparing *c, uint32_t iter)
{
	return c->iters->has_kinds ? c->iters->at[iter].kind : 0;
}

/* Find the usual step: the median over the steps of a kind that do not stand out. */
static void find_usual(struct comparing *c, unsigned kind)
{
	const struct wl_ledger_lane *lane = c->gpu->lane;

	for (size_t i = 0; i < lane->n_tiles; i++) {
		uint32_t iter = lane->tile[i].iter;

		c->is_on[i] = c->gpu->in_sample[i] && !c->outlier[iter] && kind_of(c, iter) == kind;
	}
	c->usual[kind] = wl_usual_step_of(c->gpu, c->is_on, c->room);
}

/* Whether two counts differ by more than 5% and by more than one kernel, which may belong to a
 * neighbour. */
static bool differs(uint64_t a, uint64_t b)
{
	uint64_t by = a > b ? a - b : b - a;

	return by > 1 && 20 * by > b;
}

/* Kernels issued ahead start in the step before: then both steps together have the usual number. */
static bool is_other_work(const struct wl_ledger_lane *lane, const struct wl_tile *tile,
			  const struct wl_usual_step *usual)
{
	uint64_t own = tile->n_kernels;
	bool has_next = tile + 1 < lane->tile + lane->n_tiles, has_last = tile > lane->tile;

	return differs(own, usual->n_kernels) &&
	       !(has_next && !differs(own + tile[1].n_kernels, 2 * (uint64_t)usual->n_kernels)) &&
	       !(has_last && !differs(own + tile[-1].n_kernels, 2 * (uint64_t)usual->n_kernels));
}

static bool is_set_up(const struct comparing *c, const struct wl_tile *tile,
		      const struct wl_usual_step *usual)
{
	wl_ns more = tile->loss[WL_CAUSE_ALLOC] - usual->loss[WL_CAUSE_ALLOC] +
		     tile->loss[WL_CAUSE_LOAD] - usual->loss[WL_CAUSE_LOAD];

	return c->iters->is_guess && tile->length / 10 >= usual->length && more >= WL_LONG_CALL_NS;
}

static bool warms_up(const struct comparing *c, const struct wl_tile *tile)
{
	return wl_step_change_warms_up(c->change, c->gpu->lane->process, tile->iter);
}

/* The loss with its own rule that has most of a step's extra time; WL_N_LOSSES if none has. */
static enum wl_loss cause_with_rule(const struct wl_tile *tile, const struct wl_usual_step *usual)
{
	static const unsigned with_rule[] = { WL_LOSS_EXPOSED_COPY, WL_CAUSE_ALLOC, WL_CAUSE_LOAD };
	wl_ns whole = tile->length - usual->length;

	for (size_t i = 0; whole > 0 && i < WL_COUNT(with_rule); i++) {
		if (2 * (tile->loss[with_rule[i]] - usual->loss[with_rule[i]]) > whole)
			return (enum wl_loss)with_rule[i];
	}
	return WL_N_LOSSES;
}

/* Losses that make several steps slow, and not only in the first quarter, as set-up does. */
static uint32_t find_recurring(const struct comparing *c)
{
	const struct wl_ledger_lane *lane = c->gpu->lane;
	uint32_t once = 0, again = 0, late = 0, quarter = (c->gpu->last - c->gpu->first + 1) / 4;

	for (size_t i = 0; i < lane->n_tiles; i++) {
		const struct wl_tile *tile = &lane->tile[i];
		const struct wl_usual_step *usual;
		enum wl_loss cause;

		/* The rest of the window is not a step. */
		if (!c->gpu->in_sample[i] || !c->outlier[tile->iter])
			continue;
		usual = &c->usual[kind_of(c, tile->iter)];
		cause = cause_with_rule(tile, usual);
		if (cause == WL_N_LOSSES || usual->length == 0 || warms_up(c, tile) ||
		    is_other_work(lane, tile, usual) || is_set_up(c, tile, usual))
			continue;
		again |= once & 1U << cause;
		once |= 1U << cause;
		late |= tile->iter >= c->gpu->first + quarter ? 1U << cause : 0;
	}
	return again & late;
}

/* Steps of a GPU that do other work. */
struct other {
	size_t n;
	wl_ns excess; /* of all */
	wl_ns longest_excess;
	uint32_t longest;                /* the iteration with the longest excess */
	wl_ns at;                        /* where that begins */
	uint32_t kernels, usual_kernels; /* of that step, and of usual steps of its kind */
};

/* Leave a step's excess of a loss over the usual step to the rule of that loss. */
static void leave(const struct wl_tile *tile, enum wl_loss loss, struct wl_usual_step *own)
{
	if (tile->loss[loss] <= own->loss[loss])
		return;
	own->length += tile->loss[loss] - own->loss[loss];
	own->loss[loss] = tile->loss[loss];
}

/*
 * The usual step plus the excess of this one that other rules claim. If no rank is late, exposed
 * communication is a separate finding, in slow steps as well.
 */
static struct wl_usual_step usual_beside_rules(const struct comparing *c,
					       const struct wl_tile *tile)
{
	const struct wl_usual_step *usual = &c->usual[kind_of(c, tile->iter)];
	struct wl_usual_step own = *usual;
	enum wl_loss cause = cause_with_rule(tile, usual);

	if (c->has_long_transfers || tile->iter == 0)
		leave(tile, WL_LOSS_EXPOSED_COMM, &own);
	if (tile->iter == 0)
		leave(tile, (enum wl_loss)WL_CAUSE_MPI, &own);
	if (cause != WL_N_LOSSES && c->recurring >> cause & 1 && !warms_up(c, tile))
		leave(tile, cause, &own);
	return own;
}

/* Whether a step is only the tail of the delay before it, in which ranks that were held up less
 * wait. */
static bool is_tail(const struct wl_slow_step *s, uint32_t iter, wl_ns excess)
{
	return s->n && s->last + 1 == iter && excess < s->last_excess / TAIL_PART;
}

/* Claim the time by which a step exceeds the given usual step. */
static void claim_step(struct wl_rule_state *d, size_t t, uint32_t i, const struct comparing *of,
		       const struct wl_usual_step *usual, struct wl_claim *claim,
		       struct wl_slow_step *worst)
{
	const struct wl_tile *tile = &d->gpu[t].lane->tile[i];
	wl_ns rest = tile->length - usual->length, operators = claim->operator_ns;

	/* Without a usual step, the possible saving is unknown. */
	if (rest <= 0 || usual->length == 0)
		return;
	wl_usual_step_claim(d, t, i, usual, claim, worst->by_cause);
	worst->operators += claim->operator_ns - operators;
	if (is_tail(worst, tile->iter, rest))
		return;
	worst->last = tile->iter;
	worst->last_excess = rest;
	if (claim->step[t]) {
		struct wl_delayed delayed = wl_delayed_by(of->iters, of->idle_before, tile->iter);

		claim->step[t][worst->n] = delayed.is_before ? delayed.iter : tile->iter;
	}
	worst->has_first = worst->has_first || tile->iter == 0;
	worst->is_start = of->n_start > 0;
	if (worst->n++ == 0 ||
	    tile->loss[WL_LOSS_EXPOSED_COPY] >
		    d->gpu[t].lane->tile[worst->copies].loss[WL_LOSS_EXPOSED_COPY])
		worst->copies = i;
	if (rest > worst->excess) {
		worst->excess = rest;
		worst->iter = tile->iter;
		worst->tile = i;
		worst->kernels = tile->n_kernels;
		worst->usual_kernels = usual->n_kernels;
		worst->delayed = wl_delayed_by(of->iters, of->idle_before, tile->iter);
	}
}

static void note_other(struct other *o, const struct wl_tile *tile,
		       const struct wl_usual_step *usual)
{
	wl_ns excess = tile->length - usual->length;

	if (excess <= 0)
		return;
	o->n++;
	o->excess += excess;
	if (excess > o->longest_excess) {
		o->longest_excess = excess;
		o->longest = tile->iter;
		o->at = tile->begin;
		o->kernels = tile->n_kernels;
		o->usual_kernels = usual->n_kernels;
	}
}

/* The results for the steps that stand out. */
struct verdict {
	struct wl_claim slow, set_up;
	struct wl_slow_step *slowest, *pause; /* by GPU: for slow; for set_up */
	struct other *other;                  /* by GPU */
	bool has_long_transfers;              /* no rank causes the exposed communication */
};

/* A step whose extra time other rules explain is not slow if the rest is too small for an
 * outlier. */
static void judge_slow(struct wl_rule_state *d, size_t t, uint32_t i, const struct comparing *c,
		       struct verdict *v)
{
	enum { TWENTIETH = 20 };
	const struct wl_tile *tile = &d->gpu[t].lane->tile[i];
	const struct wl_usual_step *usual = &c->usual[kind_of(c, tile->iter)];
	const struct wl_usual_step own = usual_beside_rules(c, tile);

	if (own.length > usual->length && tile->length - own.length <= usual->length / TWENTIETH)
		return;
	claim_step(d, t, i, c, &own, &v->slow, &v->slowest[t]);
}

static void judge_step(struct wl_rule_state *d, size_t t, uint32_t i, const struct comparing *c,
		       struct verdict *v)
{
	const struct wl_tile *tile = &d->gpu[t].lane->tile[i];
	const struct wl_usual_step *usual = &c->usual[kind_of(c, tile->iter)];

	if (is_set_up(c, tile, usual))
		claim_step(d, t, i, c, usual, &v->set_up, &v->pause[t]);
	else if (tile->iter >= c->n_start && is_other_work(d->gpu[t].lane, tile, usual))
		note_other(&v->other[t], tile, usual);
	else
		judge_slow(d, t, i, c, v);
}

/* Open a tile outside the sample, which no rule could claim otherwise, or close it again. */
static void open_tile(struct wl_rule_state *d, size_t t, uint32_t i, bool is_open)
{
	struct wl_rule_gpu *gpu = &d->gpu[t];
	const struct wl_ledger_lane *lane = gpu->lane;

	gpu->compute[i] = is_open ? lane->tile[i].compute : 0;
	for (size_t k = 0; k < lane->n_atoms; k++) {
		if (lane->atom[k].tile == i)
			gpu->left[k] = is_open ? lane->atom[k].ns : 0;
	}
}

static bool is_first(const struct comparing *c, uint32_t i)
{
	const struct wl_tile *tile = &c->gpu->lane->tile[i];

	return c->takes_first && tile->is_whole && tile->iter == 0 && !c->gpu->in_sample[i];
}

/* Other work outside the sample is not reported. */
static void judge_first(struct wl_rule_state *d, size_t t, uint32_t i, const struct comparing *c,
			struct verdict *v)
{
	const struct wl_tile *tile = &d->gpu[t].lane->tile[i];
	const struct wl_usual_step *usual = &c->usual[kind_of(c, tile->iter)];

	if (c->n_start == 0 && is_other_work(d->gpu[t].lane, tile, usual))
		return;
	open_tile(d, t, i, true);
	judge_slow(d, t, i, c, v);
	open_tile(d, t, i, false);
}

/*
 * Whether some steps of the sample stand out, but no more than a quarter besides a warm-up: more
 * are a pattern of the program.
 */
static bool stand_out(const struct comparing *c)
{
	const struct wl_ledger_lane *lane = c->gpu->lane;
	size_t n = 0, n_warm = 0;

	for (size_t i = 0; i < lane->n_tiles; i++) {
		bool is_out = c->gpu->in_sample[i] && c->outlier[lane->tile[i].iter];
		bool is_warm = is_out && warms_up(c, &lane->tile[i]);

		n_warm += is_warm;
		n += is_out && !is_warm;
	}
	return n + n_warm + c->takes_first > 0 && wl_outliers_are_rare(n, c->gpu->n_steps);
}

/* Find the steps that stand out, including a warm-up, except those that step-time-changed
 * explains. */
static bool find_outliers(struct comparing *c, uint32_t process, struct wl_arena *scratch)
{
	enum { FEWEST = 8 }; /* steps; with as many, time before them is start-up */
	const bool *outlier = wl_outliers_find(c->iters, scratch);
	bool *mine = WL_NEW(scratch, bool, c->iters->n);

	bool *slow = WL_NEW(scratch, bool, c->iters->n);

	if (!outlier || !mine || !slow)
		return false;
	for (uint32_t i = 0; i < c->iters->n; i++) {
		const struct wl_interval *tile = &c->iters->at[i].tile;
		bool is_warm = wl_step_change_warms_up(c->change, process, i);

		mine[i] = is_warm ||
			  (outlier[i] && !wl_step_change_explains(c->change, c->iters, process, i));
		slow[i] = is_warm ||
			  (mine[i] && tile->end - tile->begin > wl_usual_period(c->iters, i));
	}
	c->outlier = mine;
	c->takes_first = slow[0] && !c->iters->is_guess && c->iters->n >= FEWEST;
	c->n_start = wl_outliers_at_start(c->iters, slow);
	return true;
}

static bool judge_gpu(struct wl_rule_state *d, size_t t, struct verdict *v)
{
	const struct wl_iterations *all = d->run->derived->iterations;
	struct comparing c = { .gpu = &d->gpu[t],
			       .change = d->run->derived->step_change,
			       .has_long_transfers = v->has_long_transfers };
	const struct wl_ledger_lane *lane = c.gpu->lane;
	struct wl_arena scratch;
	bool ok;

	if (!c.gpu->by_step)
		return true;
	wl_arena_init_child(&scratch, d->run->arena);
	c.iters = all ? &all->process[lane->process] : NULL;
	c.room = WL_NEW(&scratch, wl_ns, lane->n_tiles);
	c.is_on = WL_NEW(&scratch, bool, lane->n_tiles);
	ok = all && c.room && c.is_on && find_outliers(&c, lane->process, &scratch);
	if (ok && stand_out(&c)) {
		c.idle_before = wl_idle_before_find(d->run->trace, c.iters, lane->device, &scratch);
		ok = c.idle_before != NULL;
		for (unsigned k = 0; ok && k < WL_N_STEP_KINDS; k++)
			find_usual(&c, k);
		d->gpu[t].recurring = c.recurring = ok ? find_recurring(&c) : 0;
		for (uint32_t i = 0; ok && i < lane->n_tiles; i++) {
			if (is_first(&c, i))
				judge_first(d, t, i, &c, v);
			else if (c.gpu->in_sample[i] && c.outlier[lane->tile[i].iter])
				judge_step(d, t, i, &c, v);
		}
	}
	wl_arena_release(&scratch);
	return ok;
}

/* "...; steps 1-240 are a warm-up: 4.3% longer than those after". told may be NULL. */
static const char *say_warm_up(struct wl_rule_state *d, const char *told)
{
	const struct wl_step_change *c = d->run->derived->step_change;
	char more[WL_UNITS_BUF];

	if (!told || c->kind != WL_CHANGE_WARM_UP)
		return told;
	return wl_say(d, "%s" WL_STOP "; steps %u-%u are a warm-up: %s longer than those after",
		      told, c->first, c->last, wl_fmt_share(more, c->more));
}

/* If only these steps load code, the time around these calls may be compiling. */
static const struct wl_advice of_loads = {
	.advice = "Code is loaded there, as after compiling for a shape that was not seen before: "
		  "run every shape once to warm up.",
	.in = {
		[WL_PYTORCH] = "TORCH_LOGS=recompiles names what is compiled again; pad or mark "
			       "sizes that change (torch._dynamo.mark_dynamic)",
		[WL_JAX] = "jax.config.update(\"jax_log_compiles\", True) names what is compiled; "
			   "pad to few shapes",
	},
};

static void advise(struct wl_rule_state *d, const struct wl_slow_step *worst, struct wl_advice *ret)
{
	if (worst->loads.name && !worst->is_start) {
		*ret = of_loads;
		ret->action = wl_say(d, "Find what step %u loads (window step:%u)", worst->iter,
				     worst->iter);
		return;
	}
	ret->action = wl_slow_step_action(d, worst);
	ret->advice = wl_slow_step_advice(worst);
}

static bool put_slow(const struct wl_rule *rule, struct wl_rule_state *d, struct verdict *v)
{
	size_t t = wl_claim_gpu(d, &v->slow);
	struct wl_slow_step *worst = &v->slowest[t];
	struct wl_rule own = *rule;
	const char *subject;

	if (worst->n == 0)
		return true;
	wl_slow_step_show(d, worst, d->gpu[t].lane->device, &v->slow);
	if (!wl_step_loads_find(d, t, v->slow.step[t], worst->n, &worst->loads))
		return false;
	advise(d, worst, &own.fix);
	own.limits = worst->is_start ? "One-time cost, as the run starts: a longer run does not "
				       "pay it again. Counts all time above the median "
				       "step."
				     : rule->limits;
	subject = worst->delayed.is_before ? wl_say(d, "before step %u", worst->delayed.iter)
					   : wl_say(d, "step %u", worst->iter);
	return subject && own.fix.action &&
	       wl_rule_state_put(d, &own, &v->slow, subject,
				 say_warm_up(d, wl_slow_step_tell(d, &v->slow, worst)),
				 &v->slow.evidence);
}

enum { COPIES_TENTH = 10 };

/* "; a DtoH copy of 1.07 GB takes 171.9 ms (75.0%)" of the time lost between the runs. */
static const char *say_copy(struct wl_rule_state *d, size_t t, const struct wl_slow_step *pause,
			    wl_ns all)
{
	const struct wl_longest_copy c = wl_longest_copy_find(d, t, pause->copies);
	char bytes[WL_UNITS_BUF], time[WL_UNITS_BUF], share[WL_UNITS_BUF];

	if (c.exposed == 0 || c.exposed < all / COPIES_TENTH || c.bytes < 0)
		return "";
	return wl_say(d, WL_STOP "; a %s copy of %s takes %s (%s)", c.kind,
		      wl_fmt_bytes(bytes, c.bytes), wl_fmt_ns(time, c.exposed, WL_UNIT_AUTO),
		      wl_fmt_share(share, (double)c.exposed / (double)all));
}

static bool is_copying(const struct wl_slow_step *pause)
{
	wl_ns all = 0;

	for (unsigned k = 0; k <= WL_N_LOSSES; k++)
		all += pause->by_cause[k];
	return 2 * pause->by_cause[WL_LOSS_EXPOSED_COPY] > all;
}

static const char *advice_of_pause(const struct wl_slow_step *pause)
{
	if (is_copying(pause))
		return "Most of it is copying, as of a result: copy on a separate stream while "
		       "the next run starts. Or take the steps of one run as the window.";
	return "The program allocates memory or loads code there, as if starting again. Use "
	       "--window to look at one run of steps.";
}

/* The verb gaps does not show copies. */
static struct wl_cmdline evidence_of_pause(const struct wl_rule_state *d, size_t t,
					   const struct wl_slow_step *pause, bool is_copy)
{
	static const struct wl_cmdline gaps = { .verb = "gaps" };
	static const struct wl_cmdline copies = { .verb = "transfers",
						  .option = { { "sort", "exposed" } } };
	struct wl_cmdline command = wl_cmdline_on(is_copy ? copies : gaps, d->gpu[t].lane->device);

	command.has_steps = is_copy;
	command.step[0] = command.step[1] = d->gpu[t].lane->tile[pause->copies].iter;
	return command;
}

static bool put_set_up(struct wl_rule_state *d, const struct verdict *v)
{
	size_t t = wl_claim_gpu(d, &v->set_up);
	const struct wl_slow_step *pause = &v->pause[t];
	const char *cause, *copy;
	char time[WL_UNITS_BUF], share[WL_UNITS_BUF];
	struct wl_finding f = {
		.kind = WL_FINDING_SAVING,
		.subject = "between steps",
		.claim = v->set_up.number,
		.gpu = t,
		.of_window = true,
		.is_once = true,
		.saving = v->set_up.ns[t],
		.share = wl_claim_window_share(d, &v->set_up, t),
		.fix.action = "Profile one run of steps at a time",
		.fix.advice = advice_of_pause(pause),
	};

	for (size_t i = 0; i < d->n_gpus; i++)
		f.gpu_time += v->set_up.ns[i];
	if (f.gpu_time == 0)
		return true;
	f.window_share = f.share;
	f.is_placed = true;
	f.at = d->gpu[t].lane->tile[pause->tile].begin;
	cause = wl_slow_step_cause(d, t, pause);
	copy = say_copy(d, t, pause, f.saving);
	if (cause && copy)
		f.sentence =
			wl_say(d,
			       "Start-up: set-up between two runs of steps, at step %u" WL_STOP
			       ", %s of the window (%s) on GPU %u, %s%s",
			       pause->iter, wl_fmt_ns(time, f.saving, WL_UNIT_AUTO),
			       wl_fmt_share(share, f.share), d->gpu[t].lane->device, cause, copy);
	f.evidence = evidence_of_pause(d, t, pause, is_copying(pause));
	return wl_rule_state_put_plain(d, &wl_rule_start_up, &f);
}

static bool put_other(const struct wl_rule *rule, struct wl_rule_state *d, const struct verdict *v)
{
	const struct other *o;
	struct wl_finding f = {
		.kind = WL_FINDING_SHARE,
		.subject = "other work",
		.fix.advice =
			"This may be expected: an evaluation, a checkpoint, or an update every "
			"N steps.",
	};
	char excess[WL_UNITS_BUF], share[WL_UNITS_BUF];

	for (size_t t = 1; t < d->n_gpus; t++)
		f.gpu = v->other[t].excess > v->other[f.gpu].excess ? t : f.gpu;
	o = &v->other[f.gpu];
	if (o->n == 0)
		return true;
	f.share = (double)o->excess / (double)d->gpu[f.gpu].length;
	f.is_placed = true;
	f.at = o->at;
	f.fix.action = wl_say(d, "Look at step %u (window step:%u)", o->longest, o->longest);
	f.sentence = wl_say(
		d,
		"%zu of %zu steps %s a different number of kernels" WL_STOP
		": other work, %s of the "
		"time on GPU %u" WL_STOP "; step %u runs %u instead of %u and takes %s longer",
		o->n, d->gpu[f.gpu].n_steps, o->n == 1 ? "runs" : "run",
		wl_fmt_share(share, f.share), d->gpu[f.gpu].lane->device, o->longest, o->kernels,
		o->usual_kernels, wl_fmt_ns(excess, o->longest_excess, WL_UNIT_AUTO));
	f.evidence = wl_cmdline_on(
		(struct wl_cmdline){ .verb = "iters", .option = { { "where", "outlier = yes" } } },
		d->gpu[f.gpu].lane->device);
	return f.fix.action && wl_rule_state_put_plain(d, rule, &f);
}

static bool apply(const struct wl_rule *rule, struct wl_rule_state *d)
{
	struct wl_arena *arena = d->run->arena;
	struct verdict v = {
		.slowest = WL_NEW(arena, struct wl_slow_step, d->n_gpus),
		.pause = WL_NEW(arena, struct wl_slow_step, d->n_gpus),
		.other = WL_NEW(arena, struct other, d->n_gpus),
		.has_long_transfers = wl_long_transfers_find(d).is_why,
	};

	if (!v.slowest || !v.pause || !v.other || !wl_claim_init(d, &v.slow) ||
	    !wl_claim_init(d, &v.set_up))
		return false;
	for (size_t t = 0; t < d->n_gpus; t++) {
		v.slow.step[t] = WL_NEW(arena, uint32_t, d->gpu[t].lane->n_tiles);
		if (!v.slow.step[t] || !judge_gpu(d, t, &v))
			return false;
		v.set_up.extra[t] = 0; /* compute there is not part of a step */
		v.slow.is_rare[t] = true;
		v.slow.n_steps[t] = (uint32_t)v.slowest[t].n;
	}
	return put_slow(rule, d, &v) && put_set_up(d, &v) && put_other(rule, d, &v);
}

const struct wl_rule wl_rule_slow_iterations = {
	.from = WL_FROM(MATCHES) | WL_FROM(STRAGGLERS) | WL_FROM(STEP_CHANGE),
	.code = "slow-iterations",
	.is_of_steps = true,
	.title = "Some steps take much longer than the others",
	.scenario = "slow-iterations",
	.limits =
		"Counts all time above the median step of the same kind. A step that does more "
		"work with the same number of kernels also counts, although nothing is wrong with "
		"it.",
	.best_place.slowest = true,
	.apply = apply,
};
