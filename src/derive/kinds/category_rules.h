/* SPDX-License-Identifier: MIT */
/*
 * category_rules.h - rules that give an operation its category, by name.
 *
 * Rules apply in this order: the user's rules; the table of kernels (known/kernels/kernels.def) for
 * those that communicate; the rules of the engine, which refine the table; the table. An engine's
 * rules therefore cannot contradict the class of a kernel; a user's can.
 *
 * A document of rules is {engine: {model: {regex: category, ...}}}. The first rule, in document
 * order, that matches in a name counts; case matters unless the expression says (?i). Built-in
 * documents are in src/known/categories, one per engine. There the rules of a model come before
 * those for all ("default"), and a string in place of rules makes the entry an alias of the model
 * that it names.
 */
#ifndef WL_DERIVE_CATEGORY_RULES_H
#define WL_DERIVE_CATEGORY_RULES_H

#include "base/attr.h"
#include "base/err.h"
#include "base/memory/vec.h"
#include "base/text/json_read.h"
#include "base/text/regex.h"
#include "known/kernels/kernels.h"

/* Few enough that shares of time can be added exactly; includes "(other)" and "(graph)". */
enum { WL_MAX_CATEGORIES = 64, WL_MAX_CATEGORY_RULES = 4096 };

struct wl_category_rules {
	const char *category[WL_MAX_CATEGORIES]; /* the user's, in order of their first rules, then
						    the table's, then the two below */
	size_t n;                                /* of all */
	uint8_t other, graph;                    /* numbers of "(other)" and "(graph)" */
	bool by_default;                         /* the model has no rules of its own */
	bool has_kept;   /* the user's rules include those of discovered files */
	bool skips_kept; /* discovered files have only other models of a built-in engine */
	bool has_table;  /* not if only the user has the engine */
	uint8_t of_table[WL_N_NAMED_CATEGORIES + 1]; /* by enum wl_category */
	size_t n_user;                               /* the user's rules, which come first */
	struct wl_vec rule;                          /* how names are categorized; private */
	struct wl_json *builtin;                     /* owns texts */
};

/* Selects the rules: the user's document, and the built-in ones of the engine. */
struct wl_rule_choice {
	const char *engine;         /* a built-in engine, or one of the user's document */
	const char *model;          /* a model of the engine; NULL for its first */
	const struct wl_json *user; /* NULL for none; must outlive the rules */
	const struct wl_json *kept; /* the same, of discovered files: used for an engine that `user`
				       does not have */
};

/*
 * From the user's document the named engine is used, or else its first one; from an engine the
 * named model, or else "default", or else its first one. An engine that only the user's document
 * has uses no table. WL_E_USAGE if neither document has the engine, if neither has the model or a
 * "default", if an expression or document is malformed, or if there are too many rules or
 * categories. Release the rules even after a failure.
 */
int wl_category_rules_init(struct wl_category_rules *rules, const struct wl_rule_choice *choice,
			   struct wl_budget *budget, struct wl_err *reterr) WL_MUST_CHECK;

/* The models of the engine that have rules of their own, separated by commas. */
void wl_category_models(const struct wl_rule_choice *choice, char *buf, size_t size);

/* Check that such rules exist: WL_OK or as above, without examining the rules themselves. */
int wl_category_rules_check(const struct wl_rule_choice *choice,
			    struct wl_err *reterr) WL_MUST_CHECK;
void wl_category_rules_release(struct wl_category_rules *rules); /* accepts a zeroed one */

/*
 * The number of the name's category; "(other)" if no rule matches. The facts are those of the table
 * and of the conventions (derive/kinds/named.h). A rule that takes too many steps does not match
 * and is counted in *n_given_up. WL_E_NOMEM without memory.
 */
int wl_category_of_name(const struct wl_category_rules *rules, const char *name,
			const struct wl_kernel_facts *facts, size_t *n_given_up) WL_MUST_CHECK;

#endif
