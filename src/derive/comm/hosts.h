/* SPDX-License-Identifier: MIT */
/*
 * hosts.h - which processes share a clock: those of one host.
 *
 * The upper bits of a process's number are its hardware and its virtual machine.
 */
#ifndef WL_DERIVE_HOSTS_H
#define WL_DERIVE_HOSTS_H

#include "base/arena.h"
#include "base/attr.h"
#include "model/trace.h"

struct wl_derived;

struct wl_hosts {
	const uint32_t *of; /* by process: its host, numbered in the order of processes */
	size_t n;
	const uint32_t *process; /* by host: its first process */
};

/* A sort of the processes. Owned by the arena; false when that is exhausted. */
bool wl_hosts_find(const struct wl_derived *derived, struct wl_arena *arena,
		   struct wl_hosts *ret) WL_MUST_CHECK;

#endif
