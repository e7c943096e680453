/* SPDX-License-Identifier: MIT */
/* io_names.h - what names of NVTX ranges say about input, output and messages. */
#ifndef WL_KNOWN_IO_NAMES_H
#define WL_KNOWN_IO_NAMES_H

enum wl_io {
	WL_IO_NONE,
	WL_IO_ANY, /* "IO": the direction is not said */
	WL_IO_INPUT,
	WL_IO_OUTPUT,
	WL_IO_MPI,
};

/* By the words of the name: "saveResults" is output, "reload" is nothing. */
enum wl_io wl_io_named(const char *range);

#endif
