/*
 * start_up.c - what happens once: it is outside the steps, and no matter of the loop.
 *
 * Where there are at least eight steps that are no guess, all idle time before the first of
 * them is start-up. Allocations and loads that less than ten and at most half of the steps
 * have are start-up, too. Without steps it is what the rows prove to happen once: the launch call
 * of a kernel's first run, loading and compiling, communicators, and calls of 1 ms and more that
 * are there fewer than ten times.
 */
#include <string.h>

#include "base/units.h"
#include "derive/derived.h"
#include "findings/rule.h"

enum reason { FIRST_LAUNCH, LOAD, ALLOC, COMM, CALL, BEFORE, N_REASONS, NO_REASON = N_REASONS };

struct words {
	const char *subject, *what, *advice, *evidence;
};

#define LATER                                                                                      \
	"Start the capture after the warm-up: --delay, or --capture-range=cudaProfilerApi with "   \
	"cudaProfilerStart. "

static const struct words words[N_REASONS] = {
	[FIRST_LAUNCH] = { "first launches", "first launches of kernels (lazy module loading)",
			   LATER
			   "CUDA_MODULE_LOADING=EAGER loads all kernels when the process starts.",
			   "idle TRACE --by detail --where 'cause = launch'" },
	[LOAD] = { "loading and compiling", "loading modules and compiling kernels",
		   LATER "Keep compiled kernels in a cache between runs.",
		   "idle TRACE --by detail" },
	[ALLOC] = { "allocation", "allocating and registering memory",
		    LATER "Allocate and register large buffers once, and reuse them.",
		    "idle TRACE --by detail --where 'cause = alloc'" },
	[COMM] = { "communicators", "setting up communicators", LATER, "idle TRACE --by detail" },
	[CALL] = { "set-up calls", "CUDA calls that set things up", LATER,
		   "idle TRACE --by detail --where 'cause = api'" },
	[BEFORE] = { "before the steps", "GPU idle before the first step", LATER, "gaps TRACE" },
};

static bool has_word(const char *name, const char *const *word, size_t n)
{
	for (size_t i = 0; name && i < n; i++) {
		if (strcasestr(name, word[i]))
			return true;
	}
	return false;
}

/* Ranges that say what they are: NVRTC, nvFuser, Triton, torch.compile; NCCL's own. */
static enum reason reason_of_range(const char *range)
{
	static const char *const compile[] = { "nvrtc", "compile", "jit", "autotun" };
	static const char *const comm[] = { "ncclCommInit", "ncclCommSplit", "init_process_group" };

	if (has_word(range, comm, WL_COUNT(comm)))
		return COMM;
	return has_word(range, compile, WL_COUNT(compile)) ? LOAD : NO_REASON;
}

/* By what the rows prove; n_long: how often such a call is there that is so long. */
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

/* Of idle time before the first step; is_sound: the steps are steps. */
static enum reason reason_before(const struct wl_atom *atom, bool is_sound)
{
	enum reason r = reason_of(atom, 0);

	switch (atom->loss) {
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

/* What one reason has, on each track. */
struct started {
	struct wl_claim claim;
	uint64_t *n;
	wl_ns *longest;
	const char *call; /* in which the longest is */
	wl_ns call_ns;
};

static void take(struct started *s, const struct wl_docket *d, size_t t, size_t i)
{
	const struct wl_docket_device *track = &d->track[t];
	const struct wl_atom *atom = &track->lane->atom[i];
	bool is_outside = track->by_step && !track->in_sample[atom->tile];

	s->claim.ns[t] += is_outside ? atom->ns : track->left[i];
	s->n[t] += atom->n;
	s->longest[t] = atom->longest > s->longest[t] ? atom->longest : s->longest[t];
	if (atom->longest > s->call_ns) {
		s->call = atom->detail;
		s->call_ns = atom->longest;
	}
	track->left[i] = 0;
}

/* Atoms of one call follow each other within a tile; without steps there is one tile. */
static uint64_t count_long(const struct wl_docket_device *track, size_t i)
{
	const struct wl_atom *all = track->lane->atom, *atom = &all[i];
	uint64_t n = 0;

	for (; i < track->lane->n_atoms && all[i].tile == atom->tile && all[i].loss == atom->loss &&
	       all[i].detail == atom->detail;
	     i++)
		n += all[i].flags & WL_LOST_IN_LONG ? all[i].n : 0;
	return n;
}

static void take_without_steps(struct started *of, const struct wl_docket *d, size_t t)
{
	const struct wl_docket_device *track = &d->track[t];
	uint64_t n_long = 0;

	for (size_t i = 0; i < track->lane->n_atoms; i++) {
		const struct wl_atom *atom = &track->lane->atom[i];
		enum reason r;

		if (i == 0 || atom->loss != atom[-1].loss || atom->detail != atom[-1].detail)
			n_long = count_long(track, i);
		r = track->left[i] > 0 ? reason_of(atom, n_long) : NO_REASON;
		if (r != NO_REASON)
			take(&of[r], d, t, i);
	}
}

/* Less than ten steps, and at most half of them, have it: it is no matter of the loop. */
static bool is_rare(const struct wl_docket_device *track, enum wl_cause cause)
{
	size_t n = 0;

	for (size_t i = 0; i < track->lane->n_tiles; i++)
		n += track->in_sample[i] && track->lane->tile[i].loss[cause] > 0;
	return n < WL_HABIT && 2 * n <= track->n_steps;
}

/* What comes before a few ranges, or a guess, may be as much of the program as they are. */
static bool has_sound_steps(const struct wl_docket *d, size_t t)
{
	enum { FEW = 8 };
	const struct wl_iterations *all = wl_derived_iterations(d->run->derived);
	const struct wl_process_iters *p = all ? &all->process[d->track[t].lane->process] : NULL;

	return p && !p->is_guess && p->n >= FEW;
}

static void take_with_steps(struct started *of, const struct wl_docket *d, size_t t)
{
	const struct wl_docket_device *track = &d->track[t];
	bool is_sound = has_sound_steps(d, t);
	bool is_rare_load = is_rare(track, WL_CAUSE_LOAD);
	bool is_rare_alloc = is_rare(track, WL_CAUSE_ALLOC);

	for (size_t i = 0; i < track->lane->n_atoms; i++) {
		const struct wl_atom *atom = &track->lane->atom[i];
		enum reason r = NO_REASON;

		if (atom->flags & WL_LOST_BEFORE)
			r = reason_before(atom, is_sound);
		else if (track->left[i] > 0 && is_rare_load && atom->loss == WL_CAUSE_LOAD)
			r = LOAD;
		else if (track->left[i] > 0 && is_rare_alloc && atom->loss == WL_CAUSE_ALLOC)
			r = ALLOC;
		if (r != NO_REASON)
			take(&of[r], d, t, i);
	}
}

static const char *tell(struct wl_docket *d, const struct started *s, const struct words *w)
{
	size_t t = wl_claim_track(d, &s->claim);
	char time[WL_UNITS_BUF], share[WL_UNITS_BUF], longest[WL_UNITS_BUF];
	const char *call = wl_say_detail(d, s->call, "host code");

	(void)wl_fmt_ns(time, s->claim.ns[t], WL_UNIT_AUTO);
	(void)wl_fmt_ratio(share, wl_claim_window_share(d, &s->claim, t));
	(void)wl_fmt_ns(longest, s->longest[t], WL_UNIT_AUTO);
	if (s->n[t] <= 1)
		return wl_say(d, "Start-up: %s, %s of the window (%s) on GPU %u, once, in %s",
			      w->what, time, share, d->track[t].lane->device, call);
	return wl_say(d, "Start-up: %s, %s of the window (%s) on GPU %u, the longest %s in %s",
		      w->what, time, share, d->track[t].lane->device, longest, call);
}

static bool put(const struct wl_rule *rule, struct wl_docket *d, const struct started *s,
		const struct words *w)
{
	size_t t = wl_claim_track(d, &s->claim);
	struct wl_finding f = { .kind = WL_FINDING_SAVING,
				.subject = w->subject,
				.track = t,
				.of_window = true,
				.saving = s->claim.ns[t],
				.advice = w->advice };

	for (size_t i = 0; i < d->n_tracks; i++)
		f.gpu_time += s->claim.ns[i];
	if (f.gpu_time == 0)
		return true;
	f.share = f.window_share = wl_claim_window_share(d, &s->claim, t);
	f.sentence = tell(d, s, w);
	f.evidence = wl_say(d, "warplens %s --gpu %u", w->evidence, d->track[t].lane->device);
	return wl_docket_put_plain(d, rule, &f);
}

static bool apply(const struct wl_rule *rule, struct wl_docket *d)
{
	struct started of[N_REASONS] = { { .call = NULL } };
	struct wl_arena *arena = d->run->arena;
	bool ok = true;

	for (size_t r = 0; r < N_REASONS; r++) {
		of[r].n = WL_NEW(arena, uint64_t, d->n_tracks);
		of[r].longest = WL_NEW(arena, wl_ns, d->n_tracks);
		if (!of[r].n || !of[r].longest || !wl_claim_init(d, &of[r].claim))
			return false;
	}
	for (size_t t = 0; t < d->n_tracks; t++) {
		if (d->track[t].by_step)
			take_with_steps(of, d, t);
		else
			take_without_steps(of, d, t);
	}
	for (size_t r = 0; ok && r < N_REASONS; r++)
		ok = put(rule, d, &of[r], &words[r]);
	return ok;
}

const struct wl_rule wl_rule_start_up = {
	.code = "start-up",
	.action = "Warm up before profiling, or start the capture later",
	.limits = "It happens once: a longer run does not spend more time on it.",
	.sight.losses = 1U << WL_CAUSE_LAUNCH | 1U << WL_CAUSE_LOAD | 1U << WL_CAUSE_ALLOC |
			1U << WL_CAUSE_API,
	.apply = apply,
};
