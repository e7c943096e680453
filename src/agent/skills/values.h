/* SPDX-License-Identifier: MIT */
/*
 * values.h - values of a skill's parameters, checked by their types.
 *
 * Order of calls: init; set or pair; end, once; then the others.
 */
#ifndef WL_AGENT_VALUES_H
#define WL_AGENT_VALUES_H

#include "agent/skills/skill.h"
#include "sql/sql.h"

struct wl_skill_values {
	const struct wl_skill *skill;
	const char *text[WL_MAX_PARAMS]; /* as written; NULL: absent */
	const char *trace;               /* as a word of a shell, for sentences; NULL: TRACE */
	struct wl_arena *arena;
};

/* The parameter of a name of n bytes, _ and - being alike; n_params where there is none. */
size_t wl_skill_param_named(const struct wl_skill *skill, const char *name, size_t n);

void wl_skill_values_init(struct wl_skill_values *v, const struct wl_skill *skill,
			  struct wl_arena *arena);

/* WL_E_USAGE with the nearest name, and those there are, for one that the skill does not have. */
int wl_skill_values_set(struct wl_skill_values *v, const char *key, const char *value,
			struct wl_err *reterr) WL_MUST_CHECK;

/* "key=value" */
int wl_skill_values_pair(struct wl_skill_values *v, const char *pair,
			 struct wl_err *reterr) WL_MUST_CHECK;

/* "a=1, b=\"x, y\"" */
int wl_skill_values_list(struct wl_skill_values *v, const char *list,
			 struct wl_err *reterr) WL_MUST_CHECK;

/* Take defaults; WL_E_USAGE for what is missing or does not fit its type. */
int wl_skill_values_end(struct wl_skill_values *v, struct wl_err *reterr) WL_MUST_CHECK;

/* Give what is required and missing a value that fits, for a check of the file alone. */
void wl_skill_values_sample(struct wl_skill_values *v);

/* For wl_template_fill(), ctx being the values. */
const char *wl_skill_value_named(void *ctx, const char *name, size_t n);

/* Whether the name stands for the trace in sentences: {trace}. */
bool wl_skill_is_trace(const char *name, size_t n);

/* The same for sentences and reasons, where {trace} is the trace. */
const char *wl_skill_word_named(void *ctx, const char *name, size_t n);

/* As parameters of SQL, one for each of the skill's; an absent value is NULL. */
int wl_skill_values_bind(const struct wl_skill_values *v, struct wl_sql_value *ret,
			 struct wl_err *reterr) WL_MUST_CHECK;

#endif
