/* SPDX-License-Identifier: MIT */
#include "findings/say_saving.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"

enum { MOST_DECIMALS = 3 };

/* All numbers are in the unit of the saving. */
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

static struct scale find_scale(const struct wl_said_saving *s)
{
	wl_ns largest = s->saving > s->error ? s->saving : s->error;
	const struct wl_precision p =
		wl_precision_of((uint64_t)(largest > 0 ? largest : 1), wl_time_names);
	struct scale ret = { .unit = pow(1000, p.unit), .name = wl_time_names.name[p.unit] };

	/* One digit of the error, or four of the saving. */
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
	return number(buf, (double)s->saving / scale->unit, scale->decimals, s->error >= 0);
}

/* What the saving is a part of: without a unit, unless it takes another one. */
static const char *whole_of(char buf[WL_UNITS_BUF], const struct wl_said_saving *s,
			    const struct scale *scale)
{
	const double most = 1e4; /* more digits are not read */
	double whole = (double)s->whole / scale->unit;
	int decimals = decimals_for(whole, 4, scale);

	if (whole >= most)
		return wl_fmt_ns(buf, s->whole, WL_UNIT_AUTO);
	if (s->error >= 0 && decimals > scale->decimals)
		decimals = scale->decimals;
	return number(buf, whole, decimals, s->error >= 0);
}

/* " \u00b1 0.02"; an error below the last digit is that digit. */
static const char *margin(char buf[WL_UNITS_BUF], const struct wl_said_saving *s,
			  const struct scale *scale)
{
	double error = (double)s->error / scale->unit, least = pow(10, -scale->decimals);

	buf[0] = '\0';
	if (s->error >= 0)
		(void)snprintf(buf, WL_UNITS_BUF, " \u00b1 %.*f", scale->decimals,
			       error < least ? least : error);
	return buf;
}

/* Both read alike: the rest of what the replay saves is not worth a sentence. */
static bool reads_alike(wl_ns a, wl_ns b)
{
	char first[WL_UNITS_BUF], second[WL_UNITS_BUF];

	return strcmp(wl_fmt_ns(first, a, WL_UNIT_AUTO), wl_fmt_ns(second, b, WL_UNIT_AUTO)) == 0;
}

/* "; then 98.1% of the critical path is compute", or where the bound is less. */
static const char *say_next(struct wl_docket *d, const struct wl_said_saving *s)
{
	char share[WL_UNITS_BUF];

	if (s->is_held)
		return "; more if calls that a call of another thread seems to block get shorter, "
		       "too";
	if (s->alone > 0 && reads_alike(s->alone, s->saving))
		return "";
	if (s->alone > 0)
		return wl_say(d, "; the replay saves %s in all, with time of other findings",
			      wl_fmt_ns(share, s->alone, WL_UNIT_AUTO));
	if (!s->next || 2 * s->next_share <= 1 || 10 * s->saving >= s->bound)
		return "";
	return wl_say(d, "; then %s of the critical path is %s", wl_fmt_ratio(share, s->next_share),
		      s->next);
}

static const char *say_bound(struct wl_docket *d, const struct wl_said_saving *s,
			     const struct scale *scale)
{
	char saving[WL_UNITS_BUF], whole[WL_UNITS_BUF];

	return wl_say(d, "fixing this saves %s %s %s of %s (not replayed%s%s)",
		      s->least ? "about" : "at most", say_own(saving, s, scale), scale->name,
		      whole_of(whole, s, scale), s->why_not ? ": " : "",
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
	return wl_say(d, "fixing this saves %s%s %s%s of %s (replayed%s)%s%s",
		      s->most    ? "at most "
		      : s->least ? "at least "
				 : "",
		      say_own(saving, s, &scale), scale.name, margin(error, s, &scale),
		      whole_of(whole, s, &scale), s->error < 0 ? ", not validated" : "",
		      s->saving <= s->error ? ", and may save nothing" : "", next);
}
