/* SPDX-License-Identifier: MIT */
/*
 * mutate_pages.c - damage that knows where things are in a database file.
 *
 * Bytes changed at random mostly hit free space or texts. These changes go to the
 * fields that a reader follows: sizes, pointers, serial types and page numbers.
 */
#include <stdbool.h>
#include <string.h>

#include "base/attr.h"
#include "fuzz/fuzz.h"
#include "support/random.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

enum { HEADER = 100, MIN_PAGE = 512, MAX_CHANGES = 4, TABLE_LEAF = 13, TABLE_INTERIOR = 5 };

/* The file, and one of its pages. */
struct file {
	uint8_t *bytes;
	size_t size, page_size, n_pages;
	uint64_t random;
	uint8_t *page;
	size_t header; /* of the page: 100 in the first */
};

static uint32_t dice(struct file *f, uint32_t n)
{
	return random_below(&f->random, n);
}

static size_t get_u16(const uint8_t *at)
{
	return (size_t)at[0] << 8 | at[1];
}

static void put_u16(uint8_t *at, size_t v)
{
	at[0] = (uint8_t)(v >> 8);
	at[1] = (uint8_t)v;
}

static void put_u32(uint8_t *at, size_t v)
{
	put_u16(at, v >> 16);
	put_u16(at + 2, v);
}

/* Numbers at which checks go wrong. */
static size_t odd_number(struct file *f)
{
	const size_t odd[] = { 0,
			       1,
			       2,
			       3,
			       127,
			       128,
			       255,
			       256,
			       4095,
			       4096,
			       8191,
			       f->page_size - 1,
			       f->page_size,
			       65535,
			       0x7fffffff,
			       0x80000000,
			       0xffffffff,
			       f->size,
			       f->n_pages };

	return dice(f, 2) ? odd[dice(f, WL_COUNT(odd))] : (size_t)random_next(&f->random);
}

/* Mostly one of the file's. */
static size_t page_number(struct file *f)
{
	return dice(f, 8) ? 1 + dice(f, (uint32_t)f->n_pages) : odd_number(f);
}

static void choose_page(struct file *f)
{
	size_t i = dice(f, (uint32_t)f->n_pages);

	f->page = f->bytes + i * f->page_size;
	f->header = i == 0 ? HEADER : 0;
}

static bool open_file(struct file *f)
{
	size_t page_size;

	if (f->size < MIN_PAGE || memcmp(f->bytes, "SQLite format 3", 16) != 0)
		return false;
	page_size = get_u16(f->bytes + 16);
	f->page_size = page_size == 1 ? 65536 : page_size;
	if (f->page_size < MIN_PAGE || (f->page_size & (f->page_size - 1)) != 0 ||
	    f->page_size > f->size)
		return false;
	f->n_pages = f->size / f->page_size;
	choose_page(f);
	return true;
}

/* The counters agree, so that the reader does not stop at the header. */
static void agree(struct file *f)
{
	put_u32(f->bytes + 28, f->size / f->page_size);
	memcpy(f->bytes + 92, f->bytes + 24, 4);
}

static void change_file_header(struct file *f)
{
	static const uint8_t fields[] = {
		16, 18, 19, 20, 21, 22, 23, 27, 32, 36, 44, 47, 52, 59, 64
	};
	uint8_t at = fields[dice(f, WL_COUNT(fields))];

	f->bytes[at] = (uint8_t)odd_number(f);
	if (at == 16)
		put_u16(f->bytes + 16, (size_t)1 << dice(f, 16));
}

static void change_page_header(struct file *f)
{
	static const uint8_t types[] = { 2, 5, 10, 13, 0, 1 };
	uint8_t *h = f->page + f->header;

	switch (dice(f, 5)) {
	case 0:
		h[0] = types[dice(f, WL_COUNT(types))];
		break;
	case 1:
		put_u16(h + 1, odd_number(f));
		break;
	case 2:
		put_u16(h + 3, dice(f, 2) ? get_u16(h + 3) + dice(f, 5) - 2 : odd_number(f));
		break;
	case 3:
		put_u16(h + 5, odd_number(f));
		break;
	default:
		put_u32(h + 8, page_number(f));
		break;
	}
}

/* Where the pointers to cells begin, and how many there are in the page. */
static uint8_t *pointers(const struct file *f, size_t *ret_n)
{
	const uint8_t *h = f->page + f->header;
	size_t skip = h[0] == TABLE_INTERIOR || h[0] == 2 ? 12 : 8;
	size_t room = (f->page_size - f->header - skip) / 2;

	*ret_n = get_u16(h + 3) < room ? get_u16(h + 3) : room;
	return f->page + f->header + skip;
}

static void change_pointer(struct file *f)
{
	size_t n, i;
	uint8_t *p = pointers(f, &n);

	if (n == 0)
		return;
	i = dice(f, (uint32_t)n);
	switch (dice(f, 4)) {
	case 0:
		put_u16(p + 2 * i, f->page_size - dice(f, 12));
		break;
	case 1:
		put_u16(p + 2 * i, get_u16(p + (size_t)2 * dice(f, (uint32_t)n)));
		break;
	case 2:
		put_u16(p + 2 * i, get_u16(p + 2 * i) + dice(f, 9) - 4);
		break;
	default:
		put_u16(p + 2 * i, dice(f, (uint32_t)f->page_size));
		break;
	}
}

static size_t skip_varint(const struct file *f, size_t at)
{
	for (size_t i = 0; i < 8 && at < f->page_size; i++) {
		if (!(f->page[at++] & 0x80))
			return at;
	}
	return at + 1;
}

static void change_varint(struct file *f, size_t at)
{
	static const uint8_t odd[] = { 0,  1,  6,  7,  8,    9,    10,   11,
				       12, 13, 14, 15, 0x7f, 0x80, 0x81, 0xff };
	size_t n = dice(f, 4) ? 1 : 1 + dice(f, 9);

	for (size_t i = 0; i < n && at + i < f->page_size; i++)
		f->page[at + i] = n > 1 && dice(f, 4) ? (uint8_t)(0x80 | dice(f, 128))
						      : odd[dice(f, WL_COUNT(odd))];
}

/* The cell of a table's leaf: sizes, the header of its record, or where it goes on. */
static void change_leaf_cell(struct file *f, size_t at)
{
	size_t rowid = skip_varint(f, at), record = skip_varint(f, rowid);
	size_t type = skip_varint(f, record);
	uint32_t what = dice(f, 10);

	if (what < 6) {
		for (uint32_t skip = dice(f, 12); skip > 0; skip--)
			type = skip_varint(f, type);
		change_varint(f, type);
	} else if (what == 6) {
		change_varint(f, at);
	} else if (what == 7) {
		change_varint(f, rowid);
	} else if (what == 8) {
		change_varint(f, record);
	} else if (record + 4 < f->page_size) {
		/* A page number is four bytes, and most often begins with zeros. */
		for (size_t i = record; i + 4 < f->page_size; i++) {
			if (f->page[i] == 0 && f->page[i + 1] == 0 && dice(f, 4) == 0) {
				put_u32(f->page + i, page_number(f));
				return;
			}
		}
	}
}

static void change_cell(struct file *f)
{
	size_t n, at;
	uint8_t *p = pointers(f, &n);

	if (n == 0)
		return;
	at = get_u16(p + (size_t)2 * dice(f, (uint32_t)n));
	if (at + 16 > f->page_size)
		return;
	if (f->page[f->header] == TABLE_LEAF)
		change_leaf_cell(f, at);
	else if (dice(f, 2))
		put_u32(f->page + at, page_number(f));
	else
		change_varint(f, at + 4);
}

/* The first page of an overflow chain: its next one is its first number. */
static void change_chain(struct file *f)
{
	if (f->header == 0)
		put_u32(f->page, page_number(f));
}

static void copy_page(struct file *f)
{
	const uint8_t *from = f->page;

	choose_page(f);
	if (f->header == 0 && from != f->page && from != f->bytes)
		memcpy(f->page, from, f->page_size);
}

static void change_size(struct file *f, size_t max_size)
{
	if (dice(f, 2) && f->n_pages > 2) {
		f->size -= f->page_size * dice(f, 2) + dice(f, 3);
	} else if (f->size + f->page_size <= max_size) {
		memcpy(f->bytes + f->size, f->page, f->page_size);
		f->size += f->page_size;
	}
}

/* Any bytes of the page, which keep their number; those of the first are the schema. */
static void change_bytes(struct file *f)
{
	size_t at = f->header + dice(f, (uint32_t)(f->page_size - f->header));
	size_t n = 1 + dice(f, 64);

	n = n < f->page_size - at ? n : f->page_size - at;
	(void)LLVMFuzzerMutate(f->page + at, n, n);
}

static void change(struct file *f, size_t max_size)
{
	uint32_t what = dice(f, 32);

	if (what == 0)
		change_file_header(f);
	else if (what < 5)
		change_page_header(f);
	else if (what < 9)
		change_pointer(f);
	else if (what < 24)
		change_cell(f);
	else if (what < 26)
		change_chain(f);
	else if (what < 27)
		copy_page(f);
	else if (what < 28)
		change_size(f, max_size);
	else
		change_bytes(f);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
	struct file f = { .bytes = data, .size = size, .random = seed };

	if (dice(&f, 8) == 0 || !open_file(&f))
		return LLVMFuzzerMutate(data, size, max_size);
	for (uint32_t n = 1 + dice(&f, MAX_CHANGES); n > 0 && open_file(&f); n--)
		change(&f, max_size);
	if (dice(&f, 16) && open_file(&f))
		agree(&f);
	return f.size;
}
