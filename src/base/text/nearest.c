/* SPDX-License-Identifier: MIT */
#include "base/text/nearest.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { MAX_WORD = 64 };

static size_t min3(size_t a, size_t b, size_t c)
{
	size_t m = a < b ? a : b;

	return m < c ? m : c;
}

/* Levenshtein's distance, without regard to case. */
static size_t distance(const char *a, const char *b)
{
	size_t row[MAX_WORD + 1], n = strnlen(b, MAX_WORD);

	for (size_t j = 0; j <= n; j++)
		row[j] = j;
	for (size_t i = 1; a[i - 1]; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= n; j++) {
			size_t above = row[j];
			int ca = tolower((unsigned char)a[i - 1]);
			int cb = tolower((unsigned char)b[j - 1]);

			row[j] = min3(row[j] + 1, row[j - 1] + 1, diagonal + (ca != cb));
			diagonal = above;
		}
	}
	return row[n];
}

void wl_nearest_init(struct wl_nearest *n, const char *wanted)
{
	*n = (struct wl_nearest){ .wanted = wanted, .distance = SIZE_MAX };
}

void wl_nearest_offer(struct wl_nearest *n, const char *word)
{
	size_t d;

	if (strlen(n->wanted) > MAX_WORD)
		return;
	d = distance(n->wanted, word);
	/* A beginning is meant, however much is missing. */
	if (strlen(n->wanted) >= 3 && strncasecmp(n->wanted, word, strlen(n->wanted)) == 0)
		d = 1;
	if (d < n->distance) {
		n->distance = d;
		n->best = word;
	}
}

const char *wl_nearest_get(const struct wl_nearest *n)
{
	return n->best && n->distance <= 1 + strlen(n->wanted) / 4 ? n->best : NULL;
}

int wl_nearest_refuse(const char *what, const char *key, const char *const *all, size_t n,
		      struct wl_err *reterr)
{
	char list[256] = "none";
	struct wl_nearest nearest;
	const char *meant;
	size_t used = 0;

	wl_nearest_init(&nearest, key);
	for (size_t i = 0; i < n; i++) {
		wl_nearest_offer(&nearest, all[i]);
		if (used < sizeof(list))
			used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
						 used ? ", " : "", all[i]);
	}
	meant = wl_nearest_get(&nearest);
	return wl_fail(reterr, WL_E_USAGE, "%s \"%.60s\"%s%s%s; it takes: %s", what, key,
		       meant ? "; did you mean " : "", meant ? meant : "", meant ? "?" : "", list);
}
