/* SPDX-License-Identifier: MIT */
/* secrets_parts.h - what the parts of the detector of secrets share; for src/known/secrets*.c only.
 */
#ifndef WL_KNOWN_SECRETS_PARTS_H
#define WL_KNOWN_SECRETS_PARTS_H

#include "known/secrets/secrets.h"

/* A place in a text. */
struct wl_secret_span {
	const char *at; /* NULL: none */
	size_t n;
	enum wl_secret_sign sign;
};

/* Whether n > 0 bytes are a secret as the value of such a name. */
bool wl_secret_is_value(enum wl_secret_name name, enum wl_secret_level level, const char *value,
			size_t n);

/* Digits? Also whether there are letters, and capitals, small letters and digits. */
bool wl_secret_has_kinds(const char *text, size_t n, bool *ret_letter, bool *ret_mixed);
bool wl_secret_looks_random(const char *value, size_t n);

/* The first secret of a kind at or behind from, which is a place of text. */
typedef struct wl_secret_span wl_secret_finder(const char *text, const char *from,
					       enum wl_secret_level level);
wl_secret_finder wl_secret_find_key;    /* a key of a service or a web token, by its shape */
wl_secret_finder wl_secret_find_pem;    /* a private key */
wl_secret_finder wl_secret_find_url;    /* in a URL */
wl_secret_finder wl_secret_find_header; /* behind "Bearer" or "Authorization:" */

#endif
