/* SPDX-License-Identifier: MIT */
#include "capture/run/windows.h"

#include <stdio.h>

#include "base/clock.h"

static void say(struct wl_windows *w, const char *what)
{
	char line[96];

	(void)snprintf(line, sizeof(line), "window %zu of %zu %s", w->n_begun, w->n, what);
	if (w->say)
		w->say(w->ctx, line);
}

static void start(struct wl_windows *w, size_t step, enum wl_windows_state state)
{
	const struct wl_child_how how = {
		.argv = w->step[step].argv, .env = w->step[step].env, .out = -1, .err = -1
	};

	wl_child_close(&w->child);
	w->state = wl_child_start(&how, &w->child, &w->err) < 0 ? WL_WINDOWS_FAILED : state;
}

void wl_windows_tick(struct wl_windows *w, const struct wl_watch_now *now)
{
	if (w->child.pid)
		wl_child_pump(&w->child, 0);
	if (!now->is_running || now->is_stopping)
		return;
	if (w->state == WL_WINDOWS_WAITING) {
		const int64_t from = w->since_ns ? w->since_ns : now->program_begin_ns;

		if (now->now_ns - from >= w->delay_ns)
			start(w, 2 * w->n_begun++, WL_WINDOWS_STARTING);
	} else if (w->state == WL_WINDOWS_OPEN && now->now_ns - w->since_ns >= w->duration_ns) {
		start(w, 2 * (w->n_begun - 1) + 1, WL_WINDOWS_STOPPING);
	}
}

static void fail(struct wl_windows *w, const struct wl_child_end *end)
{
	const char *what = w->state == WL_WINDOWS_STARTING ? "begin" : "end";

	w->state = WL_WINDOWS_FAILED;
	(void)wl_fail(&w->err, WL_E_IO, "nsys could not %s window %zu, exit status %d: %.200s",
		      what, w->n_begun, wl_child_status(end), w->child.tail);
}

void wl_windows_reaped(struct wl_windows *w, pid_t pid, const struct wl_child_end *end)
{
	if (!w->child.pid || pid != w->child.pid)
		return;
	wl_child_pump(&w->child, 0);
	w->child.pid = 0;
	w->since_ns = wl_clock_wall_ns();
	if (wl_child_status(end) != 0) {
		fail(w, end);
	} else if (w->state == WL_WINDOWS_STARTING) {
		w->state = WL_WINDOWS_OPEN;
		say(w, "begins");
	} else if (w->state == WL_WINDOWS_STOPPING) {
		w->n_done++;
		w->state = w->n_done == w->n ? WL_WINDOWS_DONE : WL_WINDOWS_WAITING;
		say(w, "is recorded");
	}
}

void wl_windows_close(struct wl_windows *w)
{
	wl_child_close(&w->child);
	if (w->state == WL_WINDOWS_OPEN) {
		w->n_done++;
		w->state = w->n_done == w->n ? WL_WINDOWS_DONE : WL_WINDOWS_WAITING;
	}
}
