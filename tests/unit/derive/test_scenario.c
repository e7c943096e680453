/* SPDX-License-Identifier: MIT */
#include "derive/graph/scenario/scenario.h"

#include <string.h>

#include "derive/graph/scenario/held_out.h"
#include "known/exports/codes.h"
#include "support/mem.h"
#include "support/unit.h"

static const wl_ns us = 1000;
static const char all_reduce[] = "ncclDevKernel_AllReduce_x";

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

static void end(struct fixture *f)
{
	wl_arena_release(&f->arena);
	mem_release(&f->mem);
}

static void call(struct fixture *f, wl_ns start, wl_ns stop, const char *name)
{
	f->corr++;
	MEM_API(&f->mem, .start = start, .end = stop, .corr = f->corr, .name = name);
}

/* A kernel that was launched at a time; the call takes 1 us. */
static void kernel(struct fixture *f, const char *name, wl_ns launch, wl_ns start, wl_ns stop)
{
	call(f, launch, launch + us, NULL);
	MEM_OP(&f->mem, WL_F_KERNELS, .start = start, .end = stop, .corr = f->corr, .name = name);
}

static void seal(struct fixture *f)
{
	(void)mem_seal(&f->mem);
	assert_true(wl_whatif_begin(&f->mem.derived, NULL, &f->arena, &f->w));
}

/* At most two scenarios at once; the second may be NULL. */
static struct wl_whatif_result run(struct fixture *f, const char *first, const char *second)
{
	struct wl_whatif_result ret;
	struct wl_asked ask[2];
	struct wl_err err;

	assert_int_equal(wl_ask_parse(first, &f->arena, &ask[0], &err), WL_OK);
	if (second)
		assert_int_equal(wl_ask_parse(second, &f->arena, &ask[1], &err), WL_OK);
	assert_int_equal(wl_whatif_run(&f->w, ask, second ? 2 : 1, &ret, &err), WL_OK);
	return ret;
}

static wl_ns saving(struct fixture *f, const char *first, const char *second)
{
	struct wl_whatif_result r = run(f, first, second);

	assert_int_equal(r.refused, WL_NOT_REFUSED);
	assert_int_equal(r.saving, r.measured - r.replayed);
	return r.saving;
}

TEST(scenarios_are_read)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, SIZE_MAX));
	static const struct {
		const char *text;
		int64_t times, out_of;
	} factors[] = { { "kernel=gemm:0.5", 5, 10 },
			{ "kernel=a::b:80%", 80, 100 },
			{ "rank=3:4/5", 4, 5 },
			{ "class=comm:1.5/2", 15, 20 } };
	static const char *const wrong[] = { "",           "comm",         "comm-free=1",
					     "kernel",     "kernel=gemm",  "kernel=:2",
					     "kernel=a:x", "kernel=a:1/0", "rank=1:-2",
					     "no-sync" };
	struct wl_asked ask;
	struct wl_err err;

	for (size_t i = 0; i < sizeof(factors) / sizeof(factors[0]); i++) {
		assert_int_equal(wl_ask_parse(factors[i].text, &arena, &ask, &err), WL_OK);
		assert_int_equal(ask.times * factors[i].out_of, factors[i].times * ask.out_of);
	}
	assert_int_equal(wl_ask_parse("kernel=a::b:2", &arena, &ask, &err), WL_OK);
	assert_string_equal(ask.what, "a::b");
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(wl_ask_parse(wrong[i], &arena, &ask, &err), WL_E_USAGE);
}

/* Two queued kernels: 100 us, 1 us between, 101 us. */
TEST(factors_change_lengths_and_compose)
{
	WITH(struct fixture, f, end, begin(&f));

	kernel(&f, "gemm", 0, 10 * us, 110 * us);
	kernel(&f, "soft", 2 * us, 111 * us, 212 * us);
	seal(&f);
	assert_int_equal(saving(&f, "kernel=gemm:1", NULL), 0);
	assert_int_equal(saving(&f, "kernel=gemm:0.5", NULL), 50 * us);
	assert_int_equal(saving(&f, "kernel=gemm:2", NULL), -100 * us);
	assert_int_equal(saving(&f, "kernel=re:^(gemm|soft)$:0.5", NULL), 50 * us + 101 * us / 2);
	assert_int_equal(saving(&f, "class=compute:0.5", NULL), 50 * us + 101 * us / 2);
	assert_int_equal(saving(&f, "class=mpi:0", NULL), 0);
	/* Factors multiply, and scenarios of different kernels add up on one stream. */
	assert_int_equal(saving(&f, "kernel=gemm:0.5", "kernel=gemm:0.5"), 75 * us);
	assert_int_equal(saving(&f, "kernel=gemm:0.5", "kernel=soft:0"), 151 * us);
	/* A run leaves nothing behind. */
	assert_int_equal(saving(&f, "kernel=gemm:1", NULL), 0);
}

/* Queued: 100 us, 1 us between, 100 us; convolutions in that layout stay. */
TEST(changes_of_layout_take_no_time)
{
	WITH(struct fixture, f, end, begin(&f));

	kernel(&f, "conv_nhwc_nchw", 0, 10 * us, 110 * us);
	kernel(&f, "nchwToNhwcKernel", 2 * us, 111 * us, 211 * us);
	kernel(&f, "conv_nhwc_nchw", 4 * us, 212 * us, 312 * us);
	seal(&f);
	assert_int_equal(saving(&f, "layout-change", NULL), 100 * us);
	assert_int_equal(run(&f, "layout-change", NULL).forecast, WL_UPPER_BOUND);
}

/*
 * Three tiny kernels in a row, 1 us between, become one of 4 us; the one behind a longer kernel is
 * alone.
 */
TEST(tiny_kernels_in_a_row_become_one)
{
	WITH(struct fixture, f, end, begin(&f));

	kernel(&f, "gemm", 0, 10 * us, 110 * us);
	kernel(&f, "add", 2 * us, 111 * us, 114 * us);
	kernel(&f, "mul", 4 * us, 115 * us, 119 * us);
	kernel(&f, "add", 6 * us, 120 * us, 122 * us);
	kernel(&f, "gemm", 8 * us, 123 * us, 223 * us);
	kernel(&f, "add", 10 * us, 224 * us, 229 * us);
	kernel(&f, "gemm", 12 * us, 230 * us, 330 * us);
	seal(&f);
	assert_int_equal(saving(&f, "tiny-kernels", NULL), (3 + 2 + 1 + 1) * us);
	assert_int_equal(run(&f, "tiny-kernels", NULL).forecast, WL_UPPER_BOUND);
}

/*
 * The launch comes late: the second starts no sooner, takes no time, and its lag behind the launch
 * stays.
 */
TEST(tiny_kernels_keep_their_launches)
{
	WITH(struct fixture, f, end, begin(&f));

	kernel(&f, "add", 0, 10 * us, 14 * us);
	kernel(&f, "add", 20 * us, 30 * us, 33 * us);
	kernel(&f, "gemm", 22 * us, 34 * us, 134 * us);
	seal(&f);
	assert_int_equal(saving(&f, "tiny-kernels", NULL), 3 * us);
}

TEST(names_that_nothing_has_are_an_error)
{
	WITH(struct fixture, f, end, begin(&f));
	static const char *const text[] = { "kernel=nothing:2", "category=attention:2",
					    "rank=7:2",         "no-sync=cudaNothing",
					    "layout-change",    "category=memory:2",
					    "tiny-kernels",     "exposed-copy=within a GPU" };
	struct wl_whatif_result ret;
	struct wl_asked ask;
	struct wl_err err;

	kernel(&f, "plain", 0, 10 * us, 110 * us);
	seal(&f);
	for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++) {
		assert_int_equal(wl_ask_parse(text[i], &f.arena, &ask, &err), WL_OK);
		assert_int_equal(wl_whatif_run(&f.w, &ask, 1, &ret, &err), WL_E_NOMATCH);
	}
}

/*
 * A kernel of 40 us, a call that waits for it until 60 us, then host code of 30 us, a launch at 90
 * us and a kernel from 96 us to 136 us.
 */
static void put_sync(struct fixture *f)
{
	kernel(f, "one", 0, 10 * us, 50 * us);
	call(f, 5 * us, 60 * us, "cudaDeviceSynchronize");
	kernel(f, "two", 90 * us, 96 * us, 136 * us);
}

TEST(the_host_is_free)
{
	WITH(struct fixture, f, end, begin(&f));

	put_sync(&f);
	seal(&f);
	/* The second one is launched when the call has waited for the first; its latency stays. */
	assert_int_equal(saving(&f, "host-free", NULL), 136 * us - 10 * us - (80 + 6) * us);
	assert_true(saving(&f, "launch-free", NULL) <= saving(&f, "host-free", NULL));
	/* To make a class free is a ceiling. */
	assert_int_equal(run(&f, "host-free", NULL).forecast, WL_UPPER_BOUND);
	assert_int_equal(run(&f, "launch-free", NULL).forecast, WL_UPPER_BOUND);
	assert_int_equal(run(&f, "copies-free", NULL).forecast, WL_UPPER_BOUND);
	/* Both launches are the first after a wait or of the thread. */
	assert_int_equal(saving(&f, "launch-free", NULL), 0);
}

static void copy(struct fixture *f, const char *name, wl_ns begin, wl_ns stop, wl_ns start)
{
	call(f, begin, stop, name);
	MEM_OP(&f->mem, WL_F_MEMCPYS, .start = start, .end = stop - 2 * us, .corr = f->corr,
	       .kind = WL_COPY_H2D, .src = WL_MEMORY_PAGEABLE, .dst = 2, .bytes = 1000);
}

/* The first launch of a thread after each blocking call stays, also if it blocks itself. */
TEST(blocking_calls_launch_too)
{
	struct fixture f;

	begin(&f);
	call(&f, 0, 5 * us, "cudaDeviceSynchronize");
	copy(&f, "cudaMemcpy", 10 * us, 40 * us, 20 * us);
	copy(&f, "cudaMemcpyAsync", 42 * us, 70 * us, 52 * us);
	seal(&f);
	assert_int_equal(saving(&f, "launch-free", NULL), 0);
	end(&f);
	/* Not the first: its latency goes. It follows the kernel, which ends at 6 us. */
	begin(&f);
	kernel(&f, "a", 0, 4 * us, 6 * us);
	copy(&f, "cudaMemcpy", 2 * us, 60 * us, 40 * us);
	seal(&f);
	assert_int_equal(saving(&f, "launch-free", NULL), 34 * us);
	end(&f);
}

/* Without the wait the call takes its return, 10 us: the second launch is at 45 us, its kernel
 * waits for the first one, and its lag of 1 us stays. */
TEST(the_call_that_waits_longest_is_worth_a_try)
{
	struct wl_asked ask[WL_MORE_ASKS];
	struct fixture f;
	size_t n;

	begin(&f);
	put_sync(&f);
	call(&f, 130 * us, 137 * us, "cudaStreamSynchronize");
	seal(&f);
	assert_true(wl_more_asks(&f.w, ask, &n));
	assert_int_equal(n, WL_MORE_ASKS - 2); /* no MPI, no host functions */
	assert_string_equal(ask[0].text, "layout-change");
	/* 45 us against 6 us. */
	assert_string_equal(ask[n - 1].text, "no-sync=cudaDeviceSynchronize");
	end(&f);
	begin(&f);
	kernel(&f, "alone", 0, 10 * us, 110 * us);
	seal(&f);
	assert_true(wl_more_asks(&f.w, ask, &n));
	assert_int_equal(n, WL_MORE_ASKS - 3);
	end(&f);
}

/*
 * A call copies 4 bytes to the host, and another one waits for the device after it: neither waits
 * for the copy then, by either code.
 */
TEST(no_call_waits_for_copies_that_are_gone)
{
	WITH(struct fixture, f, end, begin(&f));

	kernel(&f, "one", 0, 10 * us, 20 * us);
	call(&f, 5 * us, 60 * us, "cudaMemcpy");
	MEM_OP(&f.mem, WL_F_MEMCPYS, .start = 40 * us, .end = 50 * us, .corr = f.corr,
	       .kind = WL_COPY_D2H, .src = 2, .dst = WL_MEMORY_PINNED, .bytes = 4);
	call(&f, 61 * us, 90 * us, "cudaDeviceSynchronize");
	kernel(&f, "two", 92 * us, 100 * us, 140 * us);
	seal(&f);
	assert_true(saving(&f, "tiny-reads", NULL) > 0);
	assert_int_equal(saving(&f, "blocking-copy", NULL), saving(&f, "tiny-reads", NULL));
}

/* Queued, 1 us apart: a copy of 20 us to the device, one of 30 us within it, a set of 40 us. */
TEST(copies_within_a_gpu_can_be_asked_for)
{
	WITH(struct fixture, f, end, begin(&f));

	for (int i = 0; i < 2; i++) {
		call(&f, 2 * us * i, 2 * us * i + us, "cudaMemcpyAsync");
		MEM_OP(&f.mem, WL_F_MEMCPYS, .start = i ? 31 * us : 10 * us,
		       .end = i ? 61 * us : 30 * us, .corr = f.corr,
		       .kind = i ? WL_COPY_D2D : WL_COPY_H2D, .src = i ? 2 : WL_MEMORY_PINNED,
		       .dst = 2, .bytes = 1000);
	}
	call(&f, 4 * us, 5 * us, "cudaMemsetAsync");
	MEM_OP(&f.mem, WL_F_MEMSETS, .start = 62 * us, .end = 102 * us, .corr = f.corr, .bytes = 8);
	kernel(&f, "after", 6 * us, 103 * us, 110 * us);
	seal(&f);
	assert_int_equal(saving(&f, "exposed-copy=within a GPU", NULL), 30 * us);
	assert_int_equal(saving(&f, "exposed-copy=within a GPU", NULL), 30 * us);
	assert_int_equal(saving(&f, "exposed-copy=small copies", NULL), 20 * us);
	assert_int_equal(saving(&f, "category=memory:0.5", NULL), 45 * us);
}

TEST(a_call_need_not_wait)
{
	WITH(struct fixture, f, end, begin(&f));

	put_sync(&f);
	seal(&f);
	assert_int_equal(saving(&f, "no-sync=DeviceSync", NULL), 136 * us - (45 + 6 + 40) * us);
	assert_true(run(&f, "no-sync=DeviceSync", NULL).n_changed > 0);
}

/* On a stream of its own. */
static void kernel_on(struct fixture *f, const char *name, unsigned stream, wl_ns launch,
		      wl_ns start, wl_ns stop)
{
	call(f, launch, launch + us, NULL);
	MEM_OP(&f->mem, WL_F_KERNELS, .start = start, .end = stop, .corr = f->corr,
	       .stream = stream, .name = name);
}

/* What follows a wait for a kernel of stream 7. */
enum following {
	ON_THE_SAME,
	BEHIND_THE_SAME,
	ON_ANOTHER,
	A_COPY_TO_IT,
	GATHERED,
	BEHIND_AN_EVENT,
	IN_MPI
};

static struct wl_whatif_result run_followed(enum following by)
{
	struct wl_whatif_result ret;
	struct fixture f;

	begin(&f);
	kernel(&f, "awaited", 0, 10 * us, 100 * us);
	if (by == BEHIND_AN_EVENT) {
		call(&f, 2 * us, 3 * us, "cudaEventRecord");
		mem_event(&f.mem, &(struct mem_op){ .stream = 7, .corr = f.corr, .event = 1 });
		call(&f, 3 * us, 4 * us, "cudaStreamWaitEvent");
		MEM_OP(&f.mem, WL_F_SYNCS, .start = 3 * us, .end = 4 * us, .corr = f.corr,
		       .stream = 24, .kind = WL_SYNC_STREAM_WAITS, .event = 1);
	}
	call(&f, 5 * us, 103 * us, "cudaDeviceSynchronize");
	if (by == IN_MPI)
		mem_mpi_coll(&f.mem,
			     &(struct mem_call){
				     .start = 103 * us, .end = 104 * us, .name = "MPI_Allreduce" },
			     1, 8);
	if (by == A_COPY_TO_IT) {
		call(&f, 104 * us, 105 * us, "cudaMemcpyAsync");
		MEM_OP(&f.mem, WL_F_MEMCPYS, .start = 110 * us, .end = 130 * us, .corr = f.corr,
		       .stream = 24, .kind = WL_COPY_H2D, .src = WL_MEMORY_PINNED, .dst = 2,
		       .bytes = 1000);
	} else {
		if (by == BEHIND_THE_SAME)
			kernel_on(&f, "behind", 7, 103 * us, 109 * us, 120 * us);
		kernel_on(&f, by == GATHERED ? "ncclDevKernel_AllGather_x" : all_reduce,
			  by == ON_THE_SAME || by == IN_MPI ? 7 : 24, 104 * us, 110 * us, 200 * us);
	}
	seal(&f);
	ret = run(&f, "no-sync=cudaDeviceSynchronize", NULL);
	end(&f);
	return ret;
}

/*
 * Without the wait the stream orders what is behind it, or an event does; work on another stream
 * may need it, and nothing else is known to order that.
 */
TEST(a_wait_that_is_the_only_order_is_a_bound)
{
	assert_int_equal(run_followed(ON_THE_SAME).forecast, WL_PREDICTION);
	assert_int_equal(run_followed(BEHIND_THE_SAME).forecast, WL_PREDICTION);
	assert_int_equal(run_followed(A_COPY_TO_IT).forecast, WL_PREDICTION);
	assert_int_equal(run_followed(GATHERED).forecast, WL_PREDICTION);
	assert_int_equal(run_followed(BEHIND_AN_EVENT).forecast, WL_PREDICTION);
	assert_int_equal(run_followed(IN_MPI).forecast, WL_UPPER_BOUND);
	assert_int_equal(run_followed(ON_ANOTHER).forecast, WL_UPPER_BOUND);
	assert_int_equal(run_followed(ON_ANOTHER).remark.kind, WL_REMARK_ONLY_ORDER);
	assert_int_equal(run_followed(ON_ANOTHER).remark.n, 1);
	assert_true(run_followed(ON_ANOTHER).saving > 0);
}

/* A second call waits for the same kernel; launched: unless another one is launched in between. */
static wl_ns saving_of_two_waits(bool launched, const char *scenario)
{
	struct fixture f;
	wl_ns ret;

	begin(&f);
	kernel(&f, "one", 0, 10 * us, 50 * us);
	call(&f, 5 * us, 60 * us, "cudaDeviceSynchronize");
	if (launched)
		kernel(&f, "between", 61 * us, 67 * us, 68 * us);
	call(&f, 70 * us, 72 * us, "cuCtxSynchronize");
	kernel(&f, "two", 90 * us, 96 * us, 136 * us);
	seal(&f);
	ret = saving(&f, scenario, NULL);
	end(&f);
	return ret;
}

TEST(calls_that_wait_for_the_same_are_one_wait)
{
	/* As with one call: it returns after 10 us instead of 55. */
	assert_int_equal(saving_of_two_waits(false, "no-sync=DeviceSync"), 45 * us);
	assert_int_equal(saving_of_two_waits(false, "no-sync=re:Synchronize"), 45 * us);
	/* What comes first waits all the same. */
	assert_int_equal(saving_of_two_waits(false, "no-sync=cuCtx"), 0);
	/* The kernel between starts 1 us after the first one: 16 us sooner, and so is all behind.
	 */
	assert_int_equal(saving_of_two_waits(true, "no-sync=DeviceSync"), 16 * us);
}

/*
 * The same, but the thread sends a message after the second call, which needs what the kernel has
 * made: the second call returns 10 us after the kernel, as the first one did, instead of 22. So it
 * does where the first one reads 4 bytes.
 */
TEST(messages_wait_for_what_they_need)
{
	for (unsigned reads = 0; reads < 2; reads++) {
		WITH(struct fixture, f, end, begin(&f));

		kernel(&f, "one", 0, 10 * us, 50 * us);
		call(&f, 5 * us, 60 * us, reads ? "cudaMemcpy" : "cudaDeviceSynchronize");
		if (reads)
			MEM_OP(&f.mem, WL_F_MEMCPYS, .start = 50 * us, .end = 50 * us,
			       .corr = f.corr, .kind = WL_COPY_D2H, .src = 2,
			       .dst = WL_MEMORY_PINNED, .bytes = 4);
		call(&f, 70 * us, 72 * us, "cuCtxSynchronize");
		MEM_MPI_OTHER(&f.mem, .start = 73 * us, .end = 80 * us, .name = "MPI_Send");
		kernel(&f, "two", 90 * us, 96 * us, 136 * us);
		seal(&f);
		if (reads) {
			assert_int_equal(saving(&f, "tiny-reads", NULL), 12 * us);
			assert_int_equal(saving(&f, "blocking-copy", NULL), 12 * us);
		}
		assert_int_equal(
			saving(&f, reads ? "no-sync=cudaMemcpy" : "no-sync=DeviceSync", NULL),
			12 * us);
		/* Both calls are named. */
		assert_true(saving(&f, "no-sync=re:.", NULL) > 12 * us);
		/* There are no steps that could hide anything. */
		assert_int_equal(run(&f, "overlap-mpi", NULL).refused, WL_NO_STEPS);
	}
}

TEST(messages_are_hidden_where_there_are_some)
{
	WITH(struct fixture, f, end, begin(&f));

	kernel(&f, "one", 0, 10 * us, 50 * us);
	seal(&f);
	assert_int_equal(run(&f, "overlap-mpi", NULL).refused, WL_NO_MPI);
}

/* A copy of pinned memory within 1 us, then one of pageable memory: 10,000 bytes in 40 us. */
static void begin_with_copies(struct fixture *f, int64_t pinned_bytes)
{
	begin(f);
	for (int i = 0; i < 2; i++) {
		call(f, 2 * us * i, 2 * us * i + us, "cudaMemcpyAsync");
		MEM_OP(&f->mem, WL_F_MEMCPYS, .start = i ? 12 * us : 10 * us,
		       .end = i ? 52 * us : 11 * us, .corr = f->corr, .kind = WL_COPY_H2D,
		       .src = i ? WL_MEMORY_PAGEABLE : WL_MEMORY_PINNED, .dst = 2,
		       .bytes = i ? 10000 : pinned_bytes);
	}
	kernel(f, "after", 4 * us, 53 * us, 60 * us);
	seal(f);
}

/* 1,000 bytes in 1 us: 10,000 would take 10 us. */
TEST(pageable_copies_take_the_rate_of_pinned_ones)
{
	WITH(struct fixture, f, end, begin_with_copies(&f, 1000));

	assert_int_equal(saving(&f, "pinned", NULL), 30 * us);
	assert_int_equal(saving(&f, "copies-free", NULL), 41 * us);
}

/* 4 bytes in 1 us: at their rate 10,000 would take 2.5 ms. */
TEST(no_copy_is_longer_as_a_pinned_one)
{
	WITH(struct fixture, f, end, begin_with_copies(&f, 4));

	assert_int_equal(saving(&f, "pinned", NULL), 0);
	assert_int_equal(run(&f, "pinned", NULL).remark.kind, WL_REMARK_NO_PINNED);
}

TEST(what_does_not_communicate_is_refused)
{
	WITH(struct fixture, f, end, begin(&f));
	static const char *const text[] = { "comm-free", "no-wait", "overlap", "no-straggler" };

	kernel(&f, "plain", 0, 10 * us, 110 * us);
	seal(&f);
	for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++)
		assert_int_equal(run(&f, text[i], NULL).refused, WL_NO_COLLECTIVES);
	assert_int_equal(run(&f, "slow-steps", NULL).refused, WL_NO_STEPS);
}

/* One GPU alone: its collective of 90 us is not matched, so it may be all waiting. */
TEST(unmatched_communication_makes_a_bound)
{
	WITH(struct fixture, f, end, begin(&f));

	kernel(&f, all_reduce, 0, 10 * us, 100 * us);
	kernel(&f, "after", 2 * us, 101 * us, 111 * us);
	seal(&f);
	assert_int_equal(run(&f, "comm-free", NULL).forecast, WL_UPPER_BOUND);
	assert_int_equal(saving(&f, "comm-free", NULL), 90 * us);
	assert_int_equal(run(&f, "no-wait", NULL).refused, WL_MUCH_UNMATCHED);
	assert_int_equal(run(&f, "overlap", NULL).forecast, WL_UPPER_BOUND);
}

/*
 * On one stream: C1 10 to 60 us, A 61 to 161, C2 162 to 212, B 213 to 313; A and B compute. A and
 * C1 start 6 us after their launches, C2 1 us after C1 and B 1 us after A.
 */
TEST(overlap_keeps_the_order_of_what_computes)
{
	WITH(struct fixture, f, end, begin(&f));
	struct wl_whatif_result r;

	kernel(&f, all_reduce, 0, 10 * us, 60 * us);
	kernel(&f, "a", 2 * us, 61 * us, 161 * us);
	kernel(&f, all_reduce, 4 * us, 162 * us, 212 * us);
	kernel(&f, "b", 6 * us, 213 * us, 313 * us);
	seal(&f);
	r = run(&f, "overlap", NULL);
	assert_int_equal(r.n_changed, 3);
	/* A from 8 to 108 us, B from 109 to 209. */
	assert_int_equal(r.replayed, 201 * us);
	assert_true(r.replayed >= 200 * us);
	/* Nothing overlaps better than communication that takes no time. */
	assert_int_equal(run(&f, "overlap", "comm-free").replayed, 201 * us);
}

/* A copy is of neither sort: what communicates and what computes both keep their place beside it.
 */
TEST(overlap_keeps_copies_in_their_place)
{
	WITH(struct fixture, f, end, begin(&f));

	kernel(&f, "a", 0, 10 * us, 110 * us);
	call(&f, 2 * us, 3 * us, "cudaMemcpyAsync");
	MEM_OP(&f.mem, WL_F_MEMCPYS, .start = 111 * us, .end = 121 * us, .corr = f.corr,
	       .kind = WL_COPY_H2D, .src = WL_MEMORY_PINNED, .dst = 2, .bytes = 1000);
	kernel(&f, all_reduce, 4 * us, 122 * us, 172 * us);
	kernel(&f, "b", 6 * us, 173 * us, 273 * us);
	seal(&f);
	/* B follows the copy, 1 us after it, and what communicates stays. */
	assert_int_equal(saving(&f, "overlap", NULL), 51 * us);
}

/* Only what starts in the window is replayed. */
TEST(a_window_keeps_what_came_before)
{
	WITH(struct fixture, f, end, begin(&f));
	struct wl_interval window = { 111 * us, 400 * us };
	struct wl_whatif_result r;
	struct wl_asked ask;
	struct wl_err err;

	for (int i = 0; i < 3; i++)
		kernel(&f, "gemm", 2 * us * i, (10 + 101 * i) * us, (110 + 101 * i) * us);
	seal(&f);
	assert_int_equal(saving(&f, "kernel=gemm:0.5", NULL), 150 * us);
	assert_true(wl_whatif_begin(&f.mem.derived, &window, &f.arena, &f.w));
	assert_int_equal(wl_ask_parse("kernel=gemm:0.5", &f.arena, &ask, &err), WL_OK);
	assert_int_equal(wl_whatif_run(&f.w, &ask, 1, &r, &err), WL_OK);
	assert_int_equal(r.measured, 201 * us);
	assert_int_equal(r.saving, 100 * us);
}

/*
 * A thread waits from 5 us to 2,015 us for a collective of 2 ms. A call of another thread begins
 * later and returns 10 us after that one; its copy starts 4 us before it returns.
 */
static void put_held(struct fixture *f, wl_ns returns)
{
	kernel(f, all_reduce, 0, 10 * us, 2010 * us);
	call(f, 5 * us, 2015 * us, "cudaDeviceSynchronize");
	f->corr++;
	MEM_API(&f->mem, .start = 20 * us, .end = returns, .tid = 200, .corr = f->corr,
		.name = "cudaMemcpyAsync");
	MEM_OP(&f->mem, WL_F_MEMCPYS, .start = returns - 4 * us, .end = returns + 96 * us,
	       .stream = 8, .corr = f->corr, .kind = WL_COPY_H2D, .src = WL_MEMORY_PINNED, .dst = 2,
	       .bytes = 1000);
	seal(f);
}

TEST(what_keeps_calls_that_are_held_is_no_upper_bound)
{
	struct wl_whatif_result r;
	struct fixture f;

	begin(&f);
	put_held(&f, 2025 * us);
	r = run(&f, "comm-free", NULL);
	/* The copy keeps its start; the call that holds its own would end 2 ms sooner. */
	assert_int_equal(r.saving, 0);
	assert_int_equal(r.held, 2000 * us);
	assert_int_equal(r.forecast, WL_NO_BOUND);
	assert_true(wl_whatif_is_held(&r));
	/* Nothing that holds ends sooner. */
	r = run(&f, "copies-free", NULL);
	assert_int_equal(r.held, 0);
	assert_int_equal(r.forecast, WL_UPPER_BOUND);
	/* A prediction is a lower bound. */
	assert_int_equal(run(&f, "class=comm:1/2", NULL).forecast, WL_LOWER_BOUND);
	assert_int_equal(run(&f, "class=comm:0", NULL).forecast, WL_NO_BOUND);
	end(&f);
	/* It ends too long after. */
	begin(&f);
	put_held(&f, 2066 * us);
	assert_int_equal(run(&f, "comm-free", NULL).forecast, WL_UPPER_BOUND);
	end(&f);
}

/* 120 runs of one kernel, 100 us apart: guessed steps. After half of them a call takes 3 ms. */
static struct wl_whatif_result pause_in(struct fixture *f, const char *name)
{
	wl_ns now = 0;

	begin(f);
	for (int i = 0; i < 120; i++, now += 100 * us) {
		kernel(f, "sweep", now, now + 10 * us, now + 70 * us);
		if (i != 60)
			continue;
		call(f, now + 80 * us, now + 3080 * us, name);
		now += 3000 * us;
	}
	seal(f);
	return run(f, "slow-steps", NULL);
}

TEST(set_up_between_steps_is_not_predicted_to_go)
{
	struct wl_whatif_result r;
	struct fixture f;

	r = pause_in(&f, "cudaMalloc");
	assert_int_equal(r.refused, WL_NOT_REFUSED);
	assert_int_equal(r.forecast, WL_UPPER_BOUND);
	assert_int_equal(r.remark.kind, WL_REMARK_SET_UP);
	assert_int_equal(r.remark.n, 1);
	assert_int_equal(r.remark.of_n, 1);
	end(&f);
	r = pause_in(&f, "cudaEventQuery");
	assert_int_equal(r.refused, WL_NOT_REFUSED);
	assert_int_equal(r.forecast, WL_PREDICTION);
	end(&f);
}

/* An MPI call of 200 us between two kernels, from 10 us to 427 us; in a window after it none. */
TEST(what_mpi_keeps_is_of_the_window)
{
	WITH(struct fixture, f, end, begin(&f));
	struct wl_interval window = { 321 * us, 500 * us };
	struct wl_whatif_result r;

	kernel(&f, all_reduce, 0, 10 * us, 110 * us);
	MEM_MPI_OTHER(&f.mem, .start = 120 * us, .end = 320 * us, .name = "MPI_Sendrecv");
	kernel(&f, "two", 321 * us, 327 * us, 427 * us);
	seal(&f);
	r = run(&f, "comm-free", NULL);
	assert_int_equal(r.remark.kind, WL_REMARK_OTHER_MPI);
	assert_int_equal(r.remark.time, 200 * us);
	assert_int_equal(r.remark.of_time, 417 * us);
	assert_true(wl_whatif_begin(&f.mem.derived, &window, &f.arena, &f.w));
	assert_int_equal(run(&f, "comm-free", NULL).remark.kind, WL_REMARK_NONE);
}

TEST(few_steps_validate_nothing)
{
	WITH(struct fixture, f, end, begin(&f));
	struct wl_fidelity fidelity;

	put_sync(&f);
	seal(&f);
	assert_true(wl_fidelity_find(&f.w, &f.arena, &fidelity));
	assert_int_equal(fidelity.n_moved, 0);
	assert_int_equal(fidelity.n_activities, 5);
	assert_int_equal(fidelity.held_out.verdict, WL_HELD_OUT_FEW);
	assert_true(wl_fidelity_error(&fidelity) < 0);
}
