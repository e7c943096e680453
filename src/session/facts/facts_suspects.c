/* SPDX-License-Identifier: MIT */
#include "session/facts/facts_suspects.h"

#include <string.h>

#include "base/memory/sort.h"
#include "derive/comm/match/matches.h"
#include "derive/graph/late/late_suspects.h"
#include "derive/kinds/classes.h"
#include "facts/file.h"
#include "known/kernels/labels.h"

const uint32_t wl_facts_suspects_tables =
	WL_FACTS_BIT(RANKS) | WL_FACTS_BIT(OPS) | WL_FACTS_BIT(OP_RANK);

struct comparing {
	const struct wl_facts *f;
	const struct wl_matches *m;
	struct wl_arena *arena;
	size_t *first; /* by rank, and once more: its rows of operations */
	size_t n_ranks;
	int64_t *sum, *p50; /* room for those of a group */
};

/* Rows are by rank, then by operation. */
static bool find_rows(struct comparing *c)
{
	size_t row = 0;

	c->first = WL_NEW(c->arena, size_t, c->n_ranks + 1);
	c->sum = WL_NEW(c->arena, int64_t, c->n_ranks + 1);
	c->p50 = WL_NEW(c->arena, int64_t, c->n_ranks + 1);
	for (size_t i = 0; c->first && i <= c->n_ranks; i++) {
		while (row < c->f->n[WL_FACTS_OP_RANK] &&
		       wl_facts_u32(c->f, WL_FACTS_OP_RANK_RANK, row) < i)
			row++;
		c->first[i] = row;
	}
	return c->first && c->sum && c->p50;
}

/* The row of an operation on a rank; WL_NONE. */
static size_t row_of(const struct comparing *c, uint32_t rank, uint32_t op)
{
	size_t lo = c->first[rank], end = c->first[rank + 1], hi = end;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (wl_facts_u32(c->f, WL_FACTS_OP_RANK_OP, mid) < op)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < end && wl_facts_u32(c->f, WL_FACTS_OP_RANK_OP, lo) == op ? lo : WL_NONE;
}

/* What a suspect's operation takes beside the others that run it, and by how much longer in all. */
static wl_ns compare_op(const struct comparing *c, const struct wl_late_suspect *s, size_t row,
			struct wl_late_op *ret)
{
	const struct wl_comm_group *group = &c->m->group[s->group];
	uint32_t op = wl_facts_u32(c->f, WL_FACTS_OP_RANK_OP, row);
	size_t n = 0;

	for (size_t i = 0; i < group->n; i++) {
		uint32_t rank = c->m->member[group->member[i]].device;
		size_t other = group->member[i] == s->member ? WL_NONE : row_of(c, rank, op);

		if (other == WL_NONE)
			continue;
		c->sum[n] = wl_facts_length(c->f, WL_FACTS_OP_RANK_SUM, other);
		c->p50[n++] = wl_facts_length(c->f, WL_FACTS_OP_RANK_P50, other);
	}
	if (n == 0)
		return 0;
	*ret = (struct wl_late_op){ wl_facts_str(c->f, WL_FACTS_OPS_NAME, op),
				    wl_facts_length(c->f, WL_FACTS_OP_RANK_P50, row),
				    wl_select_i64(c->p50, n, wl_rank(n, 50)) };
	return wl_facts_length(c->f, WL_FACTS_OP_RANK_SUM, row) -
	       wl_select_i64(c->sum, n, wl_rank(n, 50));
}

/* Communication is longer where others are late. */
static bool is_compute(const struct comparing *c, size_t row)
{
	uint32_t op = wl_facts_u32(c->f, WL_FACTS_OP_RANK_OP, row);

	return strcmp(wl_facts_str(c->f, WL_FACTS_OPS_CLASS, op), wl_class_name(WL_COMPUTE)) == 0;
}

/* As screens call kernels; copies, which outlive the facts. False without memory. */
static bool name_ops(const struct comparing *c, struct wl_late_suspect *s)
{
	const char *label[WL_COUNT(s->op)];
	size_t n = 0;

	for (; n < WL_COUNT(s->op) && s->op[n].name; n++)
		label[n] = s->op[n].name;
	if (!wl_kernel_labels(label, n, c->arena, label))
		return false;
	for (size_t i = 0; i < n; i++) {
		s->op[i].name = wl_arena_strdup(c->arena, label[i]);
		if (!s->op[i].name)
			return false;
	}
	return true;
}

static bool compare(const struct comparing *c, struct wl_late_suspect *s)
{
	uint32_t rank = c->m->member[s->member].device;
	wl_ns most[2] = { 0, 0 };

	for (size_t row = c->first[rank]; row < c->first[rank + 1]; row++) {
		struct wl_late_op op = { .name = NULL };
		wl_ns excess = is_compute(c, row) ? compare_op(c, s, row, &op) : 0;

		if (excess > most[0]) {
			most[1] = most[0];
			s->op[1] = s->op[0];
			most[0] = excess;
			s->op[0] = op;
		} else if (excess > most[1]) {
			most[1] = excess;
			s->op[1] = op;
		}
	}
	return name_ops(c, s);
}

bool wl_facts_suspects_compare(const struct wl_facts *facts, const struct wl_matches *matches,
			       struct wl_late_suspects *suspects, struct wl_arena *arena)
{
	struct comparing c = {
		.f = facts, .m = matches, .arena = arena, .n_ranks = facts->n[WL_FACTS_RANKS]
	};

	if (!find_rows(&c))
		return false;
	for (size_t i = 0; i < suspects->n; i++) {
		if (!compare(&c, &suspects->at[i]))
			return false;
	}
	return true;
}
