/* SPDX-License-Identifier: MIT */
#include "capture/runs/run_dir.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/unit.h"

static struct wl_arena arena;
static struct wl_tmpdir dir;

static int setup(void **state)
{
	(void)state;
	wl_arena_init(&arena, (size_t)64 << 20);
	return wl_tmpdir_open(NULL, &dir, NULL);
}

static int teardown(void **state)
{
	(void)state;
	wl_tmpdir_close(&dir);
	wl_arena_release(&arena);
	return 0;
}

static void expect_id(const char *const *argv, const char *begin)
{
	char id[WL_RUN_ID_CAP];

	wl_run_id_make(argv, 1795000000123, id);
	assert_true(wl_run_is_id(id));
	assert_int_equal(strncmp(id, begin, strlen(begin)), 0);
	assert_int_equal(strlen(id), strlen(begin) + 6);
}

/* date -u -d @1795000000 says 2026-11-18 11:06:40. */
TEST_WITH(ids_have_time_program_and_chance, setup, teardown)
{
	char one[WL_RUN_ID_CAP], two[WL_RUN_ID_CAP];
	static const char *const argv[] = { "a", NULL };

	expect_id((const char *const[]){ "/bin/solver", "x.py", NULL }, "20261118-110640-solver-");
	expect_id((const char *const[]){ "python3.11", "-u", "/a/train.py", NULL },
		  "20261118-110640-train-");
	expect_id((const char *const[]){ "python", "-m", "pkg.main", NULL },
		  "20261118-110640-pkg.main-");
	expect_id((const char *const[]){ "torchrun", "--nproc", "2", "t.py", NULL },
		  "20261118-110640-t-");
	expect_id((const char *const[]){ "python", NULL }, "20261118-110640-python-");
	expect_id((const char *const[]){ "a b;c\n", NULL }, "20261118-110640-a_b_c_-");
	expect_id((const char *const[]){ NULL }, "20261118-110640-run-");
	wl_run_id_make(argv, 0, one);
	wl_run_id_make(argv, 0, two);
	assert_string_not_equal(one, two);
}

/* Make a run with a manifest; the path is in ret. */
static void make(int64_t begin_ms, char ret_id[WL_RUN_ID_CAP], char ret[WL_PATH_CAP])
{
	static const char *const argv[] = { "prog", NULL };
	struct wl_manifest m;

	assert_int_equal(wl_run_dir_make(dir.path, argv, begin_ms, ret_id, ret, NULL), WL_OK);
	wl_manifest_init(&m);
	m.id = ret_id;
	m.argv = argv;
	m.n_argv = 1;
	m.begin_ms = begin_ms;
	assert_int_equal(wl_manifest_write(&m, ret, NULL), WL_OK);
}

TEST_WITH(a_new_run_has_three_rooms, setup, teardown)
{
	static const char *const rooms[] = { "nsys", "ncu", "report" };
	static const char *const argv[] = { "prog", NULL };
	char id[WL_RUN_ID_CAP], path[WL_PATH_CAP], room[WL_PATH_CAP + 16], below[WL_PATH_CAP];
	struct stat st;

	(void)snprintf(below, sizeof(below), "%.3000s/a/b", dir.path);
	assert_int_equal(wl_run_dir_make(below, argv, 1, id, path, NULL), WL_OK);
	assert_string_equal(wl_path_name(path), id);
	for (size_t i = 0; i < WL_COUNT(rooms); i++) {
		(void)snprintf(room, sizeof(room), "%s/%s", path, rooms[i]);
		assert_int_equal(lstat(room, &st), 0);
		assert_true(S_ISDIR(st.st_mode));
	}
	assert_int_equal(wl_run_dir_make("/proc/none", argv, 1, id, path, NULL), WL_E_OUTPUT);
}

TEST_WITH(runs_come_newest_first, setup, teardown)
{
	char id[3][WL_RUN_ID_CAP], path[3][WL_PATH_CAP], other[WL_PATH_CAP];
	struct wl_runs_found found;

	make(1000, id[0], path[0]);
	make(3000, id[1], path[1]);
	make(2000, id[2], path[2]);
	(void)snprintf(other, sizeof(other), "%.3000s/link", dir.path);
	assert_int_equal(symlink(path[0], other), 0);
	(void)snprintf(other, sizeof(other), "%.3000s/bad", dir.path);
	assert_int_equal(mkdir(other, 0700), 0);
	assert_int_equal(wl_runs_find(dir.path, &arena, &found, NULL), WL_OK);
	assert_int_equal(found.n, 3);
	assert_int_equal(found.n_refused, 0);
	assert_string_equal(found.run[0].manifest.id, id[1]);
	assert_string_equal(found.run[1].manifest.id, id[2]);
	assert_string_equal(found.run[2].manifest.id, id[0]);
	(void)snprintf(other, sizeof(other), "%.3000s/bad/manifest.json", dir.path);
	assert_int_equal(wl_file_write_new(other, "{}", 2, NULL), WL_OK);
	assert_int_equal(wl_runs_find(dir.path, &arena, &found, NULL), WL_OK);
	assert_int_equal(found.n, 3);
	assert_int_equal(found.n_refused, 1);
	assert_int_equal(wl_runs_find("/nowhere", &arena, &found, NULL), WL_E_IO);
}

TEST_WITH(a_run_is_found_by_its_whole_id, setup, teardown)
{
	char id[WL_RUN_ID_CAP], path[WL_PATH_CAP], part[WL_RUN_ID_CAP];
	struct wl_run_found run;
	struct wl_err err;

	make(1000, id, path);
	assert_int_equal(wl_run_find(dir.path, id, &arena, &run, NULL), WL_OK);
	assert_string_equal(run.path, path);
	assert_int_equal(wl_run_find("/nowhere", path, &arena, &run, NULL), WL_OK);
	memcpy(part, id, sizeof(part));
	part[strlen(part) - 1] = '\0';
	assert_int_equal(wl_run_find(dir.path, part, &arena, &run, &err), WL_E_USAGE);
	assert_non_null(strstr(err.msg, id));
	assert_int_equal(wl_run_find(dir.path, "..", &arena, &run, NULL), WL_E_USAGE);
	assert_int_equal(wl_run_find(dir.path, "/", &arena, &run, NULL), WL_E_USAGE);
	assert_int_equal(wl_run_find(dir.path, "", &arena, &run, NULL), WL_E_USAGE);
}

TEST_WITH(only_runs_are_removed, setup, teardown)
{
	char id[WL_RUN_ID_CAP], path[WL_PATH_CAP], link_path[WL_PATH_CAP + 32], kept[WL_PATH_CAP],
		manifest[WL_PATH_CAP + 32], aside[WL_PATH_CAP + 32];
	struct wl_run_found run;

	make(1000, id, path);
	(void)snprintf(kept, sizeof(kept), "%.3000s/kept", dir.path);
	assert_int_equal(wl_file_write_new(kept, "x", 1, NULL), WL_OK);
	(void)snprintf(link_path, sizeof(link_path), "%s/nsys/link", path);
	assert_int_equal(symlink(kept, link_path), 0);
	assert_int_equal(wl_run_find(dir.path, id, &arena, &run, NULL), WL_OK);
	/* Without its manifest it is not a run. */
	(void)snprintf(manifest, sizeof(manifest), "%s/manifest.json", path);
	(void)snprintf(aside, sizeof(aside), "%.3000s/aside", dir.path);
	assert_int_equal(rename(manifest, aside), 0);
	assert_int_equal(wl_run_remove(&run, NULL), WL_E_IO);
	assert_int_equal(access(link_path, F_OK), 0);
	assert_int_equal(rename(aside, manifest), 0);
	assert_int_equal(wl_run_remove(&run, NULL), WL_OK);
	assert_int_not_equal(access(path, F_OK), 0);
	assert_int_equal(access(kept, F_OK), 0);
}
