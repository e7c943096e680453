/* SPDX-License-Identifier: MIT */
#include "findings/rules/peer_waits.h"

#include "base/memory/sort.h"
#include "derive/comm/match/matches.h"
#include "derive/derived.h"
#include "derive/rows/stats.h"

static bool is_send_recv(const struct wl_comm_queue *q)
{
	return q->type == WL_SEND_RECV && !wl_comm_is_mpi(q);
}

static wl_ns shortest_tenth(const struct wl_matches *m, int64_t *room)
{
	size_t n = 0;

	for (size_t i = 0; i < m->queues.n; i++) {
		const struct wl_comm_queue *q = &m->queues.queue[i];

		for (size_t k = q->lo; is_send_recv(q) && k < q->hi; k++)
			room[n++] = m->queues.op[k].dur;
	}
	return n ? wl_select_i64(room, n, wl_rank(n, 10)) : 0;
}

bool wl_peer_waits_find(const struct wl_rule_state *d, size_t gpu, struct wl_peer_waits *ret)
{
	const struct wl_matches *m = d->run->derived->matches;
	enum { FEW = 20 }; /* the shortest tenth of these is one or two */
	struct wl_arena scratch;
	wl_ns all = 0, unmatched = 0;
	int64_t n = 0, *room;

	wl_arena_init_child(&scratch, d->run->arena);
	room = WL_NEW(&scratch, int64_t, m->queues.n_ops);
	*ret = (struct wl_peer_waits){ .shortest = room ? shortest_tenth(m, room) : 0 };
	for (size_t i = 0; i < m->queues.n; i++) {
		const struct wl_comm_queue *q = &m->queues.queue[i];

		if (!is_send_recv(q) || q->device != d->gpu[gpu].lane->device)
			continue;
		for (size_t k = q->lo; k < q->hi; k++) {
			const struct wl_comm_op *op = &m->queues.op[k];

			all = wl_add_up(all, op->dur);
			if (op->match != WL_NONE)
				continue;
			unmatched = wl_add_up(unmatched, op->dur);
			n++;
		}
	}
	ret->mean = n ? unmatched / n : 0;
	ret->is_most = n >= FEW && unmatched > all / 2 && ret->mean > 2 * ret->shortest;
	wl_arena_release(&scratch);
	return room != NULL;
}
