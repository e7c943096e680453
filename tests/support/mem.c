/* SPDX-License-Identifier: MIT */
#include "support/mem.h"

#include <string.h>

#include "known/exports/codes.h"
#include "support/invariants.h"
#include "support/unit.h"

void mem_init(struct mem *m)
{
	assert_int_equal(wl_build_init(&m->build, "mem", NULL, NULL), WL_OK);
	m->build.reader = "mem";
	m->derivations = (struct wl_derivations){ .store = NULL };
	m->derived = (struct wl_derived){ .trace = NULL };
}

void mem_release(struct mem *m)
{
	wl_derivations_release(&m->derivations);
	wl_build_release(&m->build);
}

struct wl_derived derive_all(struct wl_derivations *d, const struct wl_trace *trace,
			     const struct wl_derived_opts *opts)
{
	const uint64_t all = (UINT64_C(1) << WL_N_DERIVATIONS) - 1;

	wl_derivations_init(d, trace, opts, NULL, NULL);
	assert_true(wl_derivations_find(d, all, opts->pool));
	return wl_derivations_view(d, all, opts->pool);
}

void mem_derive(struct mem *m, const struct wl_derived_opts *opts)
{
	wl_derivations_release(&m->derivations);
	m->derived = derive_all(&m->derivations, &m->build.trace, opts);
}

const struct wl_trace *mem_seal(struct mem *m)
{
	struct wl_err err = { .code = WL_OK };
	const char *broken;

	for (size_t c = 0; c < WL_N_COLUMNS; c++) {
		const struct wl_build_family *f = &m->build.family[wl_column_infos[c].family];

		assert_true(m->build.column[c].n == 0 || m->build.column[c].n == f->n);
		if (f->n)
			wl_columns_add(&m->build.loaded, (enum wl_column_id)c);
	}
	if (wl_build_finish(&m->build, &err) < 0)
		fail_msg("%s", err.msg);
	broken = broken_invariant(&m->build.trace);
	if (broken)
		fail_msg("broken: %s", broken);
	mem_derive(m, &(struct wl_derived_opts){ 0 });
	return &m->build.trace;
}

uint32_t mem_string(struct mem *m, const char *text)
{
	return text ? wl_string_put(&m->build.strings, text, strlen(text)) : WL_NONE;
}

uint64_t mem_process_key(unsigned pid)
{
	return (pid ? pid : 100) & 0xffffff;
}

uint32_t mem_place(struct mem *m, const struct wl_place_key *key, bool is_op)
{
	struct wl_vec *used = &m->build.place_used;
	uint32_t place = wl_intern_put(&m->build.place_keys, key);

	assert_int_not_equal(place, WL_NONE);
	if (place == used->n)
		wl_vec_push(used, &(uint8_t){ 0 });
	if (is_op)
		((uint8_t *)used->data)[place] = 1;
	return place;
}

uint32_t mem_thread(struct mem *m, unsigned pid, unsigned tid)
{
	uint64_t global = mem_process_key(pid) << 24 | tid;
	uint32_t thread = wl_intern_put(&m->build.thread_keys, &global);

	assert_int_not_equal(thread, WL_NONE);
	return thread;
}

void mem_put(struct mem *m, enum wl_column_id column, const void *value)
{
	wl_vec_push(&m->build.column[column], value);
}

void mem_row(struct mem *m, enum wl_family_id family, wl_ns start, wl_ns end)
{
	struct wl_build_family *f = &m->build.family[family];
	size_t first = wl_family_infos[family].first_column;
	wl_ns dur = end > start ? end - start : 0;
	uint32_t row = (uint32_t)f->n, narrow = dur < WL_LONG ? (uint32_t)dur : WL_LONG;

	f->present = f->filled = true;
	f->n++;
	if (wl_family_infos[family].order == WL_BY_ROW)
		return;
	mem_put(m, (enum wl_column_id)first, &start);
	if (strcmp(wl_column_infos[first + 1].name, "dur") != 0)
		return;
	mem_put(m, (enum wl_column_id)(first + 1), &narrow);
	if (narrow == WL_LONG) {
		wl_vec_push(&f->long_row, &row);
		wl_vec_push(&f->long_dur, &dur);
	}
}

static void put_u32(struct mem *m, enum wl_column_id column, uint32_t value)
{
	mem_put(m, column, &value);
}

static const uint64_t none_64 = WL_NO_U64;
static const uint8_t none_8 = WL_NO_U8;

static void put_kernel(struct mem *m, const struct mem_op *op)
{
	const char *text = op->name ? op->name : "kernel";
	const struct wl_kernel_name name = { mem_string(m, text),
					     mem_string(m, op->brief ? op->brief : text),
					     mem_string(m, op->mangled ? op->mangled : text) };
	const struct wl_launch_config config = { .grid = { op->grid ? op->grid : 1, 1, 1 },
						 .block = { 128, 1, 1 },
						 .registers = op->registers };

	put_u32(m, WL_KERNELS_NAME, wl_intern_put(&m->build.kernel_names, &name));
	put_u32(m, WL_KERNELS_CONFIG, wl_intern_put(&m->build.configs, &config));
	mem_put(m, WL_KERNELS_NODE, &none_64);
}

static void put_copy(struct mem *m, const struct mem_op *op)
{
	mem_put(m, WL_MEMCPYS_BYTES, &op->bytes);
	mem_put(m, WL_MEMCPYS_KIND, &op->kind);
	mem_put(m, WL_MEMCPYS_SRC, &op->src);
	mem_put(m, WL_MEMCPYS_DST, &op->dst);
	mem_put(m, WL_MEMCPYS_ACROSS, &op->across);
	mem_put(m, WL_MEMCPYS_CAUSE, op->cause ? &op->cause : &none_8);
	mem_put(m, WL_MEMCPYS_NODE, &none_64);
	put_u32(m, WL_MEMCPYS_COUNT, op->count ? op->count : WL_NONE);
}

static void put_set(struct mem *m, const struct mem_op *op)
{
	mem_put(m, WL_MEMSETS_BYTES, &op->bytes);
	mem_put(m, WL_MEMSETS_KIND, &op->kind);
	mem_put(m, WL_MEMSETS_NODE, &none_64);
}

void mem_op(struct mem *m, enum wl_family_id family, const struct mem_op *op)
{
	size_t first = wl_family_infos[family].first_column;
	const struct wl_place_key key = { .process = mem_process_key(op->pid),
					  .ordinal = op->device,
					  .context = op->context ? op->context : 1,
					  .stream = op->stream ? op->stream : 7 };

	mem_row(m, family, op->start, op->end);
	put_u32(m, (enum wl_column_id)(first + 2), mem_place(m, &key, family != WL_F_SYNCS));
	put_u32(m, family == WL_F_KERNELS ? WL_KERNELS_CORR : (enum wl_column_id)(first + 3),
		op->corr ? op->corr : WL_NONE);
	if (family == WL_F_KERNELS) {
		put_kernel(m, op);
	} else if (family == WL_F_MEMCPYS) {
		put_copy(m, op);
	} else if (family == WL_F_MEMSETS) {
		put_set(m, op);
	} else if (family == WL_F_GRAPHS) {
		put_u32(m, WL_GRAPHS_GRAPH, WL_NONE);
	} else {
		mem_put(m, WL_SYNCS_KIND, op->kind ? &op->kind : &none_8);
		put_u32(m, WL_SYNCS_EVENT, op->event ? op->event : WL_NONE);
	}
}

void mem_event(struct mem *m, const struct mem_op *op)
{
	const struct wl_place_key key = { .process = mem_process_key(op->pid),
					  .ordinal = op->device,
					  .context = op->context ? op->context : 1,
					  .stream = op->stream ? op->stream : 7 };

	mem_row(m, WL_F_EVENTS, 0, 0);
	put_u32(m, WL_EVENTS_PLACE, mem_place(m, &key, false));
	put_u32(m, WL_EVENTS_CORR, op->corr ? op->corr : WL_NONE);
	put_u32(m, WL_EVENTS_EVENT, op->event ? op->event : WL_NONE);
	mem_put(m, WL_EVENTS_TIME, &(wl_ns){ WL_NO_TIME });
}

static uint32_t process_place(struct mem *m, unsigned pid)
{
	const struct wl_place_key key = { .process = mem_process_key(pid),
					  .ordinal = WL_NONE,
					  .context = WL_NONE,
					  .stream = WL_NONE };

	return mem_place(m, &key, false);
}

void mem_cpu_fault(struct mem *m, const struct mem_op *op)
{
	mem_row(m, WL_F_CPU_FAULTS, 0, 0);
	mem_put(m, WL_CPU_FAULTS_TIME, &op->start);
	put_u32(m, WL_CPU_FAULTS_PLACE, process_place(m, op->pid));
	put_u32(m, WL_CPU_FAULTS_NAME, mem_string(m, op->name));
}

void mem_block(struct mem *m, const struct mem_op *op)
{
	mem_row(m, WL_F_BLOCKS, 0, 0);
	mem_put(m, WL_BLOCKS_START, &op->start);
	mem_put(m, WL_BLOCKS_END, &op->end);
	put_u32(m, WL_BLOCKS_PLACE, process_place(m, op->pid));
	put_u32(m, WL_BLOCKS_CORR, op->corr ? op->corr : WL_NONE);
	mem_put(m, WL_BLOCKS_NODE, &(uint64_t){ WL_NO_U64 });
	put_u32(m, WL_BLOCKS_SM, op->stream);
}

void mem_warp(struct mem *m, const struct mem_op *op)
{
	mem_row(m, WL_F_WARPS, 0, 0);
	mem_put(m, WL_WARPS_START, &op->start);
	mem_put(m, WL_WARPS_END, &op->end);
	put_u32(m, WL_WARPS_PLACE, process_place(m, op->pid));
	put_u32(m, WL_WARPS_CORR, op->corr ? op->corr : WL_NONE);
	mem_put(m, WL_WARPS_NODE, &(uint64_t){ WL_NO_U64 });
	put_u32(m, WL_WARPS_SM, op->stream);
	mem_put(m, WL_WARPS_BLOCK, &(uint64_t){ op->event });
}

void mem_gpu_fault(struct mem *m, const struct mem_op *op)
{
	mem_row(m, WL_F_GPU_FAULTS, 0, 0);
	mem_put(m, WL_GPU_FAULTS_START, &op->start);
	mem_put(m, WL_GPU_FAULTS_END, &op->end);
	put_u32(m, WL_GPU_FAULTS_PLACE, process_place(m, op->pid));
	put_u32(m, WL_GPU_FAULTS_ORDINAL, op->device);
}

void mem_host_function(struct mem *m, const struct mem_op *op)
{
	const struct wl_place_key key = { .process = mem_process_key(op->pid),
					  .ordinal = op->device,
					  .context = op->context ? op->context : 1,
					  .stream = op->stream ? op->stream : 7 };

	mem_row(m, WL_F_HOST_NODES, op->start, op->end);
	put_u32(m, WL_HOST_NODES_PLACE, mem_place(m, &key, false));
	put_u32(m, WL_HOST_NODES_CORR, op->corr);
	mem_row(m, WL_F_CALLBACKS, op->start, op->end);
	put_u32(m, WL_CALLBACKS_THREAD, mem_thread(m, op->pid, 9));
	put_u32(m, WL_CALLBACKS_CORR, op->corr);
	put_u32(m, WL_CALLBACKS_NAME, mem_string(m, op->name));
}

void mem_allocation(struct mem *m, wl_ns time, unsigned pid, uint8_t kind, int64_t bytes,
		    bool frees)
{
	mem_row(m, WL_F_MEM_EVENTS, 0, 0);
	mem_put(m, WL_MEM_EVENTS_TIME, &time);
	put_u32(m, WL_MEM_EVENTS_PLACE, process_place(m, pid));
	put_u32(m, WL_MEM_EVENTS_ORDINAL, 0);
	mem_put(m, WL_MEM_EVENTS_BYTES, &bytes);
	mem_put(m, WL_MEM_EVENTS_KIND, &kind);
	mem_put(m, WL_MEM_EVENTS_OP, &(uint8_t){ frees });
	mem_put(m, WL_MEM_EVENTS_POOL, &none_64);
	mem_put(m, WL_MEM_EVENTS_POOL_SIZE, &none_64);
	mem_put(m, WL_MEM_EVENTS_POOL_USED, &none_64);
}

void mem_stream(struct mem *m, const struct mem_op *op, uint8_t flag)
{
	const struct wl_place_key key = { .process = mem_process_key(op->pid),
					  .ordinal = WL_NONE,
					  .context = op->context ? op->context : 1,
					  .stream = op->stream ? op->stream : 7 };

	mem_row(m, WL_F_CUDA_STREAMS, 0, 0);
	put_u32(m, WL_CUDA_STREAMS_PLACE, mem_place(m, &key, false));
	mem_put(m, WL_CUDA_STREAMS_FLAG, &flag);
}

uint32_t mem_stack(struct mem *m, const char *functions)
{
	uint32_t stack = WL_NONE;

	for (const char *p = functions, *end; p && *p; p = *end ? end + 1 : end) {
		struct wl_stack_frame frame = { .kind = WL_FRAME_FUNCTION };
		struct wl_stack own = { .caller = stack };
		size_t module = strcspn(p, "!;");

		end = p + strcspn(p, ";");
		if (p[module] == '!') {
			frame.module = wl_string_put(&m->build.strings, p, module);
			p += module + 1;
		} else {
			frame.module = mem_string(m, "app");
		}
		if (end > p) {
			frame.symbol = wl_string_put(&m->build.strings, p, (size_t)(end - p));
		} else {
			frame.symbol = WL_NONE;
			frame.kind = WL_FRAME_ADDRESS;
		}
		own.frame = wl_intern_put(&m->build.frames, &frame);
		stack = wl_intern_put(&m->build.stacks, &own);
		assert_int_not_equal(stack, WL_NONE);
	}
	return stack;
}

void mem_sample(struct mem *m, const struct mem_call *sample)
{
	mem_row(m, WL_F_SAMPLES, sample->start, sample->start);
	put_u32(m, WL_SAMPLES_THREAD, mem_thread(m, sample->pid, sample->tid));
	put_u32(m, WL_SAMPLES_STACK, mem_stack(m, sample->stack));
	mem_put(m, WL_SAMPLES_LEAVING, &(uint8_t){ 0 });
}

void mem_api(struct mem *m, const struct mem_call *call)
{
	mem_row(m, WL_F_API, call->start, call->end);
	put_u32(m, WL_API_THREAD, mem_thread(m, call->pid, call->tid));
	put_u32(m, WL_API_CORR, call->corr ? call->corr : WL_NONE);
	put_u32(m, WL_API_NAME, mem_string(m, call->name ? call->name : "cudaLaunchKernel"));
	mem_put(m, WL_API_RESULT, &call->result);
	put_u32(m, WL_API_STACK, mem_stack(m, call->stack));
}

void mem_nvtx(struct mem *m, const struct mem_range *range)
{
	uint32_t last = range->end_tid ? mem_thread(m, range->pid, range->end_tid) : WL_NONE;
	uint8_t kind = range->kind ? range->kind : WL_NVTX_PUSH_POP;

	mem_row(m, WL_F_NVTX, range->start, range->end);
	put_u32(m, WL_NVTX_THREAD, mem_thread(m, range->pid, range->tid));
	put_u32(m, WL_NVTX_END_THREAD, last);
	mem_put(m, WL_NVTX_KIND, &kind);
	put_u32(m, WL_NVTX_NAME, mem_string(m, range->name));
	put_u32(m, WL_NVTX_DOMAIN, range->domain);
	mem_put(m, WL_NVTX_FLAGS, &(uint8_t){ 0 });
	mem_put(m, WL_NVTX_EVENT, &(uint64_t){ WL_NO_U64 });
	mem_put(m, WL_NVTX_READ, &(uint8_t){ WL_NO_U8 });
	put_u32(m, WL_NVTX_PAYLOAD, WL_NONE);
}

void mem_osrt(struct mem *m, const struct mem_call *call)
{
	mem_row(m, WL_F_OSRT, call->start, call->end);
	put_u32(m, WL_OSRT_THREAD, mem_thread(m, call->pid, call->tid));
	put_u32(m, WL_OSRT_NAME, mem_string(m, call->name ? call->name : "poll"));
	put_u32(m, WL_OSRT_STACK, mem_stack(m, call->stack));
}

void mem_library_call(struct mem *m, enum wl_family_id family, const struct mem_call *call,
		      const char *file, uint32_t line)
{
	static const struct {
		enum wl_family_id family;
		enum wl_column_id thread, name, file, line;
	} of[] = {
		{ WL_F_CUDNN, WL_CUDNN_THREAD, WL_CUDNN_NAME, WL_N_COLUMNS, WL_N_COLUMNS },
		{ WL_F_CUBLAS, WL_CUBLAS_THREAD, WL_CUBLAS_NAME, WL_N_COLUMNS, WL_N_COLUMNS },
		{ WL_F_ACC_LAUNCHES, WL_ACC_LAUNCHES_THREAD, WL_ACC_LAUNCHES_NAME,
		  WL_ACC_LAUNCHES_FILE, WL_ACC_LAUNCHES_LINE },
		{ WL_F_ACC_DATA, WL_ACC_DATA_THREAD, WL_ACC_DATA_NAME, WL_ACC_DATA_FILE,
		  WL_ACC_DATA_LINE },
		{ WL_F_ACC_OTHERS, WL_ACC_OTHERS_THREAD, WL_ACC_OTHERS_NAME, WL_ACC_OTHERS_FILE,
		  WL_ACC_OTHERS_LINE },
	};

	mem_row(m, family, call->start, call->end);
	for (size_t i = 0; i < WL_COUNT(of); i++) {
		if (of[i].family != family)
			continue;
		put_u32(m, of[i].thread, mem_thread(m, call->pid, call->tid));
		put_u32(m, of[i].name, mem_string(m, call->name));
		if (of[i].file != WL_N_COLUMNS) {
			put_u32(m, of[i].file, mem_string(m, file));
			put_u32(m, of[i].line, line);
		}
	}
}

void mem_nccl_call(struct mem *m, const struct mem_call *call, uint64_t comm, uint64_t bytes,
		   uint64_t ranks)
{
	const uint64_t no_rank = WL_NO_U64;

	mem_row(m, WL_F_NCCL_CALLS, call->start, call->end);
	put_u32(m, WL_NCCL_CALLS_THREAD, mem_thread(m, call->pid, call->tid));
	mem_put(m, WL_NCCL_CALLS_COMM, &comm);
	mem_put(m, WL_NCCL_CALLS_BYTES, &bytes);
	mem_put(m, WL_NCCL_CALLS_RANKS, &ranks);
	mem_put(m, WL_NCCL_CALLS_RANK, &no_rank);
	mem_put(m, WL_NCCL_CALLS_PEER, &call->peer);
}

void mem_nccl_op(struct mem *m, wl_ns start, wl_ns end, uint64_t comm, uint64_t count)
{
	mem_row(m, WL_F_NCCL_OPS, start, end);
	mem_put(m, WL_NCCL_OPS_START, &start);
	mem_put(m, WL_NCCL_OPS_END, &end);
	mem_put(m, WL_NCCL_OPS_COMM, &comm);
	mem_put(m, WL_NCCL_OPS_COUNT, &count);
	put_u32(m, WL_NCCL_OPS_TYPE, mem_string(m, "ncclBfloat16"));
}

void mem_mpi_coll(struct mem *m, const struct mem_call *call, uint64_t comm, int64_t bytes)
{
	mem_row(m, WL_F_MPI_COLLS, call->start, call->end);
	put_u32(m, WL_MPI_COLLS_THREAD, mem_thread(m, call->pid, call->tid));
	put_u32(m, WL_MPI_COLLS_NAME, mem_string(m, call->name));
	mem_put(m, WL_MPI_COLLS_COMM, &comm);
	mem_put(m, WL_MPI_COLLS_BYTES, &bytes);
}

void mem_mpi_comm(struct mem *m, const struct mem_comm *comm)
{
	mem_row(m, WL_F_MPI_COMMS, 0, 0);
	mem_put(m, WL_MPI_COMMS_TIME, &comm->time);
	mem_put(m, WL_MPI_COMMS_RANK, &comm->rank);
	mem_put(m, WL_MPI_COMMS_COMM, &comm->comm);
	mem_put(m, WL_MPI_COMMS_PARENT, &comm->parent);
	mem_put(m, WL_MPI_COMMS_SIZE, &comm->size);
	put_u32(m, WL_MPI_COMMS_MEMBERS, mem_string(m, comm->members));
}

void mem_output(struct mem *m, uint64_t step, uint64_t lines)
{
	mem_row(m, WL_F_OUTPUTS, 0, 0);
	mem_put(m, WL_OUTPUTS_STEP, &step);
	mem_put(m, WL_OUTPUTS_LINES, &lines);
}

void mem_mpi_other(struct mem *m, const struct mem_call *call)
{
	mem_row(m, WL_F_MPI_OTHERS, call->start, call->end);
	put_u32(m, WL_MPI_OTHERS_THREAD, mem_thread(m, call->pid, call->tid));
	put_u32(m, WL_MPI_OTHERS_NAME, mem_string(m, call->name));
}

void mem_mpi_wait(struct mem *m, const struct mem_call *call)
{
	mem_row(m, WL_F_MPI_WAITS, call->start, call->end);
	put_u32(m, WL_MPI_WAITS_THREAD, mem_thread(m, call->pid, call->tid));
	put_u32(m, WL_MPI_WAITS_NAME, mem_string(m, call->name));
}

void mem_mpi_p2p(struct mem *m, const struct mem_call *call, const struct mem_p2p *message)
{
	mem_row(m, WL_F_MPI_P2P, call->start, call->end);
	put_u32(m, WL_MPI_P2P_THREAD, mem_thread(m, call->pid, call->tid));
	put_u32(m, WL_MPI_P2P_NAME, mem_string(m, call->name));
	mem_put(m, WL_MPI_P2P_COMM, &message->comm);
	mem_put(m, WL_MPI_P2P_TAG, &message->tag);
	mem_put(m, WL_MPI_P2P_REMOTE, &message->remote);
	mem_put(m, WL_MPI_P2P_BYTES, &(int64_t){ 64 });
}

void mem_sched(struct mem *m, wl_ns at, unsigned pid, unsigned tid, bool in)
{
	const uint8_t is_in = in;

	mem_row(m, WL_F_SCHED, at, at);
	put_u32(m, WL_SCHED_THREAD, mem_thread(m, pid, tid));
	mem_put(m, WL_SCHED_IN, &is_in);
	mem_put(m, WL_SCHED_STATE, &(uint8_t){ 0 });
}

void mem_gpu(struct mem *m, unsigned id, unsigned pid)
{
	wl_vec_push(&m->build.gpus, &(struct wl_gpu){ .id = id,
						      .ordinal = -1,
						      .name = mem_string(m, "NVIDIA Test"),
						      .bus = WL_NONE,
						      .uuid = WL_NONE });
	wl_vec_push(&m->build.cuda_devices,
		    &(struct wl_cuda_device){ .pid = (int64_t)mem_process_key(pid),
					      .ordinal = 0,
					      .gpu_id = id,
					      .uuid = WL_NONE });
}

void mem_metric(struct mem *m, unsigned gpu, const char *name, wl_ns time, int64_t value)
{
	const struct wl_counter_series series = { .gpu = wl_build_find_gpu(&m->build, gpu),
						  .number = gpu,
						  .name = mem_string(m, name),
						  .nic = WL_NONE,
						  .unit = WL_NONE };

	mem_row(m, WL_F_METRICS, time, time);
	mem_put(m, WL_METRICS_TIME, &time);
	put_u32(m, WL_METRICS_SERIES, wl_intern_put(&m->build.series, &series));
	mem_put(m, WL_METRICS_VALUE, &value);
}

void mem_nic_metric(struct mem *m, const struct mem_nic_sample *s)
{
	const struct wl_counter_series series = { .adapter = 1,
						  .of = WL_COUNTER_OF_NIC,
						  .gpu = WL_NONE,
						  .name = mem_string(m, s->name),
						  .nic = mem_string(m, s->nic),
						  .unit = mem_string(m, s->unit),
						  .port = 1 };

	mem_row(m, WL_F_NIC_METRICS, s->start, s->end);
	mem_put(m, WL_NIC_METRICS_TIME, &s->start);
	mem_put(m, WL_NIC_METRICS_END, &s->end);
	put_u32(m, WL_NIC_METRICS_SERIES, wl_intern_put(&m->build.series, &series));
	mem_put(m, WL_NIC_METRICS_VALUE, &s->value);
}

void mem_file_access(struct mem *m, wl_ns start, wl_ns end, uint32_t file, uint8_t kind,
		     int64_t bytes)
{
	mem_row(m, WL_F_FILE_EVENTS, start, end);
	mem_put(m, WL_FILE_EVENTS_START, &start);
	mem_put(m, WL_FILE_EVENTS_END, &end);
	put_u32(m, WL_FILE_EVENTS_FILE, file);
	mem_put(m, WL_FILE_EVENTS_KIND, &kind);
	mem_put(m, WL_FILE_EVENTS_BYTES, &bytes);
}

void mem_open_file(struct mem *m, uint32_t number, uint32_t pid, const char *path)
{
	mem_row(m, WL_F_OPEN_FILES, 0, 0);
	put_u32(m, WL_OPEN_FILES_ID, number);
	put_u32(m, WL_OPEN_FILES_PID, pid);
	put_u32(m, WL_OPEN_FILES_PATH, mem_string(m, path));
}

void mem_message(struct mem *m, uint8_t severity, const char *text)
{
	mem_row(m, WL_F_DIAGNOSTICS, 0, 0);
	mem_put(m, WL_DIAGNOSTICS_TIME, &(wl_ns){ WL_NO_TIME });
	mem_put(m, WL_DIAGNOSTICS_SEVERITY, &severity);
	put_u32(m, WL_DIAGNOSTICS_TEXT, mem_string(m, text));
}

void mem_table(struct mem *m, const char *table, int64_t rows, const char *column)
{
	const struct wl_source_column c = { .table = (uint32_t)m->build.family[WL_F_TABLES].n,
					    .name = mem_string(m, column),
					    .type = mem_string(m, "INTEGER") };

	mem_row(m, WL_F_TABLES, 0, 0);
	put_u32(m, WL_TABLES_NAME, mem_string(m, table));
	mem_put(m, WL_TABLES_ROWS, &rows);
	mem_put(m, WL_TABLES_USE, &(uint8_t){ WL_USE_NONE });
	wl_vec_push(&m->build.source_columns, &c);
}

void mem_table_use(struct mem *m, enum wl_table_use use)
{
	struct wl_vec *uses = &m->build.column[WL_TABLES_USE];

	((uint8_t *)uses->data)[uses->n - 1] = (uint8_t)use;
}

static void select_all(struct mem_scope *s, const struct wl_trace *t)
{
	assert_in_range(t->n_devices, 0, MEM_DEVICES);
	assert_in_range(t->n_places, 0, MEM_PLACES);
	assert_in_range(t->n_processes, 0, MEM_PROCESSES);
	memset(s, 0, sizeof(*s));
	memset(s->device_on, 1, sizeof(s->device_on));
	memset(s->place_on, 1, sizeof(s->place_on));
	memset(s->process_on, 1, sizeof(s->process_on));
	s->scope = (struct wl_scope){ .device = s->device,
				      .device_on = s->device_on,
				      .place_on = s->place_on,
				      .process = s->process,
				      .process_on = s->process_on };
}

void mem_scope_window(struct mem_scope *s, const struct wl_trace *t, wl_ns begin, wl_ns end)
{
	select_all(s, t);
	for (size_t i = 0; i < MEM_DEVICES; i++)
		s->device[i] = (struct wl_interval){ begin, end };
	for (size_t i = 0; i < MEM_PROCESSES; i++)
		s->process[i] = (struct wl_interval){ begin, end };
}

void mem_scope_whole(struct mem_scope *s, const struct wl_trace *t)
{
	struct wl_interval extent = { INT64_MAX, INT64_MIN };

	for (size_t f = 0; f < WL_N_OP_FAMILIES; f++) {
		struct wl_ops ops = wl_trace_ops(t, wl_op_families[f]);

		for (size_t i = 0; i < ops.n; i++) {
			wl_ns end = ops.start[i] + wl_dur(ops.family, ops.dur, i);

			extent.begin = ops.start[i] < extent.begin ? ops.start[i] : extent.begin;
			extent.end = end > extent.end ? end : extent.end;
		}
	}
	if (extent.begin > extent.end)
		extent = (struct wl_interval){ 0, 0 };
	mem_scope_window(s, t, extent.begin, extent.end);
	s->scope.whole = true;
}
