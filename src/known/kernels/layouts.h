/* SPDX-License-Identifier: MIT */
/* layouts.h - kernels that only change the layout of tensors, by their names. */
#ifndef WL_KNOWN_LAYOUTS_H
#define WL_KNOWN_LAYOUTS_H

#include <stdbool.h>

/*
 * Between channels first and channels last (NCHW, NHWC and their forms with a depth), as cuDNN,
 * TensorFlow and TensorRT name them. A transpose of a matrix is not meant.
 */
bool wl_kernel_changes_layout(const char *demangled);

#endif
