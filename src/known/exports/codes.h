/* SPDX-License-Identifier: MIT */
/*
 * codes.h - the numbers that nsys writes, and their names.
 *
 * Carried here because the ENUM_* tables of the files come and go with versions.
 */
#ifndef WL_KNOWN_CODES_H
#define WL_KNOWN_CODES_H

#include <stdbool.h>
#include <stdint.h>

enum wl_nvtx_kind {
	WL_NVTX_CATEGORY_NAME = 33,
	WL_NVTX_MARK = 34,
	WL_NVTX_THREAD_NAME = 39,
	WL_NVTX_PUSH_POP = 59,
	WL_NVTX_START_END = 60,
	WL_NVTX_PUSH_POP_IMPORTED = 70,
	WL_NVTX_START_END_IMPORTED = 71,
	WL_NVTX_DOMAIN_CREATE = 75,
	WL_NVTX_DOMAIN_DESTROY = 76,
};

enum wl_copy_kind {
	WL_COPY_H2D = 1,
	WL_COPY_D2H = 2,
	WL_COPY_A2A = 5,
	WL_COPY_A2D = 6,
	WL_COPY_D2A = 7,
	WL_COPY_D2D = 8,
	WL_COPY_P2P = 10,
	WL_COPY_UVM_H2D = 11,
	WL_COPY_UVM_D2H = 12,
	WL_COPY_UVM_D2D = 13,
};

/*
 * What a synchronisation row is, by which of stream and event it names. The values are the
 * documented codes of syncType, which the rows of many versions do not follow. A stream
 * that waits for an event does not stop the host; whether another wait does, the name of
 * its call says (a query does not).
 */
enum wl_sync_kind {
	WL_SYNC_EVENT = 1,
	WL_SYNC_STREAM_WAITS = 2,
	WL_SYNC_STREAM = 3,
	WL_SYNC_CONTEXT = 4,
};

/* Event classes that are no calls: when OS runtime tracing began and ended. */
enum wl_event_class { WL_EVENT_OSRT_BEGIN = 31, WL_EVENT_OSRT_END = 32 };

/* Why managed memory migrates: a fault, or the driver's guess at what faults next. */
enum wl_migration_cause { WL_MIGRATES_BY_FAULT = 2, WL_MIGRATES_NEAR_FAULT = 3 };

enum wl_memory_kind { WL_MEMORY_PAGEABLE = 0, WL_MEMORY_PINNED = 1 };

/* CUDA's cudaErrorNotReady: what a query says while the work goes on; not an error. */
enum { WL_CUDA_NOT_READY = 600 };

/*
 * "illegal memory access", ...: errors after which every call of the process fails; NULL for
 * others.
 */
const char *wl_cuda_fatal_name(int32_t result);

/* Push/pop and start/end ranges, as recorded or imported: what has a length. */
bool wl_nvtx_is_range(unsigned kind);

/* A range of one thread that nests; the others are opened and closed by a handle. */
bool wl_nvtx_is_push_pop(unsigned kind);

/* From device memory or an array to device memory or an array, as a rule of one device. */
bool wl_copy_is_on_device(unsigned kind);

/* A migration of managed memory. */
bool wl_copy_is_managed(unsigned kind);

/* "HtoD", ...; "unknown" for codes we have not met. */
const char *wl_copy_kind_name(unsigned kind);

/* "[CUDA memcpy HtoD]", ...: what rankings and rules call a copy. */
const char *wl_copy_kind_title(unsigned kind);

/* "pageable", "pinned", ...; NULL where the code is absent (255). */
const char *wl_memory_kind_name(unsigned kind);

/* The code itself, or one code for all that we have not met; 255 (absent) stays. */
uint8_t wl_known_copy_kind(uint8_t kind);
uint8_t wl_known_memory_kind(uint8_t kind);

/* "open", "read", ...: what a call does to a file; "unknown" else. */
const char *wl_file_mode_name(unsigned kind);

/* "information", "warning", "error", "verbose"; "unknown" else. */
const char *wl_severity_name(unsigned severity);

/* An API function that starts a GPU operation: a kernel, graph, copy or set. */
bool wl_is_launch_call(const char *function);

#endif
