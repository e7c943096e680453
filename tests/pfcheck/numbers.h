/* SPDX-License-Identifier: MIT */
/* numbers.h - a table from 64-bit numbers to the order in which they were added. */
#ifndef PFCHECK_NUMBERS_H
#define PFCHECK_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero is an empty table. */
struct numbers {
	uint64_t *key;
	uint32_t *place; /* index plus one; 0 where nothing is */
	size_t cap;
	uint32_t n;
};

#define NUMBERS_NONE UINT32_MAX

/* As reallocarray(); without memory the program ends. */
void *need_memory(void *old, size_t n, size_t size);

/* Room for one more than n elements: doubled when n is 0 or a power of two. */
void *grow(void *array, size_t n, size_t size);

uint32_t numbers_find(const struct numbers *t, uint64_t key); /* or NUMBERS_NONE */

/* The index of a key; of a new one the number of keys before. */
uint32_t numbers_add(struct numbers *t, uint64_t key, bool *ret_is_new);

void numbers_release(struct numbers *t);

#endif
