/* SPDX-License-Identifier: MIT */
#include "known/ranks.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int64_t wl_rank_find(const char *text, enum wl_rank_text where, const char **ret_rest)
{
	for (const char *p = text; (p = strcasestr(p, "rank")) != NULL; p++) {
		const char *digits = p + 4;
		bool equals = *digits == '=', label = where == WL_RANK_IN_LABEL;
		/* A label's tp_rank=3 is no rank; in a file name _ may be a space. */
		bool inside =
			p > text && (isalpha((unsigned char)p[-1]) || (label && p[-1] == '_'));
		char *rest;
		int64_t rank;

		if (*digits && strchr("=_-.", *digits))
			digits++;
		if (inside || !isdigit((unsigned char)*digits) || (label && !equals))
			continue;
		rank = strtoll(digits, &rest, 10);
		if (ret_rest)
			*ret_rest = rest;
		return rank;
	}
	return -1;
}
