/* SPDX-License-Identifier: MIT */
#include "base/process/jobs.h"

#include <stdatomic.h>
#include <time.h>

#include "support/unit.h"

enum { ITEMS = 1000 };

struct log {
	int done[ITEMS];
	atomic_int n;
	atomic_int open; /* not 0: who waits may go on */
};

struct item {
	struct log *log;
	int number;
};

static void note(void *ctx)
{
	struct item *item = ctx;

	item->log->done[item->log->n++] = item->number;
}

static void wait_for_open(void *ctx)
{
	struct log *log = ctx;

	while (!log->open)
		(void)nanosleep(&(struct timespec){ 0, 100000 }, NULL);
}

TEST(things_are_done_in_order_before_the_close_returns)
{
	static struct item item[ITEMS];
	static struct log log;
	struct wl_jobs *jobs = wl_jobs_new(ITEMS);

	assert_non_null(jobs);
	for (int i = 0; i < ITEMS; i++) {
		item[i] = (struct item){ &log, i };
		assert_true(wl_jobs_add(jobs, note, &item[i]));
	}
	wl_jobs_close(jobs);
	assert_int_equal(log.n, ITEMS);
	for (int i = 0; i < ITEMS; i++)
		assert_int_equal(log.done[i], i);
	assert_false(wl_jobs_add(jobs, note, &item[0]));
	wl_jobs_free(jobs);
}

TEST(a_full_line_takes_nothing)
{
	static struct log log;
	struct item item = { &log, 7 };
	struct wl_jobs *jobs = wl_jobs_new(2);
	int taken = 0;

	assert_non_null(jobs);
	assert_true(wl_jobs_add(jobs, wait_for_open, &log));
	while (wl_jobs_add(jobs, note, &item))
		taken++;
	/* One may be under way, or still in the queue. */
	assert_in_range(taken, 1, 2);
	log.open = 1;
	wl_jobs_free(jobs);
	assert_int_equal(log.n, taken);
}

TEST(what_is_dropped_is_not_done)
{
	static struct log log;
	static struct item item[4];
	struct wl_jobs *jobs = wl_jobs_new(5);

	assert_non_null(jobs);
	assert_true(wl_jobs_add(jobs, wait_for_open, &log));
	assert_false(wl_jobs_is_idle(jobs));
	for (int i = 0; i < 4; i++) {
		item[i] = (struct item){ &log, i };
		assert_true(wl_jobs_add(jobs, note, &item[i]));
	}
	assert_true(wl_jobs_drop(jobs, note, &item[1]));
	assert_true(wl_jobs_drop(jobs, note, &item[3]));
	assert_false(wl_jobs_drop(jobs, note, &item[1]));
	assert_false(wl_jobs_drop(jobs, wait_for_open, &item[2]));
	log.open = 1;
	wl_jobs_close(jobs);
	assert_true(wl_jobs_is_idle(jobs));
	assert_int_equal(log.n, 2);
	assert_int_equal(log.done[0], 0);
	assert_int_equal(log.done[1], 2);
	wl_jobs_free(jobs);
}

TEST(nothing_is_closed_and_freed)
{
	wl_jobs_close(NULL);
	wl_jobs_free(NULL);
}
