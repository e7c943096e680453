/* SPDX-License-Identifier: MIT */
#include "support/shown.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "support/random.h"
#include "support/unit.h"

enum { DEVICES = 2, STREAMS = 3 };

static void put_op(struct mem *m, unsigned i, wl_ns call, uint64_t *r)
{
	static const char *const names[] = { "gemm<12>",
					     "ncclDevKernel_AllReduce_Sum_f32_RING_LL",
					     "void acme::secret<8>(int)",
					     "void at::native::f<3>(x)",
					     "k#1",
					     "layer12" };
	const wl_ns start = call + random_between(r, -5, 200);
	const struct mem_op op = { .start = start,
				   .end = start + random_between(r, 0, 300),
				   .device = i % DEVICES,
				   .stream = 7 + random_below(r, STREAMS),
				   .corr = random_below(r, 8) ? i + 1 : 0,
				   .grid = 1 + random_below(r, 4),
				   .registers = 32,
				   .kind = 1,
				   .bytes = random_between(r, -1, INT64_C(1) << 40),
				   .name = names[random_below(r, 6)] };
	static const enum wl_family_id families[] = { WL_F_KERNELS, WL_F_KERNELS, WL_F_KERNELS,
						      WL_F_MEMCPYS, WL_F_MEMSETS };

	mem_op(m, families[random_below(r, 5)], &op);
}

static void put_ranges(struct mem *m, unsigned i, wl_ns at, uint64_t *r)
{
	char name[64];

	(void)snprintf(name, sizeof(name), "step %u", i / 10);
	if (i % 10 == 0)
		mem_nvtx(m, &(struct mem_range){ .start = at, .end = at + 990, .name = name });
	(void)snprintf(name, sizeof(name), "op_id = %u, seq = %u 0x7f%02x 007 #%u",
		       (unsigned)random_next(r), i, i, i % 7);
	mem_nvtx(m, &(struct mem_range){ .start = at + 1, .end = at + 60, .name = name });
}

void shown_make(struct viewed *v, uint64_t seed, unsigned n_calls)
{
	wl_ns at = random_between(&seed, -1000, INT64_C(1) << 50);

	mem_init(&v->mem);
	for (unsigned i = 0; i < n_calls; i++) {
		put_ranges(&v->mem, i, at, &seed);
		mem_api(&v->mem, &(struct mem_call){ .start = at + 10,
						     .end = at + 20 + random_below(&seed, 30),
						     .corr = i + 1,
						     .name = "cudaLaunchKernel" });
		put_op(&v->mem, i, at + 20, &seed);
		if (i % 5 == 0)
			mem_osrt(&v->mem, &(struct mem_call){ .start = at + 70, .end = at + 90 });
		at += 100;
	}
	viewed_make(v);
}

unsigned char *shown_inflate(const struct wl_pack *pack)
{
	unsigned char *bytes = test_malloc(pack->bytes + 1);
	z_stream z = { .next_in = pack->data.data, .avail_in = (uInt)pack->data.n };

	z.next_out = bytes;
	z.avail_out = (uInt)pack->bytes + 1;
	assert_int_equal(inflateInit2(&z, -15), Z_OK);
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	assert_int_equal(z.avail_in, 0);
	assert_int_equal(z.total_out, pack->bytes);
	assert_int_equal(inflateEnd(&z), Z_OK);
	return bytes;
}

static const struct wl_pack_column *find(const struct wl_pack *pack, const char *key, int64_t of)
{
	const struct wl_pack_column *c = pack->column.data;

	for (size_t i = 0; i < pack->column.n; i++) {
		if (c[i].of == of && strcmp(c[i].key, key) == 0)
			return &c[i];
	}
	fail_msg("no column %s of %d", key, (int)of);
	abort(); /* it does not return, which compilers cannot know */
}

uint64_t *shown_column(const struct wl_pack *pack, const unsigned char *bytes, const char *key,
		       int64_t of, size_t *ret_n)
{
	const struct wl_pack_column *c = find(pack, key, of);
	const unsigned char *at = bytes + c->offset, *end = at + c->bytes;
	uint64_t *value = test_malloc((c->n + 1) * sizeof(*value));

	for (size_t i = 0; i < c->n; i++) {
		unsigned shift = 0;

		value[i] = 0;
		do {
			assert_true(at < end && shift < 64);
			value[i] |= (uint64_t)(*at & 127) << shift;
			shift += 7;
		} while (*at++ & 128);
	}
	assert_ptr_equal(at, end);
	*ret_n = c->n;
	return value;
}

int64_t shown_unzigzag(uint64_t v)
{
	return v & 1 ? -(int64_t)(v >> 1) - 1 : (int64_t)(v >> 1);
}
