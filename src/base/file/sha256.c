/* SPDX-License-Identifier: MIT */
#include "base/file/sha256.h"

#include <errno.h>
#include <string.h>

#include "base/file/file.h"
#include "base/num.h"

enum { BLOCK = 64, ROUNDS = 64, LENGTH_AT = 56, PIECE = 1 << 16 };

/* FIPS 180-4, 4.2.2: the fractions of the cube roots of the first 64 primes. */
static const uint32_t thirds[ROUNDS] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2
};

static uint32_t turn(uint32_t x, int n)
{
	return x >> n | x << (32 - n);
}

static void mix(uint32_t state[8], const uint8_t *block)
{
	uint32_t w[ROUNDS], s[8];

	for (size_t i = 0; i < 16; i++)
		w[i] = wl_be32(block + 4 * i);
	for (size_t i = 16; i < ROUNDS; i++) {
		uint32_t a = w[i - 15], b = w[i - 2];

		w[i] = w[i - 16] + (turn(a, 7) ^ turn(a, 18) ^ a >> 3) + w[i - 7] +
		       (turn(b, 17) ^ turn(b, 19) ^ b >> 10);
	}
	memcpy(s, state, sizeof(s));
	for (size_t i = 0; i < ROUNDS; i++) {
		uint32_t e = s[4], a = s[0];
		uint32_t one = s[7] + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) +
			       ((e & s[5]) ^ (~e & s[6])) + thirds[i] + w[i];
		uint32_t two = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) +
			       ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));

		memmove(s + 1, s, 7 * sizeof(s[0]));
		s[4] += one;
		s[0] = one + two;
	}
	for (size_t i = 0; i < 8; i++)
		state[i] += s[i];
}

void wl_sha256_init(struct wl_sha256 *sum)
{
	/* 5.3.3: the fractions of the square roots of the first 8 primes. */
	*sum = (struct wl_sha256){ .state = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
					      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 } };
}

void wl_sha256_put(struct wl_sha256 *sum, const void *bytes, size_t n)
{
	const uint8_t *at = bytes;

	while (n > 0) {
		size_t used = (size_t)(sum->n_bytes % BLOCK);
		size_t part = BLOCK - used < n ? BLOCK - used : n;

		sum->n_bytes += part;
		if (used == 0 && part == BLOCK) {
			mix(sum->state, at);
		} else {
			memcpy(sum->block + used, at, part);
			if (used + part == BLOCK)
				mix(sum->state, sum->block);
		}
		at += part;
		n -= part;
	}
}

void wl_sha256_finish(struct wl_sha256 *sum, char ret_hex[WL_SHA256_HEX])
{
	static const char digits[] = "0123456789abcdef";
	static const uint8_t pad[BLOCK] = { 0x80 };
	uint64_t bits = sum->n_bytes * 8;
	size_t used = (size_t)(sum->n_bytes % BLOCK);
	uint8_t length[8];

	for (size_t i = 0; i < sizeof(length); i++)
		length[i] = (uint8_t)(bits >> (56 - 8 * i));
	wl_sha256_put(sum, pad, (used < LENGTH_AT ? LENGTH_AT : BLOCK + LENGTH_AT) - used);
	wl_sha256_put(sum, length, sizeof(length));
	for (size_t i = 0; i < 64; i++)
		ret_hex[i] = digits[sum->state[i / 8] >> (28 - 4 * (i % 8)) & 15];
	ret_hex[64] = '\0';
}

void wl_sha256_of(const void *bytes, size_t n, char ret_hex[WL_SHA256_HEX])
{
	struct wl_sha256 sum;

	wl_sha256_init(&sum);
	wl_sha256_put(&sum, bytes, n);
	wl_sha256_finish(&sum, ret_hex);
}

int wl_sha256_fd(int fd, const atomic_int *cancel, char ret_hex[WL_SHA256_HEX], int64_t *ret_bytes)
{
	uint8_t piece[PIECE];
	struct wl_sha256 sum;
	ssize_t n;

	wl_sha256_init(&sum);
	do {
		if (cancel && atomic_load(cancel))
			return ECANCELED;
		n = wl_fd_read_at(fd, piece, sizeof(piece), sum.n_bytes);
		if (n < 0)
			return errno;
		wl_sha256_put(&sum, piece, (size_t)n);
	} while (n == PIECE);
	*ret_bytes = (int64_t)sum.n_bytes;
	wl_sha256_finish(&sum, ret_hex);
	return 0;
}

bool wl_sha256_is_hex(const char *text)
{
	return strspn(text, "0123456789abcdef") == WL_SHA256_HEX - 1 &&
	       text[WL_SHA256_HEX - 1] == '\0';
}
