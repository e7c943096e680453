#include "derive/matches.h"

#include "base/sort.h"
#include "derive/derived.h"

struct listing {
	const struct wl_trace *trace;
	const struct wl_classes *classes;
	const struct wl_collectives *collectives;
	struct wl_match *at; /* NULL while they are only counted */
	size_t n;
};

static void list_family(struct listing *l, enum wl_family_id family)
{
	struct wl_ops ops = wl_trace_ops(l->trace, family);

	for (size_t i = 0; i < ops.n; i++) {
		if (wl_class_of(l->trace, l->classes, family, i) != WL_COMM)
			continue;
		if (l->at)
			l->at[l->n] = (struct wl_match){
				.row = (uint32_t)i,
				.place = ops.place[i],
				.type = wl_collective_of(l->trace, l->collectives, family, i),
				.is_copy = family == WL_F_MEMCPYS,
				.start = ops.start[i],
				.dur = wl_dur(ops.family, ops.dur, i),
			};
		l->n++;
	}
}

static void list_all(struct listing *l)
{
	l->n = 0;
	list_family(l, WL_F_KERNELS);
	list_family(l, WL_F_MEMCPYS);
}

/* Which queue an operation is in: < 0 when a's comes first. */
static int compare_queues(const struct wl_trace *t, const struct wl_match *a,
			  const struct wl_match *b)
{
	uint32_t sa = t->places[a->place].stream, sb = t->places[b->place].stream;

	if (a->type != b->type)
		return a->type < b->type ? -1 : 1;
	return sa == sb ? 0 : sa < sb ? -1 : 1;
}

/* Those that start together stay in the order of rows. */
static bool match_less(const void *ctx, uint32_t ia, uint32_t ib)
{
	const struct listing *l = ctx;
	const struct wl_match *a = &l->at[ia], *b = &l->at[ib];
	uint32_t pa = l->trace->places[a->place].process, pb = l->trace->places[b->place].process;
	int queues = compare_queues(l->trace, a, b);

	if (queues != 0)
		return queues < 0;
	return pa != pb ? pa < pb : a->start < b->start;
}

static struct wl_match *sorted(struct listing *l, struct wl_arena *arena, struct wl_arena *scratch)
{
	uint32_t *order = WL_NEW(scratch, uint32_t, 2 * l->n);
	struct wl_match *out = WL_NEW(arena, struct wl_match, l->n);

	if (!order || !out)
		return NULL;
	for (uint32_t i = 0; i < l->n; i++)
		order[i] = i;
	wl_sort_index(order, l->n, order + l->n, match_less, l);
	for (size_t i = 0; i < l->n; i++)
		out[i] = l->at[order[i]];
	return out;
}

static size_t count_processes(const struct listing *l, bool *communicates)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++) {
		uint32_t p = l->trace->places[l->at[i].place].process;

		n += !communicates[p];
		communicates[p] = true;
	}
	return n;
}

/* Of one queue, n operations of each of n_processes, one process after the other. */
static void match_queue(struct wl_match *at, size_t n, size_t n_processes)
{
	for (size_t k = 0; k < n; k++) {
		wl_ns shortest = at[k].dur;

		for (size_t p = 1; p < n_processes; p++) {
			wl_ns dur = at[p * n + k].dur;

			shortest = dur < shortest ? dur : shortest;
		}
		for (size_t p = 0; p < n_processes; p++) {
			at[p * n + k].is_matched = true;
			at[p * n + k].shortest = shortest;
		}
	}
}

/* Whether the queue has n_processes runs of equal length. */
static bool is_even(const struct wl_trace *t, const struct wl_match *at, size_t n,
		    size_t n_processes)
{
	size_t each = n / n_processes, runs = 1;

	if (n % n_processes != 0)
		return false;
	for (size_t i = 1; i < n; i++) {
		bool is_new = t->places[at[i].place].process != t->places[at[i - 1].place].process;

		if (is_new != (i % each == 0))
			return false;
		runs += is_new;
	}
	return runs == n_processes;
}

static void match_all(const struct wl_trace *t, struct wl_match *at, size_t n, size_t n_processes)
{
	for (size_t lo = 0, hi; lo < n; lo = hi) {
		for (hi = lo + 1; hi < n && compare_queues(t, &at[lo], &at[hi]) == 0;)
			hi++;
		if (n_processes > 1 && is_even(t, at + lo, hi - lo, n_processes))
			match_queue(at + lo, (hi - lo) / n_processes, n_processes);
	}
}

static bool find(struct listing *l, struct wl_arena *arena, struct wl_arena *scratch,
		 struct wl_matches *ret)
{
	bool *communicates = WL_NEW(scratch, bool, l->trace->n_processes);
	struct wl_match *at;

	list_all(l);
	l->at = WL_NEW(scratch, struct wl_match, l->n);
	if (!communicates || !l->at)
		return false;
	list_all(l);
	at = sorted(l, arena, scratch);
	if (!at)
		return false;
	*ret = (struct wl_matches){ at, l->n, count_processes(l, communicates) };
	match_all(l->trace, at, l->n, ret->n_processes);
	return true;
}

bool wl_matches_find(struct wl_derived *derived, struct wl_arena *arena, struct wl_matches *ret)
{
	struct listing l = { .trace = derived->trace,
			     .classes = wl_derived_classes(derived),
			     .collectives = wl_derived_collectives(derived) };
	struct wl_arena scratch;
	bool ok;

	if (!l.classes || !l.collectives)
		return false;
	wl_arena_init_child(&scratch, arena);
	ok = find(&l, arena, &scratch, ret);
	wl_arena_release(&scratch);
	return ok;
}
