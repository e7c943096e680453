/* SPDX-License-Identifier: MIT */
#include "findings/say_saving.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"

enum { MOST_DECIMALS = 3 };

/* Of the saving and its error, so that both read against each other. */
struct scale {
	double unit; /* in ns */
	const char *name;
	int decimals;
};

/* Digits behind the point that show so many digits of a value, at most three. */
static int decimals_for(double value, int digits, const struct scale *scale)
{
	int n = 0, most = scale->unit > 1 ? MOST_DECIMALS : 0; /* of a nanosecond none */

	while (n < most && value < pow(10, digits - 1 - n))
		n++;
	return n;
}

/* A lower bound that may be nothing is none. */
static bool is_bound(const struct wl_said_saving *s)
{
	return s->most || (s->least && s->saving > s->error);
}

/* Of a bound the error is a part: "at least 24 ms \u00b1 18" is at least 6. */
static wl_ns end_of(const struct wl_said_saving *s)
{
	wl_ns error = s->error > 0 && is_bound(s) ? s->error : 0, end;

	if (!s->most)
		return s->saving - error;
	end = s->saving + error;
	return s->bound >= s->saving && end > s->bound ? s->bound : end;
}

static struct scale find_scale(const struct wl_said_saving *s)
{
	bool is_end = s->error >= 0 && is_bound(s);
	wl_ns largest = is_end ? end_of(s) : s->saving > s->error ? s->saving : s->error;
	const struct wl_precision p =
		wl_precision_of((uint64_t)(largest > 0 ? largest : 1), wl_time_names);
	struct scale ret = { .unit = pow(1000, p.unit), .name = wl_time_names.name[p.unit] };

	/* One digit of the error, three of a bound that has one, or four of the saving. */
	if (is_end)
		ret.decimals = decimals_for((double)largest / ret.unit, 3, &ret);
	else
		ret.decimals = s->error > 0 ? decimals_for((double)s->error / ret.unit, 1, &ret)
					    : decimals_for((double)s->saving / ret.unit, 4, &ret);
	return ret;
}

/* Beside an error zeros count; elsewhere those behind the point go. */
static const char *number(char buf[WL_UNITS_BUF], double value, int decimals, bool keeps_zeros)
{
	size_t n = (size_t)snprintf(buf, WL_UNITS_BUF, "%.*f", decimals, value);

	while (!keeps_zeros && decimals > 0 && buf[n - 1] == '0') {
		buf[--n] = '\0';
		decimals--;
	}
	if (n > 0 && buf[n - 1] == '.')
		buf[n - 1] = '\0';
	return buf;
}

static const char *say_own(char buf[WL_UNITS_BUF], const struct wl_said_saving *s,
			   const struct scale *scale)
{
	return number(buf, (double)end_of(s) / scale->unit, scale->decimals,
		      s->error >= 0 && !is_bound(s));
}

/* "\u00b1 0.02 ms, "; an error below the last digit is that digit. */
static const char *margin(char buf[WL_UNITS_BUF], const struct wl_said_saving *s,
			  const struct scale *scale)
{
	double error = (double)s->error / scale->unit, least = pow(10, -scale->decimals);

	buf[0] = '\0';
	if (s->error >= 0 && !is_bound(s))
		(void)snprintf(buf, WL_UNITS_BUF, "\u00b1 %.*f %s, ", scale->decimals,
			       error < least ? least : error, scale->name);
	return buf;
}

/* The rest of what the replay saves is not worth a clause: it is in the error, or below 5 %. */
static bool is_all(const struct wl_said_saving *s)
{
	wl_ns rest = s->alone - s->saving;

	return rest <= s->error || rest < s->saving / 20;
}

/* "; then 98.1% of the critical path is compute, ...", or why it may save more. */
static const char *say_next(struct wl_docket *d, const struct wl_said_saving *s)
{
	char share[WL_UNITS_BUF];

	if (s->is_held && s->least && is_bound(s)) /* "at least" says it */
		return "";
	if (s->is_held)
		return "; it may save more: the replay does not shorten calls that wait for "
		       "another thread";
	if (s->alone > 0 && is_all(s))
		return "";
	if (s->alone > 0)
		return wl_say(d, "; with the part that other findings claim it saves %s",
			      wl_fmt_ns(share, s->alone, WL_UNIT_AUTO));
	if (!s->next || 2 * s->next_share <= 1 || 10 * s->saving >= s->bound)
		return "";
	return wl_say(d, "; then %s of the critical path is %s, which this does not shorten",
		      wl_fmt_ratio(share, s->next_share), s->next);
}

static const char *say_bound(struct wl_docket *d, const struct wl_said_saving *s,
			     const struct scale *scale)
{
	char saving[WL_UNITS_BUF], whole[WL_UNITS_BUF];

	return wl_say(d, "fixing this saves at most %s %s of %s (not replayed%s%s)",
		      say_own(saving, s, scale), scale->name,
		      wl_fmt_ns(whole, s->whole, WL_UNIT_AUTO), s->why_not ? ": " : "",
		      s->why_not ? s->why_not : "");
}

const char *wl_say_saving(struct wl_docket *d, const struct wl_said_saving *s)
{
	const struct scale scale = find_scale(s);
	char saving[WL_UNITS_BUF], error[WL_UNITS_BUF], whole[WL_UNITS_BUF];
	const char *next = say_next(d, s);

	if (!s->is_replayed)
		return say_bound(d, s, &scale);
	if (!next)
		return NULL;
	if (s->saving <= 0)
		return wl_say(d, "fixing this saves nothing (replayed)%s", next);
	return wl_say(d, "fixing this saves %s%s %s of %s (%sreplayed%s)%s%s",
		      !is_bound(s) ? ""
		      : s->most    ? "at most "
				   : "at least ",
		      say_own(saving, s, &scale), scale.name,
		      wl_fmt_ns(whole, s->whole, WL_UNIT_AUTO), margin(error, s, &scale),
		      s->error < 0 ? ", not validated" : "",
		      s->saving <= s->error ? ", and may save nothing" : "", next);
}
