/* SPDX-License-Identifier: MIT */
/*
 * maker.h - builds a skill from the items of a file, which are the same texts in Markdown and JSON.
 *
 * Order of calls: init; the adds; end, once.
 */
#ifndef WL_AGENT_MAKER_H
#define WL_AGENT_MAKER_H

#include "agent/skills/skill.h"

struct wl_skill_maker {
	struct wl_skill *skill;
	struct wl_arena *arena;
	const char *where; /* place being read: "mine.md:12"; owned by the arena */
};

/* False if memory runs out. */
bool wl_maker_init(struct wl_skill_maker *m, struct wl_skill *skill, struct wl_arena *arena,
		   const char *file) WL_MUST_CHECK;

/* Fail with WL_E_USAGE and a message: the place, then what is wrong. */
int wl_maker_refuse(const struct wl_skill_maker *m, struct wl_err *reterr, const char *fmt, ...)
	WL_PRINTF(3, 4);
int wl_maker_no_memory(const struct wl_skill_maker *m, struct wl_err *reterr);

/* Copy n bytes without surrounding blanks; NULL if memory runs out. */
char *wl_maker_copy(const struct wl_skill_maker *m, const char *text, size_t n);

/* The first ": " outside quotes and parentheses, or NULL. */
const char *wl_maker_colon(const char *text);

/* "limit (count, default 20): Rows to list." */
int wl_maker_param(struct wl_skill_maker *m, const char *text, struct wl_err *reterr) WL_MUST_CHECK;

/* "kernels --by name -n {limit}"; title may be NULL. */
int wl_maker_call(struct wl_skill_maker *m, const char *text, const char *title,
		  struct wl_err *reterr) WL_MUST_CHECK;

/* name may be NULL: "sql". */
int wl_maker_sql(struct wl_skill_maker *m, const char *text, const char *name,
		 struct wl_err *reterr) WL_MUST_CHECK;

/* "high when share > 50%: {name} takes {share}. Do: look at it." */
int wl_maker_rule(struct wl_skill_maker *m, const char *text, struct wl_err *reterr) WL_MUST_CHECK;

/* "when no rows: why", "when EXPR: why", "without TABLE: why", "always: why" */
int wl_maker_abstention(struct wl_skill_maker *m, const char *text,
			struct wl_err *reterr) WL_MUST_CHECK;

/* "rows > 0", "every sum > 0", "some name ~ gemm", "no sum < 0", "findings = 0", "abstains" */
int wl_maker_expectation(struct wl_skill_maker *m, const char *text,
			 struct wl_err *reterr) WL_MUST_CHECK;

/* Check that the skill is complete and that its parts fit together. */
int wl_maker_end(struct wl_skill_maker *m, struct wl_err *reterr) WL_MUST_CHECK;

#endif
