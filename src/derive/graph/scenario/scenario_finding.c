/* SPDX-License-Identifier: MIT */
/* scenario_finding.c - scenarios of single findings: removes what a rule claims. */
#include <stdio.h>
#include <string.h>

#include "derive/calls/call_costs.h"
#include "derive/comm/collectives.h"
#include "derive/derived.h"
#include "derive/graph/scenario/scenario_parts.h"
#include "derive/nvtx/stages.h"
#include "derive/rows/small.h"
#include "known/calls/calls.h"
#include "known/exports/codes.h"

static int no_memory(struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_NOMEM, "not enough memory for the replay");
}

static bool is_call(const struct wl_whatif *w, uint32_t p)
{
	return (w->plan->flags[p] & WL_PLAN_CALL) != 0;
}

/* The string of an API call's name; WL_NONE for MPI calls and calls without a name. */
static uint32_t name_of(const struct wl_whatif *w, uint32_t p)
{
	const struct wl_graph *g = w->plan->graph;

	return w->does[p] == WL_DOES_MPI ? WL_NONE
					 : wl_api_name(g->trace)[w->plan->activity[p] - g->n_ops];
}

/* Make a call not wait; only its return remains. */
static void let_go(struct wl_whatif *w, uint32_t p)
{
	const struct wl_graph *g = w->plan->graph;
	wl_ns least = g->back[wl_graph_process(g, w->plan->activity[p])];

	w->n_changed += !w->changes.lone[p];
	w->changes.lone[p] = 1;
	if (wl_changed_length(w, p) > least)
		wl_set_length(w, p, least);
}

/* A cache of properties of functions by name. */
struct by_name {
	const struct wl_trace *trace;
	bool (*is_one)(const char *function);
	uint8_t *known; /* by string: 0 for not asked yet, 1 for no, 2 for yes */
};

static bool by_name_init(struct by_name *b, const struct wl_whatif *w, struct wl_arena *scratch,
			 bool (*is_one)(const char *function))
{
	*b = (struct by_name){ .trace = w->given->trace, .is_one = is_one };
	b->known = WL_NEW(scratch, uint8_t, b->trace->strings.n);
	return b->known != NULL;
}

static bool is_one(const struct by_name *b, uint32_t name)
{
	if (name == WL_NONE)
		return false;
	if (!b->known[name])
		b->known[name] = b->is_one(wl_str(b->trace, name)) ? 2 : 1;
	return b->known[name] == 2;
}

/* Drop the calls of a class: they do not wait and take no time. */
static int drop_calls(struct wl_whatif *w, bool (*of_class)(const char *function),
		      struct wl_err *reterr)
{
	struct wl_arena scratch;
	struct by_name names;
	bool ok;

	wl_arena_init_child(&scratch, w->arena);
	ok = by_name_init(&names, w, &scratch, of_class) && wl_change_ends(w) &&
	     wl_change_lengths(w);
	for (uint32_t i = 0; ok && i < w->window.n; i++) {
		uint32_t p = wl_window_at(&w->window, i);

		if (!is_call(w, p) || !is_one(&names, name_of(w, p)))
			continue;
		if (w->does[p] == WL_DOES_BLOCK)
			let_go(w, p);
		wl_set_length(w, p, 0);
	}
	wl_arena_release(&scratch);
	return ok ? WL_OK : no_memory(reterr);
}

static bool allocates(const char *function)
{
	return wl_call_class_of(function) == WL_CALLS_ALLOC;
}

static bool loads(const char *function)
{
	return wl_call_class_of(function) == WL_CALLS_LOAD;
}

int wl_apply_alloc_in_loop(struct wl_whatif *w, const struct wl_asked *ask, struct wl_err *reterr)
{
	(void)ask;
	return drop_calls(w, allocates, reterr);
}

/* The time that other calls spend on loading is removed too, and their launches follow. */
static int drop_loading(struct wl_whatif *w, struct wl_err *reterr)
{
	const struct wl_graph *g = w->plan->graph;

	if (!wl_change_lengths(w) || !wl_change_gaps(w))
		return no_memory(reterr);
	for (uint32_t i = 0; i < w->window.n; i++) {
		uint32_t p = wl_window_at(&w->window, i), call = w->plan->activity[p];
		wl_ns cost[WL_N_CALL_COSTS] = { 0 }, own, end;

		if (!is_call(w, p) || w->does[p] == WL_DOES_MPI)
			continue;
		own = wl_changed_length(w, p);
		end = wl_graph_end(g, call);
		wl_call_costs_add(w->given->call_costs, wl_graph_call_thread(g, call - g->n_ops),
				  end - wl_graph_own_length(g, call), end, cost);
		if (cost[WL_COST_LOADING])
			wl_set_length(w, p,
				      own > cost[WL_COST_LOADING] ? own - cost[WL_COST_LOADING]
								  : 0);
	}
	wl_follow_launches(w);
	return WL_OK;
}

int wl_apply_module_load(struct wl_whatif *w, const struct wl_asked *ask, struct wl_err *reterr)
{
	int r = drop_calls(w, loads, reterr);

	(void)ask;
	return r == WL_OK && w->given->call_costs->n ? drop_loading(w, reterr) : r;
}

/* Whether this is a copy whose call waits for it. */
static bool is_waited_for(const struct wl_whatif *w, const struct by_name *names, uint32_t p)
{
	const struct wl_graph *g = w->plan->graph;
	bool is_copy = w->does[p] == WL_DOES_COPY || w->does[p] == WL_DOES_LOCAL;
	uint32_t row = is_copy ? wl_graph_launch(g, w->plan->activity[p]) : WL_NONE;

	return row != WL_NONE && is_one(names, wl_api_name(g->trace)[row]);
}

/* Whether a call waits for such a copy, as a synchronization after the copy does. */
static bool waits_for_one(const struct wl_whatif *w, const struct by_name *names, uint32_t p)
{
	uint32_t op = w->plan->graph->releaser[w->plan->activity[p] - w->plan->graph->n_ops];

	return op != WL_NONE && is_waited_for(w, names, w->plan->at[op]);
}

int wl_apply_blocking_copy(struct wl_whatif *w, const struct wl_asked *ask, struct wl_err *reterr)
{
	struct wl_arena scratch;
	struct by_name names;
	const bool *is_kept;
	bool ok;

	(void)ask;
	wl_arena_init_child(&scratch, w->arena);
	is_kept = wl_waits_for_messages(w, &scratch);
	ok = is_kept && by_name_init(&names, w, &scratch, wl_call_copies_blocking) &&
	     wl_change_ends(w) && wl_change_lengths(w);
	for (uint32_t i = 0; ok && i < w->window.n; i++) {
		uint32_t p = wl_window_at(&w->window, i);

		if (!is_call(w, p)) {
			if (is_waited_for(w, &names, p))
				wl_set_length(w, p, 0);
		} else if (w->does[p] == WL_DOES_BLOCK &&
			   (is_one(&names, name_of(w, p)) ||
			    (waits_for_one(w, &names, p) &&
			     !is_kept[w->plan->activity[p] - w->plan->graph->n_ops]))) {
			let_go(w, p);
		}
	}
	wl_arena_release(&scratch);
	return ok ? WL_OK : no_memory(reterr);
}

/* Excludes launches, waits, allocations and loads, which have their own findings. */
static bool is_other(const char *function)
{
	return wl_call_class_of(function) == WL_CALLS_OTHER;
}

int wl_apply_host_starved(struct wl_whatif *w, const struct wl_asked *ask, struct wl_err *reterr)
{
	struct wl_arena scratch;
	struct by_name names;
	bool ok;

	(void)ask;
	wl_arena_init_child(&scratch, w->arena);
	ok = by_name_init(&names, w, &scratch, is_other) && wl_change_gaps(w) &&
	     wl_change_lengths(w);
	for (uint32_t i = 0; ok && i < w->window.n; i++) {
		uint32_t p = wl_window_at(&w->window, i);

		if (!is_call(w, p))
			continue;
		wl_set_gap(w, p, 0);
		if (w->does[p] == WL_DOES_CALL && is_one(&names, name_of(w, p)))
			wl_set_length(w, p, 0);
	}
	wl_arena_release(&scratch);
	return ok ? WL_OK : no_memory(reterr);
}

/* The row of a copy; WL_NONE for other activities. */
static uint32_t copy_row(const struct wl_graph *g, uint32_t activity)
{
	return activity < g->n_ops && wl_graph_kind(g, activity) == WL_OP_MEMCPY
		       ? activity - g->first[WL_OP_MEMCPY]
		       : WL_NONE;
}

static bool is_tiny_read(const struct wl_graph *g, uint32_t activity)
{
	const int64_t *bytes = wl_memcpys_bytes(g->trace);
	const uint8_t *kind = wl_memcpys_kind(g->trace);
	uint32_t row = activity == WL_NONE ? WL_NONE : copy_row(g, activity);

	return row != WL_NONE && bytes && kind && kind[row] == WL_COPY_D2H &&
	       bytes[row] <= WL_TINY_READ_BYTES;
}

int wl_apply_tiny_reads(struct wl_whatif *w, const struct wl_asked *ask, struct wl_err *reterr)
{
	const struct wl_graph *g = w->plan->graph;
	const bool *is_kept;
	struct wl_arena scratch;
	bool ok;

	(void)ask;
	wl_arena_init_child(&scratch, w->arena);
	is_kept = wl_waits_for_messages(w, &scratch);
	ok = is_kept && wl_change_lengths(w) && wl_change_ends(w);
	for (uint32_t i = 0; ok && i < w->window.n; i++) {
		uint32_t p = wl_window_at(&w->window, i), activity = w->plan->activity[p];

		if (!is_call(w, p)) {
			if (is_tiny_read(g, activity))
				wl_set_length(w, p, 0);
		} else if (w->does[p] == WL_DOES_BLOCK && !is_kept[activity - g->n_ops] &&
			   is_tiny_read(g, g->releaser[activity - g->n_ops])) {
			let_go(w, p);
		}
	}
	wl_arena_release(&scratch);
	return ok ? WL_OK : no_memory(reterr);
}

/* The kinds of copies that findings distinguish. */
static const char *sort_of(const struct wl_trace *t, uint32_t row)
{
	const int64_t *bytes = wl_memcpys_bytes(t);
	unsigned kind = wl_memcpys_kind(t) ? wl_known_copy_kind(wl_memcpys_kind(t)[row]) : 0;

	if (wl_copy_is_managed(kind))
		return "managed memory";
	if (bytes && bytes[row] <= WL_SMALL_COPY_BYTES)
		return "small copies";
	switch (kind) {
	case WL_COPY_H2D:
		return "host to device";
	case WL_COPY_D2H:
		return "device to host";
	case WL_COPY_P2P:
	case WL_COPY_D2D:
		return "between GPUs";
	default:
		return "other copies";
	}
}

static const char within[] = "within a GPU";

/* The kind of a copy; NULL for other activities. A copy within one device is work (classes.h). */
static const char *sort_at(const struct wl_whatif *w, uint32_t p)
{
	uint32_t row = copy_row(w->plan->graph, w->plan->activity[p]);

	if (row == WL_NONE || (w->does[p] != WL_DOES_COPY && w->does[p] != WL_DOES_LOCAL))
		return NULL;
	return w->does[p] == WL_DOES_LOCAL ? within : sort_of(w->plan->graph->trace, row);
}

/* Fail with a message that lists the existing kinds. */
static int no_such_copies(const struct wl_whatif *w, const char *what, struct wl_err *reterr)
{
	const char *seen[8];
	char all[200] = "";
	size_t n = 0, used = 0;

	for (uint32_t i = 0; i < w->window.n && n < WL_COUNT(seen); i++) {
		const char *sort = sort_at(w, wl_window_at(&w->window, i));
		size_t k = 0;

		while (sort && k < n && strcmp(seen[k], sort) != 0)
			k++;
		if (sort && k == n)
			seen[n++] = sort;
	}
	for (size_t i = 0; i < n && used < sizeof(all); i++)
		used += (size_t)snprintf(all + used, sizeof(all) - used, "%s%s", i ? ", " : "",
					 seen[i]);
	return wl_fail(reterr, WL_E_NOMATCH,
		       "no copies are \"%.60s\", where those of at most 64 KiB are small copies; "
		       "there are %s",
		       what, n ? all : "no copies at all");
}

int wl_apply_exposed_copy(struct wl_whatif *w, const struct wl_asked *ask, struct wl_err *reterr)
{
	size_t n = 0;

	if (!wl_change_lengths(w))
		return no_memory(reterr);
	for (uint32_t i = 0; i < w->window.n; i++) {
		uint32_t p = wl_window_at(&w->window, i);
		const char *sort = sort_at(w, p);

		if (!sort || strcmp(sort, ask->what) != 0)
			continue;
		wl_set_length(w, p, 0);
		n++;
	}
	return n ? WL_OK : no_such_copies(w, ask->what, reterr);
}

static const char in_stage[] = " in ", no_stage[] = " outside ranges";

/* Whether an operation matches "AllReduce in backward" or "AllReduce outside ranges"; compares
 * without building the text. */
static bool is_there(const struct wl_whatif *w, uint32_t op, const char *what)
{
	const struct wl_derived *given = w->given;
	const struct wl_graph *g = w->plan->graph;
	enum wl_op_kind kind = wl_graph_kind(g, op);
	const char *type = wl_collective_title(wl_collective_of(
		g->trace, given->collectives, wl_op_families[kind], op - g->first[kind]));
	size_t n = strlen(type);
	uint32_t call = wl_graph_launch(g, op), stage = WL_NONE;
	bool is_bridged;

	if (strncmp(what, type, n) != 0)
		return false;
	if (given->forest && call != WL_NONE)
		stage = wl_stage_of_call(given->stages, g->trace, given->forest, call, &is_bridged);
	if (stage == WL_NONE)
		return strcmp(what + n, no_stage) == 0;
	return strncmp(what + n, in_stage, strlen(in_stage)) == 0 &&
	       strcmp(what + n + strlen(in_stage), given->stages->text[stage]) == 0;
}

int wl_apply_exposed_comm(struct wl_whatif *w, const struct wl_asked *ask, struct wl_err *reterr)
{
	size_t n = 0;

	if (!wl_change_lengths(w))
		return no_memory(reterr);
	for (uint32_t i = 0; i < w->window.n; i++) {
		uint32_t p = wl_window_at(&w->window, i);

		if ((w->does[p] != WL_DOES_COMM && w->does[p] != WL_DOES_MEET) || is_call(w, p) ||
		    !is_there(w, w->plan->activity[p], ask->what))
			continue;
		/* Unmatched communication includes its waiting. */
		if (w->does[p] == WL_DOES_COMM)
			w->forecast = WL_UPPER_BOUND;
		wl_set_length(w, p, 0);
		n++;
	}
	return n ? WL_OK
		 : wl_fail(reterr, WL_E_NOMATCH,
			   "nothing communicates as \"%.100s\"; \"warplens overlap --by stage\" "
			   "lists stages",
			   ask->what);
}
