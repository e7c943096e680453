/* SPDX-License-Identifier: MIT */
#include "derive/graph/scenario/scenario.h"

#include <stdio.h>
#include <string.h>

#include "derive/comm/match/matches.h"
#include "derive/derived.h"
#include "derive/graph/late/straggler.h"
#include "derive/graph/scenario/scenario_parts.h"
#include "derive/iters/iters.h"
#include "derive/iters/step_change.h"

static const char *no_calls(const struct wl_whatif *w)
{
	return w->plan->graph->n_calls ? NULL : "no calls: CUDA API calls were not recorded";
}

static const char *no_steps(const struct wl_whatif *w)
{
	return w->given->iterations->n_found ? NULL : "no steps were found (set --marker)";
}

static const char *no_launches_of_steps(const struct wl_whatif *w)
{
	return no_calls(w) ? no_calls(w) : no_steps(w);
}

/* Of all communication time the part that is not matched is more than a fifth. */
static bool is_unmatched(const struct wl_matches *m)
{
	double all = 0, matched = 0;

	for (size_t i = 0; i < m->queues.n_ops; i++) {
		all += (double)m->queues.op[i].dur;
		matched += m->queues.op[i].match != WL_NONE ? (double)m->queues.op[i].dur : 0;
	}
	return all - matched > all / 5;
}

static const char *no_matches(const struct wl_whatif *w)
{
	if (w->given->matches->queues.n_ops == 0)
		return "this trace has no collectives";
	return is_unmatched(w->given->matches)
		       ? "more than a fifth of all communication time is not matched across GPUs"
		       : NULL;
}

static const char *no_comm(const struct wl_whatif *w)
{
	return w->given->matches->queues.n_ops ? NULL : "this trace has no collectives";
}

static const char *no_verdict(const struct wl_whatif *w)
{
	static const char *const refusal[] = {
		[WL_LATE_NOBODY] = "no rank makes the run 1% longer",
		[WL_LATE_OTHERWISE] = "no rank makes the run 1% longer",
		[WL_LATE_BY_CHANCE] = "a rank is late, which may be chance",
		[WL_LATE_OTHER_WORK] = "a rank is late, and its work is not that of the others",
		[WL_LATE_UNREPLAYED] = "a rank is late, and what that costs cannot be replayed",
	};
	const struct wl_stragglers *s = w->given->stragglers;
	const char *why = no_matches(w);

	if (why)
		return why;
	return s->n ? NULL : refusal[s->verdict];
}

static const char *no_change(const struct wl_whatif *w)
{
	const struct wl_step_change *c = w->given->step_change;
	const char *why = no_steps(w);

	if (why)
		return why;
	return c && c->kind != WL_CHANGE_NONE ? NULL : "step times do not change over time";
}

const struct wl_scenario_kind wl_scenario_kinds[] = {
	{ "no-straggler", "no-straggler", "a straggler takes the median of the other ranks",
	  WL_PREDICTION, true, false, false, no_verdict, wl_apply_no_straggler },
	{ "slow-steps", "slow-steps", "slow steps take the median of the other steps",
	  WL_PREDICTION, true, false, false, no_steps, wl_apply_slow_steps },
	{ "rank", "rank=RANK:FACTOR", "kernels and copies of a rank take FACTOR times as long",
	  WL_PREDICTION, false, true, true, NULL, wl_apply_rank },
	{ "kernel", "kernel=PATTERN:FACTOR", "kernels of that name take FACTOR times as long",
	  WL_PREDICTION, false, true, true, NULL, wl_apply_kernel },
	{ "category", "category=NAME:FACTOR", "what is of a category takes FACTOR times as long",
	  WL_PREDICTION, false, true, true, NULL, wl_apply_category },
	{ "class", "class=CLASS:FACTOR", "compute, comm, copy or mpi takes FACTOR times as long",
	  WL_PREDICTION, false, true, true, NULL, wl_apply_class },
	{ "comm-free", "comm-free", "transfers take no time, arrivals stay", WL_UPPER_BOUND, true,
	  false, false, no_comm, wl_apply_comm_free },
	{ "no-wait", "no-wait", "ranks leave collectives without the others", WL_PREDICTION, true,
	  false, false, no_matches, wl_apply_no_wait },
	{ "overlap", "overlap", "comm and compute wait only for events (upper bound)",
	  WL_UPPER_BOUND, true, false, false, no_comm, wl_apply_overlap },
	{ "launch-free", "launch-free", "launches take no time, but for the first after a wait",
	  WL_UPPER_BOUND, true, false, false, no_calls, wl_apply_launch_free },
	{ "host-free", "host-free", "CUDA calls, host gaps and latencies take no time",
	  WL_UPPER_BOUND, true, false, false, no_calls, wl_apply_host_free },
	{ "no-sync", "no-sync=CALL", "calls of that name do not wait for the GPU", WL_PREDICTION,
	  false, true, false, no_calls, wl_apply_no_sync },
	{ "copies-free", "copies-free", "copies take no time", WL_UPPER_BOUND, true, false, false,
	  NULL, wl_apply_copies_free },
	{ "pinned", "pinned", "pageable copies have the median rate of pinned ones", WL_PREDICTION,
	  true, false, false, NULL, wl_apply_pinned },
	{ "data", "data", "host gaps before steps take those of the best tenth", WL_PREDICTION,
	  true, false, false, no_launches_of_steps, wl_apply_data },
	/* Of findings, by their codes. */
	{ "slow-iterations", "slow-iterations",
	  "the same as slow-steps, and calls that no other step has take no time", WL_PREDICTION,
	  false, false, false, no_steps, wl_apply_slow_iterations },
	{ "step-time-changed", "step-time-changed",
	  "steps that became slower take the median of the faster ones", WL_PREDICTION, false,
	  false, false, no_change, wl_apply_step_change },
	{ "exposed-comm", "exposed-comm=SUBJECT",
	  "transfers of a collective take no time where a stage launches it, arrivals stay",
	  WL_UPPER_BOUND, false, true, false, no_comm, wl_apply_exposed_comm },
	{ "exposed-copy", "exposed-copy=SORT",
	  "copies of a sort, such as host to device or within a GPU, take no time", WL_UPPER_BOUND,
	  false, true, false, NULL, wl_apply_exposed_copy },
	{ "blocking-copy", "blocking-copy",
	  "copies of calls that wait for them take no time, and no call waits for them",
	  WL_UPPER_BOUND, false, false, false, no_calls, wl_apply_blocking_copy },
	{ "tiny-reads", "tiny-reads",
	  "copies of at most 64 bytes to the host take no time, and no call waits for them",
	  WL_UPPER_BOUND, false, false, false, no_calls, wl_apply_tiny_reads },
	{ "alloc-in-loop", "alloc-in-loop", "calls that allocate or free memory take no time",
	  WL_UPPER_BOUND, false, false, false, no_calls, wl_apply_alloc_in_loop },
	{ "module-load-in-loop", "module-load-in-loop",
	  "calls that load modules or compile kernels take no time", WL_UPPER_BOUND, false, false,
	  false, no_calls, wl_apply_module_load },
	{ "layout-change", "layout-change",
	  "kernels that only change the layout of tensors take no time", WL_UPPER_BOUND, false,
	  false, false, NULL, wl_apply_layout_change },
	{ "host-starved", "host-starved",
	  "host code, and CUDA calls that do not launch, wait, allocate or load, take no time",
	  WL_UPPER_BOUND, false, false, false, no_calls, wl_apply_host_starved },
};

const size_t wl_n_scenario_kinds = sizeof(wl_scenario_kinds) / sizeof(wl_scenario_kinds[0]);

size_t wl_standard_asks(struct wl_asked *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < wl_n_scenario_kinds && n < WL_MOST_ASKS; i++) {
		const struct wl_scenario_kind *k = &wl_scenario_kinds[i];

		if (k->is_standard)
			ret[n++] = (struct wl_asked){ k, k->name, NULL, 1, 1 };
	}
	return n;
}

static const struct wl_scenario_kind *find_kind(const char *text, size_t n)
{
	for (size_t i = 0; i < wl_n_scenario_kinds; i++) {
		const char *name = wl_scenario_kinds[i].name;

		if (strlen(name) == n && memcmp(name, text, n) == 0)
			return &wl_scenario_kinds[i];
	}
	return NULL;
}

enum { MOST_DIGITS = 9 };

/* Digits with a point: "0.85" is 85 out of 100. False without digits, or with too many. */
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

	for (size_t i = 0; i < wl_n_scenario_kinds && used < sizeof(all); i++)
		used += (size_t)snprintf(all + used, sizeof(all) - used, "%s%s", i ? ", " : "",
					 wl_scenario_kinds[i].name);
	return wl_fail(reterr, WL_E_USAGE, "unknown scenario \"%.60s\"; there are %s", text, all);
}

static int malformed(const struct wl_scenario_kind *kind, const char *text, struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_USAGE, "scenario \"%.100s\": write %s%s", text, kind->form,
		       kind->takes_factor ? ", with a factor such as 0.8, 80% or 4/5" : "");
}

/* Findings whose scenario has another name: without an argument it is of all that they find. */
static const struct {
	const char *code, *scenario;
} aliases[] = {
	{ "straggler", "no-straggler" },      { "pageable-copy", "pinned" },
	{ "launch-bound", "launch-free" },    { "stream-serialisation", "overlap" },
	{ "host-sync-idle", "no-sync=re:." }, { "exposed-comm", "comm-free" },
	{ "exposed-copy", "copies-free" },    { "device-copies", "exposed-copy=within a GPU" },
};

static const char *named(const char *text)
{
	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++) {
		if (strcmp(aliases[i].code, text) == 0)
			return aliases[i].scenario;
	}
	return text;
}

int wl_ask_parse(const char *given, struct wl_arena *arena, struct wl_asked *ret,
		 struct wl_err *reterr)
{
	const char *text = named(given), *equals = strchr(text, '='), *colon;
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
	/* Names of kernels have colons: the last one is before the factor. */
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
