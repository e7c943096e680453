/* SPDX-License-Identifier: MIT */
#include "tui/app/state_json.h"

#include "base/text/json_read.h"
#include "base/text/json_write.h"
#include "base/text/units.h"

void wl_state_put_time(struct wl_jsonw *out, const char *key, wl_ns t)
{
	/* As a string: a time need not fit in the 53 bits that JSON readers keep. */
	wl_jsonw_put_id(out, key, t);
}

bool wl_state_time(const struct wl_json *object, const char *key, wl_ns *ret)
{
	const struct wl_json *v = wl_json_member(object, key);
	const char *text = v ? wl_json_string(v) : NULL;
	const double most = (double)WL_TIME_MAX;
	double number;
	int64_t t;

	if (text) {
		if (wl_parse_i64(text, &t, NULL) < 0 || t < -WL_TIME_MAX || t > WL_TIME_MAX)
			return false;
	} else {
		if (!v || !wl_json_number(v, &number) || !(number >= -most && number <= most))
			return false;
		t = (int64_t)number;
	}
	*ret = t;
	return true;
}

bool wl_state_int(const struct wl_json *object, const char *key, int min, int max, int *ret)
{
	const struct wl_json *v = wl_json_member(object, key);
	double number;

	if (!v || !wl_json_number(v, &number) || !(number >= min && number <= max) ||
	    number != (double)(int)number)
		return false;
	*ret = (int)number;
	return true;
}
