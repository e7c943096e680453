/* SPDX-License-Identifier: MIT */
/* say_stacks.c - sentences about the function that the launching threads ran. */
#include <string.h>

#include "findings/rule_state.h"

/* As `stacks --during finding:N` has it. */
static double share_of(const struct wl_claim *c, wl_ns ns)
{
	return c->account_ns ? (double)ns / (double)c->account_ns : 0;
}

/* " (no stack: 4.0%)" */
static const char *say_unknown(struct wl_rule_state *d, const struct wl_claim *c)
{
	const double least = 0.0005; /* less is shown as 0.0% */
	double share = share_of(c, c->account_ns - c->stack_ns);
	char none[WL_UNITS_BUF];

	return share < least ? "" : wl_say(d, " (no stack: %s)", wl_fmt_ratio(none, share));
}

/*
 * What the shares are of. Other losses of the claim, as copies and launches, have no stacks; parts
 * of gaps that it shares with other findings count whole.
 */
static const char *say_whole(struct wl_rule_state *d, const struct wl_claim *c)
{
	const double nearly = 0.95;
	const double account = (double)c->account_ns, claimed = (double)c->ns[c->stacks_of];
	char ns[WL_UNITS_BUF];

	(void)wl_fmt_ns(ns, c->account_ns, WL_UNIT_AUTO);
	if (account < nearly * claimed)
		return wl_say(d, "the %s of it that the host takes", ns);
	return nearly * account > claimed
		       ? wl_say(d, "the %s that it shares with other findings", ns)
		       : "this time";
}

/* ", in it `read` for 8.2%" */
static const char *say_inner(struct wl_rule_state *d, const struct wl_claim *c)
{
	char share[WL_UNITS_BUF];

	if (!c->function || strcmp(c->holder, c->function) == 0)
		return "";
	return wl_say(d, ", in it `%s` for %s", wl_say_detail(d, c->function, "?"),
		      wl_fmt_share(share, share_of(c, c->function_ns)));
}

const char *wl_say_stacks(struct wl_rule_state *d, const struct wl_claim *c)
{
	const char *unknown = say_unknown(d, c), *whole = say_whole(d, c), *more = "";
	char share[WL_UNITS_BUF];

	if (!unknown || !whole)
		return NULL;
	if (c->holder) {
		more = say_inner(d, c);
		return more ? wl_say(d, WL_STOP "; call stacks show `%s` for %s of %s%s%s",
				     wl_say_detail(d, c->holder, "?"),
				     wl_fmt_share(share, share_of(c, c->held_ns)), whole, unknown,
				     more)
			    : NULL;
	}
	if (!c->function)
		return "";
	if (c->under)
		more = wl_say(d, " under `%s`", wl_say_detail(d, c->under, "?"));
	return more ? wl_say(d, WL_STOP "; call stacks show `%s`%s for %s of %s%s",
			     wl_say_detail(d, c->function, "?"), more,
			     wl_fmt_share(share, share_of(c, c->function_ns)), whole, unknown)
		    : NULL;
}
