/* SPDX-License-Identifier: MIT */
#include "export/sink.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "support/unit.h"

enum { N = 5 * WL_SINK_BYTES };

static unsigned char source[N];

static int setup(void **state)
{
	(void)state;
	for (size_t i = 0; i < N; i++)
		source[i] = (unsigned char)(i * 31 + i / 251);
	return 0;
}

/* Put all of source in pieces of a size, every other one in place. */
static void put_all(struct wl_sink *sink, size_t piece)
{
	bool in_place = false;

	for (size_t i = 0; i < N; i += piece) {
		size_t n = N - i < piece ? N - i : piece;

		in_place = !in_place && n <= WL_SINK_BYTES;
		if (in_place) {
			unsigned char *p = wl_sink_room(sink, n);

			memcpy(p, source + i, n);
			wl_sink_took(sink, p + n);
		} else {
			wl_sink_put(sink, source + i, n);
		}
		assert_int_equal(sink->n_bytes, i + n);
	}
}

/* The caller frees what comes back. */
static char *through(bool gzip, size_t piece, size_t *ret_n)
{
	static struct wl_sink sink;
	char *data = NULL;
	FILE *out = open_memstream(&data, ret_n);
	uint64_t n;

	assert_true(wl_sink_init(&sink, out, gzip));
	put_all(&sink, piece);
	n = wl_sink_finish(&sink);
	assert_int_equal(fclose(out), 0);
	assert_int_equal(n, *ret_n);
	assert_int_equal(sink.n_bytes, N);
	return data;
}

static const size_t pieces[] = {
	1, 7, 4096, WL_SINK_BYTES - 1, WL_SINK_BYTES, WL_SINK_BYTES + 1, N
};

TEST(bytes_arrive_in_order)
{
	for (size_t i = 0; i < WL_COUNT(pieces); i++) {
		size_t n;
		char *data = through(false, pieces[i], &n);

		assert_int_equal(n, N);
		assert_memory_equal(data, source, N);
		free(data);
	}
}

TEST(compressed_bytes_come_back)
{
	static unsigned char back[N];

	for (size_t i = 0; i < WL_COUNT(pieces); i++) {
		z_stream z = { .next_out = back, .avail_out = N };
		size_t n;
		char *data = through(true, pieces[i], &n);

		z.next_in = (unsigned char *)data;
		z.avail_in = (uInt)n;
		assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
		assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
		assert_int_equal(z.total_out, N);
		assert_memory_equal(back, source, N);
		assert_int_equal(inflateEnd(&z), Z_OK);
		free(data);
	}
}

TEST(a_full_disk_stays_in_the_stream)
{
	static struct wl_sink sink;
	FILE *full = fopen("/dev/full", "we");

	if (!full)
		skip();
	assert_true(wl_sink_init(&sink, full, false));
	put_all(&sink, 4096);
	(void)wl_sink_finish(&sink);
	assert_true(fflush(full) != 0 || ferror(full));
	(void)fclose(full);
}

TEST_GROUP(setup, NULL)
