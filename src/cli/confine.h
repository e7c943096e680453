/* SPDX-License-Identifier: MIT */
/* confine.h - the sandbox of a command: what rights.def and the command line leave it. */
#ifndef WL_CLI_CONFINE_H
#define WL_CLI_CONFINE_H

#include "cli/line/opt.h"

/* Bits of enum wl_may that the command of this name has with any of its options; 0 for analyses and
 * documents. */
unsigned wl_rights_of(const char *verb);

/* Those that it has with the options and operands of this command line. */
unsigned wl_rights_given(const struct wl_invocation *inv);

/*
 * Give up what the command line does not need, before a trace is opened. Waits for
 * wl_confine_exported() where nsys may have to export a report first, and does nothing where
 * WARPLENS_SANDBOX is "off". For main(), once.
 */
void wl_confine(const struct wl_invocation *inv);

/* The trace of this path is a database now. dir holds it where it was exported, or is "". Does what
 * waited when it is the last of the command line. */
void wl_confine_exported(const struct wl_invocation *inv, const char *path, const char *dir);

/* What listens is open, and no other socket is needed: clients can be accepted from here on, only.
 */
void wl_confine_listening(void);

/* "landlock 7, seccomp", "seccomp", "off", "none"; for --stats. */
const char *wl_confine_words(char *buf, size_t size);

#endif
