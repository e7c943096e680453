/* SPDX-License-Identifier: MIT */
#include "derive/comm/clocks/host_clocks.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory/compare.h"
#include "base/memory/sort.h"
#include "derive/comm/hosts.h"
#include "derive/derived.h"

/* An operation of a match, as the fit needs it. */
struct arrival {
	wl_ns start, end;
	uint32_t host;
};

struct reading {
	const struct wl_matches *m;
	const struct wl_hosts *hosts;
	const size_t *begin; /* by match, and one more: its operations in at */
	struct arrival *at;  /* by match, then host */
	uint32_t *number;    /* by host: its place by name */
	bool *is_sure;       /* by match: its hosts are compared by it */
	struct wl_host_clocks *to;
	struct wl_arena *arena, *scratch;
};

/* Collectives that all members leave together. */
static bool is_for_all(const struct wl_trace *t, const struct wl_comm_queue *q)
{
	if (wl_comm_is_mpi(q) && q->type == WL_OTHER)
		return strcmp(wl_str(t, q->function), "MPI_Barrier") == 0;
	return q->type == WL_ALL_REDUCE || q->type == WL_ALL_GATHER || q->type == WL_REDUCE_SCATTER;
}

static const size_t *begin_matches(struct reading *r, const struct wl_trace *t)
{
	const struct wl_matches *m = r->m;
	size_t *begin = WL_NEW(r->scratch, size_t, m->n + 1), n = 0;

	for (size_t i = 0; begin && i < m->n; i++) {
		const struct wl_match_set *set = &m->set[m->at[i].set];

		begin[i] = n;
		n += is_for_all(t, &m->queues.queue[set->queue[0]]) ? set->n : 0;
	}
	if (begin)
		begin[m->n] = n;
	return begin;
}

WL_COMPARE_BY(by_host, arrival, host)

/* As a rule the ranks of a host follow each other. */
static void order_by_host(struct arrival *at, size_t n)
{
	size_t i = 1;

	while (i < n && at[i - 1].host <= at[i].host)
		i++;
	if (i < n)
		qsort(at, n, sizeof(*at), by_host);
}

static bool deal(struct reading *r, const struct wl_trace *t)
{
	const struct wl_comm_queues *q = &r->m->queues;
	size_t *next = WL_NEW(r->scratch, size_t, r->m->n);

	r->begin = begin_matches(r, t);
	r->at = r->begin ? WL_NEW(r->scratch, struct arrival, r->begin[r->m->n]) : NULL;
	if (!next || !r->at)
		return false;
	memcpy(next, r->begin, r->m->n * sizeof(*next));
	for (size_t i = 0; i < q->n_ops; i++) {
		const struct wl_comm_op *op = &q->op[i];

		if (op->match == WL_NONE || r->begin[op->match] == r->begin[op->match + 1])
			continue;
		r->at[next[op->match]++] =
			(struct arrival){ op->start, wl_comm_end(op),
					  r->hosts->of[q->queue[op->queue].process] };
	}
	for (size_t i = 0; r->hosts->n > 1 && i < r->m->n; i++)
		order_by_host(r->at + r->begin[i], r->begin[i + 1] - r->begin[i]);
	return true;
}

static bool spans_hosts(const struct reading *r, size_t match)
{
	size_t lo = r->begin[match], hi = r->begin[match + 1];

	return hi > lo && r->at[lo].host != r->at[hi - 1].host;
}

/* Ranks that run in step may be of several groups: those of one say more, if there are any. */
static bool counts(const struct reading *r, size_t match, bool only_sure)
{
	return spans_hosts(r, match) &&
	       !(only_sure && r->m->set[r->m->at[match].set].n_undecided > 0);
}

static bool has_sure(const struct reading *r)
{
	size_t i = 0;

	while (i < r->m->n && !counts(r, i, true))
		i++;
	return i < r->m->n;
}

/* One per match and host: the median of the ends there. */
static struct wl_clock_anchor *list_anchors(struct reading *r, size_t *ret_n)
{
	struct wl_clock_anchor *anchor =
		WL_NEW(r->scratch, struct wl_clock_anchor, r->begin[r->m->n]);
	wl_ns *end = WL_NEW(r->scratch, wl_ns, r->m->n_members);
	bool only_sure = has_sure(r);
	size_t n = 0;

	if (!end)
		return NULL;
	for (size_t i = 0; anchor && i < r->m->n; i++) {
		if (!counts(r, i, only_sure))
			continue;
		for (size_t lo = r->begin[i], hi; lo < r->begin[i + 1]; lo = hi) {
			for (hi = lo; hi < r->begin[i + 1] && r->at[hi].host == r->at[lo].host;
			     hi++)
				end[hi - lo] = r->at[hi].end;
			wl_sort_i64(end, hi - lo);
			anchor[n++] =
				(struct wl_clock_anchor){ end[wl_rank(hi - lo, 50)], (uint32_t)i,
							  r->number[r->at[lo].host],
							  r->m->set[r->m->at[i].set].r1 };
		}
	}
	*ret_n = n;
	return anchor;
}

struct named {
	const struct wl_trace *trace;
	const struct wl_hosts *hosts;
};

static const char *name_of(const struct named *n, uint32_t host)
{
	const struct wl_trace *t = n->trace;
	uint32_t name =
		t->n_files ? t->files[t->processes[n->hosts->process[host]].file].host : WL_NONE;

	return name == WL_NONE ? "" : wl_str(t, name);
}

static bool name_less(const void *ctx, uint32_t a, uint32_t b)
{
	return strcmp(name_of(ctx, a), name_of(ctx, b)) < 0;
}

/* Which of equal hosts the others follow must not depend on names of files. */
static bool number_hosts(struct reading *r, const struct wl_trace *t)
{
	size_t n = r->hosts->n;
	uint32_t *order = WL_NEW(r->scratch, uint32_t, 2 * n);

	r->number = WL_NEW(r->scratch, uint32_t, n);
	if (!order || !r->number)
		return false;
	wl_sort_all(order, n, name_less, &(struct named){ t, r->hosts });
	for (uint32_t i = 0; i < n; i++)
		r->number[order[i]] = i;
	return true;
}

/* The fit of the hosts by name, as the hosts are numbered. */
static bool fit_hosts(struct reading *r, const struct wl_clock_anchors *anchors)
{
	struct wl_host_fit *fit = &r->to->fit;
	struct wl_host_clock *host = WL_NEW(r->arena, struct wl_host_clock, r->hosts->n);
	uint32_t reference;

	if (!host || !wl_host_fit_find(anchors, r->arena, fit))
		return false;
	reference = fit->reference;
	for (uint32_t i = 0; i < r->hosts->n; i++) {
		host[i] = fit->host[r->number[i]];
		if (r->number[i] == reference)
			fit->reference = i;
	}
	fit->host = host;
	return true;
}

/* Matches that some anchor of counts. */
static bool find_sure(struct reading *r, const struct wl_clock_anchors *anchors)
{
	r->is_sure = WL_NEW(r->scratch, bool, r->m->n);
	for (size_t i = 0; r->is_sure && i < anchors->n; i++)
		r->is_sure[anchors->at[i].match] |= !r->to->fit.is_loose[i];
	return r->is_sure != NULL;
}

static bool is_too_much(const struct wl_host_clocks *c)
{
	return 1000 * c->n_violations > c->n_ends;
}

/* Ends before the last arrival, in matches that hosts are compared by, with the clocks that were
 * fitted. */
static void count_violations(const struct reading *r)
{
	struct wl_host_clocks *to = r->to;

	to->n_ends = to->n_violations = 0;
	for (size_t i = 0; i < r->m->n; i++) {
		wl_ns last = INT64_MIN;

		if (!r->is_sure[i])
			continue;
		for (size_t k = r->begin[i]; k < r->begin[i + 1]; k++) {
			wl_ns start = wl_host_time(&to->fit.host[r->at[k].host], r->at[k].start);

			last = start > last ? start : last;
		}
		for (size_t k = r->begin[i]; k < r->begin[i + 1]; k++) {
			struct wl_host_clock *host = &to->fit.host[r->at[k].host];

			host->n_violations += wl_host_time(host, r->at[k].end) < last;
		}
		to->n_ends += r->begin[i + 1] - r->begin[i];
	}
	for (size_t i = 0; i < to->fit.n_hosts; i++)
		to->n_violations += to->fit.host[i].n_violations;
}

/* How far apart the members of each match end. */
static bool find_error(struct reading *r)
{
	wl_ns *apart = WL_NEW(r->scratch, wl_ns, r->m->n);
	size_t n = 0;

	for (size_t i = 0; apart && i < r->m->n; i++) {
		wl_ns first = INT64_MAX, last = INT64_MIN;

		for (size_t k = r->begin[i]; k < r->begin[i + 1]; k++) {
			wl_ns end = wl_host_time(&r->to->fit.host[r->at[k].host], r->at[k].end);

			first = end < first ? end : first;
			last = end > last ? end : last;
		}
		if (last >= first)
			apart[n++] = last - first;
	}
	if (apart && n)
		r->to->error = wl_select_i64(apart, n, wl_rank(n, 99));
	return apart != NULL;
}

static bool find(struct reading *r, const struct wl_trace *t)
{
	struct wl_clock_anchors anchors = { .n_hosts = r->hosts->n };

	if (!deal(r, t) || !number_hosts(r, t))
		return false;
	anchors.at = list_anchors(r, &anchors.n);
	if (!anchors.at || !fit_hosts(r, &anchors) || !find_sure(r, &anchors))
		return false;
	count_violations(r);
	if (is_too_much(r->to)) {
		anchors.no_drift = true;
		if (!fit_hosts(r, &anchors))
			return false;
		count_violations(r);
		r->to->is_refused = is_too_much(r->to);
	}
	return find_error(r);
}

bool wl_host_clocks_find(const struct wl_derived *derived, struct wl_arena *arena,
			 struct wl_host_clocks *ret)
{
	struct wl_arena scratch;
	struct reading r = { .m = derived->matches,
			     .hosts = derived->hosts,
			     .to = ret,
			     .arena = arena,
			     .scratch = &scratch };
	bool ok;

	*ret = (struct wl_host_clocks){ .n_ends = 0 };
	wl_arena_init_child(&scratch, arena);
	ok = find(&r, derived->trace);
	wl_arena_release(&scratch);
	return ok;
}
