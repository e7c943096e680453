/* SPDX-License-Identifier: MIT */
/*
 * values.h - the values of a skill's parameters, checked against their types.
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
	const char *trace;               /* as a shell word, for sentences; NULL: TRACE */
	struct wl_arena *arena;
};

/* The parameter with a name of n bytes, _ and - being equivalent; n_params if there is none. */
size_t wl_skill_param_named(const struct wl_skill *skill, const char *name, size_t n);

void wl_skill_values_init(struct wl_skill_values *v, const struct wl_skill *skill,
			  struct wl_arena *arena);

/* Set a parameter. WL_E_USAGE for an unknown name, with the nearest name and all names. */
int wl_skill_values_set(struct wl_skill_values *v, const char *key, const char *value,
			struct wl_err *reterr) WL_MUST_CHECK;

/* "key=value" */
int wl_skill_values_pair(struct wl_skill_values *v, const char *pair,
			 struct wl_err *reterr) WL_MUST_CHECK;

/* "a=1, b=\"x, y\"" */
int wl_skill_values_list(struct wl_skill_values *v, const char *list,
			 struct wl_err *reterr) WL_MUST_CHECK;

/* Apply the defaults; WL_E_USAGE for values that are missing or do not fit their type. */
int wl_skill_values_end(struct wl_skill_values *v, struct wl_err *reterr) WL_MUST_CHECK;

/* Give missing required parameters a value that fits, to check a file without a trace. */
void wl_skill_values_sample(struct wl_skill_values *v);

/* A wl_template_value; ctx is the values. */
const char *wl_skill_value_named(void *ctx, const char *name, size_t n);

/* Whether the name means the trace in sentences: {trace}. */
bool wl_skill_is_trace(const char *name, size_t n);

/* The same for sentences and reasons, where {trace} is the trace. */
const char *wl_skill_word_named(void *ctx, const char *name, size_t n);

/* Bind the values as SQL parameters, one for each of the skill's; an absent value is NULL. */
int wl_skill_values_bind(const struct wl_skill_values *v, struct wl_sql_value *ret,
			 struct wl_err *reterr) WL_MUST_CHECK;

#endif
