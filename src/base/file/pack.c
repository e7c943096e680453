/* SPDX-License-Identifier: MIT */
#include "base/file/pack.h"

#include <string.h>

#include "base/text/utf8.h"

static void put(struct wl_vec *bytes, const void *data, size_t n)
{
	char *to = wl_vec_extend(bytes, n);

	if (to)
		memcpy(to, data, n);
}

void wl_pack_u64(struct wl_vec *bytes, uint64_t v)
{
	put(bytes, &v, sizeof(v));
}

void wl_pack_str(struct wl_vec *bytes, const char *s)
{
	size_t n = s ? strlen(s) : 0;

	wl_pack_u64(bytes, s ? n : UINT64_MAX);
	if (s)
		put(bytes, s, n + 1);
}

/* NULL, and failed, when there are fewer. */
static const char *next_bytes(struct wl_unpack *u, size_t n)
{
	const char *at = u->at;

	if (u->failed || n > u->left) {
		u->failed = true;
		return NULL;
	}
	u->at += n;
	u->left -= n;
	return at;
}

uint64_t wl_unpack_u64(struct wl_unpack *u)
{
	uint64_t v = 0;
	const char *from = next_bytes(u, sizeof(v));

	if (from)
		memcpy(&v, from, sizeof(v));
	return v;
}

uint64_t wl_unpack_upto(struct wl_unpack *u, uint64_t max)
{
	uint64_t v = wl_unpack_u64(u);

	if (v <= max)
		return v;
	u->failed = true;
	return 0;
}

const char *wl_unpack_str(struct wl_unpack *u)
{
	uint64_t n = wl_unpack_u64(u);
	const char *s;

	if (u->failed || n == UINT64_MAX)
		return NULL;
	s = n < u->left ? next_bytes(u, (size_t)n + 1) : next_bytes(u, SIZE_MAX);
	if (s && s[n] == '\0' && !memchr(s, '\0', (size_t)n) && wl_utf8_is_valid(s, (size_t)n))
		return s;
	u->failed = true;
	return NULL;
}

bool wl_unpack_done(const struct wl_unpack *u)
{
	return !u->failed && u->left == 0;
}
