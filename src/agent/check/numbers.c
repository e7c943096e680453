/* SPDX-License-Identifier: MIT */
#include "agent/check/numbers.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/check/scan_parts.h"
#include "base/text/utf8.h"

static const char mark_unfound[] = " [not in the results]";
static const char mark_asked[] = " [from the question]";

/* Byte range of a trace name in the answer. */
struct span {
	size_t begin, end;
};

struct checking {
	const struct wl_evidence *e;
	const char *answer; /* cleaned */
	struct span *span;
	size_t n_spans, cap_spans;
	bool failed;
};

/* ---- Numbers against facts ---- */

/*
 * Whether a tool's number, in the written unit and rounded to the digits shown, reads the same.
 * Both are counted in units of the last digit: the written number is then whole, exact up to 15
 * digits, and the division's error is far below one. Halves may round either way.
 */
static bool reads_same(const struct wl_said *s, double scale, double fact)
{
	double digits = round(s->value * pow(10, s->decimals));
	double count = fabs(fact) / scale * pow(10, s->decimals);

	return fabs(digits - count) <= 0.5 + fmin(0.25, 1e-9 + 4e-16 * count);
}

static bool is_number_like(enum wl_dimension dim)
{
	return dim == WL_DIM_PLAIN || dim == WL_DIM_RATIO || dim == WL_DIM_FACTOR;
}

static bool fits_sign(const struct wl_said *s, const struct wl_tool_fact *f)
{
	if (s->sign == 0 || f->value == 0)
		return true;
	return s->sign < 0 ? f->value < 0 : f->value > 0;
}

/* A number without a unit matches only whole base units, too many to be a count by chance. */
static bool is_raw(const struct wl_said *s, const struct wl_tool_fact *f)
{
	return !s->has_unit && s->decimals == 0 && s->value >= 1000 && s->value == fabs(f->value);
}

static bool matches(const struct wl_said *s, struct wl_quantity unit, const struct wl_tool_fact *f)
{
	if (f->is_range || !fits_sign(s, f))
		return false;
	if (f->is_any)
		return reads_same(s, unit.scale, f->value) ||
		       reads_same(s, unit.scale, f->value * unit.scale);
	if (unit.dim == f->dim)
		return reads_same(s, unit.scale, f->value);
	/* 1.3, 1.3x and a ratio of 1.3 are the same; a percent sign requires a ratio. */
	if (unit.dim != WL_DIM_RATIO && is_number_like(unit.dim) && is_number_like(f->dim))
		return reads_same(s, unit.scale, f->value);
	return is_raw(s, f);
}

static bool is_among(const struct wl_said *s, const struct wl_tool_fact *f)
{
	return f->is_range && s->decimals == 0 && s->value >= f->value && s->value <= f->end;
}

static bool is_numbered(const struct wl_said *s)
{
	return s->noun && !s->has_unit && s->decimals == 0;
}

/* Look among the numbers with the same noun; *ret_any: there are some. */
static bool find_numbered(const struct checking *c, const struct wl_said *s, bool *ret_any)
{
	bool found = false;

	*ret_any = false;
	for (size_t i = 0; i < c->e->n; i++) {
		const struct wl_tool_fact *f = &c->e->fact[i];

		if (f->noun != s->noun || f->dim != WL_DIM_PLAIN)
			continue;
		*ret_any = true;
		found = found || is_among(s, f) || (!f->is_range && f->value == s->value);
	}
	return found;
}

static bool find_fact(const struct checking *c, const struct wl_said *s)
{
	bool has_some;

	if (is_numbered(s)) {
		bool found = find_numbered(c, s, &has_some);

		/* This may mean "steps 12 ms": then the linked unit decides. */
		if (found || (has_some && !s->has_other))
			return found;
	}
	for (size_t i = 0; i < c->e->n; i++) {
		const struct wl_tool_fact *f = &c->e->fact[i];

		if (matches(s, s->unit, f) || (s->has_other && matches(s, s->other, f)))
			return true;
	}
	return false;
}

/* Whether the user wrote the same digits in the same unit. */
static bool was_asked(const struct checking *c, const struct wl_said *s)
{
	for (size_t i = 0; i < c->e->asked.n; i++) {
		const struct wl_said *q = &c->e->asked.at[i];

		if (q->kind == WL_SAID_NUMBER && q->unit.dim == s->unit.dim &&
		    q->value * q->unit.scale == s->value * s->unit.scale)
			return true;
	}
	return false;
}

/* ---- Names ---- */

/* Where part occurs in text as whole words: no word continues past either end. */
static const char *find_whole(const char *text, const char *part, size_t n)
{
	size_t left = strlen(text);

	for (const char *at = text; (at = memmem(at, left, part, n)) != NULL; at++) {
		bool begins = at == text || !wl_scan_is_word(at[-1]) || !wl_scan_is_word(*part);
		bool ends = !wl_scan_is_word(at[n]) || !wl_scan_is_word(part[n - 1]);

		if (begins && ends)
			return at;
		left = strlen(at + 1);
	}
	return NULL;
}

static void add_span(struct checking *c, size_t begin, size_t end)
{
	if (c->n_spans == c->cap_spans) {
		size_t cap = c->cap_spans ? 2 * c->cap_spans : 32;
		struct span *span = reallocarray(c->span, cap, sizeof(*span));

		c->failed = c->failed || !span;
		if (!span)
			return;
		c->span = span;
		c->cap_spans = cap;
	}
	c->span[c->n_spans++] = (struct span){ begin, end };
}

static bool is_quoted(const char *text, const char *at, size_t n)
{
	return at > text && strchr("`\"'", at[-1]) && at[n] == at[-1];
}

/* A name with at least one letter and with digits to account for. */
static bool is_name(const char *name, size_t n)
{
	bool has_letter = false, has_digit = false;

	for (size_t i = 0; i < n; i++) {
		has_letter = has_letter || isalpha((unsigned char)name[i]) || name[i] == '_';
		has_digit = has_digit || isdigit((unsigned char)name[i]);
	}
	return has_letter && has_digit && !isdigit((unsigned char)name[0]);
}

/* Whether a name is code: not readable as a sentence even if it contains blanks. */
static bool is_code(const char *name, size_t n)
{
	return (memchr(name, '<', n) || memchr(name, '(', n)) &&
	       (name[n - 1] == '>' || name[n - 1] == ')');
}

static void find_name(struct checking *c, const char *name, size_t n)
{
	bool has_blank = memchr(name, ' ', n) != NULL && !is_code(name, n);
	const char *at = c->answer;

	if (!is_name(name, n))
		return;
	while ((at = find_whole(at, name, n)) != NULL) {
		if (!has_blank || is_quoted(c->answer, at, n))
			add_span(c, (size_t)(at - c->answer), (size_t)(at - c->answer) + n);
		at += n;
	}
}

static void find_names(struct checking *c)
{
	const char *name = wl_text_get(&c->e->names);

	while (*name) {
		size_t n = strcspn(name, "\n");

		find_name(c, name, n);
		name += n + (name[n] == '\n');
	}
}

/* The bracket that is still open at a place in a line; NULL for none. */
static const char *open_bracket(const char *text, const char *at)
{
	int depth = 0;

	while (at > text && at[-1] != '\n') {
		at--;
		if (*at == '>' || *at == ')')
			depth++;
		else if ((*at == '<' || *at == '(') && depth-- == 0)
			return at;
	}
	return NULL;
}

static const char *close_bracket(const char *at)
{
	int depth = 0;

	for (; *at && *at != '\n'; at++) {
		if (*at == '<' || *at == '(')
			depth++;
		else if ((*at == '>' || *at == ')') && --depth == 0)
			return at + 1;
	}
	return NULL;
}

/* Whether it is in a short form of a name: "gemm<float, 256>" for "void ns::gemm<...>(...)". */
static bool is_in_part(const struct checking *c, const struct wl_said *s)
{
	const char *open = open_bracket(c->answer, c->answer + s->begin), *begin = open;
	const char *end = open ? close_bracket(open) : NULL;

	while (begin && begin > c->answer && (wl_scan_is_word(begin[-1]) || begin[-1] == ':'))
		begin--;
	return end && begin < open &&
	       find_whole(wl_text_get(&c->e->names), begin, (size_t)(end - begin));
}

static bool is_in_name(const struct checking *c, const struct wl_said *s)
{
	for (size_t i = 0; i < c->n_spans; i++) {
		if (s->begin >= c->span[i].begin && s->begin < c->span[i].end)
			return true;
	}
	return is_in_part(c, s);
}

/* ---- The answer ---- */

/* False for invisible characters that could split digits: formats, joiners, bidirectional marks. */
static bool is_seen(uint32_t cp)
{
	if (cp == '\n' || cp == '\t')
		return true;
	if (wl_utf8_is_control(cp) || wl_utf8_is_bidi(cp) || cp == WL_UTF8_INVALID)
		return false;
	return !(cp == 0xAD || cp == 0x34F || cp == 0x61C || cp == 0x180E ||
		 (cp >= 0x200B && cp <= 0x200F) || (cp >= 0x2028 && cp <= 0x202E) ||
		 (cp >= 0x2060 && cp <= 0x206F) || cp == 0xFEFF || (cp >= 0xFE00 && cp <= 0xFE0F) ||
		 (cp >= 0xE0000 && cp <= 0xE0FFF));
}

static char *clean(const char *answer)
{
	struct wl_text out = { 0 };

	while (*answer) {
		uint32_t cp;
		size_t n = wl_utf8_decode(answer, strnlen(answer, WL_UTF8_MAX), &cp);

		if (is_seen(cp))
			wl_text_put(&out, answer, n);
		answer += n;
	}
	wl_text_put(&out, "", 0);
	if (!out.failed)
		return out.bytes;
	wl_text_release(&out);
	return NULL;
}

/*
 * A shape or version may be part of a larger word, as in "tilesize128x128x64": only the digits must
 * not continue.
 */
static bool is_in_texts(const struct checking *c, const struct wl_said *s)
{
	const char *text = wl_text_get(&c->e->texts), *at = text;
	const char *part = c->answer + s->begin;
	size_t n = s->end - s->begin;

	for (; (at = memmem(at, strlen(at), part, n)) != NULL; at++) {
		bool begins = at == text || !isdigit((unsigned char)at[-1]);

		if (begins && !isdigit((unsigned char)at[n]))
			return true;
	}
	return false;
}

/* Advice may be quoted: the number and at least the two words before it must be the same. */
static bool is_quoted_advice(const struct checking *c, const struct wl_said *s)
{
	const char *begin = c->answer + s->begin;
	int n_words = 0;

	while (begin > c->answer && begin[-1] != '\n' && n_words < 3)
		n_words += *--begin == ' ';
	if (n_words < 3 && !(n_words == 2 && begin == c->answer))
		return false;
	begin += *begin == ' ';
	return find_whole(wl_text_get(&c->e->advice), begin,
			  (size_t)(c->answer + s->end - begin)) != NULL;
}

enum verdict { NAME, FINE, ASKED, UNFOUND };

static enum verdict judge(const struct checking *c, const struct wl_said *s)
{
	if (s->kind == WL_SAID_NAME || is_in_name(c, s))
		return NAME;
	if (s->kind == WL_SAID_ODD)
		return UNFOUND;
	if (s->kind == WL_SAID_TOKEN)
		return is_in_texts(c, s) || is_quoted_advice(c, s) ? FINE : UNFOUND;
	if (find_fact(c, s) || is_quoted_advice(c, s))
		return FINE;
	return was_asked(c, s) ? ASKED : UNFOUND;
}

static void note_unfound(struct wl_numbers_check *ret, const char *text, size_t n)
{
	size_t used = strlen(ret->unfound);

	ret->n_unfound++;
	(void)snprintf(ret->unfound + used, sizeof(ret->unfound) - used, "%s%.*s", used ? ", " : "",
		       (int)n, text);
}

static void mark_all(const struct checking *c, const struct wl_said_list *list,
		     struct wl_numbers_check *ret, struct wl_text *out)
{
	size_t at = 0;

	for (size_t i = 0; i < list->n; i++) {
		const struct wl_said *s = &list->at[i];
		enum verdict v = judge(c, s);

		ret->n_numbers += v != NAME;
		ret->n_asked += v == ASKED;
		if (v == NAME || v == FINE)
			continue;
		wl_text_put(out, c->answer + at, s->end - at);
		wl_text_puts(out, v == ASKED ? mark_asked : mark_unfound);
		at = s->end;
		if (v == UNFOUND)
			note_unfound(ret, c->answer + s->begin, s->end - s->begin);
	}
	wl_text_puts(out, c->answer + at);
}

int wl_numbers_check(const struct wl_evidence *e, const char *answer, struct wl_numbers_check *ret,
		     struct wl_err *reterr)
{
	char *cleaned = clean(answer);
	struct checking c = { .e = e, .answer = cleaned };
	struct wl_said_list list = { 0 };
	struct wl_text out = { 0 };

	*ret = (struct wl_numbers_check){ 0 };
	if (cleaned) {
		find_names(&c);
		wl_scan(cleaned, &list);
		mark_all(&c, &list, ret, &out);
	}
	if (!cleaned || c.failed || list.failed || out.failed || e->failed)
		wl_text_release(&out);
	free(c.span);
	free(cleaned);
	wl_said_release(&list);
	ret->text = out.bytes;
	return ret->text ? WL_OK : wl_fail(reterr, WL_E_NOMEM, "no memory to check the answer");
}

bool wl_numbers_withhold(const struct wl_numbers_check *check)
{
	return check->n_unfound > WL_MAX_UNFOUND;
}
