/* SPDX-License-Identifier: MIT */
/*
 * skill.h - a skill: a named question with parameters, answered by verbs or by SQL, with thresholds
 * that become findings and conditions on which it abstains.
 *
 * Skills come from the registry of verbs, from files that are part of the program, and from the
 * user's own files; docs/skills.md describes such a file. Files are untrusted: what they hold is
 * bounded, checked before a trace is read, and can only read.
 */
#ifndef WL_AGENT_SKILL_H
#define WL_AGENT_SKILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/analysis.h"

/* Bounds of a file; one that exceeds them is refused. */
enum {
	WL_SKILL_BYTES = 64 << 10,
	WL_SKILL_NAME = 64, /* bytes of a name */
	WL_SKILL_STEPS = 16,
	WL_SKILL_OPTIONS = 24, /* of a call */
	WL_SKILL_RULES = 32,   /* also of conditions, and of expectations */
};

enum wl_skill_origin {
	WL_SKILL_VERB,
	WL_SKILL_BUILTIN,
	WL_SKILL_OWN, /* a file of the user's */
};

/* "verb", "built-in", "own" */
extern const char *const wl_skill_origin_names[];

struct wl_skill_param {
	struct wl_param is;
	/* A plain number, which may have a fraction: of its own because wl_param has none; is.type
	   is WL_P_STR. */
	bool is_number;
	bool is_required;
};

/* An option of a call; {name} in the value is the value of a parameter. */
struct wl_skill_option {
	const char *key, *value;
};

/* One table of the answer, or several where the verb is a document. */
struct wl_skill_step {
	const char *name;  /* for --section and for rules */
	const char *title; /* NULL: none */
	const char *sql;   /* NULL: the verb */
	const char *verb;
	struct wl_skill_option *options;
	size_t n_options;
	const char *where; /* place in the file, for messages; so is the next */
};

/* Rows that a condition keeps become findings. */
struct wl_skill_rule {
	const char *severity; /* of wl_skill_severities */
	const char *in;       /* name of a step; NULL: the first */
	const char *when;     /* expression of table/filter.h; {name} is a parameter */
	const char *finding;  /* a sentence; {name} is a column or a parameter */
	const char *action;   /* the same; NULL for none */
	const char *where;
};

extern const char *const wl_skill_severities[]; /* NULL ends */

enum wl_skill_condition {
	WL_SKILL_ALWAYS,
	WL_SKILL_NO_ROWS,
	WL_SKILL_WHEN,    /* a row passes an expression */
	WL_SKILL_WITHOUT, /* the file has no such table */
};

/* When the skill gives no answer, and why. */
struct wl_skill_abstention {
	enum wl_skill_condition condition;
	const char *in;     /* as of a rule */
	const char *what;   /* the expression or the table; NULL for none */
	const char *reason; /* and what to do */
	const char *where;
};

enum wl_skill_check {
	WL_SKILL_ROWS, /* their number in the first table */
	WL_SKILL_FINDINGS,
	WL_SKILL_EVERY, /* row passes an expression */
	WL_SKILL_SOME,
	WL_SKILL_NONE,
	WL_SKILL_ABSTAINS,
};

/* What `skill test` holds an answer against. */
struct wl_skill_expectation {
	const char *text; /* as written */
	enum wl_skill_check check;
	char op[3];     /* of a number: "<", "<=", "=", "!=", ">=", ">" */
	int64_t number; /* the same */
	const char *expression;
	const char *with; /* "limit=5, name=x"; NULL: as the defaults are */
	const char *where;
};

/* All texts live as long as what it was read into. */
struct wl_skill {
	const char *name, *title;
	const char *about; /* paragraphs; "" for none */
	enum wl_skill_origin origin;
	const char *path; /* of an own file; NULL for others */
	const char *text; /* the file; NULL of a verb */
	struct wl_skill_param *params;
	size_t n_params; /* at most WL_MAX_PARAMS */
	struct wl_skill_step *steps;
	size_t n_steps;
	struct wl_skill_rule *rules;
	size_t n_rules;
	struct wl_skill_abstention *abstentions;
	size_t n_abstentions;
	struct wl_skill_expectation *expectations;
	size_t n_expectations;
};

/*
 * Read a file of n bytes, Markdown or JSON. name is what messages call it. WL_E_USAGE with the line
 * and what to do; WL_E_NOMEM. Everything is copied into the arena.
 */
int wl_skill_parse(const char *text, size_t n, const char *name, struct wl_arena *arena,
		   struct wl_skill *ret, struct wl_err *reterr) WL_MUST_CHECK;

/* Make a skill of a verb, by its name or an alias; false where there is none or without memory. */
bool wl_skill_of_verb(const char *name, struct wl_arena *arena, struct wl_skill *ret);

/* Lower-case letters, digits, _ and -, a letter first, at most WL_SKILL_NAME - 1 of them. */
bool wl_skill_is_name(const char *name, size_t n);

/* "count, default 20", as a file writes it; returns buf. */
enum { WL_SKILL_TYPE_BUF = 256 };
const char *wl_skill_type_text(const struct wl_skill_param *p, char buf[WL_SKILL_TYPE_BUF]);

/* The step that a rule speaks of; n_steps where there is none. */
size_t wl_skill_step_named(const struct wl_skill *skill, const char *name);

#endif
