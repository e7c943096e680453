/* SPDX-License-Identifier: MIT */
#include "model/merge_parts.h"

#include <string.h>

/* Keys are compared by their bytes: no padding. */
struct machine_key {
	uint32_t file, machine; /* the upper 16 bits of the file's own ids */
};

/* Identifies a GPU by UUID and host if both are known, else by its number in its file. */
struct gpu_key {
	uint64_t id;
	uint32_t host, uuid, file, zero;
};

/* Identifies a device by UUID and host if it is proven and both are known. */
struct device_key {
	uint32_t host, uuid, file, device;
};

enum { MACHINES = 1 << 16 };

void wl_merge_init(struct wl_merge *m, struct wl_build *build, size_t n_files)
{
	*m = (struct wl_merge){ .build = build, .n_files = n_files };
	build->machines = (unsigned)(MACHINES / n_files);
	wl_intern_init(&m->machine_keys, sizeof(struct machine_key), build->budget);
	wl_vec_init(&m->machine_numbers, sizeof(uint32_t), build->budget);
	wl_vec_init(&m->n_machines, sizeof(uint32_t), build->budget);
	wl_intern_init(&m->gpu_keys, sizeof(struct gpu_key), build->budget);
	wl_intern_init(&m->device_keys, sizeof(struct device_key), build->budget);
	wl_intern_init(&m->column_keys, 2 * sizeof(uint32_t), build->budget);
	wl_intern_init(&m->table_keys, sizeof(uint32_t), build->budget);
}

void wl_merge_release(struct wl_merge *m)
{
	wl_intern_release(&m->machine_keys);
	wl_vec_release(&m->machine_numbers);
	wl_vec_release(&m->n_machines);
	wl_intern_release(&m->gpu_keys);
	wl_intern_release(&m->device_keys);
	wl_intern_release(&m->column_keys);
	wl_intern_release(&m->table_keys);
}

wl_ns wl_merge_time(const struct wl_trace_file *clock, wl_ns t)
{
	/* Seconds and the remainder separately: time times drift may overflow. */
	wl_ns drift = t / 1000000000 * clock->drift + t % 1000000000 * clock->drift / 1000000000;
	wl_ns at = t + clock->offset + drift;

	return at < -WL_TIME_MAX ? -WL_TIME_MAX : at > WL_TIME_MAX ? WL_TIME_MAX : at;
}

/* ---- Strings ---- */

static uint32_t put_text(struct wl_build *b, const char *text)
{
	return wl_string_put(&b->strings, text, strlen(text));
}

uint32_t wl_merging_string(struct wl_merging *k, uint32_t id)
{
	if (id == WL_NONE)
		return WL_NONE;
	if (k->string[id] == WL_NONE)
		k->string[id] = put_text(k->b, wl_str(k->t, id));
	return k->string[id];
}

bool wl_merging_begin(struct wl_merging *k)
{
	wl_arena_init_on(&k->arena, k->b->budget);
	k->string = WL_NEW(&k->arena, uint32_t, k->t->strings.n);
	if (k->string)
		memset(k->string, 0xff, k->t->strings.n * sizeof(uint32_t)); /* WL_NONE */
	return k->string != NULL;
}

/* ---- What a file records besides its rows ---- */

bool wl_merge_file(struct wl_merge *m, const char *path, const struct wl_build_file *file,
		   const char *host)
{
	struct wl_build_file own = *file;

	own.clock.path = put_text(m->build, path);
	own.clock.host = host ? put_text(m->build, host) : WL_NONE;
	for (unsigned i = 0; i < WL_N_FILE_FACTS; i++)
		own.clock.fact[i] = WL_NONE;
	wl_vec_push(&m->build->files, &own);
	wl_vec_push(&m->n_machines, &(uint32_t){ 0 });
	return !m->build->files.failed && !m->build->strings.failed && !m->n_machines.failed;
}

static uint32_t host_of(const struct wl_merging *k)
{
	return ((const struct wl_build_file *)k->b->files.data)[k->file].clock.host;
}

/* The job's number for a GPU of the file; the GPU is added if it is new. */
static uint32_t gpu_of(struct wl_merging *k, size_t i)
{
	struct wl_gpu gpu = k->t->gpus[i];
	struct gpu_key key = { .id = (uint64_t)gpu.id, .host = WL_NONE, .file = k->file };
	uint32_t number;

	gpu.name = wl_merging_string(k, gpu.name);
	gpu.bus = wl_merging_string(k, gpu.bus);
	gpu.uuid = wl_merging_string(k, gpu.uuid);
	if (gpu.uuid != WL_NONE && host_of(k) != WL_NONE)
		key = (struct gpu_key){ .host = host_of(k), .uuid = gpu.uuid, .file = WL_NONE };
	number = wl_intern_put(&k->m->gpu_keys, &key);
	k->m->failed |= number == WL_NONE;
	if (number == k->b->gpus.n)
		wl_vec_push(&k->b->gpus, &gpu);
	return number;
}

static void take_meta(struct wl_merging *k)
{
	for (size_t i = 0; i < k->t->n_meta; i++) {
		const struct wl_meta *from = &k->t->meta[i];

		wl_vec_push(&k->b->meta, &(struct wl_meta){ wl_merging_string(k, from->table),
							    wl_merging_string(k, from->name),
							    wl_merging_string(k, from->value) });
	}
}

/* Also updates the published files: the extent may already have been set. */
static void take_facts(struct wl_merging *k)
{
	struct wl_build_file *f = &((struct wl_build_file *)k->b->files.data)[k->file];
	struct wl_trace_file *published = k->b->trace_files.data;

	for (unsigned i = 0; i < WL_N_FILE_FACTS; i++) {
		const char *text = wl_trace_meta(k->t, wl_file_fact_name((enum wl_file_fact)i));

		f->clock.fact[i] = text && *text ? put_text(k->b, text) : WL_NONE;
		if (k->file < k->b->trace_files.n)
			published[k->file].fact[i] = f->clock.fact[i];
	}
}

/* A table or column is listed if any file has it. Rows are counted when they are loaded. */
static void take_tables(struct wl_merging *k)
{
	const uint32_t *name = wl_tables_name(k->t);
	const uint8_t *use = wl_tables_use(k->t);
	struct wl_vec *names = &k->b->column[WL_TABLES_NAME];
	struct wl_vec *uses = &k->b->column[WL_TABLES_USE];

	for (size_t i = 0; i < k->t->n_source_columns; i++) {
		const struct wl_source_column *c = &k->t->source_columns[i];
		uint32_t text = wl_merging_string(k, name[c->table]);
		uint32_t table = wl_intern_put(&k->m->table_keys, &text);
		const uint32_t key[2] = { table, wl_merging_string(k, c->name) };
		uint32_t column = wl_intern_put(&k->m->column_keys, key);

		k->m->failed |= table == WL_NONE || column == WL_NONE;
		if (table == names->n) {
			wl_vec_push(names, &text);
			wl_vec_push(uses, &(uint8_t){ WL_USE_NONE });
		}
		if (table < uses->n && ((uint8_t *)uses->data)[table] < use[c->table])
			((uint8_t *)uses->data)[table] = use[c->table];
		if (column == k->b->source_columns.n)
			wl_vec_push(&k->b->source_columns,
				    &(struct wl_source_column){ table, key[1],
								wl_merging_string(k, c->type) });
	}
	k->b->family[WL_F_TABLES].n = names->n;
	k->b->family[WL_F_TABLES].filled = true;
	wl_columns_add(&k->b->loaded, WL_TABLES_NAME);
	wl_columns_add(&k->b->loaded, WL_TABLES_USE);
}

/* Converts a process key of the file to the job's. */
static uint64_t key_of(struct wl_merging *k, uint64_t key)
{
	const struct machine_key machine = { k->file, (uint32_t)(key >> 24) };
	uint32_t id = wl_intern_put(&k->m->machine_keys, &machine);
	uint32_t *n = &((uint32_t *)k->m->n_machines.data)[k->file];

	if (id == k->m->machine_numbers.n) {
		uint32_t number = k->file * k->b->machines + *n;

		wl_vec_push(&k->m->machine_numbers, &number);
		k->m->failed |= ++*n > k->b->machines;
	}
	if (id == WL_NONE || k->m->machine_numbers.failed) {
		k->m->failed = true;
		return 0;
	}
	return (uint64_t)((uint32_t *)k->m->machine_numbers.data)[id] << 24 | (key & 0xffffff);
}

static void take_file(struct wl_merging *k)
{
	struct wl_build_file *f = &((struct wl_build_file *)k->b->files.data)[k->file];

	/* The same file may be merged again with more columns. */
	if (k->t->n_repaired > f->n_repaired) {
		k->b->strings.n_repaired += k->t->n_repaired - f->n_repaired;
		f->n_repaired = k->t->n_repaired;
	}
	if (k->t->n_mistyped > f->n_mistyped) {
		k->b->n_mistyped += k->t->n_mistyped - f->n_mistyped;
		f->n_mistyped = k->t->n_mistyped;
	}
}

bool wl_merge_is_fine(const struct wl_merge *m)
{
	return !m->failed && !wl_build_failed(m->build);
}

bool wl_merge_catalogue(struct wl_merge *m, size_t file, const struct wl_trace *trace)
{
	struct wl_merging k = { .m = m, .b = m->build, .t = trace, .file = (uint32_t)file };
	bool ok = wl_merging_begin(&k);

	if (ok) {
		if (file == 0)
			take_meta(&k);
		take_facts(&k);
		take_tables(&k);
		for (size_t i = 0; i < trace->n_gpus; i++)
			(void)gpu_of(&k, i);
		for (size_t i = 0; i < trace->n_mpi_ranks; i++)
			wl_vec_push(&m->build->mpi_ranks,
				    &(struct wl_mpi_rank){ key_of(&k, trace->mpi_ranks[i].key),
							   trace->mpi_ranks[i].rank });
		for (size_t f = 0; f < WL_N_FAMILIES; f++)
			m->build->family[f].present |= trace->family[f].present;
		take_file(&k);
	}
	wl_arena_release(&k.arena);
	return ok && wl_merge_is_fine(m);
}

/* The capture spans the first start to the last end; the host is set if all files share one. */
void wl_merge_set_extent(struct wl_merge *m)
{
	struct wl_build *b = m->build;
	const struct wl_build_file *file = b->files.data;

	b->host = file[0].clock.host;
	b->utc_start = 0;
	b->duration = WL_NO_TIME;
	b->trace_files.n = 0;
	for (size_t i = 0; i < b->files.n; i++) {
		const struct wl_trace_file *c = &file[i].clock;
		wl_ns end = c->duration == WL_NO_TIME ? WL_NO_TIME : wl_merge_time(c, c->duration);

		if (c->host != b->host)
			b->host = WL_NONE;
		if (c->utc > 0 && (b->utc_start == 0 || c->utc < b->utc_start))
			b->utc_start = c->utc;
		if (end > b->duration)
			b->duration = end;
		wl_vec_push(&b->trace_files, c);
	}
}

/* ---- Owners of rows ---- */

static void put_label(struct wl_vec *labels, uint64_t key, uint32_t name)
{
	if (name != WL_NONE)
		wl_vec_push(labels, &(struct wl_label){ key, name, labels->n });
}

static bool take_processes(struct wl_merging *k)
{
	k->process = WL_NEW(&k->arena, uint64_t, k->t->n_processes);
	for (size_t i = 0; k->process && i < k->t->n_processes; i++) {
		const struct wl_process *p = &k->t->processes[i];

		k->process[i] = key_of(k, p->key);
		put_label(&k->b->process_names, k->process[i], wl_merging_string(k, p->name));
		put_label(&k->b->hosts, k->process[i] >> 24,
			  p->host == WL_NONE ? host_of(k) : wl_merging_string(k, p->host));
	}
	return k->process != NULL;
}

static bool take_threads(struct wl_merging *k)
{
	k->thread = WL_NEW(&k->arena, uint32_t, k->t->n_threads);
	for (size_t i = 0; k->thread && i < k->t->n_threads; i++) {
		const struct wl_thread *h = &k->t->threads[i];
		uint64_t global = k->process[h->process] << 24 | (h->global & 0xffffff);

		k->thread[i] = wl_intern_put(&k->b->thread_keys, &global);
		k->m->failed |= k->thread[i] == WL_NONE;
		put_label(&k->b->thread_names, global, wl_merging_string(k, h->name));
	}
	return k->thread != NULL;
}

/* The job's number for a device of the file; two files that share a GPU get the same number. */
static uint32_t take_device(struct wl_merging *k, size_t i)
{
	struct wl_taken_device d = { .device = k->t->devices[i], .file = k->file };
	struct device_key key = { WL_NONE, WL_NONE, k->file, (uint32_t)i };
	uint32_t number;

	d.device.uuid = wl_merging_string(k, d.device.uuid);
	d.device.name = wl_merging_string(k, d.device.name);
	if (d.device.gpu != WL_NONE)
		d.device.gpu = gpu_of(k, d.device.gpu);
	if (d.device.proven && d.device.uuid != WL_NONE && host_of(k) != WL_NONE)
		key = (struct device_key){ host_of(k), d.device.uuid, WL_NONE, 0 };
	number = wl_intern_put(&k->m->device_keys, &key);
	k->m->failed |= number == WL_NONE;
	if (number == k->b->taken_devices.n)
		wl_vec_push(&k->b->taken_devices, &d);
	return number;
}

/* A place from an earlier load may get its device only now. */
static void set_device(struct wl_build *b, uint32_t place, uint32_t device)
{
	while (place >= b->place_used.n && !b->place_used.failed && !b->place_device.failed) {
		wl_vec_push(&b->place_used, &(uint8_t){ 0 });
		wl_vec_push(&b->place_device, &(uint32_t){ WL_NONE });
	}
	if (device == WL_NONE || b->place_used.failed || b->place_device.failed)
		return;
	((uint8_t *)b->place_used.data)[place] = 1;
	((uint32_t *)b->place_device.data)[place] = device;
}

static bool take_places(struct wl_merging *k)
{
	k->device = WL_NEW(&k->arena, uint32_t, k->t->n_devices);
	k->place = WL_NEW(&k->arena, uint32_t, k->t->n_places);
	if (!k->device || !k->place)
		return false;
	for (size_t i = 0; i < k->t->n_devices; i++)
		k->device[i] = take_device(k, i);
	for (size_t i = 0; i < k->t->n_places; i++) {
		const struct wl_place *p = &k->t->places[i];
		const struct wl_place_key key = { .process = k->process[p->process],
						  .ordinal = p->ordinal,
						  .context = p->context,
						  .stream = p->stream };

		k->place[i] = wl_intern_put(&k->b->place_keys, &key);
		k->m->failed |= k->place[i] == WL_NONE;
		if (k->place[i] != WL_NONE)
			set_device(k->b, k->place[i],
				   p->device == WL_NONE ? WL_NONE : k->device[p->device]);
	}
	return true;
}

static bool take_kernels(struct wl_merging *k)
{
	k->name = WL_NEW(&k->arena, uint32_t, k->t->n_kernel_names);
	k->config = WL_NEW(&k->arena, uint32_t, k->t->n_configs);
	for (size_t i = 0; k->name && i < k->t->n_kernel_names; i++) {
		const struct wl_kernel_name *n = &k->t->kernel_names[i];
		const struct wl_kernel_name own = { wl_merging_string(k, n->demangled),
						    wl_merging_string(k, n->brief),
						    wl_merging_string(k, n->mangled) };

		k->name[i] = wl_intern_put(&k->b->kernel_names, &own);
		k->m->failed |= k->name[i] == WL_NONE;
	}
	for (size_t i = 0; k->config && i < k->t->n_configs; i++) {
		k->config[i] = wl_intern_put(&k->b->configs, &k->t->configs[i]);
		k->m->failed |= k->config[i] == WL_NONE;
	}
	return k->name && k->config;
}

static bool take_series(struct wl_merging *k)
{
	k->series = WL_NEW(&k->arena, uint32_t, k->t->n_series + 1);
	for (size_t i = 0; k->series && i < k->t->n_series; i++) {
		struct wl_counter_series own = k->t->series[i];

		own.gpu = own.gpu == WL_NONE ? WL_NONE : gpu_of(k, own.gpu);
		own.name = wl_merging_string(k, own.name);
		own.nic = wl_merging_string(k, own.nic);
		own.unit = wl_merging_string(k, own.unit);
		own.file = k->file;
		k->series[i] = wl_intern_put(&k->b->series, &own);
		k->m->failed |= k->series[i] == WL_NONE;
	}
	return k->series != NULL;
}

/* Callers come before their callees, so one pass is enough. */
bool wl_merging_stacks(struct wl_merging *k)
{
	uint32_t *frame;

	if (k->stack)
		return true;
	frame = WL_NEW(&k->arena, uint32_t, k->t->n_frames + 1);
	k->stack = WL_NEW(&k->arena, uint32_t, k->t->n_stacks + 1);
	for (size_t i = 0; frame && i < k->t->n_frames; i++) {
		const struct wl_stack_frame *f = &k->t->frames[i];
		const struct wl_stack_frame own = { wl_merging_string(k, f->symbol),
						    wl_merging_string(k, f->module), f->kind };

		frame[i] = wl_intern_put(&k->b->frames, &own);
		k->m->failed |= frame[i] == WL_NONE;
	}
	for (size_t i = 0; frame && k->stack && i < k->t->n_stacks; i++) {
		const struct wl_stack *s = &k->t->stacks[i];
		const struct wl_stack own = { s->caller == WL_NONE ? WL_NONE : k->stack[s->caller],
					      frame[s->frame] };

		k->stack[i] = wl_intern_put(&k->b->stacks, &own);
		k->m->failed |= k->stack[i] == WL_NONE;
	}
	return frame && k->stack && !k->m->failed;
}

bool wl_merging_owners(struct wl_merging *k)
{
	if (!take_processes(k) || !take_threads(k) || !take_places(k) || !take_kernels(k) ||
	    !take_series(k) || !wl_merge_is_fine(k->m))
		return false;
	take_file(k);
	return true;
}
