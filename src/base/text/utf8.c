/* SPDX-License-Identifier: MIT */
#include "base/text/utf8.h"

#include <string.h>

/* What the first byte says: length of the sequence, its payload, range of the second byte. */
struct lead {
	size_t len;
	uint32_t bits;
	unsigned char lo, hi;
};

static struct lead read_lead(unsigned char b)
{
	struct lead l = { .len = 1, .bits = b, .lo = 0x80, .hi = 0xBF };

	if (b < 0x80)
		return l;
	if (b < 0xC2 || b > 0xF4)
		return (struct lead){ .len = 0 };
	if (b < 0xE0) {
		l.len = 2;
		l.bits = b & 0x1FU;
	} else if (b < 0xF0) {
		l.len = 3;
		l.bits = b & 0x0FU;
		l.lo = b == 0xE0 ? 0xA0 : 0x80; /* no overlong form */
		l.hi = b == 0xED ? 0x9F : 0xBF; /* no surrogate */
	} else {
		l.len = 4;
		l.bits = b & 0x07U;
		l.lo = b == 0xF0 ? 0x90 : 0x80;
		l.hi = b == 0xF4 ? 0x8F : 0xBF; /* nothing above U+10FFFF */
	}
	return l;
}

size_t wl_utf8_decode(const char *s, size_t n, uint32_t *ret_cp)
{
	const unsigned char *p = (const unsigned char *)s;
	struct lead l = read_lead(p[0]);
	uint32_t cp = l.bits;

	*ret_cp = WL_UTF8_INVALID;
	if (l.len == 0)
		return 1;
	for (size_t i = 1; i < l.len; i++) {
		if (i >= n || p[i] < l.lo || p[i] > l.hi)
			return i;
		cp = cp << 6 | (p[i] & 0x3FU);
		l.lo = 0x80;
		l.hi = 0xBF;
	}
	*ret_cp = cp;
	return l.len;
}

uint32_t wl_utf8_next(const char **s)
{
	uint32_t cp;

	if (**s == '\0')
		return 0;
	/* The terminator is no continuation byte, so the decoder stops there by itself. */
	*s += wl_utf8_decode(*s, WL_UTF8_MAX, &cp);
	return cp == WL_UTF8_INVALID ? WL_UTF8_REPLACEMENT : cp;
}

size_t wl_utf8_encode(uint32_t cp, char buf[WL_UTF8_MAX])
{
	size_t len;

	if (cp > 0x10FFFF || (cp >= 0xD800 && cp <= 0xDFFF))
		cp = WL_UTF8_REPLACEMENT;
	if (cp < 0x80) {
		buf[0] = (char)cp;
		return 1;
	}
	len = cp < 0x800 ? 2 : cp < 0x10000 ? 3 : 4;
	for (size_t i = len - 1; i > 0; i--) {
		buf[i] = (char)(0x80U | (cp & 0x3FU));
		cp >>= 6;
	}
	buf[0] = (char)((0xF00U >> len & 0xFFU) | cp);
	return len;
}

bool wl_utf8_is_valid(const char *s, size_t n)
{
	uint32_t cp;

	for (size_t i = 0; i < n;) {
		i += wl_utf8_decode(s + i, n - i, &cp);
		if (cp == WL_UTF8_INVALID || cp == 0)
			return false;
	}
	return true;
}

/* With buf == NULL only measures. Returns the size, counts replacements in *ret_replaced. */
static size_t clean(const char *s, size_t n, char *buf, size_t *ret_replaced)
{
	char mark[WL_UTF8_MAX];
	const size_t mark_len = wl_utf8_encode(WL_UTF8_REPLACEMENT, mark);
	size_t size = 0, replaced = 0;

	for (size_t i = 0; i < n;) {
		uint32_t cp;
		size_t len = wl_utf8_decode(s + i, n - i, &cp);
		bool bad = cp == WL_UTF8_INVALID || cp == 0;
		size_t put = bad ? mark_len : len;

		if (buf)
			memcpy(buf + size, bad ? mark : s + i, put);
		replaced += bad;
		size += put;
		i += len;
	}
	*ret_replaced = replaced;
	return size;
}

size_t wl_utf8_clean_size(const char *s, size_t n)
{
	size_t replaced;

	return clean(s, n, NULL, &replaced);
}

size_t wl_utf8_clean(const char *s, size_t n, char *buf)
{
	size_t replaced;

	(void)clean(s, n, buf, &replaced);
	return replaced;
}

char *wl_utf8_clean_dup(struct wl_arena *arena, const char *s, size_t n, size_t *ret_replaced)
{
	size_t size = wl_utf8_clean_size(s, n);
	char *copy = wl_arena_calloc(arena, size + 1, 1);

	if (copy)
		*ret_replaced = wl_utf8_clean(s, n, copy);
	return copy;
}

bool wl_utf8_is_control(uint32_t cp)
{
	return cp < 0x20 || (cp >= 0x7F && cp < 0xA0);
}

bool wl_utf8_is_bidi(uint32_t cp)
{
	return cp == 0x061C || cp == 0x200E || cp == 0x200F || (cp >= 0x202A && cp <= 0x202E) ||
	       (cp >= 0x2066 && cp <= 0x2069);
}

bool wl_utf8_is_separator(uint32_t cp)
{
	return cp == 0x2028 || cp == 0x2029;
}

size_t wl_utf8_width(const char *s)
{
	size_t width = 0;

	for (uint32_t cp; (cp = wl_utf8_next(&s)) != 0;)
		width += (size_t)wl_utf8_cp_width(cp);
	return width;
}
