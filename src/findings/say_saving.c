/* SPDX-License-Identifier: MIT */
#include "findings/say_saving.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "findings/severity.h"

enum { MOST_DECIMALS = 3 };

/* Of the saving and its error, so that both read against each other. */
struct scale {
	double unit; /* in ns */
	const char *name;
	int decimals;
};

/* Digits behind the point that show the first digit of an error, at most three. */
static struct scale find_scale(const struct wl_saves *s)
{
	wl_ns largest = s->time > s->error ? s->time : s->error;
	const struct wl_precision p =
		wl_precision_of((uint64_t)(largest > 0 ? largest : 1), wl_time_names);
	struct scale ret = { .unit = pow(1000, p.unit), .name = wl_time_names.name[p.unit] };
	int most = ret.unit > 1 ? MOST_DECIMALS : 0; /* of a nanosecond none */

	while (ret.decimals < most && (double)s->error / ret.unit < pow(10, -ret.decimals))
		ret.decimals++;
	return ret;
}

/* It is not above its error. */
static bool is_nothing(const struct wl_finding *f)
{
	return f->saves.time <= 0 || wl_finding_may_save_nothing(f);
}

/* Nothing of it would be seen beside its error. */
static bool is_below_digits(const struct wl_saves *s)
{
	const struct scale scale = find_scale(s);

	return s->time <= 0 || (double)s->time / scale.unit < 0.5 * pow(10, -scale.decimals);
}

/* "6.80 ms"; with an error as many digits as that has. */
static const char *say_time(struct wl_docket *d, const struct wl_saves *s)
{
	const struct scale scale = find_scale(s);
	char time[WL_UNITS_BUF];

	if (s->error < 0)
		return wl_say(d, "%s", wl_fmt_ns(time, s->time, WL_UNIT_AUTO));
	return wl_say(d, "%.*f %s", scale.decimals, (double)s->time / scale.unit, scale.name);
}

/* ", \u00b1 0.02 ms"; an error below the last digit is that digit. */
static const char *say_error(struct wl_docket *d, const struct wl_saves *s)
{
	const struct scale scale = find_scale(s);
	double error = (double)s->error / scale.unit, least = pow(10, -scale.decimals);

	if (s->error < 0 && s->kind == WL_SAVES_PREDICTION)
		return ", not validated";
	if (s->error < 0)
		return "";
	return wl_say(d, ", \u00b1 %.*f %s", scale.decimals, error < least ? least : error,
		      scale.name);
}

/* "; then 98.1% of the critical path is compute", or why it may save more. */
static const char *say_next(struct wl_docket *d, const struct wl_finding *f,
			    const struct wl_said_saving *said)
{
	bool is_most = 2 * said->next_share > 1;
	char share[WL_UNITS_BUF];

	if (said->is_held && f->saves.kind == WL_SAVES_AT_LEAST &&
	    !is_nothing(f)) /* "at least" says it */
		return "";
	if (said->is_held)
		return "; it may save more: the replay does not shorten calls that wait for "
		       "another thread";
	if (!said->next || 10 * (double)f->alone >= f->window_share * (double)f->saves.run ||
	    ((!is_most || said->is_rigid) && !wl_finding_is_refuted(f)))
		return "";
	return wl_say(d, "; then %s of the critical path is %s%s",
		      wl_fmt_ratio(share, said->next_share), said->next,
		      is_most ? ", which this does not shorten" : "");
}

/* "saves at most 6.80 ms" */
static const char *say_number(struct wl_docket *d, const struct wl_saves *s)
{
	const char *time = say_time(d, s);

	return time ? wl_say(d, "saves %s%s",
			     s->kind == WL_SAVES_AT_MOST    ? "at most "
			     : s->kind == WL_SAVES_AT_LEAST ? "at least "
							    : "",
			     time)
		    : NULL;
}

/* " of 2.813 s" */
static const char *say_run(struct wl_docket *d, const struct wl_saves *s)
{
	char run[WL_UNITS_BUF];

	return wl_say(d, " of %s", wl_fmt_ns(run, s->run, WL_UNIT_AUTO));
}

/* " (12.8% of the run, \u00b1 0.4 ms, replayed)" */
static const char *say_how(struct wl_docket *d, const struct wl_finding *f, bool is_replayed)
{
	const struct wl_saves *s = &f->saves;
	const char *error = say_error(d, s);
	char share[WL_UNITS_BUF];

	if (!error)
		return NULL;
	(void)wl_fmt_share(share, s->share);
	if (!is_replayed)
		return wl_say(d, " (%s of the run, not replayed%s%s)", share,
			      f->unreplayed ? ": " : "", f->unreplayed ? f->unreplayed : "");
	return wl_say(d, " (%s of the run%s, replayed)", share, error);
}

/* " (replayed: 26 us, \u00b1 33 us)" */
static const char *say_none(struct wl_docket *d, const struct wl_saves *s)
{
	const char *time = say_time(d, s), *error = say_error(d, s);

	if (is_below_digits(s))
		return " (replayed)";
	return time && error ? wl_say(d, " (replayed: %s%s)", time, error) : NULL;
}

/* "fixing this alone saves at most 19 ms of 192.1 ms (9.9% of the run, replayed), which the
 * findings before it save as well"
 */
static struct wl_parts say_covered(struct wl_docket *d, const struct wl_finding *f)
{
	struct wl_finding alone = *f;
	const char *number;

	alone.saves.time = f->alone;
	alone.saves.share = (double)f->alone / (double)f->saves.run;
	number = say_number(d, &alone.saves);
	return (struct wl_parts){ { "fixing this ", number ? wl_say(d, "alone %s", number) : NULL,
				    say_run(d, &alone.saves), say_how(d, &alone, true),
				    ", which the findings before it save as well" } };
}

struct wl_parts wl_say_saving(struct wl_docket *d, const struct wl_finding *f,
			      const struct wl_said_saving *said)
{
	bool is_none = said->is_replayed && is_nothing(f);
	struct wl_parts ret = { {
		is_none                  ? ""
		: f->is_first_of_joint   ? "fixing this and the next "
		: wl_finding_is_alone(f) ? "fixing this alone "
					 : "fixing this ",
		is_none ? "no measurable saving" : say_number(d, &f->saves),
		is_none ? "" : say_run(d, &f->saves),
		is_none ? say_none(d, &f->saves) : say_how(d, f, said->is_replayed),
		said->is_replayed ? say_next(d, f, said) : "",
	} };

	if (wl_finding_is_covered(f))
		return say_covered(d, f);
	if (f->is_joint)
		return (struct wl_parts){ { "", "saved together with the finding before it", "", "",
					    "" } };
	for (size_t i = 0; i < WL_MAX_PARTS; i++) {
		if (!ret.part[i])
			return (struct wl_parts){ { NULL } };
	}
	return ret;
}
