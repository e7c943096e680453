/* SPDX-License-Identifier: MIT */
/*
 * reduce_facts.c - one question about the operations of a job: reduce_facts FILE [ROWS]
 *
 * Of each operation the sum over ranks and steps, and the rank with the largest sum: the straggler.
 * Prints a line per operation, in the order of their ids, and on standard error the CPU seconds of
 * reading the file and of the loop alone, which no engine can undercut. With ROWS it writes the
 * rows that it reduced there, as ClickHouse's RowBinary: rank UInt32, step UInt32, op UInt64,
 * calls UInt32, sum Int64.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "facts/file.h"

enum { ROW_BYTES = 28 };

static double cpu_seconds(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Sums by rank and operation: an array of ranks for each operation. */
static void reduce(const struct wl_facts *f, int64_t *sums)
{
	const uint32_t *rank = wl_facts_column(f, WL_FACTS_OP_WORK_RANK);
	const uint32_t *op = wl_facts_column(f, WL_FACTS_OP_WORK_OP);
	const int64_t *ns = wl_facts_column(f, WL_FACTS_OP_WORK_SUM);
	size_t n_ops = f->n[WL_FACTS_OPS];

	for (size_t i = 0; i < f->n[WL_FACTS_OP_WORK]; i++)
		sums[rank[i] * n_ops + op[i]] += ns[i];
}

static void print_op(const struct wl_facts *f, const int64_t *sums, uint32_t op)
{
	size_t n_ops = f->n[WL_FACTS_OPS];
	int64_t total = 0;
	uint32_t slowest = 0;

	for (uint32_t r = 0; r < f->n[WL_FACTS_RANKS]; r++) {
		total += sums[r * n_ops + op];
		if (sums[r * n_ops + op] > sums[slowest * n_ops + op])
			slowest = r;
	}
	(void)printf("%" PRIu64 "\t%" PRId64 "\t%" PRIu32 "\n",
		     wl_facts_u64(f, WL_FACTS_OPS_OP, op), total, wl_facts_rank_number(f, slowest));
}

static unsigned char *put(unsigned char *at, uint64_t v, int bytes)
{
	for (int i = 0; i < bytes; i++)
		*at++ = (unsigned char)(v >> 8 * i);
	return at;
}

static bool write_rows(const struct wl_facts *f, const char *path)
{
	FILE *out = fopen(path, "wb");
	bool ok = out != NULL;

	for (size_t i = 0; ok && i < f->n[WL_FACTS_OP_WORK]; i++) {
		uint32_t rank = wl_facts_u32(f, WL_FACTS_OP_WORK_RANK, i);
		uint32_t op = wl_facts_u32(f, WL_FACTS_OP_WORK_OP, i);
		unsigned char row[ROW_BYTES], *at = row;

		at = put(at, wl_facts_rank_number(f, rank), 4);
		at = put(at, wl_facts_u32(f, WL_FACTS_OP_WORK_STEP, i), 4);
		at = put(at, wl_facts_u64(f, WL_FACTS_OPS_OP, op), 8);
		at = put(at, wl_facts_u32(f, WL_FACTS_OP_WORK_CALLS, i), 4);
		(void)put(at, (uint64_t)wl_facts_i64(f, WL_FACTS_OP_WORK_SUM, i), 8);
		ok = fwrite(row, sizeof(row), 1, out) == 1;
	}
	return out && fclose(out) == 0 && ok;
}

int main(int argc, char **argv)
{
	struct wl_budget budget = { .limit = 0 };
	double begin = cpu_seconds(), read, reduced;
	struct wl_facts f;
	struct wl_err err;
	int64_t *sums;

	if (argc != 2 && argc != 3) {
		(void)fputs("usage: reduce_facts FILE [ROWS]\n", stderr);
		return 2;
	}
	if (wl_facts_read(argv[1], WL_FACTS_ALL, &budget, &f, &err) < 0) {
		(void)fprintf(stderr, "%s\n", err.msg);
		return 1;
	}
	read = cpu_seconds();
	sums = calloc(f.n[WL_FACTS_RANKS] * f.n[WL_FACTS_OPS] + 1, sizeof(*sums));
	if (!sums)
		return 1;
	reduce(&f, sums);
	reduced = cpu_seconds();
	for (uint32_t op = 0; op < f.n[WL_FACTS_OPS]; op++)
		print_op(&f, sums, op);
	(void)fprintf(stderr, "rows %zu, read %.4f, reduce %.4f CPU seconds\n",
		      f.n[WL_FACTS_OP_WORK], read - begin, reduced - read);
	free(sums);
	if (argc == 3 && !write_rows(&f, argv[2])) {
		(void)fprintf(stderr, "%s: cannot be written\n", argv[2]);
		return 1;
	}
	wl_facts_release(&f);
	return 0;
}
