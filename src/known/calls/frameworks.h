/* SPDX-License-Identifier: MIT */
/*
 * frameworks.h - frameworks whose users fix the same thing in different ways, and the names in a
 * trace that prove one.
 */
#ifndef WL_KNOWN_FRAMEWORKS_H
#define WL_KNOWN_FRAMEWORKS_H

#include <stdbool.h>

/* In the order in which advice lists them. */
enum wl_framework {
	WL_CUDA, /* CUDA C++ without one of the others */
	WL_PYTORCH,
	WL_JAX,
	WL_SERVING, /* vLLM, SGLang */
	WL_N_FRAMEWORKS
};

/* The framework that a name proves; WL_N_FRAMEWORKS for none. Processes may prove WL_CUDA. */
enum wl_framework wl_framework_of_kernel(const char *name);
enum wl_framework wl_framework_of_range(const char *name);
enum wl_framework wl_framework_of_process(const char *name);

#endif
