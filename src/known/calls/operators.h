/* SPDX-License-Identifier: MIT */
/* operators.h - names of NVTX ranges that are a framework's own code around kernel launches. */
#ifndef WL_KNOWN_OPERATORS_H
#define WL_KNOWN_OPERATORS_H

#include <stdbool.h>

/*
 * The range is an operator, a hook or a module of PyTorch: "aten::mm", "FSDP::pre_forward (x)",
 * or has the sequence number that only operators get, "FlashAttnFunc, seq = #". Its time is
 * that of launching: no other thread can do it. Data loaders and ranges of users are not.
 */
bool wl_range_is_operator(const char *name);

#endif
