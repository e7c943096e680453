/* SPDX-License-Identifier: MIT */
/*
 * messages.h - matches MPI sends and receives with the calls at the other end of their messages.
 *
 * A message has a communicator, a tag, a source and a destination. Messages that agree in all four
 * keep their order. The call that sends the n-th message is paired with the call that receives the
 * n-th. A row of MPI_Sendrecv names only its destination. It is assumed to receive what the other
 * rank's MPI_Sendrecv with the same tag sends, n-th matched with n-th, as in programs whose ranks
 * run the same code. Where captures are cut, the index is shifted by the offset that most pairs of
 * nearest ends show.
 *
 * Communicator handles are local to a process. They are compared where some process sends on
 * several; ranks are those of the job. Messages on smaller communicators with renumbered ranks
 * therefore find two senders or none and stay unmatched, as do receives from any source.
 */
#ifndef WL_DERIVE_MESSAGES_H
#define WL_DERIVE_MESSAGES_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/comm/match/comm_queues.h"
#include "derive/nvtx/ranks.h"

/* The operations at the other ends of an operation's messages; WL_NONE if unknown. */
struct wl_partners {
	uint32_t from, to;
	bool is_all; /* all that it sends and receives is matched */
};

struct wl_messages {
	const struct wl_partners *of; /* by operation, starting at first; NULL if there are none */
	size_t first, n;
};

/* The known partners of an operation. */
static inline struct wl_partners wl_partners_of(const struct wl_messages *m, size_t op)
{
	return op >= m->first && op - m->first < m->n
		       ? m->of[op - m->first]
		       : (struct wl_partners){ WL_NONE, WL_NONE, false };
}

/*
 * Sorts the calls by message. A receive that ends before the send begins is not matched with it; if
 * that happens to more than a twentieth of its neighbours, they are not matched either. The arena
 * owns the result; false when it is exhausted.
 */
bool wl_messages_find(const struct wl_trace *trace, const struct wl_ranks *ranks,
		      const struct wl_comm_queues *queues, struct wl_arena *arena,
		      struct wl_messages *ret) WL_MUST_CHECK;

#endif
