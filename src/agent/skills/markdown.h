/* SPDX-License-Identifier: MIT */
/* markdown.h - reads a skill written in Markdown. */
#ifndef WL_AGENT_MARKDOWN_H
#define WL_AGENT_MARKDOWN_H

#include "agent/skills/maker.h"

/* text is n bytes of UTF-8, which the call modifies. file is its name in messages. */
int wl_skill_from_markdown(struct wl_skill_maker *m, char *text, const char *file,
			   struct wl_err *reterr) WL_MUST_CHECK;

/* The headings of a file, in their usual order; ends with NULL. */
extern const char *const wl_skill_headings[];

#endif
