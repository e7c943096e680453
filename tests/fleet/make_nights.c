/* SPDX-License-Identifier: MIT */
/*
 * make_nights.c - facts of nightly runs, with changes that are planted.
 *
 *   make_nights DIR NIGHTS RANKS STEPS SEED[:NOISE] [at-once] [NIGHT:OP:LONGER[:CALLS]]...
 *
 * Writes DIR/night-NNN/RANK.wlfacts, a file per rank. Two ranks share a host; four operations, of
 * which all_reduce communicates. Each night has 2% of noise, or NOISE as a ratio. From NIGHT on OP
 * takes LONGER times as long, or has CALLS times as many calls. at-once: nights begin together.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file/file.h"
#include "facts/file.h"
#include "support/normal.h"

enum { OPS = 4, MOST = 8, COMM = 3 };

static const char *const op_name[OPS] = { "gemm", "attention", "norm", "all_reduce" };
static const int64_t op_ns[OPS] = { 20000000, 12000000, 6000000, 8000000 };

struct planted {
	long night, op;
	double longer, calls;
};

struct night {
	long number, n_nights;
	int64_t today; /* seconds since 1970 */
	uint32_t n_ranks, n_steps;
	double clock;
	struct planted planted[MOST];
	int n_planted;
	bool at_once; /* all begin at the same time */
	uint64_t *seed;
};

static void put_rank(struct wl_facts *f, const struct night *n, uint32_t rank)
{
	char host[32], job[32];

	(void)snprintf(host, sizeof(host), "node%u", rank / 2);
	(void)snprintf(job, sizeof(job), "job-%ld", n->number);
	wl_facts_row(f, WL_FACTS_RANKS);
	wl_facts_put(f, WL_FACTS_RANKS_NUMBER, rank);
	wl_facts_put_str(f, WL_FACTS_RANKS_HOST, host);
	wl_facts_put(f, WL_FACTS_RANKS_DEVICE, rank % 2);
	wl_facts_put(f, WL_FACTS_RANKS_PID, 100 + rank);
	wl_facts_put(f, WL_FACTS_RANKS_WORLD, n->n_ranks);
	wl_facts_put_str(f, WL_FACTS_RANKS_JOB, job);
	/* The last one is today: servers remove what is old. */
	wl_facts_put(f, WL_FACTS_RANKS_START,
		     (n->today + ((n->at_once ? 0 : n->number) - n->n_nights) * 86400) *
			     1000000000);
	wl_facts_put_str(f, WL_FACTS_RANKS_GPU, "NVIDIA H100");
	wl_facts_put_str(f, WL_FACTS_RANKS_PROJECT, "llm");
	wl_facts_put_str(f, WL_FACTS_RANKS_BRANCH, "main");
	wl_facts_put_str(f, WL_FACTS_RANKS_CONFIG, "nightly");
	(void)snprintf(job, sizeof(job), "c0ffee%02ld", n->number);
	wl_facts_put_str(f, WL_FACTS_RANKS_SHA, job);
	wl_facts_put(f, WL_FACTS_RANKS_DEFINITIONS, 3);
}

static void put_op(struct wl_facts *f, uint32_t step, uint32_t op, int64_t calls, int64_t ns)
{
	wl_facts_row(f, WL_FACTS_OP_WORK);
	wl_facts_put(f, WL_FACTS_OP_WORK_RANK, 0);
	wl_facts_put(f, WL_FACTS_OP_WORK_STEP, step);
	wl_facts_put(f, WL_FACTS_OP_WORK_OP, op);
	wl_facts_put(f, WL_FACTS_OP_WORK_CALLS, calls);
	wl_facts_put(f, WL_FACTS_OP_WORK_SUM, ns);
}

static int64_t put_step(struct wl_facts *f, const struct night *n, uint32_t step, int64_t begin,
			int64_t total[OPS], int64_t calls_of[OPS])
{
	int64_t period = 0, comm = 0;

	for (uint32_t op = 0; op < OPS; op++) {
		double ns = (double)op_ns[op] * n->clock * (1 + 0.002 * random_normal(n->seed));
		int64_t calls = 8;

		for (int i = 0; i < n->n_planted; i++)
			if (n->planted[i].op == (long)op && n->number >= n->planted[i].night) {
				ns *= n->planted[i].longer * n->planted[i].calls;
				calls = (int64_t)((double)calls * n->planted[i].calls);
			}
		put_op(f, step, op, calls, (int64_t)ns);
		total[op] += (int64_t)ns;
		calls_of[op] += calls;
		period += (int64_t)ns;
		comm += op == COMM ? (int64_t)ns : 0;
	}
	wl_facts_row(f, WL_FACTS_STEPS);
	wl_facts_put(f, WL_FACTS_STEPS_RANK, 0);
	wl_facts_put(f, WL_FACTS_STEPS_STEP, step);
	wl_facts_put(f, WL_FACTS_STEPS_BEGIN, begin);
	wl_facts_put(f, WL_FACTS_STEPS_PERIOD, period);
	wl_facts_put(f, WL_FACTS_STEPS_COMPUTE, period - comm);
	wl_facts_put(f, WL_FACTS_STEPS_EXPOSED_COMM, comm);
	wl_facts_put(f, WL_FACTS_STEPS_EXPOSED_COPY, 0);
	wl_facts_put(f, WL_FACTS_STEPS_IDLE, 0);
	return period;
}

static void put_totals(struct wl_facts *f, const int64_t total[OPS], const int64_t calls[OPS])
{
	for (uint32_t op = 0; op < OPS; op++) {
		wl_facts_row(f, WL_FACTS_OPS);
		wl_facts_put_u64(f, WL_FACTS_OPS_OP, UINT64_C(0x8000000000000001) + op);
		wl_facts_put_str(f, WL_FACTS_OPS_CLASS, op == COMM ? "comm" : "compute");
		wl_facts_put_str(f, WL_FACTS_OPS_NAME, op_name[op]);
		wl_facts_row(f, WL_FACTS_OP_RANK);
		wl_facts_put(f, WL_FACTS_OP_RANK_RANK, 0);
		wl_facts_put(f, WL_FACTS_OP_RANK_OP, op);
		wl_facts_put(f, WL_FACTS_OP_RANK_CALLS, calls[op]);
		wl_facts_put(f, WL_FACTS_OP_RANK_SUM, total[op]);
	}
	wl_facts_row(f, WL_FACTS_IDLE);
	wl_facts_put(f, WL_FACTS_IDLE_RANK, 0);
	wl_facts_put_str(f, WL_FACTS_IDLE_CAUSE, "launch\t'odd' \\ cause\n");
	wl_facts_put(f, WL_FACTS_IDLE_NS, 1234);
}

static bool write_rank(const char *dir, const struct night *n, uint32_t rank)
{
	int64_t total[OPS] = { 0 }, calls[OPS] = { 0 }, begin = 0;
	struct wl_budget budget = { 0 };
	struct wl_facts f;
	struct wl_err err;
	char folder[WL_PATH_CAP / 2], path[WL_PATH_CAP];
	bool ok;

	wl_facts_init(&f, &budget);
	put_rank(&f, n, rank);
	for (uint32_t s = 0; s < n->n_steps; s++)
		begin += put_step(&f, n, s, begin, total, calls);
	put_totals(&f, total, calls);
	(void)snprintf(folder, sizeof(folder), "%.2000s/night-%03ld", dir, n->number);
	(void)snprintf(path, sizeof(path), "%s/%05u.wlfacts", folder, rank);
	ok = wl_facts_name(&f);
	if (!ok)
		(void)fprintf(stderr, "%s: cannot be named\n", path);
	else if (wl_dir_make(folder, &err) < 0 || wl_facts_write(&f, path, &err) < 0)
		ok = fprintf(stderr, "%s\n", err.msg) < 0;
	wl_facts_release(&f);
	return ok;
}

static bool read_planted(const char *text, struct planted *ret)
{
	const char *name, *colon;
	char *end;

	*ret = (struct planted){ .night = strtol(text, &end, 10), .longer = 1, .calls = 1 };
	name = end + 1;
	colon = *end == ':' ? strchr(name, ':') : NULL;
	if (!colon)
		return false;
	ret->longer = strtod(colon + 1, &end);
	if (*end == ':')
		ret->calls = strtod(end + 1, &end);
	for (ret->op = 0; !*end && ret->op < OPS; ret->op++)
		if (strlen(op_name[ret->op]) == (size_t)(colon - name) &&
		    strncmp(op_name[ret->op], name, (size_t)(colon - name)) == 0)
			return true;
	return false;
}

int main(int argc, char **argv)
{
	uint64_t seed;
	struct night n = { .seed = &seed };
	double noise = 0.02;
	char *end;

	if (argc < 6 || argc > 6 + MOST)
		return EXIT_FAILURE;
	n.today = wl_clock_utc_ms() / 1000;
	n.n_nights = strtol(argv[2], NULL, 10);
	n.n_ranks = (uint32_t)strtoul(argv[3], NULL, 10);
	n.n_steps = (uint32_t)strtoul(argv[4], NULL, 10);
	seed = strtoull(argv[5], &end, 10);
	if (*end == ':')
		noise = strtod(end + 1, NULL);
	n.at_once = argc > 6 && strcmp(argv[6], "at-once") == 0;
	for (int i = 6 + n.at_once; i < argc; i++)
		if (!read_planted(argv[i], &n.planted[n.n_planted++]))
			return EXIT_FAILURE;
	for (n.number = 0; n.number < n.n_nights; n.number++) {
		n.clock = 1 + noise * random_normal(&seed);
		for (uint32_t rank = 0; rank < n.n_ranks; rank++)
			if (!write_rank(argv[1], &n, rank))
				return EXIT_FAILURE;
	}
	return EXIT_SUCCESS;
}
