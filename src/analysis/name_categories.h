/* SPDX-License-Identifier: MIT */
/* name_categories.h - categories of operations, and the options that choose their rules. */
#ifndef WL_ANALYSIS_NAME_CATEGORIES_H
#define WL_ANALYSIS_NAME_CATEGORIES_H

#include "analysis/analysis.h"
#include "derive/kinds/category_times.h"

/* The parameters, in this order; an analysis that has them needs WL_FROM(NAMED). */
#define WL_PARAM_ENGINE                                                                            \
	{                                                                                          \
		.key = "engine", .type = WL_P_STR, .def = "generic",                               \
		.help = "Built-in rules: generic, nvfuser, sglang, tensorrt-llm, "                 \
			"transformer-engine, vllm or xla; or an engine of --rules."                \
	}
#define WL_PARAM_MODEL                                                                             \
	{                                                                                          \
		.key = "model", .type = WL_P_STR,                                                  \
		.help = "A model of the engine (vllm: llama, gpt-oss, deepseek); its rules come "  \
			"before those for all models."                                             \
	}
#define WL_PARAM_RULES                                                                             \
	{                                                                                          \
		.key = "rules", .type = WL_P_DOC,                                                  \
		.help = "Your own rules, tried first: {engine: {model: {regex: category}}}."       \
	}

#define WL_PARAM_ENGINES                                                                           \
	{                                                                                          \
		.key = "engines", .type = WL_P_DOC, .folder = "engines", .named_by = "engine",     \
		.help = "A directory of files of rules, for more engines; without it "             \
			"$XDG_CONFIG_HOME/warplens/engines, below ~/.config by default. "          \
			"engine_NAME.json beside the trace, or else in the current "               \
			"directory, adds to them."                                                 \
	}

enum { WL_N_RULE_PARAMS = 4 };

/* The rules chosen by these arguments. */
struct wl_rule_choice wl_rules_chosen(const union wl_arg *arg);

/* Note if the model has no rules of its own, and which files have rules. */
void wl_rules_note(const struct wl_category_rules *rules, const union wl_arg *arg,
		   struct wl_table *out);

/* Check that such rules exist; the message begins with the verb. */
int wl_rules_check(const char *verb, const union wl_arg *arg, struct wl_err *reterr) WL_MUST_CHECK;

struct wl_name_categories {
	struct wl_category_rules rules;
	struct wl_category_map map;
};

/*
 * Look up all names of the trace; the map is owned by the run's arena. Release even after a
 * failure, which is WL_E_NOMEM or WL_E_USAGE.
 */
int wl_name_categories_init(struct wl_name_categories *c, const struct wl_run *run,
			    const union wl_arg *arg, const char *verb,
			    struct wl_err *reterr) WL_MUST_CHECK;
void wl_name_categories_release(struct wl_name_categories *c);

#endif
