/* SPDX-License-Identifier: MIT */
#include "known/exports/codes.h"

#include <stddef.h>
#include <string.h>

#include "base/attr.h"

static const char *look_up(const char *const *names, size_t n, unsigned code)
{
	return code < n && names[code] ? names[code] : "unknown";
}

bool wl_nvtx_is_push_pop(unsigned kind)
{
	return kind == WL_NVTX_PUSH_POP || kind == WL_NVTX_PUSH_POP_IMPORTED;
}

bool wl_nvtx_is_range(unsigned kind)
{
	return wl_nvtx_is_push_pop(kind) || kind == WL_NVTX_START_END ||
	       kind == WL_NVTX_START_END_IMPORTED;
}

bool wl_copy_is_on_device(unsigned kind)
{
	return kind == WL_COPY_D2D || kind == WL_COPY_A2A || kind == WL_COPY_A2D ||
	       kind == WL_COPY_D2A;
}

bool wl_copy_is_managed(unsigned kind)
{
	return kind == WL_COPY_UVM_H2D || kind == WL_COPY_UVM_D2H || kind == WL_COPY_UVM_D2D;
}

/* The codes that nsys writes, once for both spellings. */
#define COPY_KINDS(X)                                                                              \
	X(1, "HtoD")                                                                               \
	X(2, "DtoH")                                                                               \
	X(3, "HtoA")                                                                               \
	X(4, "AtoH")                                                                               \
	X(5, "AtoA")                                                                               \
	X(6, "AtoD")                                                                               \
	X(7, "DtoA")                                                                               \
	X(8, "DtoD")                                                                               \
	X(9, "HtoH")                                                                               \
	X(10, "PtoP")                                                                              \
	X(11, "managed HtoD")                                                                      \
	X(12, "managed DtoH")                                                                      \
	X(13, "managed DtoD")

const char *wl_copy_kind_name(unsigned kind)
{
#define NAME(code, name) [code] = (name),
	static const char *const names[] = { COPY_KINDS(NAME) };
#undef NAME

	return look_up(names, WL_COUNT(names), kind);
}

const char *wl_copy_kind_title(unsigned kind)
{
#define TITLE(code, name) [code] = "[CUDA memcpy " name "]",
	static const char *const titles[] = { COPY_KINDS(TITLE) };
#undef TITLE

	return kind < WL_COUNT(titles) && titles[kind] ? titles[kind] : "[CUDA memcpy unknown]";
}

const char *wl_memory_kind_name(unsigned kind)
{
	static const char *const names[] = { "pageable",       "pinned",  "device",
					     "array",          "managed", "device-static",
					     "managed-static", "unknown" };

	return kind == 255 ? NULL : look_up(names, WL_COUNT(names), kind);
}

uint8_t wl_known_copy_kind(uint8_t kind)
{
	return strcmp(wl_copy_kind_name(kind), "unknown") == 0 ? 0 : kind;
}

uint8_t wl_known_memory_kind(uint8_t kind)
{
	return kind != 255 && strcmp(wl_memory_kind_name(kind), "unknown") == 0 ? 7 : kind;
}

const char *wl_file_mode_name(unsigned kind)
{
	static const char *const names[] = { [1] = "open",  [2] = "close",   [3] = "read",
					     [4] = "write", [5] = "several", [6] = "metadata" };

	return look_up(names, WL_COUNT(names), kind);
}

const char *wl_severity_name(unsigned severity)
{
	static const char *const names[] = {
		[1] = "information", [2] = "warning", [3] = "error", [4] = "verbose"
	};

	return look_up(names, WL_COUNT(names), severity);
}

bool wl_is_launch_call(const char *function)
{
	static const char *const beginnings[] = { "cudaLaunch",    "cuLaunch",   "cudaGraphLaunch",
						  "cuGraphLaunch", "cudaMemcpy", "cuMemcpy",
						  "cudaMemset",    "cuMemset" };

	for (size_t i = 0; i < WL_COUNT(beginnings); i++) {
		if (strncmp(function, beginnings[i], strlen(beginnings[i])) == 0)
			return true;
	}
	return false;
}

const char *wl_cuda_fatal_name(int32_t result)
{
	switch (result) {
	case 700:
		return "illegal memory access";
	case 702:
		return "launch timeout";
	case 710:
		return "assertion failed";
	case 714:
		return "hardware stack error";
	case 715:
		return "illegal instruction";
	case 716:
		return "misaligned address";
	case 717:
		return "invalid address space";
	case 718:
		return "invalid program counter";
	case 719:
		return "launch failure";
	default:
		return NULL;
	}
}
