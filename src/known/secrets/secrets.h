/* SPDX-License-Identifier: MIT */
/*
 * secrets.h - finds secrets in command lines, variables and texts, by names and by shapes.
 *
 * There is one detector with two levels. A refusal of a command line must be right:
 * "--max-tokens 512", "--eos-token </s>" and "--sort-key loss" pass. A mask may hide a
 * word too many: the value of "--hf-token" need not look random.
 */
#ifndef WL_KNOWN_SECRETS_H
#define WL_KNOWN_SECRETS_H

#include <stdbool.h>
#include <stddef.h>

enum wl_secret_level { WL_SECRET_MAYBE, WL_SECRET_SURELY };

enum wl_secret_sign {
	WL_SECRET_NONE,
	WL_SECRET_BY_NAME,     /* the name says so: HF_TOKEN=..., --password ... */
	WL_SECRET_KEY,         /* the shape of a service's key: hf_..., sk-..., AKIA... */
	WL_SECRET_JWT,         /* a JSON web token, or what follows "Bearer" */
	WL_SECRET_PRIVATE_KEY, /* the header of a private key in PEM */
	WL_SECRET_URL,         /* a password, a token or a webhook in a URL */
};

/* What a name says of its value: any is secret, or one that looks like it, or what follows "me:".
 */
enum wl_secret_name {
	WL_SECRET_NO_NAME,
	WL_SECRET_WEAK_NAME,
	WL_SECRET_STRONG_NAME,
	WL_SECRET_USER_NAME,
};

enum wl_secret_name wl_secret_name_of(const char *name, size_t n, enum wl_secret_level level);

/* The value of an option or a variable of this name. Its own text is looked through as well. */
enum wl_secret_sign wl_secret_sign_of(const char *name, const char *value,
				      enum wl_secret_level level);

/* Any text: an argument with NAME=VALUE in it, a line for a shell, JSON. */
enum wl_secret_sign wl_secret_sign_in(const char *text, enum wl_secret_level level);

/* Whether this argument is an option, and so not the value of the one before it. */
bool wl_secret_is_option(const char *argument);

/* The name that an argument leaves open: "--hf-token" has its value in the next one. */
enum wl_secret_name wl_secret_open_name(const char *argument);

/* "the name of a secret", "a key of a service"; not for NONE. */
const char *wl_secret_sign_text(enum wl_secret_sign sign);

/*
 * Write an argument with each secret replaced by "***". White space becomes one blank. *next,
 * WL_SECRET_NO_NAME before the first argument: the name before this argument, whose value it is.
 * Needs room for WL_MASKED_SIZE(strlen(argument)) bytes; returns where the text ends.
 */
char *wl_secrets_mask(const char *argument, char *to, enum wl_secret_name *next);

/* A word of one byte may become three. */
#define WL_MASKED_SIZE(length) (3 * (length) + 1)

#endif
