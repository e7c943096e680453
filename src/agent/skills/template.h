/* SPDX-License-Identifier: MIT */
/* template.h - texts with {name} in them. Other braces stand for themselves: regex{2}. */
#ifndef WL_AGENT_TEMPLATE_H
#define WL_AGENT_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/memory/arena.h"

/* The next {name} at or behind text, and the bytes of its name; NULL for none. */
const char *wl_template_next(const char *text, size_t *ret_n);

/* The value of a name of n bytes; NULL: there is none, the text stays as it is. */
typedef const char *wl_template_value(void *ctx, const char *name, size_t n);

/*
 * Replace. With quoted, each value becomes one in double quotes of a filter expression, whatever
 * it holds. Values are not looked at again. Owned by the arena; NULL without memory.
 */
const char *wl_template_fill(const char *text, wl_template_value *value, void *ctx, bool quoted,
			     struct wl_arena *arena);

#endif
