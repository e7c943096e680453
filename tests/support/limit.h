/* SPDX-License-Identifier: MIT */
/* limit.h - ends a program of tests that hangs at work. What waits for ever is ended by ctest. */
#ifndef WL_TESTS_LIMIT_H
#define WL_TESTS_LIMIT_H

#include <stddef.h>
#include <sys/time.h>

/* After a minute of CPU time from now on: how long other programs hold the machine does not count.
 */
static inline void limit_cpu(void)
{
	(void)setitimer(ITIMER_PROF, &(struct itimerval){ .it_value = { .tv_sec = 60 } }, NULL);
}

#endif
