/* SPDX-License-Identifier: MIT */
/*
 * draft.h - a model's reply as it arrives, whole or in events.
 *
 * A shape (shape.h) fills it; wl_llm_draft_finish() makes it the next message of the conversation.
 */
#ifndef WL_AGENT_LLM_DRAFT_H
#define WL_AGENT_LLM_DRAFT_H

#include "agent/llm/talk.h"
#include "base/err.h"
#include "base/text/json_read.h"
#include "base/text/text.h"

enum { WL_LLM_MAX_PIECES = 64, WL_LLM_MAX_GROWN = 4, WL_LLM_ERROR_CAP = 240 };

/* A member of a block of unknown kind that arrives in parts. */
struct wl_llm_grown {
	char name[32];
	struct wl_text text;
};

/* A block under construction. */
struct wl_llm_piece {
	enum wl_llm_block_kind kind;
	int64_t index; /* its number on the wire */
	struct wl_text id, name, text;
	char *start; /* the JSON that a block of kind OTHER began with */
	struct wl_llm_grown grown[WL_LLM_MAX_GROWN];
	size_t n_grown;
};

/* Zeroed initially. */
struct wl_llm_draft {
	struct wl_llm_piece piece[WL_LLM_MAX_PIECES];
	size_t n;
	enum wl_llm_stop stop;
	struct wl_llm_usage usage;
	bool is_done;                    /* the reply said that it is complete */
	bool failed;                     /* too many blocks, or out of memory */
	char error[WL_LLM_ERROR_CAP];    /* an error from the server that ended the reply; "" */
	char nonsense[WL_LLM_ERROR_CAP]; /* why the reply cannot be understood; "" */
};

void wl_llm_draft_release(struct wl_llm_draft *d); /* accepts a zeroed draft */

/* The piece of this kind and index, added if missing; NULL and failed set if there is no room. */
struct wl_llm_piece *wl_llm_draft_at(struct wl_llm_draft *d, enum wl_llm_block_kind kind,
				     int64_t index);

/* The piece with this index, of any kind; NULL if there is none. */
struct wl_llm_piece *wl_llm_draft_find(struct wl_llm_draft *d, int64_t index);

/* Remember the block that a piece of kind OTHER began with. */
void wl_llm_draft_start(struct wl_llm_draft *d, struct wl_llm_piece *p,
			const struct wl_json *block);

/* Append the texts of a delta to the members of the same names. */
void wl_llm_draft_grow(struct wl_llm_draft *d, struct wl_llm_piece *p, const struct wl_json *delta);

/* Remember a server error, from {"error": {"message": ...}} and its variants. */
void wl_llm_draft_error(struct wl_llm_draft *d, const struct wl_json *reply);

/*
 * Append the reply to the conversation as its next message. Calls without an identifier get one;
 * arguments that are not a JSON object become "{}" and set is_broken. WL_E_FORMAT if the reply is
 * an error, ended early or makes no sense; WL_E_NOMEM.
 */
int wl_llm_draft_finish(struct wl_llm_draft *d, struct wl_llm_talk *talk, struct wl_llm_reply *ret,
			struct wl_err *reterr) WL_MUST_CHECK;

#endif
