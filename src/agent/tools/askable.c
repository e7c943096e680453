/* SPDX-License-Identifier: MIT */
#include "agent/tools/askable.h"

#include <string.h>

#include "analysis/args.h"
#include "base/text/nearest.h"

/* Documents share sections: a table belongs to the first document that has it. */
static bool is_repeated(size_t document, const char *name)
{
	for (size_t d = 0; d < document; d++) {
		for (size_t s = 0; s < wl_documents[d]->n_sections; s++) {
			if (strcmp(wl_documents[d]->sections[s].analysis, name) == 0)
				return true;
		}
	}
	return false;
}

bool wl_askable_at(size_t i, struct wl_askable *ret)
{
	*ret = (struct wl_askable){ .analysis = NULL };
	if (i < wl_n_analyses) {
		ret->analysis = wl_analyses[i];
		return true;
	}
	i -= wl_n_analyses;
	for (size_t d = 0; d < wl_n_documents; d++) {
		for (size_t s = 0; s < wl_documents[d]->n_sections; s++) {
			const char *name = wl_documents[d]->sections[s].analysis;

			if (wl_analysis_find(name) || is_repeated(d, name) || i-- > 0)
				continue;
			ret->analysis = wl_analysis_get(name);
			ret->document = wl_documents[d]->name;
			return true;
		}
	}
	return false;
}

const char *wl_param_spelling(const char *key, char buf[64])
{
	size_t i = 0;

	for (; i < 63 && key[i]; i++)
		buf[i] = key[i];
	buf[i] = '\0';
	for (char *dash = buf; (dash = strchr(dash, '-'));)
		*dash = '_';
	return buf;
}

int wl_askable_find(const char *name, struct wl_askable *ret, struct wl_err *reterr)
{
	struct wl_nearest nearest;
	const char *meant;

	wl_nearest_init(&nearest, name);
	for (size_t i = 0; wl_askable_at(i, ret); i++) {
		const struct wl_alias *alias = ret->analysis->aliases;

		if (wl_key_is(ret->analysis->name, name, strlen(name)))
			return WL_OK;
		wl_nearest_offer(&nearest, ret->analysis->name);
		for (; alias && alias->name; alias++) {
			ret->alias = alias;
			if (wl_key_is(alias->name, name, strlen(name)))
				return WL_OK;
			wl_nearest_offer(&nearest, alias->name);
		}
	}
	meant = wl_nearest_get(&nearest);
	return wl_fail(reterr, WL_E_USAGE, "no verb \"%.60s\"; %s%s%s", name,
		       meant ? "did you mean " : "describe without arguments lists them",
		       meant ? meant : "", meant ? "?" : "");
}
