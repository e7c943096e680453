/* SPDX-License-Identifier: MIT */
/*
 * access.h - access control: a secret in the path, and the names of this machine.
 *
 * Others on a login node reach the loopback address, too, and so does any page that the
 * user's browser shows: the token keeps out the first, the checks of Host and Origin a
 * name of another owner that points here (DNS rebinding).
 */
#ifndef WL_BASE_ACCESS_H
#define WL_BASE_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/err.h"

enum { WL_TOKEN_BUF = 33 }; /* 128 bits in hexadecimal digits, and a NUL */

struct wl_access {
	char token[WL_TOKEN_BUF];
	uint16_t port;    /* that is listened on */
	const char *host; /* another name of this machine, as browsers send it; NULL for none */
};

/* A new secret of the system's random numbers. WL_E_IO where there are none. */
int wl_token_make(char ret[WL_TOKEN_BUF], struct wl_err *reterr) WL_MUST_CHECK;

/* 32 of 0-9 and a-f. */
bool wl_token_is_valid(const char *token);

/*
 * The secret that the user chose: given on the command line, where other users of the machine can
 * see it; in a file that only the user can read or write; or set in the environment as
 * WARPLENS_TOKEN. A new one where all three are absent, that is NULL, and set empty. WL_E_USAGE for
 * given and file together, for what is no token, and for a file that others can open.
 */
int wl_token_choose(const char *given, const char *file, const char *set, char ret[WL_TOKEN_BUF],
		    struct wl_err *reterr) WL_MUST_CHECK;

/*
 * What follows "/t/TOKEN/" in a path; NULL for any other path, whatever is wrong with it.
 * "/t/TOKEN" itself is not it: see wl_access_is_bare(). The time it takes is the same for any
 * part of a token that is right.
 */
const char *wl_access_path(const struct wl_access *access, const char *path);

/* "/t/TOKEN", where the slash is missing that addresses in the page count from. */
bool wl_access_is_bare(const struct wl_access *access, const char *path);

/* The Host of a request: 127.0.0.1, localhost or [::1] with the port, or the other name; not NULL.
 */
bool wl_access_has_host(const struct wl_access *access, const char *host);

/* The Origin of a request: none, or this server. */
bool wl_access_has_origin(const struct wl_access *access, const char *origin);

/*
 * The Sec-Fetch-Site of a request, which browsers send also where they send no Origin, as for the
 * script or picture of another page: none, or "same-origin", or "none" of what the user opens.
 */
bool wl_access_is_own_site(const char *site);

#define WL_PERFETTO_ORIGIN "https://ui.perfetto.dev"
enum { WL_PERFETTO_PORT = 9001 }; /* the only one that Perfetto's own page may ask */

/*
 * The Origin is Perfetto's page, and who started the server on its port wants it to ask. It
 * may have nothing but exports.
 */
bool wl_access_is_perfetto(const struct wl_access *access, const char *origin);

#endif
