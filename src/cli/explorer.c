#include "cli/explorer.h"

#include <stdio.h>
#include <sys/stat.h>

#include "base/units.h"
#include "cli/print.h"
#include "cli/wrap.h"
#include "read/reads.h"
#include "render/explorer.h"

static void render(const struct wl_document *doc, const struct wl_render_opts *opts, FILE *out)
{
	static const struct wl_explorer_reader reader = { .reads = wl_reads_column,
							  .capture = wl_reads_capture };

	(void)opts;
	wl_render_explorer(doc, &reader, out);
}

static void tell(const char *path)
{
	char size[WL_UNITS_BUF];
	struct stat st;

	(void)fputs("wrote ", stdout);
	wl_put_clean(stdout, path);
	if (stat(path, &st) == 0)
		(void)printf(" (%s)", wl_fmt_bytes(size, st.st_size));
	(void)putchar('\n');
}

int wl_explorer_write(const char *path, const struct wl_document *doc,
		      const struct wl_render_opts *opts, struct wl_err *reterr)
{
	static const struct wl_format page = { .name = "page",
					       .ending = ".html",
					       .render = render };
	int r = wl_print_file(path, &page, doc, opts, reterr);

	if (r == WL_OK)
		tell(path);
	return r;
}
