/* SPDX-License-Identifier: MIT */
#include "serve/shown/labels.h"

#include "base/memory/texts.h"

bool wl_labels_find(const struct wl_names *names, struct wl_arena *arena, struct wl_labels *ret)
{
	const char **text = WL_NEW(arena, const char *, names->n + 1);
	uint32_t *of_name = WL_NEW(arena, uint32_t, names->n + 1);
	uint32_t *number = WL_NEW(arena, uint32_t, names->n + 1); /* by text */
	uint32_t *first;
	size_t n_texts = 0, n = 0, at = 0;

	if (!text || !of_name || !number)
		return false;
	for (size_t i = 0; i < names->n; i++) {
		if (names->at[i].label)
			text[n_texts++] = names->at[i].label;
	}
	first = wl_texts_merge(text, n_texts, arena);
	if (!first)
		return false;
	for (size_t i = 0; i < n_texts; i++) {
		number[i] = first[i] == i ? (uint32_t)n : number[first[i]];
		/*
		 * In place: n never passes i, and the first of equal texts comes before the others.
		 */
		if (first[i] == i)
			text[n++] = text[i];
	}
	for (size_t i = 0; i < names->n; i++)
		of_name[i] = names->at[i].label ? number[at++] : WL_NONE;
	*ret = (struct wl_labels){ n, text, of_name };
	return true;
}
