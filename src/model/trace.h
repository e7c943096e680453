/* SPDX-License-Identifier: MIT */
/*
 * trace.h - the in-memory trace, whose columns are immutable once sealed.
 *
 * A trace is a set of column families (families.def). Row i of every column of a family is the same
 * event. A column that was not requested is NULL; a family that is absent from the file, or has no
 * rows, has n == 0.
 *
 * The reader guarantees, so that analyses need not check:
 *  - |time| <= WL_TIME_MAX, so differences of times cannot overflow;
 *  - lengths are >= 0 (end < start counts as end = start);
 *  - rows are in the family's order (enum wl_order), whatever else was loaded;
 *  - every index (place, thread, name, string) is in range or WL_NONE;
 *  - strings are valid UTF-8 without NUL (control characters stay).
 *
 * Columns hold indexes, never pointers, so a trace can be written to a file and mapped back.
 */
#ifndef WL_MODEL_TRACE_H
#define WL_MODEL_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory/intern.h"

typedef int64_t wl_ns; /* nanoseconds, a point on the trace clock or a length */

#define WL_TIME_MAX ((wl_ns)1 << 61)
#define WL_NO_TIME  INT64_MIN  /* in columns where a time may be absent */
#define WL_NO_U8    UINT8_MAX  /* absent small code */
#define WL_NO_U64   UINT64_MAX /* absent wide id */

enum wl_order {
	WL_BY_DEVICE, /* (device, start, row of the file): columns start, dur, place */
	WL_BY_THREAD, /* (thread, start, end, row of the file): columns start, [dur,] thread */
	WL_BY_ROW,    /* as in the file */
};

enum wl_family_id {
#define WL_FAMILY(ID, id, order, help, capture) WL_F_##ID,
#define WL_COLUMN(FAMILY, COLUMN, family, column, type, domain, help)
#include "model/families.def"
#undef WL_FAMILY
#undef WL_COLUMN
	WL_N_FAMILIES
};

/* WL_KERNELS_START, WL_KERNELS_DUR, ...: how analyses and loaders name columns. */
enum wl_column_id {
#define WL_FAMILY(ID, id, order, help, capture)
#define WL_COLUMN(FAMILY, COLUMN, family, column, type, domain, help) WL_##FAMILY##_##COLUMN,
#include "model/families.def"
#undef WL_FAMILY
#undef WL_COLUMN
	WL_N_COLUMNS
};

/*
 * What the values of a column may be. Readers produce only such values, and a stored index is
 * checked for them, so analyses need no range checks.
 */
enum wl_column_domain {
	WL_D_START,          /* a time, by which the family is ordered */
	WL_D_LENGTH,         /* nanoseconds, WL_LONG for those in the side table */
	WL_D_TIME,           /* a time or WL_NO_TIME */
	WL_D_SIZE,           /* not negative */
	WL_D_PLACE,          /* an index of places */
	WL_D_THREAD,         /* an index of threads */
	WL_D_THREAD_OR_NONE, /* the same, or WL_NONE */
	WL_D_KERNEL_NAME,    /* an index of kernel names */
	WL_D_CONFIG,         /* an index of launch configurations */
	WL_D_TEXT,           /* an index of strings, or WL_NONE */
	WL_D_STACK,          /* an index of stacks, or WL_NONE */
	WL_D_SERIES,         /* an index of series */
	WL_D_CODE,           /* anything: only compared, never used as an index unchecked */
};

struct wl_column_info {
	const char *name, *help;
	size_t size; /* bytes per element */
	enum wl_family_id family;
	enum wl_column_domain domain;
};

struct wl_family_info {
	const char *name;
	enum wl_order order;
	const char *help;
	const char *capture; /* how to record such rows */
	size_t first_column; /* its columns are contiguous in enum wl_column_id */
};

extern const struct wl_column_info wl_column_infos[WL_N_COLUMNS];
extern const struct wl_family_info wl_family_infos[WL_N_FAMILIES];

/* The column after the family's last. */
size_t wl_family_end(enum wl_family_id family);

/* The columns that order a family by device or thread; dur is WL_N_COLUMNS if rows have no
 * length. */
struct wl_key_columns {
	size_t start, dur, owner;
};

struct wl_key_columns wl_family_keys(enum wl_family_id family);

/* A set of columns: what an analysis declares and the loader accepts. */
struct wl_columns {
	uint64_t bits[(WL_N_COLUMNS + 63) / 64];
};

void wl_columns_add(struct wl_columns *set, enum wl_column_id column);
void wl_columns_join(struct wl_columns *set, const struct wl_columns *other);

/*
 * Add the columns that the set's families require: those that order them and, if one of them has
 * devices, those of all operations, because they determine the devices.
 */
void wl_columns_close(struct wl_columns *set);
bool wl_columns_has(const struct wl_columns *set, enum wl_column_id column);
bool wl_columns_has_family(const struct wl_columns *set, enum wl_family_id family);

/*
 * Lengths are 32 bits wide; one that does not fit reads as WL_LONG, and its value is in the
 * family's side table, sorted by row.
 */
#define WL_LONG UINT32_MAX

/* Flags of nvtx.flags. */
enum wl_nvtx_flags {
	WL_NVTX_UNCLOSED = 1 << 0,
	WL_NVTX_NUMBER = 1 << 1, /* a typed payload value */
	WL_NVTX_JSON = 1 << 2,
	WL_NVTX_BINARY = 1 << 3,
};

struct wl_family {
	bool present; /* the file has rows for it, loaded or not */
	size_t n;
	size_t n_dropped; /* rows that could not be used, such as those without a start */
	size_t n_long;
	const uint32_t *long_row;
	const wl_ns *long_dur;
};

/* Where a GPU operation ran: a process's context and stream, on a device. */
struct wl_place {
	uint32_t process; /* index of processes */
	uint32_t device;  /* index of devices; WL_NONE for a synchronisation without operations */
	uint32_t ordinal; /* the process's CUDA device ordinal */
	uint32_t context;
	uint32_t stream;
};

struct wl_thread {
	uint64_t global;  /* the whole globalTid */
	uint32_t process; /* index of processes */
	uint32_t name;    /* string, WL_NONE if unknown */
	uint32_t tid;
};

struct wl_kernel_name {
	uint32_t demangled, brief, mangled; /* strings; an absent one repeats one that is present */
};

struct wl_launch_config {
	uint32_t grid[3], block[3];
	uint32_t registers;
	uint32_t static_shared, dynamic_shared;
};

/* The kind of a call stack's frame. */
enum wl_frame_kind {
	WL_FRAME_FUNCTION, /* a function by its name */
	WL_FRAME_ADDRESS,  /* code of a module whose functions have no names */
	WL_FRAME_NOTE,     /* not a function: the profiler's note on why the stack ends here */
	WL_N_FRAME_KINDS
};

/* Compared as bytes: no padding. */
struct wl_stack_frame {
	uint32_t symbol; /* string: function or note; WL_NONE for an address */
	uint32_t module; /* string: library or program; WL_NONE if unknown */
	uint32_t kind;   /* enum wl_frame_kind */
};

/*
 * A call stack is a node of a tree: its innermost frame and the stack that called it. Stacks with
 * the same outer frames share nodes; a row holds a node's number.
 */
struct wl_stack {
	uint32_t caller; /* index of stacks, below its own; WL_NONE for the outermost frame */
	uint32_t frame;  /* index of frames */
};

/* Whether a table of the file is read. If several files have it, the highest value counts. */
enum wl_table_use {
	WL_USE_NONE,    /* it is not used */
	WL_USE_SHAPE,   /* it lacks columns that its family requires */
	WL_USE_INSTEAD, /* another table of the file fills its family */
	WL_USE_READ,
};

/* What a counter measures, and thus which family has its samples. */
enum wl_counter_of {
	WL_COUNTER_OF_GPU, /* WL_F_METRICS */
	WL_COUNTER_OF_NIC, /* WL_F_NIC_METRICS */
	WL_N_COUNTER_OF
};

/*
 * A metric sampled on a GPU or on a port of a network adapter. Compared as bytes: no padding.
 */
struct wl_counter_series {
	uint64_t adapter; /* the adapter's id in its samples; 0 for a GPU */
	uint32_t of;      /* enum wl_counter_of */
	uint32_t gpu;     /* index of gpus; WL_NONE if the file does not describe it */
	uint32_t number;  /* nsys's number of the GPU or adapter; WL_NONE if unknown */
	uint32_t metric;  /* number of the metric in its file */
	uint32_t name;    /* string; WL_NONE if the file does not say */
	uint32_t file;    /* in a job: index of files; else 0 */
	uint32_t nic;     /* string: name of the adapter; WL_NONE for a GPU or if unknown */
	uint32_t unit;    /* unit of the values, if a table has it; else WL_NONE */
	uint32_t port;    /* of the adapter, WL_NONE if unknown; 0 for a GPU */
	uint32_t zero;
};

/* Sources of ranks, in the order in which they are tried. */
enum wl_rank_source {
	WL_RANK_NONE,
	WL_RANK_LABEL,   /* an NVTX range named rank=N */
	WL_RANK_PAYLOAD, /* NCCL's, from the creation of the largest communicator */
	WL_RANK_MPI,     /* table MPI_RANKS */
	/* the launched process's environment: wl_rank_variable() */
	WL_RANK_ENV,
	WL_RANK_ENV_OMPI,
	WL_RANK_ENV_PMIX,
	WL_RANK_ENV_PMI,
	WL_RANK_ENV_SLURM,
	WL_RANK_FILE,  /* the file's name */
	WL_RANK_ORDER, /* no source: the order of the job's files and processes */
	WL_N_RANK_SOURCES
};

/* The variable that a source reads, such as "OMPI_COMM_WORLD_RANK"; NULL if it reads none. */
const char *wl_rank_variable(enum wl_rank_source source);

struct wl_process {
	uint64_t key; /* globalPid >> 24: hardware, VM and pid */
	int64_t rank; /* valid if rank_source is not NONE */
	uint32_t pid;
	uint32_t name; /* string */
	uint32_t host; /* string: name of its machine; WL_NONE */
	uint32_t file; /* in a job: index of files; else 0 */
	enum wl_rank_source rank_source;
	bool on_gpu; /* has GPU operations */
};

/* A GPU of the machine, used or not. Absent numbers are 0; absent strings are WL_NONE. */
struct wl_gpu {
	int64_t id;        /* nsys's number */
	int64_t ordinal;   /* CUDA's number as nsys saw it, -1 if unknown */
	int64_t memory;    /* bytes */
	int64_t bandwidth; /* bytes per second */
	int64_t clock;     /* Hz */
	int64_t sm_count;
	int64_t cc_major, cc_minor;
	int64_t copy_engines;     /* 0 if unknown */
	uint32_t name, bus, uuid; /* strings */
};

/*
 * The unit that accounting treats as a GPU. It is a physical GPU if the trace proves which GPU a
 * process's ordinal is; otherwise it is one process's ordinal, and two such devices may be the same
 * GPU.
 */
struct wl_device {
	bool proven;
	uint32_t process; /* unproven device's process; WL_NONE if proven */
	uint32_t ordinal; /* the unproven device's ordinal; else the lowest that maps to it */
	uint32_t gpu;     /* index of gpus, WL_NONE if unknown */
	uint32_t uuid;    /* string, WL_NONE if unknown */
	uint32_t name;    /* string, WL_NONE if unknown */
	int64_t gpu_id;   /* physical id of a proven device */
};

/* A process's row in MPI_RANKS. */
struct wl_mpi_rank {
	uint64_t key; /* of the process */
	int64_t rank;
};

/* How a file's host clock is related to other hosts' clocks. */
enum wl_clock_state {
	WL_CLOCK_UTC,     /* from the file's UTC time: no collective links it to other hosts */
	WL_CLOCK_FITTED,  /* fitted to the ends of collectives */
	WL_CLOCK_REFUSED, /* no clock fits the ends of collectives */
};

/* Metadata in which the files of one job may differ; see wl_file_fact_name(). */
enum wl_file_fact {
	WL_FACT_NSYS,
	WL_FACT_SCHEMA,
	WL_FACT_REPORT,
	WL_FACT_SYSTEM,
	WL_FACT_DRIVER,
	WL_N_FILE_FACTS
};

/* "EXPORT_PRODUCT_VERSION" */
const char *wl_file_fact_name(enum wl_file_fact fact);

/*
 * A file of a job, and how its clock maps to the job's: time t of the file is t + offset + t *
 * drift / 1e9.
 */
struct wl_trace_file {
	uint32_t path, host;            /* strings; host may be WL_NONE */
	uint32_t fact[WL_N_FILE_FACTS]; /* strings; WL_NONE if not recorded */
	int64_t utc;                    /* ns since 1970 at its time 0; 0 if not recorded */
	int64_t session; /* ANALYSIS_DETAILS.startTime: since boot from nsys 2025.5 on */
	wl_ns duration;  /* of its capture, WL_NO_TIME if not recorded */
	wl_ns offset;
	int64_t drift; /* parts per billion */
	enum wl_clock_state clock_state;
	wl_ns fitted;        /* the part of offset that was added to UTC */
	wl_ns residual;      /* p99 of its host's distance from others at the ends of collectives */
	wl_ns residual_p50;  /* median of it */
	uint32_t anchors;    /* collectives used for this measurement */
	uint32_t violations; /* collectives that end on its host before their last arrival */
};

/* One name and value of the capture and export metadata. */
struct wl_meta {
	uint32_t table, name, value; /* strings */
};

/* A column of one of the file's tables. */
struct wl_source_column {
	uint32_t table;      /* index of the tables family */
	uint32_t name, type; /* strings */
};

struct wl_strings {
	const char *blob;
	const uint64_t *offset; /* of string i; each ends in NUL */
	size_t n;
};

struct wl_trace {
	const char *path;
	struct wl_family family[WL_N_FAMILIES];
	const void *column[WL_N_COLUMNS];
	struct wl_columns loaded;

	struct wl_strings strings;
	const struct wl_place *places;
	size_t n_places;
	const struct wl_thread *threads;
	size_t n_threads;
	const struct wl_kernel_name *kernel_names;
	size_t n_kernel_names;
	const struct wl_launch_config *configs;
	size_t n_configs;
	const struct wl_stack_frame *frames;
	size_t n_frames;
	const struct wl_stack *stacks;
	size_t n_stacks;
	const struct wl_counter_series *series;
	size_t n_series;
	const struct wl_process *processes; /* sorted by key */
	size_t n_processes;
	const struct wl_device *devices; /* in the order users see */
	size_t n_devices;
	const struct wl_gpu *gpus;
	size_t n_gpus;
	const struct wl_meta *meta; /* in a job: those of its first file */
	size_t n_meta;
	const struct wl_mpi_rank *mpi_ranks; /* as in the file; a key may occur twice */
	size_t n_mpi_ranks;
	const struct wl_source_column *source_columns;
	size_t n_source_columns;

	const struct wl_trace_file *files; /* in a job: by rank if known; else NULL */
	size_t n_files;                    /* 0 unless the trace is a job */
	int64_t world;                     /* ranks of the job, 0 if no file says */
	uint32_t job;                      /* string, such as "SLURM_JOB_ID 165592"; else WL_NONE */

	wl_ns duration;     /* of the capture, WL_NO_TIME if the file does not say */
	int64_t utc_start;  /* ns since 1970 at trace time 0, 0 if the file does not say */
	int64_t session;    /* ANALYSIS_DETAILS.startTime, 0 if the file does not say */
	uint32_t host;      /* string, WL_NONE if the file does not say */
	size_t n_repaired;  /* strings in which invalid UTF-8 was replaced */
	size_t n_mistyped;  /* cells of another type or out of range: read as absent */
	const char *reader; /* the reader that read it */
	/* Tables that needed another way of reading, one line each with the reason; usually NULL.
	 * Valid until the next load. */
	const char *detours;
};

/*
 * Typed access to each column: const wl_ns *wl_kernels_start(trace), ... Linters check each
 * definition in each source, so they get declarations only.
 */
#define WL_FAMILY(ID, id, order, help, capture)
#ifdef WL_LINT
#define WL_COLUMN(FAMILY, COLUMN, family, column_, type, domain, help)                             \
	const type *wl_##family##_##column_(const struct wl_trace *t);
#else
#define WL_COLUMN(FAMILY, COLUMN, family, column_, type, domain, help)                             \
	static inline const type *wl_##family##_##column_(const struct wl_trace *t)                \
	{                                                                                          \
		return (const type *)t->column[WL_##FAMILY##_##COLUMN];                            \
	}
#endif
#include "model/families.def"
#undef WL_FAMILY
#undef WL_COLUMN

/* The string; "(unnamed)" for WL_NONE or a number out of range. */
const char *wl_str(const struct wl_trace *trace, uint32_t id);

/* The length of a row whose dur column reads WL_LONG. Logarithmic in such rows. */
wl_ns wl_long_dur(const struct wl_family *family, size_t row);

static inline wl_ns wl_dur(const struct wl_family *family, const uint32_t *dur, size_t row)
{
	return dur[row] != WL_LONG ? (wl_ns)dur[row] : wl_long_dur(family, row);
}

/* The value of the first metadata row with this name, or NULL. */
const char *wl_trace_meta(const struct wl_trace *trace, const char *name);

/* The four families of GPU operations: kernels, memcpys, memsets, graphs. */
enum wl_op_kind { WL_OP_KERNEL, WL_OP_MEMCPY, WL_OP_MEMSET, WL_OP_GRAPH, WL_N_OP_FAMILIES };
extern const enum wl_family_id wl_op_families[WL_N_OP_FAMILIES]; /* by enum wl_op_kind */

/* The operation kind of a family; WL_N_OP_FAMILIES if it has no operations. */
enum wl_op_kind wl_kind_of_family(enum wl_family_id family);

static inline bool wl_is_op(enum wl_family_id family)
{
	return wl_kind_of_family(family) < WL_N_OP_FAMILIES;
}

/* The number of loaded rows in all four families. */
size_t wl_count_ops(const struct wl_trace *trace);

/* For lists of columns: the same column of all four families of operations. */
#define WL_OP_STARTS WL_KERNELS_START, WL_MEMCPYS_START, WL_MEMSETS_START, WL_GRAPHS_START

/* Columns that all four have. Any may be NULL if not loaded. */
struct wl_ops {
	const struct wl_family *family;
	size_t n;
	const wl_ns *start;
	const uint32_t *dur;
	const uint32_t *place;
	const uint32_t *corr;
};

struct wl_ops wl_trace_ops(const struct wl_trace *trace, enum wl_family_id family);

/* Columns that all families ordered by thread have, except dur. Any may be NULL if not loaded. */
struct wl_thread_rows {
	const struct wl_family *family;
	size_t n;
	const wl_ns *start;
	const uint32_t *dur; /* also NULL if rows have no length */
	const uint32_t *thread;
};

struct wl_thread_rows wl_trace_thread_rows(const struct wl_trace *trace, enum wl_family_id family);

static inline wl_ns wl_thread_row_end(const struct wl_thread_rows *rows, size_t row)
{
	return rows->start[row] + wl_dur(rows->family, rows->dur, row);
}

#endif
