/* SPDX-License-Identifier: MIT */
/*
 * thread_stacks.c - the call stacks of threads. Each source is a layer of pieces that do not
 * overlap; a layer shows where those above it have nothing. Samples are the lowest layer.
 */
#include "derive/use/thread_stacks.h"

#include "base/memory/bound.h"
#include "base/memory/select.h"
#include "base/memory/sort.h"
#include "base/memory/vec.h"
#include "derive/derived.h"

/* A call in progress. */
struct open_call {
	wl_ns end;
	uint32_t stack;
};

struct making {
	const struct wl_trace *trace;
	const struct wl_slice *api, *osrt, *sched, *samples; /* by thread */
	struct wl_slice *of_samples;                         /* by thread: periodic samples */
	uint32_t *sample;                                    /* rows of these */
	wl_ns *reach;                                        /* by process */
	struct wl_vec open;                                  /* struct open_call */
	struct wl_vec layer, shown, merged;                  /* struct wl_stack_piece */
	struct wl_vec all;                                   /* the same, for all threads */
};

static void put(struct wl_vec *to, const struct wl_stack_piece *piece)
{
	if (piece->end > piece->begin)
		wl_vec_push(to, piece);
}

/* ---- The layers of a thread ---- */

/* Add pieces up to a time; *at is the end so far. The call that began last is on top. */
static void close_until(struct making *m, wl_ns until, wl_ns *at, enum wl_stack_state state)
{
	while (m->open.n) {
		const struct open_call *top = (struct open_call *)m->open.data + m->open.n - 1;
		wl_ns end = top->end < until ? top->end : until;

		put(&m->layer, &(struct wl_stack_piece){ *at, end, top->stack, (uint32_t)state });
		*at = end > *at ? end : *at;
		if (top->end > until)
			return;
		m->open.n--;
	}
	*at = until > *at ? until : *at;
}

static void lay_calls(struct making *m, enum wl_family_id family, struct wl_slice rows,
		      const uint32_t *stack, enum wl_stack_state state)
{
	const struct wl_thread_rows calls = wl_trace_thread_rows(m->trace, family);
	wl_ns at = -WL_TIME_MAX;

	m->open.n = m->layer.n = 0;
	for (size_t i = rows.lo; stack && i < rows.hi; i++) {
		if (stack[i] == WL_NONE)
			continue;
		close_until(m, calls.start[i], &at, state);
		wl_vec_push(&m->open,
			    &(struct open_call){ wl_thread_row_end(&calls, i), stack[i] });
	}
	close_until(m, INT64_MAX, &at, state);
}

static enum wl_stack_state off_state(uint8_t thread_state)
{
	enum { RUNNING = 1, INTERRUPTIBLE, UNINTERRUPTIBLE, STOPPED, WAITING = 7 };

	if (thread_state == RUNNING)
		return WL_STACK_OF_RUNNABLE;
	return (thread_state >= INTERRUPTIBLE && thread_state <= STOPPED) || thread_state == WAITING
		       ? WL_STACK_OF_BLOCKED
		       : WL_STACK_OF_OFF;
}

/* The last stack taken in (from, to] as the thread left its CPU; *next advances. */
static uint32_t leaving_stack(const struct making *m, struct wl_slice samples, wl_ns from, wl_ns to,
			      size_t *next)
{
	const wl_ns *start = wl_samples_start(m->trace);
	const uint8_t *leaving = wl_samples_leaving(m->trace);
	uint32_t found = WL_NONE;

	for (; *next < samples.hi && start[*next] <= to; ++*next) {
		if (leaving[*next] && start[*next] > from)
			found = wl_samples_stack(m->trace)[*next];
	}
	return found;
}

static void lay_off_cpu(struct making *m, uint32_t thread)
{
	const struct wl_slice rows = m->sched[thread], samples = m->samples[thread];
	const wl_ns *start = wl_sched_start(m->trace);
	const uint8_t *in = wl_sched_in(m->trace), *state = wl_sched_state(m->trace);
	size_t next = samples.lo;

	m->layer.n = 0;
	for (size_t i = rows.lo; i + 1 < rows.hi; i++) {
		wl_ns from = i > rows.lo ? start[i - 1] : -WL_TIME_MAX;

		if (in[i] == 0)
			put(&m->layer, &(struct wl_stack_piece){
					       start[i], start[i + 1],
					       leaving_stack(m, samples, from, start[i], &next),
					       (uint32_t)off_state(state ? state[i] : 0) });
	}
}

/* Show the layer's pieces where nothing is shown yet. */
static void show_below(struct making *m)
{
	const struct wl_stack_piece *over = m->shown.data, *under = m->layer.data;
	struct wl_vec before = m->shown;
	size_t n = m->shown.n, next = 0;

	m->merged.n = 0;
	for (size_t i = 0; i < m->layer.n; i++) {
		struct wl_stack_piece rest = under[i];

		for (; next < n && over[next].end <= rest.begin; next++)
			put(&m->merged, &over[next]);
		while (rest.begin < rest.end && next < n && over[next].begin < rest.end) {
			struct wl_stack_piece part = rest;

			part.end = over[next].begin;
			put(&m->merged, &part);
			rest.begin = over[next].end;
			if (over[next].end > rest.end)
				break;
			put(&m->merged, &over[next++]);
		}
		put(&m->merged, &rest);
	}
	for (; next < n; next++)
		put(&m->merged, &over[next]);
	m->shown = m->merged;
	m->merged = before;
}

static void show_thread(struct making *m, uint32_t thread)
{
	m->shown.n = 0;
	lay_calls(m, WL_F_API, m->api[thread], wl_api_stack(m->trace), WL_STACK_OF_CALL);
	show_below(m);
	lay_calls(m, WL_F_OSRT, m->osrt[thread], wl_osrt_stack(m->trace), WL_STACK_OF_OS);
	show_below(m);
	lay_off_cpu(m, thread);
	show_below(m);
}

/* ---- Samples ---- */

/* List the samples of each thread that scheduling did not cause. */
static bool list_samples(struct making *m, struct wl_arena *arena)
{
	const uint8_t *leaving = wl_samples_leaving(m->trace);
	size_t n = 0;

	m->of_samples = WL_NEW(arena, struct wl_slice, m->trace->n_threads + 1);
	m->sample = WL_NEW(arena, uint32_t, m->trace->family[WL_F_SAMPLES].n + 1);
	if (!m->of_samples || !m->sample)
		return false;
	for (size_t thread = 0; thread < m->trace->n_threads; thread++) {
		const struct wl_slice rows = m->samples[thread];

		m->of_samples[thread].lo = n;
		for (size_t i = rows.lo; i < rows.hi; i++) {
			if (!leaving[i])
				m->sample[n++] = (uint32_t)i;
		}
		m->of_samples[thread].hi = n;
	}
	return true;
}

/* ---- Reach ---- */

/* More than four seconds is not a sampling period and counts as four seconds. */
static uint32_t distance(wl_ns from, wl_ns to)
{
	return to - from < UINT32_MAX ? (uint32_t)(to - from) : UINT32_MAX;
}

/* Count (at NULL) or write the distances of a thread; *n is their number. */
static void take_distances(const struct making *m, uint32_t thread, uint32_t *at, size_t *n)
{
	const struct wl_slice samples = m->of_samples[thread];
	const wl_ns *start = wl_samples_start(m->trace);

	for (size_t i = samples.lo; i + 1 < samples.hi; i++) {
		wl_ns from = start[m->sample[i]], to = start[m->sample[i + 1]];

		if (to == from)
			continue;
		if (at)
			at[*n] = distance(from, to);
		++*n;
	}
}

/* Where the distances of each process begin in the common array, and their number. */
struct distances {
	size_t begin, n;
};

static void set_reach(struct making *m, const struct distances *of, uint32_t *at)
{
	for (size_t p = 0; p < m->trace->n_processes; p++) {
		const size_t middle = of[p].n ? (of[p].n - 1) / 2 : 0;
		uint32_t median = 0;

		if (of[p].n)
			wl_select_u32(at + of[p].begin, of[p].n, &middle, 1, &median);
		m->reach[p] = (wl_ns)median * 3 / 2;
	}
}

static bool find_reach_in(struct making *m, struct wl_arena *scratch)
{
	const struct wl_trace *t = m->trace;
	struct distances *of = WL_NEW(scratch, struct distances, t->n_processes + 1);
	size_t all = 0;
	uint32_t *at;

	for (uint32_t thread = 0; of && thread < t->n_threads; thread++)
		take_distances(m, thread, NULL, &of[t->threads[thread].process].n);
	for (size_t p = 0; of && p < t->n_processes; p++) {
		of[p].begin = all;
		all += of[p].n;
		of[p].n = 0;
	}
	at = WL_NEW(scratch, uint32_t, all + 1);
	if (!of || !at)
		return false;
	for (uint32_t thread = 0; thread < t->n_threads; thread++) {
		struct distances *d = &of[t->threads[thread].process];

		take_distances(m, thread, at + d->begin, &d->n);
	}
	set_reach(m, of, at);
	return true;
}

static bool find_reach(struct making *m, struct wl_arena *arena)
{
	struct wl_arena scratch;
	bool ok;

	m->reach = WL_NEW(arena, wl_ns, m->trace->n_processes + 1);
	wl_arena_init_child(&scratch, arena);
	ok = m->reach && find_reach_in(m, &scratch);
	wl_arena_release(&scratch);
	return ok;
}

/* ---- All threads ---- */

static bool make_all(struct making *m, struct wl_slice *of)
{
	for (uint32_t thread = 0; thread < m->trace->n_threads; thread++) {
		const struct wl_stack_piece *piece;

		show_thread(m, thread);
		of[thread].lo = m->all.n;
		piece = m->shown.data;
		for (size_t i = 0; i < m->shown.n; i++)
			wl_vec_push(&m->all, &piece[i]);
		of[thread].hi = m->all.n;
	}
	return !m->open.failed && !m->layer.failed && !m->shown.failed && !m->merged.failed &&
	       !m->all.failed;
}

static bool copy_all(const struct making *m, struct wl_arena *arena, struct wl_thread_stacks *ret)
{
	const struct wl_stack_piece *from = m->all.data;
	struct wl_stack_piece *to = WL_NEW(arena, struct wl_stack_piece, m->all.n + 1);

	for (size_t i = 0; to && i < m->all.n; i++)
		to[i] = from[i];
	ret->piece = to;
	ret->reach = m->reach;
	ret->of_samples = m->of_samples;
	ret->sample = m->sample;
	return to != NULL;
}

static bool make_pieces(struct making *m, struct wl_slice *of, struct wl_arena *arena,
			struct wl_thread_stacks *ret)
{
	struct wl_vec *const vecs[] = { &m->layer, &m->shown, &m->merged, &m->all };
	bool ok;

	wl_vec_init(&m->open, sizeof(struct open_call), wl_arena_budget(arena));
	for (size_t i = 0; i < WL_COUNT(vecs); i++)
		wl_vec_init(vecs[i], sizeof(struct wl_stack_piece), wl_arena_budget(arena));
	ok = make_all(m, of) && copy_all(m, arena, ret);
	wl_vec_release(&m->open);
	for (size_t i = 0; i < WL_COUNT(vecs); i++)
		wl_vec_release(vecs[i]);
	return ok;
}

/* ---- Looking ---- */

struct sought {
	const wl_ns *start;
	const uint32_t *sample;
	wl_ns time;
};

static bool is_taken_before(const void *ctx, size_t i)
{
	const struct sought *s = ctx;

	return s->start[s->sample[i]] < s->time;
}

size_t wl_thread_samples_from(const struct wl_thread_stacks *stacks, uint32_t thread, wl_ns time)
{
	const struct wl_slice of = stacks->of_samples[thread];

	return of.lo + wl_lower_bound(of.hi - of.lo, is_taken_before,
				      &(struct sought){ wl_samples_start(stacks->trace),
							stacks->sample + of.lo, time });
}

/* The time that a sample stands for; empty if it has no stack, or another sample was taken at the
 * same time. */
static struct wl_stack_piece reach_of(const struct wl_thread_stacks *stacks, uint32_t thread,
				      size_t i)
{
	const struct wl_trace *t = stacks->trace;
	const wl_ns *start = wl_samples_start(t);
	wl_ns begin = start[stacks->sample[i]];
	wl_ns end = begin + stacks->reach[t->threads[thread].process];
	uint32_t stack = wl_samples_stack(t)[stacks->sample[i]];

	if (i + 1 < stacks->of_samples[thread].hi && start[stacks->sample[i + 1]] < end)
		end = start[stacks->sample[i + 1]];
	return (struct wl_stack_piece){ begin, stack == WL_NONE ? begin : end, stack,
					WL_STACK_OF_CPU };
}

/* Hand on the part of a piece in [begin, end); returns where it ends. */
static wl_ns give(struct wl_stack_piece piece, wl_ns begin, wl_ns end, wl_stack_piece_fn *take,
		  void *ctx)
{
	piece.begin = begin;
	piece.end = piece.end < end ? piece.end : end;
	if (piece.end <= begin)
		return begin;
	take(ctx, &piece);
	return piece.end;
}

/* Visit time in which no other source has anything. */
static void visit_samples(const struct wl_thread_stacks *stacks, uint32_t thread, wl_ns begin,
			  wl_ns end, wl_stack_piece_fn *take, void *ctx)
{
	const struct wl_slice of = stacks->of_samples[thread];
	size_t i = wl_thread_samples_from(stacks, thread, begin + 1);

	/* Start with the last sample taken by then. */
	for (i -= i > of.lo; i < of.hi && begin < end; i++) {
		const struct wl_stack_piece known = reach_of(stacks, thread, i);

		begin = give((struct wl_stack_piece){ 0, known.begin, WL_NONE, WL_STACK_OF_NONE },
			     begin, end, take, ctx);
		begin = give(known, begin, end, take, ctx);
	}
	(void)give((struct wl_stack_piece){ 0, end, WL_NONE, WL_STACK_OF_NONE }, begin, end, take,
		   ctx);
}

void wl_thread_stacks_visit(const struct wl_thread_stacks *stacks, uint32_t thread, wl_ns begin,
			    wl_ns end, wl_stack_piece_fn *take, void *ctx)
{
	const struct wl_slice rows = stacks->of[thread];
	const struct wl_stack_piece *piece = stacks->piece + rows.lo;
	size_t n = rows.hi - rows.lo;
	size_t i = WL_UPTO_BY(wl_stack_piece, end, piece, n, begin);

	while (begin < end) {
		wl_ns until = i < n && piece[i].begin < end ? piece[i].begin : end;

		if (begin < until)
			visit_samples(stacks, thread, begin, until, take, ctx);
		begin = begin < until ? until : give(piece[i++], begin, end, take, ctx);
	}
}

/* ---- Finding ---- */

static struct wl_stack_extent extent_of(const struct wl_thread_stacks *stacks, uint32_t thread)
{
	const struct wl_slice of = stacks->of_samples[thread], rows = stacks->of[thread];
	struct wl_stack_piece first, last;
	struct wl_stack_extent extent = { 0, 0 };
	size_t lo = of.lo, hi = of.hi;

	if (rows.lo < rows.hi)
		extent = (struct wl_stack_extent){ stacks->piece[rows.lo].begin,
						   stacks->piece[rows.hi - 1].end };
	do {
		if (lo == hi)
			return extent;
		first = reach_of(stacks, thread, lo++);
	} while (first.begin == first.end);
	do
		last = reach_of(stacks, thread, --hi);
	while (last.begin == last.end);
	if (extent.begin == extent.end)
		return (struct wl_stack_extent){ first.begin, last.end };
	extent.begin = first.begin < extent.begin ? first.begin : extent.begin;
	extent.end = last.end > extent.end ? last.end : extent.end;
	return extent;
}

bool wl_thread_stacks_find(const struct wl_derived *given, struct wl_arena *arena,
			   struct wl_thread_stacks *ret)
{
	const struct wl_trace *t = given->trace;
	struct making m = { .trace = t };
	struct wl_slice *of = WL_NEW(arena, struct wl_slice, t->n_threads + 1);
	struct wl_stack_extent *extent = WL_NEW(arena, struct wl_stack_extent, t->n_threads + 1);

	*ret = (struct wl_thread_stacks){
		.trace = t, .of = of, .extent = extent, .n_threads = t->n_threads
	};
	m.api = wl_slices_find(t, WL_F_API, arena);
	m.osrt = wl_slices_find(t, WL_F_OSRT, arena);
	m.sched = wl_slices_find(t, WL_F_SCHED, arena);
	m.samples = wl_slices_find(t, WL_F_SAMPLES, arena);
	if (!of || !extent || !m.api || !m.osrt || !m.sched || !m.samples ||
	    !list_samples(&m, arena) || !find_reach(&m, arena) || !make_pieces(&m, of, arena, ret))
		return false;
	for (uint32_t thread = 0; thread < t->n_threads; thread++)
		extent[thread] = extent_of(ret, thread);
	return true;
}
