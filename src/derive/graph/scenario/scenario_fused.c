/* SPDX-License-Identifier: MIT */
/*
 * scenario_fused.c - fuses consecutive tiny kernels into one that is as long as the longest.
 *
 * A run consists of tiny kernels that follow each other on their stream with nothing between them.
 * The longest one stays; the others take no time and start as soon as their stream allows. Their
 * launch calls stay, because host time is another scenario.
 */
#include "derive/graph/scenario/scenario_parts.h"
#include "derive/idle/idle.h"

struct fusing {
	struct wl_whatif *w;
	uint32_t *run;     /* by position: the first of its run; 0 if it is in none */
	uint32_t *longest; /* by first position of a run: the kernel that stays */
};

static bool is_tiny(const struct wl_whatif *w, uint32_t position)
{
	const struct wl_graph *g = w->plan->graph;
	uint32_t activity = w->plan->activity[position];

	return w->does[position] == WL_DOES_COMPUTE && wl_graph_kind(g, activity) == WL_OP_KERNEL &&
	       wl_graph_length(g, activity) <= WL_TINY_KERNEL_NS;
}

static wl_ns length_at(const struct wl_whatif *w, uint32_t position)
{
	return wl_graph_length(w->plan->graph, w->plan->activity[position]);
}

/* Add a tiny kernel to the run of the operation before it, or begin a new run. */
static void add(const struct fusing *f, uint32_t position)
{
	uint32_t before = wl_stream_before(f->w->plan, position);
	uint32_t run = before ? f->run[before] : 0;

	if (!run) {
		run = position;
		f->longest[run] = position;
	}
	f->run[position] = run;
	if (length_at(f->w, position) > length_at(f->w, f->longest[run]))
		f->longest[run] = position;
}

/* Drop the spacing of a queued operation, which started after the one before it on its stream. */
static void drop_dispatch(struct wl_whatif *w, uint32_t position)
{
	const struct wl_replay_plan *plan = w->plan;
	uint32_t before = wl_stream_before(plan, position);
	wl_ns lag;

	if (plan->slack[plan->first[position]] != 0)
		return;
	lag = wl_graph_start(plan->graph, plan->activity[position]) -
	      wl_graph_end(plan->graph, plan->activity[before]);
	if (lag > 0 && lag <= WL_DISPATCH_NS && -lag < w->changes.gap[position]) {
		w->changes.gap[position] = -lag;
		w->n_changed++;
	}
}

static int fuse(const struct fusing *f, struct wl_err *reterr)
{
	struct wl_whatif *w = f->w;
	size_t n = 0;

	for (uint32_t i = 0; i < w->window.n; i++) {
		uint32_t p = wl_window_at(&w->window, i);

		if (!(w->plan->flags[p] & WL_PLAN_CALL) && is_tiny(w, p))
			add(f, p);
	}
	for (uint32_t i = 0; i < w->window.n; i++) {
		uint32_t p = wl_window_at(&w->window, i), run = f->run[p];

		if (!run)
			continue;
		n++;
		if (p != f->longest[run])
			wl_set_length(w, p, 0);
		if (p != run)
			drop_dispatch(w, p);
	}
	return n ? WL_OK : wl_fail(reterr, WL_E_NOMATCH, "no kernel takes at most 5 us");
}

int wl_apply_tiny_kernels(struct wl_whatif *w, const struct wl_asked *ask, struct wl_err *reterr)
{
	size_t n = (size_t)w->plan->n + 1;
	struct wl_arena scratch;
	struct fusing f = { .w = w };
	int r;

	(void)ask;
	wl_arena_init_child(&scratch, w->arena);
	f.run = WL_NEW(&scratch, uint32_t, n);
	f.longest = WL_NEW(&scratch, uint32_t, n);
	r = f.run && f.longest && wl_change_lengths(w) && wl_change_gaps(w)
		    ? fuse(&f, reterr)
		    : wl_fail(reterr, WL_E_NOMEM, "not enough memory for the replay");
	wl_arena_release(&scratch);
	return r;
}
