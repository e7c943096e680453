/* SPDX-License-Identifier: MIT */
#include "serve/shown/stack_json.h"

#include "base/memory/texts.h"
#include "serve/shown/redact.h"

/* The texts of all nodes: functions, then modules. NULL without memory. */
static const char **texts_of(const struct wl_stack_tree *tree, enum wl_naming naming,
			     struct wl_arena *arena)
{
	const char **text = WL_NEW(arena, const char *, 2 * tree->n + 1);

	for (size_t i = 0; text && i < tree->n; i++) {
		const struct wl_stack_node *node = &tree->node[i];
		/* "[no sample]" is a word of ours. */
		bool hashed = naming == WL_NAMES_REDACTED && *node->module;

		text[i] =
			hashed ? wl_redact_word("function", node->function, arena) : node->function;
		text[tree->n + i] =
			hashed ? wl_redact_word("module", node->module, arena) : node->module;
		if (!text[i] || !text[tree->n + i])
			return NULL;
	}
	return text;
}

/* Each text once; first becomes its number in the list. */
static void put_texts(const char *const *text, const uint32_t *first, uint32_t *number, size_t n,
		      struct wl_jsonw *out)
{
	uint32_t next = 0;

	wl_jsonw_open_array(out, "texts");
	for (size_t i = 0; i < n; i++) {
		if (first[i] == i) {
			number[i] = next++;
			wl_jsonw_str(out, text[i]);
		} else {
			number[i] = number[first[i]];
		}
	}
	wl_jsonw_end_array(out);
}

static void put_nodes(const struct wl_stack_tree *tree, const uint32_t *number,
		      struct wl_jsonw *out)
{
	wl_jsonw_open_array(out, "nodes");
	for (size_t i = 0; i < tree->n; i++) {
		const struct wl_stack_node *node = &tree->node[i];

		wl_jsonw_begin_array(out);
		wl_jsonw_i64(out, node->parent == WL_NONE ? -1 : (int64_t)node->parent);
		wl_jsonw_i64(out, number[i]);
		wl_jsonw_i64(out, number[tree->n + i]);
		wl_jsonw_i64(out, node->total);
		wl_jsonw_i64(out, node->self);
		wl_jsonw_end_array(out);
	}
	wl_jsonw_end_array(out);
}

bool wl_stack_json_put(const struct wl_stack_tree *tree, enum wl_naming naming,
		       struct wl_jsonw *out, struct wl_arena *arena)
{
	const char **text = texts_of(tree, naming, arena);
	uint32_t *first = text ? wl_texts_merge(text, 2 * tree->n, arena) : NULL;
	uint32_t *number = WL_NEW(arena, uint32_t, 2 * tree->n + 1);

	if (!first || !number)
		return false;
	wl_jsonw_begin_object(out);
	wl_jsonw_put_i64(out, "total", tree->total);
	wl_jsonw_put_i64(out, "all", (int64_t)tree->n_all);
	put_texts(text, first, number, 2 * tree->n, out);
	put_nodes(tree, number, out);
	wl_jsonw_end_object(out);
	return true;
}
