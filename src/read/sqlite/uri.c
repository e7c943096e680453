/* SPDX-License-Identifier: MIT */
#include "read/sqlite/uri.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *wl_sqlite_uri(const char *path)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-";
	size_t room = strlen(path) * 3 + sizeof("file:./?mode=ro&immutable=1");
	char *uri = malloc(room), *out = uri;

	if (!uri)
		return NULL;
	out += snprintf(out, room, "file:%s", *path == '/' ? "" : "./");
	for (; *path; path++) {
		if (strchr(plain, *path))
			*out++ = *path;
		else
			out += snprintf(out, 4, "%%%02X", (unsigned)(unsigned char)*path);
	}
	memcpy(out, "?mode=ro&immutable=1", sizeof("?mode=ro&immutable=1"));
	return uri;
}
