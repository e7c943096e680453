/* SPDX-License-Identifier: MIT */
#include "compare/fingerprint/take.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/diff/diff.h"
#include "compare/diff/diff_words.h"
#include "compare/fingerprint/fingerprint_json.h"
#include "support/mem.h"
#include "support/unit.h"

enum { BUDGET = 64 << 20 };

/* A trace in memory and its fingerprint. */
struct taken {
	struct mem mem;
	struct mem_scope scope;
	struct wl_arena arena;
	struct wl_fingerprint f;
	struct wl_err err;
	int status;
};

static void take_within(struct taken *x, size_t budget)
{
	struct wl_derived derived = x->mem.derived;
	const struct wl_run run = { .trace = derived.trace,
				    .scope = &x->scope.scope,
				    .derived = &derived,
				    .arena = &x->arena };

	wl_arena_init(&x->arena, budget);
	if (wl_scoped_find(&derived, run.scope, WL_FROM(LEDGER), &x->arena))
		x->status = wl_fp_take(&run, &x->f, &x->err);
	else
		x->status = wl_fail(&x->err, WL_E_NOMEM, "no memory to compare the trace");
}

static void take(struct taken *x)
{
	mem_scope_whole(&x->scope, mem_seal(&x->mem));
	take_within(x, BUDGET);
	if (x->status < 0)
		fail_msg("%s", x->err.msg);
}

static void release(struct taken *x)
{
	wl_arena_release(&x->arena);
	mem_release(&x->mem);
}

/*
 * A step of a process at t: a range of 900, gemm from 100 to 500 and a collective from
 * 400 to 600, both launched in the first 30 ns. In a period of 1000: compute 400,
 * exposed communication 100, idle 500.
 */
static void put_step(struct taken *x, unsigned pid, unsigned device, wl_ns t, unsigned i,
		     const char *gemm)
{
	char name[32];

	(void)snprintf(name, sizeof(name), "step %u", i);
	MEM_NVTX(&x->mem, .start = t, .end = t + 900, .pid = pid, .tid = pid, .name = name);
	MEM_API(&x->mem, .start = t + 10, .end = t + 20, .pid = pid, .tid = pid, .corr = 2 * i + 1);
	MEM_OP(&x->mem, WL_F_KERNELS, .start = t + 100, .end = t + 500, .pid = pid,
	       .device = device, .corr = 2 * i + 1, .name = gemm);
	MEM_API(&x->mem, .start = t + 20, .end = t + 30, .pid = pid, .tid = pid, .corr = 2 * i + 2);
	MEM_OP(&x->mem, WL_F_KERNELS, .start = t + 400, .end = t + 600, .pid = pid,
	       .device = device, .stream = 13, .corr = 2 * i + 2,
	       .name = "ncclDevKernel_AllReduce");
}

static void begin(struct taken *x)
{
	*x = (struct taken){ .status = 0 };
	mem_init(&x->mem);
}

static wl_ns idle_of(const struct wl_fingerprint *f, enum wl_extent extent)
{
	wl_ns sum = 0;

	for (size_t c = 0; c < WL_N_CAUSES; c++)
		sum += f->part[extent][WL_PART_IDLE + c];
	return sum;
}

TEST(the_sample_leaves_out_both_ends_and_outliers)
{
	WITH(struct taken, x, release, begin(&x));

	for (unsigned i = 0; i < 12; i++)
		put_step(&x, 100, 0, 1000 * (wl_ns)i + (i > 5 ? 3000 : 0), i, "gemm");
	take(&x);
	assert_string_equal(x.f.method, "nvtx");
	assert_string_equal(x.f.what, "NVTX range `step #`");
	assert_int_equal(x.f.n_steps, 9); /* not 0, 11, and 5 with its 4000 */
	assert_int_equal(x.f.n_left_out, 3);
	assert_int_equal(x.f.n_processes, 1);
	for (size_t i = 0; i < x.f.n_steps; i++)
		assert_int_equal(x.f.step[i], 1000);
	assert_int_equal(x.f.part[WL_OF_STEPS][WL_PART_COMPUTE], 9 * 400);
	assert_int_equal(x.f.part[WL_OF_STEPS][WL_PART_EXPOSED_COMM], 9 * 100);
	assert_int_equal(idle_of(&x.f, WL_OF_STEPS), 9 * 500);
	assert_int_equal(x.f.part[WL_OF_STEPS][WL_PART_RANK_SKEW], 0);
	assert_int_equal(x.f.window_ns, 11000 + 3000 + 500);
	assert_int_equal(x.f.part[WL_OF_WINDOW][WL_PART_COMPUTE], 12 * 400);
	assert_int_equal(x.f.launches[WL_OF_STEPS], 18);
	assert_int_equal(x.f.launches[WL_OF_WINDOW], 24);
}

static bool has_note(const struct wl_fingerprint *f, const char *part)
{
	for (size_t i = 0; i < f->n_notes; i++) {
		if (strstr(f->note[i], part))
			return true;
	}
	return false;
}

/* Every third step takes longer: these are no accidents. Every tenth: they are left out. */
TEST(many_outliers_stay_and_a_note_says_so)
{
	for (unsigned every = 3; every <= 10; every += 7) {
		struct taken x;
		wl_ns t = 0;

		begin(&x);
		for (unsigned i = 0; i < 32; i++) {
			put_step(&x, 100, 0, t, i, "gemm");
			t += i % every == 1 ? 1500 : 1000;
		}
		take(&x);
		assert_int_equal(x.f.n_steps, every == 3 ? 30 : 27); /* 1, 11 and 21 */
		assert_int_equal(x.f.n_left_out, every == 3 ? 2 : 5);
		assert_int_equal(has_note(&x.f, "outliers are kept"), every == 3);
		release(&x);
	}
}

TEST(rows_are_of_the_sample_and_of_the_window)
{
	WITH(struct taken, x, release, begin(&x));
	const struct wl_fp_row *r;

	for (unsigned i = 0; i < 12; i++)
		put_step(&x, 100, 0, 1000 * (wl_ns)i, i, i == 0 ? "warmup" : "gemm");
	take(&x);
	assert_int_equal(x.f.kernels.n, 3);
	r = &x.f.kernels.row[0];
	assert_string_equal(r->name, "gemm");
	assert_int_equal(r->of[WL_OF_STEPS].calls, 10);
	assert_int_equal(r->of[WL_OF_STEPS].ns, 4000);
	assert_int_equal(r->of[WL_OF_WINDOW].calls, 11);
	assert_int_equal(r->position, 0);
	assert_int_equal(r->series.n, 10);
	assert_int_equal(r->series.at[0], 400);
	assert_int_equal(x.f.kernels.row[1].position, 1);
	assert_string_equal(x.f.kernels.row[2].name, "warmup");
	assert_int_equal(x.f.kernels.row[2].of[WL_OF_STEPS].calls, 0);
	assert_int_equal(x.f.kernels.row[2].position, -1);
	assert_int_equal(x.f.ranges.n, 1);
	assert_string_equal(x.f.ranges.row[0].name, "step #");
	assert_int_equal(x.f.ranges.row[0].of[WL_OF_STEPS].ns, 10 * 900);
	assert_int_equal(x.f.ranges.row[0].gpu[WL_OF_STEPS], 10 * 600);
	assert_int_equal(x.f.categories.n, 3); /* gemm, communication, (other) */
}

/*
 * Behind the range of each step and before the next one, a copy within the GPU and a kernel are
 * launched under a range of their own; an epoch begins there too, on another thread, and goes on.
 */
static void put_between(struct taken *x, wl_ns t, unsigned i)
{
	MEM_NVTX(&x->mem, .start = t + 910, .end = t + 950, .pid = 100, .tid = 100,
		 .name = "between");
	for (unsigned k = 0; k < 2; k++) {
		MEM_API(&x->mem, .start = t + 920 + 10 * (wl_ns)k, .end = t + 925 + 10 * (wl_ns)k,
			.pid = 100, .tid = 100, .corr = 1000 + 2 * i + k);
		MEM_OP(&x->mem, k ? WL_F_KERNELS : WL_F_MEMCPYS, .start = t + 940 + 30 * (wl_ns)k,
		       .end = t + 960 + 30 * (wl_ns)k, .pid = 100, .corr = 1000 + 2 * i + k,
		       .name = k ? "update" : NULL);
	}
	if (i == 5)
		MEM_NVTX(&x->mem, .start = t + 955, .end = t + 6000, .pid = 100, .tid = 101,
			 .name = "epoch");
}

static const struct wl_fp_row *row_of(const struct wl_fp_list *list, const char *name)
{
	for (size_t i = 0; i < list->n; i++) {
		if (strcmp(list->row[i].name, name) == 0)
			return &list->row[i];
	}
	fail_msg("no row %s", name);
	return NULL;
}

/* What runs in a period is of the step, also where no step launched it. */
TEST(what_is_launched_between_steps_counts)
{
	WITH(struct taken, x, release, begin(&x));
	const struct wl_fp_row *r;

	for (unsigned i = 0; i < 12; i++) {
		put_step(&x, 100, 0, 1000 * (wl_ns)i, i, "gemm");
		put_between(&x, 1000 * (wl_ns)i, i);
	}
	take(&x);
	assert_string_equal(x.f.what, "NVTX range `step #`");
	assert_int_equal(x.f.n_steps, 10);
	r = row_of(&x.f.kernels, "update");
	assert_int_equal(r->of[WL_OF_STEPS].calls, 10);
	assert_int_equal(r->of[WL_OF_STEPS].ns, 10 * 20);
	assert_int_equal(x.f.copies.n, 1);
	assert_int_equal(x.f.copies.row[0].of[WL_OF_STEPS].calls, 10);
	assert_int_equal(x.f.copies.row[0].of[WL_OF_STEPS].ns, 10 * 20);
	assert_int_equal(x.f.launches[WL_OF_STEPS], 40);
	r = row_of(&x.f.ranges, "between");
	assert_int_equal(r->of[WL_OF_STEPS].calls, 10);
	assert_int_equal(r->of[WL_OF_STEPS].ns, 10 * 40);
	assert_int_equal(r->gpu[WL_OF_STEPS], 10 * 40);
	assert_int_equal(row_of(&x.f.ranges, "epoch")->of[WL_OF_STEPS].calls, 0);
}

/* The second process is 200 slower in every step: that is skew of 100 in the mean. */
TEST(the_slowest_process_is_the_step)
{
	WITH(struct taken, x, release, begin(&x));

	for (unsigned i = 0; i < 12; i++) {
		put_step(&x, 100, 0, 1000 * (wl_ns)i, i, "gemm");
		put_step(&x, 101, 1, 1200 * (wl_ns)i, i, "gemm");
	}
	take(&x);
	assert_int_equal(x.f.n_processes, 2);
	assert_int_equal(x.f.n_steps, 10);
	assert_int_equal(x.f.step[0], 1200);
	assert_int_equal(x.f.part[WL_OF_STEPS][WL_PART_RANK_SKEW], 10 * 200);
	assert_int_equal(x.f.part[WL_OF_STEPS][WL_PART_COMPUTE], 20 * 400);
	assert_int_equal(x.f.n_ranks, 2);
	assert_int_equal(x.f.rank[0].pid, 100);
	assert_int_equal(x.f.rank[0].period.at[0], 1000);
	assert_int_equal(x.f.rank[1].period.at[0], 1200);
	assert_int_equal(x.f.rank[1].device, 1);
	assert_int_equal(x.f.rank[1].compute, 10 * 400);
	assert_int_equal(x.f.rank[1].exposed_comm, 10 * 100);
}

/* Steps of 1000 + late: the second of two ranks computes so much longer, the first waits. */
static void put_late_step(struct taken *x, unsigned i, wl_ns late)
{
	for (unsigned r = 0; r < 2; r++) {
		unsigned pid = 100 + r;
		wl_ns t = (1000 + late) * (wl_ns)i, end = t + 500 + (r == 1 ? late : 0);
		char name[32];

		(void)snprintf(name, sizeof(name), "step %u", i);
		MEM_NVTX(&x->mem, .start = t, .end = t + 900, .pid = pid, .tid = pid, .name = name);
		for (unsigned k = 0; k < 2; k++) {
			MEM_API(&x->mem, .start = t + 10 + 10 * (wl_ns)k,
				.end = t + 20 + 10 * (wl_ns)k, .pid = pid, .tid = pid,
				.corr = 2 * i + k + 1);
			MEM_OP(&x->mem, WL_F_KERNELS, .start = k ? end : t + 100,
			       .end = k ? t + 600 + late : end, .pid = pid, .device = r,
			       .stream = k ? 13 : 7, .corr = 2 * i + k + 1,
			       .name = k ? "ncclDevKernel_AllReduce" : "gemm");
		}
	}
}

/* The rank that became slower is named, and not the collective that waits for it. */
TEST(the_rank_that_computes_longer_is_named)
{
	struct taken x[2];
	struct wl_diff d;
	const struct wl_diff_opts opts = { .threshold = 0.01 };
	char why[WL_WORDS];

	for (unsigned s = 0; s < 2; s++) {
		begin(&x[s]);
		for (unsigned i = 0; i < 12; i++)
			put_late_step(&x[s], i, s ? 200 : 0);
		take(&x[s]);
	}
	assert_int_equal(wl_diff_make(&x[0].f, &x[1].f, &opts, &x[0].arena, &d, &x[0].err), WL_OK);
	assert_int_equal(d.step.verdict, WL_SLOWER);
	assert_non_null(d.culprit.rank);
	assert_int_equal(d.culprit.rank->device, 1);
	assert_int_equal(d.culprit.change, 200);
	assert_int_equal(d.compute_skew[WL_BEFORE], 0);
	assert_int_equal(d.compute_skew[WL_AFTER], 100);
	assert_non_null(strstr(
		wl_diff_why(&d, why),
		"GPU 1 computes 200 ns (50.0%) longer per step; the other 1 waits "
		"for it. Kernels of that rank that grew most: gemm 400 ns -> 600 ns per step"));
	assert_int_equal(wl_diff_make(&x[1].f, &x[0].f, &opts, &x[0].arena, &d, &x[0].err), WL_OK);
	assert_non_null(strstr(wl_diff_why(&d, why), "computes 200 ns (33.3%) less per step"));
	assert_non_null(strstr(
		why, "Kernels of that rank that shrank most: gemm 600 ns -> 400 ns per step"));
	release(&x[0]);
	release(&x[1]);
}

/* Where all compute longer, no rank is named. */
TEST(no_rank_is_named_where_all_became_slower)
{
	struct taken x[2];
	struct wl_diff d;
	const struct wl_diff_opts opts = { .threshold = 0.01 };

	for (unsigned s = 0; s < 2; s++) {
		begin(&x[s]);
		for (unsigned i = 0; i < 12; i++) {
			put_step(&x[s], 100, 0, (1000 + 200 * s) * (wl_ns)i, i, "gemm");
			put_step(&x[s], 101, 1, (1000 + 200 * s) * (wl_ns)i, i, "gemm");
		}
		take(&x[s]);
	}
	assert_int_equal(wl_diff_make(&x[0].f, &x[1].f, &opts, &x[0].arena, &d, &x[0].err), WL_OK);
	assert_int_equal(d.n_ranks, 2);
	assert_null(d.culprit.rank);
	release(&x[0]);
	release(&x[1]);
}

TEST(without_steps_there_is_the_window)
{
	WITH(struct taken, x, release, begin(&x));

	MEM_OP(&x.mem, WL_F_KERNELS, .start = 0, .end = 40);
	MEM_OP(&x.mem, WL_F_MEMCPYS, .start = 60, .end = 100);
	take(&x);
	assert_int_equal(x.f.n_steps, 0);
	assert_string_equal(x.f.method, "none");
	assert_int_equal(x.f.window_ns, 100);
	assert_int_equal(x.f.part[WL_OF_WINDOW][WL_PART_EXPOSED_COPY], 40);
	assert_int_equal(idle_of(&x.f, WL_OF_WINDOW), 20);
}

TEST(many_steps_are_thinned_evenly)
{
	WITH(struct taken, x, release, begin(&x));

	for (unsigned i = 0; i < 1300; i++)
		put_step(&x, 100, 0, 1000 * (wl_ns)i, i, "gemm");
	take(&x);
	assert_int_equal(x.f.n_steps, WL_FP_STEPS);
	assert_int_equal(x.f.n_thinned, 1298 - WL_FP_STEPS);
	assert_int_equal(x.f.kernels.row[0].of[WL_OF_STEPS].calls, WL_FP_STEPS);
	assert_int_equal(x.f.kernels.row[0].of[WL_OF_WINDOW].calls, 1300);
}

TEST(times_that_do_not_fit_are_refused)
{
	WITH(struct taken, x, release, begin(&x));

	MEM_OP(&x.mem, WL_F_KERNELS, .start = 0, .end = WL_TIME_MAX);
	mem_scope_whole(&x.scope, mem_seal(&x.mem));
	take_within(&x, BUDGET);
	assert_int_equal(x.status, WL_E_FORMAT);
}

TEST(nothing_is_no_data)
{
	WITH(struct taken, x, release, begin(&x));

	MEM_NVTX(&x.mem, .start = 0, .end = 10, .name = "a");
	mem_scope_whole(&x.scope, mem_seal(&x.mem));
	take_within(&x, BUDGET);
	assert_int_equal(x.status, WL_E_NODATA);
}

/* The bytes of a fingerprint; free them. */
static char *written(const struct wl_fingerprint *f, size_t *ret_n)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, ret_n);

	assert_non_null(out);
	wl_fp_write(f, out);
	assert_int_equal(fclose(out), 0);
	return text;
}

TEST(a_file_holds_all_of_it)
{
	WITH(struct taken, x, release, begin(&x));
	struct wl_fingerprint back;
	struct wl_json *doc;
	struct wl_diff d;
	const struct wl_diff_opts opts = { .threshold = 0.01 };
	char *text, *again;
	size_t n, n_again;

	for (unsigned i = 0; i < 100; i++) {
		put_step(&x, 100, 0, 1000 * (wl_ns)i + i % 7, i, "gemm\x1b\"<&");
		put_step(&x, 101, 1, 1010 * (wl_ns)i + i % 5, i, "gemm\x1b\"<&");
	}
	take(&x);
	text = written(&x.f, &n);
	assert_int_equal(wl_json_parse(text, n, "x", &doc, NULL), WL_OK);
	assert_int_equal(wl_fp_read(doc, "x", &x.arena, &back, &x.err), WL_OK);
	wl_json_free(doc);
	again = written(&back, &n_again);
	assert_string_equal(text, again);
	assert_int_equal(wl_diff_make(&x.f, &back, &opts, &x.arena, &d, &x.err), WL_OK);
	assert_int_equal(d.step.verdict, WL_SAME);
	assert_int_equal(d.n_ranks, 2);
	free(text);
	free(again);
}

/* A comparison replays its slower side alone, after both were measured. */
TEST(what_is_measured_and_what_is_replayed_are_the_whole)
{
	WITH(struct taken, x, release, begin(&x));
	struct wl_derived derived;
	struct wl_run run;
	struct wl_fingerprint parts;
	char *whole, *both;
	size_t n, n_both;

	for (unsigned i = 0; i < 12; i++) {
		put_step(&x, 100, 0, 1000 * (wl_ns)i, i, "gemm");
		put_step(&x, 101, 1, 1000 * (wl_ns)i, i, "gemm");
	}
	take(&x);
	assert_true(x.f.n_whatifs > 0);
	derived = x.mem.derived;
	run = (struct wl_run){ .trace = derived.trace,
			       .scope = &x.scope.scope,
			       .derived = &derived,
			       .arena = &x.arena };
	assert_true(wl_scoped_find(&derived, run.scope, WL_FROM(LEDGER), &x.arena));
	assert_int_equal(wl_fp_take_measured(&run, &parts, &x.err), WL_OK);
	assert_int_equal(parts.n_whatifs, 0);
	assert_int_equal(wl_fp_take_replayed(&run, &parts, &x.err), WL_OK);
	parts.label = x.f.label;
	whole = written(&x.f, &n);
	both = written(&parts, &n_both);
	assert_string_equal(whole, both);
	free(whole);
	free(both);
}

/* More names than there is room for, long ones of characters that JSON escapes, many steps. */
TEST(no_trace_makes_a_large_file)
{
	WITH(struct taken, x, release, begin(&x));
	char name[3000];
	FREED char *text;
	size_t n;

	for (unsigned i = 0; i < 600; i++) {
		put_step(&x, 100, 0, 1000000000 * (wl_ns)i, i, "gemm");
		for (unsigned k = 0; k < 40; k++) {
			memset(name, k % 2 ? '<' : 'x', sizeof(name));
			(void)snprintf(name, sizeof(name), "%u", (i * 40 + k) % 300);
			name[strlen(name)] = '_';
			name[k % 3 ? sizeof(name) - 1 : 200] = '\0';
			MEM_OP(&x.mem, WL_F_KERNELS,
			       .start = 1000000000 * (wl_ns)i + 20000 * (wl_ns)(k + 1),
			       .end = 1000000000 * (wl_ns)i + 20000 * (wl_ns)(k + 2),
			       .corr = 2 * i + 1, .name = name);
			MEM_NVTX(&x.mem, .start = 1000000000 * (wl_ns)i + 100 * (wl_ns)(k + 1),
				 .end = 1000000000 * (wl_ns)i + 100 * (wl_ns)(k + 1) + 50,
				 .tid = 100, .name = name);
		}
	}
	take(&x);
	assert_true(x.f.kernels.n_others > 100);
	assert_true(x.f.ranges.n_others > 0);
	text = written(&x.f, &n);
	print_message("%zu bytes\n", n);
	assert_true(n < 200000);
}

TEST(too_little_memory_is_said)
{
	WITH(struct taken, x, release, begin(&x));
	size_t failures = 0;

	for (unsigned i = 0; i < 12; i++)
		put_step(&x, 100, 0, 1000 * (wl_ns)i, i, "gemm");
	mem_scope_whole(&x.scope, mem_seal(&x.mem));
	for (size_t budget = 0;; budget += 512) {
		take_within(&x, budget);
		if (x.status == WL_OK)
			break;
		assert_int_equal(x.status, WL_E_NOMEM);
		failures++;
		wl_arena_release(&x.arena);
	}
	assert_true(failures > 3);
}
