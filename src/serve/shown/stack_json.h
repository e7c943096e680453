/* SPDX-License-Identifier: MIT */
/* stack_json.h - a tree of call stacks as JSON: "Call stacks" of docs/web.md. */
#ifndef WL_SERVE_STACK_JSON_H
#define WL_SERVE_STACK_JSON_H

#include "base/text/json_write.h"
#include "scene/stack_tree.h"
#include "serve/shown/names.h"

/* Nodes of a tree in a page or an answer: about 100 kB. */
enum { WL_STACK_JSON_NODES = 1500 };

/* One value; false without memory. Functions and modules are hashed where names are. */
bool wl_stack_json_put(const struct wl_stack_tree *tree, enum wl_naming naming,
		       struct wl_jsonw *out, struct wl_arena *arena) WL_MUST_CHECK;

#endif
