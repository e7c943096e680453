/* SPDX-License-Identifier: MIT */
#include "capture/runs/refuse_secrets.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/text/clean.h"
#include "known/secrets/secrets.h"

enum { NAME_CAP = 64, MAX_NAMED = 4 };

static bool is_allowed(const char *const *allowed, const char *where)
{
	for (size_t i = 0; allowed && allowed[i]; i++)
		if (strcmp(allowed[i], where) == 0)
			return true;
	return false;
}

/* The name of an option or a variable: up to "=", cut, and of ASCII nothing but what names have. */
static void put_name(const char *text, char ret[NAME_CAP])
{
	wl_clean_copy(ret, NAME_CAP, text, strcspn(text, "="));
	for (char *c = ret; *c; c++) {
		bool is_ascii = (unsigned char)*c < 0x80;

		if (is_ascii && !isalnum((unsigned char)*c) && !strchr("_-.", *c))
			*c = '?';
	}
}

/* An option is a dash and letters; the text before "=" of anything else may be a secret. */
static bool is_option(const char *word)
{
	size_t n = strcspn(word, "=");

	return word[0] == '-' && n > 1 &&
	       strspn(word, "-_.abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") >=
		       n &&
	       n < NAME_CAP;
}

static int refuse_argument(const char *number, const char *option, enum wl_secret_sign sign,
			   struct wl_err *reterr)
{
	return wl_fail(
		reterr, WL_E_USAGE,
		"argument %s of the program%s%s is %s, and reports hold the command line; let "
		"the program read it from a file, or take --allow-secret %s to record it",
		number, *option ? ", of " : "", option, wl_secret_sign_text(sign),
		*option ? option : number);
}

/* The argument is the value of an option before it that has the name of a secret. */
static bool is_value_of(const char *const *argv, size_t i)
{
	const char *before = i > 0 ? argv[i - 1] : "";

	return is_option(before) && !strchr(before, '=') &&
	       wl_secret_name_of(before, strlen(before), WL_SECRET_SURELY) != WL_SECRET_NO_NAME &&
	       !wl_secret_is_option(argv[i]);
}

static enum wl_secret_sign sign_of(const char *const *argv, size_t i)
{
	return is_value_of(argv, i) ? wl_secret_sign_of(argv[i - 1], argv[i], WL_SECRET_SURELY)
				    : wl_secret_sign_in(argv[i], WL_SECRET_SURELY);
}

static int check_argument(const char *const *argv, size_t i, const char *const *allowed,
			  struct wl_err *reterr)
{
	enum wl_secret_sign sign = sign_of(argv, i);
	char option[NAME_CAP] = "", number[24];

	if (sign == WL_SECRET_NONE)
		return WL_OK;
	if (is_value_of(argv, i))
		put_name(argv[i - 1], option);
	else if (is_option(argv[i]) && strchr(argv[i], '='))
		put_name(argv[i], option);
	(void)snprintf(number, sizeof(number), "%zu", i + 1);
	if (is_allowed(allowed, number) || (*option && is_allowed(allowed, option)))
		return WL_OK;
	return refuse_argument(number, option, sign, reterr);
}

static bool is_secret_variable(const char *assignment, const char *const *allowed,
			       char ret_name[NAME_CAP])
{
	const char *equals = strchr(assignment, '=');

	put_name(assignment, ret_name);
	return equals &&
	       wl_secret_sign_of(ret_name, equals + 1, WL_SECRET_SURELY) != WL_SECRET_NONE &&
	       !is_allowed(allowed, ret_name);
}

/* All of them in one message: who takes one out would only meet the next. */
static int check_env(const char *const *env, const char *const *allowed, struct wl_err *reterr)
{
	char names[MAX_NAMED * (NAME_CAP + 8)] = "", unset[sizeof(names)] = "", name[NAME_CAP];
	size_t n = 0;

	for (size_t i = 0; env && env[i]; i++) {
		size_t used = strlen(names), used_unset = strlen(unset);

		if (!is_secret_variable(env[i], allowed, name) || n++ >= MAX_NAMED)
			continue;
		(void)snprintf(names + used, sizeof(names) - used, "%s%s", used ? ", " : "", name);
		(void)snprintf(unset + used_unset, sizeof(unset) - used_unset, " -u %s", name);
	}
	if (n == 0)
		return WL_OK;
	return wl_fail(
		reterr, WL_E_USAGE,
		"the environment has secrets (%s%s), and reports hold the environment; begin "
		"the line with \"env%s\", or take --allow-secret NAME to record one",
		names, n > MAX_NAMED ? " and more" : "", unset);
}

int wl_refuse_secrets(const char *const *argv, const char *const *env, const char *const *allowed,
		      struct wl_err *reterr)
{
	for (size_t i = 0; argv[i]; i++) {
		int r = check_argument(argv, i, allowed, reterr);

		if (r < 0)
			return r;
	}
	return check_env(env, allowed, reterr);
}

/* A masked copy; "***" alone where the value would still be seen. NULL without memory. */
static const char *mask(const char *argument, struct wl_arena *arena)
{
	char *text = WL_NEW(arena, char, WL_MASKED_SIZE(strlen(argument)));
	enum wl_secret_name next = WL_SECRET_NO_NAME;

	if (!text)
		return NULL;
	(void)wl_secrets_mask(argument, text, &next);
	return wl_secret_sign_in(text, WL_SECRET_SURELY) == WL_SECRET_NONE && strstr(text, "***")
		       ? text
		       : "***";
}

const char *const *wl_mask_secrets(const char *const *argv, struct wl_arena *arena)
{
	const char **list;
	size_t n = 0;

	while (argv[n])
		n++;
	list = WL_NEW(arena, const char *, n + 1);
	for (size_t i = 0; list && i < n; i++) {
		list[i] = sign_of(argv, i) == WL_SECRET_NONE ? argv[i]
			  : is_value_of(argv, i)             ? "***"
							     : mask(argv[i], arena);
		if (!list[i])
			return NULL;
	}
	return list;
}
