/* SPDX-License-Identifier: MIT */
#include "base/text/regex.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

/* Some 10 ms of work for one name; far beyond what an honest pattern needs. */
enum { MATCH_STEPS = 1000000, MATCH_DEPTH = 10000, MATCH_HEAP_KIB = 16 * 1024 };

/*
 * What a search holds, one at a time on each thread: places of a match, and the first frames of the
 * interpreter where there is no just-in-time compiler. So a search takes memory of the system only
 * for patterns that go back far, and a name is not left out because there was none.
 */
struct shelf {
	alignas(max_align_t) unsigned char bytes[32 << 10];
	size_t used, n; /* bytes, and how many hold them */
	bool is_shut;   /* while what outlives a search is made */
};

static _Thread_local struct shelf shelf;

static void *allocate(size_t size, void *ctx)
{
	size_t room =
		(size + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t);
	void *at = shelf.bytes + shelf.used;

	(void)ctx;
	if (shelf.is_shut || room < size || room > sizeof(shelf.bytes) - shelf.used)
		return malloc(size);
	shelf.used += room;
	shelf.n++;
	return at;
}

static void give(void *at, void *ctx)
{
	uintptr_t from = (uintptr_t)shelf.bytes;

	(void)ctx;
	if ((uintptr_t)at < from || (uintptr_t)at >= from + sizeof(shelf.bytes)) {
		free(at);
		return;
	}
	if (--shelf.n == 0)
		shelf.used = 0;
}

struct wl_regex {
	pcre2_code *code;
	pcre2_general_context *memory; /* of searches */
	pcre2_match_context *limits;
	char *pattern; /* where case matters; else NULL */
};

/* Bytes of syntax at s in which a capital is no letter to match: "\S", "\p{Lu}", "(?P". */
static size_t measure_syntax(const char *s)
{
	if (strncmp(s, "(?P", 3) == 0)
		return 3;
	if (*s != '\\' || !s[1])
		return 0;
	if ((s[1] == 'p' || s[1] == 'P') && s[2] == '{')
		return strcspn(s, "}");
	return s[1] == 'p' || s[1] == 'P' ? strnlen(s, 3) : 2;
}

static bool has_upper(const char *pattern)
{
	for (const char *s = pattern; *s;) {
		size_t syntax = measure_syntax(s);

		if (!syntax && *s >= 'A' && *s <= 'Z')
			return true;
		s += syntax ? syntax : 1;
	}
	return false;
}

static pcre2_code *compile(const char *pattern, uint32_t flags, struct wl_err *reterr)
{
	uint32_t options = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C;
	PCRE2_UCHAR why[128] = "";
	pcre2_code *code;
	PCRE2_SIZE at;
	int error;

	if (flags & WL_REGEX_CASELESS)
		options |= PCRE2_CASELESS;
	code = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED, options, &error, &at,
			     NULL);
	if (code)
		return code;
	(void)pcre2_get_error_message(error, why, sizeof(why));
	if (error == PCRE2_ERROR_HEAP_FAILED)
		(void)wl_fail(reterr, WL_E_NOMEM, "no memory for a regular expression");
	else
		(void)wl_fail(reterr, WL_E_USAGE,
			      "malformed regular expression '%.100s' at position %zu: %s", pattern,
			      (size_t)at, (const char *)why);
	return NULL;
}

static pcre2_general_context *make_memory(void)
{
	pcre2_general_context *memory;

	shelf.is_shut = true;
	memory = pcre2_general_context_create(allocate, give, NULL);
	shelf.is_shut = false;
	return memory;
}

int wl_regex_new(const char *pattern, uint32_t flags, struct wl_regex **ret_regex,
		 struct wl_err *reterr)
{
	struct wl_err why = { .code = WL_E_NOMEM };
	struct wl_regex *re;

	if (strlen(pattern) > WL_REGEX_MAX)
		return wl_fail(reterr, WL_E_USAGE, "regular expression of more than %d bytes",
			       WL_REGEX_MAX);
	re = calloc(1, sizeof(*re));
	if (!re)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for a regular expression");
	if (flags & WL_REGEX_SMART && !has_upper(pattern))
		flags |= WL_REGEX_CASELESS;
	re->code = compile(pattern, flags, &why);
	if (!re->code) {
		wl_regex_free(re);
		return wl_fail(reterr, why.code, "%s", why.msg);
	}
	re->memory = make_memory();
	re->limits = pcre2_match_context_create(NULL);
	re->pattern = flags & WL_REGEX_CASELESS ? NULL : strdup(pattern);
	if (!re->memory || !re->limits || (!re->pattern && !(flags & WL_REGEX_CASELESS))) {
		wl_regex_free(re);
		return wl_fail(reterr, WL_E_NOMEM, "no memory for a regular expression");
	}
	(void)pcre2_set_match_limit(re->limits, MATCH_STEPS);
	(void)pcre2_set_depth_limit(re->limits, MATCH_DEPTH);
	(void)pcre2_set_heap_limit(re->limits, MATCH_HEAP_KIB);
	/* Where there is no just-in-time compiler the interpreter does the work. */
	(void)pcre2_jit_compile(re->code, PCRE2_JIT_COMPLETE);
	*ret_regex = re;
	return WL_OK;
}

void wl_regex_free(struct wl_regex *re)
{
	if (!re)
		return;
	pcre2_general_context_free(re->memory);
	pcre2_match_context_free(re->limits);
	pcre2_code_free(re->code);
	free(re->pattern);
	free(re);
}

int wl_regex_ignoring_case(const struct wl_regex *re, struct wl_regex **ret_regex,
			   struct wl_err *reterr)
{
	int r;

	*ret_regex = NULL;
	if (!re->pattern)
		return 0;
	r = wl_regex_new(re->pattern, WL_REGEX_CASELESS, ret_regex, reterr);
	return r < 0 ? r : 1;
}

/* One search; found is made for each, so that the handle can be shared. */
static int search(const struct wl_regex *re, const char *s, size_t n, size_t from,
		  pcre2_match_data *found)
{
	int r = pcre2_match(re->code, (PCRE2_SPTR)s, n, from, 0, found, re->limits);

	if (r == PCRE2_ERROR_JIT_STACKLIMIT)
		r = pcre2_match(re->code, (PCRE2_SPTR)s, n, from, PCRE2_NO_JIT, found, re->limits);
	if (r >= 0)
		return 1;
	if (r == PCRE2_ERROR_NOMATCH)
		return 0;
	return r == PCRE2_ERROR_NOMEMORY ? WL_E_NOMEM : WL_E_TIMEOUT;
}

int wl_regex_match(const struct wl_regex *re, const char *s, size_t n)
{
	pcre2_match_data *found = pcre2_match_data_create(1, re->memory);
	int r = found ? search(re, s, n, 0, found) : WL_E_NOMEM;

	pcre2_match_data_free(found);
	return r;
}

/* \K in a look-ahead may leave a match that begins after its end. */
static struct wl_regex_span span_at(const PCRE2_SIZE *at)
{
	if (at[0] == PCRE2_UNSET || at[0] > at[1])
		return (struct wl_regex_span){ 0, 0 };
	return (struct wl_regex_span){ at[0], at[1] };
}

int wl_regex_find(const struct wl_regex *re, const char *s, size_t n, size_t from,
		  struct wl_regex_span *ret_match, struct wl_regex_span *ret_group)
{
	pcre2_match_data *found = pcre2_match_data_create(2, re->memory);
	int r = found ? search(re, s, n, from, found) : WL_E_NOMEM;

	if (r == 1) {
		const PCRE2_SIZE *at = pcre2_get_ovector_pointer(found);

		*ret_match = span_at(at);
		*ret_group = span_at(at + 2);
	}
	pcre2_match_data_free(found);
	return r;
}
