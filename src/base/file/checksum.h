/* SPDX-License-Identifier: MIT */
/*
 * checksum.h - a checksum that detects damaged bytes.
 *
 * It is the same on every machine of one byte order and in every run, unlike
 * base/memory/hash.h, and reads about as fast as memory. It finds accidents: any change
 * within 8 bytes always, others but for one in 2^64. A writer of the sum can write
 * bytes that fit it; it proves nothing about who wrote them.
 */
#ifndef WL_BASE_CHECKSUM_H
#define WL_BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

uint64_t wl_checksum(const void *data, size_t size);

/*
 * The sum of an array of n elements in parts of WL_SUM_ROWS, so that threads may sum
 * parts of one array in any order: the sum of [0, n) is the plain sum, modulo 2^64, of
 * those of its parts. lo must be a multiple of WL_SUM_ROWS, and so must hi unless it
 * is n.
 */
enum { WL_SUM_ROWS = 16384 };

uint64_t wl_checksum_rows(const void *data, size_t element_size, size_t lo, size_t hi);

#endif
