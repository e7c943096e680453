/* SPDX-License-Identifier: MIT */
#include "agent/route/rules.h"

#include <stdbool.h>
#include <string.h>

#include "base/attr.h"

static const struct rule {
	const char *verb, *all, *any, *none;
} rules[] = {
#define WL_RULE(verb, all, any, none) { verb, all, any, none },
#include "agent/route/rules.def"
#undef WL_RULE
};

static const struct implied {
	struct rule rule;
	const char *options;
} implied[] = {
#define WL_IMPLIED(verb, options, all, any) { { verb, all, any, "" }, options },
#include "agent/route/rules.def"
#undef WL_IMPLIED
};

struct senses {
	const char *const *sense;
	size_t n;
};

static bool has(const struct senses *s, const char *word, size_t len)
{
	for (size_t i = 0; i < s->n; i++) {
		if (strlen(s->sense[i]) == len && memcmp(s->sense[i], word, len) == 0)
			return true;
	}
	return false;
}

/* How many words of a list are among the senses; *ret_of is the number of words. */
static size_t count(const struct senses *s, const char *list, size_t *ret_of)
{
	size_t n = 0;

	*ret_of = 0;
	while (*list) {
		size_t len = strcspn(list, " ");

		n += has(s, list, len);
		*ret_of += 1;
		list += len + strspn(list + len, " ");
	}
	return n;
}

static bool fits(const struct rule *r, const struct senses *s)
{
	size_t of, n = count(s, r->all, &of);

	if (n < of)
		return false;
	n = count(s, r->any, &of);
	if (of && n == 0)
		return false;
	return count(s, r->none, &of) == 0;
}

const char *wl_rule_verb(const char *const *sense, size_t n)
{
	const struct senses s = { sense, n };

	for (size_t i = 0; i < WL_COUNT(rules); i++) {
		if (fits(&rules[i], &s))
			return rules[i].verb;
	}
	return NULL;
}

const char *wl_rule_options(const char *verb, const char *const *sense, size_t n)
{
	const struct senses s = { sense, n };

	for (size_t i = 0; i < WL_COUNT(implied); i++) {
		if (strcmp(implied[i].rule.verb, verb) == 0 && fits(&implied[i].rule, &s))
			return implied[i].options;
	}
	return "";
}

const char *wl_rule_at(size_t i, const char **ret_all, const char **ret_any, const char **ret_none)
{
	if (i >= WL_COUNT(rules))
		return NULL;
	*ret_all = rules[i].all;
	*ret_any = rules[i].any;
	*ret_none = rules[i].none;
	return rules[i].verb;
}
