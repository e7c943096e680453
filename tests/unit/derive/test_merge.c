/* SPDX-License-Identifier: MIT */
/* Several traces as one: identity, strings, clocks, devices. */
#include "model/merge.h"

#include <string.h>

#include "support/mem.h"
#include "support/unit.h"

enum { N = 2 };

/* Two files, each a trace in memory, and the job that they become. */
struct job {
	struct mem file[N];
	struct wl_build build;
	struct wl_merge merge;
};

static void begin(struct job *j)
{
	for (size_t i = 0; i < N; i++)
		mem_init(&j->file[i]);
}

/* Everything of the files becomes the job, on these clocks. */
static const struct wl_trace *merge(struct job *j, const wl_ns offset[N], const char *const host[N])
{
	struct wl_columns all = { { 0 } };
	struct wl_err err;

	for (size_t c = 0; c < WL_N_COLUMNS; c++) {
		if (wl_column_infos[c].family != WL_F_TABLES)
			wl_columns_add(&all, (enum wl_column_id)c);
	}
	assert_int_equal(wl_build_init(&j->build, "job", NULL, &err), WL_OK);
	wl_merge_init(&j->merge, &j->build, N);
	for (size_t i = 0; i < N; i++) {
		struct wl_build_file file = { .clock = { .offset = offset[i], .duration = 1000 } };

		memset(file.rank, 0xff, sizeof(file.rank));
		assert_true(wl_merge_file(&j->merge, i ? "b" : "a", &file, host[i]));
		assert_true(wl_merge_catalogue(&j->merge, i, mem_seal(&j->file[i])));
	}
	wl_merge_set_extent(&j->merge);
	wl_merge_begin(&j->merge, UINT64_MAX);
	for (size_t i = 0; i < N; i++) {
		const struct wl_merge_rows rows = {
			.file = i,
			.trace = &j->file[i].build.trace,
			.want = &all,
			.families = ~((uint64_t)1 << WL_F_TABLES),
		};

		assert_int_equal(wl_merge_take(&j->merge, &rows, &err), WL_OK);
	}
	j->build.loaded = all;
	assert_int_equal(wl_build_finish(&j->build, &err), WL_OK);
	return &j->build.trace;
}

static void release(struct job *j)
{
	wl_merge_release(&j->merge);
	wl_build_release(&j->build);
	for (size_t i = 0; i < N; i++)
		mem_release(&j->file[i]);
}

static const char *const no_hosts[N] = { NULL, NULL };

/* Strings, frames and stacks have other numbers in each file, and one in the job. */
TEST(equal_stacks_of_two_files_are_one)
{
	WITH(struct job, j, release, begin(&j));
	static const wl_ns offset[N] = { 0, 50 };
	const struct wl_trace *t;
	const uint32_t *stack;

	MEM_SAMPLE(&j.file[0], .start = 1, .tid = 3, .stack = "main;step");
	MEM_SAMPLE(&j.file[0], .start = 2, .tid = 3, .stack = "main");
	MEM_SAMPLE(&j.file[1], .start = 1, .tid = 3, .stack = "load;main");
	MEM_SAMPLE(&j.file[1], .start = 2, .tid = 3, .stack = "main;step");
	MEM_SAMPLE(&j.file[1], .start = 3, .tid = 3);
	MEM_OSRT(&j.file[1], .start = 1, .end = 2, .tid = 3, .stack = "main");
	t = merge(&j, offset, no_hosts);
	stack = wl_samples_stack(t);
	assert_int_equal(t->family[WL_F_SAMPLES].n, 5);
	assert_int_equal(wl_samples_start(t)[2], 51);
	assert_int_equal(t->n_frames, 3);
	assert_int_equal(t->n_stacks, 4);
	assert_int_equal(stack[3], stack[0]);
	assert_int_equal(stack[4], WL_NONE);
	assert_int_equal(t->stacks[stack[0]].caller, stack[1]);
	assert_int_equal(wl_osrt_stack(t)[0], stack[1]);
	assert_int_equal(t->stacks[stack[2]].frame, t->stacks[stack[1]].frame);
	assert_string_equal(wl_str(t, t->frames[t->stacks[stack[0]].frame].symbol), "step");
	assert_int_equal(t->stacks[t->stacks[stack[2]].caller].caller, WL_NONE);
}

/* Both call the GPU 0; only the file says which is which. */
TEST(equal_metrics_of_two_files_are_two_series)
{
	WITH(struct job, j, release, begin(&j));
	static const wl_ns offset[N] = { 0, 50 };
	const struct wl_trace *t;
	const uint32_t *series;

	mem_metric(&j.file[0], 0, "SM Active", 1, 11);
	mem_metric(&j.file[0], 0, "SM Issue", 1, 12);
	mem_metric(&j.file[1], 0, "SM Issue", 2, 13);
	t = merge(&j, offset, no_hosts);
	series = wl_metrics_series(t);
	assert_int_equal(t->family[WL_F_METRICS].n, 3);
	assert_int_equal(t->n_series, 3);
	assert_int_equal(wl_metrics_time(t)[2], 52);
	assert_int_equal(wl_metrics_value(t)[2], 13);
	assert_int_equal(t->series[series[2]].file, 1);
	assert_string_equal(wl_str(t, t->series[series[2]].name), "SM Issue");
	assert_int_equal(t->series[series[2]].name, t->series[series[1]].name);
}

/* An adapter of one name is another one in another file. */
TEST(equal_adapters_of_two_files_are_two_series)
{
	WITH(struct job, j, release, begin(&j));
	static const wl_ns offset[N] = { 0, 50 };
	const struct mem_nic_sample sample = { "mlx5_0", "IB: Bytes sent", "bytes/ms", 1, 2, 7 };
	const struct wl_trace *t;

	for (size_t i = 0; i < N; i++) {
		MEM_OP(&j.file[i], WL_F_KERNELS, .start = 1, .end = 5, .pid = 100, .name = "k");
		mem_nic_metric(&j.file[i], &sample);
	}
	t = merge(&j, offset, no_hosts);
	assert_int_equal(t->n_series, 2);
	assert_int_equal(t->n_devices, 2);
	assert_int_equal(t->series[1].file, 1);
	assert_string_equal(wl_str(t, t->series[1].nic), "mlx5_0");
	assert_string_equal(wl_str(t, t->series[1].unit), "bytes/ms");
	assert_int_equal(wl_nic_metrics_end(t)[1], 52);
}

TEST(equal_pids_of_two_files_are_two_processes)
{
	WITH(struct job, j, release, begin(&j));
	static const wl_ns offset[N] = { 0, 50 };
	const struct wl_trace *t;

	MEM_OP(&j.file[0], WL_F_KERNELS, .start = 10, .end = 12, .corr = 7, .name = "x");
	MEM_OP(&j.file[1], WL_F_KERNELS, .start = 5, .end = 9, .corr = 7, .name = "y");
	MEM_OP(&j.file[1], WL_F_KERNELS, .start = 9, .end = 10, .corr = 8, .name = "x");
	MEM_API(&j.file[0], .start = 1, .end = 2, .tid = 3, .corr = 7);
	MEM_API(&j.file[1], .start = 1, .end = 2, .tid = 3, .corr = 7);
	t = merge(&j, offset, no_hosts);
	assert_int_equal(t->n_files, N);
	assert_int_equal(t->n_processes, N);
	assert_int_equal(t->n_devices, N);
	assert_int_equal(t->n_threads, N);
	assert_true(t->processes[0].key < t->processes[1].key);
	assert_true(t->threads[0].global != t->threads[1].global);
	for (size_t i = 0; i < N; i++) {
		assert_int_equal(t->processes[i].pid, 100);
		assert_int_equal(t->processes[i].file, i);
		assert_int_equal(t->processes[i].rank, i);
		assert_int_equal(t->processes[i].rank_source, WL_RANK_ORDER);
		assert_int_equal(t->threads[i].global >> 24, t->processes[i].key);
		assert_int_equal(t->threads[i].tid, 3);
	}
	/* The second file is 50 later, and a name of both has one number. */
	assert_int_equal(wl_kernels_start(t)[0], 10);
	assert_int_equal(wl_kernels_start(t)[1], 55);
	assert_int_equal(wl_kernels_start(t)[2], 59);
	assert_int_equal(t->n_kernel_names, 2);
	assert_int_equal(wl_kernels_name(t)[0], wl_kernels_name(t)[2]);
	assert_int_equal(t->places[wl_kernels_place(t)[1]].process, 1);
	assert_int_equal(t->duration, 1050);
}

/* The same rows in the other order of files: the same rows for each, in the order of files. */
TEST(rows_are_in_the_order_of_the_model)
{
	WITH(struct job, j, release, begin(&j));
	static const wl_ns offset[N] = { 100, 0 };
	const struct wl_trace *t;

	for (unsigned i = 0; i < 40; i++)
		MEM_API(&j.file[i & 1], .start = 40 - i, .end = ((wl_ns)1 << 33) * (i & 2),
			.tid = i % 5);
	t = merge(&j, offset, no_hosts);
	assert_int_equal(t->family[WL_F_API].n, 40);
	for (size_t i = 1; i < 40; i++) {
		const struct wl_thread *a = &t->threads[wl_api_thread(t)[i - 1]];
		const struct wl_thread *b = &t->threads[wl_api_thread(t)[i]];

		assert_true(a->global < b->global ||
			    (a == b && wl_api_start(t)[i - 1] <= wl_api_start(t)[i]));
	}
	for (size_t i = 0; i < 40; i++) {
		wl_ns start = wl_api_start(t)[i],
		      dur = wl_dur(&t->family[WL_F_API], wl_api_dur(t), i);
		uint32_t file = t->processes[t->threads[wl_api_thread(t)[i]].process].file;
		wl_ns own = start - offset[file];

		assert_int_equal(dur, (40 - own) & 2 ? ((wl_ns)1 << 34) - own : 0);
	}
}

static void put_gpu(struct mem *m, const char *uuid)
{
	wl_vec_push(&m->build.gpus, &(struct wl_gpu){ .id = 4,
						      .name = mem_string(m, "H100"),
						      .bus = WL_NONE,
						      .uuid = mem_string(m, uuid) });
}

/* The only GPU of a machine is proven. Two files of one host name it by its UUID. */
TEST(a_gpu_of_two_files_of_one_host_is_one_device)
{
	static const wl_ns offset[N] = { 0, 0 };
	static const struct {
		const char *host[N], *uuid[N];
		size_t n_devices;
	} cases[] = {
		{ { "a", "a" }, { "u", "u" }, 1 },   { { "a", "b" }, { "u", "u" }, 2 },
		{ { "a", "a" }, { "u", "v" }, 2 },   { { NULL, NULL }, { "u", "u" }, 2 },
		{ { "a", "a" }, { NULL, NULL }, 2 },
	};

	for (size_t i = 0; i < WL_COUNT(cases); i++) {
		struct job j;
		const struct wl_trace *t;

		begin(&j);
		for (size_t k = 0; k < N; k++) {
			put_gpu(&j.file[k], cases[i].uuid[k]);
			MEM_OP(&j.file[k], WL_F_KERNELS, .start = 9 - (wl_ns)k, .end = 10);
		}
		t = merge(&j, offset, cases[i].host);
		assert_int_equal(t->n_devices, cases[i].n_devices);
		assert_int_equal(t->n_processes, N);
		assert_true(t->devices[0].proven);
		/* Rows of a device are in order of time, whichever file they are from. */
		assert_int_equal(wl_kernels_start(t)[0], t->n_devices == 1 ? 8 : 9);
		assert_int_equal(t->host == WL_NONE,
				 !cases[i].host[0] ||
					 strcmp(cases[i].host[0], cases[i].host[1]) != 0);
		release(&j);
	}
}

/* Proven or not: the order of files. A device that is proven does not come first. */
TEST(devices_are_in_the_order_of_files)
{
	WITH(struct job, j, release, begin(&j));
	static const wl_ns offset[N] = { 0, 0 };
	static const char *const host[N] = { "a", "b" };
	const struct wl_trace *t;

	put_gpu(&j.file[1], "u");
	MEM_OP(&j.file[0], WL_F_KERNELS, .start = 1, .end = 2);
	MEM_OP(&j.file[1], WL_F_KERNELS, .start = 3, .end = 4);
	t = merge(&j, offset, host);
	assert_int_equal(t->n_devices, N);
	assert_false(t->devices[0].proven);
	assert_true(t->devices[1].proven);
	for (uint32_t i = 0; i < N; i++) {
		const struct wl_place *p = &t->places[wl_kernels_place(t)[i]];

		assert_int_equal(p->device, i);
		assert_int_equal(t->processes[p->process].file, i);
	}
}

/* Against arithmetic in long double: a drift of 20 ppm over an hour is 72 ms. */
TEST(clocks_can_be_corrected)
{
	WITH(struct job, j, release, begin(&j));
	static const wl_ns offset[N] = { 0, 50 };
	const wl_ns hour = (wl_ns)3600 * 1000000000;
	const struct wl_trace_file better[N] = { { .offset = 3 },
						 { .offset = 60, .drift = 20000 } };
	const struct wl_trace *t;
	struct wl_err err;

	MEM_OP(&j.file[0], WL_F_KERNELS, .start = 10, .end = 12);
	MEM_OP(&j.file[1], WL_F_KERNELS, .start = hour, .end = hour + 2000000000);
	MEM_NVTX(&j.file[1], .start = -5, .end = hour, .name = "long");
	t = merge(&j, offset, no_hosts);
	assert_int_equal(wl_kernels_start(t)[1], hour + 50);
	wl_merge_set_clocks(&j.merge, better);
	assert_int_equal(wl_build_finish(&j.build, &err), WL_OK);
	assert_int_equal(wl_kernels_start(t)[0], 13);
	assert_int_equal(wl_kernels_dur(t)[0], 2);
	assert_int_equal(wl_kernels_start(t)[1], hour + 60 + 72000000);
	assert_int_equal(wl_kernels_dur(t)[1], 2000000000 + 40000);
	assert_int_equal(wl_nvtx_start(t)[0], 55);
	assert_int_equal(wl_dur(&t->family[WL_F_NVTX], wl_nvtx_dur(t), 0), hour + 5 + 72000000);
	assert_int_equal(t->files[1].drift, 20000);
}

TEST(running_out_of_memory_is_noticed)
{
	struct job j;
	struct wl_err err;
	bool done = false;

	begin(&j);
	for (unsigned i = 0; i < 50; i++)
		MEM_OP(&j.file[0], WL_F_KERNELS, .start = i, .end = i + 1, .stream = i + 1);
	(void)mem_seal(&j.file[0]);
	for (size_t limit = 64; !done; limit += limit / 4) {
		struct wl_budget budget = { .limit = limit };
		struct wl_build_file file = { .clock = { .duration = 1 } };
		struct wl_columns want = { { 0 } };
		const struct wl_merge_rows rows = { .trace = &j.file[0].build.trace,
						    .want = &want,
						    .families = 1 };

		wl_columns_add(&want, WL_KERNELS_START);
		wl_columns_close(&want);
		assert_int_equal(wl_build_init(&j.build, "job", &budget, &err), WL_OK);
		wl_merge_init(&j.merge, &j.build, 1);
		done = wl_merge_file(&j.merge, "a", &file, "h") &&
		       wl_merge_catalogue(&j.merge, 0, rows.trace) &&
		       wl_merge_take(&j.merge, &rows, &err) == WL_OK &&
		       wl_build_finish(&j.build, &err) == WL_OK;
		wl_merge_release(&j.merge);
		wl_build_release(&j.build);
		assert_int_equal(budget.used, 0);
	}
	for (size_t i = 0; i < N; i++)
		mem_release(&j.file[i]);
}
