/* SPDX-License-Identifier: MIT */
#include "capture/runs/surroundings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/file.h"
#include "support/unit.h"

#define SUM_ABC "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

static struct wl_arena arena;
static struct wl_tmpdir dir;
static struct wl_manifest m;

static int setup(void **state)
{
	(void)state;
	wl_arena_init(&arena, (size_t)16 << 20);
	wl_manifest_init(&m);
	return wl_tmpdir_open(NULL, &dir, NULL);
}

static int teardown(void **state)
{
	(void)state;
	wl_tmpdir_close(&dir);
	wl_arena_release(&arena);
	return 0;
}

/* A path in the directory, which lives until the teardown. */
static const char *at(const char *name)
{
	char path[WL_PATH_CAP];

	(void)snprintf(path, sizeof(path), "%.3000s/%s", dir.path, name);
	return wl_arena_strdup(&arena, path);
}

static void write_text(const char *name, const char *text)
{
	char folder[WL_PATH_CAP];
	struct wl_file file;

	assert_int_equal(wl_file_dir(at(name), folder, NULL), WL_OK);
	assert_int_equal(wl_dir_make(folder, NULL), WL_OK);
	assert_int_equal(wl_file_begin(at(name), &file, NULL), WL_OK);
	(void)fputs(text, file.stream);
	assert_int_equal(wl_file_commit(&file, NULL), WL_OK);
}

/* A program of sh; its name. */
static const char *program(const char *name, const char *body)
{
	char text[1024];

	(void)snprintf(text, sizeof(text), "#!/bin/sh\n%s\n", body);
	write_text(name, text);
	assert_int_equal(chmod(at(name), 0700), 0);
	return at(name);
}

static void look(const struct wl_looking *where)
{
	struct wl_err err;

	if (wl_manifest_look(&m, where, &arena, &err) < 0)
		fail_msg("%s", err.msg);
}

TEST_WITH(nothing_there_is_nothing_known, setup, teardown)
{
	const struct wl_looking where = { .directory = dir.path,
					  .proc = "/nowhere",
					  .git = "/nowhere/git",
					  .nvidia_smi = "/nowhere/smi" };

	look(&where);
	assert_int_equal(m.n_gpus, 0);
	assert_null(m.driver);
	assert_null(m.revision);
	assert_int_equal(m.dirty, WL_RUN_DIRTY_UNKNOWN);
	assert_non_null(m.host);
	assert_non_null(strstr(m.system, "Linux"));
	assert_int_equal(m.n_env, 0);
}

TEST_WITH(the_environment_is_an_allow_list_without_secrets, setup, teardown)
{
	static const char *const env[] = { "PATH=/bin",
					   "NCCL_DEBUG=INFO",
					   "VLLM_API_KEY=abc",
					   "NCCL_X_TOKEN=short",
					   "CUDA_VISIBLE_DEVICES=0,1",
					   "HF_TOKEN=hf_AbCdEfGhIjKlMnOpQrStUvWxYzAbCdEfGh",
					   "NCCL_PROXY=http://me:pw@host",
					   "TF_VAR_region=eu",
					   "TF_TOKEN_app_terraform_io=abc",
					   "TF_CPP_MIN_LOG_LEVEL=3",
					   "TF_CLI_ARGS=-var=db=hunter2secret",
					   "CUDA_VISIBLE_DEVICES=2",
					   "RANK=0",
					   "TORCH_HOME",
					   "=x",
					   NULL };
	const struct wl_looking where = {
		.env = env, .proc = "/nowhere", .git = "/nowhere/git", .nvidia_smi = "/nowhere/smi"
	};

	look(&where);
	assert_int_equal(m.n_env, 4);
	assert_string_equal(m.env[0].name, "CUDA_VISIBLE_DEVICES");
	assert_string_equal(m.env[1].name, "NCCL_DEBUG");
	assert_string_equal(m.env[1].value, "INFO");
	assert_string_equal(m.env[2].name, "RANK");
	assert_string_equal(m.env[3].name, "TF_CPP_MIN_LOG_LEVEL");
}

TEST_WITH(gpus_by_nvidia_smi, setup, teardown)
{
	const struct wl_looking where = {
		.proc = "/nowhere",
		.git = "/nowhere/git",
		.nvidia_smi = program("smi", "echo 'NVIDIA A100-SXM4-80GB, 81920 MiB, 535.104.05'\n"
					     "echo 'NVIDIA L4, 23034 MiB, 535.104.05'"),
	};

	look(&where);
	assert_int_equal(m.n_gpus, 2);
	assert_string_equal(m.gpu[0], "NVIDIA A100-SXM4-80GB, 81920 MiB");
	assert_string_equal(m.gpu[1], "NVIDIA L4, 23034 MiB");
	assert_string_equal(m.driver, "535.104.05");
}

TEST_WITH(gpus_by_the_driver, setup, teardown)
{
	const struct wl_looking where = { .proc = dir.path,
					  .git = "/nowhere/git",
					  .nvidia_smi = program("smi", "echo failed; exit 9") };

	write_text("driver/nvidia/version",
		   "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19\n"
		   "GCC version:  gcc 12.2.0\n");
	write_text("driver/nvidia/gpus/0000:01:00.0/information",
		   "Model: \t\t NVIDIA H100 80GB HBM3\nIRQ:   \t\t 16\n");
	look(&where);
	assert_int_equal(m.n_gpus, 1);
	assert_string_equal(m.gpu[0], "NVIDIA H100 80GB HBM3");
	assert_string_equal(m.driver, "535.104.05");
}

TEST_WITH(the_revision_and_whether_it_is_changed, setup, teardown)
{
	const struct wl_looking clean = {
		.directory = dir.path,
		.proc = "/nowhere",
		.nvidia_smi = "/nowhere/smi",
		.git = program("git", "case \"$*\" in *rev-parse*) "
				      "echo 0123456789abcdef0123456789abcdef01234567;; esac"),
	};
	struct wl_looking other = clean;

	look(&clean);
	assert_string_equal(m.revision, "0123456789abcdef0123456789abcdef01234567");
	assert_int_equal(m.dirty, WL_RUN_CLEAN);
	other.git = program("git2", "case \"$*\" in *rev-parse*) "
				    "echo 0123456789abcdef0123456789abcdef01234567;; "
				    "*status*) echo ' M a.c';; esac");
	look(&other);
	assert_int_equal(m.dirty, WL_RUN_DIRTY);
	wl_manifest_init(&m);
	other.git = program("git3", "echo 'fatal: not a git repository' >&2; exit 128");
	look(&other);
	assert_null(m.revision);
	assert_int_equal(m.dirty, WL_RUN_DIRTY_UNKNOWN);
}

TEST_WITH(a_flag_ends_it, setup, teardown)
{
	atomic_int flag = 1;
	const struct wl_looking where = { .cancel = &flag };

	assert_int_equal(wl_manifest_look(&m, &where, &arena, NULL), WL_E_CANCELED);
}

TEST_WITH(inputs_are_files_that_arguments_name, setup, teardown)
{
	static const char *const argv[] = { "sh",      "a.json", "--config=b.yaml",
					    "missing", "a.json", "sub",
					    "--x=",    "link",   "/dev/null" };

	write_text("sh", "not this one: it is looked up in PATH");
	write_text("a.json", "abc");
	write_text("b.yaml", "");
	assert_int_equal(mkdir(at("sub"), 0700), 0);
	assert_int_equal(symlink("a.json", at("link")), 0);
	m.argv = argv;
	m.n_argv = WL_COUNT(argv);
	m.directory = dir.path;
	assert_int_equal(wl_manifest_hash_inputs(&m, NULL, &arena, NULL), WL_OK);
	assert_int_equal(m.n_inputs, 3);
	assert_string_equal(m.input[0].path, "a.json");
	assert_string_equal(m.input[0].sha256, SUM_ABC);
	assert_int_equal(m.input[0].bytes, 3);
	assert_string_equal(m.input[1].path, "b.yaml");
	assert_int_equal(m.input[1].bytes, 0);
	assert_string_equal(m.input[2].path, "link");
	assert_string_equal(m.input[2].sha256, SUM_ABC);
}

TEST_WITH(a_large_input_has_no_sum, setup, teardown)
{
	static const char *const argv[] = { "p", "big" };

	write_text("big", "x");
	assert_int_equal(truncate(at("big"), (off_t)300 << 20), 0);
	m.argv = argv;
	m.n_argv = 2;
	m.directory = dir.path;
	assert_int_equal(wl_manifest_hash_inputs(&m, NULL, &arena, NULL), WL_OK);
	assert_int_equal(m.n_inputs, 1);
	assert_int_equal(m.input[0].bytes, (int64_t)300 << 20);
	assert_string_equal(m.input[0].sha256, "");
}

TEST_WITH(outputs_are_the_files_of_the_rooms, setup, teardown)
{
	write_text("report/z.html", "abc");
	write_text("nsys/run.sqlite", "abc");
	write_text("nsys/deep/x", "abc");
	write_text("nsys/.hidden", "abc");
	write_text("other/y", "abc");
	write_text("manifest.json", "abc");
	assert_int_equal(symlink("run.sqlite", at("nsys/link")), 0);
	assert_int_equal(symlink("other", at("ncu")), 0);
	assert_int_equal(wl_manifest_hash_outputs(&m, dir.path, NULL, &arena, NULL), WL_OK);
	assert_int_equal(m.n_outputs, 3);
	assert_string_equal(m.output[0].path, "nsys/deep/x");
	assert_string_equal(m.output[1].path, "nsys/run.sqlite");
	assert_string_equal(m.output[2].path, "report/z.html");
	assert_string_equal(m.output[2].sha256, SUM_ABC);
	assert_int_equal(wl_manifest_hash_outputs(&m, "/nowhere", NULL, &arena, NULL), WL_E_IO);
}

/* What is listed stays although the disk has it no more; what report/ has is as it is now. */
TEST_WITH(a_report_comes_later, setup, teardown)
{
	static const struct wl_run_file before[] = { { .path = "nsys/run.sqlite", .bytes = 7 },
						     { .path = "report/old.html", .bytes = 7 },
						     { .path = "reports", .bytes = 7 } };

	write_text("report/z.html", "abc");
	m.output = before;
	m.n_outputs = WL_COUNT(before);
	assert_int_equal(wl_manifest_hash_report(&m, dir.path, &arena, NULL), WL_OK);
	assert_int_equal(m.n_outputs, 3);
	assert_string_equal(m.output[0].path, "nsys/run.sqlite");
	assert_int_equal(m.output[0].bytes, 7);
	assert_string_equal(m.output[1].path, "report/z.html");
	assert_string_equal(m.output[1].sha256, SUM_ABC);
	assert_string_equal(m.output[2].path, "reports");
	assert_int_equal(wl_manifest_hash_report(&m, "/nowhere", &arena, NULL), WL_E_IO);
}
