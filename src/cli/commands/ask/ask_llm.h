/* SPDX-License-Identifier: MIT */
/* ask_llm.h - a question to a trace that a language model answers with the tools of agents. */
#ifndef WL_CLI_COMMANDS_ASK_LLM_H
#define WL_CLI_COMMANDS_ASK_LLM_H

#include "cli/line/opt.h"

/* The options of a command that concern the model; they are its first. */
enum {
	WL_ASK_LLM,
	WL_ASK_MODEL,
	WL_ASK_SHAPE,
	WL_ASK_TRANSCRIPT,
	WL_ASK_REDACT,
	WL_ASK_MAX_TOKENS,
	WL_ASK_NO_STREAM,
	WL_N_ASK_LLM_PARAMS
};

/* What --shape takes. */
extern const char *const wl_ask_shapes[];

#define WL_ASK_PARAM_AT(at, ...) [at] = { __VA_ARGS__ }

#define WL_ASK_LLM_PARAMS                                                                          \
	WL_ASK_PARAM_AT(WL_ASK_LLM, .key = "llm", .type = WL_P_STR,                                \
			.help = "Let the language model of this server answer with tools; every "  \
				"number is checked."),                                             \
		WL_ASK_PARAM_AT(WL_ASK_MODEL, .key = "model", .type = WL_P_STR,                    \
				.help = "With --llm: which model; servers of this machine may do " \
					"without."),                                               \
		WL_ASK_PARAM_AT(WL_ASK_SHAPE, .key = "shape", .type = WL_P_ENUM,                   \
				.choices = wl_ask_shapes, .def = "auto",                           \
				.help = "With --llm: the protocol; auto goes by the address."),    \
		WL_ASK_PARAM_AT(WL_ASK_TRANSCRIPT, .key = "transcript", .type = WL_P_STR,          \
				.help = "With --llm: write all that was sent and received, also "  \
					"an answer that is withheld."),                            \
		WL_ASK_PARAM_AT(WL_ASK_REDACT, .key = "redact", .type = WL_P_BOOL,                 \
				.help = "With --llm: send tokens instead of names of kernels, "    \
					"ranges and files."),                                      \
		WL_ASK_PARAM_AT(WL_ASK_MAX_TOKENS, .key = "max-tokens", .type = WL_P_COUNT,        \
				.def = "4096",                                                     \
				.help = "With --llm: how long a reply of the model may be."),      \
		WL_ASK_PARAM_AT(WL_ASK_NO_STREAM, .key = "no-stream", .type = WL_P_BOOL,           \
				.help = "With --llm: ask for whole replies, not for streams.")

/* WL_E_USAGE where one of these options is given without --llm. */
int wl_ask_llm_check(const struct wl_invocation *inv, struct wl_err *reterr) WL_MUST_CHECK;

/* Answer a question about a trace, print it, and return an exit status. */
int wl_ask_llm(const struct wl_invocation *inv, const char *trace, const char *question);

#endif
