/* SPDX-License-Identifier: MIT */
/*
 * Replays of random small jobs: without changes nothing moves; what takes less time never makes the
 * run longer, and less of it never saves less; windows divide the activities.
 *
 *   property whatif [SEED]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "derive/graph/replay/replay.h"
#include "derive/graph/scenario/scenario.h"
#include "known/exports/codes.h"
#include "support/mem.h"
#include "support/random.h"
#include "support/unit.h"

enum { MOST_PROCESSES = 4, MOST_THINGS = 12, N_STREAMS = 3, COMM_STREAM = N_STREAMS - 1 };

static const wl_ns us = 1000;

enum thing { KERNEL, COPY, LOCAL_COPY, SYNC, BLOCKING_COPY, MALLOC, COLLECTIVE, N_THINGS };

struct process {
	wl_ns cpu, free[N_STREAMS], begun[N_STREAMS];
};

struct job {
	struct mem mem;
	struct wl_arena arena;
	uint64_t random;
	unsigned n_processes, corr;
	struct process process[MOST_PROCESSES];
};

static unsigned pid_of(unsigned i)
{
	return 100 * (i + 1);
}

static wl_ns between(struct job *j, wl_ns lo, wl_ns hi)
{
	return random_between(&j->random, lo, hi);
}

static void call(struct job *j, unsigned i, wl_ns length, const char *name)
{
	struct process *p = &j->process[i];

	p->cpu += between(j, 200, 3 * us);
	j->corr++;
	mem_api(&j->mem, &(struct mem_call){ .start = p->cpu,
					     .end = p->cpu + length,
					     .pid = pid_of(i),
					     .tid = pid_of(i),
					     .corr = j->corr,
					     .name = name });
	p->cpu += length;
}

/* When an operation starts; now and then while the one before it still runs. */
static wl_ns ready(struct job *j, unsigned i, unsigned stream, wl_ns launched)
{
	struct process *p = &j->process[i];
	wl_ns at = p->free[stream] + between(j, 0, 1) * 300;
	wl_ns reached = launched + between(j, 1500, 6 * us);

	if (p->begun[stream] > 0 && random_below(&j->random, 10) == 0)
		at = p->begun[stream] + between(j, 0, 2 * us);
	return at > reached ? at : reached;
}

static wl_ns put(struct job *j, unsigned i, enum wl_family_id family, struct mem_op *op)
{
	struct process *p = &j->process[i];
	unsigned stream = op->stream;

	op->pid = pid_of(i);
	op->device = i;
	op->corr = j->corr;
	op->stream += 7;
	mem_op(&j->mem, family, op);
	p->begun[stream] = op->start;
	p->free[stream] = op->end > p->free[stream] ? op->end : p->free[stream];
	return op->end;
}

static void put_kernel(struct job *j, unsigned i, const char *name)
{
	unsigned stream = random_below(&j->random, N_STREAMS - 1);
	struct mem_op op = { .stream = stream, .name = name };
	wl_ns launch = j->process[i].cpu;

	call(j, i, between(j, 500, 5 * us), "cudaLaunchKernel");
	op.start = ready(j, i, stream, launch);
	op.end = op.start + between(j, 0, 60 * us);
	(void)put(j, i, WL_F_KERNELS, &op);
}

static void put_copy(struct job *j, unsigned i, enum thing thing)
{
	unsigned stream = random_below(&j->random, N_STREAMS - 1);
	bool blocks = thing == BLOCKING_COPY;
	uint8_t kind = thing == LOCAL_COPY ? WL_COPY_D2D : WL_COPY_H2D;
	struct mem_op op = { .stream = stream,
			     .kind = kind,
			     .src = kind == WL_COPY_D2D ? 2 : WL_MEMORY_PINNED,
			     .dst = 2,
			     .bytes = 4096 };
	struct process *p = &j->process[i];

	op.start = ready(j, i, stream, p->cpu + 4 * us);
	op.end = op.start + between(j, us, 20 * us);
	call(j, i, blocks ? op.end - p->cpu + 4 * us : 2 * us,
	     blocks ? "cudaMemcpy" : "cudaMemcpyAsync");
	(void)put(j, i, WL_F_MEMCPYS, &op);
}

static void put_sync(struct job *j, unsigned i)
{
	struct process *p = &j->process[i];
	wl_ns last = p->cpu;

	for (unsigned s = 0; s < N_STREAMS; s++)
		last = p->free[s] > last ? p->free[s] : last;
	call(j, i, last - p->cpu + 4 * us, "cudaDeviceSynchronize");
}

static void put_collective(struct job *j)
{
	struct mem_op op[MOST_PROCESSES];
	wl_ns last = 0, transfer = between(j, 2 * us, 20 * us);
	unsigned corr[MOST_PROCESSES];

	for (unsigned i = 0; i < j->n_processes; i++) {
		wl_ns launch = j->process[i].cpu;

		call(j, i, 2 * us, "cudaLaunchKernelExC");
		corr[i] = j->corr;
		op[i] = (struct mem_op){ .stream = COMM_STREAM,
					 .name = "ncclDevKernel_AllReduce_x" };
		op[i].start = ready(j, i, COMM_STREAM, launch);
		op[i].start = op[i].start > j->process[i].free[COMM_STREAM]
				      ? op[i].start
				      : j->process[i].free[COMM_STREAM];
		last = op[i].start > last ? op[i].start : last;
	}
	for (unsigned i = 0; i < j->n_processes; i++) {
		op[i].end = last + transfer + between(j, 0, 400);
		j->corr = corr[i];
		(void)put(j, i, WL_F_KERNELS, &op[i]);
	}
	j->corr = corr[j->n_processes - 1];
}

static void put_thing(struct job *j, enum thing thing)
{
	if (thing == COLLECTIVE) {
		put_collective(j);
		return;
	}
	for (unsigned i = 0; i < j->n_processes; i++) {
		if (thing == KERNEL)
			put_kernel(j, i, random_below(&j->random, 2) ? "gemm" : "softmax");
		else if (thing == SYNC)
			put_sync(j, i);
		else if (thing == MALLOC)
			call(j, i, between(j, us, 30 * us), "cudaMalloc");
		else
			put_copy(j, i, thing);
	}
}

static void make(struct job *j, uint64_t seed)
{
	enum thing program[MOST_THINGS];
	unsigned n, n_steps;

	*j = (struct job){ .random = seed };
	mem_init(&j->mem);
	wl_arena_init(&j->arena, SIZE_MAX);
	j->n_processes = 1 + random_below(&j->random, MOST_PROCESSES);
	n = 3 + random_below(&j->random, MOST_THINGS - 2);
	n_steps = 1 + random_below(&j->random, 7);
	for (unsigned k = 0; k < n; k++)
		program[k] = k ? (enum thing)random_below(&j->random, N_THINGS) : KERNEL;
	for (unsigned i = 0; i < j->n_processes; i++)
		j->process[i].cpu = between(j, us, 50 * us);
	for (unsigned s = 0; s < n_steps; s++) {
		wl_ns begin[MOST_PROCESSES];

		for (unsigned i = 0; i < j->n_processes; i++)
			begin[i] = j->process[i].cpu += between(j, 0, 40 * us);
		for (unsigned k = 0; k < n; k++)
			put_thing(j, program[k]);
		for (unsigned i = 0; i < j->n_processes; i++)
			mem_nvtx(&j->mem, &(struct mem_range){ .start = begin[i],
							       .end = j->process[i].cpu,
							       .pid = pid_of(i),
							       .tid = pid_of(i),
							       .name = "step" });
	}
	(void)mem_seal(&j->mem);
}

static void release(struct job *j)
{
	wl_arena_release(&j->arena);
	mem_release(&j->mem);
}

/* Up to two scenarios at once; false where it is refused, or nothing is called so. */
static bool run(struct job *j, struct wl_whatif *w, const char *const text[2],
		struct wl_whatif_result *ret)
{
	struct wl_asked ask[2];
	struct wl_err err;
	size_t n = 0;
	int status;

	for (; n < 2 && text[n]; n++)
		assert_int_equal(wl_ask_parse(text[n], &j->arena, &ask[n], &err), WL_OK);
	status = wl_whatif_run(w, ask, n, ret, &err);
	assert_true(status == WL_OK || status == WL_E_NOMATCH);
	return status == WL_OK && !ret->refused;
}

static void expect(bool is_true, uint64_t seed, const char *what, const char *scenario)
{
	if (!is_true)
		fail_msg("seed %" PRIu64 ": %s (%s)", seed, what, scenario);
}

static void identity_holds(struct job *j, struct wl_whatif *w, uint64_t seed)
{
	static const char *const same[][2] = {
		{ NULL, NULL },           { "class=compute:1", NULL }, { "class=comm:1", NULL },
		{ "class=copy:1", NULL }, { "rank=0:1", NULL },        { "kernel=gemm:1", NULL },
	};
	const struct wl_graph *g = j->mem.derived.graph;
	struct wl_replay replay;

	assert_true(wl_replay_run(g, NULL, &j->arena, &replay));
	expect(wl_replay_count_moved(g, &replay) == 0 && !replay.n_forced, seed, "moved", "none");
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
		struct wl_whatif_result r;

		if (!run(j, w, same[i], &r))
			continue;
		expect(r.saving == 0 && r.n_changed == 0, seed, "a factor of 1 changes",
		       same[i][0] ? same[i][0] : "none");
		for (uint32_t p = 1; p <= w->plan->n; p++)
			expect(w->shifts.at[2 * (size_t)p] == 0 &&
				       w->shifts.at[2 * (size_t)p + 1] == 0,
			       seed, "a time moves", same[i][0] ? same[i][0] : "none");
	}
}

/* What the run takes divides into its parts, and no part is below 0. */
static void adds_up(const struct wl_whatif_result *r, uint64_t seed, const char *text)
{
	wl_ns sum = 0;

	for (unsigned i = 0; i < WL_N_SPENT; i++) {
		expect(r->spent[i] >= 0, seed, "a part is below 0", text);
		sum += r->spent[i];
	}
	expect(r->saving == r->measured - r->replayed, seed, "no difference", text);
	expect(sum <= r->replayed, seed, "more is spent than the run takes", text);
}

static void factors_are_monotone(struct job *j, struct wl_whatif *w, uint64_t seed)
{
	static const char *const what[] = { "class=compute:", "class=comm:", "class=copy:",
					    "kernel=gemm:", "rank=0:" };
	static const char *const factor[] = { "0", "1/3", "0.5", "90%", "1", "1.5", "2" };
	enum { N_FACTORS = sizeof(factor) / sizeof(factor[0]), ONE = 4 };

	for (size_t i = 0; i < sizeof(what) / sizeof(what[0]); i++) {
		wl_ns before = INT64_MAX;

		for (size_t k = 0; k < N_FACTORS; k++) {
			char text[64];
			const char *ask[2] = { text, NULL }, *twice[2] = { text, text };
			struct wl_whatif_result r, again;

			(void)snprintf(text, sizeof(text), "%s%s", what[i], factor[k]);
			if (!run(j, w, ask, &r) || !run(j, w, twice, &again))
				continue;
			adds_up(&r, seed, text);
			expect(r.saving <= before, seed, "more time saves more", text);
			expect(k > ONE || r.saving >= 0, seed, "less time makes it longer", text);
			expect(k < ONE || r.saving <= 0, seed, "more time makes it shorter", text);
			expect(k > ONE ? again.saving <= r.saving : again.saving >= r.saving, seed,
			       "twice is not further", text);
			before = r.saving;
		}
	}
}

/*
 * Scenarios that only take time away save at least what each of them saves alone. Overlap also
 * makes operations follow others than they did.
 */
static void scenarios_compose(struct job *j, struct wl_whatif *w, uint64_t seed)
{
	static const char *const text[] = { "comm-free",    "copies-free", "launch-free",
					    "host-free",    "no-wait",     "class=compute:0.5",
					    "class=copy:0", "overlap" };
	enum { N = sizeof(text) / sizeof(text[0]), LAUNCH_FREE = 2, HOST_FREE = 3, OVERLAP = 7 };
	wl_ns saving[N];
	bool has[N];

	for (size_t i = 0; i < N; i++) {
		const char *ask[2] = { text[i], NULL };
		struct wl_whatif_result r;

		has[i] = run(j, w, ask, &r);
		saving[i] = has[i] ? r.saving : 0;
		if (!has[i])
			continue;
		adds_up(&r, seed, text[i]);
		expect(r.saving >= 0, seed, "the run is longer", text[i]);
	}
	expect(saving[LAUNCH_FREE] <= saving[HOST_FREE], seed, "more than host-free",
	       "launch-free");
	for (size_t i = 0; i < OVERLAP; i++) {
		for (size_t k = i + 1; k < OVERLAP; k++) {
			const char *ask[2] = { text[i], text[k] };
			struct wl_whatif_result r;

			if (!has[i] || !has[k] || !run(j, w, ask, &r))
				continue;
			expect(r.saving >= saving[i] && r.saving >= saving[k], seed,
			       "two save less than one", text[k]);
		}
	}
}

/* Windows that follow each other have each activity once, and their runs stay inside. */
static void windows_tile(struct job *j, const struct wl_whatif *whole, uint64_t seed)
{
	enum { N_TILES = 3 };
	const char *const half[2] = { "class=compute:0.5", NULL }, *const none[2] = { NULL, NULL };
	wl_ns begin = 0, end = whole->measured.end + us;
	size_t n = 0;

	for (int t = 0; t < N_TILES; t++) {
		struct wl_interval by_process[MOST_PROCESSES], tile;
		struct wl_whatif_result r;
		struct wl_whatif w;

		tile.begin = begin + (end - begin) / N_TILES * t;
		tile.end = t + 1 == N_TILES ? INT64_MAX : begin + (end - begin) / N_TILES * (t + 1);
		for (unsigned i = 0; i < MOST_PROCESSES; i++)
			by_process[i] = tile;
		assert_true(wl_whatif_begin(&j->mem.derived, by_process, &j->arena, &w));
		n += w.window.n;
		expect(run(j, &w, none, &r) && r.saving == 0, seed, "a window moves", "none");
		if (run(j, &w, half, &r))
			expect(r.saving >= 0 && r.saving <= r.measured, seed,
			       "a window saves more than it has", half[0]);
	}
	expect(n == whole->plan->n, seed, "windows lose activities", "none");
}

static size_t n_matched; /* jobs with collectives that are matched */

static void try_one(uint64_t seed)
{
	struct wl_whatif w;
	WITH(struct job, j, release, make(&j, seed));

	assert_true(wl_whatif_begin(&j.mem.derived, NULL, &j.arena, &w));
	n_matched += j.mem.derived.graph->n_meetings > 0;
	identity_holds(&j, &w, seed);
	factors_are_monotone(&j, &w, seed);
	scenarios_compose(&j, &w, seed);
	windows_tile(&j, &w, seed);
}

static uint64_t only;

static void replays_hold(void **state)
{
	int n = random_cases(2000);

	(void)state;
	if (only)
		try_one(only);
	for (int i = 1; !only && i <= n; i++)
		try_one((uint64_t)i);
	assert_true(only || n < 100 || n_matched > (size_t)n / 4);
}

TEST_MAIN(whatif)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(replays_hold) };

	only = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
