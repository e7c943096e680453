/* SPDX-License-Identifier: MIT */
#include "findings/rules/long_transfers.h"

#include "derive/comm/match/matches.h"
#include "derive/graph/late/late_suspects.h"
#include "derive/graph/late/straggler.h"
#include "derive/rows/stats.h"
#include "model/ranks.h"

static bool are_in_time(const struct wl_rule_state *d)
{
	const struct wl_matches *m = d->run->derived->matches;
	const struct wl_stragglers *s = d->run->derived->stragglers;

	return m->n > 0 && s->suspects && s->suspects->n == 0 && !s->is_refused && !s->no_clock;
}

struct wl_long_transfers wl_long_transfers_find(const struct wl_rule_state *d)
{
	const struct wl_matches *m = d->run->derived->matches;
	struct wl_long_transfers ret = { .is_why = false };

	if (!are_in_time(d))
		return ret;
	for (size_t i = 0; i < m->queues.n_ops; i++) {
		const struct wl_comm_op *op = &m->queues.op[i];

		if (!wl_comm_is_mpi(&m->queues.queue[op->queue]))
			ret.wait = wl_add_up(ret.wait, wl_match_wait(m, op));
	}
	for (size_t g = 0; g < d->n_gpus; g++) {
		const struct wl_ledger_lane *lane = d->gpu[g].lane;

		for (size_t i = 0; i < lane->n_tiles; i++)
			ret.exposed =
				wl_add_up(ret.exposed, lane->tile[i].loss[WL_LOSS_EXPOSED_COMM]);
	}
	ret.is_why = ret.wait < ret.exposed / 10 && !wl_ranks_missing(d->run->trace);
	ret.may_be_elsewhere =
		ret.wait < ret.exposed / 10 &&
		(wl_ranks_missing(d->run->trace) || wl_ranks_may_be_missing(d->run->trace));
	return ret;
}
