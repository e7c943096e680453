/* SPDX-License-Identifier: MIT */
/* kernels.h - class, category and collective of a kernel by its name; see kernels.def. */
#ifndef WL_KNOWN_KERNELS_H
#define WL_KNOWN_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

#include "known/kernels/collectives.h"

enum wl_category {
#define WL_CATEGORY(ID, word, COLOUR, HATCH, holds) WL_CATEGORY_##ID,
#include "known/kernels/kernels.def"
#undef WL_CATEGORY
	WL_CATEGORY_OTHER, /* no line of the table fits */
	WL_N_NAMED_CATEGORIES = WL_CATEGORY_OTHER
};

struct wl_kernel_facts {
	uint8_t category;   /* enum wl_category */
	uint8_t collective; /* enum wl_collective, also of what does not communicate */
	bool fused;         /* it communicates and computes, whichever its class is */
};

/* "communication", ...; of one of the named ones. */
const char *wl_category_word(enum wl_category category);

/* What it holds, in a few words without a full stop; of one of the named ones. */
const char *wl_category_holds(enum wl_category category);

/* What the table says of a kernel with this demangled name. */
struct wl_kernel_facts wl_kernel_named(const char *demangled);

/* Whether the kernel's class is communication. */
static inline bool wl_kernel_is_comm(const struct wl_kernel_facts *f)
{
	return f->category == WL_CATEGORY_COMMUNICATION;
}

#endif
