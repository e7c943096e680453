/* SPDX-License-Identifier: MIT */
/* skill_show.h - skills as lines of a list and as the text of a file. */
#ifndef WL_CLI_SKILL_SHOW_H
#define WL_CLI_SKILL_SHOW_H

#include <stdio.h>

#include "agent/skills/skill.h"

enum { WL_N_SKILL_LIST_COLS = 4 };

extern const struct wl_col wl_skill_list_cols[WL_N_SKILL_LIST_COLS];

/* Add a row. The caller asks wl_table_ok() once. */
void wl_skill_put_line(struct wl_table *out, const struct wl_skill *skill);

/* The file, or for a verb the file that it could be. */
void wl_skill_show(FILE *out, const struct wl_skill *skill);

#endif
