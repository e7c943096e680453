/* SPDX-License-Identifier: MIT */
#include "base/file/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/unit.h"

/* Each test gets a scratch directory of its own as *state. */
static int make_scratch(void **state)
{
	struct wl_tmpdir *dir = calloc(1, sizeof(*dir));

	*state = dir;
	return !dir || wl_tmpdir_open(getenv("TMPDIR"), dir, NULL);
}

static int remove_scratch(void **state)
{
	struct wl_tmpdir *dir = *state;
	int rc = wl_tree_remove(dir->path, NULL);

	free(dir);
	return rc;
}

struct path {
	char s[WL_PATH_CAP + 256];
};

static struct path in(void **state, const char *name)
{
	const struct wl_tmpdir *dir = *state;
	struct path p;

	(void)snprintf(p.s, sizeof(p.s), "%s/%s", dir->path, name);
	return p;
}

static void put(const char *path, const char *text)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void assert_text(const char *path, const char *text)
{
	char buf[64] = "";
	FILE *f = fopen(path, "re");

	assert_non_null(f);
	buf[fread(buf, 1, sizeof(buf) - 1, f)] = '\0';
	assert_int_equal(fclose(f), 0);
	assert_string_equal(buf, text);
}

static int count_entries(const char *path)
{
	DIR *dir = opendir(path);
	int n = -2;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	assert_int_equal(closedir(dir), 0);
	return n;
}

static bool is_there(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_mode & 07777;
}

TEST_WITH(a_temporary_directory_is_private, make_scratch, remove_scratch)
{
	const struct wl_tmpdir *scratch = *state;
	struct wl_tmpdir a = { 0 }, b = { 0 };

	assert_int_equal(wl_tmpdir_open(scratch->path, &a, NULL), WL_OK);
	assert_int_equal(wl_tmpdir_open(scratch->path, &b, NULL), WL_OK);
	assert_int_equal(mode_of(a.path), 0700);
	assert_string_not_equal(a.path, b.path);
	assert_int_equal(strncmp(a.path, scratch->path, strlen(scratch->path)), 0);
	wl_tmpdir_close(&a);
	wl_tmpdir_close(&a);
	wl_tmpdir_close(&b);
	assert_int_equal(count_entries(scratch->path), 0);
}

TEST_WITH(tmp_is_the_default, make_scratch, remove_scratch)
{
	struct wl_tmpdir dir = { 0 };

	assert_int_equal(wl_tmpdir_open("", &dir, NULL), WL_OK);
	assert_int_equal(strncmp(dir.path, "/tmp/warplens-", 14), 0);
	wl_tmpdir_close(&dir);
	assert_int_equal(wl_tmpdir_open(NULL, &dir, NULL), WL_OK);
	wl_tmpdir_close(&dir);
}

TEST_WITH(a_directory_is_made_once, make_scratch, remove_scratch)
{
	struct wl_err err;

	assert_int_equal(wl_dir_make(in(state, "made").s, NULL), WL_OK);
	assert_int_equal(wl_dir_make(in(state, "made").s, NULL), WL_OK);
	put(in(state, "made/file").s, "x");
	assert_int_equal(wl_dir_make(in(state, "made/file").s, &err), WL_E_OUTPUT);
	assert_non_null(strstr(err.msg, "cannot make the directory"));
	assert_int_equal(wl_dir_make(in(state, "made/file/sub").s, &err), WL_E_OUTPUT);
	assert_int_equal(wl_dir_make(in(state, "with//its/parents/").s, NULL), WL_OK);
	put(in(state, "with/its/parents/file").s, "x");
	assert_int_equal(wl_dir_make("/proc/no/such", &err), WL_E_OUTPUT);
}

TEST_WITH(a_bad_parent_is_named, make_scratch, remove_scratch)
{
	struct wl_tmpdir dir = { 0 };
	struct wl_err err = { 0 };
	char longer[WL_PATH_CAP + 1];

	assert_int_equal(wl_tmpdir_open("/no/such", &dir, &err), WL_E_OUTPUT);
	assert_non_null(strstr(err.msg, "/no/such"));
	assert_string_equal(dir.path, "");
	memset(longer, 'x', sizeof(longer));
	longer[WL_PATH_CAP] = '\0';
	assert_int_equal(wl_tmpdir_open(longer, &dir, &err), WL_E_OUTPUT);
	assert_non_null(strstr(err.msg, "too long"));
}

TEST_WITH(everything_inside_is_removed, make_scratch, remove_scratch)
{
	struct wl_tmpdir dir = { 0 };
	struct path p;

	assert_int_equal(wl_tmpdir_open(in(state, "").s, &dir, NULL), WL_OK);
	(void)snprintf(p.s, sizeof(p.s), "%s/sub", dir.path);
	assert_int_equal(mkdir(p.s, 0755), 0);
	for (int i = 0; i < 500; i++) {
		(void)snprintf(p.s, sizeof(p.s), "%s/sub/%d", dir.path, i);
		put(p.s, "x");
	}
	(void)snprintf(p.s, sizeof(p.s), "%s/fifo", dir.path);
	assert_int_equal(mkfifo(p.s, 0600), 0);
	wl_tmpdir_close(&dir);
	assert_int_equal(count_entries(in(state, "").s), 0);
}

TEST_WITH(links_are_removed_and_not_followed, make_scratch, remove_scratch)
{
	assert_int_equal(mkdir(in(state, "outside").s, 0755), 0);
	put(in(state, "outside/file").s, "kept");
	assert_int_equal(mkdir(in(state, "tree").s, 0755), 0);
	assert_int_equal(symlink("../outside", in(state, "tree/dir").s), 0);
	assert_int_equal(symlink("../outside/file", in(state, "tree/file").s), 0);
	assert_int_equal(symlink("nowhere", in(state, "tree/broken").s), 0);
	assert_int_equal(symlink("outside", in(state, "top").s), 0);
	assert_int_equal(wl_tree_remove(in(state, "tree").s, NULL), WL_OK);
	assert_int_equal(wl_tree_remove(in(state, "top").s, NULL), WL_OK);
	assert_false(is_there(in(state, "tree").s));
	assert_false(is_there(in(state, "top").s));
	assert_text(in(state, "outside/file").s, "kept");
}

TEST_WITH(what_is_gone_is_removed, make_scratch, remove_scratch)
{
	assert_int_equal(wl_tree_remove(in(state, "nothing").s, NULL), WL_OK);
}

TEST_WITH(a_very_deep_tree_is_refused, make_scratch, remove_scratch)
{
	struct path p = in(state, "deep");
	size_t middle = 0;
	struct wl_err err = { 0 };

	for (int i = 0; i < 80; i++) {
		assert_int_equal(mkdir(p.s, 0755), 0);
		memcpy(p.s + strlen(p.s), "/d", sizeof("/d"));
		if (i == 40)
			middle = strlen(p.s);
	}
	assert_int_equal(wl_tree_remove(in(state, "deep").s, &err), WL_E_OUTPUT);
	assert_non_null(strstr(err.msg, "/deep"));
	p.s[middle] = '\0';
	assert_int_equal(wl_tree_remove(p.s, NULL), WL_OK);
}

TEST_WITH(a_file_appears_on_commit, make_scratch, remove_scratch)
{
	const struct path p = in(state, "out.csv");
	struct wl_file f = { 0 };

	assert_int_equal(wl_file_begin(p.s, &f, NULL), WL_OK);
	assert_true(fputs("new", f.stream) >= 0);
	assert_false(is_there(p.s));
	assert_int_equal(wl_file_commit(&f, NULL), WL_OK);
	assert_text(p.s, "new");
	wl_file_abort(&f);
	assert_text(p.s, "new");
	assert_int_equal(count_entries(in(state, "").s), 1);
}

TEST_WITH(a_file_is_replaced_on_commit_and_not_before, make_scratch, remove_scratch)
{
	const struct path p = in(state, "out.csv");
	struct wl_file f = { 0 };

	put(p.s, "old");
	assert_int_equal(chmod(p.s, 0640), 0);
	assert_int_equal(wl_file_begin(p.s, &f, NULL), WL_OK);
	assert_true(fputs("new", f.stream) >= 0);
	assert_int_equal(fflush(f.stream), 0);
	assert_text(p.s, "old");
	assert_int_equal(wl_file_commit(&f, NULL), WL_OK);
	assert_text(p.s, "new");
	assert_int_equal(mode_of(p.s), 0640);
	assert_int_equal(count_entries(in(state, "").s), 1);
}

TEST_WITH(an_abort_leaves_what_was_there, make_scratch, remove_scratch)
{
	const struct path p = in(state, "out.csv");
	struct wl_file f = { 0 };

	put(p.s, "old");
	assert_int_equal(wl_file_begin(p.s, &f, NULL), WL_OK);
	assert_true(fputs("new", f.stream) >= 0);
	wl_file_abort(&f);
	wl_file_abort(&f);
	assert_text(p.s, "old");
	assert_int_equal(count_entries(in(state, "").s), 1);
}

TEST_WITH(a_new_file_follows_the_umask, make_scratch, remove_scratch)
{
	const struct path p = in(state, "out.csv");
	const mode_t old = umask(027);
	struct wl_file f = { 0 };
	int rc = wl_file_begin(p.s, &f, NULL);

	(void)umask(old);
	assert_int_equal(rc, WL_OK);
	assert_int_equal(wl_file_commit(&f, NULL), WL_OK);
	assert_int_equal(mode_of(p.s), 0640);
}

TEST_WITH(two_files_at_once_do_not_meet, make_scratch, remove_scratch)
{
	struct wl_file a = { 0 }, b = { 0 };

	assert_int_equal(wl_file_begin(in(state, "a").s, &a, NULL), WL_OK);
	assert_int_equal(wl_file_begin(in(state, "b").s, &b, NULL), WL_OK);
	assert_true(fputs("a", a.stream) >= 0 && fputs("b", b.stream) >= 0);
	assert_int_equal(wl_file_commit(&a, NULL), WL_OK);
	assert_int_equal(wl_file_commit(&b, NULL), WL_OK);
	assert_text(in(state, "a").s, "a");
	assert_text(in(state, "b").s, "b");
}

TEST_WITH(a_link_stays_a_link, make_scratch, remove_scratch)
{
	struct wl_file f = { 0 };
	struct stat st;

	put(in(state, "target").s, "old");
	assert_int_equal(symlink("target", in(state, "link").s), 0);
	assert_int_equal(wl_file_begin(in(state, "link").s, &f, NULL), WL_OK);
	assert_true(fputs("new", f.stream) >= 0);
	assert_int_equal(wl_file_commit(&f, NULL), WL_OK);
	assert_int_equal(lstat(in(state, "link").s, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_text(in(state, "target").s, "new");
}

/* What a name chosen by the program may not be, and what of it stays. */
TEST_WITH(a_chosen_name_is_no_way_elsewhere, make_scratch, remove_scratch)
{
	struct wl_file f = { 0 };
	struct wl_err err = { 0 };

	put(in(state, "target").s, "old");
	assert_int_equal(symlink("target", in(state, "link").s), 0);
	assert_int_equal(symlink("nowhere", in(state, "broken").s), 0);
	assert_int_equal(mkfifo(in(state, "fifo").s, 0600), 0);
	assert_int_equal(wl_file_begin_nofollow(in(state, "link").s, &f, &err), WL_E_OUTPUT);
	assert_non_null(strstr(err.msg, "link: it is a symbolic link; remove it first"));
	assert_int_equal(wl_file_begin_nofollow(in(state, "broken").s, &f, &err), WL_E_OUTPUT);
	assert_int_equal(wl_file_begin_nofollow(in(state, "fifo").s, &f, &err), WL_E_OUTPUT);
	assert_non_null(strstr(err.msg, "not a regular file"));
	assert_int_equal(wl_file_begin_nofollow(in(state, "target").s, &f, &err), WL_OK);
	assert_int_equal(wl_file_commit(&f, NULL), WL_OK);
	assert_text(in(state, "target").s, "");
	assert_int_equal(count_entries(in(state, "").s), 4);
}

/* A link that appears after the check is replaced, and where it leads to is left alone. */
TEST_WITH(a_name_swapped_for_a_link_redirects_nothing, make_scratch, remove_scratch)
{
	struct wl_file f = { 0 };
	struct stat st;

	put(in(state, "mine").s, "old");
	put(in(state, "out").s, "old");
	assert_int_equal(wl_file_begin_nofollow(in(state, "out").s, &f, NULL), WL_OK);
	assert_true(fputs("new", f.stream) >= 0);
	assert_int_equal(unlink(in(state, "out").s), 0);
	assert_int_equal(symlink("mine", in(state, "out").s), 0);
	assert_int_equal(wl_file_commit(&f, NULL), WL_OK);
	assert_text(in(state, "mine").s, "old");
	assert_int_equal(lstat(in(state, "out").s, &st), 0);
	assert_true(S_ISREG(st.st_mode));
	assert_text(in(state, "out").s, "new");
}

TEST_WITH(links_are_followed_one_after_another, make_scratch, remove_scratch)
{
	struct wl_file f = { 0 };
	struct wl_err err = { 0 };

	assert_int_equal(mkdir(in(state, "there").s, 0755), 0);
	put(in(state, "there/mine").s, "old");
	assert_int_equal(symlink("mine", in(state, "there/second").s), 0);
	assert_int_equal(symlink("there/second", in(state, "first").s), 0);
	assert_int_equal(wl_file_begin(in(state, "first").s, &f, NULL), WL_OK);
	assert_true(fputs("new", f.stream) >= 0);
	assert_int_equal(wl_file_commit(&f, NULL), WL_OK);
	assert_text(in(state, "there/mine").s, "new");
	assert_int_equal(symlink("loop", in(state, "loop").s), 0);
	assert_int_equal(wl_file_begin(in(state, "loop").s, &f, &err), WL_OK);
	assert_int_equal(wl_file_commit(&f, NULL), WL_OK); /* it led nowhere */
	assert_text(in(state, "loop").s, "");
}

TEST_WITH(a_fifo_is_not_waited_for, make_scratch, remove_scratch)
{
	const struct path p = in(state, "fifo");
	struct wl_err err = { 0 };
	char pipe_path[64], *bytes;
	int fd[2];
	size_t n;

	assert_int_equal(mkfifo(p.s, 0600), 0);
	assert_int_equal(wl_file_read(p.s, 10, &bytes, &n, &err), WL_E_IO);
	assert_non_null(strstr(err.msg, "it is a FIFO"));
	/* What a shell makes of <(...) is read. */
	assert_int_equal(pipe(fd), 0);
	assert_int_equal(write(fd[1], "abc", 3), 3);
	assert_int_equal(close(fd[1]), 0);
	(void)snprintf(pipe_path, sizeof(pipe_path), "/dev/fd/%d", fd[0]);
	assert_int_equal(wl_file_read(pipe_path, 10, &bytes, &n, &err), WL_OK);
	assert_int_equal(n, 3);
	free(bytes);
	assert_int_equal(close(fd[0]), 0);
}

TEST(files_of_others_are_doubted)
{
	const uid_t us = geteuid();
	const struct stat mine = { .st_uid = us, .st_mode = 0644 };
	const struct stat root = { .st_uid = 0, .st_mode = 0644 };
	const struct stat open = { .st_uid = us, .st_mode = 0666 };
	const struct stat team = { .st_uid = us, .st_mode = 0664 };
	const struct stat his = { .st_uid = us + 1, .st_mode = 0644 };

	assert_null(wl_file_doubt(&mine));
	assert_null(wl_file_doubt(&root));
	assert_string_equal(wl_file_doubt(&open), "can be written by others");
	assert_string_equal(wl_file_doubt(&team), "can be written by others");
	assert_string_equal(wl_file_doubt(&his), "belongs to another user");
}

TEST_WITH(a_folder_within_a_directory_is_no_link, make_scratch, remove_scratch)
{
	struct wl_dir dir = { 0 }, sub = { 0 };
	struct wl_file f = { 0 };
	struct wl_err err = { 0 };

	assert_int_equal(wl_dir_open(in(state, "report").s, &dir, NULL), WL_OK);
	assert_int_equal(mkdir(in(state, "mine").s, 0755), 0);
	assert_int_equal(symlink("../mine", in(state, "report/tables").s), 0);
	assert_int_equal(wl_dir_open_in(&dir, "tables", &sub, &err), WL_E_OUTPUT);
	assert_non_null(strstr(err.msg, "report/tables: it is a symbolic link"));
	assert_int_equal(unlink(in(state, "report/tables").s), 0);
	assert_int_equal(wl_dir_open_in(&dir, "tables", &sub, NULL), WL_OK);
	/* What takes its place now gets nothing. */
	assert_int_equal(rename(in(state, "report/tables").s, in(state, "report/away").s), 0);
	assert_int_equal(symlink("../mine", in(state, "report/tables").s), 0);
	assert_int_equal(wl_file_begin_in(&sub, "a.csv", &f, NULL), WL_OK);
	assert_int_equal(wl_file_commit(&f, NULL), WL_OK);
	assert_text(in(state, "report/away/a.csv").s, "");
	assert_int_equal(count_entries(in(state, "mine").s), 0);
	wl_dir_close(&sub);
	wl_dir_close(&dir);
	wl_dir_close(&dir);
}

/* Only root can make a link of someone else. */
TEST_WITH(a_link_of_another_user_in_a_shared_directory_is_refused, make_scratch, remove_scratch)
{
	struct wl_file f = { 0 };
	struct wl_err err = { 0 };

	if (geteuid() != 0)
		skip();
	assert_int_equal(mkdir(in(state, "shared").s, 0777), 0);
	assert_int_equal(chmod(in(state, "shared").s, 01777), 0);
	put(in(state, "mine").s, "old");
	assert_int_equal(symlink("../mine", in(state, "shared/out").s), 0);
	assert_int_equal(lchown(in(state, "shared/out").s, 12345, 12345), 0);
	assert_int_equal(wl_file_begin(in(state, "shared/out").s, &f, &err), WL_E_OUTPUT);
	assert_non_null(strstr(err.msg, "it is a symbolic link of another user"));
	/* The mode of a file of his is not taken over, either. */
	put(in(state, "shared/his").s, "");
	assert_int_equal(chmod(in(state, "shared/his").s, 0666), 0);
	assert_int_equal(lchown(in(state, "shared/his").s, 12345, 12345), 0);
	assert_int_equal(wl_file_begin(in(state, "shared/his").s, &f, &err), WL_OK);
	assert_int_equal(wl_file_commit(&f, NULL), WL_OK);
	assert_int_not_equal(mode_of(in(state, "shared/his").s), 0666);
	assert_text(in(state, "mine").s, "old");
}

/* As above, where the link is the directory or one on the way to it. */
TEST_WITH(a_directory_of_another_users_link_is_refused, make_scratch, remove_scratch)
{
	static const char *const dirs[] = { "shared/d", "shared/d/", "shared/d/sub",
					    "shared/d/new" };
	struct wl_dir dir = { .path = "" };
	struct wl_file f = { 0 };
	struct wl_err err = { 0 };

	if (geteuid() != 0)
		skip();
	assert_int_equal(mkdir(in(state, "shared").s, 0777), 0);
	assert_int_equal(chmod(in(state, "shared").s, 0777), 0);
	assert_int_equal(mkdir(in(state, "mine").s, 0755), 0);
	assert_int_equal(mkdir(in(state, "mine/sub").s, 0755), 0);
	assert_int_equal(symlink("../mine", in(state, "shared/d").s), 0);
	assert_int_equal(lchown(in(state, "shared/d").s, 12345, 12345), 0);
	for (size_t i = 0; i < WL_COUNT(dirs); i++) {
		char name[40];

		(void)snprintf(name, sizeof(name), "%s/out", dirs[i]);
		assert_int_equal(wl_dir_open(in(state, dirs[i]).s, &dir, &err), WL_E_OUTPUT);
		assert_non_null(strstr(err.msg, "it is a symbolic link of another user"));
		assert_int_equal(wl_dir_make(in(state, dirs[i]).s, &err), WL_E_OUTPUT);
		assert_int_equal(wl_file_begin(in(state, name).s, &f, &err), WL_E_OUTPUT);
		assert_int_equal(wl_file_begin_nofollow(in(state, name).s, &f, &err), WL_E_OUTPUT);
	}
	assert_int_equal(count_entries(in(state, "mine").s), 1);
	/* One's own is followed. */
	assert_int_equal(lchown(in(state, "shared/d").s, 0, 0), 0);
	assert_int_equal(wl_file_begin(in(state, "shared/d/out").s, &f, &err), WL_OK);
	assert_int_equal(wl_file_commit(&f, &err), WL_OK);
	assert_text(in(state, "mine/out").s, "");
}

TEST_WITH(devices_are_written_directly, make_scratch, remove_scratch)
{
	struct wl_file f = { 0 };
	struct wl_err err = { 0 };

	assert_int_equal(wl_file_begin("/dev/null", &f, NULL), WL_OK);
	assert_true(fputs("x", f.stream) >= 0);
	assert_int_equal(wl_file_commit(&f, NULL), WL_OK);
	assert_int_equal(wl_file_begin("/dev/full", &f, NULL), WL_OK);
	assert_true(fputs("x", f.stream) >= 0);
	assert_int_equal(wl_file_commit(&f, &err), WL_E_OUTPUT);
	assert_string_equal(err.msg, "cannot write /dev/full: No space left on device");
	wl_file_abort(&f);
}

TEST_WITH(a_failed_write_fails_the_commit, make_scratch, remove_scratch)
{
	const struct path p = in(state, "out.csv");
	void (*old)(int) = signal(SIGXFSZ, SIG_IGN);
	struct rlimit was, small;
	struct wl_file f = { 0 };
	struct wl_err err = { 0 };
	int rc;

	put(p.s, "old");
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
	small = (struct rlimit){ .rlim_cur = 1000, .rlim_max = was.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	rc = wl_file_begin(p.s, &f, NULL);
	for (int i = 0; rc == WL_OK && i < 100000; i++)
		(void)fputc('x', f.stream);
	if (rc == WL_OK)
		rc = wl_file_commit(&f, &err);
	(void)setrlimit(RLIMIT_FSIZE, &was);
	(void)signal(SIGXFSZ, old);
	assert_int_equal(rc, WL_E_OUTPUT);
	assert_non_null(strstr(err.msg, "out.csv"));
	assert_text(p.s, "old");
	assert_int_equal(count_entries(in(state, "").s), 1);
}

TEST_WITH(missing_directories_are_not_made, make_scratch, remove_scratch)
{
	struct wl_file f = { 0 };
	struct wl_err err = { 0 };

	assert_int_equal(wl_file_has_dir(in(state, "a/b/c").s, &err), WL_E_OUTPUT);
	assert_int_equal(wl_file_begin(in(state, "a/b/c").s, &f, &err), WL_E_OUTPUT);
	assert_non_null(strstr(err.msg, "its directory does not exist"));
	assert_int_equal(access(in(state, "a").s, F_OK), -1);
	assert_int_equal(wl_file_has_dir(in(state, "c").s, &err), WL_OK);
	assert_int_equal(wl_file_has_dir("c", &err), WL_OK);
}

TEST_WITH(what_cannot_be_written_is_refused_at_once, make_scratch, remove_scratch)
{
	struct wl_file f = { 0 };
	struct wl_err err = { 0 };
	struct path longer;

	assert_int_equal(wl_file_begin(in(state, "").s, &f, &err), WL_E_OUTPUT);
	assert_non_null(strstr(err.msg, "Is a directory"));
	assert_int_equal(wl_file_begin(in(state, "no/such/").s, &f, &err), WL_E_OUTPUT);
	assert_non_null(strstr(err.msg, "its directory does not exist"));
	assert_int_equal(access(in(state, "no").s, F_OK), -1);
	put(in(state, "file").s, "x");
	assert_int_equal(wl_file_begin(in(state, "file/such").s, &f, &err), WL_E_OUTPUT);
	assert_non_null(strstr(err.msg, "Not a directory"));
	memset(longer.s, 'x', WL_PATH_CAP);
	longer.s[WL_PATH_CAP] = '\0';
	assert_int_equal(wl_file_begin(longer.s, &f, &err), WL_E_OUTPUT);
	assert_null(f.stream);
}

TEST_WITH(a_move_replaces, make_scratch, remove_scratch)
{
	struct wl_err err = { 0 };

	put(in(state, "a").s, "a");
	put(in(state, "b").s, "b");
	assert_int_equal(wl_file_move(in(state, "a").s, in(state, "b").s, NULL), WL_OK);
	assert_text(in(state, "b").s, "a");
	assert_int_equal(wl_file_move(in(state, "b").s, in(state, "no/such").s, &err), WL_E_OUTPUT);
	assert_non_null(strstr(err.msg, "no/such"));
	assert_text(in(state, "b").s, "a");
}

TEST(a_path_has_a_name)
{
	assert_string_equal(wl_path_name("/a/b.sqlite"), "b.sqlite");
	assert_string_equal(wl_path_name("b"), "b");
	assert_string_equal(wl_path_name("a/b/"), "a/b/");
	assert_string_equal(wl_path_name(""), "");
}

TEST_WITH(a_new_file_replaces_nothing, make_scratch, remove_scratch)
{
	struct path made = in(state, "new"), link = in(state, "link"), to = in(state, "to");
	struct wl_err err;

	assert_int_equal(wl_file_write_new(made.s, "first", 5, &err), WL_OK);
	assert_text(made.s, "first");
	assert_int_equal(wl_file_write_new(made.s, "second", 6, &err), WL_E_OUTPUT);
	assert_non_null(strstr(err.msg, "File exists"));
	assert_text(made.s, "first");
	assert_int_equal(symlink(to.s, link.s), 0);
	assert_int_equal(wl_file_write_new(link.s, "x", 1, &err), WL_E_OUTPUT);
	assert_false(is_there(to.s));
}

TEST_WITH(a_path_has_a_directory, make_scratch, remove_scratch)
{
	static const struct {
		const char *path, *dir;
	} cases[] = { { "a/b", "a" }, { "b", "." },      { "/b", "/" },
		      { "", "." },    { "a/b/", "a/b" }, { "../x.sqlite", ".." } };
	char dir[WL_PATH_CAP], longer[WL_PATH_CAP + 8];

	for (size_t i = 0; i < WL_COUNT(cases); i++) {
		assert_int_equal(wl_file_dir(cases[i].path, dir, NULL), WL_OK);
		assert_string_equal(dir, cases[i].dir);
	}
	memset(longer, 'x', sizeof(longer));
	memcpy(longer + WL_PATH_CAP, "/y", sizeof("/y"));
	assert_int_equal(wl_file_dir(longer, dir, NULL), WL_E_OUTPUT);
}

static void expect_bytes(const char *path, size_t limit, const char *want, size_t n_want)
{
	FREED char *bytes = NULL;
	size_t n;

	assert_int_equal(wl_file_read(path, limit, &bytes, &n, NULL), WL_OK);
	assert_int_equal(n, n_want);
	assert_memory_equal(bytes, want, n_want);
}

TEST_WITH(a_file_is_read_up_to_the_limit, make_scratch, remove_scratch)
{
	struct path p = in(state, "x");
	FREED char *large = malloc(100000);

	put(p.s, "abc");
	expect_bytes(p.s, 100, "abc", 3);
	expect_bytes(p.s, 3, "abc", 3);
	expect_bytes(p.s, 2, "ab", 2);
	expect_bytes(p.s, 0, "", 0);
	put(p.s, "");
	expect_bytes(p.s, 100, "", 0);
	assert_non_null(large);
	memset(large, 'x', 100000);
	large[99999] = '\0';
	put(p.s, large);
	expect_bytes(p.s, SIZE_MAX, large, 99999);
	expect_bytes(p.s, 70000, large, 70000);
}

/* What comes in pieces is put together. */
TEST_WITH(a_pipe_is_read_to_its_end, make_scratch, remove_scratch)
{
	struct path p;
	int fd[2];

	assert_int_equal(pipe(fd), 0);
	assert_int_equal(write(fd[1], "ab", 2), 2);
	assert_int_equal(write(fd[1], "\0c", 2), 2);
	assert_int_equal(close(fd[1]), 0);
	(void)snprintf(p.s, sizeof(p.s), "/dev/fd/%d", fd[0]);
	expect_bytes(p.s, 100, "ab\0c", 4);
	assert_int_equal(close(fd[0]), 0);
}

TEST_WITH(what_cannot_be_read_is_named, make_scratch, remove_scratch)
{
	struct path p = in(state, "none");
	struct wl_err err;
	char *bytes = NULL;
	size_t n;

	assert_int_equal(wl_file_read(p.s, 100, &bytes, &n, &err), WL_E_IO);
	assert_non_null(strstr(err.msg, p.s));
	assert_non_null(strstr(err.msg, "No such file"));
	p = in(state, ".");
	assert_int_equal(wl_file_read(p.s, 100, &bytes, &n, &err), WL_E_IO);
	assert_non_null(strstr(err.msg, "Is a directory"));
	assert_null(bytes);
}
