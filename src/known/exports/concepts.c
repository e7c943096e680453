/* SPDX-License-Identifier: MIT */
#include "known/exports/concepts.h"

#include <string.h>

const struct wl_concept wl_concepts[WL_N_CONCEPTS] = {
#define WL_CONCEPT(ID, key, title, columns, text) [WL_CONCEPT_##ID] = { key, title, columns, text },
#include "known/exports/concepts.def"
#undef WL_CONCEPT
};

/* The word of n characters is "column", or "table.column". */
static bool is_word(const char *word, size_t n, const char *table, const char *column)
{
	const char *dot = memchr(word, '.', n);
	size_t n_table = dot ? (size_t)(dot - word) : 0;

	if (dot && (strlen(table) != n_table || memcmp(table, word, n_table) != 0))
		return false;
	if (dot) {
		word = dot + 1;
		n -= n_table + 1;
	}
	return strlen(column) == n && memcmp(column, word, n) == 0;
}

bool wl_concept_is_about(enum wl_concept_id id, const char *table, const char *column)
{
	const char *word = wl_concepts[id].columns;

	while (*word) {
		size_t n = strcspn(word, " ");

		if (is_word(word, n, table, column))
			return true;
		word += n;
		word += strspn(word, " ");
	}
	return false;
}
