/* SPDX-License-Identifier: MIT */
#include "known/kernels/forks.h"

/* The stack holds what the sequence shares with each of those before it, ascending, once. */
static size_t push(uint32_t *stack, size_t depth, uint32_t shared)
{
	while (depth > 0 && stack[depth - 1] >= shared)
		depth--;
	stack[depth] = shared;
	return depth + 1;
}

void wl_forks_mark(const uint32_t *shared, size_t n, uint32_t *stack, wl_fork_mark *mark, void *ctx)
{
	size_t depth = 0;

	for (size_t i = 1; i < n; i++) {
		depth = push(stack, depth, shared[i]);
		for (size_t k = 0; k < depth; k++)
			mark(ctx, i, stack[k]);
	}
	depth = 0;
	for (size_t i = n; i-- > 1;) {
		depth = push(stack, depth, shared[i]);
		for (size_t k = 0; k < depth; k++)
			mark(ctx, i - 1, stack[k]);
	}
}
