/* SPDX-License-Identifier: MIT */
/*
 * file.h - the file of an index: named arrays, their checksums, and the identity of the trace.
 *
 * The file is a header, the arrays, each at a multiple of 64 bytes, and a directory of
 * them at the end. It is written as a whole or not at all (base/file/file.h), in the byte
 * order of the machine.
 *
 * Nothing is used from the file itself. Header and directory are copied when it is opened;
 * an array is copied to memory of the process when it is first wanted, and checks and
 * analyses both see that copy. So it does not matter what happens to the file after a check:
 * a program that overwrites it in place makes arrays that are not copied yet fail their sum.
 *
 * What is promised of a file that is open: header and directory are whole and fit each
 * other, and every array lies within the file and has the element size that was asked
 * for. What is not: the arrays were not looked at. The first user of one compares it
 * with its sum, and then checks that its values are possible, because a sum only
 * finds accidents and files come from anywhere.
 *
 * A file that others could have written is not opened: it must belong to the user or
 * to root, no other user may write it, and it must not be a symbolic link. All of that is
 * asked of the descriptor that is read.
 */
#ifndef WL_INDEX_FILE_H
#define WL_INDEX_FILE_H

#include "base/file/file.h"
#include "base/memory/vec.h"
#include "index/identity.h"

enum { WL_SECTION_NAME = 32 };

/* One array. */
struct wl_index_section {
	char name[WL_SECTION_NAME]; /* ends in NUL */
	uint64_t offset;
	uint64_t n, size;  /* elements, and bytes of each */
	uint64_t checksum; /* wl_checksum_rows() of all */
};

struct wl_index_file {
	int fd;
	unsigned char
		*copy; /* of the file: zeros, and the arrays that were taken. NULL: not open */
	size_t size;   /* bytes of the file */
	struct wl_vec section; /* the directory: struct wl_index_section */
	struct wl_budget *budget, own;
	size_t taken;   /* bytes of arrays, charged to the budget */
	bool no_memory; /* an array was not taken for lack of it */
};

/*
 * Open the file. layout is what the program makes of its own types and version: a file
 * of another layout, or of another trace, is WL_E_FORMAT with the reason, as is one that
 * is damaged or not to be trusted; WL_E_IO when it cannot be read. Messages do not name
 * the file, and end a sentence that begins with it. Costs the same for any size. Sections
 * that are read are charged to the budget, NULL for none; the file must stay where it is.
 */
int wl_index_file_open(const char *path, uint64_t layout, const struct wl_trace_identity *identity,
		       struct wl_budget *budget, struct wl_index_file *ret,
		       struct wl_err *reterr) WL_MUST_CHECK;
void wl_index_file_close(struct wl_index_file *file); /* accepts a zeroed one */

/*
 * Whether path can be replaced or removed as an index: there is nothing, or a regular file that
 * begins as an index of any version does. Links are not followed. Otherwise WL_E_OUTPUT with the
 * reason; the message names the file.
 */
int wl_index_file_spare(const char *path, struct wl_err *reterr) WL_MUST_CHECK;

/* The array of this name; NULL when there is none with elements of this size. */
const struct wl_index_section *wl_index_section_find(const struct wl_index_file *file,
						     const char *name, size_t size);

/* Where its elements are once it is taken, and zeros before. */
const void *wl_index_section_data(const struct wl_index_file *file,
				  const struct wl_index_section *section);

/*
 * Copy the whole array to its place and compare it with its sum; once for each, because
 * another thread may be using it afterwards. False when it is damaged, cannot be read, or there
 * is no memory.
 */
bool wl_index_section_take(struct wl_index_file *file,
			   const struct wl_index_section *section) WL_MUST_CHECK;

/*
 * The same in parts, for threads: reserve, then read the elements [lo, hi) of each part, and the
 * caller sums them.
 */
bool wl_index_section_reserve(struct wl_index_file *file,
			      const struct wl_index_section *section) WL_MUST_CHECK;
bool wl_index_section_read(const struct wl_index_file *file, const struct wl_index_section *section,
			   size_t lo, size_t hi) WL_MUST_CHECK;

/* Copy the whole array to memory of the caller, and compare it with its sum. */
bool wl_index_section_copy(const struct wl_index_file *file, const struct wl_index_section *section,
			   void *ret) WL_MUST_CHECK;

/* A file under construction. Order of calls: begin; puts; commit or abort. */
struct wl_index_writer {
	struct wl_file file;
	struct wl_budget budget;
	struct wl_vec sections;
	uint64_t at; /* bytes written */
	uint64_t layout;
	struct wl_trace_identity identity;
	struct wl_err failure; /* of a put; sticky */
};

/* WL_E_OUTPUT when the path cannot be written, or holds what is no index. */
int wl_index_writer_begin(struct wl_index_writer *w, const char *path, uint64_t layout,
			  const struct wl_trace_identity *identity,
			  struct wl_err *reterr) WL_MUST_CHECK;

/* Append an array; name must be new and shorter than WL_SECTION_NAME. */
void wl_index_put(struct wl_index_writer *w, const char *name, const void *data, size_t n,
		  size_t size);

/* Ends the writer in any case. */
int wl_index_writer_commit(struct wl_index_writer *w, struct wl_err *reterr) WL_MUST_CHECK;
void wl_index_writer_abort(struct wl_index_writer *w); /* accepts a zeroed one */

#endif
