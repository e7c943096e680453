/* SPDX-License-Identifier: MIT */
/*
 * secret_signs.c - names and shapes of secrets.
 *
 * A name is strong if whatever it holds is secret (password, api key), or weak if people use it for
 * other things as well (token, key): a weak one needs a value that looks random. Names that end in
 * a word such as "file" or "length" speak about a secret and do not hold it.
 */
#include "known/secret_signs.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/attr.h"

enum { NAME_CAP = 128 };

static const char key_chars[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.";
static const char letters_and_digits[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/* Where a name, without its separators, has one of these. */
static const char *const strong[] = { "password",   "passwd",    "passphrase", "secret",
				      "apikey",     "accesskey", "privatekey", "authkey",
				      "credential", "authtoken", "accesstoken" };

/* The last part of names that are about a secret. */
static const char *const about[] = { "file", "path", "dir",   "name",   "id",   "type",  "len",
				     "size", "url",  "count", "length", "mode", "class", "field",
				     "env",  "sock", "limit", "store",  "fd",   "index", "ids" };

/* Texts that no one takes for a password. */
static const char *const plain[] = { "true", "false", "none", "null",    "yes", "no",
				     "on",   "off",   "auto", "default", "***", "" };

/* What follows the beginning of a key, where words with dashes may begin the same. */
enum tail {
	ANY,   /* any characters of keys */
	PLAIN, /* letters and digits alone */
	MIXED, /* with a run of 16 letters and digits that has all three kinds */
};

/* How keys begin, and how many characters follow at least. */
static const struct {
	const char *begin;
	size_t least;
	enum tail tail;
} keys[] = {
	{ "hf_", 30, PLAIN },  /* Hugging Face */
	{ "sk-", 20, MIXED },  /* OpenAI, Anthropic and others */
	{ "ghp_", 30, PLAIN }, /* GitHub, with those to github_pat_ */
	{ "gho_", 30, PLAIN },      { "ghu_", 30, PLAIN },
	{ "ghs_", 30, PLAIN },      { "ghr_", 30, PLAIN },
	{ "github_pat_", 22, ANY }, { "glpat-", 20, ANY }, /* GitLab */
	{ "AIza", 35, ANY },                               /* Google */
	{ "nvapi-", 20, ANY },                             /* NVIDIA */
	{ "npm_", 36, PLAIN },      { "dckr_pat_", 20, ANY },
	{ "xoxb-", 20, ANY }, /* Slack, with the next two */
	{ "xoxp-", 20, ANY },       { "xoxa-", 20, ANY },
};

static bool is_one_of(const char *text, size_t n, const char *const *list, size_t n_list)
{
	for (size_t i = 0; i < n_list; i++)
		if (strlen(list[i]) == n && strncasecmp(text, list[i], n) == 0)
			return true;
	return false;
}

/* Small letters and digits alone: "--hf-token" and "HF_TOKEN" are "hftoken". False if too long. */
static bool squeeze(const char *name, size_t n, char ret[NAME_CAP])
{
	size_t used = 0;

	for (size_t i = 0; i < n; i++) {
		if (!isalnum((unsigned char)name[i]))
			continue;
		if (used == NAME_CAP - 1)
			return false;
		ret[used++] = (char)tolower((unsigned char)name[i]);
	}
	ret[used] = '\0';
	return true;
}

static bool is_about(const char *name, size_t n)
{
	size_t at = n;

	while (at > 0 && isalnum((unsigned char)name[at - 1]))
		at--;
	return at > 0 && is_one_of(name + at, n - at, about, WL_COUNT(about));
}

static bool ends_in(const char *text, const char *ending)
{
	size_t n = strlen(text), m = strlen(ending);

	return n >= m && strcmp(text + n - m, ending) == 0;
}

enum strength { NOT_A_NAME, WEAK, STRONG };

static enum strength strength_of(const char *name, size_t n)
{
	char squeezed[NAME_CAP];
	const char *token;

	if (!squeeze(name, n, squeezed) || is_about(name, n))
		return NOT_A_NAME;
	for (size_t i = 0; i < WL_COUNT(strong); i++)
		if (strstr(squeezed, strong[i]))
			return STRONG;
	token = strstr(squeezed, "token");
	if (token && strncmp(token, "tokeniz", 7) != 0)
		return WEAK;
	/* Images of Python have a fingerprint in GPG_KEY, which is public. */
	if (ends_in(squeezed, "key") && strcmp(squeezed, "gpgkey") != 0)
		return WEAK;
	return ends_in(squeezed, "auth") || ends_in(squeezed, "authorization") ? WEAK : NOT_A_NAME;
}

/* What leads to a value and is none: a variable, a path, a template. */
static bool is_reference(const char *value, size_t n)
{
	return strchr("$/~<{[", value[0]) != NULL || (n > 1 && value[0] == '.') ||
	       (n > 7 && strncmp(value, "file://", 7) == 0);
}

static bool has_kinds(const char *text, size_t n, bool *ret_letter, bool *ret_mixed)
{
	bool upper = false, lower = false, digit = false;

	for (size_t i = 0; i < n; i++) {
		upper = upper || isupper((unsigned char)text[i]);
		lower = lower || islower((unsigned char)text[i]);
		digit = digit || isdigit((unsigned char)text[i]);
	}
	*ret_letter = upper || lower;
	*ret_mixed = upper && lower && digit;
	return digit;
}

/* Long enough, of letters and digits: no word and no number. */
static bool looks_random(const char *value, size_t n)
{
	enum { SHORTEST = 16 };
	bool letter, mixed;

	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)value[i]) && !strchr("_-.+=~", value[i]))
			return false;
	return n >= SHORTEST && has_kinds(value, n, &letter, &mixed) && letter;
}

static bool is_secret_value(enum strength strength, const char *value, size_t n)
{
	bool letter, mixed;

	if (strength == NOT_A_NAME || n == 0 || is_reference(value, n))
		return false;
	if (strength == WEAK)
		return looks_random(value, n);
	if (is_one_of(value, n, plain, WL_COUNT(plain)))
		return false;
	return n > 3 || !has_kinds(value, n, &letter, &mixed) || letter;
}

/* A run of 16 letters and digits that has all three kinds. */
static bool has_mixed_run(const char *text, size_t n)
{
	enum { RUN = 16 };
	size_t at = 0;

	while (at < n) {
		size_t run = strspn(text + at, letters_and_digits);
		bool letter, mixed;

		run = run < n - at ? run : n - at;
		(void)has_kinds(text + at, run, &letter, &mixed);
		if (run >= RUN && mixed)
			return true;
		at += run + 1;
	}
	return false;
}

/* AKIA or ASIA and 16 capital letters and digits. */
static bool is_aws_key(const char *word, size_t n)
{
	return n == 20 && (strncmp(word, "AKIA", 4) == 0 || strncmp(word, "ASIA", 4) == 0) &&
	       strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") >= n;
}

/* Three parts with dots between, of which two are JSON in base64. */
static bool is_jwt(const char *word, size_t n)
{
	enum { SHORTEST_PART = 10 };
	const char *dot = memchr(word, '.', n), *last;

	if (strncmp(word, "eyJ", 3) != 0 || !dot || dot - word < SHORTEST_PART ||
	    strncmp(dot + 1, "eyJ", 3) != 0)
		return false;
	last = memchr(dot + 1, '.', n - (size_t)(dot + 1 - word));
	return last && last - dot > SHORTEST_PART;
}

static bool fits(const char *text, size_t n, enum tail tail)
{
	switch (tail) {
	case PLAIN:
		return strspn(text, letters_and_digits) >= n;
	case MIXED:
		return has_mixed_run(text, n);
	case ANY:
		break;
	}
	return !memchr(text, '.', n);
}

/* A run of characters of keys, n bytes of a longer text. */
static enum wl_secret_sign sign_of_word(const char *word, size_t n)
{
	if (is_aws_key(word, n))
		return WL_SECRET_KEY;
	if (is_jwt(word, n))
		return WL_SECRET_JWT;
	for (size_t i = 0; i < WL_COUNT(keys); i++) {
		size_t begin = strlen(keys[i].begin);

		if (n >= begin + keys[i].least && strncmp(word, keys[i].begin, begin) == 0 &&
		    fits(word + begin, n - begin, keys[i].tail))
			return WL_SECRET_KEY;
	}
	return WL_SECRET_NONE;
}

static enum wl_secret_sign sign_of_words(const char *text)
{
	enum wl_secret_sign sign = WL_SECRET_NONE;

	while (sign == WL_SECRET_NONE && *text) {
		size_t n = strspn(text, key_chars);

		sign = n ? sign_of_word(text, n) : WL_SECRET_NONE;
		if (n == 0)
			n = 1;
		text += n;
	}
	return sign;
}

/* user:password@ before the first slash of a URL. */
static bool has_password(const char *text)
{
	for (const char *at = strstr(text, "://"); at; at = strstr(at, "://")) {
		const char *colon, *sign;
		size_t n;

		at += 3;
		n = strcspn(at, "/ \t\n\"'?#");
		sign = memchr(at, '@', n);
		colon = sign ? memchr(at, ':', (size_t)(sign - at)) : NULL;
		if (colon && sign - colon > 1 && colon[1] != '$' && colon[1] != '*')
			return true;
	}
	return false;
}

static bool has_private_key(const char *text)
{
	const char *begin = strstr(text, "-----BEGIN "), *end;

	end = begin ? strstr(begin, "PRIVATE KEY-----") : NULL;
	return end && end - begin < 64;
}

static bool has_bearer(const char *text)
{
	const char *at = strcasestr(text, "bearer ");

	return at && looks_random(at + 7, strcspn(at + 7, " \t\n\"'"));
}

/* The name that ends before this place, without a quote; NULL if there is none. */
static const char *name_before(const char *text, const char *end, size_t *ret_n)
{
	const char *at = end;

	while (at > text && (isalnum((unsigned char)at[-1]) || strchr("_-.", at[-1])))
		at--;
	*ret_n = (size_t)(end - at);
	return at < end ? at : NULL;
}

/* NAME=VALUE and "NAME": VALUE, wherever they are. */
static bool has_assignment(const char *text)
{
	for (const char *at = strpbrk(text, "=:"); at; at = strpbrk(at + 1, "=:")) {
		bool quoted = at > text && (at[-1] == '"' || at[-1] == '\'');
		const char *value = at + 1, *name;
		size_t n_name, n_value;

		name = name_before(text, quoted ? at - 1 : at, &n_name);
		if (!name || (*at == ':' && !quoted))
			continue;
		if (*at == ':')
			value += strspn(value, " ");
		value += *value == '"' || *value == '\'';
		n_value = strcspn(value, " \t\n\"';&,}");
		if (is_secret_value(strength_of(name, n_name), value, n_value))
			return true;
	}
	return false;
}

enum wl_secret_sign wl_secret_sign_in(const char *text)
{
	enum wl_secret_sign sign = sign_of_words(text);

	if (sign != WL_SECRET_NONE)
		return sign;
	if (has_private_key(text))
		return WL_SECRET_PRIVATE_KEY;
	if (has_password(text))
		return WL_SECRET_URL;
	if (has_bearer(text))
		return WL_SECRET_JWT;
	return has_assignment(text) ? WL_SECRET_BY_NAME : WL_SECRET_NONE;
}

enum wl_secret_sign wl_secret_sign_of(const char *name, const char *value)
{
	enum strength strength = strength_of(name, strlen(name));

	if (is_secret_value(strength, value, strlen(value)))
		return WL_SECRET_BY_NAME;
	return wl_secret_sign_in(value);
}

bool wl_secret_is_name(const char *name)
{
	return strength_of(name, strlen(name)) != NOT_A_NAME;
}

const char *wl_secret_sign_text(enum wl_secret_sign sign)
{
	static const char *const texts[] = {
		[WL_SECRET_NONE] = "no secret",
		[WL_SECRET_BY_NAME] = "a secret by its name",
		[WL_SECRET_KEY] = "the key of a service",
		[WL_SECRET_JWT] = "a token of a web service",
		[WL_SECRET_PRIVATE_KEY] = "a private key",
		[WL_SECRET_URL] = "a URL with a password",
	};

	return texts[sign];
}
