/* SPDX-License-Identifier: MIT */
/* nccl.c - collectives by stream and kind, and the ranks that the others wait for. */
#include "analysis/comm/comm_rows.h"
#include "analysis/stat_cols.h"
#include "analysis/words/late_words.h"
#include "base/memory/sort.h"
#include "derive/graph/late/straggler.h"

WL_DECLARE_ANALYSIS(nccl);

enum { LIST, BY };

enum facet { BY_STREAM, BY_AXIS };
static const char *const facets[] = { "stream", WL_AXIS_CHOICES, NULL };

static const struct wl_param params[] = {
	[LIST] = { .key = "list",
		   .type = WL_P_BOOL,
		   .help = "List the single matches, with the arrival of each member." },
	[BY] = { .key = "by",
		 .type = WL_P_ENUM,
		 .def = "stream",
		 .choices = facets,
		 .help = "A line per stream and kind, or per coordinate or host of ranks and "
			 "kind." },
};

#define BIT(col) (UINT64_C(1) << (col))

static const struct wl_axis_rule axes = {
	.by = BY,
	.choice = BY_AXIS,
	.first = WL_COMM_AXES,
	.rank = WL_COMM_RANK,
	.device = WL_COMM_DEVICE,
	.keys = BIT(WL_COMM_TYPE),
	.sums = BIT(WL_COMM_CALLS) | BIT(WL_COMM_SUM) | BIT(WL_COMM_EXPOSED) | BIT(WL_COMM_BUSY) |
		BIT(WL_COMM_TRANSFER) | BIT(WL_COMM_WAIT_ALL) | BIT(WL_COMM_LAST) |
		BIT(WL_COMM_LATE) | BIT(WL_COMM_CAUSED) | BIT(WL_COMM_ALONE) | BIT(WL_COMM_BYTES),
	.most = BIT(WL_COMM_MAX),
	.ratio = { { WL_COMM_OVERLAP, WL_COMM_BUSY, WL_COMM_EXPOSED, WL_COMM_BUSY } },
};

static const struct wl_col cols[] = {
	[WL_COMM_MATCH] = { "match", "Match", WL_T_COUNT, WL_KEY,
			    "Number of the match, in the order of last arrivals." },
	[WL_COMM_INSTANCE] = { "instance", "Instance", WL_T_COUNT, WL_NUMBER | WL_MINOR,
			       "Index of the collective among those of its kind on the stream of "
			       "the member that recorded most of them." },
	[WL_COMM_DEVICE] = { "device", "GPU", WL_T_COUNT, WL_KEY, "Device, numbered as in info." },
	[WL_COMM_PID] = { "pid", "PID", WL_T_COUNT, WL_KEY | WL_MINOR,
			  "Process that communicates." },
	[WL_COMM_RANK] = { "rank", "Rank", WL_T_COUNT, WL_PLAIN,
			   "Rank of the process; empty if unknown." },
	[WL_COMM_CONTEXT] = { "context", "Context", WL_T_COUNT, WL_KEY | WL_MINOR,
			      "CUDA context; stream numbers are its own." },
	[WL_COMM_STREAM] = { "stream", "Stream", WL_T_COUNT, WL_KEY,
			     "CUDA stream; empty if unknown." },
	[WL_COMM_TYPE] = { "type", "Type", WL_T_STR, WL_KEY, "Kind of collective, by name." },
	[WL_COMM_ARRIVAL] = { "arrival", "Arrival", WL_T_TIME, WL_ANCHOR,
			      "When the member's operation started." },
	[WL_COMM_DUR] = { "dur", "Dur", WL_T_NS, WL_PLAIN, "Duration of the member's operation." },
	[WL_COMM_CALLS] = WL_COL_CALLS("Operations with a part in the window."),
	[WL_COMM_SUM] = WL_COL_SUM,
	[WL_COMM_EXPOSED] = { "exposed", "Exposed", WL_T_NS, WL_SUM | WL_ANSWER,
			      "Time with any of them under way and no compute on the GPU." },
	[WL_COMM_OVERLAP] = { "overlap", "Overlap", WL_T_RATIO, WL_PLAIN,
			      "Part of the busy time that compute hides." },
	[WL_COMM_BUSY] = { "busy", "Busy", WL_T_NS, WL_SUM | WL_MINOR,
			   "Time in which any of the collectives runs." },
	[WL_COMM_AVG] = WL_COL_AVG(WL_MINOR),
	[WL_COMM_P50] = WL_COL_P50,
	[WL_COMM_P99] = WL_COL_P99,
	[WL_COMM_MAX] = WL_COL_MAX(WL_MINOR),
	[WL_COMM_TRANSFER] = { "transfer", "All transfer", WL_T_NS, WL_MINOR,
			       "Sum of the shortest durations over all members, of matched "
			       "operations, hidden by compute or not; transfer of ranks is what of "
			       "it is exposed." },
	[WL_COMM_WAIT_ALL] = { "wait_all", "All waiting", WL_T_NS, WL_ANSWER,
			       "How much longer its own took: time it waited for others, hidden by "
			       "compute or not; wait of ranks is what of it is exposed." },
	[WL_COMM_LAST] = { "last", "Last", WL_T_COUNT, WL_MINOR,
			   "Collectives at which the GPU arrived last; of several at "
			   "the same time the one with the lowest rank." },
	[WL_COMM_LATE] = { "late", "Late", WL_T_NS, WL_MINOR,
			   "How long before the last member it arrived, summed over matches: its "
			   "wait by arrivals, 0 for the member that arrives last (lateness of "
			   "ranks "
			   "is the opposite). Needs a common clock." },
	[WL_COMM_CAUSED] = { "caused", "Caused", WL_T_NS, WL_MINOR,
			     "Sum of late over all members, of matches in which it arrived last." },
	[WL_COMM_ALONE] = { "alone", "Alone", WL_T_NS, WL_MINOR,
			    "How much later than the last but one it arrived, over the same "
			    "matches." },
	[WL_COMM_GROUP] = { "group", "Group", WL_T_STR, WL_MINOR,
			    "GPUs whose collectives end together with its own, inferred; empty "
			    "where no other's do." },
	[WL_COMM_COMMUNICATOR] = { "communicator", "Communicator", WL_T_STR, WL_KEY | WL_MINOR,
				   "The communicator's hash, or MPI's handle; empty where it is "
				   "not "
				   "recorded." },
	[WL_COMM_SIZE] = { "size", "Size", WL_T_COUNT, WL_NUMBER | WL_MINOR,
			   "Ranks of the communicator where its making was recorded, else members "
			   "of the group; empty where nothing is matched." },
	[WL_COMM_BYTES] = { "bytes", "Bytes", WL_T_BYTES, WL_SUM | WL_MINOR,
			    "Bytes of the messages of matched operations, as the caller gave them; "
			    "empty where they are not recorded." },
	[WL_COMM_ALGBW] = { "algbw", "Alg BW", WL_T_RATE, WL_MINOR,
			    "Bytes of the whole operation by the time of its transfer." },
	[WL_COMM_BUSBW] = { "busbw", "Bus BW", WL_T_RATE, WL_MINOR,
			    "algbw times 2(n-1)/n for AllReduce, (n-1)/n for AllGather, "
			    "ReduceScatter and AllToAll, for n members." },
	[WL_COMM_LINK_SHARE] = { "link_share", "Of link", WL_T_RATIO, WL_MINOR,
				 "busbw over what all NVLink links of a GPU carry in one "
				 "direction, "
				 "of members on one host; empty where the trace does not show the "
				 "link." },
	[WL_COMM_LAST_ARRIVER] = { "last_arriver", "Last arriver", WL_T_STR, WL_MINOR,
				   "The member for which it waited longest by arrivals (late); empty where it did not "
				   "wait." },
	WL_AXIS_COLS(WL_COMM_AXES),
	WL_AXIS_COUNT(WL_COMM_AXES),
};

static const enum wl_column_id needs_any[] = { WL_OP_STARTS, WL_N_COLUMNS };

static const struct wl_alias aliases[] = {
	{ .name = "nccl_breakdown" },
	{ .name = NULL },
};

static const struct wl_example examples[] = {
	{ "warplens nccl run.sqlite", "Communication time, and its exposed part." },
	{ "warplens nccl run.sqlite --where 'type = AllReduce' --sort caused",
	  "Which GPU makes the others wait in all-reduces." },
	{ "warplens nccl run.sqlite --list --sort alone",
	  "Single collectives, those that waited longest for one member first." },
	{ NULL, NULL },
};

static void put_waits(struct wl_table *out, const struct wl_comm_rows *r, uint32_t queue)
{
	const struct wl_comm_waits *w = &r->waits[queue];

	if (w->n == 0)
		return;
	wl_put_i64(out, WL_COMM_TRANSFER, w->transfer);
	wl_put_i64(out, WL_COMM_WAIT_ALL, w->wait);
	if (wl_comm_has_clock(r, queue)) {
		wl_put_i64(out, WL_COMM_LAST, (int64_t)w->n_last);
		wl_put_i64(out, WL_COMM_LATE, w->late);
		wl_put_i64(out, WL_COMM_CAUSED, w->caused);
		wl_put_i64(out, WL_COMM_ALONE, w->alone);
	}
	wl_comm_put_groups(out, r, queue);
	if (w->n_sized)
		wl_comm_put_bytes(out, r, queue, w->bytes, w->moving);
	if (w->longest != WL_NONE)
		wl_put_str(out, WL_COMM_LAST_ARRIVER, r->member[w->longest]);
}

static void put_row(struct wl_table *out, const struct wl_comm_rows *r, uint32_t queue)
{
	const struct wl_exposure *e = &r->exposure[queue];
	const struct wl_stats *s = &r->stats[queue];

	wl_comm_put_queue(out, r, queue);
	wl_put_i64(out, WL_COMM_CALLS, (int64_t)s->n);
	wl_put_i64(out, WL_COMM_SUM, s->sum);
	/* MPI calls take host time, which GPU compute cannot hide. */
	if (!wl_comm_is_mpi(&r->matches->queues.queue[queue])) {
		wl_put_i64(out, WL_COMM_EXPOSED, e->exposed);
		wl_put_ratio(out, WL_COMM_OVERLAP, e->comm - e->exposed, e->comm);
		wl_put_i64(out, WL_COMM_BUSY, e->comm);
	}
	wl_put_stats(out, WL_COMM_AVG, WL_STAT_AVG | WL_STAT_P50 | WL_STAT_P99 | WL_STAT_MAX, s);
	put_waits(out, r, queue);
}

static bool queue_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct wl_comm_rows *r = ctx;

	return r->stats[a].sum != r->stats[b].sum ? r->stats[a].sum > r->stats[b].sum : a < b;
}

static bool put_rows(struct wl_table *out, const struct wl_comm_rows *r)
{
	uint32_t *order = WL_NEW(r->run->arena, uint32_t, 2 * r->n_stats);
	size_t n = 0;

	for (uint32_t i = 0; order && i < r->n_stats; i++) {
		if (r->stats[i].n)
			order[n++] = i;
	}
	if (order)
		wl_sort_index(order, n, order + n, queue_less, r);
	for (size_t i = 0; i < n; i++)
		put_row(out, r, order[i]);
	return order != NULL;
}

/* Applies to facts: a single trace cannot say anything about stragglers here. */
static bool lacks_mpi(const struct wl_run *r)
{
	return r->derived->stragglers && r->derived->stragglers->no_mpi;
}

static const char *lacks(const struct wl_run *r)
{
	/* The collectives may be MPI calls that facts do not keep. */
	if (r->derived->matches->queues.n_ops || lacks_mpi(r))
		return NULL;
	return r->trace->family[WL_F_GRAPHS].n
		       ? "no communication outside of CUDA graph replays, which were recorded "
			 "whole; record with nsys profile --cuda-graph-trace=node"
		       : "this trace has no collectives";
}

/* Each of the two tables hides the columns that only the other has. */
static uint64_t hidden(const union wl_arg *arg)
{
	const uint64_t single = BIT(WL_COMM_MATCH) | BIT(WL_COMM_INSTANCE) | BIT(WL_COMM_ARRIVAL) |
				BIT(WL_COMM_DUR);
	uint64_t sums = 0;

	for (int i = WL_COMM_CALLS; i <= WL_COMM_MAX; i++)
		sums |= BIT(i);
	return (arg[LIST].flag ? sums : single) | BIT(WL_COMM_AXES + WL_N_AXES);
}

static int check(const union wl_arg *arg, struct wl_err *reterr)
{
	if (arg[LIST].flag && arg[BY].i64 != BY_STREAM)
		return wl_fail(reterr, WL_E_USAGE,
			       "--list has a line per member of a match: --by does not apply");
	return WL_OK;
}

/* Whether there are matches, but no arrivals can be compared. */
static bool has_no_clocks(const struct wl_matches *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n_groups; i++)
		n += m->group[i].no_clock;
	return n > 0 && n == m->n_groups;
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	struct wl_comm_rows rows;
	enum wl_axis axis;

	if (r->derived->matches->queues.n_ops == 0 && lacks_mpi(r)) {
		wl_table_note(out, "%s", wl_no_mpi_in_facts);
		/*
		 * A coordinate that the ranks lack is refused here, too, as it is when there are
		 * rows.
		 */
		return wl_axis_asked(&wl_analysis_nccl, r->arg, &axis)
			       ? wl_axis_check(&wl_analysis_nccl, axis, r, reterr)
			       : WL_OK;
	}
	if (r->arg[LIST].flag && has_no_clocks(r->derived->matches))
		return wl_fail(reterr, WL_E_NODATA,
			       "--list: arrivals cannot be compared: the clocks of the hosts "
			       "contradict each other (info --section clocks); nccl without --list "
			       "shows the wait of each rank, which needs no clock");
	if (!wl_comm_rows_init(&rows, r) || !wl_comm_rows_find(&rows) ||
	    !(r->arg[LIST].flag ? wl_comm_list(out, &rows) : put_rows(out, &rows)))
		return wl_no_memory(&wl_analysis_nccl, reterr);
	return wl_comm_notes(out, &rows) ? WL_OK : wl_no_memory(&wl_analysis_nccl, reterr);
}

const struct wl_analysis wl_analysis_nccl = {
	.name = "nccl",
	.topic = WL_TOPIC_TIME,
	.listed = { .level = WL_LEVEL_SECOND,
		    .line = "Collectives by time, with wait and transfer" },
	.across_ranks = true,
	.help = "Rank collectives by time; name the GPU that others wait for",
	.about = "Communication by device, process, stream and kind of collective. exposed and "
		 "overlap are against all compute of the device. Collectives of several GPUs are "
		 "matched by kind, stream role (the stream's class and its order among the "
		 "process's streams of that class) and order, within groups of GPUs whose "
		 "collectives end together; if they do not, nothing is matched. The shortest "
		 "operation of a match is approximately the transfer; the excess of another one is "
		 "its wait; the GPU that arrives last makes the others wait. Matching is done on "
		 "the whole trace; a match counts where its operation has a part in the window, "
		 "with its whole duration. --list shows the single matches, a row per member. "
		 "Bytes are not recorded without payloads: there is no "
		 "bandwidth. Devices with CUDA graph replays that were recorded whole can "
		 "communicate more.",
	.needs_any = needs_any,
	.from = WL_FROM(CLASSES) | WL_FROM(COLLECTIVES) | WL_FROM(RANKS) | WL_FROM(MATCHES) |
		WL_FROM(MESHES) | WL_FROM(HOSTS) | WL_FROM(PAYLOADS) | WL_FROM(HOST_CLOCKS) |
		WL_FROM(ALL_ACTIVITY),
	.hidden = hidden,
	.check = check,
	.lacks = lacks,
	.params = params,
	.n_params = WL_COUNT(params),
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.axes = &axes,
	.aliases = aliases,
	.examples = examples,
	.facts = WL_FACTS_RUN,
	.facts_of_steps = true,
	.run = run,
};
