/* SPDX-License-Identifier: MIT */
#include "derive/graph/scenario/scenario.h"

#include <stdio.h>
#include <string.h>

#include "derive/calls/host_functions.h"
#include "derive/comm/match/matches.h"
#include "derive/derived.h"
#include "derive/graph/late/straggler.h"
#include "derive/graph/scenario/scenario_parts.h"
#include "derive/iters/iters.h"
#include "derive/iters/step_change.h"

static enum wl_refusal no_calls(const struct wl_whatif *w)
{
	return w->plan->graph->n_calls ? WL_NOT_REFUSED : WL_NO_CALLS;
}

static enum wl_refusal no_steps(const struct wl_whatif *w)
{
	return w->given->iterations->n_found ? WL_NOT_REFUSED : WL_NO_STEPS;
}

static enum wl_refusal no_launches_of_steps(const struct wl_whatif *w)
{
	return no_calls(w) ? no_calls(w) : no_steps(w);
}

static enum wl_refusal no_messages_of_steps(const struct wl_whatif *w)
{
	return w->given->mpi_calls->any ? no_steps(w) : WL_NO_MPI;
}

/* Whether more than a fifth of all communication time is unmatched. */
static bool is_unmatched(const struct wl_matches *m)
{
	double all = 0, matched = 0;

	for (size_t i = 0; i < m->queues.n_ops; i++) {
		all += (double)m->queues.op[i].dur;
		matched += m->queues.op[i].match != WL_NONE ? (double)m->queues.op[i].dur : 0;
	}
	return all - matched > all / 5;
}

static enum wl_refusal no_matches(const struct wl_whatif *w)
{
	if (w->given->matches->queues.n_ops == 0)
		return WL_NO_COLLECTIVES;
	return is_unmatched(w->given->matches) ? WL_MUCH_UNMATCHED : WL_NOT_REFUSED;
}

static enum wl_refusal no_comm(const struct wl_whatif *w)
{
	return w->given->matches->queues.n_ops ? WL_NOT_REFUSED : WL_NO_COLLECTIVES;
}

static enum wl_refusal no_verdict(const struct wl_whatif *w)
{
	static const enum wl_refusal refusal[] = {
		[WL_LATE_NOBODY] = WL_NOBODY_LATE,
		[WL_LATE_OTHERWISE] = WL_NOBODY_LATE,
		[WL_LATE_BY_CHANCE] = WL_LATE_MAYBE_CHANCE,
		[WL_LATE_OTHER_WORK] = WL_LATE_UNLIKE_OTHERS,
		[WL_LATE_UNREPLAYED] = WL_LATE_NOT_REPLAYED,
	};
	const struct wl_stragglers *s = w->given->stragglers;
	enum wl_refusal why = no_matches(w);

	if (why)
		return why;
	return s->n ? WL_NOT_REFUSED : refusal[s->verdict];
}

static enum wl_refusal no_host_functions(const struct wl_whatif *w)
{
	return w->given->host_functions->n ? WL_NOT_REFUSED : WL_NO_HOST_FUNCTIONS;
}

static enum wl_refusal no_change(const struct wl_whatif *w)
{
	const struct wl_step_change *c = w->given->step_change;
	enum wl_refusal why = no_steps(w);

	if (why)
		return why;
	return c && c->kind != WL_CHANGE_NONE ? WL_NOT_REFUSED : WL_NO_STEP_CHANGE;
}

const struct wl_scenario_kind wl_scenario_kinds[WL_N_SCENARIOS] = {
	[WL_SCENARIO_NO_STRAGGLER] = { WL_SCENARIO_NO_STRAGGLER, "no-straggler", "no-straggler",
				       WL_PREDICTION, true, false, false, no_verdict,
				       wl_apply_no_straggler },
	[WL_SCENARIO_SLOW_STEPS] = { WL_SCENARIO_SLOW_STEPS, "slow-steps", "slow-steps",
				     WL_PREDICTION, true, false, false, no_steps,
				     wl_apply_slow_steps },
	[WL_SCENARIO_RANK] = { WL_SCENARIO_RANK, "rank", "rank=RANK:FACTOR", WL_PREDICTION, false,
			       true, true, NULL, wl_apply_rank },
	[WL_SCENARIO_KERNEL] = { WL_SCENARIO_KERNEL, "kernel", "kernel=PATTERN:FACTOR",
				 WL_PREDICTION, false, true, true, NULL, wl_apply_kernel },
	[WL_SCENARIO_CATEGORY] = { WL_SCENARIO_CATEGORY, "category", "category=NAME:FACTOR",
				   WL_PREDICTION, false, true, true, NULL, wl_apply_category },
	[WL_SCENARIO_CLASS] = { WL_SCENARIO_CLASS, "class", "class=CLASS:FACTOR", WL_PREDICTION,
				false, true, true, NULL, wl_apply_class },
	[WL_SCENARIO_COMM_FREE] = { WL_SCENARIO_COMM_FREE, "comm-free", "comm-free", WL_UPPER_BOUND,
				    true, false, false, no_comm, wl_apply_comm_free },
	[WL_SCENARIO_NO_WAIT] = { WL_SCENARIO_NO_WAIT, "no-wait", "no-wait", WL_PREDICTION, true,
				  false, false, no_matches, wl_apply_no_wait },
	[WL_SCENARIO_OVERLAP] = { WL_SCENARIO_OVERLAP, "overlap", "overlap", WL_UPPER_BOUND, true,
				  false, false, no_comm, wl_apply_overlap },
	[WL_SCENARIO_LAUNCH_FREE] = { WL_SCENARIO_LAUNCH_FREE, "launch-free", "launch-free",
				      WL_UPPER_BOUND, true, false, false, no_calls,
				      wl_apply_launch_free },
	[WL_SCENARIO_HOST_FREE] = { WL_SCENARIO_HOST_FREE, "host-free", "host-free", WL_UPPER_BOUND,
				    true, false, false, no_calls, wl_apply_host_free },
	[WL_SCENARIO_NO_SYNC] = { WL_SCENARIO_NO_SYNC, "no-sync", "no-sync=CALL", WL_PREDICTION,
				  false, true, false, no_calls, wl_apply_no_sync },
	[WL_SCENARIO_COPIES_FREE] = { WL_SCENARIO_COPIES_FREE, "copies-free", "copies-free",
				      WL_UPPER_BOUND, true, false, false, NULL,
				      wl_apply_copies_free },
	[WL_SCENARIO_PINNED] = { WL_SCENARIO_PINNED, "pinned", "pinned", WL_PREDICTION, true, false,
				 false, NULL, wl_apply_pinned },
	[WL_SCENARIO_DATA] = { WL_SCENARIO_DATA, "data", "data", WL_PREDICTION, true, false, false,
			       no_launches_of_steps, wl_apply_data },
	[WL_SCENARIO_SLOW_ITERATIONS] = { WL_SCENARIO_SLOW_ITERATIONS, "slow-iterations",
					  "slow-iterations", WL_PREDICTION, false, false, false,
					  no_steps, wl_apply_slow_iterations },
	[WL_SCENARIO_STEP_TIME_CHANGED] = { WL_SCENARIO_STEP_TIME_CHANGED, "step-time-changed",
					    "step-time-changed", WL_PREDICTION, false, false, false,
					    no_change, wl_apply_step_change },
	[WL_SCENARIO_EXPOSED_COMM] = { WL_SCENARIO_EXPOSED_COMM, "exposed-comm",
				       "exposed-comm=SUBJECT", WL_UPPER_BOUND, false, true, false,
				       no_comm, wl_apply_exposed_comm },
	[WL_SCENARIO_EXPOSED_COPY] = { WL_SCENARIO_EXPOSED_COPY, "exposed-copy",
				       "exposed-copy=SORT", WL_UPPER_BOUND, false, true, false,
				       NULL, wl_apply_exposed_copy },
	[WL_SCENARIO_BLOCKING_COPY] = { WL_SCENARIO_BLOCKING_COPY, "blocking-copy", "blocking-copy",
					WL_UPPER_BOUND, false, false, false, no_calls,
					wl_apply_blocking_copy },
	[WL_SCENARIO_TINY_READS] = { WL_SCENARIO_TINY_READS, "tiny-reads", "tiny-reads",
				     WL_UPPER_BOUND, false, false, false, no_calls,
				     wl_apply_tiny_reads },
	[WL_SCENARIO_ALLOC_IN_LOOP] = { WL_SCENARIO_ALLOC_IN_LOOP, "alloc-in-loop", "alloc-in-loop",
					WL_UPPER_BOUND, false, false, false, no_calls,
					wl_apply_alloc_in_loop },
	[WL_SCENARIO_MODULE_LOAD] = { WL_SCENARIO_MODULE_LOAD, "module-load-in-loop",
				      "module-load-in-loop", WL_UPPER_BOUND, false, false, false,
				      no_calls, wl_apply_module_load },
	[WL_SCENARIO_LAYOUT_CHANGE] = { WL_SCENARIO_LAYOUT_CHANGE, "layout-change", "layout-change",
					WL_UPPER_BOUND, false, false, false, NULL,
					wl_apply_layout_change },
	[WL_SCENARIO_TINY_KERNELS] = { WL_SCENARIO_TINY_KERNELS, "tiny-kernels", "tiny-kernels",
				       WL_UPPER_BOUND, false, false, false, NULL,
				       wl_apply_tiny_kernels },
	[WL_SCENARIO_HOST_STARVED] = { WL_SCENARIO_HOST_STARVED, "host-starved", "host-starved",
				       WL_UPPER_BOUND, false, false, false, no_calls,
				       wl_apply_host_starved },
	[WL_SCENARIO_OVERLAP_MPI] = { WL_SCENARIO_OVERLAP_MPI, "overlap-mpi", "overlap-mpi",
				      WL_UPPER_BOUND, false, false, false, no_messages_of_steps,
				      wl_apply_overlap_mpi },
	[WL_SCENARIO_HOST_CALLBACK] = { WL_SCENARIO_HOST_CALLBACK, "host-callback", "host-callback",
					WL_UPPER_BOUND, false, false, false, no_host_functions,
					wl_apply_host_callback },
};

size_t wl_standard_asks(struct wl_asked *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < WL_N_SCENARIOS && n < WL_MOST_ASKS; i++) {
		const struct wl_scenario_kind *k = &wl_scenario_kinds[i];

		if (k->is_standard)
			ret[n++] = (struct wl_asked){ k, k->name, NULL, 1, 1 };
	}
	return n;
}

static const struct wl_scenario_kind *find_kind(const char *text, size_t n)
{
	for (size_t i = 0; i < WL_N_SCENARIOS; i++) {
		const char *name = wl_scenario_kinds[i].name;

		if (strlen(name) == n && memcmp(name, text, n) == 0)
			return &wl_scenario_kinds[i];
	}
	return NULL;
}

enum { MOST_DIGITS = 9 };

/* Parse digits with a decimal point: "0.85" is 85 out of 100. False if there are no digits or too
 * many. */
static bool parse_decimal(const char **text, int64_t *times, int64_t *out_of)
{
	bool is_behind = false;
	unsigned n = 0;

	*times = 0;
	*out_of = 1;
	for (;; ++*text) {
		if (**text == '.' && !is_behind) {
			is_behind = true;
			continue;
		}
		if (**text < '0' || **text > '9')
			break;
		if (++n > MOST_DIGITS)
			return false;
		*times = 10 * *times + (**text - '0');
		*out_of *= is_behind ? 10 : 1;
	}
	return n > 0;
}

/* "0.8", "80%", "4/5". */
static bool parse_factor(const char *text, struct wl_asked *ret)
{
	int64_t below, of_below;

	if (!parse_decimal(&text, &ret->times, &ret->out_of))
		return false;
	if (*text == '/') {
		text++;
		if (!parse_decimal(&text, &below, &of_below) || below == 0)
			return false;
		ret->times *= of_below;
		ret->out_of *= below;
	} else if (*text == '%') {
		text++;
		ret->out_of *= 100;
	}
	return *text == '\0';
}

static int unknown(const char *text, struct wl_err *reterr)
{
	char all[480] = "";
	size_t used = 0;

	for (size_t i = 0; i < WL_N_SCENARIOS && used < sizeof(all); i++)
		used += (size_t)snprintf(all + used, sizeof(all) - used, "%s%s", i ? ", " : "",
					 wl_scenario_kinds[i].name);
	return wl_fail(reterr, WL_E_USAGE, "unknown scenario \"%.60s\"; there are %s", text, all);
}

static int malformed(const struct wl_scenario_kind *kind, const char *text, struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_USAGE, "scenario \"%.100s\": write %s%s", text, kind->form,
		       kind->takes_factor ? ", with a factor such as 0.8, 80% or 4/5" : "");
}

int wl_ask_parse(const char *text, struct wl_arena *arena, struct wl_asked *ret,
		 struct wl_err *reterr)
{
	const char *equals = strchr(text, '='), *colon;
	size_t n = equals ? (size_t)(equals - text) : strlen(text);
	const struct wl_scenario_kind *kind = find_kind(text, n);
	char *what;

	if (!kind)
		return unknown(text, reterr);
	*ret = (struct wl_asked){ kind, text, NULL, 1, 1 };
	if (kind->takes_what != (equals != NULL))
		return malformed(kind, text, reterr);
	if (!equals)
		return WL_OK;
	what = wl_arena_strdup(arena, equals + 1);
	if (!what)
		return wl_fail(reterr, WL_E_NOMEM, "not enough memory for the scenario");
	ret->what = what;
	/* Kernel names contain colons; the last one precedes the factor. */
	colon = kind->takes_factor ? strrchr(what, ':') : NULL;
	if (kind->takes_factor && (!colon || !parse_factor(colon + 1, ret)))
		return malformed(kind, text, reterr);
	if (colon)
		what[colon - what] = '\0';
	return *what ? WL_OK : malformed(kind, text, reterr);
}

const char *wl_spent_name(enum wl_spent spent)
{
	static const char *const name[WL_N_SPENT] = {
		[WL_SPENT_COMPUTE] = "compute", [WL_SPENT_COMM] = "communication",
		[WL_SPENT_COPY] = "copies",     [WL_SPENT_HOST] = "host",
		[WL_SPENT_RIGID] = "latency",
	};

	return name[spent];
}
