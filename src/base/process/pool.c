/* SPDX-License-Identifier: MIT */
/*
 * One map at a time has the threads. It puts a job where they see it, works on it
 * itself, and waits until no thread is inside. A map that comes meanwhile runs in
 * line: it waits for no thread, so that nesting cannot deadlock.
 */
#include "base/process/pool.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

struct job {
	size_t n;
	wl_task *task;
	void *ctx;
	struct wl_arena *arena; /* one per task */
	_Atomic size_t next;    /* the first that is not handed out */
	atomic_bool failed;
};

struct wl_pool {
	unsigned n_threads;
	atomic_flag taken;    /* a map has the threads */
	pthread_mutex_t lock; /* of the members from here to quit */
	pthread_cond_t wake;  /* there is a job, or it is time to quit */
	pthread_cond_t left;  /* no thread is inside the job */
	struct job *job;
	unsigned n_inside;
	bool quit;
	unsigned n_started; /* only the map that has the threads starts some */
	pthread_t thread[];
};

struct wl_pool *wl_pool_new(unsigned n_threads)
{
	struct wl_pool *pool;

	assert(n_threads >= 1);
	pool = malloc(sizeof(*pool) + (n_threads - 1) * sizeof(pool->thread[0]));
	if (pool)
		*pool = (struct wl_pool){ .n_threads = n_threads,
					  .taken = ATOMIC_FLAG_INIT,
					  .lock = PTHREAD_MUTEX_INITIALIZER,
					  .wake = PTHREAD_COND_INITIALIZER,
					  .left = PTHREAD_COND_INITIALIZER };
	return pool;
}

void wl_pool_free(struct wl_pool *pool)
{
	if (!pool)
		return;
	(void)pthread_mutex_lock(&pool->lock);
	pool->quit = true;
	(void)pthread_cond_broadcast(&pool->wake);
	(void)pthread_mutex_unlock(&pool->lock);
	for (unsigned i = 0; i < pool->n_started; i++)
		(void)pthread_join(pool->thread[i], NULL);
	(void)pthread_cond_destroy(&pool->left);
	(void)pthread_cond_destroy(&pool->wake);
	(void)pthread_mutex_destroy(&pool->lock);
	free(pool);
}

unsigned wl_pool_threads(const struct wl_pool *pool)
{
	return pool ? pool->n_threads : 1;
}

static bool has_tasks(struct job *job)
{
	return atomic_load(&job->next) < job->n && !atomic_load(&job->failed);
}

/* Who was handed an index runs it, whatever fails meanwhile: all tasks before it run, too. */
static void work(struct job *job)
{
	while (!atomic_load(&job->failed)) {
		size_t i = atomic_fetch_add(&job->next, 1);

		if (i >= job->n)
			return;
		if (wl_arena_is_stopped(&job->arena[i]) || !job->task(job->ctx, i, &job->arena[i]))
			atomic_store(&job->failed, true);
	}
}

static void *serve(void *arg)
{
	struct wl_pool *pool = arg;

	(void)pthread_mutex_lock(&pool->lock);
	while (!pool->quit) {
		struct job *job = pool->job;

		if (!job || !has_tasks(job)) {
			(void)pthread_cond_wait(&pool->wake, &pool->lock);
			continue;
		}
		pool->n_inside++;
		(void)pthread_mutex_unlock(&pool->lock);
		work(job);
		(void)pthread_mutex_lock(&pool->lock);
		if (--pool->n_inside == 0)
			(void)pthread_cond_signal(&pool->left);
	}
	(void)pthread_mutex_unlock(&pool->lock);
	return NULL;
}

/*
 * Signals are for the thread that knows what to do about them, but those that an
 * instruction raises are the business of who executes it.
 */
static bool start_thread(pthread_t *ret, void *(*fn)(void *), void *arg)
{
	sigset_t blocked, before;
	bool ok;

	(void)sigfillset(&blocked);
	(void)sigdelset(&blocked, SIGBUS);
	(void)sigdelset(&blocked, SIGFPE);
	(void)sigdelset(&blocked, SIGILL);
	(void)sigdelset(&blocked, SIGSEGV);
	(void)pthread_sigmask(SIG_SETMASK, &blocked, &before);
	ok = pthread_create(ret, NULL, fn, arg) == 0;
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	return ok;
}

/* As many as have something to do. */
static void start_threads(struct wl_pool *pool, size_t n_tasks)
{
	size_t want = (n_tasks < pool->n_threads ? n_tasks : pool->n_threads) - 1;

	while (pool->n_started < want && start_thread(&pool->thread[pool->n_started], serve, pool))
		pool->n_started++;
}

static void share(struct wl_pool *pool, struct job *job)
{
	start_threads(pool, job->n);
	(void)pthread_mutex_lock(&pool->lock);
	pool->job = job;
	(void)pthread_cond_broadcast(&pool->wake);
	(void)pthread_mutex_unlock(&pool->lock);
	work(job);
	/* No task is left, so that no thread enters any more. */
	(void)pthread_mutex_lock(&pool->lock);
	while (pool->n_inside)
		(void)pthread_cond_wait(&pool->left, &pool->lock);
	pool->job = NULL;
	(void)pthread_mutex_unlock(&pool->lock);
}

static bool map_in_line(size_t n, wl_task *task, void *ctx, struct wl_arena *arena)
{
	bool ok = true;

	for (size_t i = 0; ok && i < n; i++) {
		struct wl_arena own;

		wl_arena_init_child(&own, arena);
		ok = !wl_arena_is_stopped(arena) && task(ctx, i, &own);
		wl_arena_adopt(arena, &own);
	}
	return ok;
}

/* Without memory for an arena per task one thread must do, because it needs only one at a time. */
static bool map_shared(struct wl_pool *pool, size_t n, wl_task *task, void *ctx,
		       struct wl_arena *arena)
{
	struct job job = { .n = n, .task = task, .ctx = ctx };
	struct wl_arena scratch;

	wl_arena_init_child(&scratch, arena);
	job.arena = WL_NEW(&scratch, struct wl_arena, n);
	if (!job.arena)
		return map_in_line(n, task, ctx, arena);
	for (size_t i = 0; i < n; i++)
		wl_arena_init_child(&job.arena[i], arena);
	share(pool, &job);
	for (size_t i = 0; i < n; i++)
		wl_arena_adopt(arena, &job.arena[i]);
	wl_arena_release(&scratch);
	return !atomic_load(&job.failed);
}

bool wl_pool_map(struct wl_pool *pool, size_t n, wl_task *task, void *ctx, struct wl_arena *arena)
{
	bool ok;

	if (wl_pool_threads(pool) == 1 || n < 2 || atomic_flag_test_and_set(&pool->taken))
		return map_in_line(n, task, ctx, arena);
	ok = map_shared(pool, n, task, ctx, arena);
	atomic_flag_clear(&pool->taken);
	return ok;
}

struct wl_job {
	wl_job_fn *fn;
	void *ctx;
	atomic_bool done;
	pthread_t thread;
};

static void *run_job(void *arg)
{
	struct wl_job *job = arg;

	job->fn(job->ctx);
	atomic_store(&job->done, true);
	return NULL;
}

struct wl_job *wl_job_start(wl_job_fn *fn, void *ctx)
{
	struct wl_job *job = malloc(sizeof(*job));

	if (!job)
		return NULL;
	job->fn = fn;
	job->ctx = ctx;
	atomic_init(&job->done, false);
	if (!start_thread(&job->thread, run_job, job)) {
		free(job);
		return NULL;
	}
	return job;
}

bool wl_job_is_done(struct wl_job *job)
{
	return atomic_load(&job->done);
}

void wl_job_join(struct wl_job *job)
{
	if (!job)
		return;
	(void)pthread_join(job->thread, NULL);
	free(job);
}
