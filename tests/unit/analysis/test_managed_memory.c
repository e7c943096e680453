/* SPDX-License-Identifier: MIT */
/* Findings about managed memory: what kernels wait for, what nothing waits for. */
#include "known/exports/codes.h"
#include "support/tape.h"

enum { BY_USER = 1 };

/* A migration beside what the thread does. */
static void migrate(struct tape *t, wl_ns begin, wl_ns length, uint8_t kind, uint8_t cause)
{
	MEM_OP(&t->x.mem, WL_F_MEMCPYS, .start = begin, .end = begin + length, .kind = kind,
	       .src = 7, .dst = 7, .cause = cause, .bytes = 65536);
}

/* A kernel of 300 us and inside it ten migrations of 15 us each. */
static void faulting(struct tape *t, const char *name, uint8_t cause)
{
	launch(t, name, 5 * US, 300 * US);
	for (wl_ns i = 0; i < 10; i++)
		migrate(t, t->now - (i + 1) * 30 * US, 15 * US, WL_COPY_UVM_H2D, cause);
}

/* How many findings have the code, and the row of the one that is about the subject. */
static int row_about(struct tape *t, const char *code, const char *subject)
{
	for (size_t i = 0; i < t->x.a.table.n_rows; i++) {
		if (strcmp(answer_str(&t->x.a, i, "code"), code) == 0 &&
		    strcmp(answer_str(&t->x.a, i, "subject"), subject) == 0)
			return (int)i;
	}
	return -1;
}

TEST(faults_inside_kernels_come_first)
{
	WITH(struct tape, t, finish, start(&t));

	launch(&t, "kernel_a", 5 * US, 100 * US);
	faulting(&t, "kernel_b", WL_MIGRATES_BY_FAULT);
	t.now += 120 * US;
	launch(&t, "kernel_a", 5 * US, 100 * US);
	ask_all(&t);
	assert_int_equal(row_of(&t, "managed-memory"), 0);
	expect_saving(&t, "managed-memory", "window", 150 * US);
	expect_words(&t, "managed-memory", "subject", "inside kernels");
	expect_words(&t, "managed-memory", "finding", "30.0% of the kernel time");
	expect_words(&t, "managed-memory", "finding",
		     "during 10 HtoD migrations, 100.0% of it in kernel_b");
	expect_words(&t, "managed-memory", "action", "to the GPU before kernels read them");
	/* A prefetch moves the pages, too: no more than all of it. */
	expect_words(&t, "managed-memory", "fixing", "saves at most 150 us of ");
	expect_words(&t, "managed-memory", "fixing", "still moves the pages");
	expect_no_words(&t, "managed-memory", "finding", "without migrations");
}

/* Runs of 20 us without migrations, two or three: the run with some takes 280 us longer. */
TEST(a_kernel_waits_longer_than_pages_migrate)
{
	for (unsigned n = 2; n <= 3; n++) {
		struct tape t;

		start(&t);
		for (unsigned i = 0; i < n; i++)
			launch(&t, "kernel_b", 5 * US, 20 * US);
		faulting(&t, "kernel_b", WL_MIGRATES_BY_FAULT);
		t.now += 120 * US;
		launch(&t, "kernel_a", 5 * US, 100 * US);
		ask_all(&t);
		expect_saving(&t, "managed-memory", "window", (n == 3 ? 280 : 150) * US);
		if (n == 3)
			expect_words(&t, "managed-memory", "finding",
				     "100.0% of it in kernel_b, which takes 20 us without "
				     "migrations");
		finish(&t);
	}
}

/* A prefetch that runs beside kernels is what the advice asks for; no cause proves nothing. */
TEST(a_prefetch_inside_kernels_is_no_finding)
{
	static const uint8_t cause[] = { BY_USER, 0 };

	for (size_t i = 0; i < WL_COUNT(cause); i++) {
		struct tape t;

		start(&t);
		launch(&t, "kernel_a", 5 * US, 100 * US);
		faulting(&t, "kernel_b", cause[i]);
		ask_all(&t);
		assert_int_equal(row_of(&t, "managed-memory"), -1);
		finish(&t);
	}
}

/* After the last kernel no GPU work waits, whatever migrates. */
TEST(what_the_host_reads_at_the_end_is_no_saving)
{
	WITH(struct tape, t, finish, start(&t));
	int row;

	launch(&t, "kernel_a", 5 * US, 100 * US);
	migrate(&t, t.now, 20 * US, WL_COPY_UVM_D2H, WL_MIGRATES_BY_FAULT);
	t.now += 20 * US;
	launch(&t, "kernel_b", 5 * US, 100 * US);
	for (wl_ns i = 0; i < 10; i++)
		migrate(&t, t.now + i * 100 * US, 50 * US, WL_COPY_UVM_D2H, WL_MIGRATES_BY_FAULT);
	ask_all(&t);
	row = row_about(&t, "managed-memory", "exposed migrations");
	assert_true(row >= 0);
	expect_i64(&t.x.a, (size_t)row, "saving", 20 * US);
	assert_non_null(strstr(answer_str(&t.x.a, (size_t)row, "action"), "to the host"));
	assert_non_null(strstr(answer_str(&t.x.a, (size_t)row, "advice"), "cudaCpuDeviceId"));
	row = row_about(&t, "managed-memory", "after the last kernel");
	assert_true(row >= 0);
	assert_string_equal(answer_str(&t.x.a, (size_t)row, "severity"), "info");
	assert_non_null(strstr(answer_str(&t.x.a, (size_t)row, "finding"),
			       "The host reads managed memory page by page after the last kernel: "
			       "655.4 kB in 10 DtoH migrations over 950 us"));
	assert_int_equal(row_of(&t, "exposed-copy"), -1);
}

/*
 * The thread writes its results for so much of 100 us that each of ten pages takes, of which each
 * migrates for 50 us; another thread reads meanwhile.
 */
static void write_results(struct tape *t, wl_ns length)
{
	start(t);
	launch(t, "kernel_a", 5 * US, 100 * US);
	launch(t, "kernel_b", 5 * US, 100 * US);
	for (wl_ns i = 0; i < 10; i++) {
		wl_ns at = t->now + i * 100 * US;

		migrate(t, at, 50 * US, WL_COPY_UVM_D2H, WL_MIGRATES_BY_FAULT);
		MEM_OSRT(&t->x.mem, .start = at, .end = at + length, .tid = TID,
			 .name = "pwrite64");
		/* What is inside another call is no more of it. */
		MEM_OSRT(&t->x.mem, .start = at + 1 * US, .end = at + 2 * US, .tid = TID,
			 .name = "write");
	}
	MEM_OSRT(&t->x.mem, .start = t->now, .end = t->now + 950 * US, .tid = TID + 1,
		 .name = "read");
	ask_all(t);
}

/* The run ends when it is written: that is a saving, and comes once. */
TEST(output_after_the_last_kernel_is_a_cost_of_the_run)
{
	WITH(struct tape, t, finish, write_results(&t, 80 * US));
	int row = row_about(&t, "managed-memory", "after the last kernel");

	assert_int_equal(row, 0);
	/* Nine of 80 us, and of the last one what lies before its page has migrated. */
	expect_i64(&t.x.a, 0, "saving", (9 * 80 + 50) * US);
	assert_string_equal(answer_str(&t.x.a, 0, "saves_kind"), "at most");
	expect_words(&t, "managed-memory", "finding",
		     "The host writes output after the last kernel: 770 us of the window (66.7%) "
		     "on GPU 0 in `pwrite64`, 10 times; meanwhile managed memory migrates to it, "
		     "655.4 kB in 10 DtoH migrations (500 us); no GPU work is delayed");
	expect_words(&t, "managed-memory", "evidence", "name = pwrite64");
}

/* Less than half of the time in writes: what the host does with the pages is not known. */
TEST(a_few_writes_are_no_reason)
{
	WITH(struct tape, t, finish, write_results(&t, 40 * US));
	int row = row_about(&t, "managed-memory", "after the last kernel");

	assert_true(row >= 0);
	assert_string_equal(answer_str(&t.x.a, (size_t)row, "severity"), "info");
	assert_non_null(strstr(answer_str(&t.x.a, (size_t)row, "finding"), "page by page"));
}

/* Ten steps that fault; the seventh computes longer, and its faults are the slow step's. */
TEST(compute_is_claimed_once)
{
	WITH(struct tape, t, finish, start(&t));
	wl_ns sum = 0, compute = 0;

	for (unsigned i = 0; i < 12; i++) {
		wl_ns begin = t.now, run = i == 7 ? 900 * US : 100 * US;

		launch(&t, "kernel_a", 5 * US, run);
		migrate(&t, t.now - run, i == 7 ? run : 40 * US, WL_COPY_UVM_H2D,
			WL_MIGRATES_BY_FAULT);
		launch(&t, "kernel_b", 5 * US, 45 * US);
		range(&t, "step", begin, t.now);
		t.now += 1;
		compute += i > 0 && i < 11 ? run + 45 * US : 0;
	}
	ask_all(&t);
	expect_words(&t, "managed-memory", "per", "step");
	/* 40 us of nine steps, and what is left of the slow one: 100 + 45 us. */
	expect_saving(&t, "managed-memory", "step", (US * 9 * 40 + 145 * US) / 10);
	for (size_t i = 0; i < t.x.a.table.n_rows; i++) {
		const char *code = answer_str(&t.x.a, i, "code");

		if (strcmp(code, "managed-memory") == 0 || strcmp(code, "slow-iterations") == 0)
			sum += answer_i64(&t.x.a, i, "gpu_time");
	}
	assert_true(sum <= compute);
}
