/* SPDX-License-Identifier: MIT */
#include "agent/tools/cut.h"

#include <string.h>

#include "base/text/utf8.h"

static bool is_bad(uint32_t cp)
{
	return (wl_utf8_is_control(cp) && cp != '\n') || wl_utf8_is_bidi(cp) ||
	       wl_utf8_is_separator(cp) || cp == WL_UTF8_REPLACEMENT;
}

bool wl_cut_is_needed(const char *text, size_t cap)
{
	return strnlen(text, cap + 1) > cap;
}

static bool is_clean(const char *text)
{
	const char *at = text;

	for (uint32_t cp; (cp = wl_utf8_next(&at)) != 0;) {
		if (is_bad(cp))
			return false;
	}
	return true;
}

const char *wl_cut_text(const char *text, size_t cap, struct wl_arena *arena)
{
	static const char ellipsis[] = "\xE2\x80\xA6";
	const char *at = text;
	size_t used = 0;
	char *out;

	if (!wl_cut_is_needed(text, cap) && is_clean(text))
		return text;
	/* A replacement may be longer than what it replaces. */
	out = WL_NEW(arena, char, cap + sizeof(ellipsis) + WL_UTF8_MAX);
	if (!out)
		return NULL;
	for (uint32_t cp; (cp = wl_utf8_next(&at)) != 0;) {
		char one[WL_UTF8_MAX];
		size_t n = wl_utf8_encode(is_bad(cp) ? WL_UTF8_REPLACEMENT : cp, one);

		if (used + n + sizeof(ellipsis) - 1 > cap && (*at || used + n > cap)) {
			memcpy(out + used, ellipsis, sizeof(ellipsis) - 1);
			used += sizeof(ellipsis) - 1;
			break;
		}
		memcpy(out + used, one, n);
		used += n;
	}
	out[used] = '\0';
	return out;
}

size_t wl_json_relax(char *json, size_t n)
{
	static const struct {
		const char *escape;
		char plain;
	} relaxed[] = { { "\\u003c", '<' }, { "\\u003e", '>' }, { "\\u0026", '&' } };
	size_t to = 0;

	for (size_t i = 0; i < n;) {
		size_t k = 0;

		if (json[i] != '\\' || i + 1 == n) {
			json[to++] = json[i++];
			continue;
		}
		while (k < WL_COUNT(relaxed) &&
		       (n - i < 6 || memcmp(json + i, relaxed[k].escape, 6) != 0))
			k++;
		if (k < WL_COUNT(relaxed)) {
			json[to++] = relaxed[k].plain;
			i += 6;
		} else { /* copy both characters: the second may be a backslash */
			json[to++] = json[i++];
			json[to++] = json[i++];
		}
	}
	json[to] = '\0';
	return to;
}
