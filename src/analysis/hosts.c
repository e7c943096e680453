/* SPDX-License-Identifier: MIT */
#include "analysis/hosts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static int by_pid(const void *va, const void *vb)
{
	uint32_t a = *(const uint32_t *)va, b = *(const uint32_t *)vb;

	return (a > b) - (a < b);
}

bool wl_hosts_hide(const struct wl_run *run, const bool *shown, struct wl_table *out, size_t col)
{
	const struct wl_trace *t = run->trace;
	uint32_t *pid = WL_NEW(run->arena, uint32_t, t->n_processes);
	size_t n = 0;

	if (!pid)
		return false;
	for (size_t i = 0; i < t->n_processes; i++) {
		if (shown[i])
			pid[n++] = t->processes[i].pid;
	}
	if (n)
		qsort(pid, n, sizeof(*pid), by_pid);
	for (size_t i = 1; i < n; i++) {
		/*
		 * Equal pids are on different machines: each process has a unique key, and the key
		 * contains the pid.
		 */
		if (pid[i] == pid[i - 1])
			return true;
	}
	wl_table_hide(out, col);
	return true;
}

void wl_hosts_put(struct wl_table *out, size_t col, const struct wl_trace *t,
		  const struct wl_process *p)
{
	char number[32];

	if (p->host != WL_NONE) {
		wl_put_str(out, col, wl_str(t, p->host));
		return;
	}
	/*
	 * The upper bits of the global id distinguish machines even if the file does not name them.
	 */
	(void)snprintf(number, sizeof(number), "machine %" PRIu64, p->key >> 24);
	wl_put_copy(out, col, number);
}
