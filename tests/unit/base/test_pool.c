/* SPDX-License-Identifier: MIT */
#include "base/process/pool.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory/vec.h"
#include "support/unit.h"

/* 0 stands for no pool. */
static const unsigned sizes[] = { 0, 1, 2, 3, 8 };

static struct wl_pool *make_pool(unsigned n_threads)
{
	struct wl_pool *pool = n_threads ? wl_pool_new(n_threads) : NULL;

	assert_true(pool || !n_threads);
	assert_int_equal(wl_pool_threads(pool), n_threads ? n_threads : 1);
	return pool;
}

static size_t count_threads(void)
{
	DIR *dir = opendir("/proc/self/task");
	size_t n = 0;

	assert_non_null(dir);
	for (const struct dirent *e = readdir(dir); e; e = readdir(dir))
		n += e->d_name[0] != '.';
	(void)closedir(dir);
	return n;
}

static void nap(void)
{
	(void)nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

/* --- every task, once, with its index ----------------------------------------------------- */

enum { MANY = 100000 };

struct counts {
	size_t *n_runs; /* by index */
	size_t fail_at, fail_too;
	bool slowly;
};

static bool count_run(void *ctx, size_t i, struct wl_arena *arena)
{
	struct counts *c = ctx;

	(void)arena;
	if (c->slowly && i != c->fail_at)
		nap();
	c->n_runs[i]++;
	return i != c->fail_at && i != c->fail_too;
}

/* --- a system that gives no threads ------------------------------------------------------- */

/* No address space is left for the stack of a thread. The exit status of a child. */
static int map_without_threads(void)
{
	struct wl_pool *pool = wl_pool_new(4);
	size_t n_runs[20] = { 0 };
	struct counts c = { .n_runs = n_runs, .fail_at = SIZE_MAX, .fail_too = SIZE_MAX };
	struct wl_arena arena;
	size_t n = 0;
	void *room = malloc(1 << 16); /* the heap has some for us */

	free(room);
	wl_arena_init(&arena, 1 << 16);
	if (!pool || setrlimit(RLIMIT_AS, &(struct rlimit){ 0, 0 }) < 0)
		return 2;
	if (!wl_pool_map(pool, 20, count_run, &c, &arena))
		return 3;
	for (size_t i = 0; i < 20; i++)
		n += n_runs[i] == 1;
	wl_arena_release(&arena);
	wl_pool_free(pool);
	return n == 20 ? 0 : 4;
}

/* The first, before any thread has a stack. */
TEST(without_threads_the_caller_does_it_all)
{
	int status = -1;
	pid_t child;

#if WL_RED_ZONE || defined(__SANITIZE_THREAD__)
	skip(); /* sanitizers need address space of their own */
#endif
	child = fork();
	assert_true(child >= 0);
	if (child == 0)
		_exit(map_without_threads());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

TEST(every_task_runs_once)
{
	static const size_t n_tasks[] = { 0, 1, 2, 7, 8, 9, 1000, MANY };
	struct counts c = { .fail_at = SIZE_MAX, .fail_too = SIZE_MAX };

	for (size_t s = 0; s < WL_COUNT(sizes); s++) {
		struct wl_pool *pool = make_pool(sizes[s]);
		struct wl_arena arena;

		for (size_t k = 0; k < WL_COUNT(n_tasks); k++) {
			wl_arena_init(&arena, 64 << 20);
			c.n_runs = WL_NEW(&arena, size_t, n_tasks[k]);
			assert_non_null(c.n_runs);
			assert_true(wl_pool_map(pool, n_tasks[k], count_run, &c, &arena));
			for (size_t i = 0; i < n_tasks[k]; i++)
				assert_int_equal(c.n_runs[i], 1);
			wl_arena_release(&arena);
		}
		wl_pool_free(pool);
	}
}

TEST(a_pool_is_used_again_and_again)
{
	struct wl_pool *pool = make_pool(4);
	size_t n_runs[5] = { 0 };
	struct counts c = { .n_runs = n_runs, .fail_at = SIZE_MAX, .fail_too = SIZE_MAX };
	struct wl_arena arena;

	wl_arena_init(&arena, 1 << 16);
	for (size_t k = 0; k < 3000; k++) {
		c.fail_at = k % 7 == 3 ? 0 : SIZE_MAX; /* a failure is not remembered */
		assert_int_equal(wl_pool_map(pool, 1 + k % 5, count_run, &c, &arena), k % 7 != 3);
	}
	assert_int_equal(n_runs[0], 3000);
	assert_int_equal(arena.used, 0);
	wl_arena_release(&arena);
	wl_pool_free(pool);
}

/* --- arenas ------------------------------------------------------------------------------- */

enum { N_TEXTS = 500 };

struct texts {
	char **text;
	bool *fresh; /* the arena was empty */
};

/* Tasks of very different length and appetite. */
static bool put_text(void *ctx, size_t i, struct wl_arena *arena)
{
	struct texts *t = ctx;
	size_t n = i % 50 == 0 ? 100000 : i;

	t->fresh[i] = arena->used == 0;
	t->text[i] = wl_arena_calloc(arena, n + 1, 1);
	if (!t->text[i])
		return false;
	memset(t->text[i], 'a' + (int)(i % 26), n);
	return true;
}

TEST(what_tasks_allocate_outlives_them)
{
	size_t used = 0;

	for (size_t s = 0; s < WL_COUNT(sizes); s++) {
		struct wl_pool *pool = make_pool(sizes[s]);
		struct wl_arena arena;
		struct texts t;

		wl_arena_init(&arena, 16 << 20);
		t.text = WL_NEW(&arena, char *, N_TEXTS);
		t.fresh = WL_NEW(&arena, bool, N_TEXTS);
		assert_true(t.text && t.fresh);
		assert_true(wl_pool_map(pool, N_TEXTS, put_text, &t, &arena));
		wl_pool_free(pool);
		for (size_t i = 0; i < N_TEXTS; i++) {
			const char letter[] = { (char)('a' + (int)(i % 26)), '\0' };
			size_t n = i % 50 == 0 ? 100000 : i;

			assert_true(t.fresh[i]);
			assert_int_equal(strlen(t.text[i]), n);
			assert_int_equal(strspn(t.text[i], letter), n);
		}
		assert_true(used == 0 || arena.used == used); /* for any number of threads */
		used = arena.used;
		assert_int_equal(wl_arena_budget(&arena)->used, used);
		wl_arena_release(&arena);
		assert_int_equal(wl_arena_budget(&arena)->used, 0);
	}
}

enum { EACH = 1008, N_EATERS = 64 };

/* Keeps EACH bytes, and uses as many for a while. */
static bool eat(void *ctx, size_t i, struct wl_arena *arena)
{
	struct wl_vec v;
	bool ok;

	(void)ctx;
	(void)i;
	wl_vec_init(&v, 1, wl_arena_budget(arena));
	ok = wl_arena_calloc(arena, EACH, 1) && wl_vec_reserve(&v, EACH);
	wl_vec_release(&v);
	return ok;
}

TEST(tasks_share_the_budget_of_the_caller)
{
	for (size_t s = 0; s < WL_COUNT(sizes); s++) {
		struct wl_pool *pool = make_pool(sizes[s]);
		size_t n_threads = wl_pool_threads(pool);
		/* What they keep, and the scratch and arenas of those that run at once. */
		size_t enough = EACH * (N_EATERS + n_threads) +
				(n_threads > 1 ? N_EATERS * sizeof(struct wl_arena) : 0);
		struct wl_arena arena;

		wl_arena_init(&arena, enough);
		assert_true(wl_pool_map(pool, N_EATERS, eat, NULL, &arena));
		assert_int_equal(arena.used, EACH * N_EATERS);
		assert_int_equal(wl_arena_budget(&arena)->used, arena.used);
		wl_arena_release(&arena);

		wl_arena_init(&arena, EACH * N_EATERS - 1);
		assert_false(wl_pool_map(pool, N_EATERS, eat, NULL, &arena));
		assert_in_range(wl_arena_budget(&arena)->peak, 0, EACH * N_EATERS - 1);
		assert_int_equal(wl_arena_budget(&arena)->used, arena.used);
		wl_arena_release(&arena);
		wl_pool_free(pool);
	}
}

/* Where the arenas of the tasks do not fit, one thread does what is asked. */
TEST(tasks_that_need_no_memory_run_without_any)
{
	struct wl_pool *pool = make_pool(4);
	size_t n_runs[100] = { 0 };
	struct counts c = { .n_runs = n_runs, .fail_at = SIZE_MAX, .fail_too = SIZE_MAX };
	struct wl_arena arena;

	wl_arena_init(&arena, 0);
	assert_true(wl_pool_map(pool, 100, count_run, &c, &arena));
	for (size_t i = 0; i < 100; i++)
		assert_int_equal(n_runs[i], 1);
	wl_arena_release(&arena);
	wl_pool_free(pool);
}

/* --- failures ----------------------------------------------------------------------------- */

TEST(the_first_failure_is_always_the_same)
{
	for (size_t s = 0; s < WL_COUNT(sizes); s++) {
		struct wl_pool *pool = make_pool(sizes[s]);
		struct wl_arena arena;

		wl_arena_init(&arena, 1 << 20);
		for (size_t round = 0; round < 300; round++) {
			size_t n_runs[40] = { 0 }, first = round % 30;
			struct counts c = { .n_runs = n_runs,
					    .fail_at = first,
					    .fail_too = first + 1 + round % 9 };

			assert_false(wl_pool_map(pool, 40, count_run, &c, &arena));
			for (size_t i = 0; i <= first; i++)
				assert_int_equal(n_runs[i], 1);
			for (size_t i = first + 1; i < 40; i++)
				assert_in_range(n_runs[i], 0, wl_pool_threads(pool) > 1);
		}
		wl_arena_release(&arena);
		wl_pool_free(pool);
	}
}

/* All of them would take 20 seconds. */
TEST(after_a_failure_no_more_tasks_begin)
{
	enum { N = 40000 };
	struct wl_pool *pool = make_pool(2);
	struct counts c = { .fail_at = 0, .fail_too = SIZE_MAX, .slowly = true };
	struct wl_arena arena;
	size_t n = 0;

	wl_arena_init(&arena, 16 << 20);
	c.n_runs = WL_NEW(&arena, size_t, N);
	assert_non_null(c.n_runs);
	assert_false(wl_pool_map(pool, N, count_run, &c, &arena));
	for (size_t i = 0; i < N; i++)
		n += c.n_runs[i];
	assert_in_range(n, 1, N - 1);
	wl_arena_release(&arena);
	wl_pool_free(pool);
}

/* --- threads ------------------------------------------------------------------------------ */

TEST(a_pool_of_one_has_no_threads)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1 << 16));
	size_t before = count_threads(), n_runs[10] = { 0 };
	struct counts c = { .n_runs = n_runs, .fail_at = SIZE_MAX, .fail_too = SIZE_MAX };
	struct wl_pool *one = make_pool(1), *eight = make_pool(8);

	assert_true(wl_pool_map(one, 10, count_run, &c, &arena));
	assert_true(wl_pool_map(eight, 1, count_run, &c, &arena));
	assert_int_equal(count_threads(), before);
	assert_true(wl_pool_map(eight, 3, count_run, &c, &arena));
	assert_int_equal(count_threads(), before + 2); /* the caller is the third */
	wl_pool_free(eight);
	wl_pool_free(one);
	wl_pool_free(NULL);
}

struct meeting {
	_Atomic unsigned n_here;
	pthread_t thread[4];
	bool takes_signals[4], takes_faults[4];
};

/* Tasks may not wait for each other; these do, to show that they run at once. */
static bool meet(void *ctx, size_t i, struct wl_arena *arena)
{
	struct meeting *m = ctx;
	sigset_t mask;

	(void)arena;
	m->thread[i] = pthread_self();
	(void)pthread_sigmask(SIG_SETMASK, NULL, &mask);
	m->takes_signals[i] = !sigismember(&mask, SIGINT) && !sigismember(&mask, SIGTERM);
	m->takes_faults[i] = !sigismember(&mask, SIGBUS) && !sigismember(&mask, SIGSEGV);
	m->n_here++;
	for (size_t k = 0; m->n_here < 4 && k < 20000; k++)
		nap();
	return m->n_here == 4;
}

TEST(tasks_run_at_once_and_signals_stay_with_the_caller)
{
	struct wl_pool *pool = make_pool(4);
	struct meeting m = { .n_here = 0 };
	struct wl_arena arena;
	size_t n_callers = 0;

	wl_arena_init(&arena, 1 << 16);
	assert_true(wl_pool_map(pool, 4, meet, &m, &arena));
	for (size_t i = 0; i < 4; i++) {
		bool is_caller = pthread_equal(m.thread[i], pthread_self()) != 0;

		n_callers += is_caller;
		assert_int_equal(m.takes_signals[i], is_caller);
		assert_true(m.takes_faults[i]);
		for (size_t k = 0; k < i; k++)
			assert_false(pthread_equal(m.thread[i], m.thread[k]));
	}
	assert_int_equal(n_callers, 1);
	wl_arena_release(&arena);
	wl_pool_free(pool);
}

/* --- nesting ------------------------------------------------------------------------------ */

enum { WIDTH = 9, DEPTH = 3 };

struct nest {
	struct wl_pool *pool;
	unsigned depth;
	pthread_t thread; /* of the task around it */
	_Atomic size_t *n_leaves, *n_strangers;
};

static bool descend(void *ctx, size_t i, struct wl_arena *arena)
{
	struct nest inner = *(const struct nest *)ctx;

	(void)i;
	if (inner.depth > 1 && !pthread_equal(inner.thread, pthread_self()))
		(*inner.n_strangers)++;
	if (inner.depth == DEPTH) {
		(*inner.n_leaves)++;
		return wl_arena_calloc(arena, 10, 1) != NULL;
	}
	inner.depth++;
	inner.thread = pthread_self();
	return wl_pool_map(inner.pool, WIDTH, descend, &inner, arena);
}

TEST(a_map_inside_a_task_runs_in_line)
{
	for (size_t s = 0; s < WL_COUNT(sizes); s++) {
		_Atomic size_t n_leaves = 0, n_strangers = 0;
		struct nest top = { .pool = make_pool(sizes[s]),
				    .depth = 1,
				    .n_leaves = &n_leaves,
				    .n_strangers = &n_strangers };
		struct wl_arena arena;

		wl_arena_init(&arena, 1 << 20);
		assert_true(wl_pool_map(top.pool, WIDTH, descend, &top, &arena));
		assert_int_equal(n_leaves, WIDTH * WIDTH * WIDTH);
		assert_int_equal(n_strangers, 0);
		assert_int_equal(arena.used, 16 * WIDTH * WIDTH * WIDTH);
		wl_arena_release(&arena);
		wl_pool_free(top.pool);
	}
}

struct rival {
	struct wl_pool *pool;
	size_t n_runs[10];
	bool ok;
};

static void *map_as_well(void *arg)
{
	struct rival *r = arg;
	struct counts c = { .n_runs = r->n_runs, .fail_at = SIZE_MAX, .fail_too = SIZE_MAX };
	struct wl_arena arena;

	wl_arena_init(&arena, 1 << 16);
	r->ok = wl_pool_map(r->pool, 10, count_run, &c, &arena);
	wl_arena_release(&arena);
	return NULL;
}

static bool wait_for_a_rival(void *ctx, size_t i, struct wl_arena *arena)
{
	struct rival *r = (struct rival *)ctx + i;
	pthread_t thread;

	(void)arena;
	return pthread_create(&thread, NULL, map_as_well, r) == 0 &&
	       pthread_join(thread, NULL) == 0 && r->ok;
}

/* A thread of somebody else's does not wait for the map that has the threads. */
TEST(a_map_beside_another_runs_in_line)
{
	struct wl_pool *pool = make_pool(2);
	struct rival rivals[6];
	struct wl_arena arena;

	for (size_t i = 0; i < WL_COUNT(rivals); i++)
		rivals[i] = (struct rival){ .pool = pool };
	wl_arena_init(&arena, 1 << 16);
	assert_true(wl_pool_map(pool, WL_COUNT(rivals), wait_for_a_rival, rivals, &arena));
	for (size_t i = 0; i < WL_COUNT(rivals); i++) {
		for (size_t k = 0; k < 10; k++)
			assert_int_equal(rivals[i].n_runs[k], 1);
	}
	wl_arena_release(&arena);
	wl_pool_free(pool);
}

/* --- jobs ---------------------------------------------------------------------------------- */

struct beside {
	atomic_bool go_on;
	struct wl_pool *pool;
	size_t n_runs[64];
	bool ok, signals_blocked;
};

static void work_beside(void *ctx)
{
	struct beside *b = ctx;
	struct counts c = { .n_runs = b->n_runs, .fail_at = SIZE_MAX, .fail_too = SIZE_MAX };
	struct wl_arena arena;
	sigset_t blocked;

	while (!atomic_load(&b->go_on))
		nap();
	b->signals_blocked = pthread_sigmask(SIG_SETMASK, NULL, &blocked) == 0 &&
			     sigismember(&blocked, SIGINT) == 1 &&
			     sigismember(&blocked, SIGSEGV) == 0;
	wl_arena_init(&arena, 1 << 20);
	b->ok = wl_pool_map(b->pool, WL_COUNT(b->n_runs), count_run, &c, &arena);
	wl_arena_release(&arena);
}

TEST(a_job_runs_beside_its_caller)
{
	struct beside b = { .pool = make_pool(3) };
	struct wl_job *job = wl_job_start(work_beside, &b);

	assert_non_null(job);
	assert_false(wl_job_is_done(job));
	atomic_store(&b.go_on, true);
	while (!wl_job_is_done(job))
		nap();
	assert_true(b.ok && b.signals_blocked); /* seen before the join */
	wl_job_join(job);
	for (size_t i = 0; i < WL_COUNT(b.n_runs); i++)
		assert_int_equal(b.n_runs[i], 1);
	wl_pool_free(b.pool);
}

TEST(joining_a_job_waits_for_it)
{
	struct beside b = { .go_on = true };

	wl_job_join(NULL);
	for (int i = 0; i < 20; i++) {
		struct wl_job *job;

		b.ok = false;
		job = wl_job_start(work_beside, &b);
		assert_non_null(job);
		wl_job_join(job);
		assert_true(b.ok);
	}
}
