/* SPDX-License-Identifier: MIT */
#include "known/calls/call_costs.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"

static const struct {
	enum wl_call_cost class;
	const char *name;
	uint8_t code;
} costs[] = {
#define WL_CALL_COST(class, name, code) { WL_COST_##class, name, code },
#include "known/calls/call_costs.def"
#undef WL_CALL_COST
};

/* The next letter or digit in lower case, 0 at the end. */
static int next_letter(const char **text)
{
	while (**text && !isalnum((unsigned char)**text))
		++*text;
	return **text ? tolower((unsigned char)*(*text)++) : 0;
}

static bool is_same(const char *a, const char *b)
{
	int of_a, of_b;

	do {
		of_a = next_letter(&a);
		of_b = next_letter(&b);
	} while (of_a == of_b && of_a);
	return of_a == of_b;
}

enum wl_call_cost wl_call_cost_of(const char *name, uint8_t code)
{
	for (size_t i = 0; name && i < WL_COUNT(costs); i++) {
		if (is_same(name, costs[i].name))
			return costs[i].class;
	}
	for (size_t i = 0; i < WL_COUNT(costs); i++) {
		if (code == costs[i].code)
			return costs[i].class;
	}
	return WL_COST_PROFILER;
}

const char *wl_jit_name(uint8_t operation, uint8_t entry)
{
	enum { CACHE_LOAD = 1, CACHE_STORE, COMPILE }; /* CUpti_ActivityJitOperationType */
	enum { PTX_TO_CUBIN = 1, NVVM_IR_TO_PTX };     /* CUpti_ActivityJitEntryType */

	switch (operation) {
	case CACHE_LOAD:
		return "JIT cache load";
	case CACHE_STORE:
		return "JIT cache store";
	case COMPILE:
		return entry == PTX_TO_CUBIN     ? "JIT compile (PTX)"
		       : entry == NVVM_IR_TO_PTX ? "JIT compile (NVVM)"
						 : "JIT compile";
	default:
		return "JIT";
	}
}
