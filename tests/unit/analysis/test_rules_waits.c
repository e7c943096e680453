/* SPDX-License-Identifier: MIT */
/* What findings say of the calls in which the host waits for the GPU. */
#include "known/exports/codes.h"
#include "support/tape.h"

/* A call that drains the queue, and host code in two ranges until the next launch. */
static void drain(struct tape *t)
{
	t->now -= 1 * US;
	call(t, "cudaDeviceSynchronize", 1 * US, 0);
	range(t, "decide", t->now, t->now + 10 * US);
	range(t, "prepare", t->now + 10 * US, t->now + 20 * US);
	t->now += 20 * US;
}

TEST(calls_are_counted_and_not_pieces_of_idle_time)
{
	WITH(struct tape, t, finish, start(&t));

	for (unsigned i = 0; i < 14; i++) {
		launch(&t, unsteady(i), 5 * US, 300 * US);
		drain(&t);
	}
	launch(&t, "kernel_a", 5 * US, 300 * US);
	ask_all(&t);
	expect_words(
		&t, "host-sync-idle", "finding",
		"GPU idle in and after `cudaDeviceSynchronize`: 350 us of the window (7.2%) on "
		"GPU 0, 14 times");
}

/* Five steps, of which 1 to 3 count, with so many calls each. */
static void expect_per_step(unsigned n_calls, const char *words)
{
	WITH(struct tape, t, finish, start(&t));

	for (unsigned i = 0; i < 5; i++) {
		wl_ns begin = t.now;

		for (unsigned k = 0; k < 4; k++) {
			launch(&t, k ? "kernel_b" : "kernel_a", 5 * US, 300 * US);
			if (k < n_calls)
				drain(&t);
		}
		range(&t, "step", begin, t.now);
	}
	ask_all(&t);
	if (words)
		expect_words(&t, "host-sync-idle", "finding", words);
	else
		expect_no_words(&t, "host-sync-idle", "finding", "times");
}

TEST(calls_per_step_are_those_of_the_steps_that_count)
{
	expect_per_step(
		3,
		"GPU idle in and after `cudaDeviceSynchronize`: 75 us per step (5.9%) on GPU 0, 3 "
		"times per step");
	expect_per_step(1, NULL);
}

/*
 * Two kernels, a read that waits for them, and a call that finds the GPU done: the read is what
 * makes the host wait, though the other is made as often, and twice at times.
 */
TEST(the_call_that_waits_is_named_and_not_the_most_frequent)
{
	WITH(struct tape, t, finish, start(&t));

	for (unsigned i = 0; i < 200; i++) {
		launch(&t, unsteady(i * i / 7), 5 * US, 10 * US);
		launch(&t, unsteady(i), 5 * US, 10 * US);
		t.now -= 8 * US;
		call(&t, "cudaStreamSynchronize", 8 * US, 0);
		call(&t, "cudaDeviceSynchronize", 1 * US, 0);
		if (i % 4 == 0)
			call(&t, "cudaDeviceSynchronize", 1 * US, 0);
	}
	ask_all(&t);
	expect_words(&t, "launch-bound", "finding",
		     "cudaStreamSynchronize waits for the GPU after every 2.0 kernels");
}

/* A launch call of 4.2 us in an empty queue: its kernel starts 1.4 us after it, or after that. */
static void launch_late(struct tape *t, unsigned i, wl_ns run)
{
	mem_op(&t->x.mem, WL_F_KERNELS,
	       &(struct mem_op){ .start = t->now + 5600,
				 .end = t->now + 5600 + run,
				 .corr = ++t->corr,
				 .name = unsteady(i * i / 7) });
	call(t, "cudaLaunchKernel", 4200, t->corr);
	t->now += 400;
}

/* The host launches so many small kernels, reads 4 bytes, and decides what comes next. */
static void decide_after(struct tape *t, unsigned n_launches)
{
	for (unsigned i = 0, n = 0; i < 20; i++) {
		for (unsigned k = 0; k < n_launches; k++)
			launch_late(t, n++, 1100);
		mem_op(&t->x.mem, WL_F_MEMCPYS,
		       &(struct mem_op){ .start = t->now + 6200,
					 .end = t->now + 7300,
					 .corr = ++t->corr,
					 .kind = WL_COPY_D2H,
					 .src = 2,
					 .bytes = 4 });
		call(t, "cudaMemcpyFromSymbol", 10 * US, t->corr);
		t->now += 1200;
	}
}

/*
 * Two launches between two reads save more if they take no time than the reads do, which nothing
 * but launches without reads could give: the reads go first. Of six launches most is lost to these.
 */
TEST(reads_go_before_the_launches_that_they_make_late)
{
	for (unsigned n = 2; n <= 6; n += 4) {
		WITH(struct tape, t, finish, start(&t));
		int reads, launches;

		decide_after(&t, n);
		ask_all(&t);
		reads = row_of(&t, "tiny-reads");
		launches = row_of(&t, "launch-bound");
		assert_true(reads >= 0 && launches >= 0);
		expect_words(&t, "launch-bound", "finding",
			     "cudaMemcpyFromSymbol waits for the GPU after every");
		assert_true(answer_i64(&t.x.a, (size_t)launches, "saves_alone") >
			    answer_i64(&t.x.a, (size_t)reads, "saves_alone"));
		assert_int_equal(reads < launches, n == 2);
		assert_int_equal(n == 2 ? reads : launches, 0);
	}
}

/* 20 reads per step, of which those of the first and the last step do not count. */
TEST(reads_are_those_of_the_steps_that_count)
{
	WITH(struct tape, t, finish, start(&t));

	for (unsigned i = 0; i < 5; i++) {
		wl_ns begin = t.now;

		for (unsigned k = 0; k < 4; k++) {
			launch(&t, k ? "kernel_b" : "kernel_a", 5 * US, 30 * US);
			copy(&t, "cudaMemcpy", 10 * US,
			     &(struct mem_op){ .kind = WL_COPY_D2H, .src = 2, .bytes = 4 });
		}
		range(&t, "step", begin, t.now);
	}
	ask_all(&t);
	expect_words(&t, "tiny-reads", "finding",
		     "The host reads back 4 bytes 12 times, and the GPU waits");
	expect_words(&t, "tiny-reads", "finding", "; reads counted in steps 1-3 (cudaMemcpy)");
}

/* A saving without waits is no more certain than one without reads. */
TEST(what_takes_waits_away_says_what_it_assumes)
{
	WITH(struct tape, t, finish, start(&t));

	for (unsigned i = 0; i < 14; i++) {
		launch(&t, unsteady(i), 5 * US, 300 * US);
		drain(&t);
	}
	ask_all(&t);
	expect_words(&t, "host-sync-idle", "scenario", "no-sync=");
	expect_words(&t, "host-sync-idle", "limits", "whether the host needs each result");
	expect_no_words(&t, "host-starved", "limits", "needs each result");
	expect_no_words(&t, "launch-bound", "limits", "needs each result");
}

/* CUDA 11.7 brought lazy loading: before it there is nothing to switch off. */
TEST(old_drivers_do_not_load_lazily)
{
	static const char *const versions[] = { "10010", "11060", "11070", "12040" };

	for (unsigned i = 0; i < WL_COUNT(versions); i++) {
		struct tape t;

		start(&t);
		wl_vec_push(&t.x.mem.build.meta,
			    &(struct wl_meta){ mem_string(&t.x.mem, "TARGET_INFO_SYSTEM_ENV"),
					       mem_string(&t.x.mem, "CudaDriverVersion"),
					       mem_string(&t.x.mem, versions[i]) });
		launch(&t, "kernel_a", 5 * US, 10 * US);
		launch(&t, "kernel_b", 5 * MS, 10 * US);
		ask_all(&t);
		expect_words(&t, "start-up", "finding", "first launches of kernels");
		if (i < 2) {
			expect_no_words(&t, "start-up", "finding", "lazy");
			expect_no_words(&t, "start-up", "advice", "CUDA_MODULE_LOADING");
		} else {
			expect_words(&t, "start-up", "finding", "(lazy module loading)");
			expect_words(&t, "start-up", "advice", "CUDA_MODULE_LOADING=EAGER");
		}
		finish(&t);
	}
}
