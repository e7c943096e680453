/* SPDX-License-Identifier: MIT */
#include "base/file/gz.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "support/random.h"
#include "support/unit.h"

struct bytes {
	char *data;
	size_t n;
};

/* The bytes as a gzip file, put in pieces of a size. */
static struct bytes compress_in(const void *data, size_t n, size_t piece)
{
	struct bytes r = { NULL, 0 };
	FILE *out = open_memstream(&r.data, &r.n);
	struct wl_gz *gz = wl_gz_open(out);
	uint64_t size;

	assert_non_null(gz);
	for (size_t i = 0; i < n; i += piece)
		wl_gz_put(gz, (const char *)data + i, n - i < piece ? n - i : piece);
	size = wl_gz_finish(gz);
	wl_gz_close(gz);
	assert_int_equal(fclose(out), 0);
	assert_int_equal(size, r.n);
	return r;
}

/* Exactly one gzip file, whose sum and length are right, gives these bytes. */
static void assert_gives(struct bytes file, const void *data, size_t n)
{
	z_stream z = { .next_in = (unsigned char *)file.data, .avail_in = (uInt)file.n };
	unsigned char *out = malloc(n + 1);

	assert_non_null(out);
	z.next_out = out;
	z.avail_out = (uInt)n + 1;
	assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	assert_int_equal(z.avail_in, 0);
	assert_int_equal(z.total_out, n);
	assert_int_equal(n ? memcmp(out, data, n) : 0, 0);
	assert_int_equal(inflateEnd(&z), Z_OK);
	free(out);
}

TEST(any_pieces_come_back)
{
	enum { N = 300000 };
	unsigned char *noise = malloc(N);
	uint64_t r = 1;

	assert_non_null(noise);
	for (size_t i = 0; i < N; i++) /* half of it can be made smaller */
		noise[i] = i % 2 ? 0 : (unsigned char)random_below(&r, 256);
	for (size_t piece = 1; piece <= N; piece *= 7) {
		struct bytes file = compress_in(noise, N, piece);

		assert_gives(file, noise, N);
		free(file.data);
	}
	free(noise);
}

TEST(nothing_is_a_gzip_file_too)
{
	struct bytes file = compress_in("", 0, 1);

	assert_gives(file, "", 0);
	free(file.data);
}

TEST(the_header_names_no_time_and_no_file)
{
	static const unsigned char head[] = { 0x1f, 0x8b, 8, 0, 0, 0, 0, 0 };
	struct bytes a = compress_in("abc", 3, 3), b = compress_in("abc", 3, 3);

	assert_memory_equal(a.data, head, sizeof(head));
	assert_int_equal(a.n, b.n);
	assert_memory_equal(a.data, b.data, a.n);
	free(a.data);
	free(b.data);
}

static void take(void *ctx, const void *bytes, size_t n)
{
	assert_int_equal(fwrite(bytes, 1, n, ctx), n);
}

TEST(raw_deflate_is_the_file_without_head_and_sum)
{
	enum { HEAD = 10, SUM = 8 };
	char text[5000];
	struct bytes file, raw = { NULL, 0 };
	FILE *out = open_memstream(&raw.data, &raw.n);
	struct wl_gz *gz = wl_gz_open_raw(take, out);

	assert_non_null(gz);
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char)(i * i % 23);
	file = compress_in(text, sizeof(text), 100);
	for (size_t i = 0; i < sizeof(text); i += 100)
		wl_gz_put(gz, text + i, 100);
	assert_int_equal(wl_gz_finish(gz), file.n - HEAD - SUM);
	wl_gz_close(gz);
	assert_int_equal(fclose(out), 0);
	assert_int_equal(raw.n, file.n - HEAD - SUM);
	assert_memory_equal(raw.data, file.data + HEAD, raw.n);
	free(raw.data);
	free(file.data);
}

TEST(a_full_disk_stays_in_the_stream)
{
	FILE *full = fopen("/dev/full", "we");
	struct wl_gz *gz;

	if (!full)
		skip();
	gz = wl_gz_open(full);
	assert_non_null(gz);
	for (int i = 0; i < 100; i++)
		wl_gz_put(gz, &i, sizeof(i));
	(void)wl_gz_finish(gz);
	wl_gz_close(gz);
	assert_true(fflush(full) != 0 || ferror(full));
	(void)fclose(full);
}
