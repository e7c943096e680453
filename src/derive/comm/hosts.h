/* SPDX-License-Identifier: MIT */
/*
 * hosts.h - which processes run on one host, and which share a clock.
 *
 * Of one file, the upper bits of a process's number are its hardware and its virtual machine. Of
 * a job, files whose host has the same name, and was booted at the same time where the file
 * says so, are of one host; a file without a name is a host of its own. Processes of a host
 * share its clock, and hosts whose clocks were fitted share one.
 */
#ifndef WL_DERIVE_HOSTS_H
#define WL_DERIVE_HOSTS_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "model/trace.h"

struct wl_derived;

struct wl_hosts {
	const uint32_t *of; /* by process: its host, numbered in the order of processes */
	size_t n;
	const uint32_t *process; /* by host: its first process */
	const uint32_t *clock;   /* by process: a number of its clock */
};

/* Linear in processes and files. Owned by the arena; false when that is exhausted. */
bool wl_hosts_find(const struct wl_derived *derived, struct wl_arena *arena,
		   struct wl_hosts *ret) WL_MUST_CHECK;

#endif
