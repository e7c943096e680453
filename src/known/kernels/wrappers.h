/* SPDX-License-Identifier: MIT */
/* wrappers.h - kernels whose base name says nothing about what they do. */
#ifndef WL_KNOWN_WRAPPERS_H
#define WL_KNOWN_WRAPPERS_H

#include <stdbool.h>
#include <stddef.h>

/* By the base name (wl_name_base()): cutlass::device_kernel, at::native::reduce_kernel, ... */
bool wl_name_is_wrapper(const char *base);

/*
 * What a wrapper does: the base name of the first template argument that is neither a
 * number nor a data type; of at::native::f<(int)4, at::native::CUDAFunctor_add<float>>
 * "at::native::CUDAFunctor_add". "" where there is none. Returns its length; what does not
 * fit is cut.
 */
size_t wl_name_functor(const char *name, char *buf, size_t size);

#endif
