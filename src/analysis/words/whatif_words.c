/* SPDX-License-Identifier: MIT */
#include "analysis/words/whatif_words.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analysis/words/step_words.h"
#include "base/text/units.h"

const char *wl_scenario_changes(enum wl_scenario_id scenario)
{
	static const char *const changes[WL_N_SCENARIOS] = {
		[WL_SCENARIO_NO_STRAGGLER] = "a straggler takes the median of the other ranks",
		[WL_SCENARIO_SLOW_STEPS] = "slow steps take the median of the other steps",
		[WL_SCENARIO_RANK] = "kernels and copies of a rank take FACTOR times as long",
		[WL_SCENARIO_KERNEL] = "kernels of that name take FACTOR times as long",
		[WL_SCENARIO_CATEGORY] = "kernels of a category take FACTOR times as long",
		[WL_SCENARIO_CLASS] = "compute, comm, copy or mpi takes FACTOR times as long",
		[WL_SCENARIO_COMM_FREE] = "transfers take no time, arrivals stay",
		[WL_SCENARIO_NO_WAIT] = "ranks leave collectives without the others",
		[WL_SCENARIO_OVERLAP] = "comm and compute wait only for events (upper bound)",
		[WL_SCENARIO_LAUNCH_FREE] = "launches take no time, but for the first after a wait",
		[WL_SCENARIO_HOST_FREE] = "CUDA calls, host gaps and latencies take no time",
		[WL_SCENARIO_NO_SYNC] = "calls of that name do not wait for the GPU",
		[WL_SCENARIO_COPIES_FREE] = "copies take no time",
		[WL_SCENARIO_PINNED] = "pageable copies have the median rate of pinned ones",
		[WL_SCENARIO_DATA] = "host gaps before steps take those of the best tenth",
		[WL_SCENARIO_SLOW_ITERATIONS] =
			"the same as slow-steps, and calls that few other steps have take no time",
		[WL_SCENARIO_STEP_TIME_CHANGED] =
			"steps that became slower take the median of the faster ones",
		/*
		 * In parentheses: in a list, two literals side by side look like a missing comma to
		 * compilers.
		 */
		[WL_SCENARIO_EXPOSED_COMM] =
			("transfers of a collective take no time where a stage "
			 "launches it, arrivals stay"),
		[WL_SCENARIO_EXPOSED_COPY] =
			"copies of a sort, such as host to device or within a GPU, take no time",
		[WL_SCENARIO_BLOCKING_COPY] = ("copies of calls that wait for them take no time, "
					       "and no call waits for them"),
		[WL_SCENARIO_TINY_READS] = ("copies of at most 64 bytes to the host take no time, "
					    "and no call waits for them"),
		[WL_SCENARIO_ALLOC_IN_LOOP] = "calls that allocate or free memory take no time",
		[WL_SCENARIO_MODULE_LOAD] =
			"calls that load modules or compile kernels take no time",
		[WL_SCENARIO_LAYOUT_CHANGE] =
			"kernels that only change the layout of tensors take no time",
		[WL_SCENARIO_TINY_KERNELS] = ("kernels of at most 5 us that follow one another "
					      "become one, as long as the longest"),
		[WL_SCENARIO_OVERLAP_MPI] =
			("MPI calls of a step take less time by what its kernels "
			 "take, which hide them; at least none"),
		[WL_SCENARIO_HOST_CALLBACK] =
			"streams and blocking calls do not wait for functions of the host",
		[WL_SCENARIO_HOST_STARVED] = ("host code, and CUDA calls that do not launch, wait, "
					      "allocate or load, take no time"),
	};

	return changes[scenario];
}

const char *wl_refusal_say(enum wl_refusal refusal)
{
	static const char *const text[WL_N_REFUSALS] = {
		[WL_NO_CALLS] = "no calls: CUDA API calls were not recorded",
		[WL_NO_STEPS] = "no steps were found; a marker names them",
		[WL_NO_COLLECTIVES] = "this trace has no collectives",
		[WL_NO_MPI] = "this trace has no MPI calls",
		[WL_MUCH_UNMATCHED] =
			"more than a fifth of all communication time is not matched across GPUs",
		[WL_NOBODY_LATE] = "no rank makes the run 1% longer",
		[WL_LATE_MAYBE_CHANCE] = "a rank is late, which may be chance",
		[WL_LATE_UNLIKE_OTHERS] = "a rank is late, and its work is not that of the others",
		[WL_LATE_NOT_REPLAYED] = "a rank is late, and what that costs cannot be replayed",
		[WL_NO_HOST_FUNCTIONS] = "no stream waits for a function of the host",
		[WL_NO_STEP_CHANGE] = "step times do not change over time",
		[WL_IDENTITY_MOVES] = "the replay does not reproduce the measured run",
		[WL_CLOCKS_SKEWED] =
			("the clocks of host and GPU disagree: operations begin before "
			 "their launch"),
		[WL_PATH_UNEXPLAINED] = "more than 10% of the critical path is not explained",
		[WL_CAUSALITY_CONTRADICTED] =
			"more than 10% of the activities contradict causality",
		[WL_HELD_OUT_WRONG] = ("steps that are replayed with the times of other steps are "
				       "wrong by more than 5%"),
	};

	return text[refusal];
}

/* Remarks one after the other, "; " between them. What does not fit is cut. */
struct remarks {
	char text[1200];
	size_t used;
};

static void WL_PRINTF(2, 3) add(struct remarks *r, const char *format, ...)
{
	va_list args;

	if (r->used && r->used < sizeof(r->text) - 2) {
		memcpy(r->text + r->used, "; ", 3);
		r->used += 2;
	}
	va_start(args, format);
	(void)vsnprintf(r->text + r->used, sizeof(r->text) - r->used, format, args);
	va_end(args);
	r->used += strlen(r->text + r->used);
}

static void add_mpi(struct remarks *r, const struct wl_whatif_remark *found)
{
	char time[WL_UNITS_BUF], share[WL_UNITS_BUF];

	add(r, "matched collectives only: other MPI calls keep %s (%s) of the critical path",
	    wl_fmt_ns(time, found->time, WL_UNIT_AUTO),
	    wl_fmt_ratio(share, (double)found->time / (double)found->of_time));
}

static bool add_change(struct remarks *r, const struct wl_step_change *change,
		       struct wl_arena *arena)
{
	const char *said = wl_step_change_say(change, false, arena);

	if (said)
		add(r, "%s; the slower steps take the median of steps %u-%u", said,
		    change->like_first, change->like_last);
	return said != NULL;
}

/* What the scenario itself found. */
static bool add_found(struct remarks *r, const struct wl_whatif_remark *found,
		      struct wl_arena *arena)
{
	switch (found->kind) {
	case WL_REMARK_NONE:
		break;
	case WL_REMARK_NO_SLOW_STEP:
		add(r, "no step stands out");
		break;
	case WL_REMARK_SET_UP:
		add(r, "%zu of %zu slow steps set up a run of steps, which happens once", found->n,
		    found->of_n);
		break;
	case WL_REMARK_STEP_CHANGE:
		return add_change(r, found->change, arena);
	case WL_REMARK_OTHER_MPI:
		add_mpi(r, found);
		break;
	case WL_REMARK_MISSING_RANKS:
		add(r, "what ranks wait for those that are missing counts as transfer, which "
		       "stays");
		break;
	case WL_REMARK_ONLY_ORDER:
		add(r,
		    "at most: what follows %zu of %zu of the waits, on other streams or in MPI, "
		    "may need what they wait for, and no event orders it",
		    found->n, found->of_n);
		break;
	case WL_REMARK_NO_PINNED:
		add(r, "some pageable copies have no large pinned copy of their direction to take "
		       "the rate from, and keep their time");
		break;
	}
	return true;
}

static void add_hold(struct remarks *r, const struct wl_rank_hold *hold)
{
	if (hold->share > 0)
		add(r,
		    "at least: for %.1f%% of the run operations of %s %" PRId64 " start later than "
		    "their streams and launches explain",
		    100 * hold->share, hold->rank >= 0 ? "rank" : "GPU",
		    hold->rank >= 0 ? hold->rank : (int64_t)hold->device);
}

/*
 * A mean per step would spread what few long operations lose over all steps: 93% of what copies
 * took in a job of 5 ranks were 10 of more than 10,000 copies.
 */
static void add_few(struct remarks *r, const struct wl_few_operations *few)
{
	char time[WL_UNITS_BUF], of[WL_UNITS_BUF];

	if (few->n)
		add(r,
		    "no saving of every step: %zu long operation%s %s of the %s that operations "
		    "get shorter",
		    few->n, few->n == 1 ? " has" : "s have",
		    wl_fmt_ns(time, few->time, WL_UNIT_AUTO),
		    wl_fmt_ns(of, few->of_time, WL_UNIT_AUTO));
}

static void add_held(struct remarks *r, const struct wl_whatif_result *result)
{
	char time[WL_UNITS_BUF];

	if (!wl_whatif_is_held(result))
		return;
	if (result->queued > result->measured / 1000)
		add(r,
		    "up to %s more: launch calls that a full queue seems to hold keep their time",
		    wl_fmt_ns(time, result->queued, WL_UNIT_AUTO));
	if (result->held)
		add(r,
		    "up to %s more: calls that the blocking call of another thread seems to hold "
		    "keep their time",
		    wl_fmt_ns(time, result->held, WL_UNIT_AUTO));
}

const char *wl_whatif_say(const struct wl_whatif_result *result, struct wl_arena *arena)
{
	struct remarks r = { .used = 0 };

	if (!add_found(&r, &result->remark, arena))
		return NULL;
	add_hold(&r, &result->hold);
	add_few(&r, &result->few);
	add_held(&r, result);
	return wl_arena_strdup(arena, r.text);
}
