/* SPDX-License-Identifier: MIT */
/*
 * explain.c - finds the causes of gaps: what the launching thread did meanwhile.
 *
 * A device's gaps come in order of time, and therefore all questions about a thread do, too. The
 * rows of a thread are in one list per kind of call (outermost.h); for each thread a visit keeps
 * its position in each list. A gap is walked from its start. The cause of a moment is the first
 * kind, in the order of causes, with a row around it; it applies until that row ends or a row of an
 * earlier kind begins. No row is read twice, however long a gap is.
 */
#include "derive/idle/idle_parts.h"

#include "base/memory/sort.h"
#include "derive/kinds/page_faults.h"

enum {
	MAX_NESTED = 64,  /* calls examined when searching for an opener */
	OPENED_NS = 2000, /* longest time from the end of the call that emptied the launch queue to
			     the start of the gap */
};

/* The position of a visit in the rows of a thread. */
struct thread_at {
	struct wl_slice calls[WL_N_CALL_KINDS], os, overhead;
	struct wl_slice mpi[WL_N_MPI_SOURCES];
	struct wl_slice openers; /* blocking calls that may still open a gap */
	uint32_t opener;         /* the last-ending call before them; WL_NONE for none */
	wl_ns opener_end;
	size_t next_node; /* of the forest: the first range that has not begun */
	uint32_t node;    /* the innermost open range, or WL_NONE */
	size_t process;   /* index of flushes */
};

static void start_thread(struct wl_explaining *e, uint32_t thread, size_t process)
{
	const struct wl_idle *idle = e->idle;
	const struct wl_host_rows *rows = &idle->rows;
	struct thread_at at = { .os = rows->os.list[thread],
				.overhead = rows->overhead.list[thread],
				.next_node = idle->forest ? idle->forest->nodes[thread].lo : 0,
				.opener = WL_NONE,
				.opener_end = INT64_MIN,
				.node = WL_NONE,
				.process = process };

	for (unsigned i = 0; i < WL_N_CALL_KINDS; i++)
		at.calls[i] = rows->calls.list[thread * (size_t)WL_N_CALL_KINDS + i];
	for (unsigned i = 0; idle->mpi && i < WL_N_MPI_SOURCES; i++)
		at.mpi[i] = idle->mpi->of[i].by_thread.list[thread];
	at.openers = at.calls[WL_CALL_SYNC];
	wl_vec_push(&e->threads, &at);
}

/* Start tracking a thread that was not met before; false without memory. */
static bool meet_thread(struct wl_explaining *e, uint32_t thread)
{
	uint32_t process = e->idle->trace->threads[thread].process;
	uint32_t p = wl_intern_put(&e->process_numbers, &process);

	if (p == WL_NONE)
		return false;
	if (p == e->flushes.n)
		wl_vec_push(&e->flushes, &e->idle->rows.flushes.list[process]);
	start_thread(e, thread, p);
	return !e->threads.failed && !e->flushes.failed;
}

/* NULL without memory. Most gaps end with a launch of the thread that ended the one before. */
static struct thread_at *find_thread(struct wl_explaining *e, uint32_t thread)
{
	if (e->last_thread != thread || e->threads.n == 0) {
		e->last_number = wl_intern_put(&e->thread_numbers, &thread);
		if (e->last_number == WL_NONE ||
		    (e->last_number == e->threads.n && !meet_thread(e, thread)))
			return NULL;
		e->last_thread = thread;
	}
	return (struct thread_at *)e->threads.data + e->last_number;
}

/* A gap whose causes are being searched. */
struct puzzle {
	const struct wl_idle *idle;
	const struct wl_gap *gap;
	const char *unknown; /* why no thread is known; NULL if one is: the rest is set then */
	const char *between; /* set if it lies between migrations by faults; else NULL */
	uint32_t process, ordinal; /* of the operation that ends it */
	struct thread_at *at;
	struct wl_slice *flushes;
	wl_ns call_start, call_end;
	uint32_t thread;
	bool is_skewed;
};

/* The name of a row, by the family's column of names. */
static const char *name_of(const struct wl_trace *t, const uint32_t *name, uint32_t row)
{
	return !name || name[row] == WL_NONE ? NULL : wl_str(t, name[row]);
}

/* The outermost overhead row that holds up the thread at x. */
static uint32_t overhead_at(const struct puzzle *z, wl_ns x, wl_ns *until)
{
	const struct wl_outer_lists *l = &z->idle->rows.overhead;
	wl_ns own_until = *until, flush_until = *until;
	uint32_t own = wl_outermost_at(l, &z->at->overhead, x, &own_until);
	uint32_t flush = wl_outermost_at(&z->idle->rows.flushes, z->flushes, x, &flush_until);
	bool is_own = flush == WL_NONE || (own != WL_NONE && wl_is_outer(l, own, flush));

	if (own == WL_NONE && flush == WL_NONE)
		*until = own_until < flush_until ? own_until : flush_until;
	else
		*until = is_own ? own_until : flush_until;
	return is_own ? own : flush;
}

/*
 * The blocking call that emptied the launch queue before the gap. Starts and ends of gaps ascend,
 * as do starts and ends of outermost calls, and one pass over a thread's calls serves all its gaps.
 */
static uint32_t opener_of(struct thread_at *at, const struct wl_outer_lists *l,
			  const struct wl_gap *gap)
{
	for (; at->openers.lo < at->openers.hi; at->openers.lo++) {
		uint32_t row = l->row[at->openers.lo];
		wl_ns end = wl_outer_end(l, row);

		if (l->start[row] >= gap->begin || end > gap->end)
			break;
		if (end > at->opener_end) {
			at->opener = row;
			at->opener_end = end;
		}
	}
	return at->opener != WL_NONE && at->opener_end >= gap->begin - OPENED_NS ? at->opener
										 : WL_NONE;
}

static const char *label_of_node(const struct wl_idle *idle, uint32_t node)
{
	const struct wl_range_name *names = idle->names->name;

	return names[names[idle->forest->name[node]].label].label_text;
}

/* The label of the innermost range around a call; NULL for none. */
static const char *label_of_call(const struct wl_idle *idle, uint32_t call)
{
	uint32_t node = call == WL_NONE || !idle->forest ? WL_NONE : idle->forest->of_call[call];

	return node == WL_NONE ? NULL : label_of_node(idle, node);
}

/* The innermost range around x gives the label. */
static void set_label(const struct puzzle *z, wl_ns x, struct wl_gap_part *part)
{
	const struct wl_forest *f = z->idle->forest;
	struct thread_at *at = z->at;
	size_t end;

	if (!f)
		return;
	end = f->nodes[z->thread].hi;
	for (; at->next_node < end && f->start[at->next_node] <= x; at->next_node++)
		at->node = (uint32_t)at->next_node;
	/*
	 * Use `below` rather than the parent: ranges may cross, and one that began earlier may last
	 * longer.
	 */
	while (at->node != WL_NONE && f->end[at->node] <= x)
		at->node = f->below[at->node];
	if (at->next_node < end && f->start[at->next_node] < part->end)
		part->end = f->start[at->next_node];
	if (at->node == WL_NONE)
		return;
	if (f->end[at->node] < part->end)
		part->end = f->end[at->node];
	part->detail = label_of_node(z->idle, at->node);
	part->whole = f->end[at->node] - f->start[at->node];
}

/* Set the outermost MPI call of the thread around x as the cause; false if there is none. */
static bool set_mpi(const struct puzzle *z, wl_ns x, struct wl_gap_part *part)
{
	const struct wl_mpi_source *found = NULL;
	wl_ns start = 0, end = 0;
	uint32_t row = 0;

	for (unsigned i = 0; z->idle->mpi && i < WL_N_MPI_SOURCES; i++) {
		const struct wl_mpi_source *s = &z->idle->mpi->of[i];
		uint32_t at = wl_outermost_at(&s->by_thread, &z->at->mpi[i], x, &part->end);
		wl_ns began, ended;

		if (at == WL_NONE)
			continue;
		began = s->by_thread.start[at];
		ended = wl_outer_end(&s->by_thread, at);
		if (found && (began > start || (began == start && ended <= end)))
			continue;
		found = s;
		row = at;
		start = began;
		end = ended;
	}
	if (!found)
		return false;
	part->cause = WL_CAUSE_MPI;
	part->detail = name_of(z->idle->trace, found->name, row);
	part->whole = end - start;
	return true;
}

/* Set the cause from what the thread did before the launch. */
static void set_host_cause(const struct puzzle *z, wl_ns x, struct wl_gap_part *part)
{
	static const enum wl_cause causes[WL_N_CALL_KINDS] = {
		[WL_CALL_SYNC] = WL_CAUSE_SYNC,
		[WL_CALL_ALLOC] = WL_CAUSE_ALLOC,
		[WL_CALL_LOAD] = WL_CAUSE_LOAD,
		[WL_CALL_OTHER] = WL_CAUSE_API,
	};
	const struct wl_trace *t = z->idle->trace;
	const struct wl_host_rows *rows = &z->idle->rows;
	uint32_t row;

	for (unsigned i = 0; i < WL_N_CALL_KINDS; i++) {
		row = wl_outermost_at(&rows->calls, &z->at->calls[i], x, &part->end);
		if (row != WL_NONE) {
			part->cause = causes[i];
			part->detail = name_of(t, wl_api_name(t), row);
			part->whole = wl_outer_end(&rows->calls, row) - rows->calls.start[row];
			return;
		}
		if (i == WL_CALL_SYNC && set_mpi(z, x, part))
			return;
	}
	row = wl_outermost_at(&rows->os, &z->at->os, x, &part->end);
	if (row != WL_NONE) {
		part->cause = WL_CAUSE_OS;
		part->detail = name_of(t, wl_osrt_name(t), row);
		part->whole = wl_outer_end(&rows->os, row) - rows->os.start[row];
		return;
	}
	part->cause = WL_CAUSE_HOST;
	set_label(z, x, part);
}

static void lower(wl_ns *until, wl_ns t)
{
	*until = t < *until ? t : *until;
}

/*
 * Set the cause from what the thread's CUDA call around x spent its time on, if nsys says so; false
 * if it does not, or names the profiler. If the launch queue is full, N waits for the work in it,
 * which was launched before.
 */
static bool set_cost(const struct wl_cost_piece *cost, struct wl_gap_part *part)
{
	if (!cost || cost->class == WL_COST_PROFILER)
		return false;
	part->cause = cost->class == WL_COST_QUEUE ? WL_CAUSE_DEPENDENCY : WL_CAUSE_LOAD;
	part->detail = cost->name;
	part->whole = cost->end - cost->begin;
	return true;
}

/* At x, a stream waits for a host function: it holds up N, or the call that T waits in. */
static void set_function(const struct wl_host_function *function, struct wl_gap_part *part)
{
	part->cause = WL_CAUSE_CALLBACK;
	part->detail = function->name;
	part->whole = function->end - function->begin;
}

/* Set the cause of x if a thread launched the operation that ends the gap. */
static void set_thread_cause(const struct puzzle *z, wl_ns x, struct wl_gap_part *part)
{
	const struct wl_trace *t = z->idle->trace;
	uint32_t overhead = overhead_at(z, x, &part->end);
	const struct wl_cost_piece *cost =
		wl_call_cost_at(z->idle->costs, z->thread, x, &part->end);
	const struct wl_host_function *function =
		wl_host_function_at(z->idle->functions, t, z->gap->after.place, x, &part->end);

	if (overhead != WL_NONE) {
		part->cause = WL_CAUSE_PROFILER;
		part->detail = name_of(t, wl_overhead_name(t), overhead);
	} else if (cost && cost->class == WL_COST_PROFILER) {
		part->cause = WL_CAUSE_PROFILER;
		part->detail = cost->name;
	} else if (z->is_skewed) {
		part->cause = WL_CAUSE_UNKNOWN;
		part->detail = "skew";
	} else if (function && x >= z->call_end) {
		set_function(function, part);
	} else if (z->call_end <= z->gap->begin) {
		part->cause = z->gap->end - z->gap->begin <= WL_DISPATCH_NS ? WL_CAUSE_DISPATCH
									    : WL_CAUSE_DEPENDENCY;
	} else if (x >= z->call_end) {
		part->cause = WL_CAUSE_LATENCY;
		part->detail = name_of(t, wl_api_name(t), z->gap->call);
	} else if (set_cost(cost, part)) {
		lower(&part->end, z->call_end);
	} else if (x >= z->call_start) {
		lower(&part->end, z->call_end);
		part->cause = z->idle->rows.blocks[z->gap->call] == WL_BLOCKS_BY_COPY
				      ? WL_CAUSE_SYNC
				      : WL_CAUSE_LAUNCH;
		part->detail = name_of(t, wl_api_name(t), z->gap->call);
		part->whole = z->call_end - z->call_start;
	} else {
		lower(&part->end, z->call_start);
		set_host_cause(z, x, part);
	}
	if (function && part->cause == WL_CAUSE_SYNC)
		set_function(function, part);
}

/* Set the cause of nanosecond x and of the following ones up to the part's end, which is
 * lowered. */
static void set_cause(const struct puzzle *z, wl_ns x, struct wl_gap_part *part)
{
	const struct wl_managed_span *span =
		wl_managed_at(&z->idle->managed, z->process, z->ordinal, x, &part->end);

	part->cause = WL_CAUSE_MANAGED;
	part->detail = span ? span->detail : z->between;
	part->whole = span ? span->end - span->begin : 0;
	if (part->detail)
		return;
	part->cause = WL_CAUSE_UNKNOWN;
	part->detail = z->unknown;
	if (!z->unknown)
		set_thread_cause(z, x, part);
}

static void put_part(struct wl_explaining *e, const struct wl_gap_part *part)
{
	struct wl_gap_part *last =
		e->parts.n ? (struct wl_gap_part *)e->parts.data + (e->parts.n - 1) : NULL;

	/* Equal details share one pointer (idle.h); texts need not be compared. */
	if (last && last->cause == part->cause && last->detail == part->detail) {
		last->end = part->end;
		last->whole = part->whole > last->whole ? part->whole : last->whole;
	} else {
		wl_vec_push(&e->parts, part);
	}
}

/* The reason why the whole gap is unknown and no thread needs to be examined. */
static const char *why_unknown(const struct wl_idle *idle, const struct wl_gap *gap)
{
	if (gap->call == WL_NONE)
		return "no launch";
	return wl_api_start(idle->trace)[gap->call] >= gap->end ? "skew" : NULL;
}

bool wl_idle_is_between_migrations(const struct wl_idle *idle, const struct wl_gap *gap)
{
	const struct wl_trace *t = idle->trace;
	uint32_t process = t->places[gap->after.place].process;

	return !idle->managed.sees_faults[process] && gap->before.family == WL_F_MEMCPYS &&
	       gap->after.family == WL_F_MEMCPYS &&
	       t->places[gap->before.place].process == process &&
	       wl_migrates_by_fault(t, gap->before.row) && wl_migrates_by_fault(t, gap->after.row);
}

/* Find the thread that launched the operation that ends the gap, and what it did before. */
static bool ask_thread(struct wl_explaining *e, struct wl_gap *gap, struct puzzle *z)
{
	const struct wl_idle *idle = e->idle;
	const struct wl_trace *t = idle->trace;

	z->thread = wl_api_thread(t)[gap->call];
	z->call_start = wl_api_start(t)[gap->call];
	z->call_end = z->call_start + wl_dur(&t->family[WL_F_API], wl_api_dur(t), gap->call);
	z->is_skewed = idle->skewed[t->threads[z->thread].process];
	z->at = find_thread(e, z->thread);
	if (!z->at)
		return false;
	z->flushes = (struct wl_slice *)e->flushes.data + z->at->process;
	if (!z->is_skewed)
		gap->opener = opener_of(z->at, &idle->rows.calls, gap);
	gap->opener_range = label_of_call(idle, gap->opener);
	return true;
}

bool wl_explain(struct wl_explaining *e, struct wl_gap *gap)
{
	const struct wl_idle *idle = e->idle;
	struct wl_gap_part part;
	struct puzzle z = { .idle = idle,
			    .gap = gap,
			    .unknown = why_unknown(idle, gap),
			    .between = wl_idle_is_between_migrations(idle, gap)
					       ? "between migrations"
					       : NULL,
			    .process = idle->trace->places[gap->after.place].process,
			    .ordinal = idle->trace->places[gap->after.place].ordinal };

	e->parts.n = 0;
	gap->opener = WL_NONE;
	gap->opener_range = NULL;
	if (!z.unknown && !ask_thread(e, gap, &z))
		return false;
	/*
	 * The walk ends because set_cause() lowers part.end to a time after x: a row around x ends
	 * after x, and a later row begins after x.
	 */
	for (wl_ns x = gap->begin; x < gap->end; x = part.end) {
		part.begin = x;
		part.end = gap->end;
		set_cause(&z, x, &part);
		put_part(e, &part);
	}
	return !e->parts.failed;
}

struct started {
	const struct wl_outer_lists *lists;
	size_t lo;
	wl_ns before;
};

static bool started_before(const void *ctx, size_t i)
{
	const struct started *s = ctx;

	return s->lists->start[s->lists->row[s->lo + i]] < s->before;
}

/* Like opener_of(), but searches backwards from the gap. */
static uint32_t search_opener(const struct wl_outer_lists *l, struct wl_slice calls,
			      const struct wl_gap *gap)
{
	const struct started s = { l, calls.lo, gap->begin };
	size_t i = calls.lo + wl_lower_bound(calls.hi - calls.lo, started_before, &s);
	uint32_t best = WL_NONE;
	wl_ns best_end = gap->begin - OPENED_NS;

	for (int n = 0; i > calls.lo && n < MAX_NESTED; n++) {
		uint32_t row = l->row[--i];
		wl_ns end = wl_outer_end(l, row);

		if (end > gap->end) { /* the call found lies inside it */
			best = WL_NONE;
			best_end = gap->begin - OPENED_NS;
		} else if (end >= best_end) {
			best = row;
			best_end = end;
		}
	}
	return best;
}

void wl_idle_find_opener(const struct wl_idle *idle, struct wl_gap *gap)
{
	const struct wl_trace *t = idle->trace;
	const struct wl_outer_lists *l = &idle->rows.calls;
	uint32_t thread;

	gap->opener = WL_NONE;
	if (!why_unknown(idle, gap)) {
		thread = wl_api_thread(t)[gap->call];
		if (!idle->skewed[t->threads[thread].process])
			gap->opener = search_opener(
				l, l->list[thread * (size_t)WL_N_CALL_KINDS + WL_CALL_SYNC], gap);
	}
	gap->opener_range = label_of_call(idle, gap->opener);
}

void wl_explaining_init(struct wl_explaining *e, const struct wl_idle *idle,
			struct wl_budget *budget)
{
	*e = (struct wl_explaining){ .idle = idle };
	wl_intern_init(&e->thread_numbers, sizeof(uint32_t), budget);
	wl_intern_init(&e->process_numbers, sizeof(uint32_t), budget);
	wl_vec_init(&e->threads, sizeof(struct thread_at), budget);
	wl_vec_init(&e->flushes, sizeof(struct wl_slice), budget);
	wl_vec_init(&e->parts, sizeof(struct wl_gap_part), budget);
}

void wl_explaining_release(struct wl_explaining *e)
{
	wl_intern_release(&e->thread_numbers);
	wl_intern_release(&e->process_numbers);
	wl_vec_release(&e->threads);
	wl_vec_release(&e->flushes);
	wl_vec_release(&e->parts);
}
