/* SPDX-License-Identifier: MIT */
/*
 * environment.h - which environment variables of a captured process may be kept.
 *
 * A capture holds the whole environment of the program, tokens and passwords included. Only
 * ranks, sizes, job ids, names of nodes, CUDA_VISIBLE_DEVICES and NCCL's settings pass.
 */
#ifndef WL_KNOWN_ENVIRONMENT_H
#define WL_KNOWN_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

/* "NAME=value" or "NAME" is one of them. */
bool wl_environment_is_kept(const char *assignment);

/*
 * Whether a row of metadata with this name, of n bytes, is of an environment, whatever its
 * spelling: PROCESS_0:ENVIRONMENT_VARIABLE, DeviceEnvironment, TARGET_ENV, LaunchEnv.
 */
bool wl_environment_is_row(const char *name, size_t n);

/*
 * The value in NAME=value or NAME="value" if it is an assignment of this variable, and its length
 * in *ret_n; else NULL. It is not terminated.
 */
const char *wl_environment_value(const char *assignment, const char *name, size_t *ret_n);

#endif
