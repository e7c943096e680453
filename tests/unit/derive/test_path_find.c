/* SPDX-License-Identifier: MIT */
#include "derive/graph/path.h"

#include <stdio.h>
#include <string.h>

#include "derive/derived.h"
#include "known/exports/codes.h"
#include "support/mem.h"
#include "support/unit.h"

static const wl_ns us = 1000;
static const char all_reduce[] = "ncclDevKernel_AllReduce_x";

struct fixture {
	struct mem mem;
	const struct wl_path *path;
	unsigned corr;
};

static void begin(struct fixture *f)
{
	*f = (struct fixture){ .corr = 0 };
	mem_init(&f->mem);
}

static void end(struct fixture *f)
{
	mem_release(&f->mem);
}

/* A kernel on a stream that was launched at a time; the call takes 1 us. */
static void kernel(struct fixture *f, unsigned stream, wl_ns launch, wl_ns start, wl_ns stop)
{
	f->corr++;
	MEM_API(&f->mem, .start = launch, .end = launch + us, .corr = f->corr);
	MEM_OP(&f->mem, WL_F_KERNELS, .start = start, .end = stop, .stream = stream,
	       .corr = f->corr);
}

static void call(struct fixture *f, wl_ns start, wl_ns stop, const char *name)
{
	f->corr++;
	MEM_API(&f->mem, .start = start, .end = stop, .corr = f->corr, .name = name);
}

static const struct wl_path *find(struct fixture *f)
{
	const struct wl_path *p;
	wl_ns sum = 0;

	(void)mem_seal(&f->mem);
	f->path = p = f->mem.derived.path;
	for (size_t i = 0; i < p->n; i++) {
		assert_true(p->begin[i] < p->begin[i + 1]);
		sum += p->begin[i + 1] - p->begin[i];
	}
	assert_int_equal(sum, p->window.end - p->window.begin);
	return p;
}

/* The segments as "class length" in us. */
static void expect(const struct fixture *f, const char *segments)
{
	char text[512] = "";

	for (size_t i = 0; i < f->path->n; i++) {
		size_t n = strlen(text);

		(void)snprintf(text + n, sizeof(text) - n, "%s%s %d", i ? ", " : "",
			       wl_path_class_name(f->path->class[i]),
			       (int)((f->path->begin[i + 1] - f->path->begin[i]) / us));
	}
	assert_string_equal(text, segments);
}

/* Both were queued: the time between them is the GPU's own. */
TEST(a_queued_kernel_is_dispatched)
{
	WITH(struct fixture, f, end, begin(&f));

	kernel(&f, 7, 0, 10 * us, 110 * us);
	kernel(&f, 7, 2 * us, 112 * us, 212 * us);
	(void)find(&f);
	expect(&f, "compute 100, dispatch 2, compute 100");
	assert_int_equal(f.path->rigid, 2 * us);
	assert_int_equal(f.path->activity[1], 1); /* waits for the second one */
}

/*
 * The second kernel is launched after the first has ended: 10 us of latency, and before that
 * the gap between the calls down to the start of the first kernel.
 */
TEST(a_late_launch_leads_to_the_host)
{
	WITH(struct fixture, f, end, begin(&f));

	kernel(&f, 7, 0, 10 * us, 50 * us);
	kernel(&f, 7, 100 * us, 110 * us, 210 * us);
	(void)find(&f);
	expect(&f, "host 90, latency 10, compute 100");
}

/* A call that waits for the first kernel returns 5 us after it; then the next launch follows. */
TEST(a_blocking_call_returns)
{
	struct fixture f;

	begin(&f);
	kernel(&f, 7, 0, 10 * us, 50 * us);
	call(&f, 2 * us, 55 * us, "cudaDeviceSynchronize");
	kernel(&f, 7, 60 * us, 70 * us, 100 * us);
	(void)find(&f);
	expect(&f, "compute 40, return 5, host 5, latency 10, compute 30");
	end(&f);
}

/* One that waited for nothing is a call like others. */
TEST(another_call_is_api_time)
{
	WITH(struct fixture, f, end, begin(&f));

	kernel(&f, 7, 0, 10 * us, 50 * us);
	call(&f, 52 * us, 58 * us, "cudaMalloc");
	kernel(&f, 7, 60 * us, 70 * us, 100 * us);
	(void)find(&f);
	expect(&f, "host 42, api 6, host 2, latency 10, compute 30");
}

/* Without calls, up to 5 us between kernels are dispatch; longer is unknown. */
TEST(long_gaps_without_a_launch_are_unknown)
{
	WITH(struct fixture, f, end, begin(&f));

	MEM_OP(&f.mem, WL_F_KERNELS, .start = 0, .end = 400 * us);
	MEM_OP(&f.mem, WL_F_KERNELS, .start = 405 * us, .end = 800 * us);
	MEM_OP(&f.mem, WL_F_KERNELS, .start = 806 * us, .end = 1000 * us);
	(void)find(&f);
	expect(&f, "compute 400, dispatch 5, compute 395, unknown 6, compute 194");
	assert_int_equal(wl_path_trust(f.path), WL_PATH_SOUND);
}

/* What follows on another stream within 2 us is inferred, and the share says so. */
TEST(an_inferred_dependency_is_counted)
{
	WITH(struct fixture, f, end, begin(&f));

	kernel(&f, 7, 0, 10 * us, 110 * us);
	kernel(&f, 20, 2 * us, 111 * us, 211 * us);
	(void)find(&f);
	expect(&f, "compute 100, dependency 1, compute 100");
	assert_int_equal(f.path->inferred, 101 * us);
}

/* An event proves the same dependency. */
TEST(an_event_is_proof)
{
	WITH(struct fixture, f, end, begin(&f));

	kernel(&f, 7, 0, 10 * us, 110 * us);
	call(&f, 2 * us, 3 * us, "cudaEventRecord");
	mem_event(&f.mem, &(struct mem_op){ .stream = 7, .corr = f.corr, .event = 5 });
	call(&f, 4 * us, 5 * us, "cudaStreamWaitEvent");
	MEM_OP(&f.mem, WL_F_SYNCS, .start = 1, .end = 2, .stream = 20, .corr = f.corr,
	       .kind = WL_SYNC_STREAM_WAITS, .event = 5);
	kernel(&f, 20, 6 * us, 114 * us, 214 * us);
	(void)find(&f);
	expect(&f, "compute 100, dependency 4, compute 100");
	assert_int_equal(f.path->inferred, 0);
}

/* Start to start: the kernel before still runs. */
TEST(a_dependent_launch_goes_from_start_to_start)
{
	WITH(struct fixture, f, end, begin(&f));

	kernel(&f, 7, 0, 10 * us, 100 * us);
	kernel(&f, 7, 2 * us, 90 * us, 200 * us);
	(void)find(&f);
	expect(&f, "dispatch 80, compute 110");
}

/* A member of a collective of two processes. */
static void member(struct fixture *f, unsigned pid, wl_ns start, wl_ns stop)
{
	MEM_OP(&f->mem, WL_F_KERNELS, .start = start, .end = stop, .pid = pid, .device = pid - 100,
	       .stream = 20, .name = all_reduce);
}

/*
 * Process 101 arrives last, 30 us after 100: the path is in its kernel before, and in the
 * transfer of the one that leaves last.
 */
TEST(the_path_goes_on_at_the_last_to_arrive)
{
	WITH(struct fixture, f, end, begin(&f));
	const struct wl_path *p;

	for (wl_ns i = 0; i < 20; i++) {
		wl_ns at = i * 1000 * us;

		MEM_OP(&f.mem, WL_F_KERNELS, .start = at, .end = at + 60 * us, .pid = 100);
		MEM_OP(&f.mem, WL_F_KERNELS, .start = at, .end = at + 90 * us, .pid = 101,
		       .device = 1);
		member(&f, 100, at + 61 * us, at + 110 * us);
		member(&f, 101, at + 91 * us, at + 110 * us);
	}
	p = find(&f);
	assert_true(p->n >= 3);
	assert_int_equal(p->class[p->n - 1], WL_PATH_TRANSFER);
	assert_int_equal(p->begin[p->n - 1], p->window.end - 19 * us);
	assert_int_equal(p->class[p->n - 2], WL_PATH_DEPENDENCY);
	assert_int_equal(p->class[p->n - 3], WL_PATH_COMPUTE);
	assert_int_equal(wl_graph_process(p->graph, p->activity[p->n - 3]), 1);
	assert_int_equal(p->begin[p->n - 2] - p->begin[p->n - 3], 90 * us);
}

/* Of processes 101 and 102, which arrive last together, the first counts; 100 leaves last. */
TEST(of_those_who_arrive_together_the_first_counts)
{
	WITH(struct fixture, f, end, begin(&f));
	const struct wl_path *p;

	for (wl_ns i = 0; i < 20; i++) {
		wl_ns at = i * 1000 * us;

		for (unsigned pid = 100; pid < 103; pid++) {
			wl_ns ready = at + (pid == 100 ? 60 : 90) * us;

			MEM_OP(&f.mem, WL_F_KERNELS, .start = at, .end = ready, .pid = pid,
			       .device = pid - 100);
			member(&f, pid, ready + us, at + (pid == 100 ? 111 : 110) * us);
		}
	}
	p = find(&f);
	assert_int_equal(wl_graph_process(p->graph, p->activity[p->n - 1]), 0);
	assert_int_equal(wl_graph_process(p->graph, p->activity[p->n - 2]), 1);
}

/* More than a tenth of the path is unknown. */
TEST(mostly_unknown_is_refused)
{
	struct fixture f;

	begin(&f);
	MEM_OP(&f.mem, WL_F_KERNELS, .start = 0, .end = 80 * us);
	MEM_OP(&f.mem, WL_F_KERNELS, .start = 90 * us, .end = 100 * us);
	(void)find(&f);
	expect(&f, "compute 80, unknown 10, compute 10");
	assert_int_equal(wl_path_trust(f.path), WL_PATH_DOUBTFUL);
	end(&f);
	begin(&f);
	MEM_OP(&f.mem, WL_F_KERNELS, .start = 0, .end = 80 * us);
	MEM_OP(&f.mem, WL_F_KERNELS, .start = 91 * us, .end = 100 * us);
	(void)find(&f);
	assert_int_equal(wl_path_trust(f.path), WL_PATH_REFUSED);
	end(&f);
}

/* Operations that begin before their launch. */
TEST(skewed_clocks_are_refused)
{
	WITH(struct fixture, f, end, begin(&f));

	kernel(&f, 7, 20 * us, 10 * us, 50 * us);
	kernel(&f, 7, 60 * us, 51 * us, 90 * us);
	assert_int_equal(find(&f)->n_skewed, 1);
	assert_int_equal(wl_path_trust(f.path), WL_PATH_REFUSED);
}

TEST(a_moment_has_its_segment)
{
	WITH(struct fixture, f, end, begin(&f));

	kernel(&f, 7, 0, 10 * us, 110 * us);
	kernel(&f, 7, 2 * us, 112 * us, 212 * us);
	(void)find(&f);
	assert_int_equal(wl_path_at(f.path, 10 * us), 0);
	assert_int_equal(wl_path_at(f.path, 110 * us - 1), 0);
	assert_int_equal(wl_path_at(f.path, 110 * us), 1);
	assert_int_equal(wl_path_at(f.path, 212 * us - 1), 2);
}

/* Activities of no length at one time. */
TEST(what_has_no_length_ends_the_walk)
{
	WITH(struct fixture, f, end, begin(&f));

	kernel(&f, 7, 0, 10 * us, 10 * us);
	kernel(&f, 20, 0, 10 * us, 10 * us);
	kernel(&f, 7, 0, 10 * us, 20 * us);
	(void)find(&f);
	expect(&f, "compute 10");
}

TEST(no_rows_make_an_empty_path)
{
	WITH(struct fixture, f, end, begin(&f));

	assert_int_equal(find(&f)->n, 0);
	assert_int_equal(wl_path_trust(f.path), WL_PATH_SOUND);
}
