/* SPDX-License-Identifier: MIT */
#include "base/text/base64.h"

#include <stdint.h>

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void wl_base64_write(const void *bytes, size_t n, char *buf)
{
	const unsigned char *b = bytes;

	for (; n >= 3; n -= 3, b += 3, buf += 4) {
		uint32_t v = (uint32_t)b[0] << 16 | (uint32_t)b[1] << 8 | b[2];

		buf[0] = letters[v >> 18];
		buf[1] = letters[v >> 12 & 63];
		buf[2] = letters[v >> 6 & 63];
		buf[3] = letters[v & 63];
	}
	if (n == 0)
		return;
	buf[0] = letters[b[0] >> 2];
	buf[1] = letters[(b[0] & 3) << 4 | (n == 2 ? b[1] >> 4 : 0)];
	/* One or two bytes are left. RFC 4648 fills the last group up with "=". */
	buf[2] = '=';
	if (n == 2)
		buf[2] = letters[(b[1] & 15) << 2];
	buf[3] = '=';
}
