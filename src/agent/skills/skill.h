/* SPDX-License-Identifier: MIT */
/*
 * skill.h - a skill: a named question with parameters, answered by verbs or by SQL, with thresholds
 * that become findings and conditions under which it abstains.
 *
 * Skills come from the registry of verbs, from built-in files, and from the user's files;
 * docs/skills.md describes the format. Files are untrusted: their contents are bounded, checked
 * before a trace is read, and can only read.
 */
#ifndef WL_AGENT_SKILL_H
#define WL_AGENT_SKILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/analysis.h"

/* Bounds of a file; larger files are refused. */
enum {
	WL_SKILL_BYTES = 64 << 10,
	WL_SKILL_NAME = 64, /* bytes of a name */
	WL_SKILL_STEPS = 16,
	WL_SKILL_OPTIONS = 24, /* of a call */
	WL_SKILL_RULES = 32,   /* also the bound of conditions and of expectations */
};

enum wl_skill_origin {
	WL_SKILL_VERB,
	WL_SKILL_BUILTIN,
	WL_SKILL_OWN, /* a user's file */
};

/* "verb", "built-in", "own" */
extern const char *const wl_skill_origin_names[];

struct wl_skill_param {
	struct wl_param is;
	/* A plain number, which may have a fraction. A separate flag, as wl_param has no such type;
	 * is.type is WL_P_STR. */
	bool is_number;
	bool is_required;
};

/* An option of a call; {name} in the value stands for a parameter's value. */
struct wl_skill_option {
	const char *key, *value;
};

/* One table of the answer, or several if the verb is a document. */
struct wl_skill_step {
	const char *name;  /* for --section and for rules */
	const char *title; /* NULL: none */
	const char *sql;   /* NULL: the verb */
	const char *verb;
	struct wl_skill_option *options;
	size_t n_options;
	const char *where; /* place in the file, for messages */
};

/* A rule: rows that pass a condition become findings. */
struct wl_skill_rule {
	const char *severity; /* of wl_skill_severities */
	const char *in;       /* name of a step; NULL: the first */
	const char *when;     /* expression (table/filter.h); {name} is a parameter */
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

/* When the skill abstains, and why. */
struct wl_skill_abstention {
	enum wl_skill_condition condition;
	const char *in;     /* as in a rule */
	const char *what;   /* the expression or the table; NULL for none */
	const char *reason; /* and what to do */
	const char *where;
};

enum wl_skill_check {
	WL_SKILL_ROWS, /* number of rows in the first table */
	WL_SKILL_FINDINGS,
	WL_SKILL_EVERY, /* row passes an expression */
	WL_SKILL_SOME,
	WL_SKILL_NONE,
	WL_SKILL_ABSTAINS,
};

/* An expectation that `skill test` checks an answer against. */
struct wl_skill_expectation {
	const char *text; /* as written */
	enum wl_skill_check check;
	char op[3];     /* comparison: "<", "<=", "=", "!=", ">=", ">" */
	int64_t number; /* the same */
	const char *expression;
	const char *with; /* "limit=5, name=x"; NULL: the defaults */
	const char *where;
};

/* All texts live as long as the arena that it was read into. */
struct wl_skill {
	const char *name, *title;
	const char *about; /* paragraphs; "" for none */
	enum wl_skill_origin origin;
	const char *path; /* path of a user's file; NULL for others */
	const char *text; /* the file's text; NULL for a verb */
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
 * Parse a file of n bytes, Markdown or JSON. name is its name in messages. WL_E_USAGE with the line
 * and what to do; WL_E_NOMEM. Everything is copied into the arena.
 */
int wl_skill_parse(const char *text, size_t n, const char *name, struct wl_arena *arena,
		   struct wl_skill *ret, struct wl_err *reterr) WL_MUST_CHECK;

/* Make a skill of a verb, by name or alias; false if there is none or memory runs out. */
bool wl_skill_of_verb(const char *name, struct wl_arena *arena, struct wl_skill *ret);

/* Whether n bytes are a valid name: lower-case letters, digits, _ and -, a letter first, at most
 * WL_SKILL_NAME - 1 in all. */
bool wl_skill_is_name(const char *name, size_t n);

/* A parameter's type as a file writes it: "count, default 20". Returns buf. */
enum { WL_SKILL_TYPE_BUF = 256 };
const char *wl_skill_type_text(const struct wl_skill_param *p, char buf[WL_SKILL_TYPE_BUF]);

/* The step of this name; n_steps if there is none. */
size_t wl_skill_step_named(const struct wl_skill *skill, const char *name);

#endif
