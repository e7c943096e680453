/* SPDX-License-Identifier: MIT */
#include "derive/comm/hosts.h"

#include "base/intern.h"
#include "derive/derived.h"

bool wl_hosts_find(const struct wl_derived *derived, struct wl_arena *arena, struct wl_hosts *ret)
{
	const struct wl_trace *t = derived->trace;
	uint32_t *of = WL_NEW(arena, uint32_t, t->n_processes);
	uint32_t *process = WL_NEW(arena, uint32_t, t->n_processes);
	struct wl_intern hosts;
	bool ok = of && process;

	*ret = (struct wl_hosts){ .of = of, .process = process };
	wl_intern_init(&hosts, sizeof(uint64_t), wl_arena_budget(arena));
	for (uint32_t i = 0; ok && i < t->n_processes; i++) {
		uint64_t host = t->processes[i].key >> 24;

		of[i] = wl_intern_put(&hosts, &host);
		ok = of[i] != WL_NONE;
		if (ok && of[i] == ret->n)
			process[ret->n++] = i;
	}
	wl_intern_release(&hosts);
	return ok;
}
