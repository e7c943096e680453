/* SPDX-License-Identifier: MIT */
#include "serve/shown/bare_names.h"

#include <stdlib.h>
#include <string.h>

#include "derive/nvtx/range_names.h"

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

bool wl_bare_names_find(const struct wl_show *show, struct wl_arena *arena,
			struct wl_bare_names *ret)
{
	size_t n_names = 0, n = 0, n_distinct = 0;
	const char **at;

	for (size_t s = 0; s < show->n; s++)
		n_names += show->scene[s]->range_names ? show->scene[s]->range_names->n : 0;
	at = WL_NEW(arena, const char *, n_names + 1);
	if (!at)
		return false;
	for (size_t s = 0; s < show->n; s++) {
		const struct wl_range_names *names = show->scene[s]->range_names;

		for (size_t i = 0; names && i < names->n; i++) {
			if (names->name[i].domain && *names->name[i].domain)
				at[n++] = names->name[i].domain;
		}
	}
	qsort(at, n, sizeof(*at), by_bytes);
	for (size_t i = 0; i < n; i++) {
		if (n_distinct == 0 || strcmp(at[i], at[n_distinct - 1]) != 0)
			at[n_distinct++] = at[i];
	}
	*ret = (struct wl_bare_names){ n_distinct, at };
	return true;
}

/* The first n bytes of a text. */
struct prefix {
	const char *text;
	size_t n;
};

static int against(const void *key, const void *domain)
{
	const struct prefix *p = key;
	const char *name = *(const char *const *)domain;
	int order = strncmp(p->text, name, p->n);

	return order ? order : -(name[p->n] != '\0');
}

const char *wl_bare_name(const struct wl_bare_names *domains, const char *name)
{
	const char *colon = strchr(name, ':');

	for (int k = 0; colon && domains->n > 0 && k < WL_DOMAIN_COLONS; k++) {
		struct prefix p = { name, (size_t)(colon - name) };

		if (bsearch(&p, domains->at, domains->n, sizeof(*domains->at), against))
			return colon + 1;
		colon = strchr(colon + 1, ':');
	}
	return name;
}
