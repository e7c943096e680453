#include "base/json_write.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

#include "base/put.h"
#include "base/units.h"
#include "base/utf8.h"

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
	wl_jsonw_put_str(w->out, key);
	wl_put_byte(w->out, ':');
	w->comma = false;
}

/* <, > and & for HTML, separators for JavaScript, controls for terminals. */
static bool must_escape(uint32_t cp)
{
	return wl_utf8_is_control(cp) || wl_utf8_is_separator(cp) || cp == '<' || cp == '>' ||
	       cp == '&' || cp == '"' || cp == '\\' || cp == WL_UTF8_INVALID;
}

static void put_hex(FILE *out, uint32_t cp)
{
	static const char digits[] = "0123456789abcdef";

	wl_put_chars(out, "\\u");
	for (unsigned shift = 16; shift > 0; shift -= 4)
		wl_put_byte(out, digits[cp >> (shift - 4) & 0xf]);
}

/* All of what must be escaped lies in the first plane. */
static void put_escape(FILE *out, uint32_t cp)
{
	if (cp == WL_UTF8_INVALID) {
		wl_put_chars(out, "\xEF\xBF\xBD");
	} else if (cp == '"' || cp == '\\') {
		wl_put_byte(out, '\\');
		wl_put_byte(out, (char)cp);
	} else if (cp == '\n') {
		wl_put_chars(out, "\\n");
	} else if (cp == '\t') {
		wl_put_chars(out, "\\t");
	} else {
		put_hex(out, cp);
	}
}

/* ASCII that goes out as it is: nearly all of nearly every name, and every key. */
static bool is_plain(char c)
{
	return c >= ' ' && c < 0x7f && c != '<' && c != '>' && c != '&' && c != '"' && c != '\\';
}

void wl_jsonw_put_str(FILE *out, const char *s)
{
	wl_put_byte(out, '"');
	while (*s) {
		uint32_t cp;
		size_t len;

		if (is_plain(*s)) {
			wl_put_byte(out, *s++);
			continue;
		}
		len = wl_utf8_decode(s, WL_UTF8_MAX, &cp);
		if (must_escape(cp))
			put_escape(out, cp);
		else
			wl_put_bytes(out, s, len);
		s += len;
	}
	wl_put_byte(out, '"');
}

void wl_jsonw_str(struct wl_jsonw *w, const char *s)
{
	if (!s) {
		wl_jsonw_null(w);
		return;
	}
	lead(w);
	wl_jsonw_put_str(w->out, s);
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

void wl_jsonw_null(struct wl_jsonw *w)
{
	lead(w);
	wl_put_chars(w->out, "null");
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
