/* SPDX-License-Identifier: MIT */
#include "export/perfetto/pb.h"

#include <stdlib.h>
#include <string.h>

#include "support/unit.h"

static void expect(const unsigned char *from, const unsigned char *end, const char *bytes, size_t n)
{
	assert_int_equal(end - from, n);
	assert_memory_equal(from, bytes, n);
}

/* Values and bytes of the format's documentation, and its limits. */
TEST(varints_are_as_short_as_can_be)
{
	static const struct {
		uint64_t value;
		const char *bytes;
		size_t n;
	} cases[] = {
		{ 0, "\x00", 1 },
		{ 1, "\x01", 1 },
		{ 127, "\x7f", 1 },
		{ 128, "\x80\x01", 2 },
		{ 150, "\x96\x01", 2 },
		{ 300, "\xac\x02", 2 },
		{ 16383, "\xff\x7f", 2 },
		{ 16384, "\x80\x80\x01", 3 },
		{ UINT32_MAX, "\xff\xff\xff\xff\x0f", 5 },
		{ (uint64_t)1 << 63, "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 10 },
		{ UINT64_MAX, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10 },
	};
	unsigned char buffer[WL_PB_FIELD];

	for (size_t i = 0; i < WL_COUNT(cases); i++) {
		expect(buffer, wl_pb_varint(buffer, cases[i].value), cases[i].bytes, cases[i].n);
		assert_int_equal(wl_pb_varint_size(cases[i].value), cases[i].n);
	}
}

TEST(a_field_is_a_tag_and_its_value)
{
	unsigned char b[WL_PB_FIELD];

	expect(b, wl_pb_uint(b, 1, 150), "\x08\x96\x01", 3);
	assert_int_equal(wl_pb_uint_size(1, 150), 3);
	expect(b, wl_pb_uint(b, 16, 1), "\x80\x01\x01", 3);
	assert_int_equal(wl_pb_uint_size(16, 1), 3);
	expect(b, wl_pb_fixed64(b, 47, UINT64_C(0x0102030405060708)),
	       "\xf9\x02\x08\x07\x06\x05\x04\x03\x02\x01", 10);
	assert_int_equal(wl_pb_fixed64_size(47), 10);
	expect(b, wl_pb_double(b, 44, -2.0), "\xe1\x02\x00\x00\x00\x00\x00\x00\x00\xc0", 10);
	expect(b, wl_pb_head(b, 2, 128), "\x12\x80\x01", 3);
	assert_int_equal(wl_pb_bytes_size(2, 128), 3 + 128);
}

TEST(the_longest_field_has_room)
{
	unsigned char b[WL_PB_FIELD];
	uint32_t last = ((uint32_t)1 << 29) - 1; /* the format has no higher number */

	assert_int_equal(wl_pb_uint(b, last, UINT64_MAX) - b, 15);
	assert_int_equal(wl_pb_uint_size(last, UINT64_MAX), 15);
	assert_int_equal(wl_pb_head(b, last, SIZE_MAX) - b, 15);
}

TEST(texts_go_past_the_buffer)
{
	enum { N = 3 * WL_SINK_BYTES };
	static struct wl_sink sink;
	static char text[N];
	FREED char *data = NULL;
	size_t n;
	FILE *out = open_memstream(&data, &n);

	memset(text, 't', N);
	assert_true(wl_sink_init(&sink, out, false));
	wl_pb_put_uint(&sink, 1, 7);
	wl_pb_put_text(&sink, 2, text, N);
	wl_pb_put_head(&sink, 3, 0);
	(void)wl_sink_finish(&sink);
	assert_int_equal(fclose(out), 0);
	assert_int_equal(n, 2 + wl_pb_bytes_size(2, N) + 2);
	assert_memory_equal(data, "\x08\x07\x12\x80\x80\x0c", 6); /* 3 << 16 is 0x0c << 14 */
	assert_memory_equal(data + 6, text, N);
	assert_memory_equal(data + 6 + N, "\x1a\x00", 2);
}
