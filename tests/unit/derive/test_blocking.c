/* SPDX-License-Identifier: MIT */
#include "derive/calls/blocking.h"

#include "derive/derived.h"
#include "known/exports/codes.h"
#include "support/mem.h"
#include "support/unit.h"

static void call(struct mem *m, wl_ns at, unsigned corr, const char *name)
{
	MEM_API(m, .start = at, .end = at + 1, .corr = corr, .name = name);
}

static void copy(struct mem *m, unsigned corr, uint8_t dst)
{
	MEM_OP(m, WL_F_MEMCPYS, .start = 50, .end = 51, .corr = corr, .kind = 2, .dst = dst);
}

TEST(copies_block_by_name_or_by_what_they_copy_to)
{
	WITH(struct mem, m, mem_release, mem_init(&m));
	static const enum wl_blocks want[] = {
		WL_BLOCKS_BY_COPY, WL_BLOCKS_NOT, WL_BLOCKS_BY_COPY, WL_BLOCKS_NOT,
		WL_BLOCKS_BY_SYNC, WL_BLOCKS_NOT, WL_BLOCKS_NOT,     WL_BLOCKS_BY_COPY,
	};
	const struct wl_blocking *b;

	call(&m, 0, 1, "cudaMemcpy");
	call(&m, 1, 2, "cudaMemcpyAsync");
	call(&m, 2, 3, "cudaMemcpyAsync");
	call(&m, 3, 4, "cudaMemcpyAsync"); /* of a kind that the file does not say */
	call(&m, 4, 5, "cuStreamSynchronize");
	call(&m, 5, 6, "cudaGraphLaunch"); /* its copies do not make it wait */
	call(&m, 6, 7, "cudaMemsetAsync");
	call(&m, 7, 0, "cudaMemcpy2D"); /* without an operation */
	copy(&m, 1, 2);
	copy(&m, 2, WL_MEMORY_PINNED);
	copy(&m, 3, WL_MEMORY_PINNED);
	copy(&m, 3, WL_MEMORY_PAGEABLE);
	copy(&m, 4, WL_NO_U8);
	copy(&m, 6, WL_MEMORY_PAGEABLE);
	copy(&m, 99, WL_MEMORY_PAGEABLE); /* without a call */
	(void)mem_seal(&m);
	b = m.derived.blocking;
	assert_non_null(b);
	for (size_t i = 0; i < WL_COUNT(want); i++)
		assert_int_equal(b->call[i], want[i]);
}

TEST(nothing_blocks_without_calls)
{
	WITH(struct mem, m, mem_release, mem_init(&m));

	copy(&m, 3, WL_MEMORY_PAGEABLE);
	(void)mem_seal(&m);
	assert_non_null(m.derived.blocking);
}
