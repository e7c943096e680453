/* SPDX-License-Identifier: MIT */
/*
 * lock.h - a mutex: for short bookkeeping that several threads share, or for something that one of
 * them uses at a time.
 */
#ifndef WL_BASE_LOCK_H
#define WL_BASE_LOCK_H

#include "base/attr.h"

struct wl_lock;

struct wl_lock *wl_lock_new(void) WL_MUST_CHECK; /* NULL without memory */
void wl_lock_free(struct wl_lock *lock);         /* no thread may hold it; accepts NULL */

/* A holder does not take it again, and waits meanwhile for no thread that may want it. */
void wl_lock_take(struct wl_lock *lock);
void wl_lock_give(struct wl_lock *lock);

#endif
