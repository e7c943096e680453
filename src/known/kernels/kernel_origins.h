/* SPDX-License-Identifier: MIT */
/* kernel_origins.h - the library that a kernel is from, by its name; see kernel_origins.def. */
#ifndef WL_KNOWN_KERNEL_ORIGINS_H
#define WL_KNOWN_KERNEL_ORIGINS_H

#include <stdbool.h>

/* How sure a statement about a name is. */
enum wl_sureness {
	WL_SURE_CERTAIN, /* documented, in a public source, or a name of the library's own */
	WL_SURE_LIKELY,  /* as names of this kind are written; not documented, or not unique */
};

/* Whose grammar a name follows; see kernel_parts.def. */
enum wl_kernel_family {
	WL_FAMILY_NONE, /* of which no grammar is known */
	WL_FAMILY_NCCL,
	WL_FAMILY_FLASH,
	WL_FAMILY_FMHA_CUTLASS,
	WL_FAMILY_FMHA_V2,
	WL_FAMILY_CUDNN_SDPA,
	WL_FAMILY_TRTLLM_GEN,
	WL_FAMILY_TRTLLM_GEN_FMHA,
	WL_FAMILY_MYELIN,
	WL_FAMILY_INDUCTOR,
	WL_FAMILY_XLA,
	WL_FAMILY_NVFUSER,
	WL_FAMILY_OPENACC,
	WL_FAMILY_THRUST,
	WL_FAMILY_CUB,
	WL_FAMILY_NVJET,
	WL_FAMILY_XMMA,
	WL_FAMILY_SASS_GEMM,
	WL_FAMILY_CUTLASS_NAME,
	WL_FAMILY_CUTLASS_TEMPLATE,
	WL_FAMILY_PYTORCH,
};

/* Texts are constant. */
struct wl_kernel_origin {
	enum wl_kernel_family family;
	enum wl_sureness sureness;
	const char *library; /* "cuBLAS" */
	const char *what;    /* a sentence about it */
	const char *source;  /* what the statement rests on */
};

/* NULL when the name does not say. Linear in the table. */
const struct wl_kernel_origin *wl_kernel_origin_of(const char *demangled);

#endif
