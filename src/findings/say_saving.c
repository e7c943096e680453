/* SPDX-License-Identifier: MIT */
#include "findings/say_saving.h"

#include <math.h>
#include <string.h>

#include "base/text/units.h"
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
static const char *say_time(struct wl_rule_state *d, const struct wl_saves *s)
{
	const struct scale scale = find_scale(s);
	char time[WL_UNITS_BUF];

	if (s->error < 0)
		return wl_say(d, "%s", wl_fmt_ns(time, s->time, WL_UNIT_AUTO));
	return wl_say(d, "%.*f %s", scale.decimals, (double)s->time / scale.unit, scale.name);
}

/* ", \u00b1 0.02 ms"; an error below the last digit is that digit. */
static const char *say_error(struct wl_rule_state *d, const struct wl_saves *s)
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
static const char *say_next(struct wl_rule_state *d, const struct wl_finding *f,
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

/* A hundredth of the run or more is saved outside of the steps, or nobody knows. */
static bool counts_steps_only(const struct wl_saves *s, const struct wl_said_saving *said)
{
	return said->of_steps && (!said->is_replayed ||
				  (double)(s->whole - s->time) >= WL_LISTED_SHARE * (double)s->run);
}

/* "at most 6.80 ms in steps 1-18" */
static const char *say_number(struct wl_rule_state *d, const struct wl_saves *s,
			      const struct wl_said_saving *said)
{
	const char *time = say_time(d, s);
	const char *where = counts_steps_only(s, said)
				    ? wl_say(d, " in steps %u-%u", said->first, said->last)
				    : "";

	return time && where ? wl_say(d, "%s%s%s",
				      s->kind == WL_SAVES_AT_MOST    ? "at most "
				      : s->kind == WL_SAVES_AT_LEAST ? "at least "
				      : s->kind == WL_SAVES_NO_BOUND ? "about "
								     : "",
				      time, where)
			     : NULL;
}

/* As if nothing else were fixed. */
static struct wl_finding alone_of(const struct wl_finding *f)
{
	struct wl_finding ret = *f;

	ret.saves.time = f->alone;
	ret.saves.whole = f->alone_whole;
	ret.saves.share = f->saves.run > 0 ? (double)f->alone / (double)f->saves.run : 0;
	return ret;
}

/* The findings before it save a hundredth of the run of what it saves alone. */
static bool shares_saving(const struct wl_finding *f)
{
	return (double)(f->alone - f->saves.time) >= WL_LISTED_SHARE * (double)f->saves.run;
}

/* What is first shares with start-up alone, which no replay shortens (findings/replayed.c). */
static const char *say_besides(const struct wl_finding *f)
{
	return f->place == 1 ? " besides start-up" : " besides the findings before it";
}

/* " of 2.813 s", and what with: " by itself" */
static const char *say_run(struct wl_rule_state *d, const struct wl_finding *f,
			   const struct wl_said_saving *said, const char *with)
{
	char run[WL_UNITS_BUF];

	return wl_say(d, "%s of %s%s%s", counts_steps_only(&f->saves, said) ? "," : "",
		      wl_fmt_ns(run, f->saves.run, WL_UNIT_AUTO), with,
		      shares_saving(f) ? say_besides(f) : "");
}

/* Its scenario takes away more than what it claims. */
static bool saves_more(const struct wl_finding *f)
{
	return f->saves.share - f->window_share >= WL_LISTED_SHARE;
}

/*
 * The scope of a bound if it differs from what the sentence names: " without any host code" if it
 * is larger; or what hides it.
 */
static const char *say_without(const struct wl_finding *f)
{
	bool is_host = f->scenario && strcmp(f->scenario, "host-starved") == 0;

	if (f->scenario && strcmp(f->scenario, "overlap-mpi") == 0)
		return " with MPI calls behind the kernels of their step";
	return is_host && saves_more(f) && wl_saves_is_upper_bound(&f->saves)
		       ? " without any host code"
		       : "";
}

/* "; alone 434.5 ms; in the whole run 47.2 ms; the time above is 12.5%" */
static const char *say_beyond(struct wl_rule_state *d, const struct wl_finding *f,
			      const struct wl_said_saving *said)
{
	const struct wl_saves *s = &f->saves;
	bool takes_more = saves_more(f);
	char alone[WL_UNITS_BUF], whole[WL_UNITS_BUF], claim[WL_UNITS_BUF];

	(void)wl_fmt_ns(alone, f->alone, WL_UNIT_AUTO);
	(void)wl_fmt_ns(whole, s->whole, WL_UNIT_AUTO);
	(void)wl_fmt_share(claim, f->window_share);
	return wl_say(d, "%s%s%s%s%s%s", shares_saving(f) ? "; alone " : "",
		      shares_saving(f) ? alone : "",
		      counts_steps_only(s, said) ? "; in the whole run " : "",
		      counts_steps_only(s, said) ? whole : "",
		      takes_more ? "; the time above is " : "", takes_more ? claim : "");
}

/* " (12.8% of the run, \u00b1 0.4 ms, replayed)" */
static const char *say_how(struct wl_rule_state *d, const struct wl_finding *f,
			   const struct wl_said_saving *said)
{
	const struct wl_saves *s = &f->saves;
	const char *error = say_error(d, s), *beyond;
	char share[WL_UNITS_BUF];

	if (!error)
		return NULL;
	(void)wl_fmt_share(share, s->share);
	if (!said->is_replayed)
		return wl_say(d, " (%s of the run, %snot replayed%s%s)", share,
			      counts_steps_only(s, said) ? "perhaps more outside of these steps; "
							 : "",
			      f->unreplayed ? ": " : "", f->unreplayed ? f->unreplayed : "");
	beyond = say_beyond(d, f, said);
	return beyond ? wl_say(d, " (%s of the run%s, replayed%s%s)", share, error, say_without(f),
			       beyond)
		      : NULL;
}

/* " (replayed: 26 us, \u00b1 33 us)"; " besides the findings before it (alone 11 ms, \u00b1 28 ms)"
 */
static const char *say_none(struct wl_rule_state *d, const struct wl_finding *f)
{
	const struct wl_finding alone = alone_of(f);
	const struct wl_saves *s = shares_saving(f) ? &alone.saves : &f->saves;
	const char *time = say_time(d, s), *error = say_error(d, s);

	if (shares_saving(f))
		return time && error ? wl_say(d,
					      " besides the findings before it (replayed; alone "
					      "%s%s)",
					      time, error)
				     : NULL;
	if (is_below_digits(s))
		return " (replayed)";
	return time && error ? wl_say(d, " (replayed: %s%s)", time, error) : NULL;
}

/* "fixing this saves at most 19 ms of 192.1 ms by itself (9.9% of the run, replayed)", and then. */
static struct wl_parts say_alone(struct wl_rule_state *d, const struct wl_finding *f,
				 const struct wl_said_saving *said, const char *then)
{
	const struct wl_finding alone = alone_of(f);
	const char *number = say_number(d, &alone.saves, said);

	return (struct wl_parts){ { "fixing this saves ", number,
				    say_run(d, &alone, said, " by itself"),
				    say_how(d, &alone, said), then } };
}

/* "all but 16.98 ms of which", where what is left is a tenth of it or more. */
static const char *say_covered(struct wl_rule_state *d, const struct wl_finding *f)
{
	enum { TENTH = 10 };
	char left[WL_UNITS_BUF];

	return wl_say(d, ", %s%s%swhich the findings before it save as well",
		      TENTH * f->saves.time < f->alone ? "" : "all but ",
		      TENTH * f->saves.time < f->alone
			      ? ""
			      : wl_fmt_ns(left, f->saves.time, WL_UNIT_AUTO),
		      TENTH * f->saves.time < f->alone ? "" : " of ");
}

/* A bound far above what it claims: something else is in its scenario, and that is what it bounds.
 */
static bool is_no_estimate(const struct wl_finding *f)
{
	return wl_saves_is_upper_bound(&f->saves) && wl_finding_is_alone(f) &&
	       (double)f->alone > 10 * f->window_share * (double)f->saves.run;
}

/* "it claims 11.6 us; the replay's bound, 58.5 ms, is no estimate" */
static struct wl_parts say_no_estimate(struct wl_rule_state *d, const struct wl_finding *f)
{
	wl_ns claim = (wl_ns)(f->window_share * (double)f->saves.run);
	char claims[WL_UNITS_BUF], most[WL_UNITS_BUF], run[WL_UNITS_BUF], share[WL_UNITS_BUF];

	return (struct wl_parts){
		{ "", wl_say(d, "claims %s", wl_fmt_ns(claims, claim, WL_UNIT_AUTO)),
		  wl_say(d, " of %s (%s of the run)", wl_fmt_ns(run, f->saves.run, WL_UNIT_AUTO),
			 wl_fmt_share(share, f->window_share)),
		  wl_say(d, "; the replay's bound, %s, is no estimate",
			 wl_fmt_ns(most, f->alone, WL_UNIT_AUTO)),
		  "" }
	};
}

static struct wl_parts say_plain(struct wl_rule_state *d, const struct wl_finding *f,
				 const struct wl_said_saving *said)
{
	bool is_none = said->is_replayed && is_nothing(f);

	return (struct wl_parts){ {
		is_none ? "" : "fixing this saves ",
		is_none ? "no measurable saving" : say_number(d, &f->saves, said),
		is_none ? ""
			: say_run(d, f, said,
				  f->is_first_of_joint     ? " together with the next"
				  : wl_finding_is_alone(f) ? " by itself"
							   : ""),
		is_none ? say_none(d, f) : say_how(d, f, said),
		said->is_replayed ? say_next(d, f, said) : "",
	} };
}

struct wl_parts wl_say_saving(struct wl_rule_state *d, const struct wl_finding *f,
			      const struct wl_said_saving *said)
{
	const struct wl_finding alone = alone_of(f);
	struct wl_parts ret;

	if (f->is_joint)
		return (struct wl_parts){ { "", "saved together with the finding before it", "", "",
					    "" } };
	if (wl_finding_is_covered(f))
		ret = say_alone(d, f, said, say_covered(d, f));
	else if (said->is_replayed && is_no_estimate(f))
		ret = say_no_estimate(d, f);
	else if (!said->is_replayed && f->saves.time == 0 && f->alone > 0)
		ret = say_alone(d, f, said, "; those before it leave nothing of the run");
	else
		ret = say_plain(d, wl_finding_is_alone(f) ? &alone : f, said);
	for (size_t i = 0; i < WL_MAX_PARTS; i++) {
		if (!ret.part[i])
			return (struct wl_parts){ { NULL } };
	}
	return ret;
}
