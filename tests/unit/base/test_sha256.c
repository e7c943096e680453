/* SPDX-License-Identifier: MIT */
#include "base/file/sha256.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/unit.h"

static void expect(const char *text, const char *want)
{
	char hex[WL_SHA256_HEX];

	wl_sha256_of(text, strlen(text), hex);
	assert_string_equal(hex, want);
}

/* FIPS 180-4 and NIST's examples of SHA-256. */
TEST(known_vectors)
{
	expect("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	expect("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	expect("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
	       "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	expect("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklm"
	       "nopqrlmnopqrsmnopqrstnopqrstu",
	       "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
}

TEST(a_million_times_a)
{
	char hex[WL_SHA256_HEX], piece[997];
	struct wl_sha256 sum;
	size_t left = 1000000;

	memset(piece, 'a', sizeof(piece));
	wl_sha256_init(&sum);
	while (left > 0) {
		size_t n = left < sizeof(piece) ? left : sizeof(piece);

		wl_sha256_put(&sum, piece, n);
		left -= n;
	}
	wl_sha256_finish(&sum, hex);
	assert_string_equal(hex,
			    "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/* Every length around the blocks, whole and byte by byte. */
TEST(pieces_do_not_matter)
{
	char bytes[300], whole[WL_SHA256_HEX], parts[WL_SHA256_HEX];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(i * 37);
	for (size_t n = 0; n <= sizeof(bytes); n++) {
		struct wl_sha256 sum;

		wl_sha256_of(bytes, n, whole);
		wl_sha256_init(&sum);
		for (size_t i = 0; i < n; i++)
			wl_sha256_put(&sum, bytes + i, 1);
		wl_sha256_finish(&sum, parts);
		assert_string_equal(whole, parts);
	}
}

/* sha256sum of coreutils, where there is one, on files of sizes around blocks and pieces. */
TEST(files_as_sha256sum_says)
{
	static const size_t sizes[] = { 0, 1, 55, 56, 63, 64, 65, 65535, 65536, 65537, 200000 };
	char path[] = "/tmp/warplens-sha-XXXXXX", line[256], hex[WL_SHA256_HEX];
	int fd = mkstemp(path);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w+");
	int64_t bytes;

	assert_non_null(f);
	for (size_t i = 0; i < WL_COUNT(sizes); i++) {
		FILE *tool;

		rewind(f);
		for (size_t k = 0; k < sizes[i]; k++)
			assert_int_not_equal(fputc((int)(k * 11 + i) & 255, f), EOF);
		assert_int_equal(fflush(f), 0);
		assert_int_equal(wl_sha256_fd(fd, NULL, hex, &bytes), 0);
		assert_int_equal(bytes, sizes[i]);
		assert_true(wl_sha256_is_hex(hex));
		(void)snprintf(line, sizeof(line), "sha256sum %s 2>/dev/null", path);
		tool = popen(line, "r");
		if (tool && fgets(line, sizeof(line), tool))
			assert_memory_equal(line, hex, 64);
		if (tool)
			(void)pclose(tool);
	}
	(void)fclose(f);
	(void)remove(path);
}

TEST(a_flag_stops_it)
{
	atomic_int flag = 1;
	char hex[WL_SHA256_HEX];
	int64_t bytes;

	assert_int_equal(wl_sha256_fd(0, &flag, hex, &bytes), ECANCELED);
	assert_int_equal(wl_sha256_fd(-1, NULL, hex, &bytes), EBADF);
	assert_false(wl_sha256_is_hex("abc"));
	assert_false(wl_sha256_is_hex(
		"E3B0C44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
}
