/* SPDX-License-Identifier: MIT */
/* stack_text.h - what a format of call stacks writes of a trace in memory. */
#ifndef WL_TESTS_STACK_TEXT_H
#define WL_TESTS_STACK_TEXT_H

#include <stdlib.h>
#include <string.h>

#include "export/formats.h"
#include "support/mem.h"
#include "support/unit.h"

struct stack_text {
	struct mem mem;
	char *text;
	size_t n;
	struct wl_stacks_done done;
};

static inline void stack_text_begin(struct stack_text *x)
{
	*x = (struct stack_text){ .text = NULL };
	mem_init(&x->mem);
}

static inline void stack_text_end(struct stack_text *x)
{
	free(x->text);
	mem_release(&x->mem);
}

static inline void stack_text_sample(struct stack_text *x, unsigned tid, wl_ns at,
				     const char *stack)
{
	mem_sample(&x->mem, &(struct mem_call){ .start = at, .tid = tid, .stack = stack });
}

/* A GPU that waits from 200 to 1000 for a call of thread 7 at 900. */
static inline void stack_text_gap(struct stack_text *x)
{
	mem_api(&x->mem, &(struct mem_call){ .start = 50, .end = 60, .tid = 7, .corr = 1 });
	mem_api(&x->mem, &(struct mem_call){ .start = 900, .end = 950, .tid = 7, .corr = 2 });
	mem_op(&x->mem, WL_F_KERNELS, &(struct mem_op){ .start = 100, .end = 200, .corr = 1 });
	mem_op(&x->mem, WL_F_KERNELS, &(struct mem_op){ .start = 1000, .end = 1100, .corr = 2 });
	stack_text_sample(x, 7, 0, "main;step");
	stack_text_sample(x, 7, 1000, "main;step");
	stack_text_sample(x, 7, 2000, "main;step");
}

/* Seals the trace. causes as in struct wl_stack_choice. */
static inline int stack_text_try(struct stack_text *x, const struct wl_export_format *format,
				 unsigned causes, size_t memory)
{
	const struct wl_stack_choice choice = { .causes = causes, .tid = -1 };
	struct mem_scope scope;
	struct wl_arena arena;
	FILE *out = open_memstream(&x->text, &x->n);
	const struct wl_stack_source source = { .derived = &x->mem.derived,
						.scope = &scope.scope,
						.choice = &choice,
						.arena = &arena };
	int r;

	assert_non_null(out);
	mem_scope_whole(&scope, &x->mem.build.trace);
	wl_arena_init(&arena, memory);
	r = format->stacks(&source, out, &x->done);
	wl_arena_release(&arena);
	(void)fclose(out);
	return r;
}

static inline void stack_text_write(struct stack_text *x, const struct wl_export_format *format,
				    unsigned causes)
{
	(void)mem_seal(&x->mem);
	assert_int_equal(stack_text_try(x, format, causes, (size_t)1 << 20), WL_OK);
}

/* With every limit up to what is enough the format fails, and says so. */
static inline void stack_text_starve(const struct wl_export_format *format)
{
	struct stack_text x;
	size_t memory = 0;
	int r;

	stack_text_begin(&x);
	stack_text_sample(&x, 7, 0, "main");
	stack_text_sample(&x, 7, 10, "main");
	(void)mem_seal(&x.mem);
	while ((r = stack_text_try(&x, format, 0, memory)) < 0) {
		assert_int_equal(r, WL_E_NOMEM);
		free(x.text);
		memory += 64;
	}
	assert_true(memory > 0);
	stack_text_end(&x);
}

#endif
