/* SPDX-License-Identifier: MIT */
/* kernel_page.h - what a kernel's name says: library, operation, types, tile, certainty. */
#ifndef WL_AGENT_EXPLAIN_KERNEL_PAGE_H
#define WL_AGENT_EXPLAIN_KERNEL_PAGE_H

#include "agent/explain/prose.h"

/* Whether it names a kernel of a known library, or a copy as nsys names them. */
bool wl_kernel_page_knows(const char *name);

/* Whether it could be a kernel's name: it has characters that ordinary words do not have. */
bool wl_kernel_page_is_name(const char *name);

/* Add the page, which also says what is not known. WL_E_NOMEM. */
int wl_kernel_page_put(struct wl_prose *p, const char *name, struct wl_err *reterr) WL_MUST_CHECK;

#endif
