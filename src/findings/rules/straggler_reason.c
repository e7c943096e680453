/* SPDX-License-Identifier: MIT */
#include "findings/rules/straggler_reason.h"

#include <string.h>

#include "base/text/units.h"
#include "findings/rules/named_loss.h"

struct reasoning {
	struct wl_rule_state *d;
	const struct wl_late_case *late;
	struct wl_member own, other; /* other: another member of its group, to compare with */
};

/* "GPU 2 is slow in steps 5-9: "; for stragglers that take turns, which is slow when. */
static const char *say_slow(const struct reasoning *r)
{
	const struct wl_late_words *w = r->late->words;

	if (r->late->set->subject == WL_LATE_UNEVEN)
		return wl_say(r->d,
			      "The work of a step is uneven between ranks" WL_STOP "; the GPU that "
			      "takes longest changes (%s): %s",
			      w->steps, w->why);
	if (r->late->set->subject == WL_LATE_ROTATING)
		return wl_say(r->d, "The slow GPU changes from step to step" WL_STOP "; %s: %s",
			      w->steps, w->why);
	return wl_say(r->d, "%s %s slow%s%s" WL_STOP ": %s", r->late->who,
		      w->is_many ? "are" : "is", *w->steps ? " " : "", w->steps, w->why);
}

/* Show the straggler's kernels beside those of another member. */
static void show_kernels(const struct reasoning *r, struct wl_claim *claim)
{
	claim->evidence =
		(struct wl_cmdline){ .verb = "kernels", .option = { { "by", "device" } } };
	wl_show_on(r->d, r->late->gpu, r->own.device, &claim->evidence);
	claim->evidence.gpus = WL_GPUS_BOTH;
	claim->evidence.gpu[1] = r->other.device;
}

/* Whether the stragglers' factors differ so much that one factor would fit none of them
 * (late_say.c). */
static bool has_range(const struct reasoning *r)
{
	const struct wl_late_set *set = r->late->set;
	const struct wl_straggler *at = r->late->all->at + set->lo;
	double least = at->factor, most = least;

	for (size_t i = 1; i < set->n; i++) {
		least = at[i].factor < least ? at[i].factor : least;
		most = at[i].factor > most ? at[i].factor : most;
	}
	return 2 * (most - least) > set->factor - 1;
}

/* "GPU 2 runs the same kernels 15.2% slower than the others: ", if that fits on a line. */
static const char *say_slower(const struct reasoning *r)
{
	enum { FITS = 70 };
	const struct wl_late_words *w = r->late->words;
	const char *text;
	char by[WL_UNITS_BUF];

	if (wl_late_changes(r->late->set) || r->late->set->factor < 1.005 || has_range(r))
		return say_slow(r);
	text = wl_say(r->d, "%s run%s the same kernels %s slower %s", r->late->who,
		      w->is_many ? "" : "s", wl_fmt_share(by, r->late->set->factor - 1),
		      *w->steps ? w->steps : "than the others");
	if (!text || strlen(text) > FITS)
		return text ? say_slow(r) : NULL;
	return wl_say(r->d, "%s" WL_STOP ": %s", text, w->why);
}

static const char *say_slow_gpu(const struct reasoning *r, struct wl_claim *claim)
{
	show_kernels(r, claim);
	claim->fix.action = wl_say(r->d, "Compare clocks and power of %s with GPU %u's",
				   r->late->who, r->other.device);
	claim->fix.advice = "Check clocks, temperature and throttle reasons (nvidia-smi -q -d "
			    "PERFORMANCE), other processes on that GPU, and input sizes.";
	return say_slower(r);
}

static const char *say_shared_gpu(const struct reasoning *r, struct wl_claim *claim)
{
	show_kernels(r, claim);
	claim->fix.action = wl_say(r->d, "Keep other processes off %s", r->late->who);
	claim->fix.advice = "Look for what else was placed on that GPU: another job, a service, a "
			    "process that was left over.";
	return say_slow(r);
}

static const char *say_slow_kernel(const struct reasoning *r, struct wl_claim *claim)
{
	show_kernels(r, claim);
	claim->fix.action = wl_say(
		r->d, "Find why %s slower on %s",
		r->late->set->n_slower > 1 ? "these kernels are" : "this kernel is", r->late->who);
	claim->fix.advice = "Compare its input shapes and memory placement with those on the other "
			    "GPUs: uneven batches, sequence lengths or expert loads.";
	if (!r->late->set->kernel[0].is_usual)
		claim->fix.advice =
			"Most runs take as long as on the other GPUs, so the kernels are the same: "
			"look for another process on that GPU that is not in the trace, for "
			"faults (dmesg, ECC errors), and at inputs that few runs have.";
	return say_slow(r);
}

static const char *say_more_work(const struct reasoning *r, struct wl_claim *claim)
{
	const struct wl_late_set *set = r->late->set;
	const struct wl_late_words *w = r->late->words;
	char by[WL_UNITS_BUF];

	show_kernels(r, claim);
	claim->fix.action = wl_say(r->d, "Balance the %s: %s %s more than %s",
				   set->is_of_stages ? "layers" : "work", r->late->who,
				   w->is_many ? "have" : "has",
				   set->is_of_stages ? "other stages" : "the others");
	claim->fix.advice =
		set->is_of_stages
			? "Move layers to other stages; embedding and output layers count as "
			  "such. The slowest stage sets the pace of all. The saving is without the "
			  "surplus: moved to other stages it takes time there."
			: "Compare batch, sequence lengths, layers and expert loads of the ranks.";
	if (set->n_own > set->n_others && set->n_others)
		return wl_say(r->d,
			      "%s run%s %s more kernels than %s%s%s" WL_STOP
			      ": %llu vs %llu kernels",
			      r->late->who, w->is_many ? "" : "s",
			      wl_fmt_share(by, (double)set->n_own / (double)set->n_others - 1),
			      set->is_of_stages ? "other stages" : "the others",
			      *w->steps ? " " : "", w->steps, (unsigned long long)set->n_own,
			      (unsigned long long)set->n_others);
	if (wl_late_changes(set))
		return wl_say(r->d,
			      "The GPU with larger grids than the others changes from step to "
			      "step" WL_STOP "; %s: %s",
			      w->steps, w->why);
	return wl_say(r->d, "%s launch%s larger grids than the others%s%s" WL_STOP ": %s",
		      r->late->who, w->is_many ? "" : "es", *w->steps ? " " : "", w->steps, w->why);
}

/* The GPU of the straggler, if it is selected. */
static size_t own_gpu(const struct reasoning *r)
{
	for (size_t t = 0; t < r->d->n_gpus; t++) {
		if (r->d->gpu[t].lane->device == r->own.device)
			return t;
	}
	return SIZE_MAX;
}

/* The cause with most of the straggler's idle time, if that is more than half. */
static const char *main_cause(const struct reasoning *r)
{
	size_t t = own_gpu(r);
	wl_ns sum[WL_N_CAUSES] = { 0 }, all = 0;
	unsigned most = 0;

	for (size_t i = 0; t != SIZE_MAX && i < r->d->gpu[t].lane->n_tiles; i++) {
		for (unsigned c = 0; r->d->gpu[t].in_sample[i] && c < WL_N_CAUSES; c++) {
			sum[c] += r->d->gpu[t].lane->tile[i].loss[c];
			all += r->d->gpu[t].lane->tile[i].loss[c];
		}
	}
	for (unsigned c = 1; c < WL_N_CAUSES; c++)
		most = sum[c] > sum[most] ? c : most;
	return 2 * sum[most] > all ? wl_say_named_loss(r->d, t, WL_NONE, (enum wl_loss)most) : NULL;
}

/* Whether profiler overhead on the straggler's GPU is at least half of its host's extra time. */
static bool is_by_profiler(const struct reasoning *r, wl_ns *ret)
{
	const struct wl_late_set *set = r->late->set;
	size_t t = own_gpu(r);

	*ret = 0;
	for (size_t i = 0; t != SIZE_MAX && i < r->d->gpu[t].lane->n_tiles; i++)
		*ret += r->d->gpu[t].lane->tile[i].loss[WL_CAUSE_PROFILER];
	return set->n == 1 && *ret > 0 &&
	       2 * *ret >= set->own[WL_LATE_BY_HOST] - set->others[WL_LATE_BY_HOST];
}

/* Not the program's fault: without the profiler the rank may not be late. */
static const char *say_profiler(const struct reasoning *r, wl_ns overhead, struct wl_claim *claim)
{
	const struct wl_late_words *w = r->late->words;
	char time[WL_UNITS_BUF];

	claim->fix.action = "Record less: fewer --trace kinds, shorter range";
	claim->fix.advice = "Without the profiler this rank may not be late: record it again, and "
			    "leave these steps out until then.";
	claim->evidence = (struct wl_cmdline){
		.verb = "idle", .option = { { "by", "detail" }, { "where", "cause = profiler" } }
	};
	wl_show_on(r->d, r->late->gpu, r->own.device, &claim->evidence);
	return wl_say(r->d,
		      "%s %s late because the profiler stops %s host%s%s" WL_STOP
		      ": profiler overhead takes %s" WL_STOP "; %s",
		      r->late->who, w->is_many ? "are" : "is", w->is_many ? "their" : "its",
		      *w->steps ? " " : "", w->steps, wl_fmt_ns(time, overhead, WL_UNIT_AUTO),
		      w->why);
}

static const char *say_late_host(const struct reasoning *r, struct wl_claim *claim)
{
	const struct wl_late_words *w = r->late->words;
	const char *cause = main_cause(r);
	wl_ns overhead;

	if (is_by_profiler(r, &overhead))
		return say_profiler(r, overhead, claim);

	claim->fix.action =
		wl_say(r->d, "Find what the host of %s does in its idle time", r->late->who);
	claim->fix.advice = "Usual causes are data loading, page faults, CPU contention and NUMA "
			    "placement of that rank.";
	claim->evidence = (struct wl_cmdline){ .verb = "idle", .option = { { "by", "detail" } } };
	if (wl_late_changes(r->late->set)) {
		claim->fix.action = "Look at what the hosts of all ranks do in turn";
		claim->fix.advice = "Usual causes are logging, garbage collection, checkpoints and "
				    "a shared host.";
		return wl_say(r->d,
			      "The rank whose host is late changes from step to step" WL_STOP
			      "; %s: %s",
			      w->steps, w->why);
	}
	return wl_say(r->d, "%s %s late because %s host is slow%s%s" WL_STOP ": %s%s%s",
		      r->late->who, w->is_many ? "are" : "is", w->is_many ? "their" : "its",
		      *w->steps ? " " : "", w->steps, w->why,
		      cause ? WL_STOP "; most of its idle time: " : "", cause ? cause : "");
}

static const char *say_copies(const struct reasoning *r, struct wl_claim *claim)
{
	const struct wl_late_words *w = r->late->words;

	claim->fix.action = wl_say(r->d, "Compare the copies of %s with GPU %u's", r->late->who,
				   r->other.device);
	claim->fix.advice = "Look at PCIe width and speed (nvidia-smi -q), pinned memory, NUMA "
			    "placement and bytes per copy of that rank.";
	claim->evidence = (struct wl_cmdline){ .verb = "transfers" };
	if (wl_late_changes(r->late->set))
		return wl_say(r->d,
			      "The GPU that copies longest changes from step to step" WL_STOP
			      "; %s: %s",
			      w->steps, w->why);
	return wl_say(r->d, "%s spend%s more time in copies than the others%s%s" WL_STOP ": %s",
		      r->late->who, w->is_many ? "" : "s", *w->steps ? " " : "", w->steps, w->why);
}

/* Several members are late together, each for a different reason. */
static const char *say_several(const struct reasoning *r, struct wl_claim *claim)
{
	const struct wl_late_words *w = r->late->words;

	claim->fix.action =
		wl_say(r->d, "Fix each of %s for its own reason: `ranks`", r->late->who);
	claim->fix.advice =
		"Fixing one of them alone shortens the run until it waits for the next.";
	claim->evidence = (struct wl_cmdline){ .verb = "ranks" };
	return wl_say(r->d, "%s are late for different reasons%s%s" WL_STOP ": %s", r->late->who,
		      *w->steps ? " " : "", w->steps, w->why);
}

static const char *say(const struct reasoning *r, struct wl_claim *claim)
{
	if (r->late->set->is_mixed)
		return say_several(r, claim);
	switch (r->late->set->reason) {
	case WL_LATE_SLOW_GPU:
		return say_slow_gpu(r, claim);
	case WL_LATE_SHARED_GPU:
		return say_shared_gpu(r, claim);
	case WL_LATE_SLOW_KERNEL:
		return say_slow_kernel(r, claim);
	case WL_LATE_MORE_WORK:
		return say_more_work(r, claim);
	case WL_LATE_HOST:
		return say_late_host(r, claim);
	case WL_LATE_COPIES:
		break;
	}
	return say_copies(r, claim);
}

/* Another member of the group that is not a straggler; if all are, any other one. */
static uint32_t other_of(const struct wl_late_case *late)
{
	const struct wl_comm_group *g = &late->matches->group[late->straggler->group];
	uint32_t own = late->straggler->member, other = g->member[g->member[0] == own];

	for (size_t i = 0; i < g->n; i++) {
		if (!wl_straggler_of(late->all, g->member[i]))
			return g->member[i];
	}
	return other;
}

const char *wl_straggler_reason(struct wl_rule_state *d, const struct wl_late_case *late,
				struct wl_claim *claim)
{
	const struct reasoning r = { .d = d,
				     .late = late,
				     .own = late->matches->member[late->straggler->member],
				     .other = late->matches->member[other_of(late)] };
	const char *text = say(&r, claim);

	if (wl_late_is_uneven_work(late->set)) {
		claim->fix.action = "Spread the work of each step evenly over the ranks";
		claim->fix.advice = "Compare batch, sequence lengths and expert loads of the ranks "
				    "in a step: the rank with most sets the pace. The saving is "
				    "without the surplus; spread evenly, it takes time elsewhere.";
	} else if (wl_late_changes(late->set) && late->set->reason != WL_LATE_HOST) {
		claim->fix.action = "Look at what all ranks do in turn, not at one GPU";
		claim->fix.advice = "Usual causes are logging, garbage collection, checkpoints, a "
				    "shared host, and uneven batches.";
	}
	return claim->fix.action ? text : NULL;
}
