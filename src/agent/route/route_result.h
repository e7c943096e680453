/* SPDX-License-Identifier: MIT */
/* route_result.h - the router's result for a question. */
#ifndef WL_AGENT_ROUTE_ROUTE_RESULT_H
#define WL_AGENT_ROUTE_ROUTE_RESULT_H

#include <stdbool.h>
#include <stddef.h>

enum wl_route_kind {
	WL_ROUTE_ABSTAINS, /* not sure; near has the nearest verbs */
	WL_ROUTE_VERB,     /* verb, operand and args answer the question */
	WL_ROUTE_REFUSED,  /* no trace can answer; reason says why and where to look instead */
};

/* What a short question asks for; the answer says it first. See asked_figure.c. */
enum wl_asked_for {
	WL_ASKED_NOTHING,
	WL_ASKED_EXPOSED,   /* a figure */
	WL_ASKED_STRAGGLER, /* the others ask for yes or no */
	WL_ASKED_OVERLAPPED,
	WL_ASKED_COMPUTE_BOUND,
	WL_ASKED_COMM_BOUND,
	WL_ASKED_COPY_BOUND,
	WL_ASKED_LAUNCH_BOUND,
	WL_ASKED_HOST_BOUND,
	WL_ASKED_LOADER,
	WL_ASKED_TENSOR,
	WL_ASKED_GRAPHS,
	WL_ASKED_PINNED,
	WL_ASKED_GROWING,
	WL_ASKED_MISSING,
	WL_ASKED_FASTER,
	WL_ASKED_BALANCED,
	WL_ASKED_STARVED,
};

enum { WL_ROUTE_ARGS = 16, WL_ROUTE_NEAR = 3, WL_ROUTE_TEXT = 2048 };

/* Must not be copied: pointers are to constants or into text. */
struct wl_route_result {
	enum wl_route_kind kind;
	const char *verb;    /* verb: the name of an analysis, a document or a command */
	const char *operand; /* goes before the trace (search) or replaces it (explain) */
	/* Options as on a command line, such as "--gpu", "2"; in order. */
	const char *arg[WL_ROUTE_ARGS];
	size_t n_args;
	const char *ranks; /* ranks of an option, separated by commas: not all traces have ranks */
	double score;      /* 0 to 1: the share of the verb, or of all topics */
	enum wl_asked_for asked;
	bool is_sample;     /* one step stands for all, because the question says "per step" */
	const char *unused; /* what the question says but the command ignores; NULL: nothing */
	const char *reason; /* of WL_ROUTE_REFUSED: continues "a trace does not contain this:" */
	/* Verbs by share, the best first; NULL past the last. */
	const char *near[WL_ROUTE_NEAR];
	char text[WL_ROUTE_TEXT];
	size_t used; /* of text */
};

#endif
