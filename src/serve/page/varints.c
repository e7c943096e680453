/* SPDX-License-Identifier: MIT */
#include "serve/page/varints.h"

#include <string.h>

static void append_bytes(void *ctx, const void *bytes, size_t n)
{
	struct wl_varints *v = ctx;
	void *to;

	/* Once too large, nothing more is compressed or kept: the caller tries again with less. */
	if (v->max && v->out->n + n > v->max)
		v->too_large = true;
	if (v->too_large)
		return;
	to = wl_vec_extend(v->out, n);
	if (to)
		memcpy(to, bytes, n);
}

bool wl_varints_init(struct wl_varints *v, struct wl_vec *out, size_t max)
{
	v->out = out;
	v->max = max;
	v->too_large = false;
	v->n_bytes = 0;
	v->n = 0;
	v->gz = wl_gz_open_raw(append_bytes, v);
	return v->gz != NULL;
}

void wl_varints_release(struct wl_varints *v)
{
	wl_gz_close(v->gz);
	v->gz = NULL;
}

void wl_varints_flush(struct wl_varints *v)
{
	if (!v->too_large)
		wl_gz_put(v->gz, v->buffer, v->n);
	v->n = 0;
}

void wl_varints_bytes(struct wl_varints *v, const void *bytes, size_t n)
{
	wl_varints_flush(v);
	if (!v->too_large)
		wl_gz_put(v->gz, bytes, n);
	v->n_bytes += n;
}

void wl_varints_finish(struct wl_varints *v)
{
	wl_varints_flush(v);
	if (!v->too_large)
		(void)wl_gz_finish(v->gz);
}
