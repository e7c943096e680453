/* SPDX-License-Identifier: MIT */
/* What a thread is in at a time: sources, their order, and how far a sample reaches. */
#include "derive/use/thread_stacks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "support/mem.h"
#include "support/unit.h"

enum { TID = 7, TEXT = 512 };

struct seen {
	const struct wl_trace *trace;
	char text[TEXT];
};

/* "10-20 cpu step" for each piece. */
static void take(void *ctx, const struct wl_stack_piece *p)
{
	static const char *const states[] = { "none",     "call",    "os", "cpu",
					      "runnable", "blocked", "off" };
	struct seen *s = ctx;
	size_t n = strlen(s->text);
	const struct wl_trace *t = s->trace;

	(void)snprintf(
		s->text + n, TEXT - n, "%s%" PRId64 "-%" PRId64 " %s%s%s", n ? ", " : "", p->begin,
		p->end, states[p->state], p->stack == WL_NONE ? "" : " ",
		p->stack == WL_NONE ? "" : wl_str(t, t->frames[t->stacks[p->stack].frame].symbol));
}

static void expect(struct mem *m, wl_ns begin, wl_ns end, const char *want)
{
	struct seen s = { .trace = &m->build.trace };

	wl_thread_stacks_visit(m->derived.thread_stacks, mem_thread(m, 0, TID), begin, end, take,
			       &s);
	assert_string_equal(s.text, want);
}

static void sample(struct mem *m, wl_ns at, const char *stack)
{
	MEM_SAMPLE(m, .start = at, .tid = TID, .stack = stack);
}

/* Distances 10, 10, 10 and 40: a sample reaches 15. */
TEST(a_sample_reaches_one_and_a_half_periods)
{
	WITH(struct mem, m, mem_release, mem_init(&m));

	sample(&m, 100, "main");
	sample(&m, 110, "step");
	sample(&m, 120, NULL);
	sample(&m, 130, "step");
	sample(&m, 170, "main");
	(void)mem_seal(&m);
	expect(&m, 90, 200,
	       "90-100 none, 100-110 cpu main, 110-120 cpu step, 120-130 none, 130-145 cpu step, "
	       "145-170 none, 170-185 cpu main, 185-200 none");
	expect(&m, 104, 106, "104-106 cpu main");
	expect(&m, 150, 160, "150-160 none");
	expect(&m, 110, 110, "");
}

TEST(calls_come_before_scheduling_and_samples)
{
	WITH(struct mem, m, mem_release, mem_init(&m));

	for (wl_ns at = 0; at < 100; at += 20)
		sample(&m, at, "main");
	MEM_OSRT(&m, .start = 10, .end = 50, .tid = TID, .stack = "outer");
	MEM_OSRT(&m, .start = 20, .end = 30, .tid = TID, .stack = "inner");
	MEM_OSRT(&m, .start = 22, .end = 24, .tid = TID);
	MEM_API(&m, .start = 45, .end = 55, .tid = TID, .stack = "cuda");
	MEM_API(&m, .start = 60, .end = 70, .tid = TID);
	mem_sched(&m, 40, 0, TID, false);
	mem_sched(&m, 65, 0, TID, true);
	mem_sched(&m, 95, 0, TID, false);
	(void)mem_seal(&m);
	expect(&m, 0, 120,
	       "0-10 cpu main, 10-20 os outer, 20-30 os inner, 30-45 os outer, 45-55 call cuda, "
	       "55-65 off, 65-80 cpu main, 80-110 cpu main, 110-120 none");
}

TEST(a_trace_without_stacks_has_no_pieces)
{
	WITH(struct mem, m, mem_release, mem_init(&m));

	MEM_API(&m, .start = 45, .end = 55, .tid = TID);
	(void)mem_seal(&m);
	expect(&m, 40, 60, "40-60 none");
}
