/* SPDX-License-Identifier: MIT */
/*
 * graph_launches.c - calls by start: what events stand for, what the default stream waits
 * for, and what blocking calls wait for.
 *
 * An event stands for the last operation launched on its stream before the record, and for
 * everything that the stream waited for since. Sets are bounded by MOST_PRODUCERS streams.
 */
#include <string.h>

#include "base/memory/sort.h"
#include "derive/calls/blocking.h"
#include "derive/calls/launches.h"
#include "derive/derived.h"
#include "derive/graph/build/graph_parts.h"
#include "known/calls/calls.h"
#include "known/exports/codes.h"

enum { MOST_PRODUCERS = 16 };

/* TARGET_INFO_CUDA_STREAM.flag */
enum { FLAG_BLOCKING = 1, FLAG_DEFAULT = 3 };

/* The latest operation of each of several streams. */
struct producers {
	uint32_t n;
	uint32_t op[MOST_PRODUCERS];
};

/*
 * Launched operations that each had the latest end so far. If clocks differ by some microseconds,
 * the last ones end after the call that waits for them, and the one before them counts.
 */
enum { MOST_LONGEST = 8 };

struct longest {
	wl_ns end;  /* end of the last one */
	uint32_t n; /* only the last ones are kept: number i at i % MOST_LONGEST */
	uint32_t op[MOST_LONGEST];
};

struct lane {
	uint32_t last;      /* last operation launched; WL_NONE */
	uint32_t last_call; /* call that launched it */
	struct longest longest;
	struct producers pending; /* what it has waited for since that launch */
};

struct context {
	struct longest longest; /* operations launched in this context */
	uint32_t last_default;  /* last one launched on the default stream */
	uint32_t last_blocking; /* launched on a blocking stream, with the latest end */
};

/* A row of syncs or events, with the call that it belongs to. */
struct mark {
	uint32_t call, row;
	bool is_record;
};

struct sweep {
	struct wl_graph_making *m;
	struct wl_graph *g;
	const struct wl_trace *trace;
	struct wl_launches launches;
	struct lane *lane;
	struct context *context;
	struct longest *of_process;
	uint8_t *flag;         /* by lane */
	struct wl_intern ids;  /* process, context, event */
	struct wl_vec records; /* struct producers, by number in ids */
	struct mark *mark;
	size_t n_marks;
	uint32_t *releaser;
};

static bool later(const struct wl_graph *g, uint32_t than, uint32_t op)
{
	return than == WL_NONE || wl_graph_end(g, op) >= wl_graph_end(g, than);
}

static uint32_t lane_of(const struct sweep *s, uint32_t op)
{
	return s->g->lane[wl_graph_place(s->g, op)];
}

static void add_producer(struct sweep *s, struct producers *set, uint32_t op)
{
	for (uint32_t i = 0; i < set->n; i++) {
		if (lane_of(s, set->op[i]) != lane_of(s, op))
			continue;
		if (wl_graph_start(s->g, op) >= wl_graph_start(s->g, set->op[i]))
			set->op[i] = op;
		return;
	}
	if (set->n < MOST_PRODUCERS)
		set->op[set->n++] = op;
	else
		s->g->counts.crowded++;
}

/* WL_NONE when memory is exhausted; a new event gets an empty record. */
static uint32_t event_of(struct sweep *s, uint32_t place, uint32_t event)
{
	const struct wl_place *p = &s->trace->places[place];
	const uint32_t id[3] = { p->process, p->context, event };
	uint32_t number = wl_intern_put(&s->ids, id);

	if (number == s->records.n)
		wl_vec_push(&s->records, &(struct producers){ .n = 0 });
	return s->records.failed ? WL_NONE : number;
}

static const struct producers *find_record(const struct sweep *s, uint32_t place, uint32_t event)
{
	const struct wl_place *p = &s->trace->places[place];
	const uint32_t id[3] = { p->process, p->context, event };
	uint32_t number = wl_intern_find(&s->ids, id);

	return number == WL_NONE ? NULL : (const struct producers *)s->records.data + number;
}

static bool take_record(struct sweep *s, uint32_t row)
{
	uint32_t place = wl_events_place(s->trace)[row];
	uint32_t number = event_of(s, place, wl_events_event(s->trace)[row]);
	const struct lane *lane = &s->lane[s->g->lane[place]];
	struct producers *record;

	if (number == WL_NONE)
		return false;
	record = (struct producers *)s->records.data + number;
	*record = lane->pending;
	if (lane->last != WL_NONE)
		add_producer(s, record, lane->last);
	return true;
}

static void take_wait(struct sweep *s, uint32_t row)
{
	uint32_t place = wl_syncs_place(s->trace)[row];
	const struct producers *record = find_record(s, place, wl_syncs_event(s->trace)[row]);
	struct lane *lane = &s->lane[s->g->lane[place]];

	s->g->counts.waits++;
	s->g->counts.unresolved += !record;
	s->m->has_resolved[s->trace->places[place].process] |= record != NULL;
	for (uint32_t i = 0; record && i < record->n; i++)
		add_producer(s, &lane->pending, record->op[i]);
}

/* Note that a call waits for an operation; if there are several, the one that ends last counts. */
static void wait_for(struct sweep *s, uint32_t call, uint32_t op)
{
	uint32_t outer = s->g->outer[call];

	if (op == WL_NONE)
		return;
	if (wl_graph_end(s->g, op) > wl_graph_end(s->g, wl_graph_call(s->g, outer)))
		s->g->counts.outlived++;
	else if (later(s->g, s->releaser[outer], op))
		s->releaser[outer] = op;
}

/* The i-th operation from the last. */
static uint32_t longest_at(const struct longest *l, uint32_t i)
{
	return l->op[(l->n - 1 - i) % MOST_LONGEST];
}

/* A call waits for everything launched; an operation that ends after the call cannot be what it
 * waited for. */
static void wait_for_longest(struct sweep *s, uint32_t call, const struct longest *longest)
{
	wl_ns end = wl_graph_end(s->g, wl_graph_call(s->g, s->g->outer[call]));
	uint32_t i = 0;

	if (longest->n == 0)
		return;
	while (i + 1 < MOST_LONGEST && i + 1 < longest->n &&
	       wl_graph_end(s->g, longest_at(longest, i)) > end)
		i++;
	s->g->counts.outlived += i > 0 && wl_graph_end(s->g, longest_at(longest, i)) <= end;
	wait_for(s, call, longest_at(longest, i));
}

static void take_sync(struct sweep *s, uint32_t call, uint32_t row)
{
	uint32_t place = wl_syncs_place(s->trace)[row];
	uint32_t lane = s->g->lane[place];
	const struct producers *record;

	switch (wl_syncs_kind(s->trace)[row]) {
	case WL_SYNC_STREAM:
		wait_for_longest(s, call, &s->lane[lane].longest);
		break;
	case WL_SYNC_CONTEXT:
		wait_for_longest(s, call, &s->context[s->m->context[lane]].longest);
		break;
	case WL_SYNC_EVENT:
		record = find_record(s, place, wl_syncs_event(s->trace)[row]);
		for (uint32_t i = 0; record && i < record->n; i++)
			wait_for(s, call, record->op[i]);
		break;
	default:
		break;
	}
}

static void note(struct sweep *s, uint32_t *at, uint32_t op)
{
	*at = later(s->g, *at, op) ? op : *at;
}

static void note_longest(struct longest *longest, uint32_t op, wl_ns end)
{
	if (longest->n && end < longest->end)
		return;
	longest->op[longest->n++ % MOST_LONGEST] = op;
	longest->end = end;
}

static void take_launch(struct sweep *s, uint32_t call, uint32_t op)
{
	uint32_t place = wl_graph_place(s->g, op), number = s->g->lane[place];
	uint32_t process = s->trace->places[place].process;
	struct lane *lane = &s->lane[number];
	struct context *context = &s->context[s->m->context[number]];
	wl_ns end = wl_graph_end(s->g, op);
	uint8_t flag = s->flag[number];

	for (uint32_t i = 0; i < lane->pending.n; i++) {
		if (lane_of(s, lane->pending.op[i]) == number)
			continue;
		s->m->n_events[process] += !s->m->has_event[op];
		s->m->has_event[op] = true;
		wl_graph_put_edge(s->m, op, lane->pending.op[i], WL_EDGE_EVENT);
	}
	lane->pending.n = 0;
	if (flag == FLAG_DEFAULT && context->last_blocking != WL_NONE)
		wl_graph_put_edge(s->m, op, context->last_blocking, WL_EDGE_DEFAULT);
	if (flag == FLAG_BLOCKING && context->last_default != WL_NONE)
		wl_graph_put_edge(s->m, op, context->last_default, WL_EDGE_DEFAULT);
	/* The operations of one graph launch come family by family. */
	if (lane->last == WL_NONE || call != lane->last_call ||
	    wl_graph_start(s->g, op) >= wl_graph_start(s->g, lane->last)) {
		lane->last = op;
		lane->last_call = call;
	}
	note_longest(&lane->longest, op, end);
	note_longest(&context->longest, op, end);
	note_longest(&s->of_process[process], op, end);
	if (flag == FLAG_DEFAULT)
		context->last_default = op;
	if (flag == FLAG_BLOCKING)
		note(s, &context->last_blocking, op);
}

/* In the order of the sweep: by process, then start. */
static bool mark_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct sweep *s = ctx;
	const wl_ns *start = wl_api_start(s->trace);
	uint32_t ca = s->mark[a].call, cb = s->mark[b].call;
	uint32_t pa = wl_graph_call_process(s->g, ca), pb = wl_graph_call_process(s->g, cb);

	if (pa != pb)
		return pa < pb;
	if (start[ca] != start[cb])
		return start[ca] < start[cb];
	return ca != cb ? ca < cb : a < b;
}

/* The rows of syncs and events by the call that made them; those without a call are left out. */
static bool list_marks(struct sweep *s, const uint32_t **ret_order)
{
	const struct wl_trace *t = s->trace;
	size_t n_syncs = wl_syncs_kind(t) ? t->family[WL_F_SYNCS].n : 0;
	size_t n_events = wl_events_event(t) ? t->family[WL_F_EVENTS].n : 0;
	const struct wl_call_ids ids[] = {
		{ wl_syncs_place(t), wl_syncs_corr(t), n_syncs },
		{ wl_events_place(t), wl_events_corr(t), n_events },
	};
	const uint32_t *of[2], *of_sync, *of_event;
	uint32_t *order;

	s->mark = WL_NEW(s->m->scratch, struct mark, n_syncs + n_events);
	order = WL_NEW(s->m->scratch, uint32_t, 2 * (n_syncs + n_events));
	if (!s->mark || !order || !wl_calls_of_ids(t, ids, 2, s->m->scratch, of))
		return false;
	of_sync = of[0];
	of_event = of[1];
	for (uint32_t i = 0; of_event && i < n_events; i++) {
		if (of_event[i] != WL_NONE)
			s->mark[s->n_marks++] = (struct mark){ of_event[i], i, true };
	}
	for (uint32_t i = 0; of_sync && i < n_syncs; i++) {
		if (of_sync[i] != WL_NONE)
			s->mark[s->n_marks++] = (struct mark){ of_sync[i], i, false };
	}
	wl_sort_all(order, s->n_marks, mark_less, s);
	*ret_order = order;
	return true;
}

/* Whether the host waits for the copy that a call makes. */
static bool waits_for_copy(const struct sweep *s, uint32_t call, uint32_t row)
{
	const struct wl_trace *t = s->trace;
	const uint8_t *src = wl_memcpys_src(t), *dst = wl_memcpys_dst(t);
	const char *name = wl_str(t, wl_api_name(t)[call]);

	return wl_call_copies_blocking(name) ||
	       (wl_call_copies(name) && ((src && src[row] == WL_MEMORY_PAGEABLE) ||
					 (dst && dst[row] == WL_MEMORY_PAGEABLE)));
}

static void find_copies(struct sweep *s)
{
	for (uint32_t i = 0; i < s->g->ops[WL_OP_MEMCPY].n; i++) {
		uint32_t call = wl_link_of(s->g->links, WL_OP_MEMCPY, i);

		if (call != WL_NONE && waits_for_copy(s, call, i))
			wait_for(s, call, s->g->first[WL_OP_MEMCPY] + i);
	}
}

/* A call without a row that says what it waits for; its name decides between the device and
 * nothing. */
static void take_unmarked(struct sweep *s, uint32_t call)
{
	const char *name = wl_str(s->trace, wl_api_name(s->trace)[call]);
	uint32_t process = s->trace->threads[wl_api_thread(s->trace)[call]].process;

	if (strstr(name, "DeviceSynchronize") || strstr(name, "CtxSynchronize") ||
	    strstr(name, "ThreadSynchronize"))
		wait_for_longest(s, call, &s->of_process[process]);
}

/* Handles the waits of the call first, then its launches, event records and stream waits. */
static bool take_call(struct sweep *s, uint32_t call, const uint32_t *order, size_t n)
{
	const uint8_t blocks = s->m->given->blocking->call[call];
	const uint32_t *first = s->launches.first;
	bool is_marked = false, ok = true;

	for (size_t i = 0; blocks != WL_BLOCKS_NOT && i < n; i++) {
		const struct mark *mark = &s->mark[order[i]];

		if (mark->is_record || wl_syncs_kind(s->trace)[mark->row] == WL_SYNC_STREAM_WAITS)
			continue;
		is_marked = true;
		take_sync(s, call, mark->row);
	}
	if (blocks == WL_BLOCKS_BY_SYNC && !is_marked)
		take_unmarked(s, call);
	for (uint32_t i = first[call]; i < first[call + 1]; i++)
		take_launch(s, call, s->launches.op[i]);
	for (size_t i = 0; ok && i < n; i++) {
		const struct mark *mark = &s->mark[order[i]];

		if (mark->is_record)
			ok = take_record(s, mark->row);
		else if (wl_syncs_kind(s->trace)[mark->row] == WL_SYNC_STREAM_WAITS)
			take_wait(s, mark->row);
	}
	return ok;
}

/* Processes do not share streams, events or contexts. */
static bool sweep_calls(struct sweep *s)
{
	const uint32_t *order = NULL;
	size_t at = 0;

	if (!list_marks(s, &order))
		return false;
	for (size_t i = 0; i < s->g->n_calls; i++) {
		uint32_t call = s->m->call[i];
		size_t n = 0;

		if (call >= s->g->first_call[1])
			continue;
		while (at + n < s->n_marks && s->mark[order[at + n]].call == call)
			n++;
		if (!take_call(s, call, order + at, n))
			return false;
		at += n;
	}
	return true;
}

static bool make_state(struct sweep *s)
{
	const struct wl_trace *t = s->trace;
	struct wl_arena *scratch = s->m->scratch;

	s->lane = WL_NEW(scratch, struct lane, s->g->n_lanes);
	s->context = WL_NEW(scratch, struct context, s->m->n_contexts);
	s->of_process = WL_NEW(scratch, struct longest, t->n_processes);
	s->flag = WL_NEW(scratch, uint8_t, s->g->n_lanes);
	s->releaser = WL_NEW(s->m->arena, uint32_t, s->g->n_calls);
	if (!s->lane || !s->context || !s->of_process || !s->flag || !s->releaser)
		return false;
	for (size_t i = 0; i < s->g->n_lanes; i++)
		s->lane[i].last = WL_NONE;
	for (size_t i = 0; i < s->m->n_contexts; i++)
		s->context[i].last_default = s->context[i].last_blocking = WL_NONE;
	for (size_t i = 0; i < s->g->n_calls; i++)
		s->releaser[i] = WL_NONE;
	for (size_t i = 0; wl_cuda_streams_flag(t) && i < t->family[WL_F_CUDA_STREAMS].n; i++)
		s->flag[s->g->lane[wl_cuda_streams_place(t)[i]]] = wl_cuda_streams_flag(t)[i];
	s->g->releaser = s->releaser;
	return true;
}

/* Per process, the median time to return from calls that their operation held up; 0 if there are
 * none. */
static bool find_returns(struct sweep *s)
{
	enum { RETURN_BITS = 36 };
	const int64_t most = ((int64_t)1 << RETURN_BITS) - 1;
	wl_ns *back = WL_NEW(s->m->arena, wl_ns, s->trace->n_processes);
	int64_t *all = WL_NEW(s->m->scratch, int64_t, s->g->n_calls);
	size_t n = 0;

	if (!back || !all)
		return false;
	for (uint32_t i = 0; i < s->g->n_calls; i++) {
		uint32_t call = wl_graph_call(s->g, i), op = s->releaser[i];
		int64_t process;
		wl_ns end, rest;

		if (op == WL_NONE)
			continue;
		process = wl_graph_call_process(s->g, i);
		end = wl_graph_end(s->g, op);
		s->g->counts.binding += end >= wl_graph_start(s->g, call);
		s->g->counts.constraints += end < wl_graph_start(s->g, call);
		rest = wl_graph_end(s->g, call) - end;
		if (end >= wl_graph_start(s->g, call))
			all[n++] = (process << RETURN_BITS) + (rest < most ? rest : most);
	}
	wl_sort_i64(all, n);
	for (size_t lo = 0, hi; lo < n; lo = hi) {
		for (hi = lo + 1; hi < n && all[hi] >> RETURN_BITS == all[lo] >> RETURN_BITS;)
			hi++;
		back[all[lo] >> RETURN_BITS] = all[lo + wl_rank(hi - lo, 50)] & most;
	}
	s->g->back = back;
	return true;
}

bool wl_graph_launches(struct wl_graph_making *m)
{
	struct sweep s = { .m = m, .g = m->to, .trace = m->trace };
	const uint32_t n_calls = m->to->first_call[1];
	bool ok = n_calls == 0 || wl_launches_find(m->trace, m->to->links, m->scratch, &s.launches);

	wl_intern_init(&s.ids, 3 * sizeof(uint32_t), wl_arena_budget(m->arena));
	wl_vec_init(&s.records, sizeof(struct producers), wl_arena_budget(m->arena));
	ok = ok && make_state(&s);
	if (ok && n_calls && m->given->blocking->call && wl_api_name(m->trace)) {
		ok = sweep_calls(&s);
		find_copies(&s);
	}
	ok = ok && find_returns(&s);
	wl_vec_release(&s.records);
	wl_intern_release(&s.ids);
	return ok;
}
