/* SPDX-License-Identifier: MIT */
#include "render/words/steps.h"

#include <stdio.h>
#include <string.h>

/* "; 5 prefills, median 4.068 ms" */
static size_t put_part(const struct wl_step_part *part, const char *before, enum wl_timeunit unit,
		       char *to, size_t size)
{
	char n[WL_UNITS_BUF], median[WL_UNITS_BUF];
	int used = snprintf(to, size, "%s%s%s%.120s%s %s", before, wl_fmt_count(n, part->n),
			    *part->name ? " " : "", part->name, part->n == 1 ? " of" : ", median",
			    wl_fmt_ns(median, part->median, unit));

	return used > 0 && (size_t)used < size ? (size_t)used : 0;
}

const char *wl_steps_say_parts(const struct wl_doc_step *step, size_t from, enum wl_timeunit unit,
			       char buf[WL_STEPS_BUF])
{
	size_t used = 0;

	buf[0] = '\0';
	for (size_t i = from; i < WL_STEP_PARTS && step->part[i].name; i++)
		used += put_part(&step->part[i], i > from ? "; " : "", unit, buf + used,
				 WL_STEPS_BUF - used);
	return buf;
}

const char *wl_steps_say(const struct wl_doc_step *step, enum wl_timeunit unit,
			 char buf[WL_STEPS_BUF])
{
	char n[WL_UNITS_BUF], median[WL_UNITS_BUF];
	size_t used;

	if (step->part[0].name)
		(void)wl_steps_say_parts(step, 0, unit, buf);
	else
		(void)snprintf(buf, WL_STEPS_BUF, "%s step%s %s", wl_fmt_count(n, step->count),
			       step->count == 1 ? " of" : "s, median",
			       wl_fmt_ns(median, step->median, unit));
	used = strlen(buf);
	if (step->outer.name)
		(void)put_part(&step->outer, "; in ", unit, buf + used, WL_STEPS_BUF - used);
	return buf;
}
