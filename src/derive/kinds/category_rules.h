/* SPDX-License-Identifier: MIT */
/*
 * category_rules.h - rules that give an operation its category, by name.
 *
 * In this order: the user's rules; the table of kernels (known/kernels/kernels.def) for what
 * communicates; the rules of the engine, which refine the table; the table. So no engine
 * can give a category that contradicts the class of a kernel; a user can.
 *
 * A document of rules is {engine: {model: {regex: category, ...}}}. The first rule
 * that is found in a name counts, in the order of the document; case counts unless
 * the expression says (?i). Built-in documents are in src/known/categories, one
 * per engine; there the rules of a model come before those for all ("default"), and
 * a string in the place of rules is another name of the model that it names.
 */
#ifndef WL_DERIVE_CATEGORY_RULES_H
#define WL_DERIVE_CATEGORY_RULES_H

#include "base/attr.h"
#include "base/err.h"
#include "base/memory/vec.h"
#include "base/text/json_read.h"
#include "base/text/regex.h"
#include "known/kernels/kernels.h"

/* So few that shares of time can be added exactly; with "(other)" and "(graph)". */
enum { WL_MAX_CATEGORIES = 64, WL_MAX_CATEGORY_RULES = 4096 };

struct wl_category_rules {
	const char *category[WL_MAX_CATEGORIES]; /* the user's in the order of their first rules,
						    then the table's; then the two below */
	size_t n;                                /* of all */
	uint8_t other, graph;                    /* numbers of "(other)" and "(graph)" */
	bool by_default;                         /* the model has none of its own */
	bool has_kept;                           /* of files that lie ready, among the user's */
	bool skips_kept; /* those are for other models of an engine that is built in */
	bool has_table;  /* not where the engine is the user's only */
	uint8_t of_table[WL_N_NAMED_CATEGORIES + 1]; /* by enum wl_category */
	size_t n_user;                               /* rules of the user, which come first */
	struct wl_vec rule;                          /* how names are sorted; private */
	struct wl_json *builtin;                     /* owns texts */
};

/* Which rules: the user's document, and the built-in ones of the engine. */
struct wl_rule_choice {
	const char *engine;         /* a built-in one, or one of the user's document */
	const char *model;          /* a member of the engine; NULL for its first */
	const struct wl_json *user; /* NULL for none; must outlive the rules */
	const struct wl_json *kept; /* the same, of files that lie ready: asked for an engine that
				       user has not */
};

/*
 * The engine of the user's document counts if it is there, else its first one; of
 * an engine the model if it is there, else "default", else its first one. An engine that
 * only the user's document has uses no table. An engine that
 * neither document has, a model that neither has where none has a "default", a malformed
 * expression or document, and too many rules or categories are WL_E_USAGE. Release also
 * after a failure.
 */
int wl_category_rules_init(struct wl_category_rules *rules, const struct wl_rule_choice *choice,
			   struct wl_budget *budget, struct wl_err *reterr) WL_MUST_CHECK;

/* The models of the engine that have rules of their own, with commas between. */
void wl_category_models(const struct wl_rule_choice *choice, char *buf, size_t size);

/* Whether there are such rules: WL_OK or as above, without a look at the rules themselves. */
int wl_category_rules_check(const struct wl_rule_choice *choice,
			    struct wl_err *reterr) WL_MUST_CHECK;
void wl_category_rules_release(struct wl_category_rules *rules); /* accepts a zeroed one */

/*
 * The number of the name's category, "(other)" where no rule fits. facts are the table's,
 * with what the conventions add (derive/kinds/named.h). A rule that took too many steps does not
 * fit, and adds to *n_given_up. WL_E_NOMEM without memory.
 */
int wl_category_of_name(const struct wl_category_rules *rules, const char *name,
			const struct wl_kernel_facts *facts, size_t *n_given_up) WL_MUST_CHECK;

#endif
