/* SPDX-License-Identifier: MIT */
#include "cli/explorer.h"

#include "read/reads.h"
#include "render/explorer/explorer.h"

static void render(const struct wl_document *doc, const struct wl_render_opts *opts, FILE *out)
{
	static const struct wl_explorer_reader reader = { .reads = wl_reads_column,
							  .capture = wl_reads_capture };

	(void)opts;
	wl_render_explorer(doc, &reader, out);
}

const struct wl_format wl_explorer_format = { .name = "page", .ending = ".html", .render = render };
