/* SPDX-License-Identifier: MIT */
#include "base/stop.h"

#include "base/clock.h"

static bool is_flagged(const struct wl_stop *stop)
{
	for (; stop; stop = stop->also) {
		if (stop->flag && atomic_load_explicit(stop->flag, memory_order_relaxed) != 0)
			return true;
	}
	return false;
}

bool wl_stop_is_due(const struct wl_stop *stop)
{
	if (is_flagged(stop))
		return true;
	for (; stop; stop = stop->also) {
		if (stop->deadline && wl_clock_wall_ns() >= stop->deadline)
			return true;
	}
	return false;
}

int wl_stop_fail(const struct wl_stop *stop, const char *what, struct wl_err *reterr)
{
	if (is_flagged(stop))
		return wl_fail(reterr, WL_E_CANCELED, "%.200s: stopped", what);
	return wl_fail(reterr, WL_E_TIMEOUT, "%.200s: the time limit is over", what);
}
