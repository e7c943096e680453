/* SPDX-License-Identifier: MIT */
/*
 * build.h - a trace under construction.
 *
 * Order of calls: init; the reader puts catalogue rows and fills columns;
 * finish names processes and devices, orders the families that are new and
 * publishes the trace; more families may then be filled, and finish called
 * again. Between two calls of finish the published trace must not be in use.
 */
#ifndef WL_MODEL_BUILD_H
#define WL_MODEL_BUILD_H

#include "base/err.h"
#include "model/strings.h"
#include "model/trace.h"

struct wl_pool;

/* Key of a place; no padding, because interning compares bytes. */
struct wl_place_key {
	uint64_t process; /* globalPid >> 24 */
	uint32_t ordinal, context, stream;
	uint32_t zero;
};

/* TARGET_INFO_CUDA_DEVICE: a process's ordinal is this GPU. */
struct wl_cuda_device {
	int64_t pid, ordinal, gpu_id;
	uint32_t uuid; /* string or WL_NONE */
};

/* A name of the process or thread with this key. */
struct wl_label {
	uint64_t key;
	int64_t value; /* string number */
	size_t seq;    /* of two with one key the later one wins */
};

/* What numbers of counters and adapters mean, by the tables that say so. */
enum wl_metric_key_of {
	WL_KEY_METRIC,     /* TARGET_INFO_GPU_METRICS: type and metric; string */
	WL_KEY_NET_METRIC, /* TARGET_INFO_NETWORK_METRICS: list and metric; string */
	WL_KEY_NET_UNIT,   /* the same: unit of the metric; string */
	WL_KEY_NIC,        /* TARGET_INFO_NIC_INFO: number of an adapter; string */
	WL_KEY_NIC_NUMBER, /* NIC_ID_MAP: an adapter as samples name it; its number */
};

/* No padding. */
struct wl_metric_key {
	uint64_t type;
	uint32_t metric;
	uint32_t of; /* enum wl_metric_key_of */
};

/* A metric of a port of a network adapter, as samples name it. No padding. */
struct wl_nic_key {
	uint64_t adapter, list;
	uint32_t metric, port;
};

/* A file of a job. */
struct wl_build_file {
	struct wl_trace_file clock;
	int64_t rank[WL_N_RANK_SOURCES]; /* what its environment and its name say; -1 for nothing */
	size_t n_repaired, n_mistyped;   /* as in the trace of the file */
};

/* A device as its own file has it, of a job. */
struct wl_taken_device {
	struct wl_device device; /* its strings and its GPU are the job's */
	uint32_t file;
};

/* Where a field of a binary NVTX payload is: see read/payload.h. */
struct wl_payload_field {
	uint64_t domain, schema;
	uint32_t what, offset;
	uint32_t size; /* bytes; 0: processes disagree */
};

/* A field of a layout, as the file lists it. */
struct wl_payload_item {
	uint64_t domain, schema, type;
	uint32_t index, offset, flags, detail;
	uint32_t name;    /* string of the build */
	bool is_disputed; /* processes disagree */
};

/* What a number means in a payload: a scope of a domain, or a value of a set of names. */
struct wl_payload_name {
	uint64_t domain, set, number; /* set: the layout that names it; WL_PAYLOAD_SCOPES */
	uint32_t name;                /* string of the build */
};

#define WL_PAYLOAD_SCOPES UINT64_MAX

struct wl_build_family {
	bool present; /* the file has rows for it */
	size_t n;
	size_t n_dropped;
	size_t n_left_out; /* rows of the table that are no such events */
	size_t n_mistyped;
	struct wl_vec long_row, long_dur; /* uint32_t, wl_ns; sorted by row */
	bool filled;                      /* rows are there */
	bool ordered;                     /* and in order */
};

struct wl_build {
	struct wl_budget own;     /* without limit; for callers without one */
	struct wl_budget *budget; /* what all of it is charged to */
	struct wl_pool *pool; /* borrowed, for finish; NULL orders in line, with the same result */
	char *path;
	struct wl_string_pool strings;
	struct wl_vec column[WL_N_COLUMNS];
	struct wl_build_family family[WL_N_FAMILIES];
	struct wl_columns loaded;

	struct wl_intern place_keys;   /* struct wl_place_key */
	struct wl_vec place_used;      /* uint8_t per place: a GPU operation ran there */
	struct wl_intern thread_keys;  /* uint64_t globalTid */
	struct wl_intern kernel_names; /* struct wl_kernel_name */
	struct wl_intern configs;      /* struct wl_launch_config */
	struct wl_intern frames;       /* struct wl_stack_frame */
	struct wl_intern stacks;       /* struct wl_stack */
	struct wl_intern series;       /* struct wl_counter_series */
	struct wl_intern metric_keys;  /* struct wl_metric_key */

	struct wl_vec gpus;           /* struct wl_gpu */
	struct wl_vec cuda_devices;   /* struct wl_cuda_device */
	struct wl_vec process_names;  /* struct wl_label, by globalPid >> 24 */
	struct wl_vec thread_names;   /* struct wl_label, by globalTid */
	struct wl_vec mpi_ranks;      /* struct wl_mpi_rank */
	struct wl_vec hosts;          /* struct wl_label, by globalPid >> 48: names of machines */
	struct wl_vec meta;           /* struct wl_meta */
	struct wl_vec payload_fields; /* struct wl_payload_field */
	struct wl_vec payload_items;  /* struct wl_payload_item */
	struct wl_vec payload_names;  /* struct wl_payload_name */
	struct wl_vec metric_names;   /* uint32_t string or number, by metric_keys */
	struct wl_vec source_columns; /* struct wl_source_column */

	/* Of a job: merge.h. machines is 0 otherwise. */
	unsigned machines;           /* numbers that each file has for its machines */
	int64_t world;               /* as in the trace */
	uint32_t job;                /* as in the trace */
	struct wl_vec files;         /* struct wl_build_file */
	struct wl_vec taken_devices; /* struct wl_taken_device */
	struct wl_vec place_device;  /* uint32_t per place: of taken_devices, or WL_NONE */

	/* made by finish; trace_files: struct wl_trace_file */
	struct wl_vec processes, devices, places, threads, trace_files;

	wl_ns duration;
	int64_t utc_start, session;
	uint32_t host;
	bool pids_only;    /* some rows name a pid and no machine: keys are pids, of all rows */
	size_t n_mistyped; /* in tables that are no family */
	const char *reader, *detours; /* as in the trace; borrowed */

	struct wl_trace trace; /* what finish published */
};

/* path is copied. The budget must outlive b, which must stay where it is; NULL: without limit. */
int wl_build_init(struct wl_build *b, const char *path, struct wl_budget *budget,
		  struct wl_err *reterr) WL_MUST_CHECK;
void wl_build_release(struct wl_build *b);

/*
 * Publish. Costs a look at each new family; a move of its columns, which takes
 * little memory, where owners are mixed; and a sort of the rows that are not in
 * order of time, with up to 16 bytes for each of them.
 */
int wl_build_finish(struct wl_build *b, struct wl_err *reterr) WL_MUST_CHECK;

/* True when any vector or pool ran out of memory: the trace must not be used. */
bool wl_build_failed(const struct wl_build *b);

/* The key of the process or thread that an id of the file names. */
static inline uint64_t wl_process_key(const struct wl_build *b, int64_t global_pid)
{
	return (uint64_t)global_pid >> 24 & (b->pids_only ? 0xffffff : UINT64_MAX);
}

static inline uint64_t wl_thread_key(const struct wl_build *b, int64_t global_tid)
{
	return (uint64_t)global_tid & (b->pids_only ? 0xffffffffffff : UINT64_MAX);
}

/*
 * identity.c: the number of the GPU with nsys's id, WL_NONE for none. Of one file, once finish was
 * called after its GPUs were put.
 */
uint32_t wl_build_find_gpu(const struct wl_build *b, int64_t id);

/* identity.c: processes, devices, places and threads out of the catalogue; part of finish. */
int wl_build_identify(struct wl_build *b, struct wl_err *reterr) WL_MUST_CHECK;

/* ranks.c: the rank of each process; part of identify. False without memory. */
bool wl_build_rank(struct wl_build *b) WL_MUST_CHECK;

/* order.c: bring a filled family into its order; part of finish, after identify. */
int wl_build_order(struct wl_build *b, enum wl_family_id family,
		   struct wl_err *reterr) WL_MUST_CHECK;

#endif
