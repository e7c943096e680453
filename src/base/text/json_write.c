/* SPDX-License-Identifier: MIT */
#include "base/text/json_write.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/text/clean.h"
#include "base/text/put.h"
#include "base/text/units.h"
#include "base/text/utf8.h"

void wl_jsonw_init(struct wl_jsonw *w, FILE *out)
{
	*w = (struct wl_jsonw){ .out = out };
}

/* What must stand between the last value and the next thing. */
static void lead(struct wl_jsonw *w)
{
	if (w->comma)
		wl_put_byte(w->out, ',');
	if (w->line)
		wl_put_byte(w->out, '\n');
	w->line = false;
	w->comma = true;
}

static void begin(struct wl_jsonw *w, char c)
{
	lead(w);
	wl_put_byte(w->out, c);
	w->comma = false;
	w->depth++;
}

static void end(struct wl_jsonw *w, char c)
{
	assert(w->depth > 0);
	w->depth--;
	w->comma = false; /* the last member is followed by no comma */
	lead(w);
	wl_put_byte(w->out, c);
}

void wl_jsonw_begin_object(struct wl_jsonw *w)
{
	begin(w, '{');
}

void wl_jsonw_end_object(struct wl_jsonw *w)
{
	end(w, '}');
}

void wl_jsonw_begin_array(struct wl_jsonw *w)
{
	begin(w, '[');
}

void wl_jsonw_end_array(struct wl_jsonw *w)
{
	end(w, ']');
}

void wl_jsonw_key(struct wl_jsonw *w, const char *key)
{
	lead(w);
	wl_jsonw_put_quoted(w->out, key);
	wl_put_byte(w->out, ':');
	w->comma = false;
}

/* <, > and & for HTML, separators for JavaScript, controls and bidirectional marks for terminals.
 */
static bool must_escape(uint32_t cp)
{
	return wl_clean_is_acting(cp) || cp == '<' || cp == '>' || cp == '&' || cp == '"' ||
	       cp == '\\' || cp == WL_UTF8_INVALID;
}

/* Whether a byte is a character that must_escape() lets pass: most are, so this one is quick. */
static bool is_plain(unsigned char c)
{
	static const uint64_t plain[2] = {
		~UINT64_C(0xFFFFFFFF) & ~(UINT64_C(1) << '"' | UINT64_C(1) << '&' |
					  UINT64_C(1) << '<' | UINT64_C(1) << '>'),
		~(UINT64_C(1) << ('\\' - 64) | UINT64_C(1) << (0x7F - 64)),
	};

	return c < 0x80 && (plain[c >> 6] >> (c & 63U) & 1) != 0;
}

static size_t put_escape(char *buf, uint32_t cp)
{
	static const char digits[] = "0123456789abcdef";

	if (cp == WL_UTF8_INVALID)
		return wl_utf8_encode(WL_UTF8_REPLACEMENT, buf);
	buf[0] = '\\';
	buf[1] = (char)cp;
	if (cp == '\n')
		buf[1] = 'n';
	else if (cp == '\t')
		buf[1] = 't';
	if (cp == '"' || cp == '\\' || cp == '\n' || cp == '\t')
		return 2;
	buf[1] = 'u';
	for (unsigned i = 0; i < 4; i++)
		buf[2 + i] = digits[cp >> (12 - 4 * i) & 0xFU];
	return WL_JSONW_ESCAPE;
}

size_t wl_jsonw_escape(const char **s, char *buf, size_t cap)
{
	const char *p = *s;
	size_t n = 0;

	assert(cap >= WL_JSONW_ESCAPE);
	for (;;) {
		uint32_t cp;
		size_t len;

		while (n < cap && is_plain((unsigned char)*p))
			buf[n++] = *p++;
		if (!*p || n > cap - WL_JSONW_ESCAPE)
			break;
		len = wl_utf8_decode(p, WL_UTF8_MAX, &cp);
		if (must_escape(cp)) {
			n += put_escape(buf + n, cp);
		} else {
			memcpy(buf + n, p, len);
			n += len;
		}
		p += len;
	}
	*s = p;
	return n;
}

void wl_jsonw_put_quoted(FILE *out, const char *s)
{
	char buf[256];

	wl_put_byte(out, '"');
	/* This is all of a key, and of nearly every name. */
	for (; is_plain((unsigned char)*s); s++)
		wl_put_byte(out, *s);
	while (*s)
		wl_put_bytes(out, buf, wl_jsonw_escape(&s, buf, sizeof(buf)));
	wl_put_byte(out, '"');
}

void wl_jsonw_str(struct wl_jsonw *w, const char *s)
{
	if (!s) {
		wl_jsonw_null(w);
		return;
	}
	lead(w);
	wl_jsonw_put_quoted(w->out, s);
}

void wl_jsonw_i64(struct wl_jsonw *w, int64_t v)
{
	char buf[WL_UNITS_BUF];

	lead(w);
	wl_put_chars(w->out, wl_fmt_i64(buf, v));
}

void wl_jsonw_id(struct wl_jsonw *w, int64_t v)
{
	char buf[WL_UNITS_BUF];

	lead(w);
	wl_put_byte(w->out, '"');
	wl_put_chars(w->out, wl_fmt_i64(buf, v));
	wl_put_byte(w->out, '"');
}

void wl_jsonw_u64_id(struct wl_jsonw *w, uint64_t v)
{
	lead(w);
	(void)fprintf(w->out, "\"%" PRIu64 "\"", v);
}

void wl_jsonw_f64(struct wl_jsonw *w, double v)
{
	char buf[WL_UNITS_BUF];

	lead(w);
	wl_put_chars(w->out, isfinite(v) ? wl_fmt_f64(buf, v) : "null");
}

void wl_jsonw_bool(struct wl_jsonw *w, bool v)
{
	lead(w);
	wl_put_chars(w->out, v ? "true" : "false");
}

void wl_jsonw_raw(struct wl_jsonw *w, const char *json, size_t n)
{
	lead(w);
	wl_put_bytes(w->out, json, n);
}

void wl_jsonw_null(struct wl_jsonw *w)
{
	lead(w);
	wl_put_chars(w->out, "null");
}

void wl_jsonw_put_str(struct wl_jsonw *w, const char *key, const char *s)
{
	wl_jsonw_key(w, key);
	wl_jsonw_str(w, s);
}

void wl_jsonw_put_strs(struct wl_jsonw *w, const char *key, const char *const *s, size_t n)
{
	wl_jsonw_open_array(w, key);
	for (size_t i = 0; i < n; i++)
		wl_jsonw_str(w, s[i]);
	wl_jsonw_end_array(w);
}

void wl_jsonw_put_i64(struct wl_jsonw *w, const char *key, int64_t v)
{
	wl_jsonw_key(w, key);
	wl_jsonw_i64(w, v);
}

void wl_jsonw_put_i64_if(struct wl_jsonw *w, const char *key, bool is_known, int64_t v)
{
	wl_jsonw_key(w, key);
	if (is_known)
		wl_jsonw_i64(w, v);
	else
		wl_jsonw_null(w);
}

void wl_jsonw_put_id(struct wl_jsonw *w, const char *key, int64_t v)
{
	wl_jsonw_key(w, key);
	wl_jsonw_id(w, v);
}

void wl_jsonw_put_f64(struct wl_jsonw *w, const char *key, double v)
{
	wl_jsonw_key(w, key);
	wl_jsonw_f64(w, v);
}

void wl_jsonw_put_bool(struct wl_jsonw *w, const char *key, bool v)
{
	wl_jsonw_key(w, key);
	wl_jsonw_bool(w, v);
}

void wl_jsonw_put_raw(struct wl_jsonw *w, const char *key, const char *json, size_t n)
{
	wl_jsonw_key(w, key);
	wl_jsonw_raw(w, json, n);
}

void wl_jsonw_open_object(struct wl_jsonw *w, const char *key)
{
	wl_jsonw_key(w, key);
	wl_jsonw_begin_object(w);
}

void wl_jsonw_open_array(struct wl_jsonw *w, const char *key)
{
	wl_jsonw_key(w, key);
	wl_jsonw_begin_array(w);
}

void wl_jsonw_newline(struct wl_jsonw *w)
{
	w->line = true;
}

void wl_jsonw_finish(struct wl_jsonw *w)
{
	assert(w->depth == 0);
	wl_put_byte(w->out, '\n');
	w->comma = false;
	w->line = false;
}
