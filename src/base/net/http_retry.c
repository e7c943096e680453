/* SPDX-License-Identifier: MIT */
#include "base/net/http_retry.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"

static const double first_wait = 0.5, longest_wait = 8, longest_asked = 60;

static bool may_help(const struct wl_http_outcome *o)
{
	int status = o->http->status;

	if (o->result == WL_E_CANCELED || o->result == WL_E_NOMEM ||
	    (o->result == WL_E_USAGE && status == 0))
		return false;
	if (strcmp(o->http->should_retry, "true") == 0)
		return true;
	if (strcmp(o->http->should_retry, "false") == 0)
		return false;
	if (status == 408 || status == 409 || status == 429 || status >= 500)
		return true;
	/* A status that says no is final; a reply that began well and broke is not. */
	return o->result < 0 && (status == 0 || status == 200);
}

/* A number of seconds; negative where the text is none. */
static double seconds_of(const char *text, double unit)
{
	char *end;
	double v = strtod(text, &end);

	return end != text && *end == '\0' && v >= 0 ? v * unit : -1;
}

/* What the server asks for; negative for nothing. */
static double asked_wait(const struct wl_http_outcome *o)
{
	double wait = seconds_of(o->http->retry_after_ms, 1e-3);

	if (wait < 0)
		wait = seconds_of(o->http->retry_after, 1);
	if (wait < 0 && o->http->retry_after[0] &&
	    !wl_http_date_wait(o->http->retry_after, o->now_ms, &wait))
		wait = -1;
	return wait;
}

bool wl_http_should_retry(const struct wl_http_outcome *o, double *ret_seconds)
{
	double wait = asked_wait(o), own = first_wait;

	if (o->attempt >= (o->most ? o->most : WL_HTTP_RETRIES) || !may_help(o) ||
	    wait > longest_asked)
		return false;
	for (int i = 0; i < o->attempt; i++)
		own *= 2;
	if (own > longest_wait)
		own = longest_wait;
	*ret_seconds = wait >= 0 ? wait : own * (1 - o->chance / 4);
	return true;
}

bool wl_http_retry_now(struct wl_http_outcome o, double *ret_seconds)
{
	o.now_ms = wl_clock_utc_ms();
	o.chance = (double)(wl_clock_wall_ns() / 1000 % 1000) / 1000;
	return wl_http_should_retry(&o, ret_seconds);
}

int wl_http_wait(double seconds, const atomic_int *cancel, struct wl_err *reterr)
{
	const struct timespec slice = { .tv_nsec = 50 * 1000000L };
	const int64_t until = wl_clock_wall_ns() + (int64_t)(seconds * 1e9);

	while (wl_clock_wall_ns() < until) {
		if (cancel && atomic_load(cancel) != 0)
			return wl_fail(reterr, WL_E_CANCELED, "canceled");
		(void)nanosleep(&slice, NULL);
	}
	return WL_OK;
}
