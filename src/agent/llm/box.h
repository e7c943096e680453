/* SPDX-License-Identifier: MIT */
/* box.h - the toolbox as a model's tools, and what is known about its columns. */
#ifndef WL_AGENT_LLM_BOX_H
#define WL_AGENT_LLM_BOX_H

#include "agent/check/evidence.h"
#include "agent/llm/run.h"
#include "agent/llm/veil.h"

struct wl_toolbox;

enum { WL_LLM_MAX_TOOLS = 16 };

struct wl_llm_box {
	struct wl_toolbox *box; /* borrowed */
	const atomic_int *cancel;
	struct wl_llm_veil *veil; /* learns names from replies; NULL: no names are hidden */
	/* Adds further names from the open traces; false if memory runs out. May be NULL. */
	bool (*gather)(void *context, struct wl_llm_veil *veil);
	void *context;
	/* Private. */
	struct wl_llm_tool list[WL_LLM_MAX_TOOLS];
	char *schema[WL_LLM_MAX_TOOLS];
	size_t n;
};

/* List the read-only tools. WL_E_NOMEM. Close it in any case. */
int wl_llm_box_open(struct wl_llm_box *b, struct wl_err *reterr) WL_MUST_CHECK;
void wl_llm_box_close(struct wl_llm_box *b); /* accepts a box with only the first fields set */

/* The box as the tools of a question; borrows the box. */
struct wl_llm_tools wl_llm_box_tools(struct wl_llm_box *b);

/* The failure that a reply with is_error describes. */
int wl_llm_box_failure(const char *json, struct wl_err *reterr);

/* The kind of a column by the registry of verbs, for evidence. */
enum wl_column_kind wl_llm_column(const char *verb, const char *key, struct wl_quantity *ret_unit);

/*
 * Whether a tool's results are evidence. Documentation is not: its numbers are not from the trace.
 */
bool wl_llm_is_evidence(const char *tool);

#endif
