/* SPDX-License-Identifier: MIT */
/* frames.h - what the names of functions and modules say about a frame of a call stack. */
#ifndef WL_KNOWN_FRAMES_H
#define WL_KNOWN_FRAMES_H

#include <stdbool.h>

enum wl_frame_role {
	WL_FRAME_IS_OWN,     /* a function of the program, or of a Python file */
	WL_FRAME_IS_LIBRARY, /* a function of a library, the interpreter or the kernel */
	WL_FRAME_IS_ENTRY, /* starts a program or a thread, or calls functions for an interpreter */
	WL_FRAME_IS_INSIDE, /* a part of a library that has no telling name */
};

/* By the symbol (frames.def), then by the file name of its module, which may be NULL. */
enum wl_frame_role wl_frame_role(const char *symbol, const char *module);

/* "libc.so.6": the file name of a shared library. */
bool wl_module_is_shared(const char *module);

#endif
