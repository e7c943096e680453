/* SPDX-License-Identifier: MIT */
/* file.h - reads small files, makes temporary directories, and writes files atomically. */
#ifndef WL_BASE_FILE_H
#define WL_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/attr.h"
#include "base/err.h"

/* Longest path that these functions take, with its NUL. */
#define WL_PATH_CAP 4096

/*
 * Read a file, a device or a pipe of this process (/dev/stdin, /dev/fd/N) to its end, but
 * no more than limit bytes; to detect a longer one ask for one byte more than fits. The
 * bytes are the caller's to free(), also when there are none. WL_E_IO with path and reason
 * when it cannot be read. A pipe with a name in a directory (FIFO) is refused: opening it
 * would wait for a writer.
 */
int wl_file_read(const char *path, size_t limit, char **ret_bytes, size_t *ret_n,
		 struct wl_err *reterr) WL_MUST_CHECK;

/*
 * Read n bytes of an open file from an offset on, however many calls that takes. Returns how many
 * there were, fewer only where the file ends, or -1 with errno.
 */
ssize_t wl_fd_read_at(int fd, void *to, size_t n, uint64_t offset);

/* A private directory (mode 0700) that goes away with all it holds. */
struct wl_tmpdir {
	char path[WL_PATH_CAP]; /* empty: there is none */
};

/*
 * Make a directory warplens-XXXXXX in parent, which is $TMPDIR as a rule and
 * /tmp when NULL or empty. WL_E_OUTPUT when that fails.
 */
int wl_tmpdir_open(const char *parent, struct wl_tmpdir *ret, struct wl_err *reterr) WL_MUST_CHECK;

/*
 * Remove the directory and forget it. For WL_CLEANUP: accepts a zeroed one,
 * twice too, and keeps silent; a caller that needs the status calls wl_tree_remove first.
 */
void wl_tmpdir_close(struct wl_tmpdir *dir);

/*
 * Remove a file or a directory with all it holds. Symbolic links are removed,
 * never followed, also where someone swaps a directory for a link meanwhile.
 * What does not exist is removed already. Goes on past an entry that cannot be
 * removed and returns WL_E_OUTPUT for the first one; so do trees deeper than
 * 64 levels.
 */
int wl_tree_remove(const char *path, struct wl_err *reterr);

/*
 * A directory that files are written into. It is held open, so that a link that
 * takes its place meanwhile does not redirect them.
 */
struct wl_dir {
	int fd;
	char path[WL_PATH_CAP]; /* for messages; empty: nothing is open */
};

/*
 * Open a directory that the user named, and make it, with those it is in, if it does not
 * exist. Links are followed. WL_E_OUTPUT on failure.
 */
int wl_dir_open(const char *path, struct wl_dir *ret, struct wl_err *reterr) WL_MUST_CHECK;

/* The same for a name within a directory; a link of that name is refused. */
int wl_dir_open_in(const struct wl_dir *dir, const char *name, struct wl_dir *ret,
		   struct wl_err *reterr) WL_MUST_CHECK;
void wl_dir_close(struct wl_dir *dir); /* accepts a zeroed and a closed one */

/*
 * A file being written. Until the commit a reader of the path sees what was
 * there before; an abort or a crash leaves that untouched. Paths that are not
 * regular files (/dev/stdout, a FIFO) are written directly.
 *
 * Between begin and commit or abort, write to stream and leave closing it to
 * those two. Not for two threads at once.
 */
struct wl_file {
	FILE *stream;           /* NULL: nothing is open */
	char path[WL_PATH_CAP]; /* the file to replace, links resolved */
	char temp[48]; /* name of the new one in its directory; empty: stream is the path itself */
	int dir;       /* that both are in; open while temp is not empty */
};

/*
 * Start to write the file at path, which the user named: a link is followed, except for
 * one that another user made in a directory that all users may write to. A directory that is
 * missing is not made: a slip of the keyboard must not become a new tree. The new file has the mode
 * of the one it replaces if that is the user's own, else what the umask says. WL_E_OUTPUT with the
 * reason when it cannot be made. Each begun file is committed or aborted once.
 */
int wl_file_begin(const char *path, struct wl_file *ret, struct wl_err *reterr) WL_MUST_CHECK;

/* Ask before hours of work: WL_E_OUTPUT where the directory of the path does not exist. */
int wl_file_has_dir(const char *path, struct wl_err *reterr) WL_MUST_CHECK;

/*
 * The same for a path whose last part the program chose. Only a regular file or nothing
 * is replaced; a link, a device or a FIFO of that name is refused.
 */
int wl_file_begin_nofollow(const char *path, struct wl_file *ret,
			   struct wl_err *reterr) WL_MUST_CHECK;

/* The same for a name within a directory that is open. */
int wl_file_begin_in(const struct wl_dir *dir, const char *name, struct wl_file *ret,
		     struct wl_err *reterr) WL_MUST_CHECK;

/* Who but its owner may read all of some files. Zeroed: all users. */
struct wl_file_readers {
	bool is_narrowed;   /* some file was added */
	bool is_open;       /* all users may */
	bool is_one_group;  /* the group may, which is the same of all */
	bool is_all_groups; /* each group may read the file that is of it */
	gid_t group;
};

/* What is made of the file at path, too, is for those who may read it. */
void wl_file_readers_add(struct wl_file_readers *readers, const char *path);

/* Keep a begun file from all who may not read these, and allow no more than its umask does. */
void wl_file_keep_from_others(struct wl_file *file, const struct wl_file_readers *readers);

/*
 * Append bytes, however many, past the buffer of the stream, which must be empty: write
 * with this alone or with the stream alone. WL_E_OUTPUT when the disk is full.
 */
int wl_file_put(struct wl_file *file, const void *bytes, size_t n,
		struct wl_err *reterr) WL_MUST_CHECK;

/*
 * Bring the bytes to the disk and put the file in its place. WL_E_OUTPUT when a
 * byte could not be written, now or in any earlier call on the stream; then the
 * path is as before. Closes in any case.
 */
int wl_file_commit(struct wl_file *file, struct wl_err *reterr) WL_MUST_CHECK;

/* Give up. For WL_CLEANUP: accepts a zeroed, a committed and an aborted file. */
void wl_file_abort(struct wl_file *file);

/*
 * Write a file of these bytes where there is none: whatever has the name already, a link
 * included, stays as it is. WL_E_OUTPUT on failure; then no file is left behind.
 */
int wl_file_write_new(const char *path, const void *bytes, size_t n,
		      struct wl_err *reterr) WL_MUST_CHECK;

/* Rename within one file system, replacing what is there. WL_E_OUTPUT on failure. */
int wl_file_move(const char *from, const char *to, struct wl_err *reterr) WL_MUST_CHECK;

/* Make a directory and those it is in; it may be there already. WL_E_OUTPUT on failure. */
int wl_dir_make(const char *path, struct wl_err *reterr) WL_MUST_CHECK;

/*
 * Write the directory that a path lies in: "a/b" -> "a", "b" -> ".", "/b" -> "/".
 * WL_E_OUTPUT when it does not fit into WL_PATH_CAP bytes.
 */
int wl_file_dir(const char *path, char ret_dir[WL_PATH_CAP], struct wl_err *reterr) WL_MUST_CHECK;

/*
 * Why open() failed, in words; right after the call. The sandbox refuses what takes the place of a
 * file that it allows, although the user could read it: then the file has changed meanwhile.
 */
const char *wl_open_reason(const char *path);

/*
 * Why the numbers in a file may be those of others: "belongs to another user" where that
 * is not root, "can be written by others"; NULL where only the user and root can have written it.
 */
const char *wl_file_doubt(const struct stat *st);

/* The part after the last slash; all of it where nothing follows that. */
const char *wl_path_name(const char *path);

/* The name ends so, with something before it. */
bool wl_path_ends_in(const char *path, const char *ending);

/* A directory is meant: it ends in a slash, or is one. */
bool wl_path_is_dir(const char *path);

#endif
