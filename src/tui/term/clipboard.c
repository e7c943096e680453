/* SPDX-License-Identifier: MIT */
#include "tui/term/clipboard.h"

#include <stdint.h>
#include <string.h>

/* How much of the text to take; a continuation byte of UTF-8 is not where to cut. */
static size_t cut_length(const char *text)
{
	size_t n = strnlen(text, WL_CLIPBOARD_MAX + 1);

	if (n <= WL_CLIPBOARD_MAX)
		return n;
	n = WL_CLIPBOARD_MAX;
	while (n > 0 && ((unsigned char)text[n] & 0xC0) == 0x80)
		n--;
	return n;
}

/* Three bytes, or what is left, as four characters. */
static void put_group(const unsigned char *bytes, size_t n, char out[4])
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t bits = 0;

	for (size_t i = 0; i < 3; i++)
		bits = bits << 8 | (i < n ? bytes[i] : 0);
	memset(out, '=', 4);
	for (size_t i = 0; i <= n; i++)
		out[i] = digits[bits >> (18 - 6 * i) & 63];
}

void wl_clipboard_put(const char *text, struct wl_vec *out)
{
	static const char head[] = "\033]52;c;";
	const unsigned char *bytes = (const unsigned char *)text;
	size_t n = cut_length(text), n_groups = (n + 2) / 3;
	char *at = wl_vec_extend(out, sizeof(head) - 1 + 4 * n_groups + 1);

	if (!at)
		return;
	memcpy(at, head, sizeof(head) - 1);
	at += sizeof(head) - 1;
	for (size_t i = 0; i < n; i += 3, at += 4)
		put_group(bytes + i, n - i < 3 ? n - i : 3, at);
	*at = '\a';
}
