/* SPDX-License-Identifier: MIT */
#include "base/clock.h"

#include <time.h>

static int64_t ask(clockid_t clock)
{
	struct timespec t;

	/* Fails only for a clock that does not exist; Linux has both. */
	(void)clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t wl_clock_wall_ns(void)
{
	return ask(CLOCK_MONOTONIC);
}

int64_t wl_clock_cpu_ns(void)
{
	return ask(CLOCK_PROCESS_CPUTIME_ID);
}

int64_t wl_clock_utc_ms(void)
{
	return ask(CLOCK_REALTIME) / 1000000;
}

const char *wl_clock_date(int64_t utc_ms, char buf[32])
{
	time_t seconds = (time_t)(utc_ms / 1000);
	struct tm tm;

	if (utc_ms < 0 || !gmtime_r(&seconds, &tm) ||
	    strftime(buf, 32, "%Y-%m-%d %H:%M:%S", &tm) == 0)
		return NULL;
	return buf;
}
