/* SPDX-License-Identifier: MIT */
#include "cli/shell/shell_state.h"

#include <stdarg.h>
#include <stdio.h>

#include "cli/wrap.h"

void wl_shell_complain(const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	(void)fflush(stdout);
	(void)fputs("error: ", stderr);
	wl_put_clean(stderr, text);
	(void)fputc('\n', stderr);
}

bool wl_shell_knows_names(struct wl_shell *s)
{
	if (!s->has_names)
		s->has_names = wl_shell_names_load(&s->names, s->opts.sql, NULL) == WL_OK;
	return s->has_names;
}
