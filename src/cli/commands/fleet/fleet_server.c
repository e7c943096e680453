/* SPDX-License-Identifier: MIT */
#include "cli/commands/fleet/fleet_server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/secret_file.h"
#include "cli/authorities.h"

static const char *environment(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

static int take_urls(const char *urls, struct wl_fleet_server *ret, struct wl_err *reterr)
{
	char *rest = ret->urls;

	if (!urls)
		return wl_fail(reterr, WL_E_USAGE,
			       "say which ClickHouse server: --server https://HOST:8443, or "
			       "WARPLENS_FLEET_SERVER in the environment");
	if (snprintf(ret->urls, sizeof(ret->urls), "%s", urls) >= (int)sizeof(ret->urls))
		return wl_fail(reterr, WL_E_USAGE, "--server: more than %zu bytes",
			       sizeof(ret->urls) - 1);
	while (rest && ret->store.n_urls < WL_STORE_SERVERS) {
		char *url = strsep(&rest, ",");
		int r = wl_http_check_url(url, reterr);

		if (r < 0)
			return r;
		ret->store.url[ret->store.n_urls++] = url;
	}
	return rest ? wl_fail(reterr, WL_E_USAGE, "--server: more than %d servers",
			      WL_STORE_SERVERS)
		    : WL_OK;
}

static int take_name(const char *option, const char *name, const char **ret, struct wl_err *reterr)
{
	if (name && !wl_store_is_name(name))
		return wl_fail(reterr, WL_E_USAGE,
			       "%s %.60s: use letters, digits and underscores, at most 64", option,
			       name);
	*ret = name;
	return WL_OK;
}

/* "USER:PASSWORD" of a file that only its user can open, or two variables. */
static int take_credentials(const char *path, struct wl_fleet_server *ret, struct wl_err *reterr)
{
	const char *user = environment("WARPLENS_FLEET_USER");
	const char *password = environment("WARPLENS_FLEET_PASSWORD");
	char *colon;
	int r;

	/* "default" is the user that ClickHouse has without any configuration. */
	if (!path) {
		ret->store.user = password && !user ? "default" : user;
		ret->store.password = password;
		return WL_OK;
	}
	r = wl_secret_read(path, ret->secret, sizeof(ret->secret), reterr);
	if (r < 0)
		return r;
	colon = strchr(ret->secret, ':');
	if (!colon)
		return wl_fail(reterr, WL_E_USAGE,
			       "--credentials %.200s: its first line must be USER:PASSWORD", path);
	*colon = '\0';
	ret->store.user = ret->secret;
	ret->store.password = colon + 1;
	return WL_OK;
}

int wl_fleet_server_open(const struct wl_fleet_wish *wish, const atomic_int *cancel,
			 struct wl_fleet_server *ret, struct wl_err *reterr)
{
	int r;

	*ret = (struct wl_fleet_server){ .store = { .ca_file = wl_find_authorities(),
						    .cancel = cancel } };
	r = take_urls(wish->server ? wish->server : environment("WARPLENS_FLEET_SERVER"), ret,
		      reterr);
	if (r == WL_OK)
		r = take_name("--database", wish->database, &ret->store.database, reterr);
	if (r == WL_OK)
		r = take_name("--cluster", wish->cluster, &ret->store.cluster, reterr);
	if (r == WL_OK)
		r = take_credentials(wish->credentials, ret, reterr);
	if (r == WL_OK && ret->store.n_urls > 1 && !ret->store.cluster)
		return wl_fail(reterr, WL_E_USAGE, "several servers need --cluster NAME");
	return r;
}

void wl_fleet_server_close(struct wl_fleet_server *server)
{
	explicit_bzero(server->secret, sizeof(server->secret));
}
