/* SPDX-License-Identifier: MIT */
/* find.c - analyses by name or alias. */
#include <assert.h>
#include <string.h>

#include "analysis/analysis.h"

static bool has_alias(const struct wl_analysis *a, const char *name)
{
	for (const struct wl_alias *alias = a->aliases; alias && alias->name; alias++) {
		if (strcmp(alias->name, name) == 0)
			return true;
	}
	return false;
}

const struct wl_analysis *wl_analysis_find(const char *name)
{
	for (size_t i = 0; i < wl_n_analyses; i++) {
		if (strcmp(wl_analyses[i]->name, name) == 0 || has_alias(wl_analyses[i], name))
			return wl_analyses[i];
	}
	return NULL;
}

const struct wl_analysis *wl_analysis_get(const char *name)
{
	const struct wl_analysis *a = NULL;

	/* By name only: an alias of a verb may be the name of a section. */
	for (size_t i = 0; !a && i < wl_n_analyses; i++) {
		if (strcmp(wl_analyses[i]->name, name) == 0)
			a = wl_analyses[i];
	}
	for (size_t i = 0; !a && i < wl_n_sections; i++) {
		if (strcmp(wl_sections[i]->name, name) == 0)
			a = wl_sections[i];
	}
	assert(a);
	return a;
}
