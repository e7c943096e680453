/* SPDX-License-Identifier: MIT */
/*
 * step_time_changed.c - a rule: steps take longer from some step on, for a while, or increasingly.
 *
 * The excess of a changed step over the reference steps (derive/iters/step_change.h) is claimed,
 * cause by cause and including compute: the reference steps show that it can be saved. Other work
 * is not a loss but a share. If one GPU is slower and the others wait for it, it is a straggler
 * with its own finding; this finding is then about the increase that all share, if any. A warm-up
 * is left to slow-iterations.
 */
#include "analysis/words/step_words.h"
#include "base/text/units.h"
#include "derive/derived.h"
#include "derive/graph/late/straggler.h"
#include "findings/rule.h"
#include "findings/rules/step_kernels.h"

WL_DECLARE_RULE(step_time_changed);

struct telling {
	struct wl_rule_state *d;
	struct wl_step_cause cause;
	struct wl_claim claim;
	const char *what, *when; /* the text on step times, and on when they changed */
};

static bool is_on(const struct wl_step_change *c, const struct wl_rule_gpu *gpu, uint32_t tile)
{
	const struct wl_ledger_lane *lane = gpu->lane;

	return gpu->in_sample[tile] && lane->tile[tile].iter != WL_NONE &&
	       wl_step_side_of(c, lane->process, lane->tile[tile].iter) == WL_STEP_CHANGED;
}

static void claim_gpu(struct telling *t, size_t g)
{
	wl_ns by_cause[WL_N_LOSSES + 1] = { 0 };
	const struct wl_rule_gpu *gpu = &t->d->gpu[g];
	const struct wl_usual_step *like = &t->cause.gpu[g].like;

	for (uint32_t i = 0; i < gpu->lane->n_tiles; i++) {
		wl_ns length = gpu->lane->tile[i].length;
		struct wl_usual_step usual = *like;

		if (!is_on(t->cause.change, gpu, i) || length <= like->length)
			continue;
		if (t->cause.shared && length - t->cause.shared > like->length)
			usual.length = length - t->cause.shared;
		wl_usual_step_claim(t->d, g, i, &usual, &t->claim, by_cause);
		t->claim.n_steps[g]++;
	}
	t->claim.is_rare[g] = true;
}

/* The reference steps in words: "steps 1-9", "steps 1-9 and 15-19". */
static const char *say_like(struct telling *t)
{
	const struct wl_step_change *c = t->cause.change;

	if (c->kind == WL_CHANGE_EPISODE && !c->is_around)
		return "the others";
	return wl_say(t->d, "steps %u-%u", c->like_first, c->like_last);
}

/* "the GPU", "all GPUs", "all GPUs but GPU 6, which takes longer still". */
static const char *say_where(struct telling *t)
{
	size_t n = 0, one = 0;

	for (size_t i = 0; i < t->d->n_gpus; i++) {
		if (t->cause.gpu[i].stands_out) {
			one = i;
			n++;
		}
	}
	if (n == 1)
		return wl_say(t->d, "all GPUs but GPU %u, which takes longer still",
			      t->d->gpu[one].lane->device);
	if (n > 1)
		return wl_say(t->d, "all GPUs but %zu, which take longer still", n);
	return t->cause.n == 1 ? "the GPU" : "all GPUs";
}

/* WL_STOP "; all kernels take 1.24 times as long as in steps 1-5"; "" if nothing explains it. */
static const char *say_compute(struct telling *t)
{
	const char *like = say_like(t), *where = say_where(t);
	char now[WL_UNITS_BUF], before[WL_UNITS_BUF];
	struct wl_step_kernels k;

	if (!like || !where || !wl_step_kernels_find(t->d, &t->cause, &k))
		return NULL;
	if (k.are_alike) {
		t->claim.fix = (struct wl_advice){
			.action = "Check GPU clocks, power and temperature",
			.advice =
				"All kernels take longer alike in these steps: a power cap, heat, "
				"lower clocks, "
				"or another tenant of the GPUs (nvidia-smi -q -d PERFORMANCE). "
				"--gpu-metrics-devices=all records clocks.",
		};
		return wl_say(t->d, WL_STOP "; all kernels take %.2f times as long as in %s on %s",
			      k.factor, like, where);
	}
	if (!k.is_first_half || k.most[0].like == 0)
		return WL_STOP "; compute takes longer, no kernel half of it";
	t->claim.fix = (struct wl_advice){
		.action = wl_say(t->d, "Find why %s takes longer",
				 wl_say_kernel(t->d, k.most[0].name)),
		.advice = "Compare its inputs in a slow and a fast step: shapes, memory placement, "
			  "sequence lengths.",
	};
	return wl_say(t->d, WL_STOP "; %s takes %.2f times as long (%s instead of %s of each step)",
		      wl_say_kernel(t->d, k.most[0].name),
		      (double)k.most[0].now / (double)k.most[0].like,
		      wl_fmt_ns(now, k.most[0].now, WL_UNIT_AUTO),
		      wl_fmt_ns(before, k.most[0].like, WL_UNIT_AUTO));
}

static const char *say_loss(struct telling *t)
{
	char more[WL_UNITS_BUF];
	bool is_idle = t->cause.loss < (enum wl_loss)WL_N_CAUSES;

	t->claim.fix = (struct wl_advice){
		.action = wl_say(t->d, "Compare %s of a slow and a fast step",
				 wl_say_loss(t->cause.loss)),
		.advice =
			is_idle ? "Look for what grows or begins there: a list that is searched, "
				  "logging, memory that fragments, another load of the host."
				: "Look for what begins there: other traffic on the links, larger "
				  "messages or copies.",
	};
	return wl_say(t->d, WL_STOP "; %s%s takes %s more of each step",
		      is_idle ? "GPU idle in " : "", wl_say_loss(t->cause.loss),
		      wl_fmt_ns(more, t->cause.loss_ns, WL_UNIT_AUTO));
}

static const char *say_one(struct telling *t)
{
	for (size_t i = 0; i < t->d->n_gpus; i++) {
		if (t->cause.gpu[i].has_own)
			return wl_say(t->d,
				      WL_STOP "; GPU %u takes longer, and the others wait for it",
				      t->d->gpu[i].lane->device);
	}
	return "";
}

static const char *say_cause(struct telling *t)
{
	switch (t->cause.kind) {
	case WL_STEP_BY_COMPUTE:
		return say_compute(t);
	case WL_STEP_BY_LOSS:
		return say_loss(t);
	case WL_STEP_BY_ONE:
		return say_one(t);
	case WL_STEP_BY_WORK:
	case WL_STEP_BY_NOTHING:
		break;
	}
	return "";
}

/* The evidence command: reference and changed steps. */
static struct wl_cmdline evidence_of(const struct telling *t)
{
	const struct wl_step_change *c = t->cause.change;

	return (struct wl_cmdline){ .verb = "iters",
				    .has_steps = true,
				    .step = { c->first < c->like_first ? c->first : c->like_first,
					      c->last > c->like_last ? c->last : c->like_last } };
}

static bool put_loss(const struct wl_rule *rule, struct telling *t)
{
	const char *cause, *sentence;
	size_t g;

	for (size_t i = 0; i < t->d->n_gpus; i++) {
		if (t->cause.gpu[i].takes_part)
			claim_gpu(t, i);
	}
	g = wl_claim_gpu(t->d, &t->claim);
	cause = say_cause(t);
	t->claim.evidence = evidence_of(t);
	t->claim.is_placed = true;
	for (uint32_t i = (uint32_t)t->d->gpu[g].lane->n_tiles; i-- > 0;) {
		if (is_on(t->cause.change, &t->d->gpu[g], i))
			t->claim.at = t->d->gpu[g].lane->tile[i].begin;
	}
	sentence = t->what && cause ? wl_say(t->d, "%s%s", t->what, cause) : NULL;
	return sentence &&
	       wl_rule_state_put(t->d, rule, &t->claim, t->when, sentence, &t->claim.evidence);
}

/* "the work grows; kernels have 7,778 thread blocks in a step instead of 3,034". */
static const char *say_work(struct telling *t)
{
	const struct wl_step_change *c = t->cause.change;
	bool is_number = t->cause.kernels[0] != t->cause.kernels[1];
	const uint64_t *of = is_number ? t->cause.kernels : t->cause.blocks;
	const char *now = wl_say_count(t->d, of[1]), *like = wl_say_count(t->d, of[0]);
	bool grows = (c->kind == WL_CHANGE_DRIFT || c->kind == WL_CHANGE_RAMP) &&
		     !c->is_faster_later && of[1] > of[0];

	if (!now || !like)
		return NULL;
	return wl_say(
		t->d,
		is_number ? "the work %s; a GPU runs %s kernels in a step instead of %s"
			  : "the work %s; kernels have %s thread blocks in a step instead of %s",
		grows ? "grows" : "changes", now, like);
}

static bool put_work(const struct wl_rule *rule, struct telling *t)
{
	const struct wl_step_change *c = t->cause.change;
	struct wl_finding f = {
		.kind = WL_FINDING_SHARE,
		.subject = t->when,
		.share = c->changed > 0 ? (double)(c->changed - c->reference) / (double)c->changed
					: 0,
		.is_placed = true,
		.fix.action = "Compare only steps with equal work",
		.fix.advice = "Nothing is lost there: the input grows, or another phase of the "
			      "program begins. Averages over both are true of neither.",
		.evidence = evidence_of(t),
	};
	const char *work = say_work(t);

	for (size_t i = 0; i < t->d->n_gpus && !t->cause.gpu[f.gpu].takes_part; i++)
		f.gpu = i;
	f.at = t->d->gpu[f.gpu].begin;
	f.sentence = t->what && work ? wl_say(t->d, "%s" WL_STOP ": %s", t->what, work) : NULL;
	return f.sentence && wl_rule_state_put_plain(t->d, rule, &f);
}

/* Whether another rule reports it: a straggler has its own finding, and a warm-up belongs to
 * slow-iterations. */
static bool is_told_elsewhere(const struct telling *t)
{
	const struct wl_stragglers *s = t->d->run->derived->stragglers;

	return t->cause.n == 0 || t->cause.change->kind == WL_CHANGE_WARM_UP || t->cause.by <= 0 ||
	       (t->cause.kind == WL_STEP_BY_ONE && s && s->n > 0);
}

static bool apply(const struct wl_rule *rule, struct wl_rule_state *d)
{
	struct telling t = { .d = d };

	if (!wl_step_cause_find(d, &t.cause))
		return false;
	if (is_told_elsewhere(&t))
		return true;
	t.when = wl_step_change_when(t.cause.change, d->run->arena);
	if (!t.when || !wl_claim_init(d, &t.claim))
		return false;
	t.what = wl_step_change_say(t.cause.change, true, d->run->arena);
	return t.cause.kind == WL_STEP_BY_WORK ? put_work(rule, &t) : put_loss(rule, &t);
}

static const enum wl_column_id columns[] = { WL_KERNELS_NAME, WL_KERNELS_CONFIG, WL_N_COLUMNS };

const struct wl_rule wl_rule_step_time_changed = {
	.from = WL_FROM(STEP_CHANGE) | WL_FROM(STRAGGLERS) | WL_FROM(NAMED),
	.columns = columns,
	.code = "step-time-changed",
	.is_of_steps = true,
	.reach = WL_REACH_LATE,
	.title = "Steps become slower or faster while the program runs",
	.fix.action = "Compare a slow step with a fast one",
	.fix.advice = "Look for what begins, ends or grows there: clocks, another tenant, input "
		      "sizes, logging, a checkpoint.",
	.scenario = "step-time-changed",
	.limits = "About 1 of 100 runs shows a change by chance, and more where step times wander. "
		  "Steps of equal kernels and grids can still do other work.",
	.best_place.slowest = true,
	.apply = apply,
};
