/* SPDX-License-Identifier: MIT */
#include "cli/authorities.h"

#include <stdlib.h>

#include "base/attr.h"

/*
 * libcurl reads neither variable by itself, so a server with an authority of its own could not be
 * asked at all.
 */
const char *wl_find_authorities(void)
{
	static const char *const names[] = { "SSL_CERT_FILE", "CURL_CA_BUNDLE" };

	for (size_t i = 0; i < WL_COUNT(names); i++) {
		const char *path = getenv(names[i]);

		if (path && *path)
			return path;
	}
	return NULL;
}
