/* SPDX-License-Identifier: MIT */
/* names.h - the base of a kernel's name, and whether a public library has it. */
#ifndef WL_KNOWN_NAMES_H
#define WL_KNOWN_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Write the qualified function name without return type, template arguments,
 * parameters and a trailing hash: "void a::f<4, b>(int)" is "a::f". Writes at most
 * size bytes with the terminator and returns the length; a name not of C++
 * is copied unchanged.
 */
size_t wl_name_base(const char *name, char *buf, size_t size);

/* True when it is a kernel of a public library; see known.def. */
bool wl_name_is_known(const char *demangled);

#endif
