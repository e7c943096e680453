/* SPDX-License-Identifier: MIT */
#include "base/line.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

struct item {
	wl_job_fn *fn;
	void *ctx;
};

struct wl_line {
	pthread_t thread;
	pthread_mutex_t lock; /* of all below but most */
	pthread_cond_t wake;  /* there is something to do, or the line is closed */
	bool is_closed;
	bool is_joined;
	bool is_busy;    /* with an item that is out of the ring already */
	size_t first, n; /* of a ring */
	size_t most;
	struct item item[];
};

/* False when the line is closed and empty. */
static bool take(struct wl_line *line, struct item *ret)
{
	bool has;

	(void)pthread_mutex_lock(&line->lock);
	line->is_busy = false;
	while (line->n == 0 && !line->is_closed)
		(void)pthread_cond_wait(&line->wake, &line->lock);
	has = line->n > 0;
	line->is_busy = has;
	if (has) {
		*ret = line->item[line->first];
		line->first = (line->first + 1) % line->most;
		line->n--;
	}
	(void)pthread_mutex_unlock(&line->lock);
	return has;
}

static void *work(void *arg)
{
	struct wl_line *line = arg;
	struct item item;

	while (take(line, &item))
		item.fn(item.ctx);
	return NULL;
}

/* Signals are for the thread that talks to the user, but a map that breaks is ours (map.h). */
static bool start(struct wl_line *line)
{
	sigset_t all, before;
	int r;

	(void)sigfillset(&all);
	(void)sigdelset(&all, SIGBUS);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	r = pthread_create(&line->thread, NULL, work, line);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	return r == 0;
}

struct wl_line *wl_line_new(size_t most)
{
	struct wl_line *line = calloc(1, sizeof(*line) + most * sizeof(line->item[0]));

	if (!line)
		return NULL;
	line->most = most;
	(void)pthread_mutex_init(&line->lock, NULL);
	(void)pthread_cond_init(&line->wake, NULL);
	if (start(line))
		return line;
	line->is_joined = true;
	wl_line_free(line);
	return NULL;
}

bool wl_line_add(struct wl_line *line, wl_job_fn *fn, void *ctx)
{
	bool fits;

	(void)pthread_mutex_lock(&line->lock);
	fits = !line->is_closed && line->n < line->most;
	if (fits) {
		line->item[(line->first + line->n++) % line->most] = (struct item){ fn, ctx };
		(void)pthread_cond_signal(&line->wake);
	}
	(void)pthread_mutex_unlock(&line->lock);
	return fits;
}

static struct item *waiting(struct wl_line *line, size_t i)
{
	return &line->item[(line->first + i) % line->most];
}

bool wl_line_drop(struct wl_line *line, wl_job_fn *fn, const void *ctx)
{
	size_t i = 0;
	bool found;

	(void)pthread_mutex_lock(&line->lock);
	while (i < line->n && (waiting(line, i)->fn != fn || waiting(line, i)->ctx != ctx))
		i++;
	found = i < line->n;
	for (; i + 1 < line->n; i++)
		*waiting(line, i) = *waiting(line, i + 1);
	line->n -= found;
	(void)pthread_mutex_unlock(&line->lock);
	return found;
}

bool wl_line_is_idle(struct wl_line *line)
{
	bool idle;

	(void)pthread_mutex_lock(&line->lock);
	idle = line->n == 0 && !line->is_busy;
	(void)pthread_mutex_unlock(&line->lock);
	return idle;
}

void wl_line_close(struct wl_line *line)
{
	if (!line || line->is_joined)
		return;
	(void)pthread_mutex_lock(&line->lock);
	line->is_closed = true;
	(void)pthread_cond_signal(&line->wake);
	(void)pthread_mutex_unlock(&line->lock);
	(void)pthread_join(line->thread, NULL);
	line->is_joined = true;
}

void wl_line_free(struct wl_line *line)
{
	if (!line)
		return;
	wl_line_close(line);
	(void)pthread_cond_destroy(&line->wake);
	(void)pthread_mutex_destroy(&line->lock);
	free(line);
}
