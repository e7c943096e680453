/* SPDX-License-Identifier: MIT */
#include "render/words/human.h"

#include "base/text/log_command.h"
#include "base/text/utf8.h"

static const char *unsigned_cell(const struct wl_col *col, struct wl_cell cell,
				 enum wl_timeunit unit, char buf[WL_UNITS_BUF])
{
	switch (col->type) {
	case WL_T_STR:
	case WL_T_ENUM:
		return cell.str;
	case WL_T_COUNT:
		return col->flags & (WL_KEY | WL_NUMBER) ? wl_fmt_i64(buf, cell.i64)
							 : wl_fmt_count(buf, cell.i64);
	case WL_T_ID:
		return wl_fmt_i64(buf, cell.i64);
	case WL_T_TIME:
		return wl_fmt_time(buf, cell.i64, unit);
	case WL_T_NS:
		return wl_fmt_ns(buf, cell.i64, unit);
	case WL_T_BYTES:
		return wl_fmt_bytes(buf, cell.i64);
	case WL_T_RATIO:
		return wl_fmt_ratio(buf, cell.f64);
	case WL_T_RATE:
		return wl_fmt_rate(buf, cell.f64);
	case WL_T_REAL:
		return wl_fmt_real(buf, cell.f64);
	case WL_T_BOOL:
		return cell.i64 ? "yes" : ""; /* what does not hold is no news */
	}
	return "-";
}

bool wl_human_is_increase(const struct wl_col *col, struct wl_cell cell)
{
	if (!(col->flags & WL_CHANGE) || !wl_human_is_number(col->type))
		return false;
	return wl_type_is_real(col->type) ? cell.f64 > 0 : cell.i64 > 0;
}

const char *wl_human_cell(const struct wl_col *col, struct wl_cell cell, enum wl_timeunit unit,
			  char buf[WL_UNITS_BUF])
{
	char plain[WL_UNITS_BUF];

	if (!cell.set)
		return "-";
	if (!wl_human_is_increase(col, cell))
		return unsigned_cell(col, cell, unit, buf);
	(void)snprintf(buf, WL_UNITS_BUF, "+%.*s", WL_UNITS_BUF - 2,
		       unsigned_cell(col, cell, unit, plain));
	return buf;
}

bool wl_human_is_number(enum wl_type type)
{
	return !wl_type_is_text(type) && type != WL_T_BOOL;
}

uint32_t wl_human_next(const char **s)
{
	uint32_t cp = wl_utf8_next(s);

	return cp != 0 && wl_escape_human(cp) ? WL_UTF8_REPLACEMENT : cp;
}

const char *wl_escape_human(uint32_t cp)
{
	return wl_utf8_is_control(cp) || wl_utf8_is_bidi(cp) || wl_utf8_is_separator(cp)
		       ? WL_REPLACEMENT
		       : NULL;
}

const char *wl_escape_control(uint32_t cp)
{
	return wl_utf8_is_control(cp) ? WL_REPLACEMENT : NULL;
}

void wl_put_escaped(FILE *out, const char *s, wl_escape *escape)
{
	const char *run = s; /* what goes out as it is, up to s */

	while (*s) {
		uint32_t cp;
		size_t len = wl_utf8_decode(s, WL_UTF8_MAX, &cp);
		const char *instead = cp == WL_UTF8_INVALID ? WL_REPLACEMENT : escape(cp);

		if (instead) {
			(void)fwrite(run, 1, (size_t)(s - run), out);
			(void)fputs(instead, out);
			run = s + len;
		}
		s += len;
	}
	(void)fwrite(run, 1, (size_t)(s - run), out);
}

static void put_cp(FILE *out, uint32_t cp, wl_escape *escape)
{
	char bytes[WL_UTF8_MAX + 1];

	bytes[wl_utf8_encode(cp, bytes)] = '\0';
	wl_put_escaped(out, bytes, escape);
}

void wl_put_escaped_cut(FILE *out, const char *s, size_t width, wl_escape *escape)
{
	/* Characters without width cost bytes all the same. */
	const size_t most = 4 * width;
	const char *rest = s;
	size_t used = 0, left = most;
	bool fits;

	for (; *rest && used <= width && left; left--)
		used += (size_t)wl_utf8_cp_width(wl_human_next(&rest));
	fits = !*rest && used <= width;
	for (used = 0, left = most; *s && left; left--) {
		bool is_command = wl_log_command_is_marked(s);
		uint32_t cp = wl_human_next(&s);

		if (is_command)
			cp = WL_UTF8_REPLACEMENT;
		used += (size_t)wl_utf8_cp_width(cp);
		if (!fits && used >= width)
			break;
		put_cp(out, cp, escape);
	}
	(void)fputs(fits ? "" : "\u2026", out);
}
