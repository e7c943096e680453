/* SPDX-License-Identifier: MIT */
#include "base/text/json_load.h"

#include <setjmp.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>

/* In front of what the library receives. The links matter during a parse only. */
struct block {
	alignas(max_align_t) struct block *next;
	struct block *prev;
	size_t size;
};

struct parse {
	jmp_buf out;
	struct block *blocks; /* that the library holds */
	size_t left;
	bool is_running;
};

/* Of this thread. Not automatic: its fields change between setjmp and longjmp. */
static _Thread_local struct parse parse;

static void link_block(struct parse *p, struct block *b)
{
	b->prev = NULL;
	b->next = p->blocks;
	if (b->next)
		b->next->prev = b;
	p->blocks = b;
}

static void unlink_block(struct parse *p, struct block *b)
{
	if (b->prev)
		b->prev->next = b->next;
	else
		p->blocks = b->next;
	if (b->next)
		b->next->prev = b->prev;
}

/*
 * The library has no lock and no state of its own during a parse, so leaving it where it asks for
 * memory loses only its blocks, which wl_json_load frees. Outside of a parse only an object grows,
 * which the library undoes as it should.
 */
static void *allocate(size_t size)
{
	struct parse *p = parse.is_running ? &parse : NULL;
	struct block *b = NULL;

	if ((!p || size <= p->left) && size <= SIZE_MAX - sizeof(*b))
		b = malloc(sizeof(*b) + size);
	if (!b && p)
		longjmp(p->out, 1);
	if (!b)
		return NULL;
	b->size = size;
	if (p) {
		p->left -= size;
		link_block(p, b);
	}
	return b + 1;
}

static void give(void *at)
{
	struct block *b = at ? (struct block *)at - 1 : NULL;

	if (b && parse.is_running) {
		parse.left += b->size;
		unlink_block(&parse, b);
	}
	free(b);
}

/* Before main(): no document may exist that another allocator made. */
__attribute__((constructor)) static void be_the_allocator(void)
{
	json_set_alloc_funcs(allocate, give);
}

static void free_blocks(struct block *b)
{
	while (b) {
		struct block *next = b->next;

		free(b);
		b = next;
	}
}

json_t *wl_json_load(const char *text, size_t n, size_t most, json_error_t *e, bool *ret_short)
{
	json_t *doc;

	parse.blocks = NULL;
	parse.left = most;
	if (setjmp(parse.out) != 0) {
		parse.is_running = false;
		free_blocks(parse.blocks);
		*ret_short = true;
		return NULL;
	}
	parse.is_running = true;
	doc = json_loadb(text, n,
			 JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL, e);
	parse.is_running = false;
	*ret_short = false;
	return doc;
}
