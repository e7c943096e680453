/* SPDX-License-Identifier: MIT */
#include "serve/http/encode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file/gz.h"

enum { FEW = 1024 }; /* fit a packet as they are */

static const char blanks[] = " \t";

/* "q=0", "q=0.0", "q=0.000": not wanted at all. */
static bool is_zero_weight(const char *s, size_t n)
{
	size_t at = strspn(s, blanks);

	if (n < at + 3 || strncasecmp(s + at, "q=0", 3) != 0)
		return false;
	at += 3;
	at += s[at] == '.';
	return at + strspn(s + at, "0 \t") >= n;
}

/* One of the codings, n bytes: "gzip", "gzip;q=0.5". */
static bool is_gzip(const char *s, size_t n)
{
	size_t length;

	while (n > 0 && strchr(blanks, *s)) {
		s++;
		n--;
	}
	length = strcspn(s, ",; \t");
	if (length != strlen("gzip") || strncasecmp(s, "gzip", length) != 0)
		return false;
	length += strspn(s + length, blanks);
	return s[length] != ';' || !is_zero_weight(s + length + 1, n - length - 1);
}

bool wl_accepts_gzip(const char *accept)
{
	while (accept && *accept) {
		size_t n = strcspn(accept, ",");

		if (is_gzip(accept, n))
			return true;
		accept += n + (accept[n] == ',');
	}
	return false;
}

/* False without memory; then nothing is to be freed. */
static bool squeeze(const struct wl_answer *a, char **ret, size_t *ret_n)
{
	FILE *out = open_memstream(ret, ret_n);
	struct wl_gz *gz = out ? wl_gz_open(out) : NULL;
	bool ok;

	if (gz) {
		wl_gz_put(gz, a->bytes, a->n);
		(void)wl_gz_finish(gz);
		wl_gz_close(gz);
	}
	ok = gz && !ferror(out);
	ok = out && fclose(out) == 0 && ok;
	if (out && !ok)
		free(*ret);
	return ok;
}

bool wl_answer_compress(struct wl_answer *a)
{
	char *bytes = NULL;
	size_t n = 0;

	if (!a->bytes || a->n < FEW || !squeeze(a, &bytes, &n))
		return false;
	if (n >= a->n) {
		free(bytes);
		return false;
	}
	free(a->bytes);
	a->bytes = bytes;
	a->n = n;
	return true;
}
