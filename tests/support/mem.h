/* SPDX-License-Identifier: MIT */
/*
 * mem.h - traces for tests, made in memory the way the loader makes them of a file.
 *
 * Order of calls: init; the puts, rows in any order; seal; release. Failures fail
 * the test that runs. A family that was put to has all its columns.
 */
#ifndef WL_TESTS_MEM_H
#define WL_TESTS_MEM_H

#include "derive/derivations.h"
#include "derive/rows/scope.h"
#include "model/build.h"

struct mem {
	struct wl_build build;
	struct wl_derivations derivations;
	struct wl_derived derived; /* all of the sealed trace that is of no scope */
};

void mem_init(struct mem *m);
void mem_release(struct mem *m);

/* Order the rows, name devices and processes. The trace lives as long as m. */
const struct wl_trace *mem_seal(struct mem *m);

/* Derive it all again, with options. */
void mem_derive(struct mem *m, const struct wl_derived_opts *opts);

/* All that is derived of a trace, with memory enough. Release the derivations. */
struct wl_derived derive_all(struct wl_derivations *d, const struct wl_trace *trace,
			     const struct wl_derived_opts *opts);

/* The text's number; NULL is WL_NONE. */
uint32_t mem_string(struct mem *m, const char *text);

/* Numbers of a place and a thread; a place with an operation makes its device exist. */
uint32_t mem_place(struct mem *m, const struct wl_place_key *key, bool is_op);
uint32_t mem_thread(struct mem *m, unsigned pid, unsigned tid);

/* Which process a pid is, as places and devices name it. */
uint64_t mem_process_key(unsigned pid);

/* Begin a row of the family: its start and length, which all but the unordered families have. */
void mem_row(struct mem *m, enum wl_family_id family, wl_ns start, wl_ns end);

/* One cell of the row; the value has the column's type. */
void mem_put(struct mem *m, enum wl_column_id column, const void *value);

/* Zeroes stand for pid 100, context 1, stream 7, the name "kernel", a grid of 1, no correlation. */
struct mem_op {
	wl_ns start, end;
	unsigned pid, device, context, stream, corr;
	const char *name, *brief, *mangled; /* of kernels; absent ones repeat name */
	uint32_t grid, registers;           /* of kernels */
	uint8_t kind, src, dst;             /* of copies; of sets and waits kind */
	uint8_t across;                     /* of copies: between two devices */
	uint8_t cause;                      /* of migrations; 0: none */
	uint32_t count;                     /* of copies: of the batch; 0: not recorded */
	int64_t bytes;                      /* of copies and sets */
	uint32_t event;                     /* of waits and records; 0: none */
};

/* A row of kernels, memcpys, memsets, graphs or syncs. */
void mem_op(struct mem *m, enum wl_family_id family, const struct mem_op *op);

/* The same with the fields as arguments: MEM_OP(&m, WL_F_KERNELS, .start = 1, .end = 2); and
 * others. */
#define MEM_OP(m, family, ...) mem_op(m, family, &(struct mem_op){ __VA_ARGS__ })
#define MEM_API(m, ...)        mem_api(m, &(struct mem_call){ __VA_ARGS__ })
#define MEM_OSRT(m, ...)       mem_osrt(m, &(struct mem_call){ __VA_ARGS__ })
#define MEM_SAMPLE(m, ...)     mem_sample(m, &(struct mem_call){ __VA_ARGS__ })
#define MEM_MPI_OTHER(m, ...)  mem_mpi_other(m, &(struct mem_call){ __VA_ARGS__ })
#define MEM_NVTX(m, ...)       mem_nvtx(m, &(struct mem_range){ __VA_ARGS__ })

/* A record of an event: pid, device, context, stream, corr and event count. */
void mem_event(struct mem *m, const struct mem_op *op);

/* A stream waits for a function of the host, which thread 9 runs. */
void mem_host_function(struct mem *m, const struct mem_op *op);

/* A page fault on managed memory: the host's at op's start, in a function; a device's. */
void mem_cpu_fault(struct mem *m, const struct mem_op *op);
void mem_gpu_fault(struct mem *m, const struct mem_op *op);

/* A block or a warp of the process's kernel with op's corr, on the multiprocessor stream; event is
 * a warp's block. */
void mem_block(struct mem *m, const struct mem_op *op);
void mem_warp(struct mem *m, const struct mem_op *op);

/* A stream of a process and its flag (TARGET_INFO_CUDA_STREAM). */
void mem_stream(struct mem *m, const struct mem_op *op, uint8_t flag);

/* Zeroes stand for pid 100, cudaLaunchKernel and no correlation. */
struct mem_call {
	wl_ns start, end;
	unsigned pid, tid, corr;
	const char *name;
	int32_t result;
	uint64_t peer;     /* of NCCL calls */
	const char *stack; /* "main;step;read" from the outermost function inwards; NULL: none */
};

void mem_api(struct mem *m, const struct mem_call *call);

/* Zeroes stand for pid 100, a push/pop range, ended by its own thread; NULL is no name. */
struct mem_range {
	wl_ns start, end;
	unsigned pid, tid, end_tid;
	uint8_t kind; /* enum wl_nvtx_kind */
	uint32_t domain;
	const char *name;
};

void mem_nvtx(struct mem *m, const struct mem_range *range);

/* An OS runtime call; zeroes stand for pid 100 and "poll". */
void mem_osrt(struct mem *m, const struct mem_call *call);

/* A call of cuDNN (WL_F_CUDNN) or cuBLAS, or an event of one of the families of OpenACC, which have
 * a file, NULL for none, and a line. */
void mem_library_call(struct mem *m, enum wl_family_id family, const struct mem_call *call,
		      const char *file, uint32_t line);

/* An NCCL call with a payload; WL_NO_U64 is what it does not have. */
void mem_nccl_call(struct mem *m, const struct mem_call *call, uint64_t comm, uint64_t bytes,
		   uint64_t ranks);

/* A row of NCCL's own list of operations: 16-bit elements. */
void mem_nccl_op(struct mem *m, wl_ns start, wl_ns end, uint64_t comm, uint64_t count);

/* An MPI call with a communicator and bytes, and one without. */
void mem_mpi_coll(struct mem *m, const struct mem_call *call, uint64_t comm, int64_t bytes);
void mem_mpi_other(struct mem *m, const struct mem_call *call);
void mem_mpi_wait(struct mem *m, const struct mem_call *call);

/* A message: its communicator and tag, and the rank at the other end. */
struct mem_p2p {
	uint64_t comm, tag;
	int64_t remote;
};

void mem_mpi_p2p(struct mem *m, const struct mem_call *call, const struct mem_p2p *message);

/* What a rank says of a communicator; members may be NULL. */
struct mem_comm {
	wl_ns time;
	uint64_t rank, comm, parent, size;
	const char *members;
};

void mem_mpi_comm(struct mem *m, const struct mem_comm *comm);

/* An output of the program whose lines say how long a step takes. */
void mem_output(struct mem *m, uint64_t step, uint64_t lines);

/* A call on the file with this number; kind as in codes.h. And the file itself. */
void mem_file_access(struct mem *m, wl_ns start, wl_ns end, uint32_t file, uint8_t kind,
		     int64_t bytes);
void mem_open_file(struct mem *m, uint32_t number, uint32_t pid, const char *path);

/* The thread begins to run (in) or stops. */
void mem_sched(struct mem *m, wl_ns at, unsigned pid, unsigned tid, bool in);

/*
 * A stack of functions, "main;libc.so.6!read": of the module "app" or of that named; "libc.so.6!"
 * is an address without a name. NULL: WL_NONE.
 */
uint32_t mem_stack(struct mem *m, const char *functions);

/* A periodic sample: start, pid, tid and stack count. */
void mem_sample(struct mem *m, const struct mem_call *sample);

/* Memory that the process allocates, or frees, on its device 0; kind as in ENUM_CUDA_MEM_KIND. */
void mem_allocation(struct mem *m, wl_ns time, unsigned pid, uint8_t kind, int64_t bytes,
		    bool frees);

/* A sample of the metric on the GPU with nsys's number; name as TARGET_INFO_GPU_METRICS has it. */
void mem_metric(struct mem *m, unsigned gpu, const char *name, wl_ns time, int64_t value);

/* The same on port 1 of a network adapter, "mlx5_0"; end is WL_NO_TIME where there is none. */
struct mem_nic_sample {
	const char *nic, *name, *unit;
	wl_ns start, end;
	int64_t value;
};
void mem_nic_metric(struct mem *m, const struct mem_nic_sample *sample);

/* A GPU of the machine with this number, which ordinal 0 of the process is; 0 is process 100. */
void mem_gpu(struct mem *m, unsigned id, unsigned pid);

/* A message of the profiler, and a table of the file with one column. */
void mem_message(struct mem *m, uint8_t severity, const char *text);
void mem_table(struct mem *m, const char *table, int64_t rows, const char *column);
/* Of the table put last; without it nothing reads it. */
void mem_table_use(struct mem *m, enum wl_table_use use);

enum { MEM_DEVICES = 16, MEM_PLACES = 128, MEM_PROCESSES = 16 };

/* A scope that a test can change; scope points into it. */
struct mem_scope {
	struct wl_scope scope;
	struct wl_interval device[MEM_DEVICES], process[MEM_PROCESSES];
	bool device_on[MEM_DEVICES], place_on[MEM_PLACES], process_on[MEM_PROCESSES];
};

/* Everything is selected; the window is whole, from the first operation to the last end. */
void mem_scope_whole(struct mem_scope *s, const struct wl_trace *trace);

/* Everything is selected; devices and processes have one window. */
void mem_scope_window(struct mem_scope *s, const struct wl_trace *trace, wl_ns begin, wl_ns end);

#endif
