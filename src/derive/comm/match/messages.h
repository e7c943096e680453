/* SPDX-License-Identifier: MIT */
/*
 * messages.h - MPI sends and receives, each with the call at the other end of its message.
 *
 * A message has a communicator, a tag, a source and a destination, and messages that agree in all
 * of them keep their order. The call that sends the n-th belongs to the one that receives the
 * n-th. A row of MPI_Sendrecv names only where it sends to: what it receives is what the other
 * rank's MPI_Sendrecv with the same tag sends, the n-th of one rank to the n-th of the other, as
 * in programs whose ranks run the same code. Where captures are cut, the index is shifted by what
 * most nearest ends show.
 *
 * Handles of communicators are numbers of a process. They are compared where some process sends
 * on several; ranks are those of the job. So messages on smaller communicators whose ranks are
 * renumbered have two senders, or none, and stay alone, as do messages from any source.
 */
#ifndef WL_DERIVE_MESSAGES_H
#define WL_DERIVE_MESSAGES_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/comm/match/comm_queues.h"
#include "derive/nvtx/ranks.h"

/* The operations at the other ends of an operation's messages; WL_NONE: none is known. */
struct wl_partners {
	uint32_t from, to;
	bool is_all; /* of what it sends and receives */
};

struct wl_messages {
	const struct wl_partners *of; /* by operation from first on; NULL: there are none */
	size_t first, n;
};

/* What is known of an operation. */
static inline struct wl_partners wl_partners_of(const struct wl_messages *m, size_t op)
{
	return op >= m->first && op - m->first < m->n
		       ? m->of[op - m->first]
		       : (struct wl_partners){ WL_NONE, WL_NONE, false };
}

/*
 * Sorts the calls by message. A receive that ends before the send begins is not its pair, and
 * neither are its neighbours where that is more than a twentieth of them. Owned by the arena; false
 * when that is exhausted.
 */
bool wl_messages_find(const struct wl_trace *trace, const struct wl_ranks *ranks,
		      const struct wl_comm_queues *queues, struct wl_arena *arena,
		      struct wl_messages *ret) WL_MUST_CHECK;

#endif
