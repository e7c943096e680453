/* SPDX-License-Identifier: MIT */
/* report.h - the kind of a profiler file, by its bytes and never by its name. */
#ifndef WL_CAPTURE_REPORT_H
#define WL_CAPTURE_REPORT_H

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/err.h"

enum wl_report_kind {
	WL_REPORT_OTHER,  /* none of the below */
	WL_REPORT_EMPTY,  /* zero bytes */
	WL_REPORT_SQLITE, /* a SQLite database; whether nsys wrote it is for the reader to say */
	WL_REPORT_NSYS,   /* .nsys-rep, formerly .qdrep */
	WL_REPORT_STREAM, /* .qdstrm: a capture that no importer has turned into a report */
	WL_REPORT_NCU,    /* .ncu-rep of Nsight Compute */
	WL_REPORT_EXPORT, /* an export of nsys in another format than SQLite */
};

/* Longest version that is kept, with its NUL. */
#define WL_REPORT_VERSION_CAP 32

struct wl_report {
	enum wl_report_kind kind;
	int64_t size;       /* bytes */
	const char *format; /* of an EXPORT: "HDF5"; else NULL */
	/*
	 * The nsys that wrote it, four numbers as in "2025.5.1.121", or "" where
	 * the file does not say. Only for NSYS and STREAM.
	 */
	char version[WL_REPORT_VERSION_CAP];
};

/*
 * Look at a file. Reads its first bytes; for reports from before nsys 2023.3,
 * which have their version in the body, up to 64 MiB more. Never waits: all but a
 * regular file is refused without being opened. A damaged report is still
 * a report.
 *
 * WL_E_IO when there is no such file, it is a directory, pipe or device, or it
 * cannot be read.
 */
int wl_report_identify(const char *path, struct wl_report *ret,
		       struct wl_err *reterr) WL_MUST_CHECK;

/* The length of a path without the ending of a report; 0 where it has no such ending. */
size_t wl_report_stem(const char *path);

/*
 * The answer to a file that is no trace: WL_E_FORMAT, and a message that says
 * what it is instead and what to do. Not for SQLITE and NSYS.
 */
int wl_report_refuse(const char *path, const struct wl_report *report, struct wl_err *reterr);

#endif
