/* SPDX-License-Identifier: MIT */
/*
 * rows_matches.c - collectives matched across ranks: a row for each member's operation.
 *
 * As nccl --list has them. Matches are made on the whole trace; an operation is listed where the
 * scope admits it.
 */
#include "derive/comm/match/matches.h"
#include "sql/rows/row_source.h"

struct match_walk {
	const char **group;              /* by group: its devices */
	int64_t first[WL_N_OP_FAMILIES]; /* the key of a family's first row, as in ops */
	size_t at;                       /* one more than the operation's */
	const struct wl_comm_op *op;
};

enum {
	MATCH,
	TYPE,
	MEMBERS,
	N_MEMBERS,
	INSTANCE,
	DEVICE,
	RANK,
	PID,
	OP,
	START,
	END,
	DURATION,
	TRANSFER,
	WAIT,
	LATE,
	LAST,
	BYTES,
	COMMUNICATOR,
	N_COLS
};

static const struct wl_col cols[N_COLS] = {
	[MATCH] = { "match", "Match", WL_T_COUNT, WL_KEY | WL_NUMBER,
		    "Number of the match; its members' rows have the same." },
	[TYPE] = { "type", "Type", WL_T_ENUM, WL_PLAIN, "AllReduce, AllGather and so on." },
	[MEMBERS] = { "members", "Members", WL_T_STR, WL_PLAIN, "Devices of the group: 0-3." },
	[N_MEMBERS] = { "n_members", "Number of members", WL_T_COUNT, WL_PLAIN,
			"How many members the group has." },
	[INSTANCE] = { "instance", "Instance", WL_T_COUNT, WL_NUMBER,
		       "Which collective of its kind and group it is, from 0." },
	[DEVICE] = { "device", "GPU", WL_T_COUNT, WL_NUMBER,
		     "Device of this member, numbered as in info." },
	[RANK] = { "rank", "Rank", WL_T_COUNT, WL_NUMBER, "Rank of its process." },
	[PID] = { "pid", "PID", WL_T_COUNT, WL_NUMBER, "Its process." },
	[OP] = { "op", "Operation key", WL_T_COUNT, WL_KEY | WL_NUMBER,
		 "The operation: key of ops; none of MPI calls." },
	[START] = { "start", "Start", WL_T_TIME, WL_ANCHOR, "When this member arrived." },
	[END] = { "end", "End", WL_T_TIME, WL_PLAIN, "When it left." },
	[DURATION] = { "duration", "Duration", WL_T_NS, WL_PLAIN, "How long it was there." },
	[TRANSFER] = { "transfer", "Transfer", WL_T_NS, WL_PLAIN,
		       "The shortest duration among the members." },
	[WAIT] = { "wait_all", "All waiting", WL_T_NS, WL_PLAIN,
		   "Duration beyond the transfer, hidden by compute or not." },
	[LATE] = { "late", "Early by", WL_T_NS, WL_PLAIN,
		   "From this arrival to the last one, 0 for the last; none where clocks cannot be "
		   "compared." },
	[LAST] = { "last", "Last", WL_T_BOOL, WL_PLAIN,
		   "1 where this member arrived last; none where clocks cannot be compared." },
	[BYTES] = { "bytes", "Bytes", WL_T_BYTES, WL_PLAIN,
		    "Bytes of the message, where the trace records them." },
	[COMMUNICATOR] = { "communicator", "Communicator", WL_T_ID, WL_PLAIN,
			   "Hash of the communicator, where the trace records it." },
};

static struct match_walk *walk_of(const struct wl_row_walk *w)
{
	return w->state;
}

static bool prepare(struct wl_row_walk *w)
{
	const struct wl_matches *m = w->derived.matches;
	struct match_walk *k = walk_of(w);
	bool ok;

	k->group = WL_NEW(&w->arena, const char *, m->n_groups + 1);
	ok = k->group != NULL;
	for (uint32_t i = 0; ok && i < m->n_groups; i++) {
		k->group[i] = wl_comm_group_name(m, i, &w->arena);
		ok = k->group[i] != NULL;
	}
	for (size_t i = 1; i < WL_N_OP_FAMILIES; i++)
		k->first[i] = k->first[i - 1] + (int64_t)w->trace->family[wl_op_families[i - 1]].n;
	return ok;
}

static void begin(struct wl_row_walk *w)
{
	walk_of(w)->at = 0;
}

static const struct wl_comm_queue *queue_of(const struct wl_row_walk *w)
{
	return &w->derived.matches->queues.queue[walk_of(w)->op->queue];
}

static bool is_in(const struct wl_row_walk *w)
{
	const struct wl_comm_op *op = walk_of(w)->op;
	const struct wl_comm_queue *queue = queue_of(w);
	wl_ns start = op->start, end = wl_comm_end(op);

	if (wl_comm_is_mpi(queue))
		return w->scope.process_on[queue->process] &&
		       wl_clip(&w->scope, w->scope.process[queue->process], &start, &end);
	return w->scope.place_on[op->place] &&
	       wl_clip(&w->scope, w->scope.device[queue->device], &start, &end);
}

static bool next(struct wl_row_walk *w)
{
	const struct wl_comm_queues *q = &w->derived.matches->queues;
	struct match_walk *k = walk_of(w);

	while (k->at < q->n_ops) {
		k->op = &q->op[k->at++];
		if (k->op->match != WL_NONE && is_in(w))
			return true;
	}
	return false;
}

static int64_t where(struct wl_row_walk *w)
{
	return (int64_t)walk_of(w)->at;
}

static void seek(struct wl_row_walk *w, uint32_t at)
{
	walk_of(w)->at = at;
	walk_of(w)->op = &w->derived.matches->queues.op[at - 1];
}

/* ---- Cells ---- */

static const struct wl_match *match_of(const struct wl_row_walk *w)
{
	return &w->derived.matches->at[walk_of(w)->op->match];
}

static const struct wl_match_set *set_of(const struct wl_row_walk *w)
{
	return &w->derived.matches->set[match_of(w)->set];
}

static bool has_clock(const struct wl_row_walk *w)
{
	return !w->derived.matches->group[set_of(w)->group].no_clock;
}

WL_ROW_INT(get_match, walk_of(w)->op->match)
WL_ROW_TEXT(put_type, wl_collective_title((enum wl_collective)walk_of(w)->op->type))
WL_ROW_TEXT(put_members, walk_of(w)->group[set_of(w)->group])

static void put_n_members(struct wl_row_walk *w, sqlite3_context *to)
{
	const struct wl_comm_group *group = &w->derived.matches->group[set_of(w)->group];

	sqlite3_result_int64(to, (sqlite3_int64)group->n);
}

static void put_instance(struct wl_row_walk *w, sqlite3_context *to)
{
	const struct wl_match_set *set = set_of(w);

	sqlite3_result_int64(to, (int64_t)set->first +
					 ((int64_t)walk_of(w)->op->match - (int64_t)set->lo));
}

static bool get_device(struct wl_row_walk *w, int64_t *ret)
{
	return wl_row_int_u32(queue_of(w)->device, ret);
}

static bool get_rank(struct wl_row_walk *w, int64_t *ret)
{
	return wl_row_rank(w, queue_of(w)->process, ret);
}

WL_ROW_INT(get_pid, w->trace->processes[queue_of(w)->process].pid)

static bool get_op(struct wl_row_walk *w, int64_t *ret)
{
	const struct match_walk *k = walk_of(w);
	enum wl_op_kind kind = k->op->is_copy ? WL_OP_MEMCPY : WL_OP_KERNEL;

	*ret = k->first[kind] + k->op->row;
	return !wl_comm_is_mpi(queue_of(w));
}

WL_ROW_NUMBER(put_start, walk_of(w)->op->start)
WL_ROW_NUMBER(put_end, wl_comm_end(walk_of(w)->op))
WL_ROW_NUMBER(put_duration, walk_of(w)->op->dur)
WL_ROW_NUMBER(put_transfer, match_of(w)->shortest)
WL_ROW_NUMBER(put_wait, wl_match_wait(w->derived.matches, walk_of(w)->op))

static void put_late(struct wl_row_walk *w, sqlite3_context *to)
{
	if (has_clock(w))
		sqlite3_result_int64(to, walk_of(w)->op->late);
}

static void put_last(struct wl_row_walk *w, sqlite3_context *to)
{
	if (has_clock(w))
		sqlite3_result_int(to,
				   set_of(w)->queue[match_of(w)->last] == walk_of(w)->op->queue);
}

static void put_bytes(struct wl_row_walk *w, sqlite3_context *to)
{
	if (walk_of(w)->op->bytes >= 0)
		sqlite3_result_int64(to, walk_of(w)->op->bytes);
}

static void put_communicator(struct wl_row_walk *w, sqlite3_context *to)
{
	if (queue_of(w)->comm != WL_NO_U64)
		sqlite3_result_int64(to, (sqlite3_int64)queue_of(w)->comm);
}

static wl_row_cell *const cells[N_COLS] = {
	[TYPE] = put_type,
	[MEMBERS] = put_members,
	[N_MEMBERS] = put_n_members,
	[INSTANCE] = put_instance,
	[START] = put_start,
	[END] = put_end,
	[DURATION] = put_duration,
	[TRANSFER] = put_transfer,
	[WAIT] = put_wait,
	[LATE] = put_late,
	[LAST] = put_last,
	[BYTES] = put_bytes,
	[COMMUNICATOR] = put_communicator,
};

/* Rough: they order plans, and answer nothing. */
static const struct wl_row_lookup lookup[N_COLS] = {
	[MATCH] = { get_match, 8 },   [DEVICE] = { get_device, 20000 },
	[RANK] = { get_rank, 20000 }, [PID] = { get_pid, 20000 },
	[OP] = { get_op, 1 },
};

const struct wl_row_source wl_row_source_matches = {
	.rows = { "matches", "Collectives matched across ranks, a row per member", cols, N_COLS },
	.need = WL_SQL_MATCHES,
	.state_size = sizeof(struct match_walk),
	.start_col = -1,
	.prepare = prepare,
	.rewind = begin,
	.next = next,
	.cells = cells,
	.lookup = lookup,
	.where = where,
	.seek = seek,
};
