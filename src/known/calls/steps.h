/* SPDX-License-Identifier: MIT */
/*
 * steps.h - names of ranges and kernels that mark steps and their kinds.
 *
 * A word is a run of ASCII letters; it also ends where a capital follows a small letter
 * (TrainStep). Case does not count.
 */
#ifndef WL_KNOWN_STEPS_H
#define WL_KNOWN_STEPS_H

#include <stdbool.h>

/* Has the word iter, iteration, step, batch, token, req or request: it is a step by name. */
bool wl_name_is_step(const char *label);

/* Has the word layer, layers, block or blocks, and none of the above. */
bool wl_name_is_layer(const char *label);

/* What serving engines do in a step. */
enum { WL_DOES_PREFILL = 1, WL_DOES_DECODE = 2 };

/*
 * Which of these a range's exact name says; 0 for none. The words prefill and extend, and
 * decode; or counts of requests, as vLLM ("execute_context_1(128)_generation_3(3)") and
 * TensorRT-LLM ("_forward_step 7: 1 ctx reqs, 3 gen reqs") write them.
 */
unsigned wl_range_does(const char *name);

/*
 * The same of a kernel: the words prefill and decode, and attention kernels that only
 * decode: vLLM's paged_attention_v1 and _v2, masked_multihead_attention of
 * FasterTransformer and TensorRT-LLM.
 */
unsigned wl_kernel_does(const char *name);

#endif
