/* SPDX-License-Identifier: MIT */
/*
 * json_load.h - jansson's parser, ended from outside when memory is short.
 *
 * Up to 2.14 the library goes on after some failed allocations: it reads past its buffers, meets
 * an assertion, or calls a valid document malformed. Here it never sees a failed allocation.
 */
#ifndef WL_BASE_JSON_LOAD_H
#define WL_BASE_JSON_LOAD_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/attr.h"

/*
 * json_loadb with JSON_REJECT_DUPLICATES, JSON_DECODE_ANY and JSON_DECODE_INT_AS_REAL, in at most
 * that many bytes. NULL with *ret_short when the system has no more or the limit is hit, and all
 * is free then; NULL without it for a malformed document, which *e describes.
 */
json_t *wl_json_load(const char *text, size_t n, size_t most, json_error_t *e,
		     bool *ret_short) WL_MUST_CHECK;

#endif
