/* SPDX-License-Identifier: MIT */
/*
 * changes.c - what derive/iters/change.h finds in series, one per line of the standard input:
 * numbers with blanks between them. Prints the kind, and of a change the stretch and its two
 * levels.
 */
#include <stdio.h>
#include <stdlib.h>

#include "derive/iters/change.h"

enum { MOST = 64, LINE = 32 * MOST };

int main(void)
{
	static char line[LINE];
	struct wl_arena arena;

	wl_arena_init(&arena, 1 << 20);
	while (fgets(line, sizeof(line), stdin)) {
		wl_ns value[MOST];
		struct wl_series_change found;
		char *at = line, *end;
		size_t n = 0;

		for (; n < MOST; n++, at = end) {
			value[n] = strtoll(at, &end, 10);
			if (end == at)
				break;
		}
		if (!wl_change_find(value, n, &arena, &found))
			return EXIT_FAILURE;
		printf("%s", wl_change_kind_name(found.kind));
		if (found.kind != WL_CHANGE_NONE)
			printf(" %zu %zu %lld %lld", found.begin, found.end,
			       (long long)found.inside, (long long)found.outside);
		putchar('\n');
	}
	wl_arena_release(&arena);
	return EXIT_SUCCESS;
}
