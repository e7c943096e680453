/* SPDX-License-Identifier: MIT */
#include "base/file/zst.h"

#include <zstd.h>

/* One block of zstd: at its tightest some 50 ms. */
enum { PART = 1 << 17 };

/* Part by part, so that a stop is seen. */
static bool pack_parts(ZSTD_CCtx *z, ZSTD_inBuffer *in, ZSTD_outBuffer *out,
		       const struct wl_budget *budget)
{
	size_t all = in->size, left;
	bool is_last = false;

	in->size = 0;
	while (!is_last) {
		is_last = all - in->size <= PART;
		in->size = is_last ? all : in->size + PART;
		left = ZSTD_compressStream2(z, out, in, is_last ? ZSTD_e_end : ZSTD_e_continue);
		/* There is room for all, so nothing is left at the end. */
		if (ZSTD_isError(left) || (is_last && left != 0) || wl_budget_is_stopped(budget))
			return false;
	}
	return true;
}

bool wl_zst_pack(const void *bytes, size_t n, int level, struct wl_vec *out)
{
	size_t before = out->n, room = ZSTD_compressBound(n);
	ZSTD_inBuffer in = { bytes, n, 0 };
	ZSTD_outBuffer to = { wl_vec_extend(out, room), room, 0 };
	ZSTD_CCtx *z = to.dst ? ZSTD_createCCtx() : NULL;
	bool ok = z && !ZSTD_isError(ZSTD_CCtx_setParameter(z, ZSTD_c_compressionLevel, level)) &&
		  !ZSTD_isError(ZSTD_CCtx_setPledgedSrcSize(z, n)) &&
		  pack_parts(z, &in, &to, out->budget);

	(void)ZSTD_freeCCtx(z);
	if (to.dst)
		out->n = before + (ok ? to.pos : 0);
	return ok;
}

bool wl_zst_unpack(const void *frame, size_t n, void *to, size_t size)
{
	size_t got = ZSTD_decompress(to, size, frame, n);

	return !ZSTD_isError(got) && got == size;
}
