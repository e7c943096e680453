/* SPDX-License-Identifier: MIT */
#include "capture/runs/manifest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/file.h"
#include "support/unit.h"

#define SUM_A "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define SUM_B "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

static struct wl_arena arena;

static int setup(void **state)
{
	(void)state;
	wl_arena_init(&arena, 8 << 20);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	wl_arena_release(&arena);
	return 0;
}

/* A manifest in which everything is known. */
static struct wl_manifest whole(void)
{
	static const char *const argv[] = { "python", "train.py", "--lr=1", "\x1b[2J \"x\" \\" };
	static const struct wl_run_pair env[] = { { "CUDA_VISIBLE_DEVICES", "0,1" },
						  { "RANK", "0" } };
	static const char *const gpu[] = { "NVIDIA A", "NVIDIA B" };
	static const struct wl_run_file input[] = { { "/data/a b.json", 10, SUM_A, 0, "" },
						    { "../big.bin", 1LL << 40, "", 0, "" } };
	static const struct wl_run_file output[] = { { "nsys/run.nsys-rep", 70000, SUM_A, 0, "" },
						     { "nsys/run.sqlite", 90000, SUM_A, 800,
						       SUM_B } };
	static const struct wl_run_stage stage[] = { { "profile", 12 }, { "export", 0 } };
	static const struct wl_run_pair sweep[] = { { "lr", "1" } };
	static const char *const allowed[] = { "HF_TOKEN" };

	return (struct wl_manifest){ .id = "20261117-093001-train-3f9c1a",
				     .argv = argv,
				     .n_argv = 4,
				     .directory = "/home/me",
				     .env = env,
				     .n_env = 2,
				     .host = "node1",
				     .system = "Linux 6.1 x86_64",
				     .gpu = gpu,
				     .n_gpus = 2,
				     .driver = "535.104.05",
				     .warplens = "1.2.3",
				     .nsys = "2023.4.4.54",
				     .revision = "0123456789012345678901234567890123456789",
				     .dirty = WL_RUN_DIRTY,
				     .input = input,
				     .n_inputs = 2,
				     .output = output,
				     .n_outputs = 2,
				     .begin_ms = 1795000000123,
				     .end_ms = 1795000009123,
				     .wall_ns = 9000000000,
				     .bare_ns = -1,
				     .step_ns = 1500000,
				     .stage = stage,
				     .n_stages = 2,
				     .exit_status = 3,
				     .failure = "no kernels",
				     .sweep = sweep,
				     .n_sweep = 1,
				     .allowed = allowed,
				     .n_allowed = 1 };
}

static char *text_of(const struct wl_manifest *m)
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	assert_non_null(out);
	wl_manifest_put(m, out);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void same_files(const struct wl_run_file *a, const struct wl_run_file *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		assert_string_equal(a[i].path, b[i].path);
		assert_int_equal(a[i].bytes, b[i].bytes);
		assert_string_equal(a[i].sha256, b[i].sha256);
		assert_int_equal(a[i].gz_bytes, b[i].gz_bytes);
		assert_string_equal(a[i].gz_sha256, b[i].gz_sha256);
	}
}

TEST_WITH(a_manifest_reads_back_as_it_was_written, setup, teardown)
{
	struct wl_manifest m = whole(), got;
	struct wl_err err = { .code = WL_OK };
	char *text = text_of(&m), *again;

	if (wl_manifest_parse(text, strlen(text), m.id, &arena, &got, &err) < 0)
		fail_msg("%s", err.msg);
	again = text_of(&got);
	assert_string_equal(text, again);
	assert_int_equal(got.n_argv, 4);
	assert_string_equal(got.argv[3], m.argv[3]);
	assert_int_equal(got.n_env, 2);
	assert_string_equal(got.env[0].value, "0,1");
	assert_int_equal(got.begin_ms, m.begin_ms);
	assert_int_equal(got.bare_ns, -1);
	assert_null(got.ncu);
	assert_int_equal(got.dirty, WL_RUN_DIRTY);
	assert_int_equal(got.exit_status, 3);
	assert_int_equal(got.exit_signal, 0);
	assert_int_equal(got.n_inputs, 2);
	same_files(got.input, m.input, 2);
	same_files(got.output, m.output, 2);
	assert_true(wl_manifest_is_compressed(&got));
	free(text);
	free(again);
}

TEST_WITH(little_is_enough, setup, teardown)
{
	static const char *const argv[] = { "a" };
	struct wl_manifest m, got;
	FREED char *text;

	wl_manifest_init(&m);
	m.id = "r";
	m.argv = argv;
	m.n_argv = 1;
	m.begin_ms = 0;
	m.exit_signal = 9;
	text = text_of(&m);
	assert_int_equal(wl_manifest_parse(text, strlen(text), "r", &arena, &got, NULL), WL_OK);
	assert_int_equal(got.exit_signal, 9);
	assert_int_equal(got.exit_status, -1);
	assert_int_equal(got.dirty, WL_RUN_DIRTY_UNKNOWN);
	assert_false(wl_manifest_is_compressed(&got));
}

#define HEAD "\"format\":\"warplens run\",\"version\":1,\"id\":\"r\","
#define REST "\"argv\":[\"a\"],\"timing\":{\"begin_ms\":1}"

static void refuse(const char *text, const char *message)
{
	struct wl_err err = { .code = WL_OK };
	struct wl_manifest got = { .id = "untouched" };

	assert_int_equal(wl_manifest_parse(text, strlen(text), "r", &arena, &got, &err),
			 WL_E_FORMAT);
	assert_int_equal(err.code, WL_E_FORMAT);
	if (!strstr(err.msg, message))
		fail_msg("%s: no \"%s\" in: %s", text, message, err.msg);
	assert_string_equal(got.id, "untouched");
}

static void output(const char *path)
{
	char text[1024];

	(void)snprintf(text, sizeof(text),
		       "{" HEAD REST ",\"outputs\":[{\"path\":\"%s\","
		       "\"bytes\":1}]}",
		       path);
	refuse(text, "outputs");
}

TEST_WITH(hostile_manifests_are_refused, setup, teardown)
{
	refuse("", "r/manifest.json");
	refuse("{", "r/manifest.json");
	refuse("[]", "format");
	refuse("{}", "format");
	refuse("{\"format\":\"warplens run\",\"version\":2,\"id\":\"r\"}", "a newer warplens");
	refuse("{\"format\":\"warplens run\",\"version\":1,\"id\":\"s\"}", "id");
	refuse("{\"format\":\"warplens run\",\"version\":1}", "id");
	refuse("{" HEAD "\"argv\":[]}", "argv");
	refuse("{" HEAD "\"argv\":[1]}", "argv");
	refuse("{" HEAD "\"argv\":\"a\"}", "argv");
	refuse("{" HEAD "\"argv\":[\"a\\u0000b\"]}", "r/manifest.json");
	refuse("{" HEAD "\"argv\":[\"a\"]}", "begin_ms is missing");
	refuse("{" HEAD "\"argv\":[\"a\"],\"timing\":{\"begin_ms\":-1}}", "begin_ms");
	refuse("{" HEAD "\"argv\":[\"a\"],\"timing\":{\"begin_ms\":1.5}}", "begin_ms");
	refuse("{" HEAD "\"argv\":[\"a\"],\"timing\":{\"begin_ms\":1e300}}", "begin_ms");
	refuse("{" HEAD REST ",\"exit\":{\"status\":256}}", "exit status");
	refuse("{" HEAD REST ",\"environment\":{\"A\":1}}", "environment");
	refuse("{" HEAD REST ",\"git\":{\"dirty\":1}}", "dirty");
	refuse("{" HEAD REST ",\"inputs\":[{\"path\":\"a\"}]}", "inputs");
	refuse("{" HEAD REST ",\"inputs\":[7]}", "inputs");
	refuse("{" HEAD REST ",\"outputs\":[{\"path\":\"a\",\"bytes\":1,\"sha256\":\"x\"}]}",
	       "sha256");
	refuse("{" HEAD REST ",\"outputs\":[{\"path\":\"a\",\"bytes\":1,\"gz\":{\"bytes\":1,"
	       "\"sha256\":\"" SUM_A "\"}}]}",
	       "compressed");
	refuse("{" HEAD REST ",\"outputs\":[{\"path\":\"a\",\"bytes\":1},{\"path\":\"a\","
	       "\"bytes\":1}]}",
	       "twice");
	refuse("{" HEAD REST ",\"id\":\"r\"}", "r/manifest.json"); /* a key twice */
}

TEST_WITH(outputs_stay_in_the_run, setup, teardown)
{
	output("/etc/passwd");
	output("../x");
	output("nsys/../../x");
	output("nsys//x");
	output("nsys/./x");
	output("nsys/");
	output("");
	output("manifest.json");
	output("1/2/3/4/5/6/7/8/9");
}

TEST_WITH(ids_are_plain_names, setup, teardown)
{
	char longest[WL_RUN_ID_CAP + 1];

	assert_true(wl_run_is_id("20261117-093001-train-3f9c1a"));
	assert_false(wl_run_is_id(""));
	assert_false(wl_run_is_id("."));
	assert_false(wl_run_is_id(".."));
	assert_false(wl_run_is_id("-x"));
	assert_false(wl_run_is_id("a/b"));
	assert_false(wl_run_is_id("a b"));
	assert_false(wl_run_is_id("a\n"));
	memset(longest, 'a', sizeof(longest));
	longest[WL_RUN_ID_CAP] = '\0';
	assert_false(wl_run_is_id(longest));
	longest[WL_RUN_ID_CAP - 1] = '\0';
	assert_true(wl_run_is_id(longest));
}

TEST_WITH(links_are_no_manifests, setup, teardown)
{
	struct wl_manifest m = whole(), got;
	struct wl_tmpdir dir;
	char run[WL_PATH_CAP + 40], link_path[WL_PATH_CAP + 40], file[WL_PATH_CAP + 80];

	assert_int_equal(wl_tmpdir_open(NULL, &dir, NULL), WL_OK);
	(void)snprintf(run, sizeof(run), "%s/%s", dir.path, m.id);
	(void)snprintf(link_path, sizeof(link_path), "%s/other", dir.path);
	assert_int_equal(mkdir(run, 0700), 0);
	assert_int_equal(wl_manifest_read(run, &arena, &got, NULL), WL_E_IO);
	assert_int_equal(wl_manifest_write(&m, run, NULL), WL_OK);
	assert_int_equal(wl_manifest_read(run, &arena, &got, NULL), WL_OK);
	assert_int_equal(symlink(run, link_path), 0);
	assert_int_equal(wl_manifest_read(link_path, &arena, &got, NULL), WL_E_IO);
	assert_int_equal(unlink(link_path), 0);
	/* A directory of another name holds no run of this id. */
	assert_int_equal(rename(run, link_path), 0);
	assert_int_equal(wl_manifest_read(link_path, &arena, &got, NULL), WL_E_FORMAT);
	assert_int_equal(rename(link_path, run), 0);
	(void)snprintf(file, sizeof(file), "%s/manifest.json", run);
	(void)snprintf(link_path, sizeof(link_path), "%s/m", dir.path);
	assert_int_equal(rename(file, link_path), 0);
	assert_int_equal(symlink(link_path, file), 0);
	assert_int_equal(wl_manifest_read(run, &arena, &got, NULL), WL_E_IO);
	assert_int_equal(wl_manifest_write(&m, run, NULL), WL_E_OUTPUT);
	wl_tmpdir_close(&dir);
}

TEST_WITH(every_budget_ends_well, setup, teardown)
{
	struct wl_manifest m = whole(), got;
	FREED char *text = text_of(&m);
	int r = WL_E_NOMEM;

	for (size_t bytes = 0; r == WL_E_NOMEM && bytes < 1000000; bytes += 128) {
		struct wl_arena small;

		wl_arena_init(&small, bytes);
		r = wl_manifest_parse(text, strlen(text), m.id, &small, &got, NULL);
		wl_arena_release(&small);
	}
	assert_int_equal(r, WL_OK);
}
