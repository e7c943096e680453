/* SPDX-License-Identifier: MIT */
/* explorer.h - writing the schema explorer, which schema --html asks for. */
#ifndef WL_CLI_EXPLORER_H
#define WL_CLI_EXPLORER_H

#include "base/attr.h"
#include "base/err.h"
#include "render/render.h"

/*
 * Write the page of the schema verb's answer to a file, which is replaced at once or stays
 * as it is, and say so on standard output.
 */
int wl_explorer_write(const char *path, const struct wl_document *doc,
		      const struct wl_render_opts *opts, struct wl_err *reterr) WL_MUST_CHECK;

#endif
