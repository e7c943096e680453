/* SPDX-License-Identifier: MIT */
/* What counts as a step where several things repeat. */
#include <stdio.h>
#include <string.h>

#include "derive/iters/iters.h"
#include "derive/nvtx/conventions.h"
#include "support/found.h"
#include "support/unit.h"

static const struct wl_derived_opts plain = { .marker = NULL };

/* Names of kernels that never repeat, so that only ranges can be found. */
static const char *unique(struct found *f)
{
	static char text[32];

	(void)snprintf(text, sizeof(text), "kernel%c%c", 'a' + (int)(f->corr % 26),
		       'a' + (int)(f->corr / 26 % 26));
	return text;
}

/* Steps of 100, numbered from 0 in each epoch. */
static void put_epochs(struct found *f, unsigned n_epochs, unsigned n_steps)
{
	wl_ns t = 1000;
	char name[32];

	for (unsigned e = 0; e < n_epochs; e++) {
		(void)snprintf(name, sizeof(name), "epoch %u", e);
		found_range(f, t, t + 100 * (wl_ns)n_steps, name);
		for (unsigned s = 0; s < n_steps; s++, t += 100) {
			(void)snprintf(name, sizeof(name), "step %u", s);
			found_range(f, t, t + 100, name);
			found_launch(f, t + 10, 1, unique(f));
		}
	}
}

TEST(epochs_do_not_win_over_steps)
{
	WITH(struct found, f, found_end, found_begin(&f));

	put_epochs(&f, 4, 10);
	found_find(&f, &plain);
	assert_string_equal(f.p->what, "step #");
	assert_int_equal(f.p->n, 40);
}

TEST(the_outermost_label_with_eight_instances_wins)
{
	WITH(struct found, f, found_end, found_begin(&f));

	put_epochs(&f, 8, 5);
	found_find(&f, &plain);
	assert_string_equal(f.p->what, "epoch #");
	assert_int_equal(f.p->n, 8);
}

TEST(without_eight_of_any_the_most_instances_win)
{
	WITH(struct found, f, found_end, found_begin(&f));

	put_epochs(&f, 3, 2);
	found_find(&f, &plain);
	assert_string_equal(f.p->what, "step #");
	assert_int_equal(f.p->n, 6);
}

static void put_runs(struct found *f, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		MEM_OP(&f->m, WL_F_KERNELS, .start = 1000 + 40 * (wl_ns)i,
		       .end = 1030 + 40 * (wl_ns)i, .name = "same");
}

TEST(one_kernel_makes_steps_from_fifty_runs_on)
{
	struct found f;

	found_begin(&f);
	put_runs(&f, 49);
	found_find(&f, &plain);
	assert_int_equal(f.p->method, WL_ITER_NONE);
	found_end(&f);
	found_begin(&f);
	put_runs(&f, 50);
	found_find(&f, &plain);
	assert_int_equal(f.p->method, WL_ITER_SEQUENCE);
	assert_int_equal(f.p->n, 50);
	found_end(&f);
}

/* Eight steps of four layers, 30 each, and a wait after the last; 10 before the first call. */
static void put_layers(struct found *f, const char *const *names)
{
	for (unsigned i = 0; i < 8; i++) {
		for (unsigned k = 0; k < 4; k++) {
			wl_ns t = 1000 + 200 * (wl_ns)i + 30 * (wl_ns)k;

			found_range(f, t, t + 25, names[k]);
			found_launch(f, t + 5, 1, unique(f));
		}
	}
}

TEST(a_cycle_of_layers_is_a_step)
{
	WITH(struct found, f, found_end, found_begin(&f));
	static const char *const names[] = { "layer 0", "layer 1", "layer 2", "layer 3" };

	/* The capture begins in the middle of a cycle; the lowest name begins the next one. */
	found_range(&f, 900, 925, "layer 2");
	found_launch(&f, 905, 1, "x");
	found_range(&f, 930, 955, "layer 3");
	found_launch(&f, 935, 1, "y");
	put_layers(&f, names);
	found_find(&f, &plain);
	assert_int_equal(f.p->method, WL_ITER_NVTX);
	assert_string_equal(f.p->what, "layer #");
	assert_string_equal(f.p->is, "cycle of 4 NVTX ranges `layer #`");
	assert_false(f.p->is_guess);
	assert_true(f.p->is_joined);
	assert_int_equal(f.p->n, 8);
	assert_int_equal(f.p->at[0].tile.begin, 1025);
	assert_int_equal(f.p->at[0].tile.end, 1225);
	/* A step goes on until the next one begins; the last to the end of its last range. */
	assert_int_equal(f.p->at[0].host.begin, 1000);
	assert_int_equal(f.p->at[0].host.end, 1200);
	assert_int_equal(f.p->at[7].host.end, 2515);
	assert_int_equal(wl_iteration_at(f.p, 1199), 0);
	assert_int_equal(wl_iteration_at(f.p, 999), WL_NONE);
	assert_int_equal(wl_iteration_at(f.p, 2515), WL_NONE);
}

TEST(layers_without_numbers_are_a_guess)
{
	WITH(struct found, f, found_end, found_begin(&f));
	static const char *const names[] = { "layer", "layer", "layer", "layer" };

	put_layers(&f, names);
	found_find(&f, &plain);
	assert_string_equal(f.p->is, "NVTX range `layer`");
	assert_int_equal(f.p->n, 32);
	assert_true(f.p->is_guess);
}

/* Twelve steps of 200 with ranges of these names, each of which launches a kernel. */
static void put_parts(struct found *f, const char *const *names, unsigned n, const char *second)
{
	for (unsigned i = 0; i < 12; i++) {
		for (unsigned k = 0; k < n; k++) {
			wl_ns t = 1000 + 200 * (wl_ns)i + 50 * (wl_ns)k;

			found_range(f, t, t + 45, k == 1 && i % 6 == 0 ? second : names[k]);
			found_launch(f, t + 5, 1, unique(f));
		}
	}
}

TEST(parts_that_own_the_time_together_make_steps)
{
	WITH(struct found, f, found_end, found_begin(&f));
	static const char *const names[] = { "forward", "backward", "optimizer" };

	put_parts(&f, names, 3, "backward");
	found_find(&f, &plain);
	assert_int_equal(f.p->method, WL_ITER_NVTX);
	assert_string_equal(f.p->is, "from one NVTX range `forward` to the next");
	assert_int_equal(f.p->n, 12);
	assert_int_equal(f.p->at[0].tile.begin, 1025);
	assert_int_equal(f.p->at[0].last_end, 1135);
	assert_int_equal(f.p->median, 200);
	assert_false(f.p->has_kinds);
}

TEST(operators_are_no_parts_of_a_step)
{
	WITH(struct found, f, found_end, found_begin(&f));

	/* As many kinds of piece as there are operators after "to". */
	for (unsigned i = 0; i < 40; i++) {
		char name[8] = { 'o', 'p', (char)('a' + i % 7) };
		wl_ns t = 1000 + 100 * (wl_ns)i;

		found_range(&f, t, t + 40, "to");
		found_launch(&f, t + 5, 1, unique(&f));
		found_range(&f, t + 50, t + 90, name);
		found_launch(&f, t + 55, 1, unique(&f));
	}
	found_find(&f, &plain);
	assert_int_equal(f.p->method, WL_ITER_NONE);
}

TEST(serving_steps_have_kinds)
{
	WITH(struct found, f, found_end, found_begin(&f));
	static const char *const names[] = { "schedule", "decode", "sampling" };
	struct wl_step_sum sum;
	bool on = true;

	put_parts(&f, names, 3, "prefill");
	found_find(&f, &plain);
	assert_int_equal(f.p->n, 12);
	assert_true(f.p->has_kinds);
	assert_int_equal(f.p->kind[WL_STEP_PREFILL].n, 2);
	assert_int_equal(f.p->kind[WL_STEP_DECODE].n, 10);
	assert_int_equal(f.p->at[0].kind, WL_STEP_PREFILL);
	assert_int_equal(f.p->at[1].kind, WL_STEP_DECODE);
	assert_int_equal(f.p->at[6].kind, WL_STEP_PREFILL);
	assert_string_equal(f.p->is, "from one NVTX range `schedule` to the next");
	assert_int_equal(f.p->kind[WL_STEP_DECODE].median, 200);
	assert_int_equal(f.p->kind[WL_STEP_PREFILL].median, 200);
	assert_true(wl_iterations_sum(f.trace, f.all, &on, &sum));
	assert_ptr_equal(sum.example, f.p);
	assert_int_equal(sum.n_processes, 1);
	assert_int_equal(sum.n, 12);
	assert_int_equal(sum.median, 200);
	on = false;
	assert_false(wl_iterations_sum(f.trace, f.all, &on, &sum));
}

/* Ranges that are steps by themselves, without one that all steps have. */
TEST(ranges_that_say_a_kind_are_one_label)
{
	WITH(struct found, f, found_end, found_begin(&f));
	static const char *const names[] = { "step[DECODE bs=4]" };

	for (unsigned i = 0; i < 12; i++) {
		wl_ns t = 1000 + 100 * (wl_ns)i;

		found_range(&f, t, t + 90, i % 3 ? names[0] : "step[EXTEND bs=1 toks=128]");
		found_launch(&f, t + 5, 1, unique(&f));
	}
	found_find(&f, &plain);
	assert_int_equal(f.p->n, 12);
	assert_int_equal(f.p->kind[WL_STEP_PREFILL].n, 4);
	assert_int_equal(f.p->kind[WL_STEP_DECODE].n, 8);
}

/* A graph of two kernels, and an eager one behind it; every fourth time a third one, too. */
static void put_replays(struct found *f, unsigned n, wl_ns graph, wl_ns eager)
{
	for (unsigned i = 0; i < n; i++) {
		wl_ns t = 1000 + 1000 * (wl_ns)i;
		unsigned corr = ++f->corr;

		MEM_API(&f->m, .start = t, .end = t + 5, .corr = corr,
			.name = "cudaGraphLaunch_v10000");
		MEM_OP(&f->m, WL_F_KERNELS, .start = t + 20, .end = t + 20 + graph, .corr = corr,
		       .name = "a");
		MEM_OP(&f->m, WL_F_KERNELS, .start = t + 20 + graph, .end = t + 40 + graph,
		       .corr = corr, .name = "b");
		if (i % 4 == 3)
			found_launch(f, t + 500, 1, "extra");
		MEM_OP(&f->m, WL_F_KERNELS, .start = t + 600, .end = t + 600 + eager, .name = "c");
	}
}

TEST(launches_of_a_graph_are_steps)
{
	WITH(struct found, f, found_end, found_begin(&f));

	put_replays(&f, 20, 100, 200);
	found_launch(&f, 30000, 1, "after"); /* beyond the last period */
	found_find(&f, &plain);
	assert_int_equal(f.p->method, WL_ITER_GRAPH);
	assert_string_equal(f.p->what, "graph");
	assert_string_equal(f.p->is, "launch of one CUDA graph");
	assert_int_equal(f.p->n, 20);
	assert_int_equal(f.p->at[0].tile.begin, 1020);
	assert_int_equal(f.p->at[0].last_end, 1800); /* what runs between launches is of the step */
	assert_int_equal(f.p->median, 1000);
	assert_null(f.p->by_marker);
}

/* What a launch owns is what most periods have: a prefill between decodes is too much. */
TEST(other_work_between_launches_may_be_too_much)
{
	for (unsigned length = 100; length <= 400; length += 300) {
		struct found f;

		(void)state;
		found_begin(&f);
		put_replays(&f, 20, 100, 10);
		for (unsigned i = 1; i < 20; i += 3)
			MEM_OP(&f.m, WL_F_KERNELS, .start = 1000 * (wl_ns)i + 1650 - 1000,
			       .end = 1000 * (wl_ns)i + 650 + length / 2, .name = "a");
		found_find(&f, &plain);
		assert_int_equal(f.p->method, length == 100 ? WL_ITER_GRAPH : WL_ITER_NONE);
		found_end(&f);
	}
}

TEST(runs_of_a_kernel_may_mark)
{
	WITH(struct found, f, found_end, found_begin(&f));

	for (unsigned i = 0; i < 6; i++) {
		wl_ns t = 1000 + 100 * (wl_ns)i;

		found_launch(&f, t, 1,
			     i == 3 ? "void sgd::STEP<int>(float*)" : "void sgd::step(int)");
		found_launch(&f, t + 40, 1, unique(&f));
	}
	found_find(&f, &(struct wl_derived_opts){ .marker = "kernel:sgd::step" });
	assert_null(f.all->problem);
	assert_int_equal(f.p->method, WL_ITER_MARKER);
	assert_string_equal(f.p->is, "from one run of kernel `sgd::step` to the next");
	assert_int_equal(f.p->n, 6);
	assert_int_equal(f.p->at[0].tile.begin, 1020);
	assert_int_equal(f.p->at[0].last_end, 1070);
	assert_int_equal(wl_iteration_of(f.trace, f.p, 1060, WL_NONE), 0);
}

TEST(a_kernel_that_is_not_there_is_a_problem)
{
	WITH(struct found, f, found_end, found_begin(&f));

	found_launch(&f, 1000, 1, "gemm");
	found_find(&f, &(struct wl_derived_opts){ .marker = "kernel:conv" });
	assert_string_equal(f.all->problem, "no kernel matches; there are: `gemm` (1)");
}

/* Chunks of the pithtrain convention in ten iterations, and in three. */
TEST(ranges_around_anchors_are_the_steps)
{
	for (unsigned n = 3; n <= 10; n += 7) {
		struct wl_conventions *asked;
		struct found f;

		(void)state;
		found_begin(&f);
		for (unsigned i = 0; i < n; i++) {
			wl_ns t = 1000 + 200 * (wl_ns)i;

			found_range(&f, t, t + 200, "iteration 1");
			found_range(&f, t, t + 100, "forward chunk 1 backward chunk 0");
			found_launch(&f, t + 10, 1, unique(&f));
			found_range(&f, t + 100, t + 200, "forward chunk 2 backward chunk 1");
			found_launch(&f, t + 110, 1, unique(&f));
		}
		found_find(&f, &plain);
		assert_int_equal(f.p->method, n == 10 ? WL_ITER_NVTX : WL_ITER_CONVENTIONS);
		assert_int_equal(f.p->n, n == 10 ? 10 : 6);
		wl_derivations_release(&f.derivations);
		assert_int_equal(wl_conventions_builtin("pithtrain", &asked, NULL), WL_OK);
		f.derived = derive_all(&f.derivations, f.trace,
				       &(struct wl_derived_opts){ .conventions = asked });
		f.p = f.derived.iterations->process;
		assert_int_equal(f.p->method, WL_ITER_CONVENTIONS);
		assert_int_equal(f.p->n, 2 * n);
		assert_string_equal(f.p->is, "NVTX range `forward chunk # backward chunk #`");
		assert_string_equal(f.p->by, "pithtrain naming");
		found_end(&f);
		wl_conventions_free(asked);
	}
}

/* Six steps of a process; where[i] is when the i-th begins. */
static void put_rank(struct found *f, unsigned pid, const wl_ns *where, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		unsigned corr = ++f->corr;

		MEM_NVTX(&f->m, .start = where[i], .end = where[i] + 40, .pid = pid, .tid = 1,
			 .name = "step");
		MEM_API(&f->m, .start = where[i] + 1, .end = where[i] + 3, .pid = pid, .tid = 1,
			.corr = corr);
		MEM_OP(&f->m, WL_F_KERNELS, .start = where[i] + 20, .end = where[i] + 30,
		       .pid = pid, .device = pid / 100, .corr = corr, .name = unique(f));
	}
}

TEST(the_job_has_one_steady_index)
{
	WITH(struct found, f, found_end, found_begin(&f));
	/* Longest periods by index: 100, 150, 110, 120, 130: of the middle four 120 is the median.
	 */
	static const wl_ns a[] = { 1000, 1100, 1250, 1350, 1450, 1580 };
	static const wl_ns b[] = { 1000, 1090, 1190, 1300, 1420, 1520 };
	static const wl_ns c[] = { 1000, 1100, 1200 };

	put_rank(&f, 100, a, 6);
	put_rank(&f, 200, b, 6);
	put_rank(&f, 300, c, 3);
	found_find(&f, &plain);
	assert_int_equal(f.p[0].steady, 3);
	assert_int_equal(f.p[1].steady, 3);
	assert_int_equal(f.p[2].steady, 0);
	assert_int_equal(f.all->n_uneven, 1);
}
