/* SPDX-License-Identifier: MIT */
/*
 * start_up.c - a rule: time lost once rather than in every step.
 *
 * All idle time before the first step is start-up if there are at least eight steps that are not
 * guessed, or if it is a tenth of the window. Allocations and loads in fewer than ten and at most
 * half of the steps are start-up, too. Without steps, start-up is the idle time of a warm-up
 * (iters.h), and events that provably happen once: the launch call of a kernel's first run, loading
 * and compiling, communicators, and calls of 1 ms and more that occur fewer than ten times.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text/units.h"
#include "derive/derived.h"
#include "findings/rule.h"
#include "findings/rules/jit_cache.h"

WL_DECLARE_RULE(start_up);

enum reason { FIRST_LAUNCH, LOAD, ALLOC, COMM, CALL, BEFORE, N_REASONS, NO_REASON = N_REASONS };

struct words {
	const char *subject, *what;
	struct wl_cmdline evidence;
	const char *often; /* the action if it occurs often; NULL: the rule's */
	struct wl_advice fix;
};

#define LATER                                                                                      \
	"Start the capture after the warm-up: --delay, or --capture-range=cudaProfilerApi with "   \
	"cudaProfilerStart."

static const struct words words[N_REASONS] = {
	[FIRST_LAUNCH] = {
		.subject = "first launches",
		.what = "first launches of kernels (lazy module loading)",
		.fix.advice = LATER
			" CUDA_MODULE_LOADING=EAGER loads all kernels when the process starts.",
		.evidence = { .verb = "idle", .option = { { "by", "detail" }, { "where", "cause = launch" } } },
	},
	[LOAD] = {
		.subject = "loading and compiling",
		.what = "loading modules and compiling kernels",
		.fix.advice = LATER " Keep compiled kernels in a cache between runs.",
		.fix.in = {
			[WL_PYTORCH] = "TORCHINDUCTOR_CACHE_DIR names a directory that outlives the "
				       "run",
			[WL_JAX] = "jax.config.update(\"jax_compilation_cache_dir\", DIR)",
		},
		.evidence = { .verb = "idle", .option = { { "by", "detail" } } },
	},
	[ALLOC] = {
		.subject = "allocation",
		.what = "allocating and registering memory",
		.fix.advice = LATER " Allocate and register large buffers once, and reuse them.",
		.evidence = { .verb = "idle", .option = { { "by", "detail" }, { "where", "cause = alloc" } } },
		.often = "Allocate once and reuse, or start the capture later",
	},
	[COMM] = {
		.subject = "communicators",
		.what = "setting up communicators",
		.fix.advice = LATER,
		.evidence = { .verb = "idle", .option = { { "by", "detail" } } },
	},
	[CALL] = {
		.subject = "set-up calls",
		.what = "CUDA set-up calls",
		.fix.advice = LATER,
		.evidence = { .verb = "idle", .option = { { "by", "detail" }, { "where", "cause = api" } } },
	},
	[BEFORE] = {
		.subject = "before the steps",
		.what = "GPU idle",
		.fix.advice = LATER,
		.evidence = { .verb = "gaps" },
	},
};

/* CUDA loads modules lazily from 11.7 on; an unknown version may be newer. */
static bool may_load_lazily(const struct wl_rule_state *d)
{
	const long first_lazy = 11070;
	const char *text = wl_trace_meta(d->run->trace, "CudaDriverVersion");
	long version = text ? strtol(text, NULL, 10) : 0;

	return version <= 0 || version >= first_lazy;
}

static const struct words *words_of(const struct wl_rule_state *d, enum reason r)
{
	static const struct words eager = {
		.subject = "first launches",
		.what = "first launches of kernels",
		.fix.advice = LATER,
		.evidence = { .verb = "idle",
			      .option = { { "by", "detail" }, { "where", "cause = launch" } } },
	};

	return r == FIRST_LAUNCH && !may_load_lazily(d) ? &eager : &words[r];
}

/* Advice on idle time before few or guessed steps, which may be part of the program. */
static const struct wl_advice of_few = {
	.action = "See what the host does before the first step",
	.advice =
		"The steps are few, or a guess: this may be as much of the program as they are. If "
		"it is set-up, start the capture later: --delay, or "
		"--capture-range=cudaProfilerApi with cudaProfilerStart.",
};

static bool has_word(const char *name, const char *const *word, size_t n)
{
	for (size_t i = 0; name && i < n; i++) {
		if (strcasestr(name, word[i]))
			return true;
	}
	return false;
}

/* The reason that a range's name gives: NVRTC, nvFuser, Triton, torch.compile; NCCL's own
 * ranges. */
static enum reason reason_of_range(const char *range)
{
	static const char *const compile[] = { "nvrtc", "compile", "jit", "autotun" };
	static const char *const comm[] = { "ncclCommInit", "ncclCommSplit", "init_process_group" };

	if (has_word(range, comm, WL_COUNT(comm)))
		return COMM;
	return has_word(range, compile, WL_COUNT(compile)) ? LOAD : NO_REASON;
}

/* The reason that the rows prove; n_long: the number of such long calls. */
static enum reason reason_of(const struct wl_atom *atom, uint64_t n_long)
{
	bool is_rare = (atom->flags & WL_LOST_IN_LONG) && n_long < WL_HABIT;

	switch (atom->loss) {
	case WL_CAUSE_LAUNCH:
		return (atom->flags & WL_LOST_TO_FIRST) && (atom->flags & WL_LOST_IN_LONG)
			       ? FIRST_LAUNCH
			       : NO_REASON;
	case WL_CAUSE_LOAD:
		return LOAD;
	case WL_CAUSE_ALLOC:
		return is_rare ? ALLOC : NO_REASON;
	case WL_CAUSE_API:
		return is_rare ? CALL : NO_REASON;
	case WL_CAUSE_HOST:
		return reason_of_range(atom->detail);
	default:
		return NO_REASON;
	}
}

/* The reason for idle time before the first step or in the warm-up; is_sound: the steps are
 * real. */
static enum reason reason_before(const struct wl_atom *atom, bool is_sound)
{
	enum reason r = reason_of(atom, 0);

	switch (atom->loss) {
	case WL_CAUSE_MANAGED:
	case WL_CAUSE_UNKNOWN:
	case WL_CAUSE_PROFILER:
	case WL_CAUSE_DISPATCH:
	case WL_CAUSE_DEPENDENCY:
	case WL_CAUSE_UNUSED:
	case WL_LOSS_EXPOSED_COMM:
	case WL_LOSS_EXPOSED_COPY:
		return NO_REASON;
	case WL_CAUSE_ALLOC:
		return ALLOC;
	default:
		return r == NO_REASON && is_sound ? BEFORE : r;
	}
}

/* The time of one call or range for a reason on a GPU. */
struct part {
	size_t gpu;
	enum wl_loss loss;
	const char *name;
	wl_ns ns, longest; /* longest: whole length of one call or range */
	uint64_t n;        /* gaps */
};

/* The time of one reason, on each GPU. */
struct started {
	struct wl_claim claim;
	uint64_t *n;
	bool *is_later;    /* some of it is after the first step or the warm-up began */
	struct part *most; /* the part with most time */
	struct part last;
};

/* Atoms with one name are adjacent. */
static void add_part(struct started *s, size_t t, const struct wl_atom *atom, wl_ns ns)
{
	struct part *p = &s->last;

	if (p->ns == 0 || p->gpu != t || p->loss != atom->loss || p->name != atom->detail)
		*p = (struct part){ .gpu = t, .loss = atom->loss, .name = atom->detail };
	p->ns += ns;
	p->n += atom->n;
	p->longest = atom->longest > p->longest ? atom->longest : p->longest;
	if (p->ns > s->most[t].ns)
		s->most[t] = *p;
}

static void take(struct started *s, struct wl_rule_state *d, size_t t, size_t i)
{
	const struct wl_rule_gpu *gpu = &d->gpu[t];
	const struct wl_atom *atom = &gpu->lane->atom[i];
	bool is_outside = gpu->by_step && !gpu->in_sample[atom->tile];
	wl_ns ns = is_outside ? atom->ns : gpu->left[i];

	s->claim.ns[t] += ns;
	s->claim.all += ns;
	for (size_t k = 0; ns == atom->ns && k < WL_N_PEAKS; k++)
		wl_peak_add(s->claim.peak[t], atom->peak[k].at, atom->peak[k].ns);
	wl_claim_add_stacks(d, &s->claim, t, i);
	wl_rule_state_keep(d, &s->claim, t, i, ns);
	s->n[t] += atom->n;
	s->is_later[t] = s->is_later[t] || !(atom->flags & WL_LOST_BEFORE);
	add_part(s, t, atom, ns);
	gpu->left[i] = 0;
}

/* Atoms of one call are adjacent within a tile; without steps there is one tile. */
static uint64_t count_long(const struct wl_rule_gpu *gpu, size_t i)
{
	const struct wl_atom *all = gpu->lane->atom, *atom = &all[i];
	uint64_t n = 0;

	for (; i < gpu->lane->n_atoms && all[i].tile == atom->tile && all[i].loss == atom->loss &&
	       all[i].detail == atom->detail;
	     i++)
		n += all[i].flags & WL_LOST_IN_LONG ? all[i].n : 0;
	return n;
}

/* Take the time of one reason on a GPU without steps. */
static void take_without_steps(struct started *s, enum reason reason, struct wl_rule_state *d,
			       size_t t)
{
	const struct wl_rule_gpu *gpu = &d->gpu[t];
	uint64_t n_long = 0;

	for (size_t i = 0; i < gpu->lane->n_atoms; i++) {
		const struct wl_atom *atom = &gpu->lane->atom[i];
		enum reason r;

		if (i == 0 || atom->loss != atom[-1].loss || atom->detail != atom[-1].detail)
			n_long = count_long(gpu, i);
		if (gpu->left[i] == 0)
			continue;
		r = atom->flags & WL_LOST_BEFORE ? reason_before(atom, true)
						 : reason_of(atom, n_long);
		if (r == reason)
			take(s, d, t, i);
	}
}

/*
 * Whether fewer than ten steps, and at most half of them, have a cause that does not make several
 * steps slow: it does not belong to the loop.
 */
static bool is_rare(const struct wl_rule_gpu *gpu, enum wl_cause cause)
{
	size_t n = 0;

	if (gpu->recurring >> cause & 1)
		return false;
	for (size_t i = 0; i < gpu->lane->n_tiles; i++)
		n += gpu->in_sample[i] && gpu->lane->tile[i].loss[cause] > 0;
	return n < WL_HABIT && 2 * n <= gpu->n_steps;
}

/* Whether idle time before the first step is so much of the window that it must be reported. */
static bool is_much_before(const struct wl_rule_state *d, size_t t)
{
	enum { TENTH = 10 };
	const struct wl_rule_gpu *gpu = &d->gpu[t];
	wl_ns sum = 0;

	for (size_t i = 0; i < gpu->lane->n_atoms; i++) {
		const struct wl_atom *atom = &gpu->lane->atom[i];

		if (atom->flags & WL_LOST_BEFORE && reason_before(atom, true) == BEFORE)
			sum += atom->ns;
	}
	return sum >= gpu->window / TENTH;
}

/* Whether there are enough steps that are not guessed: time before a few steps, or guessed ones,
 * may be as much a part of the program as they are. */
static bool has_sound_steps(const struct wl_rule_state *d, size_t t)
{
	enum { FEW = 8 };
	const struct wl_iterations *all = d->run->derived->iterations;
	const struct wl_process_iters *p = all ? &all->process[d->gpu[t].lane->process] : NULL;

	return p && !p->is_guess && p->n >= FEW;
}

static void take_with_steps(struct started *s, enum reason reason, struct wl_rule_state *d,
			    size_t t)
{
	const struct wl_rule_gpu *gpu = &d->gpu[t];
	bool is_sound = has_sound_steps(d, t) || is_much_before(d, t);
	bool is_rare_load = is_rare(gpu, WL_CAUSE_LOAD);
	bool is_rare_alloc = is_rare(gpu, WL_CAUSE_ALLOC);

	for (size_t i = 0; i < gpu->lane->n_atoms; i++) {
		const struct wl_atom *atom = &gpu->lane->atom[i];
		enum reason r = NO_REASON;

		if (atom->flags & WL_LOST_BEFORE)
			r = reason_before(atom, is_sound);
		else if (gpu->left[i] > 0 && is_rare_load && atom->loss == WL_CAUSE_LOAD)
			r = LOAD;
		else if (gpu->left[i] > 0 && is_rare_alloc && atom->loss == WL_CAUSE_ALLOC)
			r = ALLOC;
		if (r == reason)
			take(s, d, t, i);
	}
}

/* WL_STOP "; largest part: `X` (14.2%)", or ", 72.6% of it in `X` (1,003 gaps, the longest 3 ms)"
 */
static const char *say_share(struct wl_rule_state *d, const struct part *most, const char *name,
			     wl_ns all)
{
	double of_all = (double)most->ns / (double)all;
	char longest[WL_UNITS_BUF], share[WL_UNITS_BUF];
	const char *n = wl_say_count(d, most->n);

	(void)wl_fmt_share(share, of_all);
	if (of_all <= 0.5)
		return wl_say(d, WL_STOP "; largest part: %s (%s)", name, share);
	if (most->n < WL_HABIT || !n)
		return wl_say(d, WL_STOP ", %s of it in %s", share, name);
	return wl_say(d, WL_STOP ", %s of it in %s (%s gaps, the longest %s)", share, name, n,
		      wl_fmt_ns(longest, most->longest, WL_UNIT_AUTO));
}

/* ", once, in `X`", ", the longest 3 ms in `X`" */
static const char *say_part(struct wl_rule_state *d, const struct started *s, size_t t)
{
	const struct part *most = &s->most[t];
	const char *name = wl_say_quoted(d, most->name, "host code outside any NVTX range");
	char longest[WL_UNITS_BUF];

	/* It may be inside a start/end range, which does not name host code. */
	if (!most->name && (d->gpu[t].lane->warm_up || !wl_has_ranges(d)))
		return "";
	if (s->n[t] <= 1)
		return wl_say(d, WL_STOP ", once, in %s", name);
	/* If a range is longer than the whole claim, its length says nothing about it. */
	if (!most->name || most->n >= WL_HABIT || most->longest > s->claim.ns[t])
		return say_share(d, most, name, s->claim.ns[t]);
	return wl_say(d, WL_STOP ", the longest %s in %s",
		      wl_fmt_ns(longest, most->longest, WL_UNIT_AUTO), name);
}

/* When the start-up happens, if known; is_whole: all causes count. NULL without memory. */
static const char *say_when(struct wl_rule_state *d, const struct started *s, size_t t,
			    bool is_whole)
{
	const struct wl_warm_up *warm = d->gpu[t].lane->warm_up;
	char first[WL_UNITS_BUF], second[WL_UNITS_BUF];

	if (d->gpu[t].by_step)
		return s->is_later[t] ? ""
		       : is_whole     ? " before the first step"
				      : WL_STOP " before the first step";
	if (!warm || !is_whole)
		return "";
	return wl_say(d, WL_STOP " until the first `%s` ends (it takes %s, the second %s)",
		      wl_say_detail(d, warm->label, "?"),
		      wl_fmt_ns(first, warm->first, WL_UNIT_AUTO),
		      wl_fmt_ns(second, warm->second, WL_UNIT_AUTO));
}

/* Whether first launches, loads and calls before the steps have separate findings. */
static bool is_rest(const struct started *of, size_t t)
{
	for (size_t r = 0; r < BEFORE; r++) {
		if (of[r].claim.ns[t] > 0)
			return true;
	}
	return false;
}

static const char *describe(struct wl_rule_state *d, const struct started *of, enum reason r)
{
	const struct started *s = &of[r];
	const struct words *w = words_of(d, r);
	size_t t = wl_claim_gpu(d, &s->claim);
	char time[WL_UNITS_BUF], share[WL_UNITS_BUF];
	const char *part = say_part(d, s, t), *when = say_when(d, s, t, r == BEFORE);
	const char *stacks = wl_say_stacks(d, &s->claim);
	const char *cache = wl_say_jit_cache(d, s->most[t].name);

	return part && when && stacks && cache
		       ? wl_say(d,
				"Start-up: %s%s%s" WL_STOP
				", %s of the window (%s) on GPU %u%s%s%s",
				w->what, when,
				r == BEFORE && is_rest(of, t) ? WL_STOP
					", not counting set-up calls and compiling"
							      : "",
				wl_fmt_ns(time, s->claim.ns[t], WL_UNIT_AUTO),
				wl_fmt_share(share, wl_claim_window_share(d, &s->claim, t)),
				d->gpu[t].lane->device, part, cache, stacks)
		       : NULL;
}

static bool add_finding(const struct wl_rule *rule, struct wl_rule_state *d,
			const struct started *of, enum reason r)
{
	const struct started *s = &of[r];
	const struct words *w = words_of(d, r);
	size_t t = wl_claim_gpu(d, &s->claim);
	bool is_of_few = r == BEFORE && d->gpu[t].by_step && !has_sound_steps(d, t);
	struct wl_finding f = { .kind = WL_FINDING_SAVING,
				.subject = r == BEFORE && d->gpu[t].lane->warm_up ? "warm-up"
										  : w->subject,
				.claim = s->claim.number,
				.gpu = t,
				.of_window = true,
				.is_once = true,
				.saving = s->claim.ns[t],
				.fix = is_of_few ? of_few : w->fix };

	for (size_t i = 0; i < d->n_gpus; i++)
		f.gpu_time += s->claim.ns[i];
	if (f.gpu_time == 0)
		return true;
	if (wl_is_jit(d, s->most[t].name))
		f.fix = wl_jit_advice;
	else if (!is_of_few)
		f.fix.action = s->most[t].n >= WL_HABIT && w->often ? w->often : rule->fix.action;
	f.share = f.window_share = wl_claim_window_share(d, &s->claim, t);
	f.at = wl_claim_longest(&s->claim, t).at;
	f.is_placed = wl_claim_longest(&s->claim, t).ns > 0;
	f.sentence = describe(d, of, r);
	f.evidence = wl_cmdline_on(w->evidence, d->gpu[t].lane->device);
	return wl_rule_state_put_plain(d, rule, &f);
}

static bool apply(const struct wl_rule *rule, struct wl_rule_state *d)
{
	struct started of[N_REASONS] = { { .n = NULL } };
	struct wl_arena *arena = d->run->arena;
	bool ok = true;

	for (size_t r = 0; r < N_REASONS; r++) {
		of[r].n = WL_NEW(arena, uint64_t, d->n_gpus);
		of[r].is_later = WL_NEW(arena, bool, d->n_gpus);
		of[r].most = WL_NEW(arena, struct part, d->n_gpus);
		if (!of[r].n || !of[r].is_later || !of[r].most || !wl_claim_init(d, &of[r].claim))
			return false;
	}
	for (enum reason r = 0; ok && r < N_REASONS; r++) {
		for (size_t t = 0; t < d->n_gpus; t++) {
			if (d->gpu[t].by_step)
				take_with_steps(&of[r], r, d, t);
			else
				take_without_steps(&of[r], r, d, t);
		}
		ok = wl_claim_name_function(d, wl_claim_gpu(d, &of[r].claim), &of[r].claim) &&
		     add_finding(rule, d, of, r);
	}
	return ok;
}

const struct wl_rule wl_rule_start_up = {
	.code = "start-up",
	.title = "One-time cost: loading, compiling, allocating, set-up",
	.fix.action = "Warm up first, or start the capture later",
	.from = WL_FROM(CALL_COSTS),
	.unreplayed = "one-time cost",
	.limits = "One-time cost: a longer run does not pay it again.",
	.best_place.losses = 1U << WL_CAUSE_LAUNCH | 1U << WL_CAUSE_LOAD | 1U << WL_CAUSE_ALLOC |
			     1U << WL_CAUSE_API | 1U << WL_CAUSE_HOST | 1U << WL_CAUSE_OS |
			     1U << WL_CAUSE_MPI | 1U << WL_CAUSE_SYNC,
	.apply = apply,
};
