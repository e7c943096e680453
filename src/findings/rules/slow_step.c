/* SPDX-License-Identifier: MIT */
#include "findings/rules/slow_step.h"

#include "base/text/units.h"
#include "findings/rules/late_collective.h"
#include "findings/rules/named_loss.h"

/* The loss with the most extra time; WL_N_LOSSES for compute. */
static unsigned largest_cause(const struct wl_slow_step *step)
{
	unsigned most = 0;

	for (unsigned k = 1; k <= WL_N_LOSSES; k++)
		most = step->by_cause[k] > step->by_cause[most] ? k : most;
	return most;
}

/* Whether a loss has calls or ranges, whose names say more than the kind of idle time. */
static bool has_names(unsigned loss)
{
	return loss == WL_CAUSE_OS || loss == WL_CAUSE_HOST || loss == WL_CAUSE_API ||
	       loss == WL_CAUSE_MPI || loss == WL_CAUSE_LOAD || loss == WL_CAUSE_ALLOC;
}

const char *wl_slow_step_cause(struct wl_rule_state *d, size_t gpu, const struct wl_slow_step *step)
{
	char share[WL_UNITS_BUF];
	unsigned most = largest_cause(step);
	wl_ns all = 0;
	const char *name;

	for (unsigned k = 0; k <= WL_N_LOSSES; k++)
		all += step->by_cause[k];
	name = most == WL_N_LOSSES ? "compute" : wl_say_loss((enum wl_loss)most);
	if (2 * step->by_cause[most] > all && has_names(most))
		name = wl_say_named_loss(d, gpu, step->tile, (enum wl_loss)most);
	if (2 * step->by_cause[most] > all)
		return name ? wl_say(d, "mostly %s", name) : NULL;
	return wl_say(d, "largest part: %s (%s)", name,
		      wl_fmt_share(share, (double)step->by_cause[most] / (double)all));
}

/* ": one AllReduce takes 39.94 ms ..." if a collective explains it; else "". */
static const char *say_late(struct wl_rule_state *d, size_t t, const struct wl_slow_step *step)
{
	struct wl_late_collective late;
	const char *text;

	if (largest_cause(step) != WL_LOSS_EXPOSED_COMM || step->delayed.is_before)
		return "";
	if (!wl_late_collective_find(d, t, step->tile, &late))
		return NULL;
	text = late.name ? wl_say_late_collective(d, &late) : NULL;
	if (!late.name)
		return "";
	return text ? wl_say(d, WL_STOP ": %s", text) : NULL;
}

/* "; step 0 runs 178 kernels instead of 103", if the start of the run has more. */
static const char *say_kernels(struct wl_rule_state *d, const struct wl_slow_step *step)
{
	if (!step->is_start || 20 * (uint64_t)step->kernels <= 21 * (uint64_t)step->usual_kernels)
		return "";
	return wl_say(d, WL_STOP "; step %u runs %u kernels instead of %u", step->iter,
		      step->kernels, step->usual_kernels);
}

/* "; these steps alone call `cuModuleLoadData`", unless the cause already says so. */
static const char *say_loads(struct wl_rule_state *d, const struct wl_slow_step *step)
{
	const char *who = step->n == 1 ? "it alone calls" : "these steps alone call";

	if (!step->loads.name || largest_cause(step) == WL_CAUSE_LOAD)
		return "";
	return wl_say(d, WL_STOP "; %s%s %s", step->loads.but_in_first ? "but for step 0 " : "",
		      who, wl_say_quoted(d, step->loads.name, "?"));
}

/* The sentence for a single slow step, with its own time. */
static const char *tell_once(struct wl_rule_state *d, const struct wl_slow_step *step, size_t n,
			     const char *of_window, const char *cause)
{
	char time[WL_UNITS_BUF];

	if (step->delayed.is_before)
		return wl_say(
			d, "The GPU idles %s before step %u" WL_STOP ", once in %zu steps (%s), %s",
			wl_fmt_ns(time, step->delayed.idle, WL_UNIT_AUTO), step->delayed.iter, n,
			of_window, cause);
	return wl_say(
		d, "Step %u takes %s longer than the others" WL_STOP ", once in %zu steps (%s), %s",
		step->iter, wl_fmt_ns(time, step->excess, WL_UNIT_AUTO), n, of_window, cause);
}

const char *wl_slow_step_tell(struct wl_rule_state *d, const struct wl_claim *claim,
			      const struct wl_slow_step *step)
{
	size_t t = wl_claim_gpu(d, claim);
	char all[WL_UNITS_BUF], share[WL_UNITS_BUF], one[WL_UNITS_BUF];
	const char *of_window =
		wl_say(d, "%s of the window on GPU %u",
		       wl_fmt_share(share, wl_claim_share(d, claim, t)), d->gpu[t].lane->device);
	const char *late = say_late(d, t, step), *cause = wl_slow_step_cause(d, t, step);
	const char *which = wl_say_which_steps(d, claim->step[t], claim->n_steps[t]);
	const char *kernels = say_kernels(d, step), *loads = say_loads(d, step);
	size_t n_steps = d->gpu[t].n_steps + step->has_first;

	cause = cause && late && kernels && loads
			? wl_say(d, "%s%s%s%s", cause, late, kernels, loads)
			: NULL;
	if (!of_window || !cause || !which)
		return NULL;
	which += *which ? 2 : 0; /* in brackets */
	(void)wl_fmt_ns(all, wl_claim_per_step(d, claim, t), WL_UNIT_AUTO);
	if (step->n == 1)
		return tell_once(d, step, n_steps, of_window, cause);
	if (step->delayed.is_before)
		return wl_say(d,
			      "%zu of %zu steps (%s) are delayed" WL_STOP
			      ": %s in total (%s)" WL_STOP "; the GPU idles %s "
			      "before step %u, %s",
			      step->n, n_steps, which, all, of_window,
			      wl_fmt_ns(one, step->delayed.idle, WL_UNIT_AUTO), step->delayed.iter,
			      cause);
	return wl_say(d,
		      "%zu of %zu steps (%s) take much longer than the others" WL_STOP
		      ": %s in total (%s)" WL_STOP "; step %u "
		      "takes %s longer, %s",
		      step->n, n_steps, which, all, of_window, step->iter,
		      wl_fmt_ns(one, step->excess, WL_UNIT_AUTO), cause);
}

const char *wl_slow_step_action(struct wl_rule_state *d, const struct wl_slow_step *step)
{
	if (step->delayed.is_before)
		return wl_say(d, "Look before step %u (window step:%u..%u)", step->delayed.iter,
			      step->iter, step->delayed.iter);
	if (step->is_start)
		return "Warm up first, or start the capture later";
	/* The extra time is compute: nothing waits there. */
	if (largest_cause(step) == WL_N_LOSSES)
		return wl_say(d, "Compare kernels of step %u (window step:%u)", step->iter,
			      step->iter);
	if (largest_cause(step) == WL_LOSS_EXPOSED_COMM)
		return wl_say(d, "Look at step %u on all ranks (window step:%u)", step->iter,
			      step->iter);
	return wl_say(d, "Look at step %u (window step:%u)", step->iter, step->iter);
}

void wl_slow_step_show(const struct wl_rule_state *d, const struct wl_slow_step *step,
		       uint32_t device, struct wl_claim *claim)
{
	uint32_t last = step->delayed.is_before ? step->delayed.iter : step->iter;
	const struct wl_ledger_lane *lane = d->gpu[wl_claim_gpu(d, claim)].lane;
	bool is_on_gpu = true;

	switch (largest_cause(step)) {
	case WL_N_LOSSES:
		claim->evidence = (struct wl_cmdline){ .verb = "kernels" };
		break;
	case WL_LOSS_EXPOSED_COMM:
		claim->evidence = (struct wl_cmdline){ .verb = "nccl" };
		is_on_gpu = false; /* the reason is on another GPU */
		break;
	case WL_LOSS_EXPOSED_COPY:
		claim->evidence = (struct wl_cmdline){ .verb = "transfers" };
		break;
	default:
		claim->evidence =
			(struct wl_cmdline){ .verb = "idle", .option = { { "by", "detail" } } };
	}
	claim->is_placed = true;
	claim->at = step->delayed.is_before ? lane->tile[step->tile].end - step->delayed.idle
					    : lane->tile[step->tile].begin;
	claim->evidence.gpus = is_on_gpu ? WL_GPUS_ONE : WL_GPUS_AS_ASKED;
	claim->evidence.gpu[0] = device;
	claim->evidence.has_steps = true;
	claim->evidence.step[0] = step->iter;
	claim->evidence.step[1] = last;
}

const char *wl_slow_step_advice(const struct wl_slow_step *step)
{
	unsigned most = largest_cause(step);

	if (step->is_start && most == WL_CAUSE_LOAD)
		return "Load and compile before the first step: CUDA_MODULE_LOADING=EAGER loads "
		       "all kernels when the process starts, and a cache keeps compiled ones "
		       "between runs.";
	if (step->is_start)
		return "Look for what only the first steps have: tuning of kernels, first "
		       "launches, set-up, clocks that rise.";
	switch (most) {
	case WL_N_LOSSES:
		return "Compare clocks, and look for work that only these steps have: longer "
		       "inputs, an evaluation.";
	case WL_LOSS_EXPOSED_COMM:
		return "Look at the rank that arrives last: it computes longer or is idle. If no "
		       "rank is late, suspect the network.";
	case WL_CAUSE_HOST:
	case WL_CAUSE_OS:
	case WL_CAUSE_API:
		if (2 * step->operators > step->by_cause[most])
			return "The launching thread stalls in framework operators: look for "
			       "garbage collection, CPU contention or the profiler.";
		return "Look for what is special about these steps: a stalled data loader, a "
		       "checkpoint, an evaluation, garbage collection.";
	default:
		return "Look for what only these steps have: a checkpoint, an evaluation, another "
		       "input size.";
	}
}
