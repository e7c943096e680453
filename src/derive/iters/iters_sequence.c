/* SPDX-License-Identifier: MIT */
/*
 * iters_sequence.c - finds iterations without markers: the period of the kernel names on a
 * process's busiest stream.
 */
#include <stdio.h>

#include "base/memory/sort.h"
#include "base/process/pool.h"
#include "derive/derived.h"
#include "derive/iters/iters_parts.h"
#include "derive/iters/period.h"
#include "derive/kinds/intervals.h"
#include "derive/rows/stats.h"

enum {
	/* A few runs of one kernel are not steps: code that runs once has those, too. */
	MIN_RUNS_OF_ONE = 50,
};

/* The kernels of a process's stream with the largest total kernel time, in order. */
struct sequence {
	uint32_t place; /* WL_NONE if the process has no kernel or is not wanted */
	uint32_t *row;
	size_t n;
};

struct work {
	const struct wl_trace *trace;
	struct sequence *sequence; /* by process */
	struct wl_steps_found *out;
};

/* True when the place comes before another by device, context and stream. */
static bool is_lower(const struct wl_place *a, const struct wl_place *b)
{
	if (a->device != b->device)
		return a->device < b->device;
	return a->context != b->context ? a->context < b->context : a->stream < b->stream;
}

static bool choose_streams(const struct work *w, const bool *wanted, struct wl_arena *arena)
{
	const struct wl_trace *t = w->trace;
	const struct wl_ops ops = wl_trace_ops(t, WL_F_KERNELS);
	wl_ns *sum = WL_NEW(arena, wl_ns, t->n_places);
	size_t *n = WL_NEW(arena, size_t, t->n_places);

	if (!sum || !n)
		return false;
	for (size_t i = 0; i < ops.n; i++) {
		sum[ops.place[i]] = wl_add_up(sum[ops.place[i]], wl_dur(ops.family, ops.dur, i));
		n[ops.place[i]]++;
	}
	for (size_t p = 0; p < t->n_processes; p++)
		w->sequence[p].place = WL_NONE;
	for (uint32_t i = 0; i < t->n_places; i++) {
		struct sequence *s = &w->sequence[t->places[i].process];

		if (n[i] == 0 || !wanted[t->places[i].process])
			continue;
		/*
		 * Places are numbered in order of first sight; ties are broken by device, context
		 * and stream instead.
		 */
		if (s->place == WL_NONE || sum[i] > sum[s->place] ||
		    (sum[i] == sum[s->place] && is_lower(&t->places[i], &t->places[s->place]))) {
			s->place = i;
			s->n = n[i];
		}
	}
	return true;
}

/* Kernels are in order of start on each device, and therefore on each stream. */
static bool take_rows(const struct work *w, struct wl_arena *arena)
{
	const struct wl_trace *t = w->trace;
	const struct wl_ops ops = wl_trace_ops(t, WL_F_KERNELS);

	for (size_t p = 0; p < t->n_processes; p++) {
		struct sequence *s = &w->sequence[p];

		s->row = WL_NEW(arena, uint32_t, s->n);
		if (!s->row)
			return false;
		s->n = 0;
	}
	for (uint32_t i = 0; i < ops.n; i++) {
		struct sequence *s = &w->sequence[t->places[ops.place[i]].process];

		if (s->place == ops.place[i])
			s->row[s->n++] = i;
	}
	return true;
}

static bool find_period(const struct work *w, const struct sequence *s, struct wl_arena *arena,
			struct wl_period *ret)
{
	const struct wl_trace *t = w->trace;
	uint32_t *name = WL_NEW(arena, uint32_t, s->n);

	for (size_t i = 0; name && i < s->n; i++)
		name[i] = t->kernel_names[wl_kernels_name(t)[s->row[i]]].demangled;
	if (!name || !wl_period_find(name, s->n, arena, ret))
		return false;
	/* Its multiples repeat equally often; no other period could replace it. */
	if (ret->length == 1 && s->n < MIN_RUNS_OF_ONE)
		ret->length = 0;
	return true;
}

/*
 * By kernel: how long the device was idle between the stream's earlier kernels and this one. The
 * first kernel has no idle time.
 */
static wl_ns *find_idle(const struct work *w, const struct sequence *s, struct wl_arena *arena)
{
	const struct wl_trace *t = w->trace;
	const struct wl_ops ops = wl_trace_ops(t, WL_F_KERNELS);
	wl_ns *idle = WL_NEW(arena, wl_ns, s->n), until = INT64_MIN;
	struct wl_intervals busy;

	if (!idle || !wl_intervals_of_device(t, NULL, t->places[s->place].device, arena, &busy))
		return NULL;
	for (size_t i = 0; i < s->n; i++) {
		wl_ns start = ops.start[s->row[i]];
		wl_ns end = start + wl_dur(ops.family, ops.dur, s->row[i]);

		if (i > 0 && until < start)
			idle[i] = start - until - wl_intervals_covered(&busy, until, start);
		until = end > until ? end : until;
	}
	return idle;
}

/* The phase of the period that has the largest median idle time before it. */
static size_t find_phase(const wl_ns *idle, size_t n, size_t period, wl_ns *room)
{
	size_t best = 0;
	wl_ns most = -1;

	for (size_t phase = 0; phase < period; phase++) {
		size_t found = 0;

		/*
		 * All phases together visit each kernel once. The first kernel of the trace has
		 * nothing before it and does not vote.
		 */
		for (size_t i = phase ? phase : period; i < n; i += period)
			room[found++] = idle[i];
		if (found == 0)
			continue;
		wl_sort_i64(room, found);
		if (room[wl_rank(found, 50)] > most) {
			most = room[wl_rank(found, 50)];
			best = phase;
		}
	}
	return best;
}

static bool put_periods(const struct work *w, const struct sequence *s,
			const struct wl_period *period, size_t phase, struct wl_arena *arena,
			struct wl_steps_found *ret)
{
	/* Kernels before the first phase belong to no iteration; the last one may be incomplete. */
	size_t n = (s->n - phase + period->length - 1) / period->length;
	wl_ns *start = WL_NEW(arena, wl_ns, n);
	char what[96], is[96];

	(void)snprintf(what, sizeof(what), "period of %zu kernel%s, %s%.1f %% repeated",
		       period->length, period->length == 1 ? "" : "s",
		       period->estimated ? "about " : "", period->repeated * 100);
	(void)snprintf(is, sizeof(is), "a repeating sequence of %zu kernel%s", period->length,
		       period->length == 1 ? "" : "s");
	for (size_t i = 0; start && i < n; i++)
		start[i] = wl_kernels_start(w->trace)[s->row[phase + i * period->length]];
	*ret = (struct wl_steps_found){ .method = WL_ITER_SEQUENCE,
					.start = start,
					.n_starts = n,
					.what = wl_arena_strdup(arena, what),
					.is = wl_arena_strdup(arena, is),
					.is_guess = true };
	return start && ret->what && ret->is;
}

static bool do_process(void *ctx, size_t process, struct wl_arena *arena)
{
	const struct work *w = ctx;
	const struct sequence *s = &w->sequence[process];
	struct wl_arena scratch;
	struct wl_period period;
	bool ok;

	if (s->place == WL_NONE)
		return true;
	wl_arena_init_child(&scratch, arena);
	ok = find_period(w, s, &scratch, &period);
	if (ok && period.length) {
		wl_ns *idle = find_idle(w, s, &scratch), *room = WL_NEW(&scratch, wl_ns, s->n);

		ok = idle && room &&
		     put_periods(w, s, &period, find_phase(idle, s->n, period.length, room), arena,
				 &w->out[process]);
	}
	wl_arena_release(&scratch);
	return ok;
}

const struct wl_steps_found *wl_iter_periods(const struct wl_iter_input *in, const bool *wanted,
					     struct wl_arena *arena)
{
	const struct wl_trace *t = in->trace;
	struct work w = { .trace = t,
			  .sequence = WL_NEW(arena, struct sequence, t->n_processes),
			  .out = WL_NEW(arena, struct wl_steps_found, t->n_processes) };

	if (!w.sequence || !w.out)
		return NULL;
	if (!t->family[WL_F_KERNELS].n || !wl_kernels_name(t))
		return w.out;
	if (!choose_streams(&w, wanted, arena) || !take_rows(&w, arena) ||
	    !wl_pool_map(in->derived->opts.pool, t->n_processes, do_process, &w, arena))
		return NULL;
	return w.out;
}
