/* SPDX-License-Identifier: MIT */
#include "base/zst.h"

#include <zstd.h>

bool wl_zst_pack(const void *bytes, size_t n, int level, struct wl_vec *out)
{
	size_t before = out->n, room = ZSTD_compressBound(n), size;
	void *to = wl_vec_extend(out, room);

	if (!to)
		return false;
	size = ZSTD_compress(to, room, bytes, n, level);
	out->n = before + (ZSTD_isError(size) ? 0 : size);
	return !ZSTD_isError(size);
}

bool wl_zst_unpack(const void *frame, size_t n, void *to, size_t size)
{
	size_t got = ZSTD_decompress(to, size, frame, n);

	return !ZSTD_isError(got) && got == size;
}
