/* SPDX-License-Identifier: MIT */
/*
 * graph.h - the activity graph: what each GPU operation and each CUDA call waited for.
 *
 * Activities are GPU operations, numbered across families as in launches.h, followed by the
 * outermost CUDA and MPI calls: API rows first, then the rows of each source of mpi_calls.h. If
 * ranges stand for MPI calls, all NVTX ranges are numbered; those that do not count are in no list,
 * and their outermost call is WL_NONE. An activity starts when the last of its candidates is done,
 * plus a measured lag. Candidates end at or before its start.
 *
 * Candidates of an operation:
 *  - the operation of its stream with the latest end so far, or its start if it still runs;
 *  - the producers of the events that its stream waited for since the previous launch;
 *  - for the default stream, the blocking streams; for these, the default stream;
 *  - its launch call, plus at most the latency of an idle stream;
 *  - in a process with few or no events: if it is held, that is, starts more than
 *    WL_HOLD_NS after its stream and its launch allow, what ended on another stream shortly
 *    before it. This time is learned for each pair of streams (struct wl_stream_pair).
 * A member of a matched collective (operation or MPI call) ends when the last member has
 * arrived, plus its transfer; an MPI send or receive, when the ends of its messages have.
 * A call starts after the previous call of its thread and, if the thread slept, as before
 * its first call, also after the call of another thread that ended last. A call that blocks
 * ends after the operation it waits for, and a launch that found the queue of its context full
 * after the start of the operation that made room (struct wl_launch_queue).
 *
 * Lags and lengths are not stored, because they follow from the columns of the trace. The graph
 * takes 12 bytes per operation, 16 per call and 5 per further candidate.
 */
#ifndef WL_DERIVE_GRAPH_H
#define WL_DERIVE_GRAPH_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/calls/launch.h"
#include "derive/comm/mpi_calls.h"
#include "model/trace.h"

struct wl_derived;

enum {
	WL_HOLD_NS =
		20000, /* an operation this late waits for more than its stream and its launch */
	WL_UNEXPLAINED_NS = 10000, /* a longer lag is an unexplained hold */
	WL_INFER_NS = 2000, /* default for a pair of streams: an operation that starts this soon
			       after an end on the other stream waited for it */
	WL_INFER_MOST_NS = 25000, /* and one this long after it did not */
	WL_WAKE_NS = 500000,      /* a host gap this long is a wait if OS calls were not recorded */
	WL_LATENCY_NS = 5000,     /* launch latency if too few launches found their stream idle */
	WL_FEW_LATENCIES = 20,
};

/* The families of calls: first the API, then the sources of mpi_calls.h, ranges last. */
enum { WL_N_CALL_FAMILIES = 1 + WL_N_MPI_SOURCES, WL_RANGE_CALLS = WL_N_CALL_FAMILIES - 1 };

extern const enum wl_family_id wl_call_families[WL_N_CALL_FAMILIES];

/* How a candidate other than stream order and launch was found. */
enum wl_edge { WL_EDGE_EVENT, WL_EDGE_DEFAULT, WL_EDGE_INFERRED, WL_N_EDGES };

/* What was dropped or guessed. */
struct wl_graph_counts {
	size_t edges[WL_N_EDGES];
	size_t violations; /* candidates that end after the start */
	size_t outlived; /* blocking calls that end before an operation they wait for: the clock is
			    behind, or the memory was copied earlier */
	size_t negative; /* launches that begin after their operation */
	size_t waits;    /* waits of streams for events */
	size_t unresolved;  /* waits whose event has no record */
	size_t crowded;     /* producers left out because an event stood for too many */
	size_t late;        /* members that arrive after another member's end */
	size_t wake_ups;    /* inferred wake-ups of calls */
	size_t blocking;    /* calls that block */
	size_t binding;     /* blocking calls during which the operation ended */
	size_t constraints; /* blocking calls before which it ended */
};

/* The members of a matched collective, or the ends of a call's messages, by arrival. */
struct wl_meeting {
	uint32_t lo, n; /* span of wl_graph.slot */
};

struct wl_meet_slot {
	uint32_t activity;
	uint32_t meeting;
	uint32_t released; /* slots of the meeting that arrive at or before this one's end; 0 if the
			      meeting belongs to another activity's message and does not release
			      this one */
};

/*
 * The operations of one stream that seem to wait for another stream of their process and device.
 * Each is compared with a moment chosen within its hold: as many of these moments as are close to
 * an end of the other stream, so many starts are close to one by chance.
 */
struct wl_stream_pair {
	uint32_t place,
		from;      /* places of an operation of the stream and of one of the other stream */
	wl_ns within;      /* how soon they follow; below 0 if no more follow than by chance */
	uint32_t n_held;   /* held operations before which the other stream ended last */
	uint32_t n_chance; /* their moments that are as close after an end of the other */
	uint32_t n_waits;  /* inferred candidates */
};

/* Expected number of wrong waits among n_waits. */
static inline double wl_stream_pair_wrong(const struct wl_stream_pair *pair)
{
	return pair->n_held ? (double)pair->n_waits * pair->n_chance / pair->n_held : 0;
}

/*
 * The launch queue of a context that is sometimes full: a call waits until the operation launched a
 * certain number of launches earlier has started. As for a pair of streams, each long call is
 * compared with a moment chosen within it.
 */
struct wl_launch_queue {
	uint32_t place;       /* place of an operation of its process and context */
	uint32_t least, most; /* how many launches earlier */
	uint32_t n_long;   /* calls that launch without blocking and take longer than WL_HOLD_NS */
	uint32_t n_alike;  /* long calls that end shortly after such a start */
	uint32_t n_chance; /* long calls whose chosen moment is shortly after one */
	uint32_t n_waits;  /* calls, long or not, that waited for room */
};

struct wl_graph {
	const struct wl_trace *trace;
	const struct wl_links *links;
	struct wl_ops ops[WL_N_OP_FAMILIES];
	uint32_t first[WL_N_OP_FAMILIES + 1]; /* by kind: number of its first operation */
	uint32_t n_ops, n_calls;              /* n_calls: all rows of API and MPI */
	struct wl_thread_rows calls[WL_N_CALL_FAMILIES];
	uint32_t first_call[WL_N_CALL_FAMILIES + 1]; /* number of its first call */

	const uint32_t *lane; /* by place: number of its (process, device, context, stream) */
	size_t n_lanes;

	const uint32_t *previous;   /* by operation: the one before it on its stream; WL_NONE */
	const uint32_t *edge_first; /* by operation, with an end entry: where its further candidates
				       begin */
	const uint32_t *edge_from;  /* the operation that must end first */
	const uint8_t *edge_kind;   /* enum wl_edge */
	const uint32_t *slot_of;    /* by operation, then by MPI call: its slot; WL_NONE */

	const struct wl_meet_slot *slot;
	const struct wl_meeting *meeting;
	size_t n_slots, n_meetings;

	const uint32_t *outer;       /* by call: the outermost call around it, or itself; WL_NONE */
	const uint32_t *call_before; /* by call: previous outermost call of the thread; WL_NONE */
	const uint32_t *wake;        /* by call: the call of another thread that woke it; WL_NONE */
	const uint32_t *releaser;    /* by call: the operation that it waits for; WL_NONE */
	const uint32_t *room; /* by call: the operation whose start made room for its launch in a
				 full queue; WL_NONE; WL_ROOM_UNKNOWN if it seems to have waited for
				 an unknown operation. NULL if no call waited */
	const struct wl_launch_queue *queue; /* the queues that were full at times */
	size_t n_queues;
	const wl_ns *usual; /* by process, if it has such queues: length of a launch call while they
			       are not full */

	const struct wl_stream_pair *pair; /* pairs of the processes where waits are inferred */
	size_t n_pairs;
	const wl_ns *unexplained; /* by process: sum of the lags above WL_UNEXPLAINED_NS of its
				     operations */

	const wl_ns *latency;  /* by process: latency of a launch on an idle stream */
	const wl_ns *back;     /* by process: median from an operation's end to the return of the
				  call that waits for it */
	const uint32_t *order; /* activities by process, then start */
	size_t n_order;
	const size_t *order_first; /* by process, with an end entry: where its activities begin */
	struct wl_graph_counts counts;
};

/*
 * Find the meetings again for the matches given now; the rest of the graph stays. The arena owns
 * the result; false when it is exhausted.
 */
bool wl_graph_meet(const struct wl_derived *given, struct wl_arena *arena,
		   struct wl_graph *graph) WL_MUST_CHECK;

struct wl_comm_queues;
struct wl_comm_op;

/* The activity for an operation of the queues; WL_NONE for an MPI call inside another. */
uint32_t wl_graph_comm_op(const struct wl_graph *graph, const struct wl_comm_queues *queues,
			  const struct wl_comm_op *op);

/* The activity of a call. */
static inline uint32_t wl_graph_call(const struct wl_graph *g, uint32_t call)
{
	return g->n_ops + call;
}

/* The rows of a call's family; *row is set to its row there. */
static inline const struct wl_thread_rows *wl_graph_call_rows(const struct wl_graph *g,
							      uint32_t call, uint32_t *row)
{
	unsigned family = 0;

	while (family + 1 < WL_N_CALL_FAMILIES && call >= g->first_call[family + 1])
		family++;
	*row = call - g->first_call[family];
	return &g->calls[family];
}

static inline wl_ns wl_graph_call_start(const struct wl_graph *g, uint32_t call)
{
	const struct wl_thread_rows *rows = wl_graph_call_rows(g, call, &call);

	return rows->start[call];
}

static inline uint32_t wl_graph_call_thread(const struct wl_graph *g, uint32_t call)
{
	const struct wl_thread_rows *rows = wl_graph_call_rows(g, call, &call);

	return rows->thread[call];
}

static inline uint32_t wl_graph_call_process(const struct wl_graph *g, uint32_t call)
{
	return g->trace->threads[wl_graph_call_thread(g, call)].process;
}

static inline bool wl_graph_is_mpi(const struct wl_graph *g, uint32_t activity)
{
	return activity >= g->n_ops + g->first_call[1];
}

/* The slot of an activity in a meeting; WL_NONE. */
static inline uint32_t wl_graph_slot(const struct wl_graph *g, uint32_t activity)
{
	if (activity < g->n_ops)
		return g->slot_of[activity];
	return wl_graph_is_mpi(g, activity) ? g->slot_of[activity - g->first_call[1]] : WL_NONE;
}

static inline enum wl_op_kind wl_graph_kind(const struct wl_graph *g, uint32_t op)
{
	unsigned kind = 0;

	while (kind + 1 < WL_N_OP_FAMILIES && op >= g->first[kind + 1])
		kind++;
	return (enum wl_op_kind)kind;
}

static inline wl_ns wl_graph_length(const struct wl_graph *g, uint32_t activity)
{
	const struct wl_ops *ops;
	enum wl_op_kind kind;

	if (activity >= g->n_ops) {
		uint32_t row;
		const struct wl_thread_rows *rows =
			wl_graph_call_rows(g, activity - g->n_ops, &row);

		return wl_dur(rows->family, rows->dur, row);
	}
	kind = wl_graph_kind(g, activity);
	ops = &g->ops[kind];
	return wl_dur(ops->family, ops->dur, activity - g->first[kind]);
}

static inline wl_ns wl_graph_start(const struct wl_graph *g, uint32_t activity)
{
	enum wl_op_kind kind;

	if (activity >= g->n_ops)
		return wl_graph_call_start(g, activity - g->n_ops);
	kind = wl_graph_kind(g, activity);
	return g->ops[kind].start[activity - g->first[kind]];
}

static inline wl_ns wl_graph_end(const struct wl_graph *g, uint32_t activity)
{
	return wl_graph_start(g, activity) + wl_graph_length(g, activity);
}

/* The arrival of the last activity that releases a slot. The slot must be released. */
static inline wl_ns wl_graph_last_arrival(const struct wl_graph *g, uint32_t slot)
{
	const struct wl_meet_slot *s = &g->slot[slot];
	uint32_t last = g->meeting[s->meeting].lo + s->released - 1;

	return wl_graph_start(g, g->slot[last].activity);
}

static inline uint32_t wl_graph_place(const struct wl_graph *g, uint32_t op)
{
	enum wl_op_kind kind = wl_graph_kind(g, op);

	return g->ops[kind].place[op - g->first[kind]];
}

static inline uint32_t wl_graph_process(const struct wl_graph *g, uint32_t activity)
{
	if (activity >= g->n_ops)
		return wl_graph_call_process(g, activity - g->n_ops);
	return g->trace->places[wl_graph_place(g, activity)].process;
}

#define WL_ROOM_UNKNOWN (WL_NONE - 1)

/* The operation whose start made room for the launch of a call; WL_NONE. */
static inline uint32_t wl_graph_room(const struct wl_graph *g, uint32_t activity)
{
	uint32_t op = !g->room || activity < g->n_ops ? WL_NONE : g->room[activity - g->n_ops];

	return op == WL_ROOM_UNKNOWN ? WL_NONE : op;
}

/* Whether a full queue may have held a call until an unknown time. */
static inline bool wl_graph_is_crowded(const struct wl_graph *g, uint32_t activity)
{
	return g->room && activity >= g->n_ops && g->room[activity - g->n_ops] == WL_ROOM_UNKNOWN;
}

/* The API row that launched an operation; WL_NONE. */
static inline uint32_t wl_graph_launch(const struct wl_graph *g, uint32_t op)
{
	enum wl_op_kind kind = wl_graph_kind(g, op);

	return wl_link_of(g->links, kind, op - g->first[kind]);
}

/*
 * Find the operations, the calls and the outermost calls, but not what they wait for; enough for
 * wl_graph_comm_op() and step_lists.h. Linear. The arena owns the result; false when it is
 * exhausted.
 */
bool wl_graph_find_outer(const struct wl_derived *given, struct wl_arena *arena,
			 struct wl_graph *ret) WL_MUST_CHECK;

/*
 * Build the graph of the whole trace. Three sweeps: over operations by start, over calls by start,
 * and over each match by arrival; an unsorted input is sorted first. Linear apart from the sorts. A
 * fourth sweep, over the operations of each device that has a held operation, is logarithmic in the
 * number that run at once. The arena owns the result; false when it is exhausted.
 */
bool wl_graph_find(const struct wl_derived *given, struct wl_arena *arena,
		   struct wl_graph *ret) WL_MUST_CHECK;

#endif
