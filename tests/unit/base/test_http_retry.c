/* SPDX-License-Identifier: MIT */
#include "base/net/http_retry.h"

#include <stdio.h>

#include "base/attr.h"
#include "support/unit.h"

static double wait_of(int result, int attempt, const struct wl_http_reply *http)
{
	double wait = -1;
	const struct wl_http_outcome o = {
		.result = result, .http = http, .attempt = attempt, .now_ms = 60000, .chance = 0.5
	};

	return wl_http_should_retry(&o, &wait) ? wait : -1;
}

TEST(statuses_that_pass_are_asked_again)
{
	static const struct {
		int result, status;
		bool again;
	} cases[] = {
		{ WL_E_IO, 408, true },      { WL_E_USAGE, 400, false },
		{ WL_E_IO, 429, true },      { WL_E_IO, 500, true },
		{ WL_E_IO, 529, true },      { WL_E_USAGE, 401, false },
		{ WL_E_USAGE, 404, false },  { WL_E_IO, 0, true },
		{ WL_E_TIMEOUT, 0, true },   { WL_E_FORMAT, 200, true },
		{ WL_E_CANCELED, 0, false }, { WL_E_CANCELED, 500, false },
		{ WL_E_NOMEM, 200, false },  { WL_E_USAGE, 0, false },
		{ WL_E_USAGE, 409, true },   { WL_E_USAGE, 307, false },
	};

	for (size_t i = 0; i < WL_COUNT(cases); i++) {
		const struct wl_http_reply http = { .status = cases[i].status };

		if ((wait_of(cases[i].result, 0, &http) >= 0) != cases[i].again)
			fail_msg("status %d, result %d", cases[i].status, cases[i].result);
		assert_true(wait_of(cases[i].result, 2, &http) < 0);
	}
}

TEST(waits_grow_and_servers_are_heard)
{
	static const struct {
		struct wl_http_reply http;
		int attempt;
		double wait;
	} cases[] = {
		{ { .status = 429 }, 0, 0.4375 },
		{ { .status = 429 }, 1, 0.875 },
		{ { .status = 429, .retry_after = "3" }, 0, 3 },
		{ { .status = 429, .retry_after = "3", .retry_after_ms = "250" }, 1, 0.25 },
		{ { .status = 429, .retry_after = "Thu, 01 Jan 1970 00:01:07 GMT" }, 0, 7 },
		{ { .status = 429, .retry_after = "soon" }, 0, 0.4375 },
		{ { .status = 429, .retry_after = "-5" }, 0, 0.4375 },
		{ { .status = 429, .retry_after = "3600" }, 0, -1 },
		{ { .status = 429, .should_retry = "false" }, 0, -1 },
		{ { .status = 418, .should_retry = "true" }, 0, 0.4375 },
	};

	for (size_t i = 0; i < WL_COUNT(cases); i++) {
		double wait = wait_of(WL_E_IO, cases[i].attempt, &cases[i].http);

		if (wait < cases[i].wait - 1e-9 || wait > cases[i].wait + 1e-9)
			fail_msg("case %zu: %g, not %g", i, wait, cases[i].wait);
	}
}
