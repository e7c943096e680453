/* SPDX-License-Identifier: MIT */
#include "scene/finding_place.h"

#include "support/unit.h"
#include "support/viewed.h"

enum { STEPS = 8, PERIOD = 1000 };

/*
 * Steps of 1000 ns with a kernel of 600 in each, a collective of 100 behind it that nothing
 * hides, of the third step 200; the sixth step begins 500 later than it should.
 */
static struct viewed *put_steps(void)
{
	struct viewed *v = test_malloc(sizeof(*v));
	wl_ns at = 0;

	mem_init(&v->mem);
	for (unsigned i = 0; i < STEPS; i++) {
		at = (wl_ns)i * PERIOD + (i >= 5 ? 500 : 0);
		MEM_NVTX(&v->mem, .start = at, .end = at + 50, .name = "step");
		MEM_API(&v->mem, .start = at + 10, .end = at + 20, .corr = 2 * i + 1,
			.name = "cudaLaunchKernel");
		MEM_API(&v->mem, .start = at + 30, .end = at + 40, .corr = 2 * i + 2,
			.name = "cudaLaunchKernel");
		MEM_OP(&v->mem, WL_F_KERNELS, .start = at + 100, .end = at + 700, .corr = 2 * i + 1,
		       .name = "gemm");
		MEM_OP(&v->mem, WL_F_KERNELS, .start = at + 700, .end = at + (i == 2 ? 900 : 800),
		       .corr = 2 * i + 2, .stream = 20,
		       .name = "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
	}
	return v;
}

static int make(void **state)
{
	struct viewed *v = put_steps();

	viewed_make(v);
	*state = v;
	return 0;
}

/* After the steps a collective that is longer than all of theirs. */
static int make_with_tail(void **state)
{
	struct viewed *v = put_steps();
	const wl_ns at = STEPS * PERIOD + 600;

	MEM_API(&v->mem, .start = at, .end = at + 10, .corr = 99, .name = "cudaLaunchKernel");
	MEM_OP(&v->mem, WL_F_KERNELS, .start = at + 100, .end = at + 2500, .corr = 99, .stream = 20,
	       .name = "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
	viewed_make(v);
	*state = v;
	return 0;
}

static int drop(void **state)
{
	viewed_release(*state);
	test_free(*state);
	return 0;
}

static wl_ns place_of(const struct wl_scene *d, const struct wl_finding_sought *sought,
		      enum wl_holds *ret_row)
{
	struct wl_arena arena;
	wl_ns at;

	wl_arena_init(&arena, 1 << 20);
	at = wl_finding_place(d, sought, &arena, ret_row);
	wl_arena_release(&arena);
	return at;
}

/* Of one that names no place. */
static wl_ns place(const struct wl_scene *d, struct wl_interval inside, const char *code,
		   uint32_t device, enum wl_holds *ret_row)
{
	return place_of(d, &(struct wl_finding_sought){ inside, code, device, WL_NO_TIME },
			ret_row);
}

TEST_WITH(what_is_about_gaps_is_in_a_steady_step, make, drop)
{
	const struct wl_scene *d = &((struct viewed *)*state)->scene;
	const struct wl_process_iters *iters = &d->tracks.iterations->process[0];
	enum wl_holds row;

	/* Though the collective of the third step is twice as long. */
	assert_int_equal(place(d, d->tracks.extent, "exposed-comm", 0, &row),
			 iters->at[iters->steady].tile.begin + 600);
	assert_int_equal(row, WL_HOLDS_GAPS);
}

TEST_WITH(what_lies_outside_of_steps_is_not_usual, make_with_tail, drop)
{
	const struct wl_scene *d = &((struct viewed *)*state)->scene;
	const struct wl_process_iters *iters = &d->tracks.iterations->process[0];
	const struct wl_interval later = { iters->at[iters->n - 1].last_end, INT64_MAX };
	enum wl_holds row;

	assert_int_equal(place(d, d->tracks.extent, "exposed-comm", 0, &row),
			 iters->at[iters->steady].tile.begin + 600);
	/* Where no step begins, it is all there is. */
	assert_int_equal(place(d, later, "exposed-comm", 0, &row), STEPS * PERIOD + 700);
}

TEST_WITH(slow_iterations_are_at_the_slowest, make, drop)
{
	const struct wl_scene *d = &((struct viewed *)*state)->scene;

	enum wl_holds row;

	/* From the first kernel of the fifth step to that of the sixth. */
	assert_int_equal(place(d, d->tracks.extent, "slow-iterations", 0, &row), 4100);
	assert_int_equal(row, WL_HOLDS_OPS);
}

TEST_WITH(anything_else_is_at_a_steady_iteration, make, drop)
{
	const struct wl_scene *d = &((struct viewed *)*state)->scene;
	const struct wl_process_iters *iters = &d->tracks.iterations->process[0];
	enum wl_holds row;

	assert_int_equal(iters->n, STEPS);
	assert_int_equal(place(d, d->tracks.extent, "straggler", 0, &row),
			 iters->at[iters->steady].tile.begin);
}

TEST_WITH(a_device_without_work_has_no_place, make, drop)
{
	const struct wl_scene *d = &((struct viewed *)*state)->scene;
	enum wl_holds row;

	assert_int_equal(place(d, d->tracks.extent, "straggler", 7, &row), WL_NO_TIME);
}

TEST_WITH(a_window_has_its_own_places, make, drop)
{
	const struct wl_scene *d = &((struct viewed *)*state)->scene;
	const struct wl_interval third = { 2100, 3100 }, inside = { 2150, 2160 };
	enum wl_holds row;

	assert_int_equal(place(d, third, "exposed-comm", 0, &row), 2700);
	assert_int_equal(place(d, third, "slow-iterations", 0, &row), 2100);
	assert_int_equal(place(d, third, "straggler", 0, &row), 2100);
	assert_int_equal(place(d, inside, "straggler", 0, &row), 2150);
}

static void assert_span(struct wl_interval span, wl_ns begin, wl_ns end)
{
	assert_int_equal(span.begin, begin);
	assert_int_equal(span.end, end);
}

TEST_WITH(a_place_that_is_named_is_taken, make, drop)
{
	const struct wl_scene *d = &((struct viewed *)*state)->scene;
	const struct wl_interval all = d->tracks.extent;
	struct wl_finding_sought of_step = { all, "slow-iterations", 0, 2100 };
	struct wl_finding_sought of_gap = { all, "exposed-comm", 0, 2700 };
	struct wl_finding_sought outside = { { 100, 900 }, "slow-iterations", 0, 2100 };
	enum wl_holds row;

	assert_int_equal(place_of(d, &of_step, &row), 2100);
	assert_int_equal(row, WL_HOLDS_OPS);
	assert_int_equal(place_of(d, &of_gap, &row), 2700);
	assert_int_equal(row, WL_HOLDS_GAPS);
	/* What is selected is the step, or the claimed gap. */
	assert_span(wl_finding_span(d, &of_step, WL_HOLDS_OPS, 2100), 2100, 3100);
	assert_span(wl_finding_span(d, &of_gap, WL_HOLDS_GAPS, 2700), 2700, 2900);
	/* It is not in what is shown. */
	assert_int_equal(place_of(d, &outside, &row), 100);
}
