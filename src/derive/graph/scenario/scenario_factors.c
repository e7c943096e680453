/* SPDX-License-Identifier: MIT */
/* scenario_factors.c - scenarios that change lengths by class, name or rank. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/text/pattern.h"
#include "derive/derived.h"
#include "derive/graph/path.h"
#include "derive/graph/scenario/scenario_parts.h"
#include "derive/kinds/classes.h"
#include "derive/kinds/named.h"
#include "derive/nvtx/ranks.h"
#include "known/kernels/layouts.h"
#include "model/ranks.h"

static int no_memory(struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_NOMEM, "not enough memory for the replay");
}

/* Rounds to the nearest, halves up. */
static wl_ns times(wl_ns length, const struct wl_asked *ask)
{
	wl_u128 product = (wl_u128)(uint64_t)length * (uint64_t)ask->times;
	wl_u128 ret = (product + (uint64_t)ask->out_of / 2) / (uint64_t)ask->out_of;

	return ret > (wl_u128)WL_TIME_MAX ? WL_TIME_MAX : (wl_ns)ret;
}

static void scale(struct wl_whatif *w, uint32_t position, const struct wl_asked *ask)
{
	wl_set_length(w, position, times(wl_changed_length(w, position), ask));
}

/* Includes copies within a GPU. */
static bool is_copy(const struct wl_whatif *w, uint32_t position)
{
	return w->does[position] == WL_DOES_COPY || w->does[position] == WL_DOES_LOCAL;
}

int wl_apply_rank(struct wl_whatif *w, const struct wl_asked *ask, struct wl_err *reterr)
{
	const struct wl_graph *g = w->plan->graph;
	char *end;
	int64_t rank = strtoll(ask->what, &end, 10);
	bool is_known = false;

	for (size_t i = 0; i < g->trace->n_processes; i++)
		is_known |= w->given->ranks->of[i] == rank;
	if (*end || rank < 0)
		return wl_fail(reterr, WL_E_USAGE, "\"%.60s\" is no rank; write a number",
			       ask->what);
	if (!is_known)
		return wl_fail(reterr, WL_E_NOMATCH, "no process has rank %" PRId64, rank);
	w->crosses = true;
	if (!wl_change_lengths(w))
		return no_memory(reterr);
	for (uint32_t i = 0; i < w->window.n; i++) {
		uint32_t p = wl_window_at(&w->window, i);

		if ((w->does[p] == WL_DOES_COMPUTE || is_copy(w, p)) &&
		    w->given->ranks->of[wl_graph_process(g, w->plan->activity[p])] == rank)
			scale(w, p, ask);
	}
	return WL_OK;
}

/* Scale the kernels whose name is marked in on. */
static int scale_names(struct wl_whatif *w, const struct wl_asked *ask, const bool *on,
		       struct wl_err *reterr)
{
	const struct wl_graph *g = w->plan->graph;
	const uint32_t *name = wl_kernels_name(g->trace);

	if (!wl_change_lengths(w))
		return no_memory(reterr);
	for (uint32_t i = 0; i < w->window.n; i++) {
		uint32_t p = wl_window_at(&w->window, i), activity = w->plan->activity[p];

		if (activity < g->first[WL_OP_KERNEL + 1] &&
		    on[name[activity - g->first[WL_OP_KERNEL]]])
			scale(w, p, ask);
	}
	return WL_OK;
}

int wl_apply_kernel(struct wl_whatif *w, const struct wl_asked *ask, struct wl_err *reterr)
{
	const struct wl_trace *t = w->given->trace;
	bool *on = WL_NEW(w->arena, bool, t->n_kernel_names + 1);
	struct wl_pattern pattern = { .part = NULL };
	size_t n = 0;
	int r = wl_pattern_init(&pattern, ask->what, reterr);

	for (size_t i = 0; r == WL_OK && on && i < t->n_kernel_names; i++) {
		on[i] = wl_pattern_matches(&pattern, wl_str(t, t->kernel_names[i].demangled)) ||
			wl_pattern_matches(&pattern, w->given->named->label[i]);
		n += on[i];
	}
	wl_pattern_release(&pattern);
	if (r < 0)
		return r;
	if (!on)
		return no_memory(reterr);
	if (!n)
		return wl_fail(reterr, WL_E_NOMATCH, "no kernel is called \"%.100s\"", ask->what);
	return scale_names(w, ask, on, reterr);
}

/* Copies and memory sets belong to the category memory, except those that communicate. */
static size_t scale_memory(struct wl_whatif *w, const struct wl_asked *ask)
{
	const struct wl_graph *g = w->plan->graph;
	size_t n = 0;

	for (uint32_t i = 0; i < w->window.n; i++) {
		uint32_t p = wl_window_at(&w->window, i), activity = w->plan->activity[p];

		if (activity >= g->n_ops || w->does[p] == WL_DOES_COMM ||
		    w->does[p] == WL_DOES_MEET || wl_graph_kind(g, activity) == WL_OP_KERNEL ||
		    wl_graph_kind(g, activity) == WL_OP_GRAPH)
			continue;
		scale(w, p, ask);
		n++;
	}
	return n;
}

int wl_apply_category(struct wl_whatif *w, const struct wl_asked *ask, struct wl_err *reterr)
{
	const struct wl_trace *t = w->given->trace;
	bool *on = WL_NEW(w->arena, bool, t->n_kernel_names + 1);
	size_t n = 0;

	if (!on)
		return no_memory(reterr);
	for (size_t i = 0; i < t->n_kernel_names; i++) {
		uint8_t category = w->given->named->kernel[i].category;

		on[i] = category < WL_N_NAMED_CATEGORIES &&
			strcmp(wl_category_word((enum wl_category)category), ask->what) == 0;
		n += on[i];
	}
	if (!wl_change_lengths(w))
		return no_memory(reterr);
	if (strcmp(wl_category_word(WL_CATEGORY_MEMORY), ask->what) == 0)
		n += scale_memory(w, ask);
	if (!n)
		return wl_fail(reterr, WL_E_NOMATCH,
			       "nothing is of the category \"%.60s\"; \"warplens categories\" "
			       "lists them",
			       ask->what);
	return scale_names(w, ask, on, reterr);
}

int wl_apply_layout_change(struct wl_whatif *w, const struct wl_asked *ask, struct wl_err *reterr)
{
	const struct wl_trace *t = w->given->trace;
	const struct wl_asked none = { ask->kind, ask->text, NULL, 0, 1 };
	bool *on = WL_NEW(w->arena, bool, t->n_kernel_names + 1);
	size_t n = 0;

	for (size_t i = 0; on && i < t->n_kernel_names; i++) {
		on[i] = wl_kernel_changes_layout(wl_str(t, t->kernel_names[i].demangled));
		n += on[i];
	}
	if (!on)
		return no_memory(reterr);
	if (!n)
		return wl_fail(reterr, WL_E_NOMATCH,
			       "no kernel only changes the layout of tensors");
	return scale_names(w, &none, on, reterr);
}

/* The classes that can be scaled; unmatched communication includes its waiting. */
static bool is_of_class(const struct wl_whatif *w, uint32_t p, const char *class)
{
	switch ((enum wl_does)w->does[p]) {
	case WL_DOES_COMPUTE:
	case WL_DOES_LOCAL:
		return strcmp(class, wl_class_name(WL_COMPUTE)) == 0;
	case WL_DOES_COPY:
		return strcmp(class, wl_class_name(WL_COPY)) == 0;
	case WL_DOES_COMM:
	case WL_DOES_MEET:
		return strcmp(class, wl_class_name(WL_COMM)) == 0;
	case WL_DOES_MPI:
		return strcmp(class, wl_path_class_name(WL_PATH_MPI)) == 0;
	case WL_DOES_LAUNCH:
	case WL_DOES_BLOCK:
	case WL_DOES_CALL:
		break;
	}
	return false;
}

int wl_apply_class(struct wl_whatif *w, const struct wl_asked *ask, struct wl_err *reterr)
{
	const char *const names[] = { wl_class_name(WL_COMPUTE), wl_class_name(WL_COMM),
				      wl_class_name(WL_COPY), wl_path_class_name(WL_PATH_MPI) };
	bool is_known = false;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		is_known |= strcmp(ask->what, names[i]) == 0;
	if (!is_known)
		return wl_fail(reterr, WL_E_USAGE,
			       "class \"%.60s\": use compute, comm, copy or mpi", ask->what);
	w->crosses |= strcmp(ask->what, names[0]) == 0;
	if (!wl_change_lengths(w))
		return no_memory(reterr);
	for (uint32_t i = 0; i < w->window.n; i++) {
		uint32_t p = wl_window_at(&w->window, i);

		if (!is_of_class(w, p, ask->what))
			continue;
		if (w->does[p] == WL_DOES_MPI)
			w->forecast = WL_UPPER_BOUND;
		scale(w, p, ask);
	}
	return WL_OK;
}

/* Time of MPI calls on the critical path within the replayed window. */
static wl_ns mpi_on_path(const struct wl_whatif *w)
{
	const struct wl_path *path = w->given->path;
	wl_ns sum = 0;

	for (size_t i = 0; path->time[WL_PATH_MPI] && i < path->n; i++) {
		wl_ns begin = path->begin[i], end = path->begin[i + 1];

		begin = begin > w->measured.begin ? begin : w->measured.begin;
		end = end < w->measured.end ? end : w->measured.end;
		sum += path->class[i] == WL_PATH_MPI && end > begin ? end - begin : 0;
	}
	return sum;
}

/* Remark on what the scenario leaves: unmatched MPI calls. */
static void note_mpi(struct wl_whatif *w)
{
	wl_ns all = w->measured.end - w->measured.begin, mpi = mpi_on_path(w);

	if (mpi > 0)
		w->remark = (struct wl_whatif_remark){ .kind = WL_REMARK_OTHER_MPI,
						       .time = mpi,
						       .of_time = all };
}

int wl_apply_comm_free(struct wl_whatif *w, const struct wl_asked *ask, struct wl_err *reterr)
{
	(void)ask;
	w->crosses = true;
	if (!wl_change_lengths(w))
		return no_memory(reterr);
	note_mpi(w);
	for (uint32_t i = 0; i < w->window.n; i++) {
		uint32_t p = wl_window_at(&w->window, i);

		if (w->does[p] != WL_DOES_COMM && w->does[p] != WL_DOES_MEET &&
		    wl_graph_slot(w->plan->graph, w->plan->activity[p]) == WL_NONE)
			continue;
		/* Unmatched communication includes its waiting. */
		if (w->does[p] == WL_DOES_COMM)
			w->forecast = WL_UPPER_BOUND;
		wl_set_length(w, p, 0);
	}
	return WL_OK;
}

int wl_apply_no_wait(struct wl_whatif *w, const struct wl_asked *ask, struct wl_err *reterr)
{
	(void)ask;
	(void)reterr;
	w->crosses = true;
	w->changes.no_wait = true;
	if (wl_ranks_missing(w->given->trace)) {
		if (w->forecast == WL_PREDICTION)
			w->forecast = WL_LOWER_BOUND;
		w->remark = (struct wl_whatif_remark){ .kind = WL_REMARK_MISSING_RANKS };
	}
	for (size_t i = 0; i < w->plan->n_late; i++)
		w->n_changed += w->plan->late[i].kind == WL_END_MEETS;
	return WL_OK;
}

int wl_apply_copies_free(struct wl_whatif *w, const struct wl_asked *ask, struct wl_err *reterr)
{
	(void)ask;
	if (!wl_change_lengths(w))
		return no_memory(reterr);
	for (uint32_t i = 0; i < w->window.n; i++) {
		uint32_t p = wl_window_at(&w->window, i);

		if (is_copy(w, p))
			wl_set_length(w, p, 0);
	}
	return WL_OK;
}
