/* SPDX-License-Identifier: MIT */
#include "derive/kinds/category_rules.h"

#include <stdio.h>
#include <string.h>

#include "known/builtin.h"

static const char folder[] = "categories", other_text[] = "(other)", graph_text[] = "(graph)";

/* The model whose rules apply to every model of the engine. */
static const char for_all[] = "default";

struct rule {
	struct wl_regex *regex; /* owned */
	uint8_t category;
};

/* The number of a category, assigned on first sight; negative if there are too many. */
static int number_category(struct wl_category_rules *r, const char *text, struct wl_err *reterr)
{
	for (size_t i = 0; i < r->n; i++) {
		if (strcmp(r->category[i], text) == 0)
			return (int)i;
	}
	/* Leave room for "(other)" and "(graph)", which come last. */
	if (r->n + 2 == WL_MAX_CATEGORIES)
		return wl_fail(reterr, WL_E_USAGE, "rules with more than %d categories",
			       WL_MAX_CATEGORIES - 2);
	r->category[r->n] = text;
	return (int)r->n++;
}

static int add_rule(struct wl_category_rules *r, const char *pattern, const struct wl_json *value,
		    struct wl_err *reterr)
{
	const char *text = wl_json_string(value);
	struct rule rule = { NULL, 0 };
	int category, result;

	if (!text || !*text || strcmp(text, other_text) == 0 || strcmp(text, graph_text) == 0)
		return wl_fail(reterr, WL_E_USAGE,
			       "rules: '%.100s' must have the name of a category, and not %s or %s",
			       pattern, other_text, graph_text);
	if (r->rule.n == WL_MAX_CATEGORY_RULES)
		return wl_fail(reterr, WL_E_USAGE, "more than %d rules", WL_MAX_CATEGORY_RULES);
	category = number_category(r, text, reterr);
	if (category < 0)
		return category;
	result = wl_regex_new(pattern, WL_REGEX_PLAIN, &rule.regex, reterr);
	if (result < 0)
		return result;
	rule.category = (uint8_t)category;
	wl_vec_push(&r->rule, &rule);
	if (!r->rule.failed)
		return WL_OK;
	wl_regex_free(rule.regex);
	return wl_fail(reterr, WL_E_NOMEM, "no memory for rules");
}

static const struct wl_json *first_member(const struct wl_json *v)
{
	const struct wl_json *first = NULL;
	const char *key;
	const void *at = NULL;

	return wl_json_next(v, &at, &key, &first) ? first : NULL;
}

static const struct wl_json *member(const struct wl_json *engine, const char *model)
{
	return engine && model ? wl_json_member(engine, model) : NULL;
}

/* The rules of a built-in model, or of the model that it is an alias of. */
static const struct wl_json *member_or_alias(const struct wl_json *engine, const char *model)
{
	const struct wl_json *found = member(engine, model);
	const char *alias = found ? wl_json_string(found) : NULL;

	return alias ? member(engine, alias) : found;
}

/* The rules of an engine: those of the model, else those for all, else those of its first model. */
static const struct wl_json *pick_model(const struct wl_json *engine, const char *model)
{
	const struct wl_json *found = member(engine, model);

	if (!found)
		found = member(engine, for_all);
	return found ? found : first_member(engine);
}

static int add_rules(struct wl_category_rules *r, const struct wl_json *rules,
		     struct wl_err *reterr)
{
	const struct wl_json *value;
	const void *at = NULL;
	const char *pattern;
	int result = WL_OK;

	if (!rules || wl_json_type_of(rules) != WL_JSON_OBJECT)
		return wl_fail(reterr, WL_E_USAGE,
			       "rules must be {engine: {model: {regex: category}}}");
	while (result == WL_OK && wl_json_next(rules, &at, &pattern, &value))
		result = add_rule(r, pattern, value, reterr);
	return result;
}

/* The table's categories keep the table's order, whichever the engine's rules mention first. */
static int number_table(struct wl_category_rules *r, struct wl_err *reterr)
{
	for (int i = 0; i < (int)WL_N_NAMED_CATEGORIES; i++) {
		int n = number_category(r, wl_category_word((enum wl_category)i), reterr);

		if (n < 0)
			return n;
		r->of_table[i] = (uint8_t)n;
	}
	r->has_table = true;
	return WL_OK;
}

/* Add a built-in engine: the table, the rules of the model and those for all models. */
static int add_builtin(struct wl_category_rules *r, const struct wl_json *engine, const char *model,
		       struct wl_err *reterr)
{
	const struct wl_json *of_model = member_or_alias(engine, model);
	const struct wl_json *all = member(engine, for_all);
	int result = number_table(r, reterr);

	if (result == WL_OK && of_model && of_model != all)
		result = add_rules(r, of_model, reterr);
	if (result == WL_OK && all)
		result = add_rules(r, all, reterr);
	return result;
}

static int load_builtin(struct wl_category_rules *r, const char *engine, struct wl_err *reterr)
{
	size_t size;
	const char *text = wl_builtin_find(folder, engine, &size);

	return text ? wl_json_parse(text, size, engine, &r->builtin, reterr) : WL_OK;
}

/* Append the members of a document, except those that an earlier document has. */
static void list_members(const struct wl_json *doc, const struct wl_json *before, char *buf,
			 size_t size)
{
	const struct wl_json *value;
	const void *at = NULL;
	const char *name;

	while (doc && wl_json_next(doc, &at, &name, &value)) {
		size_t used = strlen(buf);

		if (strcmp(name, for_all) != 0 && !wl_json_string(value) && !member(before, name))
			(void)snprintf(buf + used, size - used, "%s%.60s", used ? ", " : "", name);
	}
}

static int fail_engine(const struct wl_rule_choice *c, struct wl_err *reterr)
{
	char known[128] = "", files[128] = "";
	const char *name;

	for (size_t i = 0; (name = wl_builtin_name(folder, i)); i++) {
		size_t used = strlen(known);

		(void)snprintf(known + used, sizeof(known) - used, "%s%s", used ? ", " : "", name);
	}
	list_members(c->user, NULL, files, sizeof(files));
	list_members(c->kept, c->user, files, sizeof(files));
	return wl_fail(reterr, WL_E_USAGE,
		       "no rules for the engine '%.60s': give --rules FILE or --engines DIR (else "
		       "~/.config/warplens/engines), or put engine_%.60s.json beside the trace; "
		       "built in are %s%s%s",
		       c->engine, c->engine, known, files[0] ? "; the files have " : "", files);
}

/* The user's rules for the engine. */
static const struct wl_json *of_user(const struct wl_rule_choice *c)
{
	const struct wl_json *found = c->user ? wl_json_member(c->user, c->engine) : NULL;

	return found || !c->kept ? found : wl_json_member(c->kept, c->engine);
}

void wl_category_models(const struct wl_rule_choice *choice, char *buf, size_t size)
{
	struct wl_category_rules r = { .n = 0 };
	const struct wl_json *user = of_user(choice);
	struct wl_err err;

	buf[0] = '\0';
	list_members(user, NULL, buf, size);
	if (load_builtin(&r, choice->engine, &err) == WL_OK && r.builtin)
		list_members(wl_json_member(r.builtin, choice->engine), user, buf, size);
	wl_json_free(r.builtin);
}

static int fail_model(const struct wl_rule_choice *c, struct wl_err *reterr)
{
	char models[200];

	wl_category_models(c, models, sizeof(models));
	return wl_fail(reterr, WL_E_USAGE, "no rules for the model '%.100s' of %.100s; it has %s",
		       c->model, c->engine, models[0] ? models : "none");
}

/* The rules of the engine in both documents; either may be NULL. */
static int choose(struct wl_category_rules *r, const struct wl_rule_choice *c,
		  const struct wl_json **ret_user, const struct wl_json **ret_builtin,
		  struct wl_err *reterr)
{
	const struct wl_json *user = of_user(c), *builtin;
	int result = load_builtin(r, c->engine, reterr);

	if (result < 0)
		return result;
	builtin = r->builtin ? wl_json_member(r->builtin, c->engine) : NULL;
	r->has_kept = user && c->kept && user == wl_json_member(c->kept, c->engine);
	/* For a built-in engine, discovered rule files apply only to their own models. */
	if (r->has_kept && builtin && !member(user, c->model) && !member(user, for_all)) {
		user = NULL;
		r->has_kept = false;
		r->skips_kept = true;
	}
	if (!user && !builtin)
		return fail_engine(c, reterr);
	if (!user && c->user)
		user = first_member(c->user);
	/*
	 * A model that is in neither document uses "default", and answers say so; without "default"
	 * it is an error.
	 */
	r->by_default = c->model && !member(user, c->model) && !member(builtin, c->model);
	if (r->by_default && !member(user, for_all) && !member(builtin, for_all))
		return fail_model(c, reterr);
	*ret_user = user;
	*ret_builtin = builtin;
	return WL_OK;
}

int wl_category_rules_check(const struct wl_rule_choice *choice, struct wl_err *reterr)
{
	struct wl_category_rules rules = { .n = 0 };
	const struct wl_json *user = NULL, *builtin = NULL;
	int result = choose(&rules, choice, &user, &builtin, reterr);

	wl_category_rules_release(&rules);
	return result;
}

int wl_category_rules_init(struct wl_category_rules *rules, const struct wl_rule_choice *choice,
			   struct wl_budget *budget, struct wl_err *reterr)
{
	const struct wl_json *user = NULL, *builtin = NULL;
	int result;

	*rules = (struct wl_category_rules){ .n = 0 };
	wl_vec_init(&rules->rule, sizeof(struct rule), budget);
	result = choose(rules, choice, &user, &builtin, reterr);
	if (result == WL_OK && (user || choice->user))
		result = add_rules(rules, pick_model(user, choice->model), reterr);
	/* The user's rules come first and may move communication, which built-in ones may not. */
	rules->n_user = rules->rule.n;
	if (result == WL_OK && builtin)
		result = add_builtin(rules, builtin, choice->model, reterr);
	if (result < 0)
		return result;
	rules->other = (uint8_t)rules->n;
	rules->of_table[WL_CATEGORY_OTHER] = rules->other;
	rules->category[rules->n++] = other_text;
	rules->graph = (uint8_t)rules->n;
	rules->category[rules->n++] = graph_text;
	return WL_OK;
}

void wl_category_rules_release(struct wl_category_rules *rules)
{
	const struct rule *rule = rules->rule.data;

	for (size_t i = 0; i < rules->rule.n; i++)
		wl_regex_free(rule[i].regex);
	/* A check that failed early has not initialised the vector. */
	if (rules->rule.budget)
		wl_vec_release(&rules->rule);
	wl_json_free(rules->builtin);
	rules->builtin = NULL;
}

/* The category of the first of the rules [from, upto) that matches; WL_MAX_CATEGORIES if none. */
static int search(const struct wl_category_rules *r, size_t from, size_t upto, const char *name,
		  size_t *n_given_up)
{
	const struct rule *rule = r->rule.data;
	size_t len = strlen(name);

	for (size_t i = from; i < upto; i++) {
		int found = wl_regex_match(rule[i].regex, name, len);

		if (found > 0)
			return rule[i].category;
		/*
		 * An expression that hits its limits is counted and the next rule is tried; only
		 * lack of memory ends the search.
		 */
		if (found == WL_E_NOMEM)
			return found;
		*n_given_up += found < 0;
	}
	return WL_MAX_CATEGORIES;
}

int wl_category_of_name(const struct wl_category_rules *rules, const char *name,
			const struct wl_kernel_facts *facts, size_t *n_given_up)
{
	int category = search(rules, 0, rules->n_user, name, n_given_up);

	if (category != WL_MAX_CATEGORIES)
		return category;
	if (!rules->has_table)
		return rules->other;
	/*
	 * Built-in rules of an engine do not move communication to another category: time accounts
	 * treat it separately.
	 */
	if (!wl_kernel_is_comm(facts))
		category = search(rules, rules->n_user, rules->rule.n, name, n_given_up);
	return category != WL_MAX_CATEGORIES ? category : rules->of_table[facts->category];
}
