/* SPDX-License-Identifier: MIT */
#include "render/words/line.h"

#include <string.h>

#include "base/text/log_command.h"
#include "base/text/utf8.h"
#include "render/words/human.h"

size_t wl_line_limit(const struct wl_render_opts *opts)
{
	return opts->width > 0 ? (size_t)opts->width : SIZE_MAX;
}

/* How many bytes at s, most of a name as a rule, are one visible column each. */
static size_t count_plain(const char *s)
{
	size_t n = 0;

	while (s[n] >= ' ' && s[n] <= '~')
		n++;
	return n;
}

size_t wl_line_width(const char *s)
{
	size_t width = 0;

	while (*s) {
		size_t plain = count_plain(s);

		s += plain;
		width += plain;
		if (*s)
			width += (size_t)wl_utf8_cp_width(wl_human_next(&s));
	}
	return width;
}

size_t wl_line_part_width(const char *s, size_t n)
{
	const char *end = s + n;
	size_t width = 0;

	while (s < end)
		width += (size_t)wl_utf8_cp_width(wl_human_next(&s));
	return width;
}

void wl_line_put_spaces(FILE *out, size_t n)
{
	while (n-- > 0)
		(void)fputc(' ', out);
}

/* How many of the n plain bytes at s come before what a CI log would obey. */
static size_t count_harmless(const char *s, size_t n)
{
	const char *hash = memchr(s, '#', n);

	while (hash && !wl_log_command_is_marked(hash))
		hash = memchr(hash + 1, '#', n - (size_t)(hash + 1 - s));
	return hash ? (size_t)(hash - s) : n;
}

static void put_replacement(FILE *out, bool ascii)
{
	(void)fputs(ascii ? "?" : WL_REPLACEMENT, out);
}

/* Write from s up to end; returns the columns. */
static size_t put_range(FILE *out, const char *s, const char *end, bool ascii)
{
	size_t width = 0;

	while (s < end) {
		char buf[WL_UTF8_MAX];
		size_t plain = count_plain(s), left = (size_t)(end - s), n;
		uint32_t cp;

		plain = plain < left ? plain : left;
		n = count_harmless(s, plain);
		(void)fwrite(s, 1, n, out);
		width += n;
		s += n;
		if (s == end)
			break;
		if (n < plain) {
			put_replacement(out, ascii);
			width++;
			s++;
			continue;
		}
		cp = wl_human_next(&s);
		if (ascii && cp == WL_UTF8_REPLACEMENT)
			cp = '?';
		if (ascii && cp == 0x00B1) /* \u00b1 */
			cp = '~';
		width += (size_t)wl_utf8_cp_width(cp);
		n = wl_utf8_encode(cp, buf);
		(void)fwrite(buf, 1, n, out);
	}
	return width;
}

/* The same where a line may begin: a cell, or a word that wrapping moved there. */
static size_t put_first(FILE *out, const char *s, const char *end, bool ascii)
{
	const char *forged = wl_log_command_forged(s, (size_t)(end - s));
	size_t blanks;

	if (!forged)
		return put_range(out, s, end, ascii);
	blanks = put_range(out, s, forged, ascii);
	put_replacement(out, ascii);
	return blanks + 1 + put_range(out, forged + 1, end, ascii);
}

size_t wl_line_put_part(FILE *out, const char *s, size_t n, bool ascii)
{
	return put_first(out, s, s + n, ascii);
}

/* The place in s before which at most width columns lie, and a whole character ends. */
static const char *cut_after(const char *s, size_t width)
{
	size_t used = 0;

	while (*s) {
		const char *next = s;

		used += (size_t)wl_utf8_cp_width(wl_human_next(&next));
		if (used > width)
			break;
		s = next;
	}
	return s;
}

/* The place in s after which at most width of its total columns lie, and a character begins. */
static const char *cut_before(const char *s, size_t total, size_t width)
{
	while (*s) {
		const char *next = s;
		size_t w = (size_t)wl_utf8_cp_width(wl_human_next(&next));

		if (total <= width && w > 0) /* not at a mark that belongs to what was cut */
			break;
		total -= w;
		s = next;
	}
	return s;
}

/* Write s without what does not fit; of the room, tail columns go to its end. */
static size_t put_shortened(FILE *out, const char *s, size_t width, bool ascii, bool has_tail)
{
	const char *dots = ascii ? "..." : "\u2026";
	size_t n_dots = ascii ? 3 : 1;
	size_t total = wl_line_width(s);
	size_t room, tail, used;

	if (total <= width)
		return put_first(out, s, s + strlen(s), ascii);
	if (width <= n_dots)
		return put_first(out, s, cut_after(s, width), ascii);
	room = width - n_dots;
	tail = has_tail ? room / 2 : 0;
	used = put_first(out, s, cut_after(s, room - tail), ascii);
	(void)fputs(dots, out);
	s = cut_before(s, total, tail);
	return used + n_dots + put_range(out, s, s + strlen(s), ascii);
}

size_t wl_line_put_fitted(FILE *out, const char *s, size_t width, bool ascii)
{
	return put_shortened(out, s, width, ascii, true);
}

size_t wl_line_put_cut(FILE *out, const char *s, size_t width, bool ascii)
{
	return put_shortened(out, s, width, ascii, false);
}

void wl_line_put_wrapped(FILE *out, const char *prefix, const char *s,
			 const struct wl_render_opts *opts)
{
	size_t indent = strlen(prefix), limit = wl_line_limit(opts);
	size_t used = indent;
	bool first = true; /* on its line */

	(void)fputs(prefix, out);
	for (s += strspn(s, " "); *s; s += strspn(s, " ")) {
		const char *end = s + strcspn(s, " ");
		size_t width = wl_line_part_width(s, (size_t)(end - s));

		if (!first && (used >= limit || width + 1 > limit - used)) {
			(void)fputc('\n', out);
			wl_line_put_spaces(out, indent);
			used = indent;
			first = true;
		}
		if (!first) {
			(void)fputc(' ', out);
			used++;
		}
		used += put_first(out, s, end, opts->ascii);
		first = false;
		s = end;
	}
	(void)fputc('\n', out);
}
