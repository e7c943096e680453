/* SPDX-License-Identifier: MIT */
/* sandbox_filter.h - the part of sandbox.h that seccomp does. */
#ifndef WL_BASE_SANDBOX_FILTER_H
#define WL_BASE_SANDBOX_FILTER_H

#include <stdbool.h>

/*
 * Have the kernel refuse the calls that this right does not need, in all threads. False where it
 * cannot.
 */
bool wl_sandbox_filter(unsigned may);

/* From now on also sockets: those that there are go on, and accept. */
bool wl_sandbox_filter_sockets(void);

#endif
