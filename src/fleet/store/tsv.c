/* SPDX-License-Identifier: MIT */
#include "fleet/store/tsv.h"

#include <string.h>

/* In place: a text only gets shorter. \N, which is NULL, becomes "". */
static void unescape(char *cell)
{
	static const char from[] = "tnrbf0", to[] = "\t\n\r\b\f ";
	char *out = cell;

	if (strcmp(cell, "\\N") == 0)
		*cell = '\0';
	for (; *cell; cell++) {
		const char *known;

		if (*cell != '\\' || !cell[1]) {
			*out++ = *cell;
			continue;
		}
		cell++;
		known = strchr(from, *cell);
		if (known)
			*out = to[known - from];
		else
			*out = *cell;
		out++;
	}
	*out = '\0';
}

bool wl_tsv_row(struct wl_tsv *tsv, char **cells, size_t n)
{
	char *end;
	size_t i = 0;

	if (!tsv->at || !*tsv->at)
		return false;
	end = strchr(tsv->at, '\n');
	if (end)
		*end++ = '\0';
	for (char *at = tsv->at, *tab; at; at = tab) {
		tab = strchr(at, '\t');
		if (tab)
			*tab++ = '\0';
		if (i < n)
			cells[i] = at;
		i++;
	}
	tsv->at = end;
	tsv->is_broken = tsv->is_broken || i != n;
	for (size_t k = 0; !tsv->is_broken && k < n; k++)
		unescape(cells[k]);
	return !tsv->is_broken;
}
