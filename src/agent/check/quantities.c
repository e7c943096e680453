/* SPDX-License-Identifier: MIT */
#include "agent/check/quantities.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/attr.h"
#include "base/text/utf8.h"

/* Case matters as in physics: ms and MS, b and B. Longer spellings come first. */
struct unit {
	const char *text;
	enum wl_dimension dim;
	double scale;
	bool is_word; /* matches in any case, and with a plural s */
};

#define KI 1024.0
#define US 1e3
#define MS 1e6
#define S  1e9

static const struct unit units[] = {
	/* Time */
	{ "nanosecond", WL_DIM_TIME, 1, true },
	{ "microsecond", WL_DIM_TIME, US, true },
	{ "millisecond", WL_DIM_TIME, MS, true },
	{ "second", WL_DIM_TIME, S, true },
	{ "minute", WL_DIM_TIME, 60 * S, true },
	{ "hour", WL_DIM_TIME, 3600 * S, true },
	{ "ns", WL_DIM_TIME, 1, false },
	{ "nsec", WL_DIM_TIME, 1, false },
	{ "us", WL_DIM_TIME, US, false },
	{ "usec", WL_DIM_TIME, US, false },
	{ "\u00b5s", WL_DIM_TIME, US, false },
	{ "\u03bcs", WL_DIM_TIME, US, false },
	{ "ms", WL_DIM_TIME, MS, false },
	{ "msec", WL_DIM_TIME, MS, false },
	{ "s", WL_DIM_TIME, S, false },
	{ "sec", WL_DIM_TIME, S, false },
	{ "secs", WL_DIM_TIME, S, false },
	{ "min", WL_DIM_TIME, 60 * S, false },
	{ "mins", WL_DIM_TIME, 60 * S, false },
	{ "h", WL_DIM_TIME, 3600 * S, false },
	{ "hr", WL_DIM_TIME, 3600 * S, false },
	{ "hrs", WL_DIM_TIME, 3600 * S, false },
	/* Rates come before the byte units they begin with */
	{ "B/s", WL_DIM_RATE, 1, false },
	{ "kB/s", WL_DIM_RATE, 1e3, false },
	{ "KB/s", WL_DIM_RATE, 1e3, false },
	{ "MB/s", WL_DIM_RATE, 1e6, false },
	{ "GB/s", WL_DIM_RATE, 1e9, false },
	{ "TB/s", WL_DIM_RATE, 1e12, false },
	{ "PB/s", WL_DIM_RATE, 1e15, false },
	{ "KiB/s", WL_DIM_RATE, KI, false },
	{ "MiB/s", WL_DIM_RATE, KI *KI, false },
	{ "GiB/s", WL_DIM_RATE, KI *KI *KI, false },
	{ "TiB/s", WL_DIM_RATE, KI *KI *KI *KI, false },
	{ "kbit/s", WL_DIM_RATE, 1e3 / 8, false },
	{ "Mbit/s", WL_DIM_RATE, 1e6 / 8, false },
	{ "Gbit/s", WL_DIM_RATE, 1e9 / 8, false },
	{ "Mb/s", WL_DIM_RATE, 1e6 / 8, false },
	{ "Gb/s", WL_DIM_RATE, 1e9 / 8, false },
	{ "Mbps", WL_DIM_RATE, 1e6 / 8, false },
	{ "Gbps", WL_DIM_RATE, 1e9 / 8, false },
	{ "GBps", WL_DIM_RATE, 1e9, false },
	/* Bytes */
	{ "byte", WL_DIM_BYTES, 1, true },
	{ "kilobyte", WL_DIM_BYTES, 1e3, true },
	{ "megabyte", WL_DIM_BYTES, 1e6, true },
	{ "gigabyte", WL_DIM_BYTES, 1e9, true },
	{ "terabyte", WL_DIM_BYTES, 1e12, true },
	{ "B", WL_DIM_BYTES, 1, false },
	{ "kB", WL_DIM_BYTES, 1e3, false },
	{ "KB", WL_DIM_BYTES, 1e3, false },
	{ "MB", WL_DIM_BYTES, 1e6, false },
	{ "GB", WL_DIM_BYTES, 1e9, false },
	{ "TB", WL_DIM_BYTES, 1e12, false },
	{ "PB", WL_DIM_BYTES, 1e15, false },
	{ "KiB", WL_DIM_BYTES, KI, false },
	{ "MiB", WL_DIM_BYTES, KI *KI, false },
	{ "GiB", WL_DIM_BYTES, KI *KI *KI, false },
	{ "TiB", WL_DIM_BYTES, KI *KI *KI *KI, false },
	/* Shares and factors */
	{ "%", WL_DIM_RATIO, 1e-2, false },
	{ "percentage point", WL_DIM_RATIO, 1e-2, true },
	{ "percent", WL_DIM_RATIO, 1e-2, true },
	{ "per cent", WL_DIM_RATIO, 1e-2, true },
	{ "pp", WL_DIM_RATIO, 1e-2, false },
	{ "x", WL_DIM_FACTOR, 1, false },
	{ "X", WL_DIM_FACTOR, 1, false },
	{ "\u00d7", WL_DIM_FACTOR, 1, false },
	{ "times", WL_DIM_FACTOR, 1, false },
	{ "fold", WL_DIM_FACTOR, 1, false },
	/* Work */
	{ "MFLOP/s", WL_DIM_FLOPS, 1e6, false },
	{ "GFLOP/s", WL_DIM_FLOPS, 1e9, false },
	{ "TFLOP/s", WL_DIM_FLOPS, 1e12, false },
	{ "PFLOP/s", WL_DIM_FLOPS, 1e15, false },
	{ "GFLOPS", WL_DIM_FLOPS, 1e9, false },
	{ "TFLOPS", WL_DIM_FLOPS, 1e12, false },
	{ "PFLOPS", WL_DIM_FLOPS, 1e15, false },
	{ "GFLOPs", WL_DIM_FLOP, 1e9, false },
	{ "TFLOPs", WL_DIM_FLOP, 1e12, false },
	{ "FLOP", WL_DIM_FLOP, 1, false },
	{ "MFLOP", WL_DIM_FLOP, 1e6, false },
	{ "GFLOP", WL_DIM_FLOP, 1e9, false },
	{ "TFLOP", WL_DIM_FLOP, 1e12, false },
	{ "PFLOP", WL_DIM_FLOP, 1e15, false },
	{ "Hz", WL_DIM_HERTZ, 1, false },
	{ "kHz", WL_DIM_HERTZ, 1e3, false },
	{ "MHz", WL_DIM_HERTZ, 1e6, false },
	{ "GHz", WL_DIM_HERTZ, 1e9, false },
	{ "W", WL_DIM_WATT, 1, false },
	{ "kW", WL_DIM_WATT, 1e3, false },
	{ "watt", WL_DIM_WATT, 1, true },
	/* Counts */
	{ "thousand", WL_DIM_PLAIN, 1e3, true },
	{ "million", WL_DIM_PLAIN, 1e6, true },
	{ "billion", WL_DIM_PLAIN, 1e9, true },
	{ "trillion", WL_DIM_PLAIN, 1e12, true },
	{ "k", WL_DIM_PLAIN, 1e3, false },
	{ "K", WL_DIM_PLAIN, 1e3, false },
	{ "M", WL_DIM_PLAIN, 1e6, false },
	{ "G", WL_DIM_PLAIN, 1e9, false },
	{ "T", WL_DIM_PLAIN, 1e12, false },
	{ "bn", WL_DIM_PLAIN, 1e9, false },
};

size_t wl_word_char(const char *text)
{
	unsigned char c = (unsigned char)*text;
	uint32_t cp;
	size_t n;

	if (c < 0x80)
		return isalnum(c) || c == '_';
	n = wl_utf8_decode(text, strnlen(text, WL_UTF8_MAX), &cp);
	/* Latin-1 signs, general punctuation to symbols, CJK punctuation. */
	if (cp == WL_UTF8_INVALID || cp < 0xB5 || (cp > 0xB5 && cp < 0xC0) || cp == 0xD7 ||
	    cp == 0xF7 || (cp >= 0x2000 && cp <= 0x2BFF) || (cp >= 0x3000 && cp <= 0x303F))
		return 0;
	return n;
}

/* Length in bytes of the unit at text, 0 if it is another word. */
static size_t match(const struct unit *u, const char *text)
{
	size_t n = strlen(u->text);

	if (u->is_word ? strncasecmp(text, u->text, n) != 0 : strncmp(text, u->text, n) != 0)
		return 0;
	if (u->is_word && (text[n] == 's' || text[n] == 'S'))
		n++;
	/* A percent sign or cross needs no word end after it. */
	if (isalpha((unsigned char)u->text[0]) && wl_word_char(text + n))
		return 0;
	return n;
}

size_t wl_quantity_at(const char *text, bool is_apart, struct wl_quantity *ret)
{
	size_t best = 0;

	for (size_t i = 0; i < WL_COUNT(units); i++) {
		size_t n = match(&units[i], text);

		/* With a blank in between, "4 K" and "2 T" are more often names than counts. */
		if (is_apart && n == 1 && units[i].dim == WL_DIM_PLAIN)
			continue;
		if (n > best) {
			best = n;
			*ret = (struct wl_quantity){ units[i].dim, units[i].scale };
		}
	}
	return best;
}

struct named {
	const char *name;
	enum wl_dimension dim;
	double scale;
};

bool wl_quantity_named(const char *unit, struct wl_quantity *ret)
{
	/* Names of column units that differ from how people write them. */
	static const struct named names[] = {
		{ "bytes", WL_DIM_BYTES, 1 },    { "bytes/s", WL_DIM_RATE, 1 },
		{ "B/s", WL_DIM_RATE, 1 },       { "ratio", WL_DIM_RATIO, 1 },
		{ "fraction", WL_DIM_RATIO, 1 }, { "count", WL_DIM_PLAIN, 1 },
		{ "flop", WL_DIM_FLOP, 1 },      { "flop/s", WL_DIM_FLOPS, 1 },
	};

	for (size_t i = 0; i < WL_COUNT(names); i++) {
		if (strcmp(names[i].name, unit) == 0) {
			*ret = (struct wl_quantity){ names[i].dim, names[i].scale };
			return true;
		}
	}
	return *unit && wl_quantity_at(unit, false, ret) == strlen(unit);
}

bool wl_quantity_of_key(const char *key, struct wl_quantity *ret)
{
	static const struct named ends[] = {
		{ "_ns", WL_DIM_TIME, 1 },         { "_us", WL_DIM_TIME, US },
		{ "_ms", WL_DIM_TIME, MS },        { "_s", WL_DIM_TIME, S },
		{ "_seconds", WL_DIM_TIME, S },    { "_bytes", WL_DIM_BYTES, 1 },
		{ "_mb", WL_DIM_BYTES, 1e6 },      { "_gb", WL_DIM_BYTES, 1e9 },
		{ "_mib", WL_DIM_BYTES, KI * KI }, { "_gib", WL_DIM_BYTES, KI * KI * KI },
		{ "_gbps", WL_DIM_RATE, 1e9 },     { "_gb_s", WL_DIM_RATE, 1e9 },
		{ "_pct", WL_DIM_RATIO, 1e-2 },    { "_percent", WL_DIM_RATIO, 1e-2 },
		{ "_ratio", WL_DIM_RATIO, 1 },     { "_share", WL_DIM_RATIO, 1 },
	};
	size_t n = strlen(key), best = 0;

	for (size_t i = 0; i < WL_COUNT(ends); i++) {
		size_t k = strlen(ends[i].name);

		if (n > k && k > best && strcasecmp(key + n - k, ends[i].name) == 0) {
			best = k;
			*ret = (struct wl_quantity){ ends[i].dim, ends[i].scale };
		}
	}
	return best > 0;
}
