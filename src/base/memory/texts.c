/* SPDX-License-Identifier: MIT */
#include "base/memory/texts.h"

#include <stdbool.h>
#include <string.h>

#include "base/memory/sort.h"

struct texts {
	const char *const *text;
};

static bool text_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct texts *t = ctx;

	return strcmp(t->text[a], t->text[b]) < 0;
}

uint32_t *wl_texts_merge(const char *const *text, size_t n, struct wl_arena *arena)
{
	uint32_t *first = WL_NEW(arena, uint32_t, n);
	/* The second half is room for the sort. */
	uint32_t *order = WL_NEW(arena, uint32_t, 2 * n);

	if (!first || !order)
		return NULL;
	wl_sort_all(order, n, text_less, &(struct texts){ text });
	/* Equal texts keep their order, so the first of a run is the first of all. */
	for (size_t i = 0; i < n; i++) {
		bool same = i > 0 && strcmp(text[order[i]], text[order[i - 1]]) == 0;

		first[order[i]] = same ? first[order[i - 1]] : order[i];
	}
	return first;
}
