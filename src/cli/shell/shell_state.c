/* SPDX-License-Identifier: MIT */
#include "cli/shell/shell_state.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/text/clean.h"

void wl_shell_fail(struct wl_shell *s, const struct wl_err *err)
{
	/*
	 * A script ends with its first failure: later statements can depend on the one that failed.
	 */
	if (s->opts.put) {
		s->failure = *err;
		s->leaves = true;
		return;
	}
	(void)fflush(stdout);
	(void)fputs("error: ", stderr);
	wl_put_clean(stderr, err->msg);
	(void)fputc('\n', stderr);
}

void wl_shell_complain(struct wl_shell *s, const char *fmt, ...)
{
	struct wl_err err = { .code = WL_E_USAGE };
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(err.msg, sizeof(err.msg), fmt, ap);
	va_end(ap);
	wl_shell_fail(s, &err);
}

void wl_shell_no_memory(struct wl_shell *s)
{
	struct wl_err err;

	(void)wl_fail(&err, WL_E_NOMEM, "sql: no memory");
	wl_shell_fail(s, &err);
}

bool wl_shell_knows_names(struct wl_shell *s)
{
	if (!s->has_names)
		s->has_names = wl_shell_names_load(&s->names, s->opts.sql, NULL) == WL_OK;
	return s->has_names;
}
