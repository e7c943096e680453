/* SPDX-License-Identifier: MIT */
#include "derive/comm/payload_ops.h"

#include <string.h>

#include "base/memory/sort.h"

/* Bytes per element of an NCCL type, given its name without the prefix; 0 for others. */
static uint64_t size_of(const char *type)
{
	static const struct {
		const char *name;
		uint64_t size;
	} known[] = {
		{ "int8", 1 },       { "char", 1 },  { "uint8", 1 },   { "float8e4m3", 1 },
		{ "float8e5m2", 1 }, { "half", 2 },  { "float16", 2 }, { "bfloat16", 2 },
		{ "int32", 4 },      { "int", 4 },   { "uint32", 4 },  { "float", 4 },
		{ "float32", 4 },    { "int64", 8 }, { "uint64", 8 },  { "double", 8 },
		{ "float64", 8 },
	};

	if (strncasecmp(type, "nccl", 4) == 0)
		type += 4;
	for (size_t i = 0; i < WL_COUNT(known); i++) {
		if (strcasecmp(type, known[i].name) == 0)
			return known[i].size;
	}
	return 0;
}

struct wl_nccl_op wl_nccl_op_at(const struct wl_trace *t, size_t row)
{
	uint32_t type = wl_nccl_ops_type(t)[row];
	uint64_t count = wl_nccl_ops_count(t)[row], size;
	struct wl_nccl_op op = { wl_nccl_ops_comm(t)[row], -1 };

	size = type == WL_NONE ? 0 : size_of(wl_str(t, type));
	if (size && count != WL_NO_U64 && count <= INT64_MAX / size)
		op.bytes = (int64_t)(count * size);
	return op;
}

struct starts {
	const wl_ns *at;
};

static bool starts_before(const void *ctx, uint32_t a, uint32_t b)
{
	const struct starts *s = ctx;

	return s->at[a] < s->at[b];
}

/* A merge of kernels by start with rows by start. */
struct joining {
	const struct wl_trace *trace;
	struct wl_ops ops;
	const uint32_t *kernel;       /* kernels of the list */
	const uint32_t *order, *rows; /* indices into the list, and rows; both by start */
	uint32_t *of;
};

static wl_ns start_of(const struct joining *j, size_t i)
{
	return j->ops.start[j->kernel[j->order[i]]];
}

static wl_ns end_of(const struct joining *j, size_t i)
{
	return start_of(j, i) + wl_dur(j->ops.family, j->ops.dur, j->kernel[j->order[i]]);
}

/* Assigns a row to one of the kernels that start with it and have no row yet: the first that also
 * ends with it, else the first. */
static void give(const struct joining *j, size_t lo, size_t hi, uint32_t row)
{
	size_t best = hi;

	for (size_t i = lo; i < hi; i++) {
		if (j->of[j->order[i]] != WL_NONE)
			continue;
		if (end_of(j, i) == wl_nccl_ops_end(j->trace)[row]) {
			best = i;
			break;
		}
		best = best == hi ? i : best;
	}
	if (best < hi)
		j->of[j->order[best]] = row;
}

static void join(const struct joining *j, size_t n, size_t n_rows)
{
	const wl_ns *start = wl_nccl_ops_start(j->trace);
	size_t row = 0;

	for (size_t lo = 0, hi; lo < n; lo = hi) {
		for (hi = lo + 1; hi < n && start_of(j, hi) == start_of(j, lo);)
			hi++;
		while (row < n_rows && start[j->rows[row]] < start_of(j, lo))
			row++;
		for (; row < n_rows && start[j->rows[row]] == start_of(j, lo); row++)
			give(j, lo, hi, j->rows[row]);
	}
}

static uint32_t *order_by(const wl_ns *start, size_t n, struct wl_arena *arena)
{
	uint32_t *order = WL_NEW(arena, uint32_t, 2 * n);

	if (order)
		wl_sort_all(order, n, starts_before, &(struct starts){ start });
	return order;
}

const uint32_t *wl_nccl_ops_of(const struct wl_trace *t, const uint32_t *kernel, size_t n,
			       struct wl_arena *arena)
{
	size_t n_rows = t->family[WL_F_NCCL_OPS].n;
	wl_ns *start = WL_NEW(arena, wl_ns, n);
	struct joining j = { .trace = t,
			     .ops = wl_trace_ops(t, WL_F_KERNELS),
			     .kernel = kernel,
			     .of = WL_NEW(arena, uint32_t, n) };

	for (size_t i = 0; start && i < n; i++)
		start[i] = j.ops.start[kernel[i]];
	j.order = start ? order_by(start, n, arena) : NULL;
	j.rows = order_by(wl_nccl_ops_start(t), n_rows, arena);
	if (!j.of || !j.order || !j.rows)
		return NULL;
	for (size_t i = 0; i < n; i++)
		j.of[i] = WL_NONE;
	join(&j, n, n_rows);
	return j.of;
}
