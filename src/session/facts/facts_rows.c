/* SPDX-License-Identifier: MIT */
#include "session/facts/facts_rows.h"

#include <string.h>

#include "base/file/sha256.h"
#include "base/memory/sort.h"
#include "derive/comm/payloads.h"
#include "derive/kinds/activity.h"
#include "derive/nvtx/meshes.h"
#include "derive/use/rank_use.h"
#include "known/definitions.h"
#include "known/exports/codes.h"
#include "known/kernels/names.h"
#include "known/secrets/environment.h"
#include "session/facts/facts_calls.h"
#include "session/facts/facts_steps.h"
#include "session/job/job_files.h"

/* What makes an operation; compared by its bytes. */
struct op_key {
	uint32_t name; /* number of a text */
	uint32_t class;
};

/* Facts under construction. */
struct putting {
	const struct wl_run *run;
	const struct wl_trace *t;
	const struct wl_facts_keys *keys;
	struct wl_facts *to;
	struct wl_arena *scratch;
	struct wl_rank_uses uses;
	uint32_t *rank_of;    /* by device: its row of ranks, WL_NONE */
	struct wl_intern ops; /* struct op_key: numbers are rows of ops */
	uint32_t *kernel_op;  /* by kernel name: its row of ops, WL_NONE before the first */
	uint32_t *other_op;   /* by family and kind, too */
};

enum { N_KINDS = 256, N_OTHERS = WL_N_OP_FAMILIES * N_KINDS * WL_N_CLASSES };

const char wl_facts_graph_op[] = "CUDA graph";

void wl_facts_rows_want(struct wl_wanted *wanted)
{
	static const enum wl_column_id columns[] = { WL_OP_STARTS, WL_KERNELS_NAME,
						     WL_MEMCPYS_KIND };

	wanted->from |= WL_FROM(RANK_USE) | WL_FROM(RANKS) | WL_FROM(ITERATIONS) | WL_FROM(LINKS) |
			WL_FROM(CLASSES) | WL_FROM(MESHES) | WL_FROM(PAYLOADS);
	for (size_t i = 0; i < WL_COUNT(columns); i++)
		wl_columns_add(&wanted->columns, columns[i]);
	wl_facts_calls_want(wanted);
}

static void put_time(struct putting *p, enum wl_facts_column_id column, int64_t v, bool is_known)
{
	if (is_known)
		wl_facts_put(p->to, column, v);
}

static void put_text(struct putting *p, enum wl_facts_column_id column, uint32_t string)
{
	if (string != WL_NONE)
		wl_facts_put_str(p->to, column, wl_str(p->t, string));
}

/* What is the same for all ranks of a file. */
static void put_file(struct putting *p, const struct wl_job_file *file)
{
	const struct wl_facts_keys *k = p->keys;

	put_time(p, WL_FACTS_RANKS_WORLD, file->world, file->world > 0);
	wl_facts_put_str(p->to, WL_FACTS_RANKS_JOB, k->job ? k->job : file->job);
	put_time(p, WL_FACTS_RANKS_START, p->t->utc_start, p->t->utc_start != 0);
	put_time(p, WL_FACTS_RANKS_BOOT, p->t->utc_start - p->t->session,
		 p->t->utc_start != 0 && p->t->session != 0);
	wl_facts_put_str(p->to, WL_FACTS_RANKS_NSYS, wl_trace_meta(p->t, "EXPORT_PRODUCT_VERSION"));
	wl_facts_put_str(p->to, WL_FACTS_RANKS_PROGRAM, k->program);
	wl_facts_put(p->to, WL_FACTS_RANKS_DEFINITIONS, WL_DEFINITIONS);
	wl_facts_put_str(p->to, WL_FACTS_RANKS_PROJECT, k->project);
	wl_facts_put_str(p->to, WL_FACTS_RANKS_BRANCH, k->branch);
	wl_facts_put_str(p->to, WL_FACTS_RANKS_SHA, k->sha);
	wl_facts_put_str(p->to, WL_FACTS_RANKS_CONFIG, k->config);
}

static void put_coordinates(struct putting *p, uint32_t process)
{
	const int64_t *at = p->run->derived->meshes->of[process].at;

	for (unsigned i = 0; i < WL_N_COORDINATES; i++)
		put_time(p, (enum wl_facts_column_id)(WL_FACTS_RANKS_PP + i), at[i], at[i] >= 0);
}

static void put_rank(struct putting *p, const struct wl_rank_use *use,
		     const struct wl_job_file *file)
{
	const struct wl_device *device = &p->t->devices[use->lane->device];
	const struct wl_process *process =
		use->process == WL_NONE ? NULL : &p->t->processes[use->process];
	const struct wl_interval *window = &p->run->scope->device[use->lane->device];
	int64_t number = process ? p->run->derived->ranks->of[use->process] : -1;

	wl_facts_row(p->to, WL_FACTS_RANKS);
	p->rank_of[use->lane->device] = (uint32_t)p->to->n[WL_FACTS_RANKS] - 1;
	put_file(p, file);
	put_time(p, WL_FACTS_RANKS_NUMBER, number, number >= 0 && number < WL_NONE);
	wl_facts_put_str(p->to, WL_FACTS_RANKS_HOST, file->host);
	if (process) {
		put_text(p, WL_FACTS_RANKS_HOST, process->host);
		put_coordinates(p, use->process);
	}
	wl_facts_put(p->to, WL_FACTS_RANKS_DEVICE, use->lane->device);
	put_time(p, WL_FACTS_RANKS_PID, process ? process->pid : 0, process != NULL);
	put_text(p, WL_FACTS_RANKS_GPU, device->name);
	put_text(p, WL_FACTS_RANKS_GPU_UUID, device->uuid);
	wl_facts_put(p->to, WL_FACTS_RANKS_BEGIN, window->begin);
	wl_facts_put(p->to, WL_FACTS_RANKS_END, window->end);
	wl_facts_put(p->to, WL_FACTS_RANKS_COMPUTE, use->all.compute);
	wl_facts_put(p->to, WL_FACTS_RANKS_EXPOSED_COMM, use->all.wait + use->all.transfer);
	wl_facts_put(p->to, WL_FACTS_RANKS_EXPOSED_COPY, use->all.copy);
	wl_facts_put(p->to, WL_FACTS_RANKS_IDLE, wl_facts_idle_of(&use->all));
}

static void put_idle(struct putting *p, const struct wl_rank_use *use, size_t tile)
{
	for (size_t c = 0; c < WL_N_CAUSES; c++) {
		if (use->tile[tile].idle[c] == 0)
			continue;
		wl_facts_row(p->to, WL_FACTS_IDLE);
		wl_facts_put(p->to, WL_FACTS_IDLE_RANK, p->rank_of[use->lane->device]);
		wl_facts_put_str(p->to, WL_FACTS_IDLE_CAUSE, wl_cause_name((enum wl_cause)c));
		wl_facts_put(p->to, WL_FACTS_IDLE_STEP, use->lane->tile[tile].iter);
		wl_facts_put(p->to, WL_FACTS_IDLE_NS, use->tile[tile].idle[c]);
	}
}

static bool is_exposed(unsigned mask)
{
	return (mask & (WL_ON_COMM | WL_ON_COMPUTE)) == WL_ON_COMM;
}

static bool put_exposed(struct putting *p, uint32_t device)
{
	const struct wl_activity *a = &p->run->derived->all_activity->device[device];

	for (size_t i = 0, end; i < a->n; i = end) {
		end = i;
		while (end < a->n && is_exposed(a->mask[end]))
			end++;
		if (end == i) {
			end++;
			continue;
		}
		wl_facts_row(p->to, WL_FACTS_EXPOSED);
		wl_facts_put(p->to, WL_FACTS_EXPOSED_RANK, p->rank_of[device]);
		wl_facts_put(p->to, WL_FACTS_EXPOSED_BEGIN, a->begin[i]);
		wl_facts_put(p->to, WL_FACTS_EXPOSED_DUR, a->begin[end] - a->begin[i]);
	}
	return !p->to->failed;
}

static void put_labels(struct putting *p, uint32_t rank)
{
	for (size_t i = 0; i < p->t->n_meta; i++) {
		const char *value = wl_str(p->t, p->t->meta[i].value);
		char key[64];
		size_t n = strcspn(value, "="), n_value;
		const char *text;

		if (!strstr(wl_str(p->t, p->t->meta[i].name), "ENVIRONMENT_VARIABLE") ||
		    !wl_environment_is_kept(value) || value[n] != '=' || n >= sizeof(key))
			continue;
		memcpy(key, value, n);
		key[n] = '\0';
		text = wl_environment_value(value, key, &n_value);
		wl_facts_row(p->to, WL_FACTS_LABELS);
		wl_facts_put(p->to, WL_FACTS_LABELS_RANK, rank);
		wl_facts_put_str(p->to, WL_FACTS_LABELS_KEY, key);
		if (text)
			wl_facts_put_text(p->to, WL_FACTS_LABELS_VALUE, text, n_value);
	}
}

static bool put_ranks(struct putting *p)
{
	/* A session has no name for the file of a trace that it borrows: the path is not kept. */
	char path[] = "";
	struct wl_job_file file = { .path = path };

	wl_job_file_see(&file, p->t);
	for (size_t i = 0; i < p->uses.n; i++) {
		const struct wl_rank_use *use = &p->uses.at[i];

		put_rank(p, use, &file);
		for (size_t k = 0; k < use->lane->n_tiles; k++)
			put_idle(p, use, k);
		if (!put_exposed(p, use->lane->device) ||
		    !wl_facts_put_steps(p->run, use, p->rank_of[use->lane->device], p->to))
			return false;
		put_labels(p, p->rank_of[use->lane->device]);
	}
	return !p->to->failed;
}

/* The first 8 bytes of a sum that is the same on every machine. */
static uint64_t op_id(const char *class, const char *name)
{
	struct wl_sha256 sum;
	char hex[WL_SHA256_HEX];
	uint64_t id = 0;

	wl_sha256_init(&sum);
	wl_sha256_put(&sum, class, strlen(class) + 1);
	wl_sha256_put(&sum, name, strlen(name));
	wl_sha256_finish(&sum, hex);
	for (size_t i = 0; i < 16; i++)
		id = id << 4 | (uint64_t)(hex[i] <= '9' ? hex[i] - '0' : hex[i] - 'a' + 10);
	return id;
}

/* The row of an operation, one for all kernels of a class and a base name. */
static uint32_t add_op(struct putting *p, enum wl_class class, const char *name)
{
	const struct op_key key = { wl_facts_texts_put(&p->to->texts, name, strlen(name)),
				    (uint32_t) class };
	uint32_t op = wl_intern_put(&p->ops, &key);

	if (key.name == WL_NONE || op == WL_NONE)
		p->to->failed = true;
	if (p->to->failed || op < p->to->n[WL_FACTS_OPS])
		return p->to->failed ? 0 : op;
	wl_facts_row(p->to, WL_FACTS_OPS);
	wl_facts_put_u64(p->to, WL_FACTS_OPS_OP, op_id(wl_class_name(class), name));
	wl_facts_put_str(p->to, WL_FACTS_OPS_CLASS, wl_class_name(class));
	wl_facts_put_str(p->to, WL_FACTS_OPS_NAME, name);
	return op;
}

static uint32_t kernel_op(struct putting *p, uint32_t name)
{
	const char *text = wl_str(p->t, p->t->kernel_names[name].demangled);
	enum wl_class class = (enum wl_class)p->run->derived->classes->kernel_name[name];
	size_t n = strlen(text) + 1;
	char *base;

	if (p->kernel_op[name] != WL_NONE)
		return p->kernel_op[name];
	base = WL_NEW(p->scratch, char, n);
	if (!base) {
		p->to->failed = true;
		return 0;
	}
	(void)wl_name_base(text, base, n);
	return p->kernel_op[name] = add_op(p, class, base);
}

static uint32_t other_op(struct putting *p, enum wl_op_kind family, unsigned kind,
			 enum wl_class class)
{
	static const char *const names[WL_N_OP_FAMILIES] = {
		[WL_OP_MEMSET] = "memory set", [WL_OP_GRAPH] = wl_facts_graph_op
	};
	uint32_t *op = &p->other_op[((size_t)family * N_KINDS + kind) * WL_N_CLASSES + class];

	if (*op == WL_NONE)
		*op = add_op(p, class, names[family] ? names[family] : wl_copy_kind_name(kind));
	return *op;
}

static uint32_t op_of(struct putting *p, enum wl_op_kind kind, size_t row)
{
	const uint8_t *copy = wl_memcpys_kind(p->t);

	if (kind == WL_OP_KERNEL)
		return kernel_op(p, wl_kernels_name(p->t)[row]);
	if (kind == WL_OP_MEMCPY)
		return other_op(p, kind, copy ? copy[row] : 0,
				wl_class_of_copy(p->run->derived->classes, row));
	return other_op(p, kind, 0, WL_COMPUTE);
}

/* An operation of a device. */
struct done {
	uint32_t op, step; /* rows of ops; step of the process, WL_NONE */
	wl_ns dur;
};

static bool done_before(const void *ctx, uint32_t a, uint32_t b)
{
	const struct done *x = (const struct done *)ctx + a, *y = (const struct done *)ctx + b;

	if (x->op != y->op)
		return x->op < y->op;
	return x->step != y->step ? x->step < y->step : x->dur < y->dur;
}

/* Operations of a rank, in order. */
struct sorted {
	uint32_t rank;
	const struct done *done;
	const uint32_t *order;
	int64_t *dur; /* room for as many lengths */
};

static const struct done *done_at(const struct sorted *s, size_t i)
{
	return &s->done[s->order[i]];
}

/* [lo, hi) of the order are one operation in one step. */
static void put_work(struct putting *p, const struct sorted *s, size_t lo, size_t hi)
{
	wl_ns sum = 0;

	for (size_t i = lo; i < hi; i++)
		sum += done_at(s, i)->dur;
	wl_facts_row(p->to, WL_FACTS_OP_WORK);
	wl_facts_put(p->to, WL_FACTS_OP_WORK_RANK, s->rank);
	wl_facts_put(p->to, WL_FACTS_OP_WORK_OP, done_at(s, lo)->op);
	wl_facts_put(p->to, WL_FACTS_OP_WORK_STEP, done_at(s, lo)->step);
	wl_facts_put(p->to, WL_FACTS_OP_WORK_CALLS, (int64_t)(hi - lo));
	wl_facts_put(p->to, WL_FACTS_OP_WORK_SUM, sum);
}

/* [lo, hi) of the order are one operation. */
static void put_op(struct putting *p, const struct sorted *s, size_t lo, size_t hi)
{
	size_t n = hi - lo;
	wl_ns sum = 0;

	for (size_t i = 0; i < n; i++) {
		s->dur[i] = done_at(s, lo + i)->dur;
		sum += s->dur[i];
	}
	wl_sort_i64(s->dur, n);
	wl_facts_row(p->to, WL_FACTS_OP_RANK);
	wl_facts_put(p->to, WL_FACTS_OP_RANK_RANK, s->rank);
	wl_facts_put(p->to, WL_FACTS_OP_RANK_OP, done_at(s, lo)->op);
	wl_facts_put(p->to, WL_FACTS_OP_RANK_CALLS, (int64_t)n);
	wl_facts_put(p->to, WL_FACTS_OP_RANK_SUM, sum);
	wl_facts_put(p->to, WL_FACTS_OP_RANK_MIN, s->dur[0]);
	wl_facts_put(p->to, WL_FACTS_OP_RANK_P50, s->dur[wl_rank(n, 50)]);
	wl_facts_put(p->to, WL_FACTS_OP_RANK_P99, s->dur[wl_rank(n, 99)]);
	wl_facts_put(p->to, WL_FACTS_OP_RANK_MAX, s->dur[n - 1]);
}

static bool put_ops(struct putting *p, uint32_t rank, const struct done *done, size_t n,
		    struct wl_arena *scratch)
{
	uint32_t *order = WL_NEW(scratch, uint32_t, n), *tmp = WL_NEW(scratch, uint32_t, n);
	const struct sorted s = { rank, done, order, WL_NEW(scratch, int64_t, n) };

	if (!order || !tmp || !s.dur)
		return false;
	for (size_t i = 0; i < n; i++)
		order[i] = (uint32_t)i;
	wl_sort_index(order, n, tmp, done_before, done);
	for (size_t lo = 0, hi; lo < n; lo = hi) {
		for (hi = lo; hi < n && done_at(&s, hi)->op == done_at(&s, lo)->op; hi++)
			;
		put_op(p, &s, lo, hi);
		for (size_t at = lo, end; at < hi; at = end) {
			for (end = at; end < hi && done_at(&s, end)->step == done_at(&s, at)->step;
			     end++)
				;
			put_work(p, &s, at, end);
		}
	}
	return !p->to->failed;
}

/* The operations of a device: rows of families are by device. *at moves on. */
static bool take_ops(struct putting *p, const struct wl_rank_use *use, size_t at[WL_N_OP_FAMILIES],
		     struct wl_vec *list)
{
	uint32_t device = use->lane->device;

	for (size_t k = 0; k < WL_N_OP_FAMILIES; k++) {
		struct wl_ops ops = wl_trace_ops(p->t, wl_op_families[k]);

		for (; at[k] < ops.n && p->t->places[ops.place[at[k]]].device <= device; at[k]++) {
			size_t row = at[k], step;
			struct done done;

			if (p->t->places[ops.place[row]].device < device)
				continue;
			step = wl_ledger_step_at(use->lane, ops.start[row]);
			done = (struct done){ op_of(p, (enum wl_op_kind)k, row),
					      step < use->lane->n_tiles ? use->lane->tile[step].iter
									: WL_NONE,
					      wl_dur(ops.family, ops.dur, row) };
			wl_vec_push(list, &done);
		}
	}
	return !list->failed && !p->to->failed;
}

static bool put_work_of_all(struct putting *p)
{
	size_t at[WL_N_OP_FAMILIES] = { 0 };
	struct wl_vec list;
	bool ok = true;

	wl_vec_init(&list, sizeof(struct done), p->to->budget);
	for (size_t i = 0; ok && i < p->uses.n; i++) {
		struct wl_arena scratch;

		list.n = 0;
		wl_arena_init_child(&scratch, p->scratch);
		ok = take_ops(p, &p->uses.at[i], at, &list) &&
		     put_ops(p, p->rank_of[p->uses.at[i].lane->device], list.data, list.n,
			     &scratch);
		wl_arena_release(&scratch);
	}
	wl_vec_release(&list);
	return ok;
}

/* What communicates on GPUs; calls of MPI are the host's. */
static bool put_arrivals(struct putting *p)
{
	const struct wl_comm_queues *q = &p->run->derived->matches->queues;
	int64_t *comm = WL_NEW(p->scratch, int64_t, p->t->n_devices);

	for (size_t i = 0; comm && i < q->n; i++) {
		const struct wl_comm_queue *queue = &q->queue[i];
		uint32_t rank = p->rank_of[queue->device];
		size_t size;

		if (rank == WL_NONE || wl_comm_is_mpi(queue))
			continue;
		size = wl_comm_ranks(p->run->derived->payloads, queue->comm);
		for (size_t k = queue->lo; k < queue->hi; k++) {
			const struct wl_comm_op *op = &q->op[k];

			comm[queue->device] += op->dur;
			wl_facts_row(p->to, WL_FACTS_ARRIVALS);
			wl_facts_put(p->to, WL_FACTS_ARRIVALS_RANK, rank);
			wl_facts_put_u64(p->to, WL_FACTS_ARRIVALS_COMM, queue->comm);
			wl_facts_put_str(p->to, WL_FACTS_ARRIVALS_ROLE,
					 wl_stream_class_name(queue->class));
			wl_facts_put(p->to, WL_FACTS_ARRIVALS_STREAM, queue->order);
			wl_facts_put_str(p->to, WL_FACTS_ARRIVALS_TYPE,
					 wl_collective_key(queue->type));
			wl_facts_put(p->to, WL_FACTS_ARRIVALS_SEQ, (int64_t)(k - queue->lo));
			wl_facts_put(p->to, WL_FACTS_ARRIVALS_BEGIN, op->start);
			wl_facts_put(p->to, WL_FACTS_ARRIVALS_DUR, op->dur);
			put_time(p, WL_FACTS_ARRIVALS_BYTES, op->bytes, op->bytes >= 0);
			put_time(p, WL_FACTS_ARRIVALS_SIZE, (int64_t)size,
				 size > 0 && size < WL_NONE);
		}
	}
	for (size_t d = 0; comm && d < p->t->n_devices; d++) {
		if (p->rank_of[d] != WL_NONE && !p->to->failed)
			((int64_t *)p->to->column[WL_FACTS_RANKS_COMM].data)[p->rank_of[d]] =
				comm[d];
	}
	return comm && !p->to->failed;
}

static uint32_t *no_numbers(size_t n, struct wl_arena *arena)
{
	uint32_t *v = WL_NEW(arena, uint32_t, n);

	for (size_t i = 0; v && i < n; i++)
		v[i] = WL_NONE;
	return v;
}

int wl_facts_rows_put(const struct wl_run *run, const struct wl_facts_keys *keys,
		      struct wl_facts *facts, struct wl_err *reterr)
{
	struct wl_arena scratch;
	struct putting p = { .run = run, .t = run->trace, .keys = keys, .to = facts };
	bool ok;

	if (run->trace->n_devices == 0)
		return wl_fail(reterr, WL_E_NODATA, "no GPU operations; there are no facts");
	wl_arena_init_child(&scratch, run->arena);
	p.scratch = &scratch;
	wl_intern_init(&p.ops, sizeof(struct op_key), facts->budget);
	p.rank_of = no_numbers(run->trace->n_devices, &scratch);
	p.kernel_op = no_numbers(run->trace->n_kernel_names, &scratch);
	p.other_op = no_numbers(N_OTHERS, &scratch);
	ok = p.rank_of && p.kernel_op && p.other_op &&
	     wl_rank_use_find(run->derived, run->scope, &scratch, &p.uses) && put_ranks(&p) &&
	     put_work_of_all(&p) && put_arrivals(&p) &&
	     wl_facts_put_calls(run, p.rank_of, &scratch, facts);
	wl_intern_release(&p.ops);
	wl_arena_release(&scratch);
	return ok ? WL_OK : wl_fail(reterr, WL_E_NOMEM, "no memory for the facts");
}

void wl_facts_set_trace(struct wl_facts *f, const char *name)
{
	uint32_t text = wl_facts_texts_put(&f->texts, name, strlen(name));
	uint32_t *of = f->column[WL_FACTS_RANKS_TRACE].data;

	f->failed = f->failed || text == WL_NONE;
	for (size_t i = 0; !f->failed && i < f->n[WL_FACTS_RANKS]; i++)
		of[i] = text;
}
