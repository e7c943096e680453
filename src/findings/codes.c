/* SPDX-License-Identifier: MIT */
/* codes.c - the registry of rules, and lookups by the code of a finding. */
#include "findings/codes.h"

#include <string.h>

#include "analysis/path/finding_scenario.h"
#include "findings/registered.h"

const struct wl_rule *const wl_rules[] = {
#define WL_RULE(name) &wl_rule_##name,
#include "findings/findings.def"
#undef WL_RULE
};

const size_t wl_n_rules = WL_COUNT(wl_rules);

const char *wl_finding_code(size_t i)
{
	return i < wl_n_rules ? wl_rules[i]->code : NULL;
}

const char *wl_finding_title(size_t i)
{
	return i < wl_n_rules ? wl_rules[i]->title : NULL;
}

const struct wl_rule *wl_rule_of_code(const char *code)
{
	for (size_t i = 0; i < wl_n_rules; i++) {
		if (strcmp(wl_rules[i]->code, code) == 0)
			return wl_rules[i];
	}
	return NULL;
}

const char *wl_finding_scenario(const char *code)
{
	const struct wl_rule *rule = wl_rule_of_code(code);

	if (!rule)
		return NULL;
	return rule->scenario_of_all ? rule->scenario_of_all : rule->scenario;
}

struct wl_best_place wl_finding_best_place(const char *code)
{
	const struct wl_rule *rule = wl_rule_of_code(code);

	return rule ? rule->best_place : (struct wl_best_place){ .losses = 0 };
}
