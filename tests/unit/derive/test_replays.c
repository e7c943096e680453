/* SPDX-License-Identifier: MIT */
/* Replays where it matters in which order times are known, and which activities correspond. */
#include "derive/graph/scenario.h"
#include "support/mem.h"
#include "support/unit.h"

static const wl_ns us = 1000;

struct fixture {
	struct mem mem;
	struct wl_whatif w;
	struct wl_arena arena;
	unsigned corr;
};

static void begin(struct fixture *f)
{
	*f = (struct fixture){ .corr = 0 };
	mem_init(&f->mem);
	wl_arena_init(&f->arena, SIZE_MAX);
}

static void seal(struct fixture *f)
{
	(void)mem_seal(&f->mem);
	assert_true(wl_whatif_begin(&f->mem.derived, NULL, &f->arena, &f->w));
}

static void end(struct fixture *f)
{
	wl_arena_release(&f->arena);
	mem_release(&f->mem);
}

static void call(struct fixture *f, wl_ns start, wl_ns stop, const char *name)
{
	f->corr++;
	mem_api(&f->mem,
		&(struct mem_call){ .start = start, .end = stop, .corr = f->corr, .name = name });
}

/* The call that launches it takes 1 us. */
static void kernel(struct fixture *f, const char *name, wl_ns launch, wl_ns start, wl_ns stop)
{
	call(f, launch, launch + us, NULL);
	mem_op(&f->mem, WL_F_KERNELS,
	       &(struct mem_op){ .start = start, .end = stop, .corr = f->corr, .name = name });
}

static wl_ns saving(struct fixture *f, const char *text)
{
	struct wl_whatif_result ret;
	struct wl_asked ask;
	struct wl_err err;

	assert_int_equal(wl_ask_parse(text, &f->arena, &ask, &err), WL_OK);
	assert_int_equal(wl_whatif_run(&f->w, &ask, 1, &ret, &err), WL_OK);
	assert_null(ret.refused);
	return ret.saving;
}

/*
 * The second kernel could start at 50 us because of its launch 5 us before, and because the first
 * one ended: stream order comes first, so the 10 us after that are no latency of a launch.
 */
static void a_tie_with_stream_order_is_no_latency(void **state)
{
	struct fixture f;

	(void)state;
	for (unsigned later = 0; later < 2; later++) {
		begin(&f);
		kernel(&f, "one", 0, 10 * us, 50 * us);
		kernel(&f, "two", (45 + later) * us, 60 * us, 100 * us);
		seal(&f);
		assert_int_equal(saving(&f, "launch-free"), later ? 10 * us : 0);
		assert_int_equal(saving(&f, "host-free"), later ? 10 * us : 0);
		end(&f);
	}
}

TEST_MAIN(replays)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_tie_with_stream_order_is_no_latency),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
