/* SPDX-License-Identifier: MIT */
#include "derive/comm/match/messages.h"

#include "base/memory/sort.h"
#include "derive/comm/match/message_shift.h"
#include "derive/rows/slices.h"

/* One end of a message. */
struct side {
	uint64_t comm, tag;
	int64_t src, dst; /* ranks; of the exchanges of a process, in its sequence, both its own */
	uint32_t op;
	bool receives;
};

struct sides {
	const struct side *at;
	const struct wl_comm_op *op;
};

struct pairing {
	const struct wl_trace *trace;
	const struct wl_ranks *ranks;
	const struct wl_comm_queues *queues;
	struct side *side;  /* of messages, by key, then receives after sends, then start */
	struct side *turn;  /* exchanges of each rank, by communicator, tag and rank, then start */
	uint32_t *index_of; /* by operation from first on: of its turn */
	uint32_t *turn_op;  /* by turn */
	uint32_t *room, *index; /* of the messages of a key */
	size_t n, n_turns;
	uint64_t *only; /* by process: its communicator */
	bool has_one;   /* every process sends on one communicator */
	struct wl_messages *to;
	struct wl_partners *of;
	struct wl_arena *scratch;
};

static const struct wl_comm_op *op_at(const struct pairing *p, uint32_t op)
{
	return &p->queues->op[op];
}

static int64_t rank_of(const struct pairing *p, uint32_t op)
{
	return p->ranks->of[p->queues->queue[op_at(p, op)->queue].process];
}

static enum wl_mpi_message kind_of(const struct pairing *p, uint32_t op)
{
	return wl_mpi_message_of(wl_str(p->trace, p->queues->queue[op_at(p, op)->queue].function));
}

static bool is_message(const struct pairing *p, size_t op)
{
	return p->queues->op[op].family == WL_F_MPI_P2P &&
	       wl_comm_is_message(&p->queues->queue[p->queues->op[op].queue]);
}

/* Calls of MPI stand behind the operations of GPUs. */
static void find_calls(struct pairing *p)
{
	const struct wl_comm_queues *q = p->queues;

	p->to->first = q->n_ops;
	for (size_t i = 0; i < q->n_ops; i++) {
		if (!is_message(p, i))
			continue;
		p->to->first = p->n == 0 ? i : p->to->first;
		p->to->n = i + 1 - p->to->first;
		p->n++;
	}
}

static bool find_comms(struct pairing *p)
{
	const uint64_t *comm = wl_mpi_p2p_comm(p->trace);
	size_t n = p->trace->n_processes;
	bool *is_seen = WL_NEW(p->scratch, bool, n);

	p->only = WL_NEW(p->scratch, uint64_t, n);
	p->has_one = true;
	for (size_t i = p->to->first; is_seen && p->only && i < p->to->first + p->to->n; i++) {
		const struct wl_comm_op *op = &p->queues->op[i];
		uint32_t process = p->queues->queue[op->queue].process;
		uint64_t own = comm ? comm[op->row] : WL_NO_U64;

		if (!is_message(p, i))
			continue;
		p->has_one &= !is_seen[process] || p->only[process] == own;
		is_seen[process] = true;
		p->only[process] = own;
	}
	return is_seen && p->only;
}

static void put_side(struct pairing *p, uint32_t op, size_t *n)
{
	const uint64_t *comm = wl_mpi_p2p_comm(p->trace), *tag = wl_mpi_p2p_tag(p->trace);
	const uint64_t *remote = wl_mpi_p2p_remote(p->trace);
	uint32_t row = op_at(p, op)->row;
	int64_t own = rank_of(p, op), other = remote ? (int64_t)remote[row] : -1;
	enum wl_mpi_message kind = kind_of(p, op);
	struct side s = { .comm = p->has_one || !comm ? 0 : comm[row],
			  .tag = tag ? tag[row] : WL_NO_U64,
			  .src = own,
			  .dst = own,
			  .op = op };

	if (own < 0)
		return;
	if (kind == WL_MPI_EXCHANGE)
		p->turn[p->n_turns++] = s;
	if (other < 0 || other == own)
		return;
	s.receives = kind == WL_MPI_RECEIVE;
	*(s.receives ? &s.src : &s.dst) = other;
	p->side[(*n)++] = s;
}

/* < 0 when a's message comes first, whichever of its kind it is. */
static int compare_keys(const struct side *a, const struct side *b)
{
	if (a->comm != b->comm)
		return a->comm < b->comm ? -1 : 1;
	if (a->tag != b->tag)
		return a->tag < b->tag ? -1 : 1;
	if (a->src != b->src)
		return a->src < b->src ? -1 : 1;
	return a->dst == b->dst ? 0 : a->dst < b->dst ? -1 : 1;
}

static bool side_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct sides *s = ctx;
	const struct side *x = &s->at[a], *y = &s->at[b];
	int order = compare_keys(x, y);

	if (order != 0)
		return order < 0;
	if (x->receives != y->receives)
		return y->receives;
	if (s->op[x->op].start != s->op[y->op].start)
		return s->op[x->op].start < s->op[y->op].start;
	return x->op < y->op;
}

static bool sort_sides(const struct pairing *p, struct side *at, size_t n)
{
	uint32_t *order = WL_NEW(p->scratch, uint32_t, 2 * n);
	struct side *copy = WL_NEW(p->scratch, struct side, n);

	if (!order || !copy)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		order[i] = i;
		copy[i] = at[i];
	}
	wl_sort_index(order, n, order + n, side_less, &(struct sides){ copy, p->queues->op });
	for (size_t i = 0; i < n; i++)
		at[i] = copy[order[i]];
	return true;
}

static bool list_sides(struct pairing *p)
{
	size_t n = 0;

	p->side = WL_NEW(p->scratch, struct side, p->n);
	p->turn = WL_NEW(p->scratch, struct side, p->n);
	p->index_of = WL_NEW(p->scratch, uint32_t, p->to->n);
	p->turn_op = WL_NEW(p->scratch, uint32_t, 3 * p->n);
	if (!p->side || !p->turn || !p->index_of || !p->turn_op)
		return false;
	p->room = p->turn_op + p->n;
	p->index = p->room + p->n;
	for (size_t i = p->to->first; i < p->to->first + p->to->n; i++) {
		if (is_message(p, i))
			put_side(p, (uint32_t)i, &n);
	}
	p->n = n;
	if (!sort_sides(p, p->side, n) || !sort_sides(p, p->turn, p->n_turns))
		return false;
	for (uint32_t i = 0; i < p->n_turns; i++) {
		p->index_of[p->turn[i].op - p->to->first] = i;
		p->turn_op[i] = p->turn[i].op;
	}
	return true;
}

/* Sends of one key with the receives, at the indexes that are given. */
static void pair_run(struct pairing *p, const struct wl_message_run *r)
{
	int64_t shift;

	if (!wl_message_shift(r, &shift))
		return;
	for (size_t i = 0; i < r->n; i++) {
		int64_t at = (int64_t)r->index[i] + shift;
		uint32_t to = at < 0 || at >= (int64_t)r->n_receives ? WL_NONE : r->receive[at];
		struct wl_partners *receive = to == WL_NONE ? NULL : &p->of[to - p->to->first];

		if (!receive || receive->from != WL_NONE ||
		    wl_message_is_late(op_at(p, r->send[i]), op_at(p, to)))
			continue;
		receive->from = r->send[i];
		p->of[r->send[i] - p->to->first].to = to;
	}
}

struct sought {
	const struct side *turn;
	struct side key;
	bool or_equal;
};

static bool is_before(const void *ctx, size_t i)
{
	const struct sought *s = ctx;
	int order = compare_keys(&s->turn[i], &s->key);

	return order < 0 || (s->or_equal && order == 0);
}

/* The exchanges of a rank with a communicator and tag. */
static struct wl_slice find_turns(const struct pairing *p, const struct side *of, int64_t rank)
{
	struct sought s = { p->turn, *of, false };
	struct wl_slice found;

	s.key.src = s.key.dst = rank;
	found.lo = wl_lower_bound(p->n_turns, is_before, &s);
	s.or_equal = true;
	found.hi = wl_lower_bound(p->n_turns, is_before, &s);
	return found;
}

static bool are_exchanges(const struct pairing *p, const struct side *side, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (kind_of(p, side[i].op) != WL_MPI_EXCHANGE)
			return false;
	}
	return true;
}

/* Sends of one key; exchanges among them take turns where the other rank has no plain receive. */
static void pair_key(struct pairing *p, const struct side *side, size_t n)
{
	struct wl_message_run r = { .op = p->queues->op, .send = p->room, .index = p->index };
	bool take_turns;

	while (r.n < n && !side[r.n].receives)
		r.n++;
	take_turns = r.n == n && are_exchanges(p, side, n);
	r.receive = p->room + r.n;
	r.n_receives = n - r.n;
	if (take_turns) {
		struct wl_slice own = find_turns(p, side, side->src);
		struct wl_slice other = find_turns(p, side, side->dst);

		for (size_t i = 0; i < n; i++)
			p->index[i] = p->index_of[side[i].op - p->to->first] - (uint32_t)own.lo;
		r.receive = p->turn_op + other.lo;
		r.n_receives = other.hi - other.lo;
	}
	for (uint32_t i = 0; i < n; i++) {
		p->room[i] = side[i].op;
		p->index[i] = take_turns ? p->index[i] : i;
	}
	pair_run(p, &r);
}

/* Ranks that are there, if they are those from 0 on. */
static bool has_all_ranks(const struct pairing *p)
{
	int64_t most = -1, n = 0;

	for (size_t i = 0; i < p->trace->n_processes; i++) {
		most = p->ranks->of[i] > most ? p->ranks->of[i] : most;
		n += p->ranks->of[i] >= 0;
	}
	return most + 1 == n;
}

static void close_all(struct pairing *p)
{
	const uint64_t *remote = wl_mpi_p2p_remote(p->trace);
	bool all_ranks = has_all_ranks(p);

	for (uint32_t i = 0; i < p->to->n; i++) {
		uint32_t op = (uint32_t)p->to->first + i;
		struct wl_partners *of = &p->of[i];
		enum wl_mpi_message kind = is_message(p, op) ? kind_of(p, op) : WL_MPI_NO_MESSAGE;
		/* MPI_PROC_NULL, at the edge of a grid: nothing is sent. */
		bool to_nobody = remote && (int64_t)remote[op_at(p, op)->row] < 0;

		if (kind == WL_MPI_SEND)
			of->is_all = of->to != WL_NONE;
		else if (kind == WL_MPI_RECEIVE)
			of->is_all = of->from != WL_NONE;
		else if (kind == WL_MPI_EXCHANGE)
			of->is_all = (of->to != WL_NONE && (of->from != WL_NONE || all_ranks)) ||
				     (of->from != WL_NONE && to_nobody);
	}
}

static bool pair_all(struct pairing *p, struct wl_arena *arena)
{
	p->to->of = p->of = WL_NEW(arena, struct wl_partners, p->to->n);
	if (!p->of || !find_comms(p) || !list_sides(p))
		return false;
	for (size_t i = 0; i < p->to->n; i++)
		p->of[i] = (struct wl_partners){ WL_NONE, WL_NONE, false };
	for (size_t lo = 0, hi; lo < p->n; lo = hi) {
		for (hi = lo + 1; hi < p->n && compare_keys(&p->side[lo], &p->side[hi]) == 0;)
			hi++;
		pair_key(p, p->side + lo, hi - lo);
	}
	close_all(p);
	return true;
}

bool wl_messages_find(const struct wl_trace *trace, const struct wl_ranks *ranks,
		      const struct wl_comm_queues *queues, struct wl_arena *arena,
		      struct wl_messages *ret)
{
	struct wl_arena scratch;
	struct pairing p = {
		.trace = trace, .ranks = ranks, .queues = queues, .to = ret, .scratch = &scratch
	};
	bool ok;

	*ret = (struct wl_messages){ .n = 0 };
	find_calls(&p);
	if (p.n == 0)
		return true;
	wl_arena_init_child(&scratch, arena);
	ok = pair_all(&p, arena);
	wl_arena_release(&scratch);
	return ok;
}
