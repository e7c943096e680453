/* SPDX-License-Identifier: MIT */
/* may.h - the rights that a process in the sandbox keeps. */
#ifndef WL_BASE_MAY_H
#define WL_BASE_MAY_H

/* What a process may still do. */
enum wl_may {
	WL_MAY_EXEC = 1 << 0,    /* start programs */
	WL_MAY_CONNECT = 1 << 1, /* to servers */
	WL_MAY_LISTEN = 1 << 2,  /* for clients */
	WL_MAY_OPEN = 1 << 3,    /* any file, at any time */
	WL_MAY_ALL = (1 << 4) - 1,
};

#endif
