/* SPDX-License-Identifier: MIT */
#include "cli/explorer.h"

#include <stdio.h>

#include "cli/print.h"
#include "cli/wrap.h"
#include "read/reads.h"
#include "render/explorer/explorer.h"

static void render(const struct wl_document *doc, const struct wl_render_opts *opts, FILE *out)
{
	static const struct wl_explorer_reader reader = { .reads = wl_reads_column,
							  .capture = wl_reads_capture };

	(void)opts;
	wl_render_explorer(doc, &reader, out);
}

int wl_explorer_write(const char *path, const struct wl_document *doc,
		      const struct wl_render_opts *opts, struct wl_err *reterr)
{
	static const struct wl_format page = { .name = "page",
					       .ending = ".html",
					       .render = render };
	int r = wl_print_file(path, &page, doc, opts, reterr);

	if (r == WL_OK) {
		(void)fputs("wrote ", stdout);
		wl_put_clean(stdout, path);
		(void)putchar('\n');
	}
	return r;
}
