/* SPDX-License-Identifier: MIT */
/* csv.c - writes a table for spreadsheets: quoted as in RFC 4180, lines end in LF. */
#include <string.h>

#include "base/text/log_command.h"
#include "base/text/put.h"
#include "render/data/delimited.h"
#include "render/formats.h"
#include "render/words/human.h"

static const char *escape(uint32_t cp)
{
	return cp == '"' ? "\"\"" : wl_escape_control(cp);
}

/* An empty string is quoted, so that it differs from an unset cell. */
static void put_text(FILE *out, const char *s)
{
	const char *quote = *s == '\0' || strpbrk(s, ",\"") || wl_log_command_first(s) ? "\"" : "";

	wl_put_chars(out, quote);
	wl_put_escaped(out, s, escape);
	wl_put_chars(out, quote);
}

/* Everything between quotes is text, including line ends and controls; quotes are doubled. */
static void put_text_as_is(FILE *out, const char *s)
{
	const char *quote;

	if (*s && !strpbrk(s, ",\"\r\n")) {
		wl_put_bytes(out, s, strlen(s));
		return;
	}
	wl_put_byte(out, '"');
	for (; (quote = strchr(s, '"')); s = quote + 1) {
		wl_put_bytes(out, s, (size_t)(quote - s));
		wl_put_chars(out, "\"\"");
	}
	wl_put_bytes(out, s, strlen(s));
	wl_put_byte(out, '"');
}

const struct wl_delimited wl_csv = { ',', put_text };
const struct wl_delimited wl_csv_as_is = { ',', put_text_as_is };

void wl_render_csv(const struct wl_document *doc, const struct wl_render_opts *opts, FILE *out)
{
	(void)opts;
	wl_put_delimited(&wl_csv, doc, out);
}
