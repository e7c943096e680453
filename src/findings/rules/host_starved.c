/* SPDX-License-Identifier: MIT */
/* host_starved.c - a rule: idle time while the thread that launches runs other code. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/time/gap_list.h"
#include "base/memory/compare.h"
#include "base/text/units.h"
#include "derive/graph/build/graph.h"
#include "findings/lead.h"
#include "findings/nvtx_calls.h"
#include "findings/rule.h"
#include "findings/rules/host_io.h"
#include "findings/rules/inner_calls.h"

WL_DECLARE_RULE(launch_bound);
WL_DECLARE_RULE(host_starved);

static bool wants(const struct wl_atom *atom)
{
	return atom->loss == WL_CAUSE_HOST || atom->loss == WL_CAUSE_OS ||
	       atom->loss == WL_CAUSE_API || atom->loss == WL_CAUSE_MPI;
}

/* "; 93.0% of this time follows `cudaDeviceSynchronize`, which emptied the launch queue" */
static const char *say_opener(struct wl_rule_state *d, const struct wl_claim *c)
{
	const double whole = 0.9995;
	double opened = c->all ? (double)c->opened_ns / (double)c->all : 0;
	char share[WL_UNITS_BUF];

	if (!c->opener || opened <= 0.5)
		return "";
	return wl_say(d, WL_STOP "; %s of this time follows `%s`, which emptied the launch queue",
		      opened >= whole ? "all" : wl_fmt_share(share, opened), c->opener);
}

/* In a window without steps, the gaps with most of the lost time: those at least a quarter as long
 * as the longest. */
struct few {
	size_t n; /* 0: they have less than half of it, or are too many to be known */
	wl_ns least, most, sum;
};

static struct few find_few(const struct wl_rule_state *d, const struct wl_claim *c)
{
	size_t t = wl_claim_gpu(d, c);
	struct few few = { .n = 0, .least = INT64_MAX };

	for (size_t i = 0; i < WL_N_PEAKS; i++)
		few.most = c->peak[t][i].ns > few.most ? c->peak[t][i].ns : few.most;
	for (size_t i = 0; i < WL_N_PEAKS; i++) {
		wl_ns ns = c->peak[t][i].ns;

		if (ns == 0 || ns < few.most / 4)
			continue;
		few.n++;
		few.sum += ns;
		few.least = ns < few.least ? ns : few.least;
	}
	if (d->gpu[t].by_step || 2 * few.sum <= c->ns[t] || few.n == WL_N_PEAKS)
		few.n = 0;
	return few;
}

/* Whether there are several similar gaps, as between the iterations of a loop: not set-up. */
static bool is_repeated(const struct few *few)
{
	return few->n >= 3 && few->least >= few->most / 2;
}

static bool is_seldom(const struct wl_rule_state *d, const struct wl_claim *c)
{
	size_t t = wl_claim_gpu(d, c);

	return !d->gpu[t].by_step && (c->n[t] < WL_HABIT || find_few(d, c).n > 0);
}

WL_COMPARE_BY(compare_times, wl_peak, at)

/* From one second on, four decimals, which are enough to find a gap. */
static const char *say_time(wl_ns at, char buf[WL_UNITS_BUF])
{
	const wl_ns second = 1000000000, exact = 100000;

	return at < second ? wl_fmt_ns(buf, at, WL_UNIT_AUTO)
			   : wl_fmt_time(buf, at - at % exact, WL_UNIT_AUTO);
}

/* "(at 5.848 s, 7.517 s)", or ", 171.2 ms to 195.1 ms in each (the first at 962.5 ms)" if they are
 * alike. */
static const char *say_times(struct wl_rule_state *d, const struct wl_claim *c,
			     const struct few *few)
{
	struct wl_peak *peak = c->peak[wl_claim_gpu(d, c)];
	const char *when = "";
	char at[WL_UNITS_BUF], last[WL_UNITS_BUF] = "", least[WL_UNITS_BUF], most[WL_UNITS_BUF];

	qsort(peak, WL_N_PEAKS, sizeof(struct wl_peak), compare_times);
	for (size_t i = 0; when && i < WL_N_PEAKS; i++) {
		if (peak[i].ns < few->least || (is_repeated(few) && *when))
			continue;
		if (strcmp(say_time(peak[i].at, at), last) == 0)
			continue; /* same text as the one before */
		when = wl_say(d, "%s%s%s", when, *when ? ", " : "", at);
		(void)strcpy(last, at);
	}
	if (!when)
		return NULL;
	return is_repeated(few) ? wl_say(d, ", %s to %s in each (the first at %s)",
					 wl_fmt_ns(least, few->least, WL_UNIT_AUTO),
					 wl_fmt_ns(most, few->most, WL_UNIT_AUTO), when)
				: wl_say(d, " (at %s)", when);
}

/*
 * ", in 2 gaps (at 5.848 s, 7.517 s)", or "; 90.3% of this time is in 2 gaps ..."; "" if there are
 * many. *ret_all: it is the first form.
 */
static const char *say_gaps(struct wl_rule_state *d, const struct wl_claim *c, bool *ret_all)
{
	const struct few few = find_few(d, c);
	const double whole = 0.9995;
	wl_ns all = c->ns[wl_claim_gpu(d, c)];
	const char *when = few.n ? say_times(d, c, &few) : "";
	char share[WL_UNITS_BUF], gaps[WL_UNITS_BUF] = "one gap";

	*ret_all = few.n && (double)few.sum >= whole * (double)all;
	if (!few.n || !when)
		return when;
	if (few.n > 1)
		(void)snprintf(gaps, sizeof(gaps), "%zu gaps", few.n);
	if (*ret_all)
		return wl_say(d, WL_STOP ", in %s%s", gaps, when);
	return wl_say(d, WL_STOP "; %s of this time is in %s%s",
		      wl_fmt_share(share, (double)few.sum / (double)all), gaps, when);
}

/* Whether most of it is launching code, which cannot move to another thread. */
static bool is_launching(const struct wl_claim *c)
{
	return 2 * c->operator_ns > c->all;
}

static bool is_of_steps(const struct wl_rule_state *d, const struct wl_claim *c)
{
	return wl_claim_is_of_steps(d, c, wl_claim_gpu(d, c));
}

static const char *say_what(const struct wl_rule_state *d, const struct wl_claim *c)
{
	/* Write calls may sleep or compute; what matters is the output. */
	if (2 * c->os_ns[WL_OS_WRITES] > c->all)
		return "the launching thread is writing output";
	if (wl_claim_sleeps(c))
		return "the launching thread is sleeping";
	if (wl_claim_is_of_messages(c))
		return "the launching thread is in MPI calls";
	if (!is_launching(c))
		return "the launching thread is running other code";
	return is_of_steps(d, c) ? "the launching thread is busy in framework operators"
				 : "the launching thread stalls in framework operators";
}

/* Whether the GPU is busy for less than half of it: even if all of its work overlaps, the rest
 * remains. */
static bool is_beyond_overlap(const struct wl_rule_state *d, const struct wl_claim *c)
{
	size_t t = wl_claim_gpu(d, c);

	return is_of_steps(d, c) && c->ns[t] > 2 * d->gpu[t].busy;
}

/* WL_STOP "; overlap could hide at most 1.4 us per step: the GPU has no more work" */
static const char *say_bound(struct wl_rule_state *d, const struct wl_claim *c)
{
	const struct wl_rule_gpu *gpu = &d->gpu[wl_claim_gpu(d, c)];
	char busy[WL_UNITS_BUF];

	if (!is_beyond_overlap(d, c))
		return "";
	(void)wl_fmt_ns(busy, gpu->busy / (wl_ns)gpu->n_steps, WL_UNIT_AUTO);
	return wl_say(d,
		      WL_STOP "; overlap could hide at most %s per step: the GPU has no more work",
		      busy);
}

/* Whether the kernels of the steps could hide at least half of the claimed MPI time. */
static bool can_hide(const struct wl_rule_state *d, const struct wl_claim *c)
{
	const struct wl_rule_gpu *gpu = &d->gpu[wl_claim_gpu(d, c)];
	wl_ns hidden = 0;

	for (size_t i = 0; gpu->by_step && i < gpu->lane->n_tiles; i++) {
		const struct wl_tile *tile = &gpu->lane->tile[i];
		wl_ns mpi = tile->loss[WL_CAUSE_MPI];

		if (gpu->in_sample[i])
			hidden += mpi < tile->compute ? mpi : tile->compute;
	}
	return hidden > 0 && 2 * hidden >= c->by_loss[WL_CAUSE_MPI];
}

/* Whether steps have so much MPI time that kernels could hide less than half of it. */
static bool is_too_long(const struct wl_rule_state *d, const struct wl_claim *c)
{
	return d->gpu[wl_claim_gpu(d, c)].by_step && wl_claim_is_of_messages(c) &&
	       c->by_loss[WL_CAUSE_MPI] > 0 && !can_hide(d, c);
}

static const char *say_parts(struct wl_rule_state *d, const struct wl_claim *c)
{
	return wl_say_parts(d, c, "in ",
			    !wl_has_ranges(d) ? NULL
			    : d->gpu[wl_claim_gpu(d, c)].marker
				    ? "in host code outside any NVTX range inside the step"
				    : "in host code outside any NVTX range");
}

/* "; `cuMemHostRegister_v2` takes 86.3% of the time of its MPI calls" */
static const char *say_inner(struct wl_rule_state *d, const struct wl_claim *c)
{
	struct wl_inner_calls inner;
	char share[WL_UNITS_BUF];

	if (!wl_claim_is_of_messages(c) ||
	    !wl_inner_calls_find(d, &d->gpu[wl_claim_gpu(d, c)], &inner))
		return "";
	return wl_say(d, WL_STOP "; %s takes %s of the time of its MPI calls",
		      wl_say_quoted(d, wl_str(d->run->trace, inner.name), "?"),
		      wl_fmt_share(share, (double)inner.sum / (double)inner.messages));
}

/* Whether MPI registers memory inside its calls. */
static bool is_registering(const struct wl_rule_state *d, const struct wl_claim *c)
{
	struct wl_inner_calls inner;

	return wl_claim_is_of_messages(c) &&
	       wl_inner_calls_find(d, &d->gpu[wl_claim_gpu(d, c)], &inner);
}

static const char *describe(struct wl_rule_state *d, const struct wl_claim *c)
{
	const char *claim = wl_say_claim(d, c), *opener = say_opener(d, c);
	bool in_few = false; /* whether the few gaps have all of the claim */
	const char *parts = say_parts(d, c), *few = say_gaps(d, c, &in_few);
	const char *bound = say_bound(d, c);
	const char *work = wl_say_io(d, c), *inner = say_inner(d, c);

	/* If the claim is rare, the longest gap has already named it. */
	if (d->gpu[wl_claim_gpu(d, c)].by_step && !is_of_steps(d, c) &&
	    2 * c->detail_ns <= c->named_of)
		parts = "";
	return claim && parts && opener && few && bound && work && inner
		       ? wl_say(d, "GPU idle: %s" WL_STOP ", %s%s%s%s%s%s%s", say_what(d, c), claim,
				in_few ? few : parts, in_few ? parts : few, inner, work, opener,
				bound)
		       : NULL;
}

#define NAME_IT   "Add NVTX ranges to this code, or record CPU samples"
#define MOVE_IT   "Move this work to another thread, or prefetch"
#define SAMPLE    "nsys profile --trace=cuda,nvtx,osrt --sample=process-tree records samples."
#define FIND_WAIT "Find the wait (lock, I/O, sleep) and shorten it"

/* Advice by the OS call that has most of it; NULL for none. */
static const struct wl_advice *advise_on_call(const struct wl_claim *c)
{
	static const struct wl_advice of[] = {
		[WL_OS_LOCKS] = {
			.action = "Find which thread holds the lock it waits for",
			.advice = "Hold the lock for less time, or give the launching thread "
				  "separate data.",
		},
		[WL_OS_SLEEPS] = {
			.action = "Remove the sleep from the launching thread",
			.advice = "Wait for an event with cudaEventSynchronize or a condition "
				  "variable; poll from another thread.",
		},
		[WL_OS_READS] = {
			.action = "Read one step ahead, in another thread",
			.advice = "Keep the data in memory or on a local disk.",
			.in = { [WL_PYTORCH] = "DataLoader(num_workers=8, prefetch_factor=4)" },
		},
		[WL_OS_WRITES] = {
			.action = "Write from another thread",
			.advice = "Log every Nth step, collect output in a buffer, and flush it "
				  "less often.",
		},
	};
	enum wl_os_class class = c->detail ? wl_os_class_of(c->detail) : WL_OS_OTHER;

	return 2 * c->detail_ns > c->named_of && class < WL_COUNT(of) && of[class].action
		       ? &of[class]
		       : NULL;
}

static const struct wl_advice *advise_on_launching(const struct wl_rule_state *d,
						   const struct wl_claim *c)
{
	static const struct wl_advice stall = {
		.action = "Check these times for GC pauses and CPU contention",
		.advice = "Call gc.disable() before the loop and gc.collect() between steps, give "
			  "each rank separate CPU cores (numactl, taskset), and record thread "
			  "scheduling (nsys profile --cpuctxsw=process-tree). The profiler can "
			  "cause such stalls, too.",
	};
	struct wl_waiting w;

	if (!is_of_steps(d, c))
		return &stall;
	return wl_loses_lead(d, c, &w) ? &wl_advice_keep_lead : &wl_rule_launch_bound.fix;
}

/* Advice if overlap can hide little of it. */
static const struct wl_advice *advise_beyond_overlap(const struct wl_claim *c)
{
	static const struct wl_advice one = {
		.action = "Move this work to several threads, or shorten it",
		.advice = "A prefetch thread can hide at most the GPU's busy time. "
			  "Larger batches per step give the GPU more work for the same host work.",
	};
	static const struct wl_advice many = {
		.action = "Do less host work per launch: use larger batches",
		.advice = "Or fuse calls, or replay the step as a CUDA graph. Prefetching can hide "
			  "at most the GPU's busy time.",
		.in = { [WL_CUDA] = "cudaStreamBeginCapture once, cudaGraphLaunch in each step",
			[WL_PYTORCH] = "torch.compile(mode=\"reduce-overhead\") makes CUDA graphs",
			[WL_JAX] = "one jax.jit around the whole step" },
	};
	static const struct wl_advice unnamed = {
		.action = NAME_IT,
		.in = WL_NVTX_CALLS,
		.advice = SAMPLE " Then do less of this work per launch: larger batches per step, "
				 "fused calls, or a CUDA graph.",
	};
	static const struct wl_advice asleep = {
		.action = FIND_WAIT,
		.advice = "OS calls, if recorded (osrt in --trace), name the wait. The GPU has too "
			  "little work per step to hide it.",
	};

	if (wl_claim_sleeps(c))
		return &asleep;
	if (2 * c->detail_ns > c->named_of)
		return &one;
	return 2 * c->unnamed_ns > c->named_of ? &unnamed : &many;
}

/* Advice if the claim's host code has no name, but the trace has samples of it. */
static const struct wl_advice *advise_on_samples(const struct wl_rule_state *d,
						 const struct wl_claim *c)
{
	static const struct wl_advice named = {
		.action = MOVE_IT,
		.advice = "The Check command lists the functions. Do this work in another thread "
			  "or process, one step ahead, or on the GPU.",
		.evidence = { .verb = "stacks",
			      .option = { { "during", "host" }, { "by", "function" } } },
	};
	static const struct wl_advice sampled = {
		.action = "Look at the CPU samples of these gaps",
		.advice =
			"The Check command lists functions by their idle time. Then move this work "
			"to another thread, or do it one step ahead.",
		.evidence = { .verb = "stacks",
			      .option = { { "during", "host" }, { "by", "function" } } },
	};

	if (c->function && 2 * c->function_ns > c->account_ns)
		return &named;
	return d->run->trace->family[WL_F_SAMPLES].present ? &sampled : NULL;
}

static const struct wl_advice *advise(const struct wl_rule_state *d, const struct wl_claim *c)
{
#define SET_UP                                                                                     \
	"If this is set-up, warm up before profiling, or start the capture later with --delay or " \
	"cudaProfilerStart."
	static const struct wl_advice seldom = {
		.action = "Look at these gaps in the timeline, one by one",
		.advice = SET_UP,
	};
	static const struct wl_advice once = {
		.action = "Look at this gap in the timeline",
		.advice = SET_UP,
	};
	static const struct wl_advice messages = {
		.action = "Find the rank that these MPI calls wait for",
		.advice = "A receive or collective returns when the other ranks call it: see what "
			  "they do at this time. " SET_UP,
	};
	static const struct wl_advice repeated = {
		.action = NAME_IT,
		.in = WL_NVTX_CALLS,
		.advice = "The gaps look alike, as between loop iterations. Launch the next "
			  "iteration "
			  "before this work, or do it on the GPU or in another thread.",
	};
	static const struct wl_advice unnamed = {
		.action = NAME_IT,
		.in = WL_NVTX_CALLS,
		.advice = SAMPLE " Then move this work to another thread, or do it one step ahead.",
	};
	static const struct wl_advice asleep = {
		.action = FIND_WAIT,
		.advice =
			"OS calls, if recorded (osrt in --trace), name the wait. Or start what it "
			"waits for one step earlier, while the GPU is busy.",
	};
	static const struct wl_advice registering = {
		.action = "Reuse registered buffers for all messages",
		.advice =
			"MPI registers memory inside these calls; no rank is necessarily late. Or "
			"send one message with the same buffers before the loop. " SET_UP,
	};
	static const struct wl_advice too_long = {
		.action = "Exchange less, or less often",
		.advice = "The GPU computes for less than half of this time, and overlap can hide "
			  "no more. Send fewer, larger messages, or compute more between two "
			  "exchanges. Where copies to the host come before messages, send from "
			  "GPU memory with CUDA-aware MPI.",
	};
	const struct few few = find_few(d, c);
	const struct wl_advice *sampled =
		2 * c->unnamed_ns > c->named_of ? advise_on_samples(d, c) : NULL;

	if (is_registering(d, c))
		return &registering;
	if (is_seldom(d, c) && is_repeated(&few))
		return sampled ? sampled : &repeated;
	if (is_seldom(d, c) && wl_claim_is_of_messages(c))
		return &messages;
	if (is_seldom(d, c))
		return few.n == 1 ? &once : &seldom;
	if (advise_on_call(c))
		return advise_on_call(c);
	if (is_too_long(d, c))
		return &too_long;
	if (wl_advise_on_io(c))
		return wl_advise_on_io(c);
	if (is_launching(c) && !wl_claim_sleeps(c))
		return advise_on_launching(d, c);
	if (sampled && !wl_claim_sleeps(c))
		return sampled;
	if (is_beyond_overlap(d, c))
		return advise_beyond_overlap(c);
	if (wl_claim_sleeps(c))
		return &asleep;
	return 2 * c->unnamed_ns > c->named_of ? &unnamed : NULL;
}

/*
 * If most of it is in MPI, the advice is about these calls, which the other scenario keeps: hide
 * them behind kernels, or make fewer of them. Memory registration inside them stays in both
 * scenarios; if it dominates, the advice is about that.
 */
static const char *scenario_of(struct wl_rule_state *d, const struct wl_claim *c)
{
	if (is_registering(d, c))
		return "";
	if (!d->run->derived->mpi_calls->any || !wl_claim_is_of_messages(c))
		return "host-starved";
	return can_hide(d, c) ? "overlap-mpi" : "class=mpi:0";
}

#define OF_HOST "cause = host or cause = os or cause = api"

/* A few gaps are shown one by one, if they are long enough for the list of gaps. */
static const struct wl_cmdline *evidence_of(const struct wl_rule_state *d, const struct wl_claim *c)
{
	static const struct wl_cmdline gaps = { .verb = "gaps" };
	static const struct wl_cmdline with_mpi = {
		.verb = "idle",
		.option = { { "by", "detail" }, { "where", OF_HOST " or cause = mpi" } }
	};
	bool is_few = is_registering(d, c) || is_seldom(d, c);

	if (is_few && wl_claim_longest(c, wl_claim_gpu(d, c)).ns >= WL_GAP_LIST_MIN_NS)
		return &gaps;
	return c->by_loss[WL_CAUSE_MPI] > 0 ? &with_mpi : NULL;
}

const struct wl_rule wl_rule_host_starved = {
	.code = "host-starved",
	.reach = WL_REACH_MPI,
	.title = "The launching thread runs other code or sleeps",
	.fix = {
		.action = MOVE_IT,
		.advice = "Let another thread or process do it one step ahead, while the GPU is "
			  "busy.",
		.in = {
			[WL_CUDA] = "a worker thread prepares the data in pinned buffers; the "
				    "launching thread only launches",
			[WL_PYTORCH] = "DataLoader(num_workers=8, prefetch_factor=4, "
				       "persistent_workers=True)",
			[WL_JAX] = "load in worker processes (grain, tf.data), and jax.device_put "
				   "the next batch before the step",
			[WL_SERVING] = WL_SCHEDULE_AHEAD,
		},
	},
	.limits =
		"Host code outside NVTX ranges has no name. Without OS calls or CPU scheduling in "
		"the trace, waiting and working look the same.",
	.best_place.losses = 1U << WL_CAUSE_HOST | 1U << WL_CAUSE_OS | 1U << WL_CAUSE_API |
			1U << WL_CAUSE_MPI,
	.wants = wants,
	.tell = describe,
	.advise = advise,
	.scenario_of = scenario_of,
	.unreplayed = "memory registration inside MPI calls cannot be replayed",
	.evidence = { .verb = "idle", .option = { { "by", "detail" }, { "where", OF_HOST } } },
	.evidence_of = evidence_of,
};
