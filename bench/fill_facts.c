/* SPDX-License-Identifier: MIT */
/*
 * fill_facts.c - writes the facts of a made-up job: fill_facts RANKS STEPS OPS FILES OUT
 *
 * Each step has OPS operations and OPS / 6 all-reduces of all ranks; rank 3 is 6% slow, and the
 * ranks of the second node by 2%. Ranks leave an all-reduce within EARLY_NS, and the clocks of
 * nodes differ by up to SKEW_NS. FILES 1 writes one merged file OUT, more of them that many into
 * the directory OUT.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "facts/file.h"
#include "facts/merge.h"

enum { PER_NODE = 8, KERNEL_NS = 100000, COLLECTIVE_NS = 20000, EARLY_NS = 500, SKEW_NS = 2000000 };

struct job {
	uint32_t ranks, steps, ops;
};

static uint64_t mix(uint64_t z)
{
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* How long the kernels of an operation take in a step, without those that wait. */
static int64_t work(uint32_t rank, uint32_t step, uint32_t op)
{
	int64_t ns = KERNEL_NS + (int64_t)op * 1000;

	ns += (int64_t)(mix(rank + 1000003ULL * step + 7919ULL * op) % 1000);
	if (rank == 3)
		ns += ns * 6 / 100;
	if (rank / PER_NODE == 1)
		ns += ns * 2 / 100;
	return ns;
}

/* What the clock of a rank's node is ahead. */
static int64_t skew(uint32_t rank)
{
	return (int64_t)(mix(rank / PER_NODE + 1) % SKEW_NS);
}

/* When a rank leaves a collective. */
static int64_t leave(uint32_t rank, uint32_t seq, int64_t end)
{
	return end - (int64_t)(mix(rank + 15485863ULL * seq) % EARLY_NS) + skew(rank);
}

static void put_rank(struct wl_facts *f, const struct job *j, uint32_t rank, int64_t length)
{
	char host[32];

	(void)snprintf(host, sizeof(host), "node%05" PRIu32, rank / PER_NODE);
	wl_facts_row(f, WL_FACTS_RANKS);
	wl_facts_put(f, WL_FACTS_RANKS_NUMBER, rank);
	wl_facts_put_str(f, WL_FACTS_RANKS_HOST, host);
	wl_facts_put(f, WL_FACTS_RANKS_DEVICE, rank % PER_NODE);
	wl_facts_put(f, WL_FACTS_RANKS_PID, 70000 + rank % PER_NODE);
	wl_facts_put(f, WL_FACTS_RANKS_WORLD, j->ranks);
	wl_facts_put_str(f, WL_FACTS_RANKS_JOB, "SLURM_JOB_ID 1");
	wl_facts_put(f, WL_FACTS_RANKS_START, INT64_C(1700000000000000000));
	wl_facts_put_str(f, WL_FACTS_RANKS_GPU, "NVIDIA H100");
	wl_facts_put(f, WL_FACTS_RANKS_BEGIN, skew(rank));
	wl_facts_put(f, WL_FACTS_RANKS_END, skew(rank) + length);
	wl_facts_put(f, WL_FACTS_RANKS_COMPUTE, 0);
	wl_facts_put(f, WL_FACTS_RANKS_EXPOSED_COMM, 0);
	wl_facts_put(f, WL_FACTS_RANKS_EXPOSED_COPY, 0);
	wl_facts_put(f, WL_FACTS_RANKS_IDLE, 0);
}

static void put_ops(struct wl_facts *f, const struct job *j)
{
	for (uint32_t op = 0; op < j->ops; op++) {
		char name[64];

		(void)snprintf(name, sizeof(name), "kernel_%" PRIu32, op);
		wl_facts_row(f, WL_FACTS_OPS);
		wl_facts_put_u64(f, WL_FACTS_OPS_OP, mix(op + 1));
		wl_facts_put_str(f, WL_FACTS_OPS_CLASS, "compute");
		wl_facts_put_str(f, WL_FACTS_OPS_NAME, name);
	}
}

static void put_arrival(struct wl_facts *f, uint32_t row, uint32_t seq, int64_t begin, int64_t end)
{
	wl_facts_row(f, WL_FACTS_ARRIVALS);
	wl_facts_put(f, WL_FACTS_ARRIVALS_RANK, row);
	wl_facts_put_u64(f, WL_FACTS_ARRIVALS_COMM, 42);
	wl_facts_put_str(f, WL_FACTS_ARRIVALS_ROLE, "comm");
	wl_facts_put(f, WL_FACTS_ARRIVALS_STREAM, 0);
	wl_facts_put_str(f, WL_FACTS_ARRIVALS_TYPE, "allreduce");
	wl_facts_put(f, WL_FACTS_ARRIVALS_SEQ, seq);
	wl_facts_put(f, WL_FACTS_ARRIVALS_BEGIN, begin);
	wl_facts_put(f, WL_FACTS_ARRIVALS_DUR, end - begin);
	wl_facts_row(f, WL_FACTS_EXPOSED);
	wl_facts_put(f, WL_FACTS_EXPOSED_RANK, row);
	wl_facts_put(f, WL_FACTS_EXPOSED_BEGIN, begin);
	wl_facts_put(f, WL_FACTS_EXPOSED_DUR, end - begin);
}

/* When each collective ends: COLLECTIVE_NS after the last rank arrived, by collective. */
static int64_t *find_ends(const struct job *j, size_t n)
{
	int64_t *end = calloc(n + 1, sizeof(*end));
	int64_t *at = calloc(j->ranks, sizeof(*at));

	for (size_t c = 0; end && at && c < n; c++) {
		size_t step = c / (j->ops / 6), first = c % (j->ops / 6) * 6;
		int64_t last = 0;

		for (uint32_t r = 0; r < j->ranks; r++) {
			for (uint32_t k = 0; k < 6; k++)
				at[r] += work(r, (uint32_t)step, (uint32_t)first + k);
			last = at[r] > last ? at[r] : last;
		}
		end[c] = last + COLLECTIVE_NS;
		for (uint32_t r = 0; r < j->ranks; r++)
			at[r] = end[c];
	}
	free(at);
	return end;
}

/* What the trace of a rank has: a loss in each step, and one at the start. */
static void put_findings(struct wl_facts *f, const struct job *j, uint32_t rank)
{
	static const char *const code[] = { "host-starved", "start-up" };

	for (uint32_t i = 0; i < 2; i++) {
		int64_t saving = 1000 + (int64_t)(mix(rank) % 100000);

		wl_facts_row(f, WL_FACTS_FINDINGS);
		wl_facts_put(f, WL_FACTS_FINDINGS_PLACE, 2 * rank + i);
		wl_facts_put_str(f, WL_FACTS_FINDINGS_CODE, code[i]);
		wl_facts_put_str(f, WL_FACTS_FINDINGS_PER, i ? "window" : "step");
		wl_facts_put(f, WL_FACTS_FINDINGS_DEVICE, rank % PER_NODE);
		wl_facts_put(f, WL_FACTS_FINDINGS_SAVING, saving);
		saving *= i ? 1 : j->steps - 1;
		wl_facts_put(f, WL_FACTS_FINDINGS_GPU_TIME, saving);
		wl_facts_put(f, WL_FACTS_FINDINGS_CLAIMED, saving);
	}
}

static void put_exposed(struct wl_facts *f, uint32_t row, uint32_t step, const int64_t ns[2])
{
	static const char *const stage[] = { "forward", "backward" };

	for (uint32_t i = 0; i < 2; i++) {
		wl_facts_row(f, WL_FACTS_EXPOSED_IN);
		wl_facts_put(f, WL_FACTS_EXPOSED_IN_RANK, row);
		wl_facts_put(f, WL_FACTS_EXPOSED_IN_STEP, step);
		wl_facts_put(f, WL_FACTS_EXPOSED_IN_PLACE, 2 * step + i);
		wl_facts_put_str(f, WL_FACTS_EXPOSED_IN_STAGE, stage[i]);
		wl_facts_put_str(f, WL_FACTS_EXPOSED_IN_TYPE, "AllReduce");
		wl_facts_put(f, WL_FACTS_EXPOSED_IN_NS, ns[i]);
	}
}

static void put_work(struct wl_facts *f, const struct job *j, uint32_t row, uint32_t rank,
		     const int64_t *end)
{
	uint32_t per_step = j->ops / 6, seq = 0;
	int64_t at = skew(rank);

	for (uint32_t step = 0; step < j->steps; step++) {
		int64_t begin = at, compute = 0, exposed = 0, in[2] = { 0, 0 };

		for (uint32_t c = 0; c < per_step; c++, seq++) {
			for (uint32_t k = 0; k < 6; k++) {
				int64_t ns = work(rank, step, c * 6 + k);

				wl_facts_row(f, WL_FACTS_OP_WORK);
				wl_facts_put(f, WL_FACTS_OP_WORK_RANK, row);
				wl_facts_put(f, WL_FACTS_OP_WORK_OP, c * 6 + k);
				wl_facts_put(f, WL_FACTS_OP_WORK_STEP, step);
				wl_facts_put(f, WL_FACTS_OP_WORK_CALLS, 1);
				wl_facts_put(f, WL_FACTS_OP_WORK_SUM, ns);
				compute += ns;
				at += ns;
			}
			put_arrival(f, row, seq, at, leave(rank, seq, end[seq]));
			exposed += leave(rank, seq, end[seq]) - at;
			in[2 * c >= per_step] += leave(rank, seq, end[seq]) - at;
			at = leave(rank, seq, end[seq]);
		}
		put_exposed(f, row, step, in);
		wl_facts_row(f, WL_FACTS_STEPS);
		wl_facts_put(f, WL_FACTS_STEPS_RANK, row);
		wl_facts_put(f, WL_FACTS_STEPS_STEP, step);
		wl_facts_put(f, WL_FACTS_STEPS_BEGIN, begin);
		wl_facts_put(f, WL_FACTS_STEPS_PERIOD, at - begin);
		wl_facts_put(f, WL_FACTS_STEPS_LENGTH, at - begin);
		wl_facts_put(f, WL_FACTS_STEPS_COMPUTE, compute);
		wl_facts_put(f, WL_FACTS_STEPS_EXPOSED_COMM, exposed);
		wl_facts_put(f, WL_FACTS_STEPS_EXPOSED_COPY, 0);
		wl_facts_put(f, WL_FACTS_STEPS_IDLE, 0);
		((int64_t *)f->column[WL_FACTS_RANKS_COMPUTE].data)[row] += compute;
		((int64_t *)f->column[WL_FACTS_RANKS_EXPOSED_COMM].data)[row] += exposed;
	}
}

/* Each operation of a rank over its window: the sums of its steps. */
static void put_totals(struct wl_facts *f, const struct job *j, uint32_t row, uint32_t rank)
{
	for (uint32_t op = 0; op < j->ops; op++) {
		int64_t sum = 0, min = INT64_MAX, max = 0;

		for (uint32_t step = 0; step < j->steps; step++) {
			int64_t ns = work(rank, step, op);

			sum += ns;
			min = ns < min ? ns : min;
			max = ns > max ? ns : max;
		}
		wl_facts_row(f, WL_FACTS_OP_RANK);
		wl_facts_put(f, WL_FACTS_OP_RANK_RANK, row);
		wl_facts_put(f, WL_FACTS_OP_RANK_OP, op);
		wl_facts_put_u64(f, WL_FACTS_OP_RANK_CALLS, j->steps);
		wl_facts_put(f, WL_FACTS_OP_RANK_SUM, sum);
		wl_facts_put(f, WL_FACTS_OP_RANK_MIN, min);
		wl_facts_put(f, WL_FACTS_OP_RANK_P50, (min + max) / 2);
		wl_facts_put(f, WL_FACTS_OP_RANK_P99, max);
		wl_facts_put(f, WL_FACTS_OP_RANK_MAX, max);
	}
}

int main(int argc, char **argv)
{
	struct wl_budget budget = { .limit = 0 };
	struct job j;
	uint32_t files;
	int64_t *end;
	size_t n;

	if (argc != 6) {
		(void)fputs("usage: fill_facts RANKS STEPS OPS FILES OUT\n", stderr);
		return 2;
	}
	j.ranks = (uint32_t)strtoul(argv[1], NULL, 10);
	j.steps = (uint32_t)strtoul(argv[2], NULL, 10);
	j.ops = (uint32_t)strtoul(argv[3], NULL, 10);
	files = (uint32_t)strtoul(argv[4], NULL, 10);
	if (!j.ranks || !j.steps || j.ops < 6 || j.ops % 6 || !files || j.ranks % files)
		return 2;
	n = (size_t)j.steps * (j.ops / 6);
	end = find_ends(&j, n);
	for (uint32_t i = 0; end && i < files; i++) {
		uint32_t per_file = j.ranks / files;
		struct wl_facts f;
		struct wl_err err;
		char path[4096];

		wl_facts_init(&f, &budget);
		for (uint32_t k = 0; k < per_file; k++)
			put_rank(&f, &j, i * per_file + k, end[n - 1]);
		put_ops(&f, &j);
		for (uint32_t k = 0; k < per_file; k++) {
			put_work(&f, &j, k, i * per_file + k, end);
			put_totals(&f, &j, k, i * per_file + k);
			put_findings(&f, &j, i * per_file + k);
		}
		(void)snprintf(path, sizeof(path),
			       files > 1 ? "%s/rank%05" PRIu32 ".wlfacts" : "%s", argv[5], i);
		if (!wl_facts_name(&f) || wl_facts_write(&f, path, &err) < 0) {
			(void)fprintf(stderr, "%s: %s\n", path, err.msg);
			return 1;
		}
		wl_facts_release(&f);
	}
	free(end);
	return end ? 0 : 1;
}
