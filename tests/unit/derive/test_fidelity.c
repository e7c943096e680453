/* SPDX-License-Identifier: MIT */
/* What replays refuse to answer: captures that contradict causality, and steps that do not predict
 * each other. */
#include <string.h>

#include "derive/graph/path.h"
#include "derive/graph/scenario/held_out.h"
#include "known/exports/codes.h"
#include "support/mem.h"
#include "support/unit.h"

static const wl_ns us = 1000;

struct fixture {
	struct mem mem;
	struct wl_whatif w;
	struct wl_arena arena;
	struct wl_fidelity fidelity;
	unsigned corr;
};

static void begin(struct fixture *f)
{
	*f = (struct fixture){ .corr = 0 };
	mem_init(&f->mem);
	wl_arena_init(&f->arena, SIZE_MAX);
}

static void end(struct fixture *f)
{
	wl_arena_release(&f->arena);
	mem_release(&f->mem);
}

static void seal(struct fixture *f)
{
	(void)mem_seal(&f->mem);
	assert_true(wl_whatif_begin(&f->mem.derived, NULL, &f->arena, &f->w));
	assert_true(wl_fidelity_find(&f->w, &f->arena, &f->fidelity));
}

static void call(struct fixture *f, wl_ns start, const char *name)
{
	f->corr++;
	MEM_API(&f->mem, .start = start, .end = start + us, .corr = f->corr, .name = name);
}

static void kernel(struct fixture *f, unsigned stream, wl_ns launch, wl_ns start, wl_ns stop)
{
	call(f, launch, NULL);
	MEM_OP(&f->mem, WL_F_KERNELS, .start = start, .end = stop, .stream = stream,
	       .corr = f->corr);
}

/* n kernels that wait for an event each; the first late of them begin before what it stands for
 * ends. */
static void put_waits(struct fixture *f, unsigned n, unsigned late)
{
	for (unsigned i = 0; i < n; i++) {
		wl_ns t = i * 200 * us, ends = t + 100 * us;

		kernel(f, 7, t, t + 10 * us, ends);
		call(f, t + 2 * us, "cudaEventRecord");
		mem_event(&f->mem,
			  &(struct mem_op){ .stream = 7, .corr = f->corr, .event = i + 1 });
		call(f, t + 4 * us, "cudaStreamWaitEvent");
		MEM_OP(&f->mem, WL_F_SYNCS, .start = t + 4 * us, .end = t + 5 * us, .stream = 20,
		       .corr = f->corr, .kind = WL_SYNC_STREAM_WAITS, .event = i + 1);
		kernel(f, 20, t + 6 * us, i < late ? ends - 50 * us : ends + us, ends + 60 * us);
	}
}

/* Six activities per wait: 14 of 20 contradict causality, which is more than 10% of all; 2 are
 * not. */
TEST(contradicted_causality_is_refused)
{
	struct fixture f;

	begin(&f);
	put_waits(&f, 20, 14);
	seal(&f);
	assert_int_equal(f.mem.derived.path->n_activities, 120);
	assert_int_equal(f.mem.derived.path->n_violations, 14);
	assert_int_equal(f.fidelity.n_moved, 0);
	assert_int_equal(f.fidelity.refused, WL_CAUSALITY_CONTRADICTED);
	end(&f);

	begin(&f);
	put_waits(&f, 20, 2);
	seal(&f);
	assert_int_equal(f.mem.derived.path->n_violations, 2);
	assert_int_equal(f.fidelity.refused, WL_NOT_REFUSED);
	end(&f);
}

/* Steps of two kernels, launched every 400 us; the first takes a while to begin. */
static void put_steps(struct fixture *f, const wl_ns *wait, size_t n_waits)
{
	for (unsigned i = 0; i < 30; i++) {
		wl_ns t = i * 400 * us, begin = t + 6 * us + wait[i % n_waits];

		kernel(f, 7, t + us, begin, begin + 100 * us);
		kernel(f, 7, t + 3 * us, begin + 101 * us, begin + 150 * us);
		MEM_NVTX(&f->mem, .start = t, .end = t + 30 * us, .name = "step");
	}
}

/* What lies between two operations of a stream stays with its step: no other step's lengths predict
 * it. */
TEST(steps_that_predict_none_other_are_refused)
{
	static const wl_ns even[] = { 2000 }, uneven[] = { 2000, 42000, 122000, 22000 };
	struct fixture f;

	begin(&f);
	put_steps(&f, uneven, 4);
	seal(&f);
	assert_true(f.fidelity.held_out.p50 > 0.05);
	assert_int_equal(f.fidelity.held_out.verdict, WL_HELD_OUT_BAD);
	assert_int_equal(f.fidelity.refused, WL_HELD_OUT_WRONG);
	end(&f);

	begin(&f);
	put_steps(&f, even, 1);
	seal(&f);
	assert_int_equal(f.fidelity.held_out.verdict, WL_HELD_OUT_GOOD);
	assert_int_equal(f.fidelity.refused, WL_NOT_REFUSED);
	end(&f);
}
