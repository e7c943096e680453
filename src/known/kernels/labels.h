/* SPDX-License-Identifier: MIT */
/*
 * labels.h - what kernels are called on screen.
 *
 * A label is the base name with the arguments that tell kernels apart, and with data type and
 * tile where the name has them: "sm90 gemm bf16 128x256x64", "softmax_warp_forward<float, 6>".
 * Names are grouped by their base; the words behind it stay at which names of a group
 * differ. A label that another name would have, too, gives way to the qualified base, then to
 * the whole name.
 */
#ifndef WL_KNOWN_LABELS_H
#define WL_KNOWN_LABELS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "base/memory/arena.h"

/*
 * The labels of n demangled names; one that is no C++ name is its own label. Different names get
 * different labels, equal ones the same. Owned by the arena, or the name itself. O(n log n)
 * comparisons, otherwise linear in the length of all names. ret may be name. False without memory.
 */
bool wl_kernel_labels(const char *const *name, size_t n, struct wl_arena *arena,
		      const char **ret) WL_MUST_CHECK;

#endif
