/* csv.c - a table for spreadsheets: quoting as in RFC 4180, lines end in LF. */
#include <string.h>

#include "render/delimited.h"
#include "render/formats.h"
#include "render/human.h"

static const char *escape(uint32_t cp)
{
	return cp == '"' ? "\"\"" : wl_escape_control(cp);
}

/* An empty string is quoted, so that it differs from an unset cell. */
static void put_text(FILE *out, const char *s)
{
	const char *quote = *s == '\0' || strpbrk(s, ",\"") ? "\"" : "";

	(void)fputs(quote, out);
	wl_put_escaped(out, s, escape);
	(void)fputs(quote, out);
}

void wl_render_csv(const struct wl_document *doc, const struct wl_render_opts *opts, FILE *out)
{
	(void)opts;
	wl_put_delimited(doc, ',', put_text, out);
}
