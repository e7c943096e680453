/* SPDX-License-Identifier: MIT */
/* scan_chars.c - characters and digits. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agent/check/scan_parts.h"
#include "base/text/utf8.h"

bool wl_scan_is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* ---- Characters ---- */

/* Digits of other scripts, superscripts, subscripts, fractions, circled numerals. */
static bool is_odd_digit(uint32_t cp)
{
	static const uint32_t ranges[][2] = {
		{ 0xB2, 0xB3 },     { 0xB9, 0xB9 },       { 0xBC, 0xBE },       { 0x660, 0x669 },
		{ 0x6F0, 0x6F9 },   { 0x7C0, 0x7C9 },     { 0x966, 0x96F },     { 0x9E6, 0x9EF },
		{ 0xE50, 0xE59 },   { 0x2070, 0x2079 },   { 0x2080, 0x2089 },   { 0x2150, 0x218B },
		{ 0x2460, 0x249B }, { 0x24EA, 0x24FF },   { 0x2776, 0x2793 },   { 0x3007, 0x3007 },
		{ 0xFF10, 0xFF19 }, { 0x1D7CE, 0x1D7FF }, { 0x1F100, 0x1F10C },
	};

	for (size_t i = 0; i < WL_COUNT(ranges); i++) {
		if (cp >= ranges[i][0] && cp <= ranges[i][1])
			return true;
	}
	return false;
}

bool wl_scan_is_odd(const char *s)
{
	uint32_t cp = 0;

	if ((unsigned char)*s >= 0x80)
		(void)wl_utf8_decode(s, strnlen(s, WL_UTF8_MAX), &cp);
	return is_odd_digit(cp);
}

/* Bytes of a space that groups thousands or precedes a unit: no-break, narrow, thin. */
static size_t hard_space(const char *s)
{
	if (strncmp(s, "\u00a0", 2) == 0)
		return 2;
	if (strncmp(s, "\u202f", 3) == 0 || strncmp(s, "\u2009", 3) == 0)
		return 3;
	return 0;
}

size_t wl_scan_gap(const char *text)
{
	if (*text && strchr(" *_`", *text))
		return 1;
	return *text ? hard_space(text) : 0;
}

/* ---- Digits ---- */

/* Bytes of a thousands separator followed by exactly three digits. */
static size_t separator(const char *s)
{
	size_t n = *s == ',' ? 1 : *s ? hard_space(s) : 0;

	if (n && isdigit((unsigned char)s[n]) && isdigit((unsigned char)s[n + 1]) &&
	    isdigit((unsigned char)s[n + 2]) && !isdigit((unsigned char)s[n + 3]))
		return n;
	return 0;
}

/* "e9", "e-3", "x10^9", "×10^9": length in bytes and exponent. */
static size_t exponent(const char *s, int *ret)
{
	size_t n = 0;
	char *end;
	long power;

	if (*s == 'e' || *s == 'E')
		n = 1;
	else if (strncmp(s, "x10^", 4) == 0)
		n = 4;
	else if (strncmp(s, "\u00d710^", 5) == 0)
		n = 5;
	if (n == 0 || !(isdigit((unsigned char)s[n]) ||
			((s[n] == '-' || s[n] == '+') && isdigit((unsigned char)s[n + 1]))))
		return 0;
	power = strtol(s + n, &end, 10);
	if (power < -30 || power > 30 || wl_word_char(end))
		return 0;
	*ret = (int)power;
	return (size_t)(end - s);
}

size_t wl_scan_digits(const char *text, double *ret_value, int *ret_decimals)
{
	double v = 0;
	size_t n = 0, first = 0, k;
	int decimals = 0, power = 0;

	for (; isdigit((unsigned char)text[n]); first++)
		v = v * 10 + (text[n++] - '0');
	while (first >= 1 && first <= 3 && (k = separator(text + n)) > 0) {
		for (size_t i = 0; i < 3; i++)
			v = v * 10 + (text[n + k + i] - '0');
		n += k + 3;
	}
	if (text[n] == '.' && isdigit((unsigned char)text[n + 1])) {
		for (n++; isdigit((unsigned char)text[n]); n++, decimals++)
			v = v * 10 + (text[n] - '0');
	}
	k = exponent(text + n, &power);
	*ret_decimals = decimals - power;
	/* Rounds only once: with few digits, both operands are exact. */
	*ret_value = *ret_decimals > 0 ? v / pow(10, *ret_decimals) : v * pow(10, -*ret_decimals);
	return n + k;
}
