/* SPDX-License-Identifier: MIT */
/* small.h - which copies count as small. */
#ifndef WL_DERIVE_SMALL_H
#define WL_DERIVE_SMALL_H

enum {
	WL_TINY_READ_BYTES = 64,     /* a flag or a few scalars, from the device to the host */
	WL_SMALL_COPY_BYTES = 65536, /* takes a few us on PCIe, as long as its launch */
};

#endif
