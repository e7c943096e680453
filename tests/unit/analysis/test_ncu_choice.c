/* SPDX-License-Identifier: MIT */
#include "analysis/time/ncu_choice.h"

#include "support/answer.h"
#include "support/unit.h"

static unsigned corr;

static void launch(struct asked *x, unsigned pid, wl_ns at, const struct mem_op *op)
{
	struct mem_op o = *op;

	corr++;
	MEM_API(&x->mem, .start = at, .end = at + 1, .pid = pid, .tid = pid, .corr = corr);
	o.start += at;
	o.end += at;
	o.pid = pid;
	o.corr = corr;
	mem_op(&x->mem, WL_F_KERNELS, &o);
}

/* Steps of 100: f<1> and f<2>, 30 in all, g seven times for 1, NCCL for 40; and a warm-up of f. */
static void put_steps(struct asked *x, unsigned pid, wl_ns n)
{
	launch(x, pid, 10, &(struct mem_op){ .start = 2, .end = 4, .name = "f<0>", .brief = "f" });
	for (wl_ns i = 1; i <= n; i++) {
		wl_ns at = 100 * i;

		MEM_NVTX(&x->mem, .start = at - 1, .end = at + 95, .pid = pid, .tid = pid,
			 .name = "step");
		launch(x, pid, at,
		       &(struct mem_op){ .start = 2, .end = 12, .name = "f<1>", .brief = "f" });
		launch(x, pid, at + 20,
		       &(struct mem_op){ .start = 2, .end = 22, .name = "f<2>", .brief = "f" });
		for (wl_ns k = 0; k < 7; k++)
			launch(x, pid, at + 45 + 2 * k,
			       &(struct mem_op){
				       .start = 2, .end = 3, .name = "g(int)", .brief = "g" });
		launch(x, pid, at + 60,
		       &(struct mem_op){ .start = 2,
					 .end = 32,
					 .name = "ncclDevKernel_AllReduce",
					 .brief = "ncclDevKernel_AllReduce" });
	}
}

TEST(launches_are_of_a_step_in_the_middle)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "ncu-choice"));

	x.q.marker = "step";
	put_steps(&x, 100, 10);
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 2); /* communication is none */
	expect_cells(&x.a, 0, "kernel=f; launches=21; sum=302; step=5");
	expect_i64(&x.a, 0, "skip", 11); /* the warm-up, and two of each of five steps */
	expect_i64(&x.a, 0, "count", 2);
	expect_cells(&x.a, 1, "kernel=g; skip=35");
	expect_i64(&x.a, 1, "count", 5); /* of seven */
	ask(&x, (const char *const[WL_MAX_PARAMS]){ [WL_CHOICE_TOP] = "1" });
	assert_int_equal(x.a.table.n_rows, 1);
}

TEST(the_middle_launch_begins_without_steps)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "ncu-choice"));

	for (wl_ns i = 0; i < 3; i++)
		launch(&x, 100, 100 * i * i,
		       &(struct mem_op){ .start = 2, .end = 5, .name = "f", .brief = "f" });
	ask(&x, NULL);
	expect_cells(&x.a, 0, "skip=1; count=2");
	assert_false(answer_is_set(&x.a, 0, "step"));
}
