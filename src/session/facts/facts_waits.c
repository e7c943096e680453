/* SPDX-License-Identifier: MIT */
#include "session/facts/facts_waits.h"

#include <string.h>

#include "base/memory/compare.h"
#include "base/memory/sort.h"
#include "derive/graph/late/straggler.h"
#include "derive/use/rank_use.h"
#include "session/facts/facts_job.h"

/* A match, put together from its operations. */
struct seen {
	wl_ns first, last;         /* arrivals */
	wl_ns first_end, last_end; /* ends */
	int64_t bytes;             /* -1: no member says */
	uint32_t n;                /* members; 0: none that is named */
	uint32_t group_at;         /* place of its group among all, by their first arrivals */
	enum wl_collective type;
};

static void see(struct seen *s, const struct wl_comm_op *op)
{
	wl_ns end = wl_comm_end(op);

	if (s->n++ == 0) {
		*s = (struct seen){ op->start, op->start, end, end,
				    op->bytes, 1,         0,   (enum wl_collective)op->type };
		return;
	}
	s->first = op->start < s->first ? op->start : s->first;
	s->last = op->start > s->last ? op->start : s->last;
	s->first_end = end < s->first_end ? end : s->first_end;
	s->last_end = end > s->last_end ? end : s->last_end;
	s->bytes = s->bytes < 0 ? op->bytes : s->bytes;
}

/* Messages between two ranks are no collectives. */
static struct seen *see_all(const struct wl_matches *m, struct wl_arena *arena)
{
	struct seen *seen = WL_NEW(arena, struct seen, m->n + 1);

	for (size_t i = 0; seen && i < m->queues.n_ops; i++) {
		const struct wl_comm_op *op = &m->queues.op[i];

		if (op->match != WL_NONE && !m->set[m->at[op->match].set].by_message)
			see(&seen[op->match], op);
	}
	return seen;
}

WL_LESS(group_before, wl_ns)

/* Groups are numbered by their first collective. */
static bool number_groups(const struct wl_matches *m, struct seen *seen, struct wl_arena *arena)
{
	wl_ns *first = WL_NEW(arena, wl_ns, m->n_groups + 1);
	uint32_t *order = WL_NEW(arena, uint32_t, m->n_groups + 1);
	uint32_t *tmp = WL_NEW(arena, uint32_t, m->n_groups + 1);
	uint32_t *at = WL_NEW(arena, uint32_t, m->n_groups + 1);

	if (!first || !order || !tmp || !at)
		return false;
	for (uint32_t i = 0; i < m->n_groups; i++) {
		order[i] = i;
		first[i] = INT64_MAX;
	}
	for (size_t i = 0; i < m->n; i++) {
		wl_ns *of = &first[m->set[m->at[i].set].group];

		if (seen[i].n && seen[i].first < *of)
			*of = seen[i].first;
	}
	wl_sort_index(order, m->n_groups, tmp, group_before, first);
	for (uint32_t i = 0; i < m->n_groups; i++)
		at[order[i]] = i;
	for (size_t i = 0; i < m->n; i++)
		seen[i].group_at = at[m->set[m->at[i].set].group];
	return true;
}

static bool seen_before(const void *ctx, uint32_t a, uint32_t b)
{
	const struct seen *x = (const struct seen *)ctx + a, *y = (const struct seen *)ctx + b;

	if (x->group_at != y->group_at)
		return x->group_at < y->group_at;
	return x->first < y->first;
}

static void put_coll(struct wl_facts *to, const struct wl_matches *m, uint32_t match,
		     const struct seen *s, uint32_t seq)
{
	const struct wl_match *at = &m->at[match];
	const struct wl_match_set *set = &m->set[at->set];

	wl_facts_row(to, WL_FACTS_COLLS);
	wl_facts_put(to, WL_FACTS_COLLS_COMM, s->group_at);
	wl_facts_put(to, WL_FACTS_COLLS_SEQ, seq);
	wl_facts_put_str(to, WL_FACTS_COLLS_TYPE, wl_collective_key(s->type));
	if (s->bytes >= 0)
		wl_facts_put(to, WL_FACTS_COLLS_BYTES, s->bytes);
	wl_facts_put(to, WL_FACTS_COLLS_RANKS, s->n);
	wl_facts_put(to, WL_FACTS_COLLS_TRANSFER, at->shortest);
	/* Clocks that contradict each other say nothing of who was first. */
	if (m->group[set->group].no_clock)
		return;
	wl_facts_put(to, WL_FACTS_COLLS_FIRST, s->first);
	wl_facts_put(to, WL_FACTS_COLLS_LAST_RANK, m->queues.queue[set->queue[at->last]].process);
	wl_facts_put(to, WL_FACTS_COLLS_SKEW, s->last - s->first);
	wl_facts_put(to, WL_FACTS_COLLS_END_SPREAD, s->last_end - s->first_end);
}

static bool put_colls(struct wl_facts *to, const struct wl_matches *m, struct wl_arena *arena)
{
	struct seen *seen = see_all(m, arena);
	uint32_t *order = WL_NEW(arena, uint32_t, m->n + 1), n = 0, seq = 0;
	uint32_t *tmp = WL_NEW(arena, uint32_t, m->n + 1);

	if (!seen || !order || !tmp || !number_groups(m, seen, arena))
		return false;
	for (uint32_t i = 0; i < m->n; i++)
		if (seen[i].n)
			order[n++] = i;
	wl_sort_index(order, n, tmp, seen_before, seen);
	for (uint32_t i = 0; i < n; i++) {
		const struct seen *s = &seen[order[i]];

		seq = i && seen[order[i - 1]].group_at == s->group_at ? seq + 1 : 0;
		put_coll(to, m, order[i], s, seq);
	}
	return !to->failed;
}

static void put_clock(struct wl_facts *to, const struct wl_trace_file *file)
{
	if (file->clock_state == WL_CLOCK_UTC)
		return;
	if (file->clock_state == WL_CLOCK_FITTED) {
		wl_facts_put(to, WL_FACTS_WAITS_OFFSET, file->fitted);
		wl_facts_put(to, WL_FACTS_WAITS_DRIFT, file->drift);
	}
	wl_facts_put(to, WL_FACTS_WAITS_RESIDUAL_P50, file->residual_p50);
	wl_facts_put(to, WL_FACTS_WAITS_RESIDUAL_P99, file->residual);
}

static void put_step(struct wl_facts *to, uint32_t rank, uint32_t step,
		     const struct wl_rank_sum *sum)
{
	wl_facts_row(to, WL_FACTS_STEP_WAITS);
	wl_facts_put(to, WL_FACTS_STEP_WAITS_RANK, rank);
	wl_facts_put(to, WL_FACTS_STEP_WAITS_STEP, step);
	wl_facts_put(to, WL_FACTS_STEP_WAITS_WAIT, sum->wait);
	wl_facts_put(to, WL_FACTS_STEP_WAITS_TRANSFER, sum->transfer);
	wl_facts_put(to, WL_FACTS_STEP_WAITS_LATENESS, sum->lateness);
	wl_facts_put(to, WL_FACTS_STEP_WAITS_CAUSED, sum->caused);
}

/* Of a job of facts, ranks, processes and devices have the same numbers. */
static void put_rank(struct wl_facts *to, const struct wl_facts_job *job,
		     const struct wl_rank_use *use, uint32_t matched, bool is_known)
{
	const struct wl_trace *t = &job->trace;
	uint32_t rank = use->lane->device;

	wl_facts_row(to, WL_FACTS_WAITS);
	wl_facts_put(to, WL_FACTS_WAITS_RANK, rank);
	wl_facts_put(to, WL_FACTS_WAITS_MATCHED, matched);
	put_clock(to, &t->files[t->processes[rank].file]);
	/* Waits in collectives that are not matched, and in calls that are not kept, are unknown.
	 */
	if (!is_known)
		return;
	wl_facts_put(to, WL_FACTS_WAITS_WAIT, use->all.wait);
	wl_facts_put(to, WL_FACTS_WAITS_TRANSFER, use->all.transfer);
	wl_facts_put(to, WL_FACTS_WAITS_LATENESS, use->all.lateness);
	wl_facts_put(to, WL_FACTS_WAITS_CAUSED, use->all.caused);
	wl_facts_put(to, WL_FACTS_WAITS_ALONE, use->all.alone);
	for (size_t i = 0; i < use->lane->n_tiles; i++)
		if (use->lane->tile[i].iter != WL_NONE)
			put_step(to, rank, use->lane->tile[i].iter, &use->tile[i]);
}

/*
 * How much communication could be matched is known of the run only: a rank alone has no other to
 * match with. The first trace has the number of all.
 */
static void set_matched(struct wl_facts *to, const struct wl_rank_uses *uses)
{
	int64_t *have = to->column[WL_FACTS_COVERAGE_HAVE].data;
	int64_t *of = to->column[WL_FACTS_COVERAGE_OF].data;
	bool is_first = true;

	for (size_t i = 0; i < to->n[WL_FACTS_COVERAGE]; i++) {
		if (strcmp(wl_facts_str(to, WL_FACTS_COVERAGE_NAME, i), "communication_matched") !=
		    0)
			continue;
		have[i] = is_first ? uses->matched : 0;
		of[i] = is_first ? uses->comm : 0;
		is_first = false;
	}
}

static bool put_waits(struct wl_facts *to, const struct wl_facts_job *job, struct wl_arena *arena)
{
	const struct wl_comm_queues *q = &job->derived.matches->queues;
	uint32_t *matched = WL_NEW(arena, uint32_t, job->trace.n_devices + 1);
	bool no_mpi = job->derived.stragglers->no_mpi;
	struct wl_rank_uses uses;

	if (!matched || !wl_rank_use_find(&job->derived, &job->scope, arena, &uses))
		return false;
	for (size_t i = 0; i < q->n_ops; i++)
		if (q->op[i].match != WL_NONE)
			matched[q->queue[q->op[i].queue].device]++;
	if (no_mpi)
		uses.matched = uses.comm = 0;
	set_matched(to, &uses);
	for (size_t i = 0; i < uses.n; i++)
		put_rank(to, job, &uses.at[i], matched[uses.at[i].lane->device],
			 !no_mpi && (uses.matched > 0 || uses.comm == 0));
	return !to->failed;
}

bool wl_facts_make_waits(struct wl_facts *facts)
{
	struct wl_facts_job job;
	struct wl_arena arena;
	bool ok;

	wl_arena_init_on(&arena, facts->budget);
	/* The job borrows rows and texts; what is put is read from it before texts are added. */
	ok = wl_facts_job_make(facts, "facts", &arena, &job) && put_waits(facts, &job, &arena) &&
	     put_colls(facts, job.derived.matches, &arena);
	wl_arena_release(&arena);
	return ok;
}
