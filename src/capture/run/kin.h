/* SPDX-License-Identifier: MIT */
/*
 * kin.h - our descendants: which of them are the profiler's processes and which the program's.
 *
 * nsys 2023.4 runs as four: nsys itself, an agent in a session of its own, a launcher below nsys
 * and a tee beside the program below the launcher.
 */
#ifndef WL_CAPTURE_RUN_KIN_H
#define WL_CAPTURE_RUN_KIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What the process is that we started. */
enum wl_kin_main {
	WL_KIN_MAIN_TOOL,     /* the profiler; the program is below it */
	WL_KIN_MAIN_LAUNCHER, /* mpirun, podman; profilers are below it, and programs below them */
	WL_KIN_MAIN_PROGRAM,  /* the program without a profiler */
};

struct wl_kin {
	pid_t pid, parent;
	int64_t start;   /* clock ticks since the system was started */
	bool is_dead;    /* and not yet reaped */
	bool is_ending;  /* has no file any more, and is not yet dead */
	bool is_tool;    /* of the profiler, by the name of its file */
	bool is_program; /* alive, and below a tool, or adopted by us */
};

/* Zeroed: nothing is known. */
struct wl_kinship {
	struct wl_kin *kin; /* by pid */
	size_t n, cap;
};

/* Look at all processes. False without memory or /proc; then there are none. */
bool wl_kinship_look(struct wl_kinship *k, pid_t main, enum wl_kin_main kind);
void wl_kinship_release(struct wl_kinship *k);

const struct wl_kin *wl_kin_find(const struct wl_kinship *k, pid_t pid); /* NULL: gone */

/* Programs that live; tools besides main that do, and whatever is ending. */
size_t wl_kin_count_programs(const struct wl_kinship *k);
size_t wl_kin_count_others(const struct wl_kinship *k, pid_t main);

/* Send a signal to all programs, or to all processes. */
void wl_kin_signal_programs(const struct wl_kinship *k, int number);
void wl_kin_signal_all(const struct wl_kinship *k, int number);

/* A program has libcuda.so mapped. */
bool wl_kin_has_cuda(const struct wl_kinship *k);

/*
 * A path such as /opt/nvidia/nsight-systems/2024.1/target-linux-x64/nsys is of a profiler. Below a
 * launcher what runs containers is a tool as well: /usr/bin/conmon.
 */
bool wl_kin_is_tool_path(const char *path, enum wl_kin_main kind);

#endif
