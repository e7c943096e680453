/* SPDX-License-Identifier: MIT */
/* tsv.c - a table for cut and awk: no quoting, because cells never contain a tab or newline. */
#include "render/data/delimited.h"
#include "render/formats.h"
#include "render/words/human.h"

static void put_text(FILE *out, const char *s)
{
	wl_put_escaped(out, s, wl_escape_control);
}

void wl_render_tsv(const struct wl_document *doc, const struct wl_render_opts *opts, FILE *out)
{
	static const struct wl_delimited tsv = { '\t', put_text };

	(void)opts;
	wl_put_delimited(&tsv, doc, out);
}
