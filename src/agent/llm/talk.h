/* SPDX-License-Identifier: MIT */
/*
 * talk.h - a conversation with a model, in no wire shape: messages made of blocks.
 *
 * All texts belong to the arena of the conversation.
 */
#ifndef WL_AGENT_LLM_TALK_H
#define WL_AGENT_LLM_TALK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/memory/arena.h"

enum wl_llm_block_kind {
	WL_LLM_TEXT,   /* text */
	WL_LLM_CALL,   /* of a tool: id, name, text = arguments as JSON */
	WL_LLM_RESULT, /* of a call: id, text, is_error */
	WL_LLM_OTHER,  /* text = the block as JSON, which goes back as it came */
};

struct wl_llm_block {
	enum wl_llm_block_kind kind;
	bool is_error;  /* of a result */
	bool is_broken; /* of a call: the arguments are no JSON object, and text is "{}" */
	const char *id; /* never NULL or "" in calls and results */
	const char *name;
	const char *text;
	struct wl_llm_block *next;
};

struct wl_llm_message {
	bool is_model; /* by the model; else by us */
	struct wl_llm_block *first, *last;
	struct wl_llm_message *next;
};

struct wl_llm_talk {
	struct wl_arena *arena;
	struct wl_llm_message *first, *last;
	unsigned n_ids; /* identifiers that were made up */
};

/* Append; NULL without memory. The texts are copied, NULL stays NULL. */
struct wl_llm_message *wl_llm_talk_add(struct wl_llm_talk *talk, bool is_model) WL_MUST_CHECK;
struct wl_llm_block *wl_llm_message_add(struct wl_llm_talk *talk, struct wl_llm_message *m,
					const struct wl_llm_block *block) WL_MUST_CHECK;

enum { WL_LLM_ID_SIZE = 10 };

/*
 * An identifier for a call that came without one. Nine letters and digits, which is what some
 * templates ask for.
 */
void wl_llm_make_id(struct wl_llm_talk *talk, char ret[WL_LLM_ID_SIZE]);

/* Why a reply ended. */
enum wl_llm_stop {
	WL_LLM_ENDED,   /* said everything, or wants tools: the blocks tell */
	WL_LLM_LENGTH,  /* cut at the limit of tokens */
	WL_LLM_PAUSED,  /* wants to go on when the conversation is sent again */
	WL_LLM_REFUSED, /* by the provider's filter */
	WL_LLM_FULL,    /* the conversation does not fit into the model's context */
};

struct wl_llm_usage {
	int64_t input, output; /* tokens, those of caches included */
};

/* A reply: its message is the last of the conversation. */
struct wl_llm_reply {
	const struct wl_llm_message *message;
	enum wl_llm_stop stop;
	struct wl_llm_usage usage;
};

#endif
