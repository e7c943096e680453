/* SPDX-License-Identifier: MIT */
/*
 * identity.c - the processes, threads and devices of a trace.
 *
 * A process is globalPid >> 24 with all upper bits: the pid alone collides between nodes and
 * virtual machines. A device is the physical GPU if TARGET_INFO_CUDA_DEVICE proves it or the
 * machine has only one. It is a part of a GPU if that table lists several UUIDs for one GPU (MIG).
 * Otherwise it is one process's CUDA ordinal, because with CUDA_VISIBLE_DEVICES every rank may call
 * its GPU 0.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory/bound.h"
#include "base/memory/compare.h"
#include "base/memory/sort.h"
#include "model/build.h"

/* In a job, the upper bits of a key are machine numbers in file order (see merge.h). */
static uint32_t file_of(const struct wl_build *b, uint64_t key)
{
	return b->machines ? (uint32_t)((key >> 24) / b->machines) : 0;
}

static uint32_t pid_of(uint64_t key)
{
	return (uint32_t)(key & 0xffffff);
}

static int by_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static int by_key(const void *va, const void *vb)
{
	const struct wl_label *a = va, *b = vb;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return (a->seq > b->seq) - (a->seq < b->seq);
}

static void sort_labels(struct wl_vec *labels)
{
	if (labels->n)
		qsort(labels->data, labels->n, sizeof(struct wl_label), by_key);
}

/* The label with this key, or NULL. The last one wins, because later rows rename. */
static const struct wl_label *find_label(const struct wl_vec *labels, uint64_t key)
{
	const struct wl_label *label = labels->data;
	size_t n = WL_UPTO_BY(wl_label, key, label, labels->n, key);

	return n > 0 && label[n - 1].key == key ? &label[n - 1] : NULL;
}

static uint32_t find_process(const struct wl_build *b, uint64_t key)
{
	return (uint32_t)WL_BELOW_BY(wl_process, key, b->processes.data, b->processes.n, key);
}

/* Every process that owns a place or a thread, once, sorted by key. */
static bool make_processes(struct wl_build *b)
{
	const struct wl_place_key *place = b->place_keys.items.data;
	const uint64_t *thread = b->thread_keys.items.data;
	size_t n_places = b->place_keys.items.n, n_threads = b->thread_keys.items.n;
	struct wl_vec keys;
	uint64_t *key;

	wl_vec_init(&keys, sizeof(uint64_t), b->budget);
	key = wl_vec_extend(&keys, n_places + n_threads);
	if (!key)
		return false;
	for (size_t i = 0; i < n_places; i++)
		key[i] = place[i].process;
	for (size_t i = 0; i < n_threads; i++)
		key[n_places + i] = thread[i] >> 24;
	qsort(key, keys.n, sizeof(*key), by_u64);
	b->processes.n = 0;
	for (size_t i = 0; i < keys.n; i++) {
		const struct wl_label *name, *host;

		if (i > 0 && key[i] == key[i - 1])
			continue;
		name = find_label(&b->process_names, key[i]);
		host = b->pids_only ? NULL : find_label(&b->hosts, key[i] >> 24);
		wl_vec_push(&b->processes, &(struct wl_process){
						   .key = key[i],
						   .rank = -1,
						   .pid = pid_of(key[i]),
						   .name = name ? (uint32_t)name->value : WL_NONE,
						   .host = host ? (uint32_t)host->value : WL_NONE,
						   .file = file_of(b, key[i]),
					   });
	}
	wl_vec_release(&keys);
	return !b->processes.failed;
}

static bool make_threads(struct wl_build *b)
{
	const uint64_t *key = b->thread_keys.items.data;

	b->threads.n = 0;
	for (size_t i = 0; i < b->thread_keys.items.n; i++) {
		const struct wl_label *name = find_label(&b->thread_names, key[i]);

		wl_vec_push(&b->threads, &(struct wl_thread){
						 .global = key[i],
						 .process = find_process(b, key[i] >> 24),
						 .name = name ? (uint32_t)name->value : WL_NONE,
						 .tid = (uint32_t)(key[i] & 0xffffff),
					 });
	}
	return !b->threads.failed;
}

/* The evidence for devices, sorted so that each place needs only a few comparisons. */
struct evidence {
	const struct wl_build *b;
	struct wl_vec pids;   /* uint64_t: the pids of all processes with operations, sorted */
	struct wl_vec parted; /* int64_t: numbers of GPUs with several UUIDs, sorted */
	uint32_t common_name; /* the model that all GPUs of the machine share, or WL_NONE */
};

static int by_pid(const void *va, const void *vb)
{
	const struct wl_cuda_device *a = va, *b = vb;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->ordinal != b->ordinal)
		return a->ordinal < b->ordinal ? -1 : 1;
	return (a->gpu_id > b->gpu_id) - (a->gpu_id < b->gpu_id);
}

WL_COMPARE_BY(by_id, wl_gpu, id)

static int by_gpu(const void *va, const void *vb)
{
	const struct wl_cuda_device *a = va, *b = vb;

	if (a->gpu_id != b->gpu_id)
		return a->gpu_id < b->gpu_id ? -1 : 1;
	return (a->uuid > b->uuid) - (a->uuid < b->uuid);
}

/* Finds the GPUs that appear under several UUIDs; false if out of memory. */
static bool find_parted(const struct wl_build *b, struct wl_vec *ret)
{
	size_t n = b->cuda_devices.n;
	struct wl_cuda_device *row;
	struct wl_vec rows;

	wl_vec_init(ret, sizeof(int64_t), b->budget);
	wl_vec_init(&rows, sizeof(*row), b->budget);
	row = wl_vec_extend(&rows, n);
	if (row && n) {
		memcpy(row, b->cuda_devices.data, n * sizeof(*row));
		qsort(row, n, sizeof(*row), by_gpu);
	}
	for (size_t i = 1; row && i < n; i++) {
		const int64_t *last = ret->n ? &((int64_t *)ret->data)[ret->n - 1] : NULL;

		if (row[i].uuid != WL_NONE && row[i].gpu_id == row[i - 1].gpu_id &&
		    row[i].uuid != row[i - 1].uuid && !(last && *last == row[i].gpu_id))
			wl_vec_push(ret, &row[i].gpu_id);
	}
	wl_vec_release(&rows);
	return row && !ret->failed;
}

/*
 * Only processes with operations count. Which other processes are known depends on what else was
 * loaded; devices must not depend on it.
 */
static bool gather_evidence(struct wl_build *b, struct evidence *e)
{
	const struct wl_process *p = b->processes.data;
	const struct wl_gpu *gpu = b->gpus.data;

	*e = (struct evidence){ .b = b, .common_name = b->gpus.n ? gpu[0].name : WL_NONE };
	for (size_t i = 1; i < b->gpus.n; i++) {
		if (gpu[i].name != gpu[0].name)
			e->common_name = WL_NONE;
	}
	/* In a job, each file has already proven its devices, which refer to GPUs by index in the
	 * list. */
	if (b->gpus.n && !b->machines)
		qsort(b->gpus.data, b->gpus.n, sizeof(struct wl_gpu), by_id);
	if (b->cuda_devices.n)
		qsort(b->cuda_devices.data, b->cuda_devices.n, sizeof(struct wl_cuda_device),
		      by_pid);
	wl_vec_init(&e->pids, sizeof(uint64_t), b->budget);
	for (size_t i = 0; i < b->processes.n; i++) {
		if (p[i].on_gpu)
			wl_vec_push(&e->pids, &(uint64_t){ p[i].pid });
	}
	if (e->pids.n)
		qsort(e->pids.data, e->pids.n, sizeof(uint64_t), by_u64);
	return find_parted(b, &e->parted) && !e->pids.failed;
}

static void release_evidence(struct evidence *e)
{
	wl_vec_release(&e->pids);
	wl_vec_release(&e->parted);
}

static bool is_parted(const struct evidence *e, int64_t gpu_id)
{
	const int64_t *all = e->parted.data;
	size_t i = WL_BELOW(all, e->parted.n, gpu_id);

	return i < e->parted.n && all[i] == gpu_id;
}

/* True when two processes of the trace have this pid: then a pid proves nothing. */
static bool pid_is_shared(const struct evidence *e, uint32_t pid)
{
	const uint64_t *all = e->pids.data;
	size_t first = WL_BELOW(all, e->pids.n, pid);

	return first + 1 < e->pids.n && all[first + 1] == pid;
}

struct wanted_row {
	const struct wl_cuda_device *row;
	struct wl_cuda_device want;
};

static bool row_before(const void *ctx, size_t i)
{
	const struct wanted_row *w = ctx;

	return by_pid(&w->row[i], &w->want) < 0;
}

/* The row that maps a process's ordinal to a GPU; NULL if there is none or two disagree. */
static const struct wl_cuda_device *proof(const struct evidence *e, uint64_t key, uint32_t ordinal)
{
	const struct wl_vec *rows = &e->b->cuda_devices;
	struct wanted_row w = { rows->data,
				{ .pid = pid_of(key), .ordinal = ordinal, .gpu_id = INT64_MIN } };
	size_t first = wl_lower_bound(rows->n, row_before, &w), end;

	w.want.gpu_id = INT64_MAX;
	end = wl_lower_bound(rows->n, row_before, &w);
	if (first == end || pid_is_shared(e, pid_of(key)))
		return NULL;
	return w.row[first].gpu_id == w.row[end - 1].gpu_id ? &w.row[first] : NULL;
}

uint32_t wl_build_find_gpu(const struct wl_build *b, int64_t id)
{
	const struct wl_gpu *found = b->gpus.n ? bsearch(&(struct wl_gpu){ .id = id }, b->gpus.data,
							 b->gpus.n, sizeof(struct wl_gpu), by_id)
					       : NULL;

	return found ? (uint32_t)(found - (const struct wl_gpu *)b->gpus.data) : WL_NONE;
}

/* A device that has no index yet; machine distinguishes nodes and virtual machines. */
struct candidate {
	struct wl_device device;
	uint32_t taken;   /* in a job: its number in taken_devices, in file order; else 0 */
	uint64_t machine; /* upper bits of the process key */
	uint64_t process_key;
	const char *part; /* UUID if the GPU has several; else "" */
};

static int by_user_order(const void *va, const void *vb)
{
	const struct candidate *a = va, *b = vb;

	if (a->taken != b->taken)
		return a->taken < b->taken ? -1 : 1;
	if (a->device.proven != b->device.proven)
		return a->device.proven ? -1 : 1;
	if (a->device.proven) {
		if (a->machine != b->machine)
			return a->machine < b->machine ? -1 : 1;
		if (a->device.gpu_id != b->device.gpu_id)
			return a->device.gpu_id < b->device.gpu_id ? -1 : 1;
		if (strcmp(a->part, b->part) != 0)
			return strcmp(a->part, b->part);
	} else if (a->process_key != b->process_key) {
		return a->process_key < b->process_key ? -1 : 1;
	}
	return (a->device.ordinal > b->device.ordinal) - (a->device.ordinal < b->device.ordinal);
}

static bool same_device(const struct candidate *a, const struct candidate *b)
{
	if (a->taken != b->taken || a->device.proven != b->device.proven)
		return false;
	if (a->device.proven)
		return a->machine == b->machine && a->device.gpu_id == b->device.gpu_id &&
		       strcmp(a->part, b->part) == 0;
	return a->process_key == b->process_key && a->device.ordinal == b->device.ordinal;
}

/* In a job, a place's device is the one its file determined. */
static struct candidate taken_candidate(const struct wl_build *b, size_t i)
{
	const struct wl_place_key *place =
		&((const struct wl_place_key *)b->place_keys.items.data)[i];
	uint32_t at = ((const uint32_t *)b->place_device.data)[i];
	/* A place without operations has no number and is not a device. */
	struct candidate c = { .taken = at, .process_key = place->process, .part = "" };

	if (at == WL_NONE)
		return c;
	c.device = ((const struct wl_taken_device *)b->taken_devices.data)[at].device;
	if (!c.device.proven)
		c.device.process = find_process(b, place->process);
	return c;
}

static struct candidate make_candidate(const struct evidence *e, const struct wl_place_key *place)
{
	const struct wl_build *b = e->b;
	const struct wl_cuda_device *row = proof(e, place->process, place->ordinal);
	const struct wl_gpu *gpus = b->gpus.data;
	/* A machine with one GPU needs no proof: nsys lists all GPUs, used or not. */
	bool only = !row && b->gpus.n == 1 && place->ordinal == 0;
	int64_t gpu_id = row ? row->gpu_id : only ? gpus[0].id : -1;
	uint32_t gpu = row || only ? wl_build_find_gpu(b, gpu_id) : WL_NONE;
	struct candidate c = { .machine = place->process >> 24,
			       .process_key = place->process,
			       .part = "" };

	c.device = (struct wl_device){
		.proven = row || only,
		.process = row || only ? WL_NONE : find_process(b, place->process),
		.ordinal = place->ordinal,
		.gpu = gpu,
		.uuid = row ? row->uuid : WL_NONE,
		.name = gpu != WL_NONE ? gpus[gpu].name : e->common_name,
		.gpu_id = gpu_id,
	};
	if (row && row->uuid != WL_NONE && is_parted(e, gpu_id))
		c.part = wl_string_get(&b->strings, row->uuid);
	if (c.device.uuid == WL_NONE && gpu != WL_NONE)
		c.device.uuid = gpus[gpu].uuid;
	return c;
}

static struct candidate candidate_of(const struct evidence *e, size_t i)
{
	return e->b->machines
		       ? taken_candidate(e->b, i)
		       : make_candidate(
				 e, (const struct wl_place_key *)e->b->place_keys.items.data + i);
}

struct wanted_device {
	const struct candidate *sorted;
	const struct candidate *want;
};

static bool device_before(const void *ctx, size_t i)
{
	const struct wanted_device *w = ctx;

	return !same_device(&w->sorted[i], w->want) && by_user_order(&w->sorted[i], w->want) < 0;
}

/* The index of the candidate's device, or WL_NONE. */
static uint32_t device_index(const struct wl_vec *sorted, const struct candidate *want)
{
	const struct candidate *c = sorted->data;
	size_t i = wl_lower_bound(sorted->n, device_before, &(struct wanted_device){ c, want });

	return i < sorted->n && same_device(&c[i], want) ? (uint32_t)i : WL_NONE;
}

static size_t unique_devices(struct candidate *c, size_t n)
{
	size_t kept = 0;

	qsort(c, n, sizeof(*c), by_user_order);
	for (size_t i = 0; i < n; i++) {
		if (kept == 0 || !same_device(&c[kept - 1], &c[i]))
			c[kept++] = c[i];
	}
	return kept;
}

/* A device is one on which an operation ran; a place that only waits gets its process's device. */
static bool make_devices(struct wl_build *b)
{
	const struct wl_place_key *key = b->place_keys.items.data;
	const uint8_t *used = b->place_used.data;
	struct wl_process *process = b->processes.data;
	struct evidence e;
	struct wl_vec found;

	for (size_t i = 0; i < b->place_keys.items.n; i++) {
		if (used[i])
			process[find_process(b, key[i].process)].on_gpu = true;
	}
	if (!gather_evidence(b, &e)) {
		release_evidence(&e);
		return false;
	}
	wl_vec_init(&found, sizeof(struct candidate), b->budget);
	for (size_t i = 0; i < b->place_keys.items.n; i++) {
		if (used[i]) {
			struct candidate c = candidate_of(&e, i);

			wl_vec_push(&found, &c);
		}
	}
	if (found.n)
		found.n = unique_devices(found.data, found.n);
	b->devices.n = 0;
	b->places.n = 0;
	for (size_t i = 0; i < found.n; i++)
		wl_vec_push(&b->devices, &((struct candidate *)found.data)[i].device);
	for (size_t i = 0; i < b->place_keys.items.n; i++) {
		struct candidate c = candidate_of(&e, i);

		wl_vec_push(&b->places, &(struct wl_place){
						.process = find_process(b, key[i].process),
						.device = device_index(&found, &c),
						.ordinal = key[i].ordinal,
						.context = key[i].context,
						.stream = key[i].stream,
					});
	}
	wl_vec_release(&found);
	release_evidence(&e);
	return !found.failed && !b->devices.failed && !b->places.failed;
}

int wl_build_identify(struct wl_build *b, struct wl_err *reterr)
{
	sort_labels(&b->process_names);
	sort_labels(&b->thread_names);
	sort_labels(&b->hosts);
	if (!make_processes(b) || !make_threads(b) || !make_devices(b) || !wl_build_rank(b))
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory for processes and devices",
			       b->path);
	return WL_OK;
}
