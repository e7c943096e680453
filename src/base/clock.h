/* SPDX-License-Identifier: MIT */
/*
 * clock.h - measures elapsed time. Nothing else reads the clock, and only the record of a capture
 * asks for the time of day: answers do not depend on when they are given.
 */
#ifndef WL_BASE_CLOCK_H
#define WL_BASE_CLOCK_H

#include <stdint.h>

/* Time that goes by, also while the program waits. Only differences mean something. */
int64_t wl_clock_wall_ns(void);

/* CPU time that all threads of the program have used together since it began. */
int64_t wl_clock_cpu_ns(void);

/* The time of day, in milliseconds since 1970 in UTC, for names and records of captures. */
int64_t wl_clock_utc_ms(void);

/* "2026-10-21 07:28:00", in UTC, of milliseconds since 1970; NULL for what no calendar has. */
const char *wl_clock_date(int64_t utc_ms, char buf[32]);

#endif
