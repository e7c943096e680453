/* SPDX-License-Identifier: MIT */
#include "base/process/lock.h"

#include <pthread.h>
#include <stdlib.h>

struct wl_lock {
	pthread_mutex_t mutex;
};

struct wl_lock *wl_lock_new(void)
{
	struct wl_lock *lock = malloc(sizeof(*lock));

	if (lock)
		(void)pthread_mutex_init(&lock->mutex, NULL);
	return lock;
}

void wl_lock_free(struct wl_lock *lock)
{
	if (!lock)
		return;
	(void)pthread_mutex_destroy(&lock->mutex);
	free(lock);
}

void wl_lock_take(struct wl_lock *lock)
{
	/* A default mutex that is valid and not held by this thread cannot fail. */
	(void)pthread_mutex_lock(&lock->mutex);
}

void wl_lock_give(struct wl_lock *lock)
{
	(void)pthread_mutex_unlock(&lock->mutex);
}
