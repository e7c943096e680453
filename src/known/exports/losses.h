/* SPDX-License-Identifier: MIT */
/* losses.h - messages of the profiler that report lost events. */
#ifndef WL_KNOWN_LOSSES_H
#define WL_KNOWN_LOSSES_H

#include <stdbool.h>
#include <stdint.h>

/* A warning or an error whose words report lost events; nsys has no codes for them. */
bool wl_message_tells_loss(uint8_t severity, const char *text);

/* Whether it says that CUDA events may be missing. */
bool wl_message_doubts_cuda(uint8_t severity, const char *text);

#endif
