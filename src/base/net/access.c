/* SPDX-License-Identifier: MIT */
#include "base/net/access.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

#include "base/file/secret_file.h"

int wl_token_make(char ret[WL_TOKEN_BUF], struct wl_err *reterr)
{
	unsigned char bytes[(WL_TOKEN_BUF - 1) / 2];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return wl_fail(reterr, WL_E_IO, "the system gives no random numbers");
	for (size_t i = 0; i < sizeof(bytes); i++)
		(void)snprintf(ret + 2 * i, 3, "%02x", bytes[i]);
	return WL_OK;
}

bool wl_token_is_valid(const char *token)
{
	return strlen(token) == WL_TOKEN_BUF - 1 &&
	       strspn(token, "0123456789abcdef") == WL_TOKEN_BUF - 1;
}

int wl_token_choose(const char *given, const char *file, const char *set, char ret[WL_TOKEN_BUF],
		    struct wl_err *reterr)
{
	const char *from = file ? "--token-file" : given ? "--token" : "WARPLENS_TOKEN";
	char read[WL_TOKEN_BUF + 1]; /* and the end of a line */

	if (given && file)
		return wl_fail(reterr, WL_E_USAGE, "give --token or --token-file, not both");
	if (file && wl_secret_read(file, read, sizeof(read), reterr) < 0)
		return reterr->code;
	if (!given)
		given = file ? read : set;
	if (!given || !*given)
		return wl_token_make(ret, reterr);
	if (!wl_token_is_valid(given))
		return wl_fail(reterr, WL_E_USAGE, "%s: give 32 digits of 0-9 and a-f", from);
	memcpy(ret, given, WL_TOKEN_BUF);
	return WL_OK;
}

static const char start[] = "/t/";

/* What follows the token; NULL where it is another. */
static const char *behind(const struct wl_access *access, const char *path)
{
	unsigned differs = 0;

	if (strncmp(path, start, strlen(start)) != 0)
		return NULL;
	path += strlen(start);
	if (strlen(path) < WL_TOKEN_BUF - 1)
		return NULL;
	for (size_t i = 0; i < WL_TOKEN_BUF - 1; i++)
		differs |= (unsigned char)path[i] ^ (unsigned char)access->token[i];
	return differs ? NULL : path + WL_TOKEN_BUF - 1;
}

const char *wl_access_path(const struct wl_access *access, const char *path)
{
	const char *rest = behind(access, path);

	return rest && *rest == '/' ? rest + 1 : NULL;
}

bool wl_access_is_bare(const struct wl_access *access, const char *path)
{
	const char *rest = behind(access, path);

	return rest && *rest == '\0';
}

/* NAME:PORT, or NAME alone where the port is that of HTTP. Letters of a name have no case. */
static bool is_called(const struct wl_access *access, const char *host, const char *name)
{
	size_t n = strlen(name);
	char port[8];

	(void)snprintf(port, sizeof(port), ":%u", (unsigned)access->port);
	if (strncasecmp(host, name, n) != 0)
		return false;
	return strcmp(host + n, port) == 0 || (host[n] == '\0' && access->port == 80);
}

bool wl_access_has_host(const struct wl_access *access, const char *host)
{
	static const char *const names[] = { "127.0.0.1", "localhost", "[::1]" };

	for (size_t i = 0; host && i < WL_COUNT(names); i++) {
		if (is_called(access, host, names[i]))
			return true;
	}
	/* Behind a tunnel or proxy the port is another: the name is given as browsers send it. */
	return host && access->host &&
	       (strcasecmp(host, access->host) == 0 || is_called(access, host, access->host));
}

bool wl_access_has_origin(const struct wl_access *access, const char *origin)
{
	static const char *const schemes[] = { "http://", "https://" };

	if (!origin)
		return true;
	for (size_t i = 0; i < WL_COUNT(schemes); i++) {
		size_t n = strlen(schemes[i]);

		if (strncmp(origin, schemes[i], n) == 0)
			return wl_access_has_host(access, origin + n);
	}
	return false;
}

bool wl_access_is_own_site(const char *site)
{
	return !site || strcmp(site, "same-origin") == 0 || strcmp(site, "none") == 0;
}

bool wl_access_is_perfetto(const struct wl_access *access, const char *origin)
{
	return access->port == WL_PERFETTO_PORT && origin &&
	       strcmp(origin, WL_PERFETTO_ORIGIN) == 0;
}
