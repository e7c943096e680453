/* SPDX-License-Identifier: MIT */
/* Which processes, threads, devices and ranks a file speaks of. */
#include "model/build.h"

#include <string.h>

#include "support/db.h"
#include "support/unit.h"

/* A GPU operation of a process on one of its ordinals. */
static void put_op(struct db *db, unsigned vm, unsigned pid, unsigned ordinal)
{
	DB_KERNEL(db, .start = pid, .end = pid + 1, .vm = vm, .pid = pid, .device = ordinal);
}

static struct db *open_with_proofs(void **state, const char *rows)
{
	struct db *db = db_open(state, "t");

	db_make_tables(db, DB_3_25_0);
	db_run(db,
	       "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId, cudaId, pid, uuid);"
	       "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES %s",
	       rows);
	return db;
}

TEST_WITH(two_processes_on_one_proven_gpu_share_a_device, db_setup, db_teardown)
{
	struct db *db = open_with_proofs(state, "(3, 0, 100, 'u3'), (3, 0, 101, 'u3')");
	const struct wl_trace *t;

	db_run(db,
	       "CREATE TABLE TARGET_INFO_GPU (id, name, uuid, cuDevice, totalMemory);"
	       "INSERT INTO TARGET_INFO_GPU VALUES (5, 'B', 'u5', 1, 1), (3, 'A', 'u3', 0, 80)");
	put_op(db, 0, 100, 0);
	put_op(db, 0, 101, 0);
	t = db_trace(db);
	assert_int_equal(t->n_devices, 1);
	assert_true(t->devices[0].proven);
	assert_int_equal(t->devices[0].process, WL_NONE);
	assert_int_equal(t->devices[0].gpu_id, 3);
	assert_string_equal(wl_str(t, t->devices[0].uuid), "u3");
	assert_string_equal(wl_str(t, t->devices[0].name), "A");
	assert_int_equal(t->gpus[t->devices[0].gpu].memory, 80);
	assert_int_equal(t->n_gpus, 2);
	assert_int_equal(t->n_processes, 2);
}

/* MIG: parts of a GPU have its number and UUIDs of their own. */
TEST_WITH(parts_of_a_gpu_are_devices, db_setup, db_teardown)
{
	struct db *db = open_with_proofs(state, "(3, 0, 102, 'MIG-b'), (3, 0, 100, 'MIG-b'), "
						"(3, 0, 101, 'MIG-a'), (4, 1, 101, 'GPU-4')");
	const struct wl_trace *t;

	put_op(db, 0, 100, 0);
	put_op(db, 0, 101, 0);
	put_op(db, 0, 101, 1);
	put_op(db, 0, 102, 0);
	t = db_trace(db);
	assert_int_equal(t->n_devices, 3);
	assert_string_equal(wl_str(t, t->devices[0].uuid), "MIG-a");
	assert_string_equal(wl_str(t, t->devices[1].uuid), "MIG-b");
	assert_string_equal(wl_str(t, t->devices[2].uuid), "GPU-4");
	assert_int_equal(t->devices[0].gpu_id, 3);
	assert_int_equal(t->devices[1].gpu_id, 3);
	for (size_t i = 0; i < t->n_places; i++) {
		uint32_t pid = t->processes[t->places[i].process].pid;

		assert_int_equal(t->places[i].device, pid != 101             ? 1
						      : t->places[i].ordinal ? 2
									     : 0);
	}
}

TEST_WITH(ordinal_0_of_two_processes_may_be_two_gpus, db_setup, db_teardown)
{
	struct db *db = open_with_proofs(state, "(0, 0, 100, NULL), (1, 0, 101, NULL)");
	const struct wl_trace *t;

	put_op(db, 0, 100, 0);
	put_op(db, 0, 101, 0);
	t = db_trace(db);
	assert_int_equal(t->n_devices, 2);
	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(t->devices[i].gpu_id, i);
		assert_int_equal(t->devices[i].uuid, WL_NONE);
		assert_int_equal(t->places[wl_kernels_place(t)[i]].device, i);
	}
}

TEST_WITH(unproven_ordinals_of_two_processes_stay_two_devices, db_setup, db_teardown)
{
	struct db *db = db_open(state, "t");
	const struct wl_trace *t;

	db_make_tables(db, DB_2_9_1);
	db_run(db, "CREATE TABLE TARGET_INFO_GPU (id, name);"
		   "INSERT INTO TARGET_INFO_GPU VALUES (0, 'A100'), (1, 'A100')");
	put_op(db, 0, 101, 0);
	put_op(db, 0, 100, 0);
	t = db_trace(db);
	assert_int_equal(t->n_devices, 2);
	for (uint32_t i = 0; i < 2; i++) {
		assert_false(t->devices[i].proven);
		assert_int_equal(t->devices[i].process, i);
		assert_int_equal(t->devices[i].gpu, WL_NONE);
		/* All GPUs of the machine are of one model, so these are too. */
		assert_string_equal(wl_str(t, t->devices[i].name), "A100");
	}
}

TEST_WITH(rows_that_conflict_prove_nothing, db_setup, db_teardown)
{
	struct db *db = open_with_proofs(state, "(0, 0, 100, 'a'), (1, 0, 100, 'b'),"
						" (2, 1, 100, 'c'), (2, 1, 100, 'c'),"
						" (NULL, 2, 100, 'd'), (-1, 3, 100, 'e')");
	const struct wl_trace *t;

	for (unsigned ordinal = 0; ordinal < 4; ordinal++)
		put_op(db, 0, 100, ordinal);
	t = db_trace(db);
	assert_int_equal(t->n_devices, 4);
	assert_true(t->devices[0].proven);
	assert_int_equal(t->devices[0].gpu_id, 2);
	for (size_t i = 1; i < 4; i++)
		assert_false(t->devices[i].proven);
}

TEST_WITH(a_pid_of_two_virtual_machines_proves_nothing, db_setup, db_teardown)
{
	struct db *db = open_with_proofs(state, "(0, 0, 100, 'a'), (1, 0, 200, 'b')");
	const struct wl_trace *t;

	put_op(db, 1, 100, 0);
	put_op(db, 2, 100, 0);
	put_op(db, 2, 200, 0);
	t = db_trace(db);
	assert_int_equal(t->n_processes, 3);
	assert_int_equal(t->n_devices, 3);
	assert_true(t->devices[0].proven);
	assert_int_equal(t->devices[0].gpu_id, 1);
	assert_false(t->devices[1].proven);
	assert_false(t->devices[2].proven);
}

TEST_WITH(one_gpu_number_of_two_virtual_machines_is_two_devices, db_setup, db_teardown)
{
	struct db *db = open_with_proofs(state, "(0, 0, 100, 'a'), (0, 0, 200, 'b')");
	const struct wl_trace *t;

	put_op(db, 1, 100, 0);
	put_op(db, 2, 200, 0);
	t = db_trace(db);
	assert_int_equal(t->n_devices, 2);
	assert_true(t->devices[0].proven);
	assert_true(t->devices[1].proven);
}

/* Proven ones by their GPU, then the others by process and ordinal, whatever came first. */
TEST_WITH(devices_are_in_the_order_users_see, db_setup, db_teardown)
{
	struct db *db = open_with_proofs(state, "(7, 0, 102, 'g'), (2, 1, 102, 'h')");
	const struct wl_trace *t;

	put_op(db, 0, 101, 1);
	put_op(db, 0, 102, 0);
	put_op(db, 0, 100, 3);
	put_op(db, 0, 101, 0);
	put_op(db, 0, 102, 1);
	t = db_trace(db);
	assert_int_equal(t->n_devices, 5);
	assert_int_equal(t->devices[0].gpu_id, 2);
	assert_int_equal(t->devices[1].gpu_id, 7);
	assert_int_equal(t->processes[t->devices[2].process].pid, 100);
	assert_int_equal(t->devices[2].ordinal, 3);
	assert_int_equal(t->processes[t->devices[3].process].pid, 101);
	assert_int_equal(t->devices[3].ordinal, 0);
	assert_int_equal(t->devices[4].ordinal, 1);
}

TEST_WITH(a_wait_alone_makes_no_device, db_setup, db_teardown)
{
	struct db *db = db_open(state, "t");
	const struct wl_trace *t;

	db_make_tables(db, DB_3_7_2);
	put_op(db, 0, 100, 0);
	db_run(db,
	       "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start, end, deviceId, contextId,"
	       " streamId, globalPid, syncType, eventId);"
	       "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES"
	       " (1, 2, 0, 1, 4294967295, %lld, 2, 4294967295), (0, 2, 6, 1, 7, %lld, 3, 1)",
	       db_pid(0, 100), db_pid(0, 100));
	t = db_trace(db);
	assert_int_equal(t->n_devices, 1);
	/* Waits without a device come last, though this one began first. */
	assert_int_equal(t->places[wl_syncs_place(t)[0]].device, 0);
	assert_int_equal(t->places[wl_syncs_place(t)[0]].stream, UINT32_MAX);
	assert_int_equal(t->places[wl_syncs_place(t)[1]].device, WL_NONE);
	assert_int_equal(t->n_mistyped, 0);
}

TEST_WITH(a_stream_number_of_two_contexts_is_two_places, db_setup, db_teardown)
{
	struct db *db = db_open(state, "t");
	const struct wl_trace *t;

	db_make_tables(db, DB_3_7_2);
	for (unsigned i = 0; i < 4; i++)
		DB_KERNEL(db, .start = 1, .end = 2, .context = 1 + i % 2);
	t = db_trace(db);
	assert_int_equal(t->n_places, 2);
	assert_int_equal(t->n_devices, 1);
}

TEST_WITH(processes_and_threads_have_the_names_given_last, db_setup, db_teardown)
{
	struct db *db = db_open(state, "t");
	const struct wl_trace *t;

	db_make_tables(db, DB_3_7_2);
	db_string(db, 1, "old");
	db_string(db, 2, "pt_autograd_0");
	db_string(db, 3, "other");
	DB_API(db, .start = 1, .end = 2, .tid = 11, .name = 3);
	DB_API(db, .start = 1, .end = 2, .tid = 12, .name = 3);
	db_run(db,
	       "INSERT INTO ThreadNames VALUES (3, 0, 5), (1, 0, %lld), (2, 0, %lld), (9, 0, %lld);"
	       "INSERT INTO PROCESSES VALUES (%lld, 100, 'python'), (%lld, 7, 'bash')",
	       db_tid(100, 11), db_tid(100, 11), db_tid(100, 12), db_pid(0, 100), db_pid(0, 7));
	t = db_trace(db);
	assert_int_equal(t->n_threads, 2);
	assert_int_equal(t->threads[0].tid, 11);
	assert_string_equal(wl_str(t, t->threads[0].name), "pt_autograd_0");
	assert_int_equal(t->threads[1].name, WL_NONE);
	/* The table lists every process of the machine; only those with rows are ours. */
	assert_int_equal(t->n_processes, 1);
	assert_int_equal(t->processes[0].pid, 100);
	assert_string_equal(wl_str(t, t->processes[0].name), "python");
	assert_false(t->processes[0].on_gpu);
}

/* Sources of a rank, by bits; the file of the tests below may have each of them. */
enum { LABEL = 1, MPI = 2, ENVIRONMENT = 4, FILE_NAME = 8 };

static void put_sources(struct db *db, unsigned sources)
{
	db_make_tables(db, DB_3_7_2);
	put_op(db, 0, 100, 0);
	if (sources & LABEL) {
		DB_NVTX(db, .start = 9, .end = 10, .text = "rank=40");
		DB_NVTX(db, .start = 1, .end = 2, .text = "rank=4; pp=0/2");
		DB_NVTX(db, .start = 1, .end = 2, .tid = 9, .text = "rank=5");
		DB_NVTX(db, .start = 0, .end = 2, .text = "Crank=5 rank 6");
		DB_NVTX(db, .start = 0, .end = 2, .text = "tp_rank=2");
	}
	if (sources & MPI)
		db_run(db,
		       "CREATE TABLE MPI_RANKS (globalTid, rank);"
		       "INSERT INTO MPI_RANKS VALUES (%lld, 3), (%lld, 33)",
		       db_tid(100, 5), db_tid(101, 5));
	if (sources & ENVIRONMENT)
		db_run(db, "CREATE TABLE META_DATA_CAPTURE (name, value);"
			   "INSERT INTO META_DATA_CAPTURE VALUES"
			   " ('CAPTURE_ENVIRONMENT_VARIABLE:0', 'LOCAL_RANK=9'),"
			   " ('CAPTURE_ENVIRONMENT_VARIABLE:1', 'RANKS=8'),"
			   " ('CAPTURE_ENVIRONMENT_VARIABLE:2', 'RANK=\"2\"'),"
			   " ('OTHER', 'RANK=7')");
}

static void expect_rank(struct db *db, enum wl_rank_source source, int64_t rank)
{
	struct wl_input *in = db_load(db);

	assert_int_equal(wl_input_trace(in)->n_processes, 1);
	assert_int_equal(wl_input_trace(in)->processes[0].rank_source, source);
	assert_int_equal(wl_input_trace(in)->processes[0].rank, rank);
	wl_input_close(in);
}

TEST_WITH(a_rank_comes_from_the_first_label_before_all_else, db_setup, db_teardown)
{
	struct db *db = db_open(state, "run-rank1.sqlite");

	put_sources(db, LABEL | MPI | ENVIRONMENT);
	expect_rank(db, WL_RANK_LABEL, 4);
}

TEST_WITH(a_rank_comes_from_mpi_before_the_environment, db_setup, db_teardown)
{
	struct db *db = db_open(state, "run-rank1.sqlite");

	put_sources(db, MPI | ENVIRONMENT);
	expect_rank(db, WL_RANK_MPI, 3);
}

TEST_WITH(a_rank_comes_from_the_environment_before_the_file_name, db_setup, db_teardown)
{
	struct db *db = db_open(state, "run-rank1.sqlite");

	put_sources(db, ENVIRONMENT);
	expect_rank(db, WL_RANK_ENV, 2);
}

TEST_WITH(a_rank_comes_from_the_file_name_at_last, db_setup, db_teardown)
{
	static const struct {
		const char *name;
		int64_t rank;
	} files[] = {
		{ "run-rank1.sqlite", 1 }, { "rank_10.sqlite", 10 },
		{ "job.Rank-7.x", 7 },     { "a.rank.8", 8 },
		{ "frank3.sqlite", -1 },   { "rank.sqlite", -1 },
		{ "ranks4.sqlite", -1 },   { "plain", -1 },
		{ "rankA_rank2", 2 },      { "rank99999999999999999999", INT64_MAX },
	};

	for (size_t i = 0; i < WL_COUNT(files); i++) {
		struct db *db = db_open(state, files[i].name);

		put_sources(db, 0);
		expect_rank(db, files[i].rank < 0 ? WL_RANK_NONE : WL_RANK_FILE, files[i].rank);
	}
}

TEST_WITH(a_file_name_says_nothing_of_two_gpu_processes, db_setup, db_teardown)
{
	struct db *db = db_open(state, "run-rank1.sqlite");
	const struct wl_trace *t;

	put_sources(db, ENVIRONMENT);
	put_op(db, 0, 101, 0);
	DB_NVTX(db, .start = 5, .end = 6, .pid = 101, .text = "rank=6");
	t = db_trace(db);
	assert_int_equal(t->n_processes, 2);
	assert_int_equal(t->processes[0].rank_source, WL_RANK_NONE);
	assert_int_equal(t->processes[1].rank_source, WL_RANK_LABEL);
	assert_int_equal(t->processes[1].rank, 6);
}

TEST_WITH(a_file_name_speaks_of_the_process_on_the_gpu, db_setup, db_teardown)
{
	struct db *db = db_open(state, "rank5");
	const struct wl_trace *t;

	put_sources(db, 0);
	DB_API(db, .start = 1, .end = 2, .pid = 50, .tid = 1);
	t = db_trace(db);
	assert_int_equal(t->n_processes, 2);
	assert_int_equal(t->processes[0].pid, 50);
	assert_int_equal(t->processes[0].rank_source, WL_RANK_NONE);
	assert_true(t->processes[1].on_gpu);
	assert_int_equal(t->processes[1].rank, 5);
}

/* Labels and MPI data of two processes: a source that gives both one rank is passed over. */
TEST_WITH(a_source_counts_where_it_tells_processes_apart, db_setup, db_teardown)
{
	struct db *db = db_open(state, "t");
	const struct wl_trace *t;

	db_make_tables(db, DB_3_25_0);
	put_op(db, 0, 100, 0);
	put_op(db, 0, 101, 0);
	DB_NVTX(db, .start = 1, .end = 2, .pid = 100, .text = "rank=0");
	DB_NVTX(db, .start = 1, .end = 2, .pid = 101, .text = "rank=0");
	db_run(db,
	       "CREATE TABLE MPI_RANKS (globalTid, rank);"
	       "INSERT INTO MPI_RANKS VALUES (%lld, 5), (%lld, 4)",
	       db_tid(100, 5), db_tid(101, 5));
	t = db_trace(db);
	assert_int_equal(t->n_processes, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(t->processes[i].rank_source, WL_RANK_MPI);
		assert_int_equal(t->processes[i].rank, 5 - (int64_t)i);
	}
}

/* Slurm sees one task, in which mpirun starts all ranks. */
TEST_WITH(the_launcher_that_is_nearest_knows_the_rank, db_setup, db_teardown)
{
	struct db *db = db_open(state, "t");

	put_sources(db, 0);
	db_run(db, "CREATE TABLE META_DATA_CAPTURE (name, value);"
		   "INSERT INTO META_DATA_CAPTURE VALUES"
		   " ('PROCESS_0:ENVIRONMENT_VARIABLE', 'SLURM_PROCID=\"0\"'),"
		   " ('PROCESS_0:ENVIRONMENT_VARIABLE', 'OMPI_COMM_WORLD_RANK=\"3\"')");
	expect_rank(db, WL_RANK_ENV_OMPI, 3);
}

TEST_WITH(of_the_environment_only_harmless_variables_are_kept, db_setup, db_teardown)
{
	static const char *const kept[] = { "NCCL_DEBUG=INFO", "SLURM_JOB_ID=\"12\"",
					    "CUDA_VISIBLE_DEVICES=3" };
	struct db *db = db_open(state, "t");
	const struct wl_trace *t;

	put_sources(db, 0);
	db_run(db, "CREATE TABLE META_DATA_CAPTURE (name, value);"
		   "INSERT INTO META_DATA_CAPTURE VALUES"
		   " ('PROCESS_0:ENVIRONMENT_VARIABLE', 'API_TOKEN=\"hunter2\"'),"
		   " ('PROCESS_0:ENVIRONMENT_VARIABLE', 'NCCL_DEBUG=INFO'),"
		   " ('PROCESS_0:ENVIRONMENT_VARIABLE', 'RANKX=hunter2'),"
		   " ('PROCESS_0:ENVIRONMENT_VARIABLE', 'SLURM_JOB_ID=\"12\"'),"
		   " ('PROCESS_0:ENVIRONMENT_VARIABLE', 'CUDA_VISIBLE_DEVICES=3');"
		   "CREATE TABLE TARGET_INFO_SYSTEM_ENV (name, value);"
		   "INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES"
		   " ('DeviceEnvironment', 'A=hunter2;B=1'), ('OsDescription', 'x')");
	t = db_trace(db);
	assert_int_equal(t->n_meta, 4);
	for (size_t i = 0; i < 3; i++)
		assert_string_equal(wl_str(t, t->meta[i].value), kept[i]);
	assert_string_equal(wl_trace_meta(t, "OsDescription"), "x");
	/* Not even as a string that an index would hold. */
	for (uint32_t i = 0; i < t->strings.n; i++)
		assert_null(strstr(wl_str(t, i), "hunter2"));
}

/* A host-only process with the same pid is known after the second load: devices stay as they were.
 */
TEST_WITH(devices_do_not_depend_on_what_was_loaded, db_setup, db_teardown)
{
	const struct wl_input_opts opts = { .budget = NULL };
	struct db *db = open_with_proofs(state, "(5, 0, 100, 'a')");
	struct wl_columns want = { { 0 } };
	struct wl_input *in;
	struct wl_err err;
	const struct wl_trace *t;

	db_string(db, 1, "cudaMalloc");
	put_op(db, 1, 200, 0);
	put_op(db, 1, 100, 0);
	DB_API(db, .start = 1, .end = 2, .pid = 100, .tid = 1, .name = 1);
	db_run(db, "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET globalTid = globalTid + (7 << 48)");
	assert_int_equal(wl_input_open(db_close(db), &opts, &in, &err), WL_OK);
	t = wl_input_trace(in);
	for (int load = 0; load < 2; load++) {
		wl_columns_add(&want, load ? WL_API_NAME : WL_KERNELS_PLACE);
		assert_int_equal(wl_input_load(in, &want, &err), WL_OK);
		assert_int_equal(t->n_processes, 2 + load);
		assert_int_equal(t->n_devices, 2);
		assert_true(t->devices[0].proven);
		assert_int_equal(t->devices[0].gpu_id, 5);
		assert_int_equal(wl_kernels_start(t)[0], 100);
		assert_int_equal(t->places[wl_kernels_place(t)[0]].device, 0);
	}
	wl_input_close(in);
}

TEST_WITH(the_only_gpu_of_a_machine_needs_no_proof, db_setup, db_teardown)
{
	struct db *db = db_open(state, "t");
	const struct wl_trace *t;

	db_make_tables(db, DB_3_25_0);
	db_run(db, "CREATE TABLE TARGET_INFO_GPU (id, name);"
		   "INSERT INTO TARGET_INFO_GPU VALUES (3, 'only')");
	put_op(db, 1, 100, 0);
	put_op(db, 1, 200, 0);
	t = db_trace(db);
	assert_int_equal(t->n_devices, 1);
	assert_true(t->devices[0].proven);
	assert_int_equal(t->devices[0].gpu_id, 3);
}
