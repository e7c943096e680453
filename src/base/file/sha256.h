/* SPDX-License-Identifier: MIT */
/*
 * sha256.h - SHA-256 (FIPS 180-4), the sum by which people and other tools know a file.
 *
 * For the sums of indexes base/file/checksum.h is faster; this one also proves that bytes are the
 * same.
 */
#ifndef WL_BASE_SHA256_H
#define WL_BASE_SHA256_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"

enum { WL_SHA256_HEX = 65 }; /* 64 digits and a NUL */

struct wl_sha256 {
	uint32_t state[8];
	uint64_t n_bytes;
	uint8_t block[64];
};

/* Order of calls: init; put, as often as wanted; finish. */
void wl_sha256_init(struct wl_sha256 *sum);
void wl_sha256_put(struct wl_sha256 *sum, const void *bytes, size_t n);
void wl_sha256_finish(struct wl_sha256 *sum, char ret_hex[WL_SHA256_HEX]);

/* Of the n bytes. */
void wl_sha256_of(const void *bytes, size_t n, char ret_hex[WL_SHA256_HEX]);

/*
 * Of an open file from its begin on, and how many bytes that are. cancel, which may be NULL, is
 * looked at between pieces. 0, or an errno; ECANCELED once the flag is set.
 */
int wl_sha256_fd(int fd, const atomic_int *cancel, char ret_hex[WL_SHA256_HEX],
		 int64_t *ret_bytes) WL_MUST_CHECK;

/* The text is 64 digits of a sum, in lower case. */
bool wl_sha256_is_hex(const char *text);

#endif
