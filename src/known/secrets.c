/* SPDX-License-Identifier: MIT */
#include "known/secrets.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/attr.h"

static const char mask[] = "***";

/* Parts of a name that say what its value is. "key" does so only at the end: --key-dim is not a
 * secret. */
static const char *const telling[] = { "token",      "secret",      "password", "passwd",
				       "credential", "credentials", "apikey",   "auth" };

/* How keys of Hugging Face, OpenAI, GitHub, GitLab, AWS and Slack begin. */
static const char *const beginnings[] = { "hf_",    "sk-",  "ghp_",  "github_pat_",
					  "glpat-", "AKIA", "xoxb-", "xoxp-" };

static bool is_space(char c)
{
	return isspace((unsigned char)c) != 0;
}

static bool is(const char *part, size_t n, const char *word)
{
	return strlen(word) == n && strncasecmp(part, word, n) == 0;
}

/* The name is n bytes long; "--hf-token" and "HF_TOKEN" have the same parts. */
static bool name_tells(const char *name, size_t n)
{
	static const char between[] = "-_.'\"";
	size_t at = 0;

	while (at < n) {
		size_t length = 0;

		while (at + length < n && !strchr(between, name[at + length]))
			length++;
		for (size_t i = 0; i < WL_COUNT(telling); i++)
			if (is(name + at, length, telling[i]))
				return true;
		if (at + length == n && is(name + at, length, "key"))
			return true;
		at += length + 1;
	}
	return false;
}

static bool begins_like_a_key(const char *word, size_t n)
{
	/* Shorter words are names: "sk-learn". */
	enum { SHORTEST = 16 };

	for (size_t i = 0; n >= SHORTEST && i < WL_COUNT(beginnings); i++)
		if (strncmp(word, beginnings[i], strlen(beginnings[i])) == 0)
			return true;
	return false;
}

static char *put(char *to, const char *text, size_t n)
{
	memcpy(to, text, n);
	return to + n;
}

static char *put_mask(char *to)
{
	return put(to, mask, strlen(mask));
}

/* The password within a URL of n bytes; NULL without one. *ret_n: its length. */
static const char *password_of(const char *url, size_t n, size_t *ret_n)
{
	const char *end = url + n, *host = memmem(url, n, "://", 3), *path, *at, *colon;

	if (!host)
		return NULL;
	host += 3;
	path = memchr(host, '/', (size_t)(end - host));
	at = memchr(host, '@', (size_t)((path ? path : end) - host));
	colon = at ? memchr(host, ':', (size_t)(at - host)) : NULL;
	if (!colon)
		return NULL;
	*ret_n = (size_t)(at - colon - 1);
	return colon + 1;
}

/* A value as it is, a key as the mask, a URL without its password. */
static char *put_value(char *to, const char *value, size_t n)
{
	size_t length = 0;
	const char *password = password_of(value, n, &length), *rest;

	if (begins_like_a_key(value, n))
		return put_mask(to);
	if (!password)
		return put(to, value, n);
	rest = password + length;
	to = put(to, value, (size_t)(password - value));
	to = put_mask(to);
	return put(to, rest, n - (size_t)(rest - value));
}

/* Where the name of NAME=VALUE ends; NULL if the word is not of that form. A URL may have a "=",
 * too. */
static const char *end_of_name(const char *word, size_t n)
{
	size_t i = 0;

	while (i < n && (isalnum((unsigned char)word[i]) || strchr("-_.'\"", word[i])))
		i++;
	return i < n && word[i] == '=' ? word + i : NULL;
}

/* Returns where the text ends. *is_next: the word is the value of the name before it. */
static char *put_word(char *to, const char *word, size_t n, bool *is_next)
{
	const char *equals = end_of_name(word, n);
	size_t name = equals ? (size_t)(equals - word) : n;
	bool is_value = *is_next && word[0] != '-';

	*is_next = !equals && word[0] == '-' && name_tells(word, n);
	if (is_value)
		return put_mask(to);
	if (!equals)
		return put_value(to, word, n);
	to = put(to, word, name + 1);
	if (n > name + 1 && name_tells(word, name))
		return put_mask(to);
	return put_value(to, equals + 1, n - name - 1);
}

/* A value may have blanks: "--password=a b" in one argument. Returns where the value begins. */
static const char *value_of_all(const char *argument)
{
	const char *equals = argument[0] == '-' ? end_of_name(argument, strlen(argument)) : NULL;

	return equals && name_tells(argument, (size_t)(equals - argument)) ? equals + 1 : NULL;
}

char *wl_secrets_mask(const char *argument, char *to, bool *is_next)
{
	const char *start = to, *value = value_of_all(argument);
	bool is_value = *is_next && argument[0] != '-';

	*is_next = *is_next && argument[0] == '\0';
	if (value && *value) {
		to = put_mask(put(to, argument, (size_t)(value - argument)));
		argument = "";
	} else if (is_value && argument[0]) {
		to = put_mask(to);
		argument = "";
	}
	for (;;) {
		size_t n = 0;

		while (is_space(*argument))
			argument++;
		while (argument[n] && !is_space(argument[n]))
			n++;
		if (n == 0)
			break;
		if (to > start)
			*to++ = ' ';
		to = put_word(to, argument, n, is_next);
		argument += n;
	}
	*to = '\0';
	return to;
}
