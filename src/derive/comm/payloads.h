/* SPDX-License-Identifier: MIT */
/*
 * payloads.h - the communicator and bytes of each NCCL kernel, from the payload of its call.
 *
 * The launch of a kernel lies inside the range of its call. In a group, all launches lie inside
 * ncclGroupEnd, and its calls are those since the thread's outermost ncclGroupStart. If there are
 * as many kernels as calls, they are paired in order. A single kernel gets all calls if they share
 * one communicator. Otherwise only the communicator is known, if there is just one. NCCL's list of
 * operations may supply what the calls do not record (payload_ops.h). A kernel with neither record
 * gets the communicator of its stream, if the stream has only one.
 */
#ifndef WL_DERIVE_PAYLOADS_H
#define WL_DERIVE_PAYLOADS_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "model/trace.h"

struct wl_derived;

struct wl_payload {
	uint64_t comm;    /* hash of the communicator; WL_NO_U64 if not recorded */
	int64_t bytes;    /* -1: not recorded */
	uint32_t n_peers; /* ranks that its calls send to or receive from; 0 if not recorded */
};

struct wl_payloads {
	const uint32_t
		*of_kernel; /* by row: index into at, or WL_NONE; NULL if no kernel has one */
	const struct wl_payload *at;
	size_t n;
	const struct wl_payload *comm; /* each communicator that an init names, by hash; bytes holds
					  its number of ranks */
	size_t n_comms;
};

/* Linear in NCCL ranges, plus a sort of the NCCL kernels. False when the arena is exhausted. */
bool wl_payloads_find(const struct wl_derived *derived, struct wl_arena *arena,
		      struct wl_payloads *ret) WL_MUST_CHECK;

/* What is known of a kernel; communicator and bytes are unset if it has no payload. */
struct wl_payload wl_payload_of(const struct wl_payloads *payloads, size_t kernel);

/* Number of ranks of a communicator; 0 if no init names it. Takes logarithmic time. */
size_t wl_comm_ranks(const struct wl_payloads *payloads, uint64_t comm);

#endif
