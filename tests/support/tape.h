/* SPDX-License-Identifier: MIT */
/*
 * tape.h - findings of a trace that a test builds call by call: one thread launches, one
 * GPU works.
 */
#ifndef WL_TESTS_TAPE_H
#define WL_TESTS_TAPE_H

#include "analysis/analysis.h"

#include <string.h>

#include "support/answer.h"
#include "support/unit.h"

#define US ((wl_ns)1000)
#define MS ((wl_ns)1000000)

enum { TID = 103 };

/* A trace under construction; now is where its thread has come to. */
struct tape {
	struct asked x;
	wl_ns now;
	unsigned corr;
};

static inline void start(struct tape *t)
{
	*t = (struct tape){ .now = 0 };
	asked_init(&t->x, "findings");
}

static inline void call(struct tape *t, const char *name, wl_ns length, unsigned corr)
{
	mem_api(&t->x.mem, &(struct mem_call){ .start = t->now,
					       .end = t->now + length,
					       .tid = TID,
					       .corr = corr,
					       .name = name });
	t->now += length;
}

/* A launch call of that length, and the kernel, which ends after run. */
static inline void launch(struct tape *t, const char *name, wl_ns length, wl_ns run)
{
	t->corr++;
	call(t, "cudaLaunchKernel", length, t->corr);
	mem_op(&t->x.mem, WL_F_KERNELS,
	       &(struct mem_op){
		       .start = t->now, .end = t->now + run, .corr = t->corr, .name = name });
	t->now += run;
}

/* A kernel of a rank, which is a process with a GPU of its own, launched 5 us before it starts. */
static inline void run_on(struct tape *t, unsigned rank, const char *name, wl_ns begin, wl_ns end)
{
	bool is_comm = strncmp(name, "nccl", 4) == 0;

	t->corr++;
	mem_api(&t->x.mem, &(struct mem_call){ .start = begin - 5 * US,
					       .end = begin - 1 * US,
					       .pid = 100 + rank,
					       .tid = TID + rank,
					       .corr = t->corr });
	mem_op(&t->x.mem, WL_F_KERNELS,
	       &(struct mem_op){ .start = begin,
				 .end = end,
				 .pid = 100 + rank,
				 .device = rank,
				 .stream = is_comm ? 20 : 7,
				 .corr = t->corr,
				 .name = name });
}

/* A copy call that takes as long as the copy. */
static inline void copy(struct tape *t, const char *name, wl_ns length, const struct mem_op *what)
{
	struct mem_op op = *what;

	op.start = t->now;
	op.end = t->now + length;
	op.corr = ++t->corr;
	call(t, name, length, t->corr);
	mem_op(&t->x.mem, WL_F_MEMCPYS, &op);
}

static inline void range(struct tape *t, const char *name, wl_ns begin, wl_ns end)
{
	mem_nvtx(&t->x.mem,
		 &(struct mem_range){ .start = begin, .end = end, .tid = TID, .name = name });
}

/* Two names in an order that has no period, so that no steps are found. */
static inline const char *unsteady(unsigned i)
{
	static const char order[] = "abaabbabbbaaababbaabaaabbbbab";

	return order[i % (sizeof(order) - 1)] == 'a' ? "kernel_a" : "kernel_b";
}

/* The row of a code, with --all; -1 for none. */
static inline int row_of(struct tape *t, const char *code)
{
	for (size_t i = 0; i < t->x.a.table.n_rows; i++) {
		if (strcmp(answer_str(&t->x.a, i, "code"), code) == 0)
			return (int)i;
	}
	return -1;
}

static inline void ask_all(struct tape *t)
{
	ask(&t->x, (const char *const[WL_MAX_PARAMS]){ "true" });
}

static inline void expect_words(struct tape *t, const char *code, const char *column,
				const char *words)
{
	int row = row_of(t, code);
	const char *text;

	if (row < 0)
		fail_msg("no %s", code);
	text = answer_str(&t->x.a, (size_t)row, column);
	if (!strstr(text, words))
		fail_msg("%s has no \"%s\": %s", code, words, text);
}

static inline void expect_no_words(struct tape *t, const char *code, const char *column,
				   const char *words)
{
	int row = row_of(t, code);

	if (row >= 0 && strstr(answer_str(&t->x.a, (size_t)row, column), words))
		fail_msg("%s has \"%s\"", code, words);
}

static inline void expect_saving(struct tape *t, const char *code, const char *per, wl_ns want)
{
	int row = row_of(t, code);

	if (row < 0)
		fail_msg("no %s", code);
	expect_i64(&t->x.a, (size_t)row, "saving", want);
	assert_string_equal(answer_str(&t->x.a, (size_t)row, "per"), per);
}

static inline void finish(struct tape *t)
{
	asked_release(&t->x);
}

#endif
