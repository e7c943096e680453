/* SPDX-License-Identifier: MIT */
#include "base/process/jobs.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

struct job {
	wl_job_fn *fn;
	void *ctx;
};

struct wl_jobs {
	pthread_t thread;
	pthread_mutex_t lock; /* of all below but most */
	pthread_cond_t wake;  /* there is something to do, or the queue is closed */
	bool is_closed;
	bool is_joined;
	bool is_busy;    /* with a job that is out of the ring already */
	size_t first, n; /* of a ring */
	size_t most;
	struct job job[];
};

/* False when the queue is closed and empty. */
static bool next_job(struct wl_jobs *jobs, struct job *ret)
{
	bool has;

	(void)pthread_mutex_lock(&jobs->lock);
	jobs->is_busy = false;
	while (jobs->n == 0 && !jobs->is_closed)
		(void)pthread_cond_wait(&jobs->wake, &jobs->lock);
	has = jobs->n > 0;
	jobs->is_busy = has;
	if (has) {
		*ret = jobs->job[jobs->first];
		jobs->first = (jobs->first + 1) % jobs->most;
		jobs->n--;
	}
	(void)pthread_mutex_unlock(&jobs->lock);
	return has;
}

static void *work(void *arg)
{
	struct wl_jobs *jobs = arg;
	struct job job;

	while (next_job(jobs, &job))
		job.fn(job.ctx);
	return NULL;
}

/* Signals are for the thread that talks to the user, but a map that breaks is ours (map.h). */
static bool start(struct wl_jobs *jobs)
{
	sigset_t all, before;
	int r;

	(void)sigfillset(&all);
	(void)sigdelset(&all, SIGBUS);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	r = pthread_create(&jobs->thread, NULL, work, jobs);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	return r == 0;
}

struct wl_jobs *wl_jobs_new(size_t most)
{
	struct wl_jobs *jobs = calloc(1, sizeof(*jobs) + most * sizeof(jobs->job[0]));

	if (!jobs)
		return NULL;
	jobs->most = most;
	(void)pthread_mutex_init(&jobs->lock, NULL);
	(void)pthread_cond_init(&jobs->wake, NULL);
	if (start(jobs))
		return jobs;
	jobs->is_joined = true;
	wl_jobs_free(jobs);
	return NULL;
}

bool wl_jobs_add(struct wl_jobs *jobs, wl_job_fn *fn, void *ctx)
{
	bool fits;

	(void)pthread_mutex_lock(&jobs->lock);
	fits = !jobs->is_closed && jobs->n < jobs->most;
	if (fits) {
		jobs->job[(jobs->first + jobs->n++) % jobs->most] = (struct job){ fn, ctx };
		(void)pthread_cond_signal(&jobs->wake);
	}
	(void)pthread_mutex_unlock(&jobs->lock);
	return fits;
}

static struct job *waiting(struct wl_jobs *jobs, size_t i)
{
	return &jobs->job[(jobs->first + i) % jobs->most];
}

bool wl_jobs_drop(struct wl_jobs *jobs, wl_job_fn *fn, const void *ctx)
{
	size_t i = 0;
	bool found;

	(void)pthread_mutex_lock(&jobs->lock);
	while (i < jobs->n && (waiting(jobs, i)->fn != fn || waiting(jobs, i)->ctx != ctx))
		i++;
	found = i < jobs->n;
	for (; i + 1 < jobs->n; i++)
		*waiting(jobs, i) = *waiting(jobs, i + 1);
	jobs->n -= found;
	(void)pthread_mutex_unlock(&jobs->lock);
	return found;
}

bool wl_jobs_is_idle(struct wl_jobs *jobs)
{
	bool idle;

	(void)pthread_mutex_lock(&jobs->lock);
	idle = jobs->n == 0 && !jobs->is_busy;
	(void)pthread_mutex_unlock(&jobs->lock);
	return idle;
}

void wl_jobs_close(struct wl_jobs *jobs)
{
	if (!jobs || jobs->is_joined)
		return;
	(void)pthread_mutex_lock(&jobs->lock);
	jobs->is_closed = true;
	(void)pthread_cond_signal(&jobs->wake);
	(void)pthread_mutex_unlock(&jobs->lock);
	(void)pthread_join(jobs->thread, NULL);
	jobs->is_joined = true;
}

void wl_jobs_free(struct wl_jobs *jobs)
{
	if (!jobs)
		return;
	wl_jobs_close(jobs);
	(void)pthread_cond_destroy(&jobs->wake);
	(void)pthread_mutex_destroy(&jobs->lock);
	free(jobs);
}
