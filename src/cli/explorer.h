/* SPDX-License-Identifier: MIT */
/* explorer.h - the schema explorer as a format, for schema --html. */
#ifndef WL_CLI_EXPLORER_H
#define WL_CLI_EXPLORER_H

#include "render/render.h"

/* Of the schema verb's answer. */
extern const struct wl_format wl_explorer_format;

#endif
