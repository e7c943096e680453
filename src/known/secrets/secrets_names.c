/* SPDX-License-Identifier: MIT */
/*
 * secrets_names.c - names whose values are secrets, and values that are not.
 *
 * A name is strong if whatever it holds is secret (password, api key), or weak if people use it for
 * other things as well (token, key). Names that end in a word such as "file" or "length" speak
 * about a secret and do not hold it.
 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/attr.h"
#include "known/secrets/secrets_parts.h"

enum { NAME_CAP = 128 };

/* Where a name, without its separators, has one of these. */
static const char *const strong[] = { "password",   "passwd",    "passphrase",  "secret",
				      "apikey",     "accesskey", "privatekey",  "authkey",
				      "credential", "authtoken", "accesstoken", "apitoken" };

/* The last part of a name that is strong; PWD alone is a directory. */
static const char *const strong_parts[] = { "pwd", "creds", "cred", "sshpass", "passcode", "jwt" };

/* The last part of a name that is weak. */
static const char *const weak_parts[] = { "token", "tokens",        "key",  "keys",
					  "auth",  "authorization", "pass", "bearer" };

/* The last part of names that are about a secret. */
static const char *const about[] = { "file", "path", "dir",   "name",   "id",   "type",  "len",
				     "size", "url",  "count", "length", "mode", "class", "field",
				     "env",  "sock", "limit", "store",  "fd",   "index", "ids" };

/* Parts of names of tokens of a text and of keys of a table. */
static const char *const spoken[] = { "max",     "min",     "num",     "eos",       "bos",
				      "pad",     "unk",     "mask",    "sep",       "cls",
				      "new",     "stop",    "special", "image",     "batched",
				      "context", "per",     "sort",    "group",     "cache",
				      "order",   "primary", "foreign", "partition", "gpg",
				      "public",  "forward", "backward" };

/* Texts that no one takes for a password. */
static const char *const plain[] = { "true", "false", "none", "null",    "yes", "no",
				     "on",   "off",   "auto", "default", "***", "" };

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

/* A part ends before what is no letter or digit, and before a capital behind a small letter. */
static size_t part_length(const char *name, size_t n)
{
	size_t i = 0;

	while (i < n && isalnum((unsigned char)name[i]) &&
	       (i == 0 || !isupper((unsigned char)name[i]) || !islower((unsigned char)name[i - 1])))
		i++;
	return i;
}

/* Where the last part begins; *ret_spoken: one of those before it is in spoken. */
static size_t last_part(const char *name, size_t n, bool *ret_spoken)
{
	size_t last = n;

	*ret_spoken = false;
	for (size_t at = 0; at < n;) {
		size_t length = part_length(name + at, n - at);

		if (length) {
			last = at;
			*ret_spoken = *ret_spoken ||
				      is_one_of(name + at, length, spoken, WL_COUNT(spoken));
		}
		at += length ? length : 1;
	}
	return last;
}

static bool is_capital(const char *name, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (islower((unsigned char)name[i]))
			return false;
	return true;
}

/* Where people must be stopped, a token anywhere in a name is weak: the value must look random. */
static enum wl_secret_name weak_name(const char *squeezed, bool is_last, bool is_spoken,
				     enum wl_secret_level level)
{
	const char *token = strstr(squeezed, "token");

	if (is_last && !is_spoken)
		return WL_SECRET_WEAK_NAME;
	if (level == WL_SECRET_MAYBE || strcmp(squeezed, "gpgkey") == 0)
		return WL_SECRET_NO_NAME;
	return is_last || (token && strncmp(token, "tokeniz", 7) != 0) ? WL_SECRET_WEAK_NAME
								       : WL_SECRET_NO_NAME;
}

static bool has_prefix(const char *name, size_t n, const char *prefix)
{
	return n > strlen(prefix) && strncmp(name, prefix, strlen(prefix)) == 0;
}

static enum wl_secret_name plain_name(const char *name, size_t n, enum wl_secret_level level)
{
	char squeezed[NAME_CAP];
	bool is_spoken;
	size_t last = last_part(name, n, &is_spoken), length = part_length(name + last, n - last);

	if (!squeeze(name, n, squeezed))
		return WL_SECRET_NO_NAME;
	if (level == WL_SECRET_MAYBE && strstr(squeezed, "accesskeyid"))
		return WL_SECRET_STRONG_NAME;
	if (last > 0 && is_one_of(name + last, length, about, WL_COUNT(about)))
		return WL_SECRET_NO_NAME;
	for (size_t i = 0; i < WL_COUNT(strong); i++)
		if (strstr(squeezed, strong[i]))
			return WL_SECRET_STRONG_NAME;
	if (is_one_of(name + last, length, strong_parts, WL_COUNT(strong_parts)) &&
	    (n != 3 || strncmp(name, "PWD", n) != 0))
		return WL_SECRET_STRONG_NAME;
	/* VAULT_PASS is a variable; --pass may be that of a compiler. */
	if (last > 0 && is_one_of(name + last, length, &(const char *){ "pass" }, 1) &&
	    is_capital(name, n))
		return WL_SECRET_STRONG_NAME;
	return weak_name(squeezed, is_one_of(name + last, length, weak_parts, WL_COUNT(weak_parts)),
			 is_spoken, level);
}

/*
 * Inputs of Terraform: passwords come this way, and so does the name of a region. What the name
 * behind the prefix says counts; without one, the value must look random.
 */
static enum wl_secret_name terraform_input(const char *name, size_t n, enum wl_secret_level level)
{
	enum { PREFIX = 7 };

	if (level == WL_SECRET_MAYBE)
		return WL_SECRET_STRONG_NAME;
	return plain_name(name + PREFIX, n - PREFIX, level) == WL_SECRET_NO_NAME
		       ? WL_SECRET_WEAK_NAME
		       : WL_SECRET_STRONG_NAME;
}

enum wl_secret_name wl_secret_name_of(const char *name, size_t n, enum wl_secret_level level)
{
	if (has_prefix(name, n, "TF_TOKEN_"))
		return WL_SECRET_STRONG_NAME;
	return has_prefix(name, n, "TF_VAR_") ? terraform_input(name, n, level)
					      : plain_name(name, n, level);
}

bool wl_secret_has_kinds(const char *text, size_t n, bool *ret_letter, bool *ret_mixed)
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
bool wl_secret_looks_random(const char *value, size_t n)
{
	enum { SHORTEST = 16 };
	bool letter, mixed;

	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)value[i]) && !strchr("_-.+=~", value[i]))
			return false;
	return n >= SHORTEST && wl_secret_has_kinds(value, n, &letter, &mixed) && letter;
}

/* What leads to a value and is none: a variable, a path, a template. */
static bool is_reference(const char *value, size_t n)
{
	return strchr("$/~<{[", value[0]) != NULL || (n > 1 && value[0] == '.') ||
	       (n > 7 && strncmp(value, "file://", 7) == 0);
}

static bool is_number(const char *value, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isdigit((unsigned char)value[i]) && !strchr("+-.,_eEkKmMgG", value[i]))
			return false;
	return true;
}

bool wl_secret_is_value(enum wl_secret_name name, enum wl_secret_level level, const char *value,
			size_t n)
{
	bool letter, mixed;

	if (name == WL_SECRET_NO_NAME || n == 0 || is_one_of(value, n, plain, WL_COUNT(plain)))
		return false;
	/* A password may begin with a slash. */
	if (level == WL_SECRET_MAYBE && name == WL_SECRET_STRONG_NAME)
		return value[0] != '$' && value[0] != '<' && strncmp(value, "file://", 7) != 0;
	if (is_reference(value, n))
		return false;
	if (level == WL_SECRET_MAYBE)
		return !is_number(value, n);
	if (name == WL_SECRET_WEAK_NAME)
		return wl_secret_looks_random(value, n);
	return n > 3 || !wl_secret_has_kinds(value, n, &letter, &mixed) || letter;
}
