/* SPDX-License-Identifier: MIT */
#include "known/step_log.h"

#include <stdbool.h>
#include <string.h>

#include "base/attr.h"
#include "base/memory/sort.h"

enum {
	LINE_CAP = 512,   /* of a longer line only the begin is read */
	MOST_KINDS = 8,   /* of further ones nothing is kept */
	MOST_TIMES = 512, /* of each kind: the last ones */
	LEAST_LINES = 3,
	MOST_DIGITS = 6, /* before and after the point: fits 64 bits in all units */
};

static const int64_t shortest = 1000, longest = INT64_C(3600000000000); /* ns: 1 us to 1 h */

/* Lines with the same words before the time. */
struct kind {
	uint64_t words; /* hash of them */
	uint64_t n;
	int64_t time[MOST_TIMES]; /* a ring */
};

/* A line in small letters, without escape sequences. */
struct line {
	char text[LINE_CAP + 1];
	size_t n;
};

enum unit { NO_UNIT, US, MS, S, PER_US, PER_MS, PER_S, RATE };

static const struct {
	const char *text;
	enum unit unit;
} units[] = {
	{ "us", US },     { "usec", US }, { "microseconds", US },
	{ "ms", MS },     { "msec", MS }, { "milliseconds", MS },
	{ "s", S },       { "sec", S },   { "secs", S },
	{ "seconds", S },
};

static const char *const steps[] = { "it",         "iter", "iters", "iteration",
				     "iterations", "step", "steps" };

/* A line with a word that begins so is about something else. */
static const char *const others[] = { "load",  "download", "fetch",   "map",     "sanity", "valid",
				      "eval",  "test",     "predict", "sav",     "check",  "compil",
				      "token", "process",  "captur",  "request", "prompt", "warm" };

/* Times on a line with one of these words are not of one step, unless they say so. */
static const char *const sums[] = { "eta",  "elapsed", "remain", "total",
				    "wall", "since",   "uptime", "timeout" };

/* Words before a time that make it one of a step, blanks for other signs between words. */
static const char *const keys[] = { "per iteration",  "per step",  "per iter",
				    "iteration time", "step time", "iter time" };

static bool is_letter(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Behind the escape sequence at i. */
static size_t skip_escape(const char *text, size_t len, size_t i)
{
	i++;
	if (i < len && text[i] != '[')
		return i + 1;
	for (i++; i < len && !(text[i] >= '@' && text[i] <= '~');)
		i++;
	return i < len ? i + 1 : len;
}

/* Take the line at *at and step behind it. Carriage returns end lines, too: progress bars. */
static void take_line(const char *text, size_t len, size_t *at, struct line *ret)
{
	size_t i = *at;

	ret->n = 0;
	while (i < len && text[i] != '\n' && text[i] != '\r') {
		char c = text[i];

		if (c == '\033') {
			i = skip_escape(text, len, i);
			continue;
		}
		if (c >= 'A' && c <= 'Z')
			c = (char)(c - 'A' + 'a');
		if (c == '\0')
			c = ' ';
		if (ret->n < LINE_CAP)
			ret->text[ret->n++] = c;
		i++;
	}
	ret->text[ret->n] = '\0';
	*at = i < len ? i + 1 : len;
}

static bool begins_word(const struct line *l, size_t at)
{
	return at == 0 || !is_letter(l->text[at - 1]);
}

static bool has_word(const struct line *l, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		for (const char *p = l->text; (p = strstr(p, words[i])); p++) {
			if (begins_word(l, (size_t)(p - l->text)))
				return true;
		}
	}
	return false;
}

/* Step 12, iter: 12, iteration #12 */
static bool has_step_number(const struct line *l)
{
	for (size_t i = 0; i < WL_COUNT(steps); i++) {
		const size_t length = strlen(steps[i]);

		for (const char *p = l->text; (p = strstr(p, steps[i])); p++) {
			size_t end = (size_t)(p - l->text) + length;

			if (!begins_word(l, (size_t)(p - l->text)))
				continue;
			end += strspn(l->text + end, " :#=[(");
			if (end > (size_t)(p - l->text) + length && is_digit(l->text[end]))
				return true;
		}
	}
	return false;
}

/* The plain number at i in millionths, and behind it; false where it is none or out of bounds. */
static bool take_number(const struct line *l, size_t i, size_t *ret_end, int64_t *ret)
{
	const size_t whole = strspn(l->text + i, "0123456789");
	size_t end = i + whole, digits = 0;
	int64_t value = 0;

	for (size_t k = i; k < end && whole <= MOST_DIGITS; k++)
		value = value * 10 + (l->text[k] - '0');
	if (l->text[end] == '.') {
		for (end++; is_digit(l->text[end]); end++) {
			if (digits < MOST_DIGITS && whole <= MOST_DIGITS) {
				value = value * 10 + (l->text[end] - '0');
				digits++;
			}
		}
	}
	for (; digits < MOST_DIGITS; digits++)
		value = whole <= MOST_DIGITS ? value * 10 : 0;
	*ret_end = end;
	*ret = value;
	return whole > 0 && whole <= MOST_DIGITS && value > 0;
}

static enum unit plain_unit(const char *text, size_t n)
{
	for (size_t i = 0; i < WL_COUNT(units); i++) {
		if (strlen(units[i].text) == n && memcmp(units[i].text, text, n) == 0)
			return units[i].unit;
	}
	return NO_UNIT;
}

static bool is_step(const char *text, size_t n)
{
	for (size_t i = 0; i < WL_COUNT(steps); i++) {
		if (strlen(steps[i]) == n && memcmp(steps[i], text, n) == 0)
			return true;
	}
	return false;
}

/* The unit behind a number: letters, and more behind a slash. */
static enum unit unit_at(const struct line *l, size_t i)
{
	const char *begin = l->text + i, *over;
	size_t n = 0, below = 0;
	enum unit of;

	while (is_letter(begin[n]))
		n++;
	if (begin[n] != '/')
		return plain_unit(begin, n);
	over = begin + n + 1;
	while (is_letter(over[below]))
		below++;
	of = plain_unit(begin, n);
	if (of != NO_UNIT && is_step(over, below))
		return of == US ? PER_US : of == MS ? PER_MS : PER_S;
	of = plain_unit(over, below);
	return of == S && is_step(begin, n) ? RATE : NO_UNIT;
}

static bool is_blank(char c)
{
	return !is_letter(c) && !is_digit(c);
}

/* Whether the words that end before i are these; signs between words count as one blank. */
static bool ends_with_words(const struct line *l, size_t i, const char *words)
{
	size_t n = strlen(words);

	while (n > 0) {
		if (words[n - 1] == ' ') {
			if (i == 0 || !is_blank(l->text[i - 1]))
				return false;
			while (i > 0 && is_blank(l->text[i - 1]))
				i--;
			n--;
		} else if (i == 0 || l->text[--i] != words[--n]) {
			return false;
		}
	}
	return begins_word(l, i);
}

/* Whether the number at i has a key of steps before it; and the unit that the key names. */
static bool has_key(const struct line *l, size_t i, enum unit *ret_unit)
{
	size_t n;

	*ret_unit = NO_UNIT;
	while (i > 0 && is_blank(l->text[i - 1]))
		i--;
	n = i;
	while (n > 0 && is_letter(l->text[n - 1]))
		n--;
	if (plain_unit(l->text + n, i - n) != NO_UNIT) {
		*ret_unit = plain_unit(l->text + n, i - n);
		for (i = n; i > 0 && is_blank(l->text[i - 1]);)
			i--;
	}
	for (size_t k = 0; k < WL_COUNT(keys); k++) {
		if (ends_with_words(l, i, keys[k]))
			return true;
	}
	return false;
}

/* In ns, of millionths of a unit; 0 where that is no length of a step. */
static int64_t time_of(int64_t millionths, enum unit unit)
{
	static const int64_t second = 1000000000;
	int64_t time;

	if (unit == RATE)
		time = second * 1000000 / millionths;
	else if (unit == S || unit == PER_S)
		time = millionths * 1000;
	else
		time = unit == MS || unit == PER_MS ? millionths : millionths / 1000;
	return time >= shortest && time <= longest ? time : 0;
}

/* Whether a number that begins at i stands alone: no part of a name, a date or a time of day. */
static bool stands_alone(const struct line *l, size_t i)
{
	char before;

	if (i == 0)
		return true;
	before = l->text[i - 1];
	if (is_letter(before) || is_digit(before) || strchr("_.+-/,", before))
		return false;
	return !(before == ':' && i > 1 && is_digit(l->text[i - 2]));
}

/* What a line says; at is where its number begins. */
struct said {
	int64_t time;
	size_t at;
	unsigned n;
};

/* The unit of the number from i to end, and whether it is per step: by itself or by its key. */
static enum unit find_unit(const struct line *l, size_t i, size_t end, bool *ret_per_step)
{
	enum unit unit = unit_at(l, end + (l->text[end] == ' ')), named;

	*ret_per_step = unit >= PER_US;
	if (*ret_per_step || !has_key(l, i, &named) || (unit == NO_UNIT) == (named == NO_UNIT))
		return unit;
	*ret_per_step = true;
	return unit == NO_UNIT ? named : unit;
}

/* Times per step, and times of any kind. */
static void look(const struct line *l, struct said *per_step, struct said *any)
{
	for (size_t i = 0, end; i < l->n; i = end) {
		enum unit unit = NO_UNIT;
		bool is_per_step = false;
		int64_t value;
		struct said *to;

		end = i + 1;
		if (is_digit(l->text[i]) && take_number(l, i, &end, &value) && stands_alone(l, i))
			unit = find_unit(l, i, end, &is_per_step);
		if (unit == NO_UNIT)
			continue;
		to = is_per_step ? per_step : any;
		*to = (struct said){ time_of(value, unit), i, to->n + 1 };
	}
}

/* Words of a line before the time: letters only, so that numbers do not count. */
static uint64_t words_of(const struct line *l, size_t end)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */

	for (size_t i = 0; i < end; i++) {
		if (is_letter(l->text[i]))
			hash = (hash ^ (unsigned char)l->text[i]) * UINT64_C(0x100000001b3);
	}
	return hash;
}

static void keep(struct kind *kinds, size_t *n, uint64_t words, int64_t time)
{
	size_t i = 0;

	while (i < *n && kinds[i].words != words)
		i++;
	if (i == MOST_KINDS)
		return;
	if (i == *n)
		kinds[(*n)++] = (struct kind){ .words = words };
	kinds[i].time[kinds[i].n++ % MOST_TIMES] = time;
}

static void read_line(const struct line *l, struct kind *kinds, size_t *n)
{
	struct said per_step = { .n = 0 }, any = { .n = 0 };

	if (has_word(l, others, WL_COUNT(others)))
		return;
	look(l, &per_step, &any);
	if (per_step.n == 0 && any.n == 1 && has_step_number(l) &&
	    !has_word(l, sums, WL_COUNT(sums)))
		per_step = any;
	if (per_step.n == 1 && per_step.time > 0)
		keep(kinds, n, words_of(l, per_step.at), per_step.time);
}

/* The median, or 0 where the times are too different to have one worth naming. */
static int64_t median_of(struct kind *k)
{
	size_t n = k->n < MOST_TIMES ? (size_t)k->n : MOST_TIMES;

	wl_sort_i64(k->time, n);
	return k->time[wl_rank(n, 75)] > 2 * k->time[wl_rank(n, 25)] ? 0 : k->time[wl_rank(n, 50)];
}

struct wl_step_log wl_step_log_read(const char *text, size_t len)
{
	struct kind kinds[MOST_KINDS];
	struct wl_step_log found = { 0, 0 };
	struct line line;
	size_t n = 0;

	for (size_t at = 0; at < len;) {
		take_line(text, len, &at, &line);
		read_line(&line, kinds, &n);
	}
	for (size_t i = 0; i < n; i++) {
		int64_t median;

		if (kinds[i].n < LEAST_LINES)
			continue;
		median = median_of(&kinds[i]);
		if (median == 0 || (found.lines && (median * 20 > found.median * 21 ||
						    found.median * 20 > median * 21)))
			return (struct wl_step_log){ 0, 0 };
		if (kinds[i].n > found.lines)
			found = (struct wl_step_log){ median, kinds[i].n };
	}
	return found;
}
