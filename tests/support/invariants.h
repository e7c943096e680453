/* SPDX-License-Identifier: MIT */
/* invariants.h - what model/trace.h promises of every trace, checked the slow way. */
#ifndef WL_TESTS_INVARIANTS_H
#define WL_TESTS_INVARIANTS_H

#include "model/trace.h"

/* Every column there is. */
struct wl_columns all_columns(void);

/* NULL when the trace keeps all promises, else which one it breaks. */
const char *broken_invariant(const struct wl_trace *trace);

#endif
