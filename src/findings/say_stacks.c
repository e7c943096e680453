/* SPDX-License-Identifier: MIT */
/* say_stacks.c - sentences about the function that the launching threads ran. */
#include <string.h>

#include "findings/docket.h"

static double share_of(const struct wl_claim *c, wl_ns ns)
{
	return c->all ? (double)ns / (double)c->all : 0;
}

/* " (no stack: 4.0%)" */
static const char *say_unknown(struct wl_docket *d, const struct wl_claim *c)
{
	const double least = 0.0005; /* less is what divisions round off */
	double share = share_of(c, c->account_ns - c->stack_ns);
	char none[WL_UNITS_BUF];

	return share < least ? "" : wl_say(d, " (no stack: %s)", wl_fmt_ratio(none, share));
}

const char *wl_say_stacks(struct wl_docket *d, const struct wl_claim *c)
{
	double in = share_of(c, c->function_ns), held = share_of(c, c->held_ns);
	const char *function = wl_say_detail(d, c->function, "?"), *unknown = say_unknown(d, c);
	const char *under = "";
	char share[WL_UNITS_BUF], part[WL_UNITS_BUF];

	(void)wl_say_ratio(part, in);
	if (!c->function || !unknown)
		return unknown ? "" : NULL;
	if (in <= 0.5 && held > 0.5 && strcmp(c->holder, c->function) != 0)
		return wl_say(d,
			      "; call stacks show `%s` for %s of this time%s, most often in `%s` "
			      "(%s)",
			      wl_say_detail(d, c->holder, "?"), wl_say_ratio(share, held), unknown,
			      function, part);
	if (c->under)
		under = wl_say(d, " under `%s`", wl_say_detail(d, c->under, "?"));
	return under ? wl_say(d, "; call stacks %sshow `%s`%s for %s of this time%s",
			      in > 0.5 ? "" : "most often ", function, under, part, unknown)
		     : NULL;
}
