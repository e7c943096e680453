/* SPDX-License-Identifier: MIT */
/*
 * talk.h - a conversation with a model, independent of the wire format: messages made of blocks.
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
	WL_LLM_OTHER,  /* text = the block as JSON, sent back unchanged */
};

struct wl_llm_block {
	enum wl_llm_block_kind kind;
	bool is_error;  /* of a result */
	bool is_broken; /* of a call: the arguments were not a JSON object; text is "{}" */
	const char *id; /* never NULL or "" in calls and results */
	const char *name;
	const char *text;
	struct wl_llm_block *next;
};

struct wl_llm_message {
	bool is_model; /* from the model; else from us */
	struct wl_llm_block *first, *last;
	struct wl_llm_message *next;
};

struct wl_llm_talk {
	struct wl_arena *arena;
	struct wl_llm_message *first, *last;
	unsigned n_ids; /* number of identifiers made up */
};

/* Append; NULL if memory runs out. The texts are copied; NULL stays NULL. */
struct wl_llm_message *wl_llm_talk_add(struct wl_llm_talk *talk, bool is_model) WL_MUST_CHECK;
struct wl_llm_block *wl_llm_message_add(struct wl_llm_talk *talk, struct wl_llm_message *m,
					const struct wl_llm_block *block) WL_MUST_CHECK;

enum { WL_LLM_ID_SIZE = 10 };

/*
 * Make an identifier for a call that came without one: nine letters and digits, as some templates
 * require.
 */
void wl_llm_make_id(struct wl_llm_talk *talk, char ret[WL_LLM_ID_SIZE]);

/* Why a reply ended. */
enum wl_llm_stop {
	WL_LLM_ENDED,   /* finished, or wants tools: see the blocks */
	WL_LLM_LENGTH,  /* cut off at the token limit */
	WL_LLM_PAUSED,  /* will continue when the conversation is sent again */
	WL_LLM_REFUSED, /* by the provider's filter */
	WL_LLM_FULL,    /* the conversation does not fit into the model's context */
};

struct wl_llm_usage {
	int64_t input, output; /* tokens, including cached ones */
};

/* A reply; its message is the last in the conversation. */
struct wl_llm_reply {
	const struct wl_llm_message *message;
	enum wl_llm_stop stop;
	struct wl_llm_usage usage;
};

#endif
