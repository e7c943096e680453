/* SPDX-License-Identifier: MIT */
#include "analysis/name_categories.h"

enum { ENGINE, MODEL, RULES, ENGINES };

struct wl_rule_choice wl_rules_chosen(const union wl_arg *arg)
{
	return (struct wl_rule_choice){ .engine = arg[ENGINE].str,
					.model = arg[MODEL].str,
					.user = arg[RULES].doc,
					.kept = arg[ENGINES].doc };
}

void wl_rules_note(const struct wl_category_rules *rules, const union wl_arg *arg,
		   struct wl_table *out)
{
	const struct wl_rule_choice choice = wl_rules_chosen(arg);
	char models[200];

	if (rules->has_kept)
		wl_table_note(out, "rules for %.60s in files come first", choice.engine);
	if (!rules->by_default && (!rules->skips_kept || choice.model))
		return;
	wl_category_models(&choice, models, sizeof(models));
	if (rules->by_default)
		wl_table_note(out,
			      "%.60s has no rules of its own for the model %.60s; those for all "
			      "models are used%s%s",
			      choice.engine, choice.model, models[0] ? "; it has " : "", models);
	else
		wl_table_note(out, "%.60s has rules in files for other models: %s", choice.engine,
			      models);
}

int wl_rules_check(const char *verb, const union wl_arg *arg, struct wl_err *reterr)
{
	const struct wl_rule_choice choice = wl_rules_chosen(arg);
	struct wl_err why = { .code = WL_OK };
	int r = wl_category_rules_check(&choice, &why);

	return r < 0 ? wl_fail(reterr, why.code, "%s: %s", verb, why.msg) : WL_OK;
}

int wl_name_categories_init(struct wl_name_categories *c, const struct wl_run *run,
			    const union wl_arg *arg, const char *verb, struct wl_err *reterr)
{
	const struct wl_rule_choice choice = wl_rules_chosen(arg);
	struct wl_err why = { .code = WL_OK };
	int r = wl_category_rules_init(&c->rules, &choice, wl_arena_budget(run->arena), &why);

	if (r < 0)
		return wl_fail(reterr, why.code, "%s: %s", verb, why.msg);
	if (!wl_category_map_make(run->trace, run->derived->named, &c->rules, run->arena, &c->map))
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory for categories", verb);
	return WL_OK;
}

void wl_name_categories_release(struct wl_name_categories *c)
{
	wl_category_rules_release(&c->rules);
}
