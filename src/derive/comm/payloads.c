/* SPDX-License-Identifier: MIT */
#include "derive/comm/payloads.h"

#include <string.h>

#include "base/memory/bound.h"
#include "base/memory/compare.h"
#include "base/memory/sort.h"
#include "derive/calls/launch.h"
#include "derive/comm/payload_ops.h"
#include "derive/derived.h"
#include "derive/kinds/classes.h"
#include "derive/nvtx/nccl.h"
#include "derive/nvtx/range_names.h"

/* The calls that a range launches: a span of listing.call. */
struct span {
	uint32_t lo, hi;
};

struct listing {
	const struct wl_derived *given;
	const struct wl_trace *trace;
	const struct wl_nccl_ranges *ranges;
	struct span *span; /* by range */
	uint32_t *call;    /* rows of nccl_calls that carry a payload, in order */
	uint32_t n_calls;
	struct wl_arena *scratch;
};

static bool has_name(const struct listing *l, size_t range, const char *name)
{
	const char *text = l->given->range_names->name[l->ranges->name[range]].text;

	return text && strcmp(text, name) == 0;
}

/* The call of a range, if it has a payload. Rows and ranges are in the same order of threads. */
static uint32_t find_call(const struct listing *l, size_t range, size_t *next)
{
	const struct wl_trace *t = l->trace;
	struct wl_thread_rows rows = wl_trace_thread_rows(t, WL_F_NCCL_CALLS);
	uint64_t thread = t->threads[l->ranges->thread[range]].global;
	wl_ns start = l->ranges->start[range];

	for (; *next < rows.n; ++*next) {
		uint64_t own = t->threads[rows.thread[*next]].global;

		if (own > thread || (own == thread && rows.start[*next] >= start))
			break;
	}
	for (size_t i = *next;
	     i < rows.n && rows.thread[i] == l->ranges->thread[range] && rows.start[i] == start;
	     i++) {
		if (wl_thread_row_end(&rows, i) == l->ranges->end[range])
			return (uint32_t)i;
	}
	return WL_NONE;
}

/* Find the calls that each range launches. */
static void list_spans(struct listing *l)
{
	const uint64_t *bytes = wl_nccl_calls_bytes(l->trace);
	uint32_t depth = 0, lo = 0;
	size_t next = 0;

	for (size_t i = 0; i < l->ranges->n; i++) {
		uint32_t row = find_call(l, i, &next);

		if (i == 0 || l->ranges->thread[i] != l->ranges->thread[i - 1])
			depth = 0;
		l->span[i] = (struct span){ l->n_calls, l->n_calls };
		if (row != WL_NONE && bytes[row] != WL_NO_U64) {
			l->call[l->n_calls++] = row;
			if (depth == 0)
				l->span[i].hi = l->n_calls;
		} else if (has_name(l, i, "ncclGroupStart")) {
			lo = depth++ == 0 ? l->n_calls : lo;
		} else if (has_name(l, i, "ncclGroupEnd") && depth > 0 && --depth == 0) {
			l->span[i].lo = lo;
		}
	}
}

struct kernels {
	const uint32_t *call; /* by kernel: row of its launch */
};

static bool kernel_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct kernels *k = ctx;

	return k->call[a] < k->call[b];
}

static bool is_launched(const struct listing *l, const uint32_t *call, size_t kernel)
{
	return call[kernel] != WL_NONE &&
	       wl_class_of(l->trace, l->given->classes, WL_F_KERNELS, kernel) == WL_COMM;
}

/* Kernels that communicate and whose launch is known, ordered by thread and start of the launch. */
static uint32_t *order_kernels(const struct listing *l, const uint32_t *call, size_t *ret_n)
{
	size_t n = 0, n_rows = l->trace->family[WL_F_KERNELS].n;
	uint32_t *order;

	for (size_t i = 0; i < n_rows; i++)
		n += is_launched(l, call, i);
	order = WL_NEW(l->scratch, uint32_t, 2 * n);
	*ret_n = n;
	n = 0;
	for (uint32_t i = 0; order && i < n_rows; i++) {
		if (is_launched(l, call, i))
			order[n++] = i;
	}
	if (order)
		wl_sort_index(order, n, order + n, kernel_less, &(struct kernels){ call });
	return order;
}

/*
 * Kernels whose call was cut off by the capture belong to the communicator of the other kernels of
 * their stream; if there are several, it stays unknown. at has room for all of them.
 */
static bool complete(const struct listing *l, uint32_t *of, struct wl_payload *at, size_t *n)
{
	struct wl_ops ops = wl_trace_ops(l->trace, WL_F_KERNELS);
	uint64_t *comm = WL_NEW(l->scratch, uint64_t, l->trace->n_places);
	bool *is_mixed = WL_NEW(l->scratch, bool, l->trace->n_places);

	if (!comm || !is_mixed)
		return false;
	memset(comm, 0xff, l->trace->n_places * sizeof(*comm)); /* WL_NO_U64 */
	for (size_t i = 0; i < ops.n; i++) {
		uint64_t own = of[i] == WL_NONE ? WL_NO_U64 : at[of[i]].comm;
		uint64_t *known = &comm[ops.place[i]];

		if (own == WL_NO_U64)
			continue;
		is_mixed[ops.place[i]] |= *known != WL_NO_U64 && *known != own;
		*known = own;
	}
	for (size_t i = 0; i < ops.n; i++) {
		uint32_t place = ops.place[i];

		if (comm[place] == WL_NO_U64 || is_mixed[place] ||
		    (of[i] != WL_NONE && at[of[i]].comm != WL_NO_U64) ||
		    wl_class_of(l->trace, l->given->classes, WL_F_KERNELS, i) != WL_COMM)
			continue;
		if (of[i] == WL_NONE) {
			of[i] = (uint32_t)*n;
			at[(*n)++].bytes = -1;
		}
		at[of[i]].comm = comm[place];
	}
	return true;
}

/* Number of ranks that the calls of one kernel name; 0 if one names none, or if there are too
 * many. */
static uint32_t count_peers(const struct listing *l, const struct span *s)
{
	enum { MOST_CALLS = 1024 };
	const uint64_t *peer = wl_nccl_calls_peer(l->trace);
	int64_t at[MOST_CALLS];
	size_t n = s->hi - s->lo;
	uint32_t n_peers = 0;

	if (!peer || n > MOST_CALLS)
		return 0;
	for (size_t i = 0; i < n; i++) {
		if (peer[l->call[s->lo + i]] > UINT32_MAX)
			return 0;
		at[i] = (int64_t)peer[l->call[s->lo + i]];
	}
	wl_sort_i64(at, n);
	for (size_t i = 0; i < n; i++)
		n_peers += i == 0 || at[i] != at[i - 1];
	return n_peers;
}

/* The payload of the k-th of n kernels of a range. */
static struct wl_payload payload_of(const struct listing *l, const struct span *s, size_t k,
				    size_t n)
{
	const uint64_t *comm = wl_nccl_calls_comm(l->trace), *bytes = wl_nccl_calls_bytes(l->trace);
	size_t n_calls = s->hi - s->lo;
	struct wl_payload p = { WL_NO_U64, -1, 0 };

	if (n_calls == n || n_calls == 1) {
		uint32_t row = l->call[s->lo + (n_calls == 1 ? 0 : k)];

		p.comm = comm[row];
		/* One call with several kernels: how the bytes are divided is not recorded. */
		if (n_calls == n && bytes[row] <= INT64_MAX)
			p.bytes = (int64_t)bytes[row];
		p.n_peers = n == 1 ? count_peers(l, s) : 0;
		return p;
	}
	for (uint32_t i = s->lo; i < s->hi; i++) {
		if (comm[l->call[i]] != comm[l->call[s->lo]])
			return p;
	}
	if (n_calls) {
		p.comm = comm[l->call[s->lo]];
		p.n_peers = n == 1 ? count_peers(l, s) : 0;
	}
	return p;
}

/* The range that launches each kernel, in the order of the kernels; WL_NONE for none. */
static uint32_t *find_ranges(const struct listing *l, const uint32_t *call, const uint32_t *order,
			     size_t n)
{
	const struct wl_trace *t = l->trace;
	uint32_t *range = WL_NEW(l->scratch, uint32_t, n);
	struct wl_nccl_around a;

	if (!range || !wl_nccl_around_init(&a, t, l->ranges, l->scratch))
		return NULL;
	for (size_t i = 0; i < n; i++) {
		uint32_t row = call[order[i]];
		wl_ns start = wl_api_start(t)[row];

		range[i] = wl_nccl_around_find(
			&a, wl_api_thread(t)[row], start,
			start + wl_dur(&t->family[WL_F_API], wl_api_dur(t), row));
	}
	return range;
}

static bool is_comm(const struct listing *l, size_t kernel)
{
	return wl_class_of(l->trace, l->given->classes, WL_F_KERNELS, kernel) == WL_COMM;
}

/* The payloads found for kernels; at has room for all that communicate. */
struct found {
	uint32_t *of; /* by kernel */
	struct wl_payload *at;
	size_t n;
};

static bool begin_found(const struct listing *l, struct wl_arena *arena, struct found *ret)
{
	size_t n = 0, n_rows = l->trace->family[WL_F_KERNELS].n;

	for (size_t i = 0; i < n_rows; i++)
		n += is_comm(l, i);
	*ret = (struct found){ WL_NEW(arena, uint32_t, n_rows), WL_NEW(arena, struct wl_payload, n),
			       0 };
	if (!ret->of || !ret->at)
		return false;
	memset(ret->of, 0xff, n_rows * sizeof(*ret->of)); /* WL_NONE */
	return true;
}

static void put(struct found *f, uint32_t kernel, struct wl_payload payload)
{
	if (f->of[kernel] == WL_NONE)
		f->of[kernel] = (uint32_t)f->n++;
	f->at[f->of[kernel]] = payload;
}

static bool attribute(const struct listing *l, struct found *to)
{
	size_t n;
	uint32_t *order, *range;
	const uint32_t *call;

	if (!wl_calls_find(l->trace, WL_F_KERNELS, l->scratch, &call))
		return false;
	if (!call)
		return true;
	order = order_kernels(l, call, &n);
	range = order ? find_ranges(l, call, order, n) : NULL;
	if (!order || !range)
		return false;
	for (size_t lo = 0, hi; lo < n; lo = hi) {
		for (hi = lo + 1; hi < n && range[hi] == range[lo];)
			hi++;
		for (size_t i = lo; range[lo] != WL_NONE && i < hi; i++)
			put(to, order[i], payload_of(l, &l->span[range[lo]], i - lo, hi - lo));
	}
	return true;
}

/* Fill in from NCCL's list of operations what the calls do not record. */
static bool add_operations(const struct listing *l, struct found *to)
{
	size_t n = 0, n_rows = l->trace->family[WL_F_KERNELS].n;
	uint32_t *kernel = WL_NEW(l->scratch, uint32_t, n_rows);
	const uint32_t *row;

	for (uint32_t i = 0; kernel && i < n_rows; i++) {
		if (is_comm(l, i) && (to->of[i] == WL_NONE || to->at[to->of[i]].comm == WL_NO_U64))
			kernel[n++] = i;
	}
	row = kernel ? wl_nccl_ops_of(l->trace, kernel, n, l->scratch) : NULL;
	for (size_t i = 0; row && i < n; i++) {
		struct wl_nccl_op op;

		if (row[i] == WL_NONE)
			continue;
		op = wl_nccl_op_at(l->trace, row[i]);
		put(to, kernel[i], (struct wl_payload){ op.comm, op.bytes, 0 });
	}
	return row != NULL;
}

WL_LESS(comm_less, uint64_t)

/* List the number of ranks of each communicator whose creation was recorded. */
static bool list_comms(const struct listing *l, struct wl_arena *arena, struct wl_payloads *ret)
{
	const struct wl_trace *t = l->trace;
	const uint64_t *comm = wl_nccl_calls_comm(t), *ranks = wl_nccl_calls_ranks(t);
	size_t n = 0, n_rows = t->family[WL_F_NCCL_CALLS].n;
	uint32_t *order = WL_NEW(l->scratch, uint32_t, 2 * n_rows);
	struct wl_payload *at = WL_NEW(arena, struct wl_payload, n_rows);

	if (!order || !at)
		return false;
	for (uint32_t i = 0; i < n_rows; i++) {
		if (comm[i] != WL_NO_U64 && ranks[i] != WL_NO_U64 && ranks[i] <= UINT32_MAX)
			order[n++] = i;
	}
	wl_sort_index(order, n, order + n, comm_less, comm);
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || comm[order[i]] != at[ret->n_comms - 1].comm)
			at[ret->n_comms++] =
				(struct wl_payload){ comm[order[i]], (int64_t)ranks[order[i]], 0 };
	}
	ret->comm = at;
	return true;
}

static bool find(struct listing *l, bool has_calls, bool has_ops, struct wl_arena *arena,
		 struct wl_payloads *ret)
{
	struct found found;

	l->span = WL_NEW(l->scratch, struct span, l->ranges->n);
	l->call = WL_NEW(l->scratch, uint32_t, l->ranges->n);
	if (!l->span || !l->call || !begin_found(l, arena, &found))
		return false;
	if (has_calls)
		list_spans(l);
	if ((has_calls && (!attribute(l, &found) || !list_comms(l, arena, ret))) ||
	    (has_ops && !add_operations(l, &found)) || !complete(l, found.of, found.at, &found.n))
		return false;
	ret->of_kernel = found.of;
	ret->at = found.at;
	ret->n = found.n;
	return true;
}

bool wl_payloads_find(const struct wl_derived *given, struct wl_arena *arena,
		      struct wl_payloads *ret)
{
	struct listing l = { .given = given, .trace = given->trace, .ranges = given->nccl_ranges };
	bool has_calls = l.trace->family[WL_F_NCCL_CALLS].n && wl_nccl_calls_bytes(l.trace);
	bool has_ops = l.trace->family[WL_F_NCCL_OPS].n && wl_nccl_ops_comm(l.trace);
	struct wl_arena scratch;
	bool ok;

	*ret = (struct wl_payloads){ .n = 0 };
	if (!has_calls && !has_ops)
		return true;
	wl_arena_init_child(&scratch, arena);
	l.scratch = &scratch;
	ok = find(&l, has_calls, has_ops, arena, ret);
	wl_arena_release(&scratch);
	return ok;
}

struct wl_payload wl_payload_of(const struct wl_payloads *p, size_t kernel)
{
	uint32_t i = p->of_kernel ? p->of_kernel[kernel] : WL_NONE;

	return i == WL_NONE ? (struct wl_payload){ WL_NO_U64, -1, 0 } : p->at[i];
}

size_t wl_comm_ranks(const struct wl_payloads *p, uint64_t comm)
{
	size_t i = WL_BELOW_BY(wl_payload, comm, p->comm, p->n_comms, comm);

	return i < p->n_comms && p->comm[i].comm == comm ? (size_t)p->comm[i].bytes : 0;
}
