/* SPDX-License-Identifier: MIT */
#include "agent/check/scan.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "agent/check/scan_parts.h"
#include "base/text/utf8.h"

/* A text being read. */
struct scanner {
	const char *text, *at;
	struct wl_said_list *list;
	unsigned marker;    /* last number of the current list */
	enum wl_noun noun;  /* of the previous word */
	const char *behind; /* end of that word and the gap after it */
};

void wl_said_release(struct wl_said_list *list)
{
	free(list->at);
	*list = (struct wl_said_list){ 0 };
}

static struct wl_said *add(struct wl_said_list *list, const struct wl_said *said)
{
	if (list->n == list->cap) {
		size_t cap = list->cap ? 2 * list->cap : 32;
		struct wl_said *at = reallocarray(list->at, cap, sizeof(*at));

		list->failed = list->failed || !at;
		if (!at)
			return NULL;
		list->at = at;
		list->cap = cap;
	}
	list->at[list->n] = *said;
	return &list->at[list->n++];
}

/* ---- Numbers ---- */

/* Length in bytes of a run of letters, digits and underscores. */
static size_t word_length(const char *s)
{
	size_t n = 0;

	while (wl_word_char(s + n))
		n += wl_word_char(s + n);
	return n;
}

/* Bytes directly after the digits that make them a version or shape; 0 for none. */
static size_t token_tail(const char *s)
{
	size_t n = 0;

	if (*s == '.' && isdigit((unsigned char)s[1])) /* a second point: a version */
		n = strspn(s, "0123456789.");
	else if (*s == 'x' && isdigit((unsigned char)s[1])) /* 128x256 */
		n = strspn(s, "0123456789x");
	while (n && s[n - 1] == '.')
		n--;
	return n ? n + word_length(s + n) : 0;
}

/* "2D", "64-bit", "1st": bytes that make digits a word; *is_plain: it is still a number. */
static size_t word_tail(const char *s, bool *is_plain)
{
	static const struct {
		const char *text;
		bool is_plain;
	} tails[] = { { "D", false }, { "-bit", false }, { "-D", false }, { "st", true },
		      { "nd", true }, { "rd", true },    { "th", true } };

	for (size_t i = 0; i < WL_COUNT(tails); i++) {
		size_t n = strlen(tails[i].text);

		if (strncmp(s, tails[i].text, n) == 0 && !wl_word_char(s + n)) {
			*is_plain = tails[i].is_plain;
			return n;
		}
	}
	return 0;
}

/* The unit after the digits, with or without a gap; returns the bytes of both. */
static size_t unit_behind(const char *s, struct wl_quantity *ret)
{
	size_t gap = 0, n;

	n = wl_quantity_at(s, false, ret);
	if (n)
		return n;
	while (gap < 8 && wl_scan_gap(s + gap))
		gap += wl_scan_gap(s + gap);
	if (gap == 0 && *s == '-')
		gap = 1;
	n = gap ? wl_quantity_at(s + gap, true, ret) : 0;
	return n ? gap + n : 0;
}

/* "4k GB" does not occur, but "1.2 million kernels" and "3.5 thousand GB/s" come close. */
static void read_unit(struct scanner *s, struct wl_said *said)
{
	size_t n = unit_behind(s->at, &said->unit);

	said->has_unit = n > 0;
	if (n == 0)
		said->unit = (struct wl_quantity){ WL_DIM_PLAIN, 1 };
	/* "7B" can mean billions or bytes. */
	if (n && said->unit.dim == WL_DIM_BYTES && s->at[n - 1] == 'B' && n == 1) {
		said->has_other = true;
		said->other = (struct wl_quantity){ WL_DIM_PLAIN, 1e9 };
	}
	s->at += n;
}

/* A sign counts only if no word or number precedes it. */
static int sign_before(const struct scanner *s, const char *at, size_t *ret_n)
{
	static const char minus[] = "\u2212";
	size_t before = (size_t)(at - s->text), n = 0;
	int sign = 0;

	if (before >= 1 && (at[-1] == '-' || at[-1] == '+')) {
		n = 1;
		sign = at[-1] == '-' ? -1 : 1;
	} else if (before >= 3 && memcmp(at - 3, minus, 3) == 0) {
		n = 3;
		sign = -1;
	}
	if (n == 0 || (before > n && (wl_scan_is_word(at[-(ptrdiff_t)n - 1]) ||
				      strchr(".)%", at[-(ptrdiff_t)n - 1]))))
		return 0;
	/* "5 ms -7 ms" does not occur; a dash between blanks is not a sign. */
	*ret_n = n;
	return sign;
}

static void take_number(struct scanner *s)
{
	struct wl_said said = { .kind = WL_SAID_NUMBER };
	const char *begin = s->at;
	size_t n_sign = 0, n;
	bool is_plain = false;

	said.sign = sign_before(s, begin, &n_sign);
	s->at += wl_scan_digits(begin, &said.value, &said.decimals);
	said.begin = (size_t)(begin - s->text) - n_sign;
	said.noun = s->behind == begin ? s->noun : WL_NOUN_NONE;
	n = token_tail(s->at);
	if (n) {
		said.kind = WL_SAID_TOKEN;
		s->at += n;
	} else if ((n = word_tail(s->at, &is_plain)) > 0) {
		said.unit = (struct wl_quantity){ WL_DIM_PLAIN, 1 };
		s->at += n;
		if (!is_plain)
			return;
	} else {
		read_unit(s, &said);
		if (!said.has_unit && wl_word_char(s->at)) { /* "90a" */
			said.kind = WL_SAID_TOKEN;
			s->at += word_length(s->at);
		}
	}
	said.end = (size_t)(s->at - s->text);
	(void)add(s->list, &said);
}

/* ---- Words ---- */

/* The end of a name that begins here: parts joined by points, colons, dashes. */
static const char *name_end(const char *at, bool *ret_digits)
{
	size_t n;

	for (;;) {
		while ((n = wl_word_char(at)) > 0 && !wl_scan_is_odd(at)) {
			*ret_digits = *ret_digits || isdigit((unsigned char)*at);
			at += n;
		}
		/* v2.3.1 and torch2.3, ns::f, flash-attn-2, kernels#1 */
		n = strncmp(at, "::", 2) == 0 && wl_word_char(at + 2) ? 2 : 0;
		if (*at && isdigit((unsigned char)at[1]) &&
		    (*at == '-' || *at == '#' || (*at == '.' && *ret_digits)))
			n = 1;
		if (n == 0)
			return at;
		at += n;
	}
}

/* "GPU2", "rank3", "x5.2", "cuda:0": a word joined to its number. */
static bool take_glued(struct scanner *s)
{
	size_t letters = 0, gap;
	enum wl_noun noun;

	while (isalpha((unsigned char)s->at[letters]))
		letters++;
	noun = wl_scan_noun(s->at, letters);
	gap = s->at[letters] == ':' || s->at[letters] == '-' || s->at[letters] == '#' ||
			      s->at[letters] == '='
		      ? 1
		      : 0;
	if (!isdigit((unsigned char)s->at[letters + gap]))
		return false;
	if (!noun && !(letters == 1 && *s->at == 'x' && gap == 0))
		return false;
	s->noun = noun;
	s->at += letters + gap;
	s->behind = s->at;
	take_number(s);
	return true;
}

/* "sub-5 ms": digits after a dash are a number if a unit follows. */
static const char *dashed_number(const char *begin, const char *end)
{
	for (const char *p = end; p-- > begin + 1;) {
		struct wl_quantity unit;
		double value;
		int decimals;

		if (p[-1] != '-' || !isdigit((unsigned char)*p))
			continue;
		p += wl_scan_digits(p, &value, &decimals) - 1;
		return unit_behind(p + 1, &unit) ? p : NULL;
	}
	return NULL;
}

static void take_name(struct scanner *s)
{
	struct wl_said said = { .kind = WL_SAID_NAME, .begin = (size_t)(s->at - s->text) };
	const char *begin = s->at;
	bool has_digits = false;

	if (take_glued(s))
		return;
	s->at = name_end(begin, &has_digits);
	if (s->at == begin) /* a character that cannot be in a name */
		s->at++;
	if (has_digits && dashed_number(begin, s->at)) {
		s->at = memchr(begin, '-', (size_t)(s->at - begin));
		return;
	}
	s->noun = wl_scan_noun(begin, (size_t)(s->at - begin));
	s->behind = s->at;
	while (wl_scan_gap(s->behind))
		s->behind += wl_scan_gap(s->behind);
	s->behind += *s->behind == '#' || *s->behind == ':' || *s->behind == '=';
	s->behind += *s->behind == ' ';
	if (!has_digits)
		return;
	said.end = (size_t)(s->at - s->text);
	(void)add(s->list, &said);
}

static bool take_number_words(struct scanner *s)
{
	struct wl_said said = { .kind = WL_SAID_NUMBER, .begin = (size_t)(s->at - s->text) };
	bool is_small;
	size_t n = wl_scan_words(s->at, &said.value, &is_small);
	const char *begin = s->at;

	/* ZeRO-3 is a name. */
	if (n == 0 || (s->at[n] == '-' && isdigit((unsigned char)s->at[n + 1])))
		return false;
	s->at += n;
	read_unit(s, &said);
	if (is_small && !said.has_unit) { /* "two of the kernels" */
		s->at = begin + n;
		return true;
	}
	said.end = (size_t)(s->at - s->text);
	(void)add(s->list, &said);
	return true;
}

/* ---- The text ---- */

/* At the start of a line: skip a list marker if it continues the count. */
static void take_line_begin(struct scanner *s)
{
	const char *p = s->at + strspn(s->at, " \t#>*_");
	char *end;
	unsigned long v;

	if (!isdigit((unsigned char)*p))
		return;
	v = strtoul(p, &end, 10);
	if (end - p > 2 || (*end != '.' && *end != ')') || (end[1] != ' ' && end[1] != '*'))
		return;
	if (v != 1 && v != s->marker + 1)
		return;
	s->marker = (unsigned)v;
	s->at = end + 1;
}

static void take_odd(struct scanner *s, size_t n)
{
	struct wl_said said = { .kind = WL_SAID_ODD, .begin = (size_t)(s->at - s->text) };

	s->at += n;
	said.end = (size_t)(s->at - s->text);
	(void)add(s->list, &said);
}

static void take_one(struct scanner *s)
{
	unsigned char c = (unsigned char)*s->at;
	uint32_t cp;
	size_t n;

	if (isdigit(c) || (c == '.' && isdigit((unsigned char)s->at[1]))) {
		take_number(s);
		return;
	}
	if (isalpha(c) || c == '_') {
		if (!take_number_words(s))
			take_name(s);
		return;
	}
	if (c < 0x80) {
		s->at++;
		return;
	}
	n = wl_utf8_decode(s->at, strnlen(s->at, WL_UTF8_MAX), &cp);
	if (wl_scan_is_odd(s->at))
		take_odd(s, n);
	else
		s->at += n;
}

void wl_scan(const char *text, struct wl_said_list *ret)
{
	struct scanner s = { .text = text, .at = text, .list = ret };
	size_t from = ret->n;

	while (*s.at && !ret->failed) {
		if (s.at == text || s.at[-1] == '\n')
			take_line_begin(&s);
		if (*s.at)
			take_one(&s);
	}
	wl_scan_tables(text, ret, from);
	wl_scan_link(text, ret, from);
}
