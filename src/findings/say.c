/* say.c - sentences of findings. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "derive/derived.h"
#include "findings/docket.h"

const char *wl_say(struct wl_docket *d, const char *fmt, ...)
{
	char *text = NULL;
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	if (n >= 0)
		text = WL_NEW(d->run->arena, char, (size_t)n + 1);
	va_start(args, fmt);
	if (text)
		(void)vsnprintf(text, (size_t)n + 1, fmt, args);
	va_end(args);
	return text;
}

/* Characters are not cut: bytes 10xxxxxx continue one. */
static const char *shorten(struct wl_docket *d, const char *name)
{
	enum { MOST = 100, HEAD = 64, TAIL = 32 };
	size_t n = strlen(name), head = HEAD, tail;

	if (n <= MOST)
		return name;
	tail = n - TAIL;
	while (head > 0 && ((unsigned char)name[head] & 0xC0) == 0x80)
		head--;
	while (tail < n && ((unsigned char)name[tail] & 0xC0) == 0x80)
		tail++;
	return wl_say(d, "%.*s...%s", (int)head, name, name + tail);
}

const char *wl_say_detail(struct wl_docket *d, const char *detail, const char *other)
{
	const char *name = detail ? shorten(d, detail) : NULL;

	return name ? name : other;
}

const char *wl_say_count(struct wl_docket *d, uint64_t n)
{
	if (n < 10000)
		return wl_say(d, "%u", (unsigned)n);
	if (n < 1000000)
		return wl_say(d, "%u,%03u", (unsigned)(n / 1000), (unsigned)(n % 1000));
	return wl_say(d, "%llu,%03u,%03u", (unsigned long long)(n / 1000000),
		      (unsigned)(n / 1000 % 1000), (unsigned)(n % 1000));
}

const char *wl_say_claim(struct wl_docket *d, const struct wl_claim *claim)
{
	size_t t = wl_claim_track(d, claim);
	char time[WL_UNITS_BUF], share[WL_UNITS_BUF];

	(void)wl_fmt_ns(time, wl_claim_per_step(d, claim, t), WL_UNIT_AUTO);
	(void)wl_fmt_ratio(share, wl_claim_share(d, claim, t));
	if (d->track[t].by_step && claim->is_rare[t])
		return wl_say(d, "%s in %u of %zu steps (%s of the window) on GPU %u", time,
			      claim->n_steps[t], d->track[t].n_steps, share,
			      d->track[t].lane->device);
	return wl_say(d, "%s %s (%s) on GPU %u", time,
		      d->track[t].by_step ? "per step" : "of the window", share,
		      d->track[t].lane->device);
}

const char *wl_say_parts(struct wl_docket *d, const struct wl_claim *c, const char *in,
			 const char *unnamed)
{
	const double whole = 0.9995, little = 0.005;
	double named = c->all ? (double)c->detail_ns / (double)c->all : 0;
	double none = c->all ? (double)c->unnamed_ns / (double)c->all : 0;
	char share[WL_UNITS_BUF], of_none[WL_UNITS_BUF];
	const char *name = wl_say_detail(d, c->detail, "?");

	(void)wl_fmt_ratio(share, named);
	(void)wl_fmt_ratio(of_none, none);
	if (named > 0.5)
		return wl_say(d, ", %s of it %s%s", named >= whole ? "all" : share, in, name);
	if (none > 0.5 && named < little)
		return wl_say(d, ", %s of it %s", none >= whole ? "all" : of_none, unnamed);
	if (none > 0.5)
		return wl_say(d, ", %s of it %s; largest named part: %s (%s)", of_none, unnamed,
			      name, share);
	return c->detail ? wl_say(d, "; largest named part: %s (%s)", name, share) : "";
}

/* For a shell: in single quotes, out of which each of its own is taken. */
static const char *quote(struct wl_docket *d, const char *s)
{
	char *out = WL_NEW(d->run->arena, char, 4 * strlen(s) + 3), *p = out;

	if (!out)
		return NULL;
	*p++ = '\'';
	for (; *s; s++) {
		if (*s == '\'')
			p = stpcpy(p, "'\\''");
		else
			*p++ = *s;
	}
	*p = '\'';
	return out;
}

/* The iterations of another marker are other iterations. */
const char *wl_say_where_on(struct wl_docket *d, size_t t, uint32_t device)
{
	const struct wl_docket_device *track = &d->track[t];
	const char *marker = d->run->derived->opts.marker;

	if (!track->by_step)
		return wl_say(d, " --gpu %u", device);
	marker = marker ? quote(d, marker) : "";
	if (!marker)
		return NULL;
	return wl_say(d, " --gpu %u --window iter:%u..%u%s%s", device, track->first, track->last,
		      *marker ? " --marker " : "", marker);
}

const char *wl_say_where(struct wl_docket *d, size_t t)
{
	return wl_say_where_on(d, t, d->track[t].lane->device);
}
