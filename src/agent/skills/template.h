/* SPDX-License-Identifier: MIT */
/* template.h - templates: texts that contain {name}. Other braces stay as they are: regex{2}. */
#ifndef WL_AGENT_TEMPLATE_H
#define WL_AGENT_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/memory/arena.h"

/* The next {name} at or after text, and the length of its name in bytes; NULL for none. */
const char *wl_template_next(const char *text, size_t *ret_n);

/* Returns the value of a name of n bytes; NULL: none, and the text stays unchanged. */
typedef const char *wl_template_value(void *ctx, const char *name, size_t n);

/*
 * Replace each {name}. With quoted, each value becomes a double-quoted string of a filter
 * expression, whatever it contains. Values are not expanded again. Owned by the arena; NULL if
 * memory runs out.
 */
const char *wl_template_fill(const char *text, wl_template_value *value, void *ctx, bool quoted,
			     struct wl_arena *arena);

#endif
