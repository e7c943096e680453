/* SPDX-License-Identifier: MIT */
/*
 * payloads.h - the communicator and the bytes of each NCCL kernel, by the payload of its call.
 *
 * The launch of a kernel lies inside the range of its call. In a group all launches lie inside
 * ncclGroupEnd, and its calls are those since the thread's outermost ncclGroupStart: as many
 * kernels as calls belong to them in order; one kernel has them all, if they have one
 * communicator; else only the communicator is known, if it is one. What calls do not say, NCCL's
 * list of operations may (payload_ops.h). A kernel of which neither is recorded has the
 * communicator of its stream, if that has one.
 */
#ifndef WL_DERIVE_PAYLOADS_H
#define WL_DERIVE_PAYLOADS_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "model/trace.h"

struct wl_derived;

struct wl_payload {
	uint64_t comm;    /* hash of the communicator; WL_NO_U64: not recorded */
	int64_t bytes;    /* -1: not recorded */
	uint32_t n_peers; /* ranks that its calls send to or receive from; 0: not recorded */
};

struct wl_payloads {
	const uint32_t *of_kernel; /* by row: index of at, or WL_NONE; NULL: none has one */
	const struct wl_payload *at;
	size_t n;
	const struct wl_payload *comm; /* each that an init names, by hash; bytes: its ranks */
	size_t n_comms;
};

/* Linear in NCCL ranges, and a sort of the NCCL kernels. False: the arena is exhausted. */
bool wl_payloads_find(const struct wl_derived *derived, struct wl_arena *arena,
		      struct wl_payloads *ret) WL_MUST_CHECK;

/* What is known of a kernel: no communicator and no bytes without a payload. */
struct wl_payload wl_payload_of(const struct wl_payloads *payloads, size_t kernel);

/* How many ranks a communicator has; 0 where no init says it. Logarithmic. */
size_t wl_comm_ranks(const struct wl_payloads *payloads, uint64_t comm);

#endif
