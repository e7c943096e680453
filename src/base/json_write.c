#include "base/json_write.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

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
		(void)fputc(',', w->out);
	if (w->line)
		(void)fputc('\n', w->out);
	w->line = false;
	w->comma = true;
}

static void begin(struct wl_jsonw *w, char c)
{
	lead(w);
	(void)fputc(c, w->out);
	w->comma = false;
	w->depth++;
}

static void end(struct wl_jsonw *w, char c)
{
	assert(w->depth > 0);
	w->depth--;
	w->comma = false; /* the last member is followed by no comma */
	lead(w);
	(void)fputc(c, w->out);
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
	(void)fputc(':', w->out);
	w->comma = false;
}

/* <, > and & for HTML, separators for JavaScript, controls for terminals. */
static bool must_escape(uint32_t cp)
{
	return wl_utf8_is_control(cp) || wl_utf8_is_separator(cp) || cp == '<' || cp == '>' ||
	       cp == '&' || cp == '"' || cp == '\\' || cp == WL_UTF8_INVALID;
}

static void put_escape(FILE *out, uint32_t cp)
{
	if (cp == WL_UTF8_INVALID)
		(void)fputs("\xEF\xBF\xBD", out);
	else if (cp == '"' || cp == '\\')
		(void)fprintf(out, "\\%c", (int)cp);
	else if (cp == '\n')
		(void)fputs("\\n", out);
	else if (cp == '\t')
		(void)fputs("\\t", out);
	else
		(void)fprintf(out, "\\u%04" PRIx32, cp);
}

void wl_jsonw_put_str(FILE *out, const char *s)
{
	const char *run = s; /* what goes out as it is, up to s */

	(void)fputc('"', out);
	while (*s) {
		uint32_t cp;
		size_t len = wl_utf8_decode(s, WL_UTF8_MAX, &cp);

		if (must_escape(cp)) {
			(void)fwrite(run, 1, (size_t)(s - run), out);
			put_escape(out, cp);
			run = s + len;
		}
		s += len;
	}
	(void)fwrite(run, 1, (size_t)(s - run), out);
	(void)fputc('"', out);
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
	lead(w);
	(void)fprintf(w->out, "%" PRId64, v);
}

void wl_jsonw_id(struct wl_jsonw *w, int64_t v)
{
	lead(w);
	(void)fprintf(w->out, "\"%" PRId64 "\"", v);
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
	(void)fputs(isfinite(v) ? wl_fmt_f64(buf, v) : "null", w->out);
}

void wl_jsonw_bool(struct wl_jsonw *w, bool v)
{
	lead(w);
	(void)fputs(v ? "true" : "false", w->out);
}

void wl_jsonw_null(struct wl_jsonw *w)
{
	lead(w);
	(void)fputs("null", w->out);
}

void wl_jsonw_newline(struct wl_jsonw *w)
{
	w->line = true;
}

void wl_jsonw_finish(struct wl_jsonw *w)
{
	assert(w->depth == 0);
	(void)fputc('\n', w->out);
	w->comma = false;
	w->line = false;
}
