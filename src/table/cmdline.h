/* SPDX-License-Identifier: MIT */
/*
 * cmdline.h - a command of this program that an answer suggests.
 *
 * It is a value, and its text is made from it: no text is searched for a command, because notes and
 * cells quote names of the trace. Its maker does not know the path of the trace.
 */
#ifndef WL_TABLE_CMDLINE_H
#define WL_TABLE_CMDLINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory/arena.h"

/* What stands for the trace as long as its path is not known. */
#define WL_CMDLINE_TRACE "TRACE"

enum wl_cmdline_gpus {
	WL_GPUS_AS_ASKED, /* none of its own */
	WL_GPUS_ONE,      /* gpu[0] */
	WL_GPUS_BOTH,     /* gpu[0] beside gpu[1] */
	WL_GPUS_RANGE,    /* gpu[0] to gpu[1] */
};

/* {"by", "detail"} is --by detail, {"n", "1"} is -n 1, {"all", NULL} the switch --all. */
struct wl_cmdline_option {
	const char *name;  /* NULL ends a list */
	const char *value; /* as it is, without quotes */
};

enum { WL_CMDLINE_OPTIONS = 3 };

/* Zeroed: no command. Without a verb the options are for the question that is answered. */
struct wl_cmdline {
	const char *verb;
	struct wl_cmdline_option option[WL_CMDLINE_OPTIONS]; /* but --gpu and --window */
	enum wl_cmdline_gpus gpus;                           /* --gpu */
	bool has_steps;                                      /* --window iter:FIRST..LAST */
	uint32_t gpu[2];
	uint32_t step[2]; /* first and last */
};

/* What the answer was asked with, and so is its command as far as it has nothing of its own. */
struct wl_cmdline_given {
	const char *gpu, *pid, *rank, *stream, *window, *marker, *conventions; /* or NULL */
	const char *trace; /* of facts: the trace that they are of, which is asked; else NULL */
};

/* What an answer that speaks of steps is asked with, where they are not the ones meant. */
extern const struct wl_cmdline wl_cmdline_marker;

/* The same command on a single GPU. */
static inline struct wl_cmdline wl_cmdline_on(struct wl_cmdline command, uint32_t gpu)
{
	command.gpus = WL_GPUS_ONE;
	command.gpu[0] = gpu;
	return command;
}

/*
 * "warplens idle run.sqlite --by detail --gpu 0 --window iter:1..18", or "--by detail" without a
 * verb. trace is what stands for the
 * trace, quoted, with options that hold for all commands of an answer. NULL without memory.
 */
const char *wl_cmdline_text(const struct wl_cmdline *command, const char *trace,
			    struct wl_arena *arena);

/* The values of --gpu ("0,1") and --window ("iter:1..18"); false where it has none of its own. */
enum { WL_CMDLINE_PLACE = 64 };
bool wl_cmdline_gpus(const struct wl_cmdline *command, char buf[WL_CMDLINE_PLACE]);
bool wl_cmdline_steps(const struct wl_cmdline *command, char buf[WL_CMDLINE_PLACE]);

#endif
