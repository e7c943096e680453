/* SPDX-License-Identifier: MIT */
/*
 * secret_signs.h - finds secrets in a text, by names and by shapes.
 *
 * Unlike known/secrets.h, which masks whatever may be one, this refuses people their command line,
 * so it must be right: "--max-tokens 512", "--eos-token </s>" and "--sort-key loss" are none.
 */
#ifndef WL_KNOWN_SECRET_SIGNS_H
#define WL_KNOWN_SECRET_SIGNS_H

#include <stdbool.h>
#include <stddef.h>

enum wl_secret_sign {
	WL_SECRET_NONE,
	WL_SECRET_BY_NAME,     /* the name says so: HF_TOKEN=..., --password ... */
	WL_SECRET_KEY,         /* the shape of a service's key: hf_..., sk-..., AKIA... */
	WL_SECRET_JWT,         /* a JSON web token, or what follows "Bearer" */
	WL_SECRET_PRIVATE_KEY, /* the header of a private key in PEM */
	WL_SECRET_URL,         /* a password in a URL */
};

/* The value of an option or a variable of this name. Its own text is looked through as well. */
enum wl_secret_sign wl_secret_sign_of(const char *name, const char *value);

/* Any text: an argument with NAME=VALUE in it, a line for a shell, JSON. */
enum wl_secret_sign wl_secret_sign_in(const char *text);

/* The name says that its value is a secret: "--hf-token" without a value asks for the next word. */
bool wl_secret_is_name(const char *name);

/* "the name of a secret", "a key of a service"; not for NONE. */
const char *wl_secret_sign_text(enum wl_secret_sign sign);

#endif
