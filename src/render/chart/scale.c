/* SPDX-License-Identifier: MIT */
#include "render/chart/scale.h"

#include <math.h>

/* Every double up to this bound fits in 64 bits when rounded. */
static const double most = 9.2e18;

static enum wl_timeunit unit_of(double max)
{
	if (max >= 1e9)
		return WL_UNIT_S;
	if (max >= 1e6)
		return WL_UNIT_MS;
	return max >= 1e3 ? WL_UNIT_US : WL_UNIT_NS;
}

struct wl_scale wl_scale_make(double max, unsigned n, enum wl_type type, enum wl_timeunit unit)
{
	static const double factors[] = { 1, 2, 5, 10 };
	double power = pow(10, floor(log10(max / n))), step = power * 10;

	for (size_t i = 0; i < WL_COUNT(factors); i++) {
		if (ceil(max / (power * factors[i])) <= n) {
			step = power * factors[i];
			break;
		}
	}
	/* Nanoseconds and bytes are whole numbers. */
	if (!wl_type_is_real(type) && step < 1)
		step = 1;
	return (struct wl_scale){ .top = ceil(max / step) * step,
				  .step = step,
				  .type = type,
				  .unit = unit == WL_UNIT_AUTO ? unit_of(max) : unit };
}

void wl_scale_decades(double min, double max, int *ret_first, int *ret_last)
{
	*ret_first = (int)floor(log10(min));
	*ret_last = (int)ceil(log10(max));
	if (*ret_last <= *ret_first)
		*ret_last = *ret_first + 1;
}

const char *wl_number_text(enum wl_type type, double v, enum wl_timeunit unit,
			   char buf[WL_UNITS_BUF])
{
	const struct wl_col col = { .type = type };
	struct wl_cell cell = { .set = true };

	if (wl_type_is_real(type))
		cell.f64 = v;
	else
		cell.i64 = (int64_t)llround(v < most ? v : most);
	return wl_human_cell(&col, cell, unit, buf);
}

const char *wl_scale_text(const struct wl_scale *s, double v, char buf[WL_UNITS_BUF])
{
	if (v == 0) {
		buf[0] = '0';
		buf[1] = '\0';
		return buf;
	}
	if (s->type == WL_T_RATIO) { /* ticks have no decimals */
		(void)snprintf(buf, WL_UNITS_BUF, "%.4g%%", v * 100);
		return buf;
	}
	return wl_number_text(s->type, v, s->unit, buf);
}
