/* SPDX-License-Identifier: MIT */
/* os_calls.h - the kinds of functions of the operating system, by their names (os_calls.def). */
#ifndef WL_KNOWN_OS_CALLS_H
#define WL_KNOWN_OS_CALLS_H

enum wl_os_class {
	WL_OS_OTHER,
	WL_OS_WAITS,  /* sleeps until another thread, a process, a peer or a signal acts */
	WL_OS_LOCKS,  /* sleeps until a lock is free */
	WL_OS_SLEEPS, /* sleeps for a given time */
	WL_OS_READS,  /* reads a file, a pipe or a stream */
	WL_OS_WRITES, /* writes or flushes one */
	WL_N_OS_CLASSES
};

/* By the whole name: "pthread_mutex_unlock" is not "pthread_mutex_lock". Logarithmic in the table.
 */
enum wl_os_class wl_os_class_of(const char *function);

#endif
