/* SPDX-License-Identifier: MIT */
#include "cli/line/trim.h"

#include <stdio.h>
#include <string.h>

#include "base/text/units.h"

enum { TIME_BUF = 64 };

/* The time with its unit in ret; "" where the window is open. */
static int take_time(const struct wl_trim *t, const char *text, int64_t *ret_ns, char ret[TIME_BUF],
		     struct wl_err *reterr)
{
	size_t n = text ? strlen(text) : 0;
	bool plain = n && strchr("0123456789.", text[n - 1]);
	struct wl_err why;
	int r = WL_OK;

	if (text)
		r = t->in_seconds ? wl_parse_seconds(text, ret_ns, &why)
				  : wl_parse_ns(text, ret_ns, &why);
	if (r < 0)
		return wl_fail(reterr, WL_E_USAGE, "%s: %s", t->option, why.msg);
	/* No time within range needs so much room. */
	if (n + sizeof("ns") > TIME_BUF)
		return wl_fail(reterr, WL_E_USAGE, "%s: a time is too long", t->option);
	(void)snprintf(ret, TIME_BUF, "%s%s", text ? text : "",
		       plain ? t->in_seconds ? "s" : "ns" : "");
	return WL_OK;
}

int wl_trim_window(const struct wl_trim *t, char ret[WL_WINDOW_BUF], struct wl_err *reterr)
{
	int64_t begin = INT64_MIN, end = INT64_MAX;
	char from[TIME_BUF], to[TIME_BUF];
	int r = take_time(t, t->begin, &begin, from, reterr);

	if (r == WL_OK)
		r = take_time(t, t->end, &end, to, reterr);
	if (r < 0)
		return r;
	if (begin > end)
		return wl_fail(reterr, WL_E_USAGE, "%s: %s is after %s", t->option, from, to);
	(void)snprintf(ret, WL_WINDOW_BUF, "%s..%s", from, to);
	return WL_OK;
}
