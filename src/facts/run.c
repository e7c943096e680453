/* SPDX-License-Identifier: MIT */
#include "facts/run.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/file/sha256.h"
#include "base/memory/arena.h"
#include "base/memory/sort.h"

/* 128 bits of a hash are enough to distinguish runs. */
enum { ID_DIGITS = 32, FORMAT = 3 };

static void put_sum(struct wl_sha256 *sum, const char *text)
{
	wl_sha256_put(sum, text, strlen(text) + 1);
}

/* NUL after ID_DIGITS. */
static void finish(struct wl_sha256 *sum, char ret[WL_SHA256_HEX])
{
	wl_sha256_finish(sum, ret);
	ret[ID_DIGITS] = '\0';
}

/* A number has at most 19 digits and a sign. */
static void put_sum_number(struct wl_sha256 *sum, int64_t v)
{
	char text[24];

	(void)snprintf(text, sizeof(text), "%" PRId64, v);
	put_sum(sum, text);
}

/* Ranks are in order of their numbers: the first row has the lowest. */
static void put_ids(struct wl_facts *facts)
{
	char id[WL_SHA256_HEX];
	struct wl_sha256 sum;

	wl_sha256_init(&sum);
	put_sum(&sum, wl_facts_str(facts, WL_FACTS_RANKS_JOB, 0));
	put_sum_number(&sum, wl_facts_i64(facts, WL_FACTS_RANKS_START, 0));
	finish(&sum, id);
	wl_facts_put_str(facts, WL_FACTS_RUNS_RUN_ID, id);
	wl_sha256_init(&sum);
	put_sum_number(&sum, FORMAT);
	/* Rows of one trace need not be adjacent: every row is hashed. */
	for (size_t i = 0; i < facts->n[WL_FACTS_RANKS]; i++)
		put_sum(&sum, wl_facts_str(facts, WL_FACTS_RANKS_PART, i));
	finish(&sum, id);
	wl_facts_put_str(facts, WL_FACTS_RUNS_VERSION, id);
}

/* Copy the values that the run takes from its first rank. */
static void put_keys(struct wl_facts *facts)
{
	static const struct {
		enum wl_facts_column_id to, from;
	} texts[] = {
		{ WL_FACTS_RUNS_PROJECT, WL_FACTS_RANKS_PROJECT },
		{ WL_FACTS_RUNS_BRANCH, WL_FACTS_RANKS_BRANCH },
		{ WL_FACTS_RUNS_SHA, WL_FACTS_RANKS_SHA },
		{ WL_FACTS_RUNS_CONFIG, WL_FACTS_RANKS_CONFIG },
		{ WL_FACTS_RUNS_JOB, WL_FACTS_RANKS_JOB },
		{ WL_FACTS_RUNS_GPU, WL_FACTS_RANKS_GPU },
		{ WL_FACTS_RUNS_NSYS, WL_FACTS_RANKS_NSYS },
		{ WL_FACTS_RUNS_PROGRAM, WL_FACTS_RANKS_PROGRAM },
	};
	size_t n = facts->n[WL_FACTS_RANKS];
	uint32_t world = wl_facts_u32(facts, WL_FACTS_RANKS_WORLD, 0);

	for (size_t i = 0; i < WL_COUNT(texts); i++)
		wl_facts_put_u64(facts, texts[i].to, wl_facts_u32(facts, texts[i].from, 0));
	wl_facts_put(facts, WL_FACTS_RUNS_BEGIN, wl_facts_i64(facts, WL_FACTS_RANKS_START, 0));
	wl_facts_put_u64(facts, WL_FACTS_RUNS_DEFINITIONS,
			 wl_facts_u32(facts, WL_FACTS_RANKS_DEFINITIONS, 0));
	wl_facts_put_u64(facts, WL_FACTS_RUNS_RANKS, n);
	wl_facts_put_u64(facts, WL_FACTS_RUNS_WORLD, world == WL_NONE ? n : world);
}

static bool put_steps(struct wl_facts *facts, struct wl_arena *scratch)
{
	const uint32_t *step = wl_facts_column(facts, WL_FACTS_STEPS_STEP);
	const int64_t *period = wl_facts_column(facts, WL_FACTS_STEPS_PERIOD);
	size_t n_rows = facts->n[WL_FACTS_STEPS], n_steps = 0, n = 0;
	uint32_t last = 0;
	int64_t *longest;

	for (size_t i = 0; i < n_rows; i++)
		last = step[i] > last ? step[i] : last;
	/* Each rank counts steps from 0: a step number not below the number of rows is bogus. */
	n_steps = n_rows && last < n_rows ? (size_t)last + 1 : 0;
	longest = WL_NEW(scratch, int64_t, n_steps + 1);
	if (!longest)
		return false;
	for (size_t i = 0; n_steps && i < n_rows; i++)
		if (period[i] > longest[step[i]])
			longest[step[i]] = period[i];
	for (size_t i = 0; i < n_steps; i++)
		if (longest[i] > 0)
			longest[n++] = longest[i];
	wl_facts_put_u64(facts, WL_FACTS_RUNS_STEPS, n_steps);
	if (n)
		wl_facts_put(facts, WL_FACTS_RUNS_STEP_P50,
			     wl_select_i64(longest, n, wl_rank(n, 50)));
	return true;
}

/* The columns of op_work that the sweep needs. */
struct work {
	const uint32_t *rank, *step, *op, *calls;
	const int64_t *sum;
};

static bool is_of_same(const struct work *w, uint32_t a, uint32_t b)
{
	return w->step[a] == w->step[b] && w->op[a] == w->op[b];
}

/* Put one row of op_step: rows[0..n) have the same step and operation, one row per rank. */
static void put_op_step(struct wl_facts *facts, const struct work *w, const uint32_t *rows,
			size_t n, int64_t *sums)
{
	uint32_t min = rows[0], max = rows[0];
	uint64_t calls = 0;
	int64_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		const uint32_t row = rows[i];

		min = w->sum[row] < w->sum[min] ? row : min;
		max = w->sum[row] > w->sum[max] ? row : max;
		calls += w->calls[row];
		/* Files are untrusted: the sum may overflow. */
		sum = (int64_t)((uint64_t)sum + (uint64_t)w->sum[row]);
		sums[i] = w->sum[row];
	}
	wl_facts_row(facts, WL_FACTS_OP_STEP);
	wl_facts_put_u64(facts, WL_FACTS_OP_STEP_STEP, w->step[rows[0]]);
	wl_facts_put_u64(facts, WL_FACTS_OP_STEP_OP, w->op[rows[0]]);
	wl_facts_put_u64(facts, WL_FACTS_OP_STEP_RANKS, n);
	wl_facts_put_u64(facts, WL_FACTS_OP_STEP_CALLS, calls);
	wl_facts_put(facts, WL_FACTS_OP_STEP_SUM, sum);
	wl_facts_put_u64(facts, WL_FACTS_OP_STEP_MIN_RANK, w->rank[min]);
	wl_facts_put_u64(facts, WL_FACTS_OP_STEP_MAX_RANK, w->rank[max]);
	wl_facts_put(facts, WL_FACTS_OP_STEP_MIN, w->sum[min]);
	wl_facts_put(facts, WL_FACTS_OP_STEP_MAX, w->sum[max]);
	wl_facts_put(facts, WL_FACTS_OP_STEP_P50, wl_select_i64(sums, n, wl_rank(n, 50)));
}

static bool put_op_steps(struct wl_facts *facts, struct wl_arena *scratch)
{
	const struct work w = { .rank = wl_facts_column(facts, WL_FACTS_OP_WORK_RANK),
				.step = wl_facts_column(facts, WL_FACTS_OP_WORK_STEP),
				.op = wl_facts_column(facts, WL_FACTS_OP_WORK_OP),
				.calls = wl_facts_column(facts, WL_FACTS_OP_WORK_CALLS),
				.sum = wl_facts_column(facts, WL_FACTS_OP_WORK_SUM) };
	size_t n = facts->n[WL_FACTS_OP_WORK];
	uint32_t *order = WL_NEW(scratch, uint32_t, n + 1);
	uint32_t *tmp = WL_NEW(scratch, uint32_t, n + 1);
	int64_t *sums = WL_NEW(scratch, int64_t, n + 1);

	if (!order || !tmp || !sums)
		return false;
	for (size_t i = 0; i < n; i++)
		order[i] = (uint32_t)i;
	wl_sort_by_u32(order, n, tmp, w.op);
	wl_sort_by_u32(order, n, tmp, w.step);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && is_of_same(&w, order[i], order[end]); end++)
			;
		put_op_step(facts, &w, order + i, end - i, sums);
	}
	return true;
}

bool wl_facts_make_run(struct wl_facts *facts)
{
	struct wl_arena scratch;
	bool ok;

	wl_arena_init_on(&scratch, facts->budget);
	wl_facts_row(facts, WL_FACTS_RUNS);
	put_ids(facts);
	put_keys(facts);
	ok = put_steps(facts, &scratch) && put_op_steps(facts, &scratch) && !facts->failed;
	wl_arena_release(&scratch);
	return ok;
}
