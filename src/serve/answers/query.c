/* SPDX-License-Identifier: MIT */
#include "serve/answers/query.h"

#include <inttypes.h>
#include <string.h>

#include "base/text/utf8.h"

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Decode [s, end) to to, which has as much room; how long it becomes, or SIZE_MAX. */
static size_t decode(const char *s, const char *end, char *to)
{
	size_t n = 0;

	while (s < end) {
		if (*s == '%') {
			if (end - s < 3 || hex(s[1]) < 0 || hex(s[2]) < 0)
				return SIZE_MAX;
			to[n++] = (char)(hex(s[1]) * 16 + hex(s[2]));
			s += 3;
		} else {
			to[n++] = (char)(*s == '+' ? ' ' : *s);
			s++;
		}
	}
	return wl_utf8_is_valid(to, n) ? n : SIZE_MAX;
}

static bool is_key(const char *s, size_t n)
{
	size_t i = 0;

	while (i < n && s[i] >= 'a' && s[i] <= 'z')
		i++;
	return n > 0 && i == n;
}

/* One "key=value" of n bytes. */
static int add(struct wl_query *q, const char *s, size_t n, struct wl_arena *arena,
	       struct wl_err *reterr)
{
	const char *equals = memchr(s, '=', n);
	char *key = WL_NEW(arena, char, n + 2), *value;
	size_t length;

	if (!key)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for a request");
	if (!equals || !is_key(s, (size_t)(equals - s)))
		return wl_fail(reterr, WL_E_USAGE, "a parameter is not of the form key=value");
	memcpy(key, s, (size_t)(equals - s));
	if (wl_query_text(q, key))
		return wl_fail(reterr, WL_E_USAGE, "%.40s: given twice", key);
	if (q->n == WL_QUERY_MAX)
		return wl_fail(reterr, WL_E_USAGE, "too many parameters");
	value = key + (equals - s) + 1;
	length = decode(equals + 1, s + n, value);
	if (length == SIZE_MAX)
		return wl_fail(reterr, WL_E_USAGE, "%.40s: malformed text", key);
	value[length] = '\0';
	q->at[q->n].key = key;
	q->at[q->n++].value = value;
	return WL_OK;
}

int wl_query_parse(const char *text, struct wl_arena *arena, struct wl_query *ret,
		   struct wl_err *reterr)
{
	int r = WL_OK;

	ret->n = 0;
	while (text && *text && r == WL_OK) {
		size_t n = strcspn(text, "&");

		r = add(ret, text, n, arena, reterr);
		text += n + (text[n] == '&');
	}
	return r;
}

static bool is_listed(const char *keys, const char *key)
{
	size_t n = strlen(key);

	while (*keys) {
		size_t length = strcspn(keys, " ");

		if (length == n && memcmp(keys, key, n) == 0)
			return true;
		keys += length + (keys[length] == ' ');
	}
	return false;
}

int wl_query_only(const struct wl_query *q, const char *keys, struct wl_err *reterr)
{
	for (size_t i = 0; i < q->n; i++) {
		if (!is_listed(keys, q->at[i].key))
			return wl_fail(reterr, WL_E_USAGE, "%.40s: no such parameter",
				       q->at[i].key);
	}
	return WL_OK;
}

const char *wl_query_text(const struct wl_query *q, const char *key)
{
	for (size_t i = 0; i < q->n; i++) {
		if (strcmp(q->at[i].key, key) == 0)
			return q->at[i].value;
	}
	return NULL;
}

/* Digits from *s on, which moves behind them; false for none and for too large a number. */
static bool scan(const char **s, uint64_t *ret)
{
	const char *begin = *s;

	for (*ret = 0; **s >= '0' && **s <= '9'; (*s)++) {
		if (__builtin_mul_overflow(*ret, UINT64_C(10), ret) ||
		    __builtin_add_overflow(*ret, (uint64_t)(**s - '0'), ret))
			return false;
	}
	return *s > begin;
}

bool wl_numbers_parse(const char *text, int64_t *ret, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		bool minus = *text == '-';
		uint64_t v;

		text += minus;
		if (!scan(&text, &v) || v > INT64_MAX || *text != (i + 1 < n ? ',' : '\0'))
			return false;
		ret[i] = minus ? -(int64_t)v : (int64_t)v;
		text++;
	}
	return true;
}

int wl_query_i64(const struct wl_query *q, const char *key, int64_t min, int64_t max, int64_t *ret,
		 struct wl_err *reterr)
{
	const char *text = wl_query_text(q, key);
	int64_t v;

	if (!text)
		return WL_OK;
	if (!wl_numbers_parse(text, &v, 1) || v < min || v > max)
		return wl_fail(reterr, WL_E_USAGE,
			       "%s: give a whole number from %" PRId64 " to %" PRId64, key, min,
			       max);
	*ret = v;
	return WL_OK;
}

int wl_query_need_i64(const struct wl_query *q, const char *key, int64_t min, int64_t max,
		      int64_t *ret, struct wl_err *reterr)
{
	if (!wl_query_text(q, key))
		return wl_fail(reterr, WL_E_USAGE, "%s: missing", key);
	return wl_query_i64(q, key, min, max, ret, reterr);
}

int wl_query_word(const struct wl_query *q, const char *key, const char *const *words, size_t *ret,
		  struct wl_err *reterr)
{
	const char *text = wl_query_text(q, key);
	size_t i = 0;

	while (text && words[i] && strcmp(words[i], text) != 0)
		i++;
	if (!words[i])
		return wl_fail(reterr, WL_E_USAGE, "%s: no such choice", key);
	*ret = i;
	return WL_OK;
}

/* "9-20" or "9" from *s on. */
static bool scan_range(const char **s, uint32_t limit, uint64_t *ret_first, uint64_t *ret_last)
{
	if (!scan(s, ret_first))
		return false;
	*ret_last = *ret_first;
	if (**s == '-') {
		(*s)++;
		if (!scan(s, ret_last))
			return false;
	}
	return *ret_first <= *ret_last && *ret_last < limit && (**s == ',' || **s == '\0');
}

int wl_query_list(const struct wl_query *q, const char *key, struct wl_arena *arena,
		  struct wl_number_list *list, struct wl_err *reterr)
{
	const char *s = wl_query_text(q, key);
	uint32_t *at = WL_NEW(arena, uint32_t, list->max + 1);
	uint64_t first, last;

	list->at = at;
	list->n = 0;
	if (!at)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for a request");
	while (s && *s) {
		if (!scan_range(&s, list->limit, &first, &last))
			return wl_fail(reterr, WL_E_USAGE,
				       "%s: give numbers below %" PRIu32 ", such as 3,4,9-20", key,
				       list->limit);
		if (last - first >= list->max - list->n)
			return wl_fail(reterr, WL_E_USAGE, "%s: at most %zu", key, list->max);
		for (; first <= last; first++)
			at[list->n++] = (uint32_t)first;
		s += *s == ',';
	}
	return WL_OK;
}
