/* SPDX-License-Identifier: MIT */
#include "known/secrets/secrets.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/attr.h"
#include "known/secrets/secrets_parts.h"

static const char mask[] = "***";
static const char blanks[] = " \t\n\v\f\r";
static const char name_chars[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.";

/* Where values end. */
static const char ends[] = " \t\n\"';&,}";

static const struct wl_secret_span nothing = { .at = NULL };

/* The name that ends before this place, without a quote; NULL if there is none. */
static const char *name_before(const char *text, const char *end, size_t *ret_n)
{
	const char *at = end;

	while (at > text && strchr(name_chars, at[-1]))
		at--;
	*ret_n = (size_t)(end - at);
	return at < end ? at : NULL;
}

/* "--token:VALUE" and "/token:VALUE" at the beginning of a word. */
static bool is_colon_option(const char *text, const char *name)
{
	const char *begin = *name == '-' ? name : name - 1;

	return begin >= text && (*begin == '-' || *begin == '/') &&
	       (begin == text || strchr(blanks, begin[-1]));
}

/* "X-Api-Key: VALUE": names of headers have dashes, and one blank follows. */
static bool is_header(const char *name, size_t n, const char *at)
{
	return at[0] == ':' && at[1] == ' ' && *name != '-' && memchr(name, '-', n);
}

/* "token: VALUE" and "hf.token:VALUE", as YAML has it; no "key: see below", "a::b" or "c:/". */
static bool is_mapping(enum wl_secret_name kind, const char *at, enum wl_secret_level level)
{
	const char *value = at + 1 + strspn(at + 1, " ");
	size_t n = strcspn(value, ends);
	bool letter, mixed;

	if (level == WL_SECRET_SURELY || strchr(":/\\", at[1]))
		return false;
	return kind == WL_SECRET_STRONG_NAME ||
	       (n >= 6 && wl_secret_has_kinds(value, n, &letter, &mixed) && letter);
}

/* "&sig=VALUE" and "?X-Amz-Signature=VALUE": who has the address may read what is there. */
static bool is_signature(const char *text, const char *name, size_t n)
{
	static const char *const last[] = { "sig", "signature" };

	for (size_t i = 0; i < WL_COUNT(last); i++) {
		size_t length = strlen(last[i]);

		if (n >= length && strncasecmp(name + n - length, last[i], length) == 0 &&
		    (n == length || name[n - length - 1] == '-'))
			return name > text && (name[-1] == '&' || name[-1] == '?');
	}
	return false;
}

/* The end of the name before the sign at; *ret_quoted: in quotes, which may be escaped. */
static const char *end_of_name(const char *text, const char *at, bool *ret_quoted)
{
	const char *end = at;

	while (*at == ':' && end > text && end[-1] == ' ')
		end--;
	*ret_quoted = end > text && (end[-1] == '"' || end[-1] == '\'');
	if (!*ret_quoted)
		return at;
	end--;
	return end > text && end[-1] == '\\' ? end - 1 : end;
}

/*
 * The value behind the sign at, which has a name that tells; at most up to *stop, which is moved
 * behind it as it is needed: each byte is looked at once. An option that is the whole argument has
 * a value with blanks: "--password=a b".
 */
static struct wl_secret_span value_of(const char *text, const char *name, const char *at,
				      const char **stop)
{
	const char *value = at + 1;

	if (*at == ':')
		value += strspn(value, " ");
	value += value[0] == '\\' && value[1] == '"';
	if (*value == '"' || *value == '\'')
		return (struct wl_secret_span){ value + 1, strcspn(value + 1, "\"'\\"),
						WL_SECRET_BY_NAME };
	if (name == text && *name == '-')
		return (struct wl_secret_span){ value, strlen(value), WL_SECRET_BY_NAME };
	if (!*stop || *stop < value)
		*stop = value + strcspn(value, ends);
	return (struct wl_secret_span){ value, (size_t)(*stop - value), WL_SECRET_BY_NAME };
}

/* NAME=VALUE, "NAME": VALUE, --NAME:VALUE and NA-ME: VALUE, wherever they are. */
static struct wl_secret_span find_assignment(const char *text, const char *from,
					     enum wl_secret_level level)
{
	const char *stop = NULL;

	for (const char *at = strpbrk(from, "=:"); at; at = strpbrk(at + 1, "=:")) {
		bool quoted;
		size_t n;
		const char *name = name_before(text, end_of_name(text, at, &quoted), &n);
		enum wl_secret_name kind;
		struct wl_secret_span value;

		if (!name)
			continue;
		kind = *at == '=' && is_signature(text, name, n)
			       ? WL_SECRET_STRONG_NAME
			       : wl_secret_name_of(name, n, level);
		if (kind == WL_SECRET_NO_NAME ||
		    (*at == ':' && !quoted && !is_colon_option(text, name) &&
		     !is_header(name, n, at) && !is_mapping(kind, at, level)))
			continue;
		value = value_of(text, name, at, &stop);
		if (wl_secret_is_value(kind, level, value.at, value.n))
			return value;
	}
	return nothing;
}

/* The name of an option that has its value in the next word; WL_SECRET_NO_NAME for other words. */
static enum wl_secret_name option_name(const char *word, size_t n, enum wl_secret_level level)
{
	static const char *const users[] = { "-u", "--user", "--proxy-user" };

	for (size_t i = 0; level == WL_SECRET_MAYBE && i < WL_COUNT(users); i++) {
		if (strlen(users[i]) == n && strncmp(word, users[i], n) == 0)
			return WL_SECRET_USER_NAME;
	}
	return word[0] == '-' && n > 2 && strspn(word, name_chars) >= n
		       ? wl_secret_name_of(word, n, level)
		       : WL_SECRET_NO_NAME;
}

/* What is secret of the n bytes at value, which follow an option of this name. */
static struct wl_secret_span secret_of(enum wl_secret_name name, enum wl_secret_level level,
				       const char *value, size_t n)
{
	struct wl_secret_span all = { value, n, WL_SECRET_BY_NAME };
	const char *colon = name == WL_SECRET_USER_NAME ? memchr(value, ':', n) : NULL;

	if (name != WL_SECRET_USER_NAME)
		return wl_secret_is_value(name, level, value, n) ? all : nothing;
	if (!colon)
		return nothing;
	all = (struct wl_secret_span){ colon + 1, n - (size_t)(colon + 1 - value),
				       WL_SECRET_BY_NAME };
	/* No number of a group, no port, and no path or URL. */
	return wl_secret_is_value(WL_SECRET_WEAK_NAME, level, all.at, all.n) ? all : nothing;
}

/* "--x", "-x" and "-long": what begins with a dash otherwise may be a value. */
bool wl_secret_is_option(const char *argument)
{
	size_t n = strcspn(argument, blanks);

	return argument[0] == '-' &&
	       (argument[1] == '-' || n <= 2 ||
		strspn(argument + 1, "abcdefghijklmnopqrstuvwxyz-_=") >= n - 1);
}

/* "-pPassword1", as clients of databases take it. */
static bool is_attached(const char *word, size_t n)
{
	bool letter, mixed, upper = false;

	for (size_t i = 2; i < n; i++) {
		upper = upper || isupper((unsigned char)word[i]);
		if (!isalnum((unsigned char)word[i]))
			return false;
	}
	return n >= 8 && strncmp(word, "-p", 2) == 0 && upper &&
	       wl_secret_has_kinds(word + 2, n - 2, &letter, &mixed);
}

/* The word behind an option that wants a secret, in a text of several words. */
static struct wl_secret_span find_next_word(const char *text, const char *from,
					    enum wl_secret_level level)
{
	const char *word = from;

	/* Its name may be before from: begin with the word before. */
	while (word > text && !strchr(blanks, word[-1]))
		word--;
	while (word > text && strchr(blanks, word[-1]))
		word--;
	while (word > text && !strchr(blanks, word[-1]))
		word--;
	for (;;) {
		size_t n = strcspn(word, blanks), n_value;
		enum wl_secret_name name = option_name(word, n, level);
		const char *next = word + n + strspn(word + n, blanks), *value = next;
		struct wl_secret_span found = nothing;

		if (level == WL_SECRET_MAYBE && word >= from && is_attached(word, n))
			return (struct wl_secret_span){ word + 2, n - 2, WL_SECRET_BY_NAME };
		if (!*next)
			return nothing;
		value += *next == '"' || *next == '\'';
		n_value = value > next ? strcspn(value, "\"'") : strcspn(value, " \t\n\"';");
		if (name != WL_SECRET_NO_NAME && n_value && !wl_secret_is_option(value))
			found = secret_of(name, level, value, n_value);
		if (found.at >= from && found.at)
			return found;
		word = next;
	}
}

/* A search through a text: what each finder finds next is kept until the search is behind it. */
struct search {
	const char *text;
	enum wl_secret_level level;
	struct wl_secret_span next[6];
	bool is_over[6];
};

static wl_secret_finder *const finders[] = { wl_secret_find_key, wl_secret_find_pem,
					     wl_secret_find_url, wl_secret_find_header,
					     find_assignment,    find_next_word };

/* The first secret at or behind from; of several the longest. */
static struct wl_secret_span find(struct search *s, const char *from)
{
	struct wl_secret_span best = nothing;

	for (size_t i = 0; i < WL_COUNT(finders); i++) {
		struct wl_secret_span *next = &s->next[i];

		if (!s->is_over[i] && (!next->at || next->at < from)) {
			*next = finders[i](s->text, from, s->level);
			s->is_over[i] = !next->at;
		}
		if (!s->is_over[i] &&
		    (!best.at || next->at < best.at || (next->at == best.at && next->n > best.n)))
			best = *next;
	}
	return best;
}

enum wl_secret_sign wl_secret_sign_in(const char *text, enum wl_secret_level level)
{
	/* In this order: a key under a name is called a key. */
	for (size_t i = 0; i < WL_COUNT(finders); i++) {
		struct wl_secret_span span = finders[i](text, text, level);

		if (span.at)
			return span.sign;
	}
	return WL_SECRET_NONE;
}

enum wl_secret_sign wl_secret_sign_of(const char *name, const char *value,
				      enum wl_secret_level level)
{
	if (wl_secret_is_value(wl_secret_name_of(name, strlen(name), level), level, value,
			       strlen(value)))
		return WL_SECRET_BY_NAME;
	return wl_secret_sign_in(value, level);
}

const char *wl_secret_sign_text(enum wl_secret_sign sign)
{
	static const char *const texts[] = {
		[WL_SECRET_NONE] = "no secret",
		[WL_SECRET_BY_NAME] = "a secret by its name",
		[WL_SECRET_KEY] = "the key of a service",
		[WL_SECRET_JWT] = "a token of a web service",
		[WL_SECRET_PRIVATE_KEY] = "a private key",
		[WL_SECRET_URL] = "a URL with a secret",
	};

	return texts[sign];
}

enum wl_secret_name wl_secret_open_name(const char *argument)
{
	size_t n = strlen(argument), at;

	while (n > 0 && strchr(blanks, argument[n - 1]))
		n--;
	for (at = n; at > 0 && !strchr(blanks, argument[at - 1]);)
		at--;
	return option_name(argument + at, n - at, WL_SECRET_MAYBE);
}

/* Bytes from..end, with one blank for white space and none at the beginning of all. */
static char *put_plain(char *to, const char *start, const char *from, const char *end)
{
	for (; from < end; from++) {
		if (!strchr(blanks, *from))
			*to++ = *from;
		else if (to > start && to[-1] != ' ')
			*to++ = ' ';
	}
	return to;
}

char *wl_secrets_mask(const char *argument, char *to, enum wl_secret_name *next)
{
	struct search search = { .text = argument, .level = WL_SECRET_MAYBE };
	const char *start = to, *from = argument, *end = argument + strlen(argument);
	const enum wl_secret_name before = *next;

	if (from == end) {
		*to = '\0';
		return to;
	}
	*next = wl_secret_open_name(argument);
	if (before != WL_SECRET_NO_NAME && !wl_secret_is_option(argument)) {
		struct wl_secret_span s =
			secret_of(before, WL_SECRET_MAYBE, argument, (size_t)(end - argument));

		if (s.at) {
			*next = WL_SECRET_NO_NAME;
			return stpcpy(put_plain(to, start, argument, s.at), mask);
		}
	}
	for (struct wl_secret_span s = find(&search, from); s.at; s = find(&search, from)) {
		to = put_plain(to, start, from, s.at);
		to = stpcpy(to, mask);
		from = s.at + s.n;
	}
	to = put_plain(to, start, from, end);
	while (to > start && to[-1] == ' ')
		to--;
	*to = '\0';
	return to;
}
