/* SPDX-License-Identifier: MIT */
#include "derive/idle/device_users.h"

#include "base/memory/bound.h"
#include "base/num.h"

static void add_up(const struct wl_trace *t, const struct wl_scope *scope,
		   const struct wl_streams *streams, const uint32_t *user_of,
		   struct wl_device_user *users)
{
	for (size_t k = 0; k < WL_N_OP_FAMILIES; k++) {
		const struct wl_ops ops = wl_trace_ops(t, wl_op_families[k]);

		for (size_t i = 0; ops.place && i < ops.n; i++) {
			struct wl_device_user *u = &users[user_of[streams->of_place[ops.place[i]]]];

			if (scope->place_on[ops.place[i]] &&
			    !wl_add_i64(u->time, wl_dur(ops.family, ops.dur, i), &u->time))
				u->time = INT64_MAX;
		}
	}
}

/* Streams are ordered by device and process, so the pairs are found in order. */
bool wl_device_users_find(const struct wl_trace *trace, const struct wl_scope *scope,
			  const struct wl_streams *streams, struct wl_arena *arena,
			  struct wl_device_users *ret)
{
	uint32_t *user_of = WL_NEW(arena, uint32_t, streams->n); /* by stream */
	struct wl_device_user *users = WL_NEW(arena, struct wl_device_user, streams->n);
	size_t n = 0;

	if (!user_of || !users)
		return false;
	for (size_t i = 0; i < streams->n; i++) {
		const struct wl_place *p = &trace->places[streams->place[i]];

		if (n == 0 || users[n - 1].device != p->device ||
		    users[n - 1].process != p->process)
			users[n++] = (struct wl_device_user){ p->device, p->process, 0 };
		user_of[i] = (uint32_t)(n - 1);
	}
	add_up(trace, scope, streams, user_of, users);
	*ret = (struct wl_device_users){ n, users };
	return true;
}

uint32_t wl_device_iterates_with(const struct wl_device_users *users,
				 const struct wl_iterations *iterations, uint32_t device)
{
	const struct wl_device_user *u = users->at;
	uint32_t best = WL_NONE;
	wl_ns most = 0;

	for (size_t i = WL_BELOW_BY(wl_device_user, device, u, users->n, device);
	     i < users->n && u[i].device == device; i++) {
		/*
		 * Strictly more, because users are ordered by process: on a tie the lower number
		 * wins.
		 */
		if (iterations->process[u[i].process].n && u[i].time > most) {
			most = u[i].time;
			best = u[i].process;
		}
	}
	return best;
}
