/* SPDX-License-Identifier: MIT */
/* mpi.c - MPI calls by function, kind, rank, thread or communicator, with the bytes in their
 * arguments. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/hosts.h"
#include "analysis/stat_cols.h"
#include "base/memory/sort.h"
#include "derive/comm/mpi_calls.h"
#include "derive/comm/mpi_comms.h"
#include "derive/derived.h"
#include "derive/nvtx/ranks.h"
#include "derive/rows/scope.h"
#include "derive/rows/stats.h"

WL_DECLARE_ANALYSIS(mpi);

enum {
	NAME,
	KIND,
	RANK,
	PID,
	HOST,
	TID,
	COMM,
	COMM_SIZE,
	CALLS,
	SUM,
	SHARE,
	AVG,
	P50,
	P90,
	MAX,
	BYTES,
	MAX_SIZE
};

static const struct wl_col cols[] = {
	[NAME] = { "name", "Function", WL_T_STR, WL_KEY, "The function." },
	[KIND] = { "kind", "Kind", WL_T_ENUM, WL_KEY,
		   "collective, p2p (a message), wait (for requests), or other." },
	[RANK] = { "rank", "Rank", WL_T_COUNT, WL_KEY,
		   "Rank of the calling process; empty if unknown." },
	[PID] = { "pid", "PID", WL_T_COUNT, WL_KEY, "The calling process." },
	[HOST] = WL_COL_HOST,
	[TID] = { "tid", "Thread", WL_T_COUNT, WL_KEY, "The calling thread." },
	[COMM] = { "comm", "Communicator", WL_T_STR, WL_KEY,
		   "MPI_COMM_WORLD, the members of another, or its number; empty for calls without "
		   "one." },
	[COMM_SIZE] = { "comm_size", "Ranks", WL_T_COUNT, WL_PLAIN, "Ranks of the communicator." },
	[CALLS] = WL_COL_CALLS("Calls with a part in the window."),
	[SUM] = WL_COL_SUM,
	[SHARE] = WL_COL_SHARE(WL_PLAIN, "Share of the sum over all MPI calls in the window."),
	[AVG] = WL_COL_AVG(WL_PLAIN),
	[P50] = WL_COL_P50,
	[P90] = WL_COL_P90,
	[MAX] = WL_COL_MAX(WL_PLAIN),
	[BYTES] = { "bytes", "Bytes", WL_T_BYTES, WL_PLAIN,
		    "Bytes of their messages, as far as recorded; the window does not cut them." },
	[MAX_SIZE] = { "max_size", "Max size", WL_T_BYTES, WL_MINOR, "The largest message." },
};

enum { BY };
enum facet { BY_NAME, BY_KIND, BY_RANK, BY_THREAD, BY_COMM };
static const char *const facets[] = { "name", "kind", "rank", "thread", "comm", NULL };

static const struct wl_param params[] = {
	[BY] = { .key = "by",
		 .type = WL_P_ENUM,
		 .def = "name",
		 .choices = facets,
		 .help = "Function; kind of call; function and rank; function and thread; "
			 "function and communicator." },
};

static const enum wl_column_id needs_any[] = {
	WL_MPI_COLLS_NAME,  WL_MPI_P2P_NAME, WL_MPI_WAITS_NAME,
	WL_MPI_OTHERS_NAME, WL_NVTX_NAME,    WL_N_COLUMNS,
};

static const struct wl_alias aliases[] = {
	{ .name = "mpi_event_sum" },
	{ .name = "mpi_event_trace" },
	{ .name = NULL },
};

static const struct wl_example examples[] = {
	{ "warplens mpi run.sqlite", "Which MPI functions take the host's time." },
	{ "warplens mpi run.sqlite --by rank --where 'name = MPI_Allreduce'",
	  "One function, rank by rank." },
	{ NULL, NULL },
};

/* The key of a group; WL_NONE: all. */
struct key {
	uint32_t name, kind, process, thread;
	uint32_t comm; /* index into the known communicators, followed by numbers */
};

struct call {
	wl_ns length;
	int64_t bytes; /* -1: not recorded */
	uint32_t group;
};

/* Figures of a group besides time statistics. */
struct sizes {
	int64_t bytes, largest;
	bool any;
};

struct calls {
	const struct wl_run *run;
	const struct wl_mpi_calls *mpi;
	enum facet by;
	struct wl_intern keys; /* struct key */
	struct wl_mpi_comms comms;
	struct wl_intern numbers; /* uint64_t: handles of communicators that no table lists */
	struct call *call;
	size_t n;
	const struct wl_stats *stats;
	struct sizes *sizes;
	wl_ns total;
};

/* The communicator of a call; false when memory runs out. */
static bool find_comm(struct calls *c, const struct wl_mpi_source *s, size_t row, uint32_t *ret)
{
	const struct wl_trace *t = c->run->trace;
	const uint64_t *of = s->family == WL_F_MPI_COLLS ? wl_mpi_colls_comm(t)
			     : s->family == WL_F_MPI_P2P ? wl_mpi_p2p_comm(t)
							 : NULL;
	uint32_t process = t->threads[s->rows.thread[row]].process;
	int64_t rank = c->comms.rank[process];

	*ret = WL_NONE;
	if (!of || of[row] == WL_NO_U64)
		return true;
	/* Rows of communicators use MPI ranks; labels may number ranks differently. */
	if (rank < 0)
		rank = c->run->derived->ranks->of[process];
	if (rank >= 0)
		*ret = wl_mpi_comm_of(&c->comms, rank, of[row], s->rows.start[row]);
	if (*ret != WL_NONE)
		return true;
	*ret = wl_intern_put(&c->numbers, &of[row]);
	if (*ret == WL_NONE)
		return false;
	*ret += (uint32_t)c->comms.n;
	return true;
}

static struct key key_of(const struct calls *c, const struct wl_mpi_source *s, size_t row)
{
	const struct wl_trace *t = c->run->trace;
	uint32_t thread = s->rows.thread[row], name = s->name[row];
	struct key key = { name, wl_mpi_kind_of(s, name == WL_NONE ? "" : wl_str(t, name)), WL_NONE,
			   WL_NONE, WL_NONE };

	if (c->by == BY_KIND)
		key.name = WL_NONE;
	if (c->by == BY_RANK || c->by == BY_THREAD)
		key.process = t->threads[thread].process;
	if (c->by == BY_THREAD)
		key.thread = thread;
	return key;
}

static bool take_source(struct calls *c, const struct wl_mpi_source *s)
{
	for (size_t i = 0; i < s->rows.n; i++) {
		wl_ns start = s->rows.start[i], end = wl_thread_row_end(&s->rows, i);
		struct call *call = &c->call[c->n];
		struct key key;

		/*
		 * Ranges of the domain MPI repeat the calls if the process has rows for them.
		 */
		if (!wl_mpi_counts(c->mpi, s, i) ||
		    !wl_host_clip(c->run->trace, c->run->scope, s->rows.thread[i], &start, &end))
			continue;
		key = key_of(c, s, i);
		if (c->by == BY_COMM && !find_comm(c, s, i, &key.comm))
			return false;
		*call = (struct call){ end - start, s->bytes ? s->bytes[i] : -1,
				       wl_intern_put(&c->keys, &key) };
		if (call->group == WL_NONE)
			return false;
		c->total = wl_add_up(c->total, call->length);
		c->n++;
	}
	return true;
}

static enum wl_visit visit(void *ctx, size_t row, uint32_t *ret_group, int64_t *ret_value)
{
	const struct calls *c = ctx;

	*ret_group = c->call[row].group;
	*ret_value = c->call[row].length;
	return WL_VISIT_TAKE;
}

static void add_sizes(struct calls *c)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct call *call = &c->call[i];
		struct sizes *s = &c->sizes[call->group];

		if (call->bytes < 0)
			continue;
		s->any = true;
		s->bytes = wl_add_up(s->bytes, call->bytes);
		s->largest = call->bytes > s->largest ? call->bytes : s->largest;
	}
}

static const char *name_of(const struct calls *c, const struct key *k)
{
	return k->name == WL_NONE ? "" : wl_str(c->run->trace, k->name);
}

/* Largest sum first, then by key. */
static bool rank_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct calls *c = ctx;
	const struct wl_trace *t = c->run->trace;
	const struct key *ka = (const struct key *)c->keys.items.data + a;
	const struct key *kb = (const struct key *)c->keys.items.data + b;
	int names;

	if (c->stats[a].sum != c->stats[b].sum)
		return c->stats[a].sum > c->stats[b].sum;
	names = strcmp(name_of(c, ka), name_of(c, kb));
	if (names != 0)
		return names < 0;
	if (ka->kind != kb->kind)
		return ka->kind < kb->kind;
	if (ka->process != kb->process)
		return ka->process < kb->process;
	if (ka->thread != kb->thread)
		return t->threads[ka->thread].global < t->threads[kb->thread].global;
	return ka->comm < kb->comm;
}

static void put_caller(const struct calls *c, const struct key *k, struct wl_table *out)
{
	const struct wl_trace *t = c->run->trace;
	const struct wl_process *process;

	if (k->process == WL_NONE)
		return;
	process = &t->processes[k->process];
	if (c->run->derived->ranks->of[k->process] >= 0)
		wl_put_i64(out, RANK, c->run->derived->ranks->of[k->process]);
	wl_put_i64(out, PID, process->pid);
	wl_hosts_put(out, HOST, t, process);
	if (k->thread != WL_NONE)
		wl_put_i64(out, TID, t->threads[k->thread].tid);
}

static void put_comm(const struct calls *c, uint32_t comm, struct wl_table *out)
{
	enum { NUMBER_CAP = 24 };
	char number[NUMBER_CAP];

	if (comm == WL_NONE)
		return;
	if (comm < c->comms.n) {
		wl_put_str(out, COMM, c->comms.at[comm].name);
		if (c->comms.at[comm].size <= INT64_MAX)
			wl_put_i64(out, COMM_SIZE, (int64_t)c->comms.at[comm].size);
		return;
	}
	(void)snprintf(number, sizeof(number), "0x%" PRIx64,
		       ((const uint64_t *)c->numbers.items.data)[comm - c->comms.n]);
	wl_put_copy(out, COMM, number);
}

static void put_row(const struct calls *c, uint32_t group, struct wl_table *out)
{
	const struct key *k = (const struct key *)c->keys.items.data + group;
	const struct wl_stats *s = &c->stats[group];

	wl_table_row(out);
	if (k->name != WL_NONE)
		wl_put_str(out, NAME, name_of(c, k));
	wl_put_str(out, KIND, wl_mpi_kind_name((enum wl_mpi_kind)k->kind));
	put_caller(c, k, out);
	put_comm(c, k->comm, out);
	wl_put_i64(out, CALLS, (int64_t)s->n);
	wl_put_ratio(out, SHARE, s->sum, c->total);
	wl_put_stats(out, SUM, WL_STAT_SUM, s);
	wl_put_stats(out, AVG, WL_STAT_AVG | WL_STAT_P50 | WL_STAT_P90 | WL_STAT_MAX, s);
	/* Unrecorded sizes are not 0 bytes. */
	if (!c->sizes[group].any)
		return;
	wl_put_i64(out, BYTES, c->sizes[group].bytes);
	wl_put_i64(out, MAX_SIZE, c->sizes[group].largest);
}

static bool hide_hosts(const struct calls *c, size_t n, struct wl_table *out)
{
	const struct key *key = c->keys.items.data;
	bool *shown = WL_NEW(c->run->arena, bool, c->run->trace->n_processes);

	for (size_t i = 0; shown && i < n; i++) {
		if (key[i].process != WL_NONE)
			shown[key[i].process] = true;
	}
	return shown && wl_hosts_hide(c->run, shown, out, HOST);
}

/* Captures from 2020 and 2021 list communicators, but only the names of calls. */
static void note_comms(const struct calls *c, struct wl_table *out)
{
	const struct key *key = c->keys.items.data;
	uint64_t largest = 0;

	for (size_t i = 0; i < c->keys.items.n; i++) {
		if (key[i].comm != WL_NONE)
			return;
	}
	for (size_t i = 0; i < c->comms.n; i++) {
		if (c->comms.at[i].size != WL_NO_U64 && c->comms.at[i].size > largest)
			largest = c->comms.at[i].size;
	}
	if (largest)
		wl_table_note(out,
			      "calls were recorded without communicators; the trace has %zu, "
			      "the largest with %" PRIu64 " ranks",
			      c->comms.n, largest);
}

static bool put_rows(struct calls *c, struct wl_table *out)
{
	struct wl_arena *arena = c->run->arena;
	size_t n = 0, n_rows = 0;
	uint32_t *order;

	for (size_t s = 0; s < WL_N_MPI_SOURCES; s++)
		n_rows += c->mpi->of[s].rows.n;
	c->call = WL_NEW(arena, struct call, n_rows);
	if (c->by == BY_COMM && !wl_mpi_comms_find(c->run->trace, arena, &c->comms))
		return false;
	for (size_t s = 0; s < WL_N_MPI_SOURCES; s++) {
		if (!c->call || !take_source(c, &c->mpi->of[s]))
			return false;
	}
	c->stats = wl_stats_by_group(c->n, visit, c, arena, &n);
	c->sizes = WL_NEW(arena, struct sizes, n);
	order = WL_NEW(arena, uint32_t, 2 * n);
	if (!c->stats || !c->sizes || !order || !hide_hosts(c, n, out))
		return false;
	add_sizes(c);
	wl_sort_all(order, n, rank_less, c);
	for (size_t i = 0; i < n; i++)
		put_row(c, order[i], out);
	if (c->by == BY_COMM)
		note_comms(c, out);
	return true;
}

static void want(const union wl_arg *arg, struct wl_wanted *wanted)
{
	static const enum wl_column_id of_comms[] = {
		WL_MPI_COLLS_COMM,    WL_MPI_P2P_COMM,     WL_MPI_COMMS_TIME,
		WL_MPI_COMMS_RANK,    WL_MPI_COMMS_COMM,   WL_MPI_COMMS_SIZE,
		WL_MPI_COMMS_MEMBERS, WL_MPI_COMMS_PARENT, WL_N_COLUMNS,
	};

	wl_want(wanted, 0, arg[BY].i64 == BY_COMM ? of_comms : NULL);
}

static uint64_t hidden(const union wl_arg *arg)
{
	const uint64_t caller = UINT64_C(1) << RANK | UINT64_C(1) << PID | UINT64_C(1) << HOST;
	const uint64_t thread = UINT64_C(1) << TID;
	const uint64_t comm = UINT64_C(1) << COMM | UINT64_C(1) << COMM_SIZE;

	switch ((enum facet)arg[BY].i64) {
	case BY_NAME:
		return caller | thread | comm;
	case BY_KIND:
		return caller | thread | comm | UINT64_C(1) << NAME;
	case BY_RANK:
		return thread | comm;
	case BY_COMM:
		return caller | thread;
	case BY_THREAD:
	default:
		return comm;
	}
}

/* NVTX ranges may contain MPI calls, but most do not. */
static const char *lacks(const struct wl_run *r)
{
	return r->derived->mpi_calls->any
		       ? NULL
		       : "the trace has no MPI calls; record with nsys profile --trace=mpi and "
			 "--mpi-impl=openmpi or mpich";
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	struct calls c = { .run = r,
			   .mpi = r->derived->mpi_calls,
			   .by = (enum facet)r->arg[BY].i64 };
	bool ok;

	wl_intern_init(&c.keys, sizeof(struct key), wl_arena_budget(r->arena));
	wl_intern_init(&c.numbers, sizeof(uint64_t), wl_arena_budget(r->arena));
	ok = put_rows(&c, out);
	wl_intern_release(&c.keys);
	wl_intern_release(&c.numbers);
	if (!ok)
		return wl_no_memory(&wl_analysis_mpi, reterr);
	return WL_OK;
}

static const struct wl_form forms[] = { { WL_FORM("host", "by"), .value = "mpi" },
					{ .verb = NULL } };

const struct wl_analysis wl_analysis_mpi = {
	.name = "mpi",
	.topic = WL_TOPIC_TIME,
	.forms = forms,
	.help = "Rank MPI calls by host time",
	.about =
		"MPI calls by function: collectives, messages, waits for requests and others, with "
		"the bytes of their messages where the capture has them. Captures before the "
		"tables of MPI have calls as NVTX ranges of the domain MPI; where a process has "
		"both, the ranges do not count. Calls inside others count in both, and processes "
		"run at the same time: the sum is not wall time. It is time of the host: idle has "
		"the part in which a GPU waited (cause mpi), ranks which rank waited for which. "
		"Without "
		"--window every call of the trace counts.",
	.on_host = true,
	.needs_any = needs_any,
	.from = WL_FROM(MPI_CALLS) | WL_FROM(RANKS),
	.want = want,
	.hidden = hidden,
	.lacks = lacks,
	.params = params,
	.n_params = WL_COUNT(params),
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.aliases = aliases,
	.examples = examples,
	.run = run,
};
