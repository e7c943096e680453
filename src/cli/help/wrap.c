/* SPDX-License-Identifier: MIT */
#include "cli/help/wrap.h"

#include <string.h>

#include "base/text/clean.h"

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
		/* A line that a text begins must not look like one to paste into a shell. */
		if (at == indent)
			wl_put_clean_first(out, text, n);
		else
			wl_put_clean_part(out, text, n);
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

	(void)fputs("  ", out);
	wl_put_clean(out, term);
	if (at + 2 > indent) {
		(void)fputc('\n', out);
		at = 0;
	}
	(void)fprintf(out, "%*s", indent - at, "");
	wl_wrap(out, text, indent, indent);
}
