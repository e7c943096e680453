/* SPDX-License-Identifier: MIT */
#include "known/exports/relations.h"

#include <ctype.h>
#include <string.h>

#include "base/attr.h"

enum { SOME, ALL };

const struct wl_relation wl_relations[] = {
#define WL_RELATION(CONCEPT, HOLDS, table, key, to_table, to_key, note)                            \
	{ WL_CONCEPT_##CONCEPT, HOLDS, table, key, to_table, to_key, note },
#include "known/exports/relations.def"
#undef WL_RELATION
};

const size_t wl_n_relations = WL_COUNT(wl_relations);

bool wl_relation_key_has(const char *key, const char *column)
{
	size_t n = strlen(column);

	while (n && *key) {
		size_t word = 0;

		while (isalnum((unsigned char)key[word]))
			word++;
		if (word == n && memcmp(key, column, n) == 0)
			return true;
		key += word ? word : 1;
	}
	return false;
}
