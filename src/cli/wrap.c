/* SPDX-License-Identifier: MIT */
#include "cli/wrap.h"

#include <string.h>

#include "base/log_command.h"
#include "base/utf8.h"

void wl_wrap(FILE *out, const char *text, int at, int indent)
{
	bool first = true;

	while (*text) {
		size_t n = strcspn(text, " \n");

		/* Help texts are ASCII, so that bytes are columns. */
		if (!first && at + 1 + (int)n > WL_HELP_WIDTH) {
			(void)fprintf(out, "\n%*s", indent, "");
			at = indent;
		} else if (!first) {
			(void)fputc(' ', out);
			at++;
		}
		(void)fwrite(text, 1, n, out);
		at += (int)n;
		text += n;
		text += strspn(text, " \n");
		first = false;
	}
	(void)fputc('\n', out);
}

void wl_wrap_term(FILE *out, const char *term, const char *text, int indent)
{
	int at = 2 + (int)strlen(term);

	(void)fprintf(out, "  %s", term);
	if (at + 2 > indent) {
		(void)fputc('\n', out);
		at = 0;
	}
	(void)fprintf(out, "%*s", indent - at, "");
	wl_wrap(out, text, indent, indent);
}

void wl_put_clean(FILE *out, const char *text)
{
	while (*text) {
		char buf[WL_UTF8_MAX] = { '?' };
		bool is_command = wl_log_command_is_marked(text);
		uint32_t cp = wl_utf8_next(&text);
		size_t n = 1;

		/* The text may quote names of a trace: they steer no terminal and no log. */
		if (!is_command && !wl_utf8_is_control(cp) && !wl_utf8_is_bidi(cp))
			n = wl_utf8_encode(cp, buf);
		(void)fwrite(buf, 1, n, out);
	}
}
