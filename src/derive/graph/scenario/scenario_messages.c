/* SPDX-License-Identifier: MIT */
/* scenario_messages.c - scenarios for MPI calls: what they need, and how much of them kernels can
 * hide. */
#include "derive/derived.h"
#include "derive/graph/scenario/scenario_parts.h"
#include "derive/graph/step_lists.h"

/* A sum per step; the sums of a process are contiguous. */
struct hidden {
	struct wl_whatif *w;
	struct wl_step_bounds bounds;
	size_t *first; /* by process */
	wl_ns *room;   /* by step: kernel time that hides no call yet */
};

static bool hidden_init(struct hidden *h, struct wl_whatif *w, struct wl_arena *scratch)
{
	const struct wl_step_lists *lists = wl_whatif_steps(w);
	size_t n_processes = w->given->trace->n_processes, n = 0;

	*h = (struct hidden){ .w = w, .first = WL_NEW(scratch, size_t, n_processes) };
	if (!lists || !h->first || !wl_change_lengths(w))
		return false;
	h->bounds.process = lists->process;
	for (size_t i = 0; i < n_processes; i++) {
		h->first[i] = n;
		n += lists->process[i].n;
	}
	h->room = WL_NEW(scratch, wl_ns, n);
	return h->room != NULL;
}

/* The sum for an activity's step; NULL if it is in none. */
static wl_ns *room_of(const struct hidden *h, uint32_t p)
{
	const struct wl_graph *g = h->w->plan->graph;
	uint32_t activity = h->w->plan->activity[p];
	uint32_t step = wl_step_of(h->w->given, &h->bounds, activity);

	return step == WL_NONE ? NULL : &h->room[h->first[wl_graph_process(g, activity)] + step];
}

static bool computes(const struct wl_whatif *w, uint32_t p)
{
	return w->does[p] == WL_DOES_COMPUTE || w->does[p] == WL_DOES_LOCAL;
}

static void hide(struct hidden *h, uint32_t p)
{
	wl_ns *room = room_of(h, p), length = wl_changed_length(h->w, p), most;

	if (!room)
		return;
	most = *room < length ? *room : length;
	*room -= most;
	wl_set_length(h->w, p, length - most);
}

int wl_apply_overlap_mpi(struct wl_whatif *w, const struct wl_asked *ask, struct wl_err *reterr)
{
	struct wl_arena scratch;
	struct hidden h;
	bool ok;

	(void)ask;
	wl_arena_init_child(&scratch, w->arena);
	ok = hidden_init(&h, w, &scratch);
	for (uint32_t i = 0; ok && i < w->window.n; i++) {
		uint32_t p = wl_window_at(&w->window, i);
		wl_ns *room = computes(w, p) ? room_of(&h, p) : NULL;

		if (room)
			*room += wl_changed_length(w, p);
	}
	for (uint32_t i = 0; ok && i < w->window.n; i++) {
		uint32_t p = wl_window_at(&w->window, i);

		if (w->does[p] == WL_DOES_MPI)
			hide(&h, p);
	}
	wl_arena_release(&scratch);
	return ok ? WL_OK : wl_fail(reterr, WL_E_NOMEM, "not enough memory for the replay");
}

/* Whether what the call waits for was done before the call began. */
static bool waits_again(const struct wl_graph *g, uint32_t row)
{
	uint32_t op = g->releaser[row];

	return op != WL_NONE && wl_graph_end(g, op) <= wl_graph_start(g, wl_graph_call(g, row));
}

/* Visits the calls of each thread from last to first. */
const bool *wl_waits_for_messages(const struct wl_whatif *w, struct wl_arena *arena)
{
	const struct wl_graph *g = w->plan->graph;
	bool *ret = WL_NEW(arena, bool, g->n_calls + 1);
	bool *sends = WL_NEW(arena, bool, g->trace->n_threads + 1);

	for (uint32_t i = ret && sends && w->given->mpi_calls->any ? w->window.n : 0; i-- > 0;) {
		uint32_t p = wl_window_at(&w->window, i), row;
		bool *sends_next;

		if (!(w->plan->flags[p] & WL_PLAN_CALL))
			continue;
		row = w->plan->activity[p] - g->n_ops;
		sends_next = &sends[wl_graph_call_thread(g, row)];
		if (w->does[p] == WL_DOES_BLOCK)
			ret[row] = *sends_next && waits_again(g, row);
		else if (w->does[p] == WL_DOES_MPI || w->does[p] == WL_DOES_LAUNCH)
			*sends_next = w->does[p] == WL_DOES_MPI;
	}
	return sends ? ret : NULL;
}
