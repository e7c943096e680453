/* SPDX-License-Identifier: MIT */
/* fleet_server.h - which database the command line and the environment name. */
#ifndef WL_CLI_FLEET_SERVER_H
#define WL_CLI_FLEET_SERVER_H

#include "fleet/store/server.h"

enum { WL_FLEET_SECRET = 512 };

/* What the user says; NULL for nothing. */
struct wl_fleet_wish {
	const char *server; /* URLs with commas between; else $WARPLENS_FLEET_SERVER */
	const char *database, *cluster;
	const char *credentials; /* a file; else $WARPLENS_FLEET_USER and ..._PASSWORD */
};

/* A store and the texts it borrows. Zeroed is empty. */
struct wl_fleet_server {
	struct wl_store store;
	char urls[2048];
	char secret[WL_FLEET_SECRET]; /* "USER", a NUL, "PASSWORD" */
};

/* WL_E_USAGE for names and files that are refused. No network. Close it in any case. */
int wl_fleet_server_open(const struct wl_fleet_wish *wish, const atomic_int *cancel,
			 struct wl_fleet_server *ret, struct wl_err *reterr) WL_MUST_CHECK;

/* Forget the password. */
void wl_fleet_server_close(struct wl_fleet_server *server);

#endif
