/* SPDX-License-Identifier: MIT */
#include "sql/guard/text_funcs.h"

#include <string.h>

#include "base/text/utf8.h"

enum {
	MAX_WORK = 1 << 24,  /* comparisons of two bytes: about 0.1 s */
	CLOCK_WORK = 1 << 12 /* from here on a look at the clock costs little */
};

struct text {
	const char *s;
	size_t n;
};

static struct text text_of(sqlite3_value *value)
{
	const char *s = (const char *)sqlite3_value_text(value);

	return (struct text){ .s = s, .n = s ? (size_t)sqlite3_value_bytes(value) : 0 };
}

/* False with the failure as the result; work is in bytes or comparisons. */
static bool may_go_on(sqlite3_context *to, size_t work)
{
	if (work < CLOCK_WORK || !wl_sql_must_stop(sqlite3_user_data(to)))
		return true;
	sqlite3_result_error_code(to, SQLITE_INTERRUPT);
	return false;
}

/* The same where each byte of one is compared with each of the other; both have less than 2^31. */
static bool may_compare(sqlite3_context *to, struct text a, struct text b)
{
	if (a.n * b.n <= MAX_WORK)
		return may_go_on(to, a.n * b.n);
	sqlite3_result_error(to, "the texts are too long to compare them; use shorter ones", -1);
	return false;
}

static bool is_continuation(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* ---- instr ---- */

/* The place of the part from 1 on, in bytes or in characters; 0: it has none. */
static int place(struct text all, struct text part, bool in_bytes)
{
	const char *at;
	int n = 1;

	if (part.n == 0)
		return 1;
	/* A text is compared at the first bytes of characters, and at its start. */
	if (!in_bytes && is_continuation(part.s[0]))
		return part.n <= all.n && memcmp(all.s, part.s, part.n) == 0;
	at = all.n ? memmem(all.s, all.n, part.s, part.n) : NULL;
	if (!at)
		return 0;
	if (in_bytes)
		return (int)(at - all.s) + 1;
	for (const char *s = all.s; s < at; s++)
		n += !is_continuation(s[1]);
	return n;
}

/* A blob as text: a copy, since the conversion would change the argument. */
static void instr_mixed(sqlite3_context *to, sqlite3_value **arg)
{
	sqlite3_value *all = sqlite3_value_dup(arg[0]), *part = sqlite3_value_dup(arg[1]);
	struct text in_all = text_of(all), in_part = text_of(part);

	if (in_all.s && in_part.s)
		sqlite3_result_int(to, place(in_all, in_part, false));
	else
		sqlite3_result_error_nomem(to);
	sqlite3_value_free(all);
	sqlite3_value_free(part);
}

static void bounded_instr(sqlite3_context *to, int n, sqlite3_value **arg)
{
	int all = sqlite3_value_type(arg[0]), part = sqlite3_value_type(arg[1]);
	struct text in_all, in_part;

	(void)n;
	if (all == SQLITE_NULL || part == SQLITE_NULL ||
	    !may_go_on(to, (size_t)sqlite3_value_bytes(arg[0])))
		return;
	if ((all == SQLITE_BLOB) != (part == SQLITE_BLOB)) {
		if (sqlite3_value_bytes(arg[1]) == 0)
			sqlite3_result_int(to, 1);
		else
			instr_mixed(to, arg);
		return;
	}
	if (all == SQLITE_BLOB) {
		in_all = (struct text){ sqlite3_value_blob(arg[0]),
					(size_t)sqlite3_value_bytes(arg[0]) };
		in_part = (struct text){ sqlite3_value_blob(arg[1]),
					 (size_t)sqlite3_value_bytes(arg[1]) };
	} else {
		in_all = text_of(arg[0]);
		in_part = text_of(arg[1]);
	}
	sqlite3_result_int(to, place(in_all, in_part, all == SQLITE_BLOB));
}

/* ---- replace ---- */

static size_t count(struct text all, struct text part)
{
	const char *end = all.s + all.n;
	size_t n = 0;

	for (const char *at = all.s; (at = memmem(at, (size_t)(end - at), part.s, part.n)) != NULL;
	     at += part.n)
		n++;
	return n;
}

static char *append(char *to, const char *from, size_t n)
{
	if (n)
		memcpy(to, from, n);
	return to + n;
}

static void bounded_replace(sqlite3_context *to, int n, sqlite3_value **arg)
{
	const struct text all = text_of(arg[0]), old = text_of(arg[1]);
	const char *from = all.s, *end, *at;
	struct text new;
	uint64_t size;
	char *made, *next;

	(void)n;
	if (!all.s || !old.s || !may_go_on(to, all.n))
		return;
	if (old.s[0] == '\0') {
		sqlite3_result_value(to, arg[0]);
		return;
	}
	new = text_of(arg[2]);
	if (!new.s)
		return;
	n = (int)count(all, old);
	size = all.n - (uint64_t)n * old.n + (uint64_t)n * new.n;
	if (size >
	    (uint64_t)sqlite3_limit(sqlite3_context_db_handle(to), SQLITE_LIMIT_LENGTH, -1)) {
		sqlite3_result_error_toobig(to);
		return;
	}
	made = sqlite3_malloc64(size + 1);
	if (!made) {
		sqlite3_result_error_nomem(to);
		return;
	}
	end = all.s + all.n;
	next = made;
	while ((at = memmem(from, (size_t)(end - from), old.s, old.n)) != NULL) {
		next = append(next, from, (size_t)(at - from));
		next = append(next, new.s, new.n);
		from = at + old.n;
	}
	next = append(next, from, (size_t)(end - from));
	*next = '\0';
	sqlite3_result_text64(to, made, size, sqlite3_free, SQLITE_UTF8);
}

/* ---- trim with a set ---- */

/* Bytes of the character of a set as SQLite takes it: a first byte and all that continue it. */
static size_t char_size(const char *s)
{
	size_t n = 1;

	while ((unsigned char)s[0] >= 0xc0 && is_continuation(s[n]))
		n++;
	return n;
}

/* The size of the first character of the set that the text begins or ends with; 0: none. */
static size_t edge(struct text t, const char *set, bool at_end)
{
	for (size_t n; *set; set += n) {
		n = char_size(set);
		if (n <= t.n && memcmp(at_end ? t.s + t.n - n : t.s, set, n) == 0)
			return n;
	}
	return 0;
}

static void trim(sqlite3_context *to, sqlite3_value **arg, bool start, bool end)
{
	struct text t = text_of(arg[0]), set = text_of(arg[1]);

	if (!t.s || !set.s || !may_compare(to, t, set))
		return;
	for (size_t n; start && (n = edge(t, set.s, false)) > 0; t.n -= n)
		t.s += n;
	for (size_t n; end && (n = edge(t, set.s, true)) > 0;)
		t.n -= n;
	sqlite3_result_text64(to, t.s, t.n, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static void bounded_trim(sqlite3_context *to, int n, sqlite3_value **arg)
{
	(void)n;
	trim(to, arg, true, true);
}

static void bounded_ltrim(sqlite3_context *to, int n, sqlite3_value **arg)
{
	(void)n;
	trim(to, arg, true, false);
}

static void bounded_rtrim(sqlite3_context *to, int n, sqlite3_value **arg)
{
	(void)n;
	trim(to, arg, false, true);
}

/* ---- like, glob ---- */

/* How SQLite was built decides whether blobs match; false is the result where they do not. */
static bool never_match(sqlite3_context *to, sqlite3_value **arg)
{
	bool never = (sqlite3_value_type(arg[0]) == SQLITE_BLOB ||
		      sqlite3_value_type(arg[1]) == SQLITE_BLOB) &&
		     sqlite3_compileoption_used("LIKE_DOESNT_MATCH_BLOBS");

	if (never)
		sqlite3_result_int(to, 0);
	return never;
}

/* Whether there is something to match; the pattern comes first. */
static bool may_match(sqlite3_context *to, sqlite3_value **arg, struct text *pattern,
		      struct text *text)
{
	*pattern = text_of(arg[0]);
	*text = text_of(arg[1]);
	if (pattern->n > (size_t)sqlite3_limit(sqlite3_context_db_handle(to),
					       SQLITE_LIMIT_LIKE_PATTERN_LENGTH, -1)) {
		sqlite3_result_error(to, "LIKE or GLOB pattern too complex", -1);
		return false;
	}
	return pattern->s && text->s && may_compare(to, *pattern, *text);
}

static void bounded_glob(sqlite3_context *to, int n, sqlite3_value **arg)
{
	struct text pattern, text;

	(void)n;
	if (!never_match(to, arg) && may_match(to, arg, &pattern, &text))
		sqlite3_result_int(to, sqlite3_strglob(pattern.s, text.s) == 0);
}

/* The character after ESCAPE; false with the failure as the result. */
static bool take_escape(sqlite3_context *to, sqlite3_value *value, uint32_t *ret)
{
	struct text escape = text_of(value);

	if (!escape.s)
		return false;
	if (escape.n == 0 || wl_utf8_decode(escape.s, escape.n, ret) != escape.n || *ret == 0 ||
	    *ret == WL_UTF8_INVALID) {
		sqlite3_result_error(to, "ESCAPE expression must be a single character", -1);
		return false;
	}
	/* sqlite3_strlike() takes these as wildcards all the same. */
	if (*ret == '%' || *ret == '_') {
		sqlite3_result_error(to, "ESCAPE takes a character other than % and _", -1);
		return false;
	}
	return true;
}

static void bounded_like(sqlite3_context *to, int n, sqlite3_value **arg)
{
	struct text pattern, text;
	uint32_t escape = 0;

	if (never_match(to, arg))
		return;
	if ((n == 3 && !take_escape(to, arg[2], &escape)) || !may_match(to, arg, &pattern, &text))
		return;
	sqlite3_result_int(to, sqlite3_strlike(pattern.s, text.s, escape) == 0);
}

int wl_sql_bound_texts(sqlite3 *db, struct wl_sql *sql)
{
	static const struct {
		const char *name;
		int n_args;
		void (*call)(sqlite3_context *to, int n, sqlite3_value **arg);
	} functions[] = {
		{ "instr", 2, bounded_instr }, { "replace", 3, bounded_replace },
		{ "trim", 2, bounded_trim },   { "ltrim", 2, bounded_ltrim },
		{ "rtrim", 2, bounded_rtrim }, { "glob", 2, bounded_glob },
		{ "like", 2, bounded_like },   { "like", 3, bounded_like },
	};
	int code = SQLITE_OK;

	/* As SQLite's: views of a file may call them. */
	for (size_t i = 0; code == SQLITE_OK && i < WL_COUNT(functions); i++)
		code = sqlite3_create_function(db, functions[i].name, functions[i].n_args,
					       SQLITE_UTF8 | SQLITE_DETERMINISTIC |
						       SQLITE_INNOCUOUS,
					       sql, functions[i].call, NULL, NULL);
	return code;
}
