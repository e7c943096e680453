/* SPDX-License-Identifier: MIT */
/*
 * named_loss.h - names a kind of loss, with the call or range that has most of it.
 */
#ifndef WL_FINDINGS_NAMED_LOSS_H
#define WL_FINDINGS_NAMED_LOSS_H

#include "findings/rule_state.h"

/*
 * "OS calls (`fsync`)", "host code": for a GPU's tile, or its whole sample if tile is WL_NONE. The
 * name must have more than half of the loss there. Linear in the GPU's atoms. NULL without memory.
 */
const char *wl_say_named_loss(struct wl_rule_state *d, size_t gpu, uint32_t tile,
			      enum wl_loss loss);

#endif
