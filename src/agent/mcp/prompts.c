/* SPDX-License-Identifier: MIT */
#include "agent/mcp/prompts.h"

#include <string.h>

#include "base/attr.h"

enum { MAX_ARGS = 2 };

struct argument {
	const char *name, *help;
	bool is_needed;
};

/* $1 and $2 in the text stand for the arguments. */
struct prompt {
	const char *name, *title, *help;
	struct argument arg[MAX_ARGS]; /* ends with name == NULL */
	const char *text;
};

static const struct prompt prompts[] = {
	{ "diagnose",
	  "Diagnose a trace",
	  "Find out why a GPU program is slow, with evidence",
	  { { "trace", "Path of the trace", true } },
	  "Find out why the program in the Nsight Systems trace $1 is slow.\n"
	  "1. open_trace with that path. Read what it cannot answer.\n"
	  "2. findings. For the two or three with the largest saving, confirm the evidence with "
	  "analyze (the verb in the column evidence).\n"
	  "3. Report: where the time of a step goes (budget), each cause with its number, unit and "
	  "share, the command that shows it, and what to change. Say which savings are upper "
	  "bounds "
	  "and what was not recorded. Do not report a number that no reply has." },
	{ "compare",
	  "Compare two traces",
	  "Say whether a change made a program faster, and why",
	  { { "before", "Path of the trace before the change", true },
	    { "after", "Path of the trace after it", true } },
	  "Compare the Nsight Systems traces $1 (before) and $2 (after).\n"
	  "1. diff of the two. Its answer has the verdict; noise is accounted for.\n"
	  "2. diff with section kernels, ranges or idle for what changed most.\n"
	  "3. Report: faster, slower or the same, by how much per step, which part accounts for "
	  "it, "
	  "and what stayed. Repeat the caveats of the notes." },
	{ "explain_step",
	  "Explain a step",
	  "What one step of a program does, in order",
	  { { "trace", "Path of the trace", true },
	    { "step", "Number of the step; without it a typical one", false } },
	  "Explain what a step of the program in the Nsight Systems trace $1 does (step: $2; where "
	  "none is given take one from the middle).\n"
	  "1. open_trace; see what a step is. analyze verb=iters for the step's number.\n"
	  "2. With window=iter:N: analyze verb=tree (what ran in which range), kernels, nccl, "
	  "idle.\n"
	  "3. Report in order of time: phases, their length and share, the main kernels of each, "
	  "what overlaps, where the GPU waits and for what." },
};

static const struct prompt *find(const char *name)
{
	for (size_t i = 0; name && i < WL_COUNT(prompts); i++) {
		if (strcmp(prompts[i].name, name) == 0)
			return &prompts[i];
	}
	return NULL;
}

static void put_arguments(struct wl_jsonw *w, const struct prompt *p)
{
	wl_jsonw_open_array(w, "arguments");
	for (size_t i = 0; i < MAX_ARGS && p->arg[i].name; i++) {
		wl_jsonw_begin_object(w);
		wl_jsonw_put_str(w, "name", p->arg[i].name);
		wl_jsonw_put_str(w, "description", p->arg[i].help);
		wl_jsonw_put_bool(w, "required", p->arg[i].is_needed);
		wl_jsonw_end_object(w);
	}
	wl_jsonw_end_array(w);
}

enum wl_mcp_code wl_prompts_list(struct wl_mcp_result *r)
{
	if (wl_result_has_cursor(r))
		return WL_MCP_PARAMS;
	wl_jsonw_open_array(&r->w, "prompts");
	for (size_t i = 0; i < WL_COUNT(prompts); i++) {
		wl_jsonw_begin_object(&r->w);
		wl_jsonw_put_str(&r->w, "name", prompts[i].name);
		wl_jsonw_put_str(&r->w, "title", prompts[i].title);
		wl_jsonw_put_str(&r->w, "description", prompts[i].help);
		put_arguments(&r->w, &prompts[i]);
		wl_jsonw_end_object(&r->w);
	}
	wl_jsonw_end_array(&r->w);
	return WL_MCP_OK;
}

enum { TEXT_BUF = 8192 };

/* Fill the arguments into the text; those that do not fit are cut. */
static void fill(const char *text, const char *const *arg, char buf[TEXT_BUF])
{
	size_t used = 0;

	while (*text && used + 1 < TEXT_BUF) {
		if (text[0] != '$' || (text[1] != '1' && text[1] != '2')) {
			buf[used++] = *text++;
			continue;
		}
		used += (size_t)snprintf(buf + used, TEXT_BUF - used, "%.2000s",
					 arg[text[1] - '1']);
		text += 2;
	}
	buf[used < TEXT_BUF ? used : TEXT_BUF - 1] = '\0';
}

static enum wl_mcp_code take_arguments(struct wl_mcp_result *r, const struct prompt *p,
				       const char *arg[MAX_ARGS])
{
	const struct wl_json *args =
		r->m->params ? wl_json_member(r->m->params, "arguments") : NULL;

	for (size_t i = 0; i < MAX_ARGS; i++) {
		const struct wl_json *v =
			args && p->arg[i].name ? wl_json_member(args, p->arg[i].name) : NULL;

		arg[i] = v && wl_json_string(v) ? wl_json_string(v) : NULL;
		if (!arg[i] && p->arg[i].is_needed) {
			(void)wl_fail(&r->err, WL_E_USAGE, "%s: the argument is missing",
				      p->arg[i].name);
			return WL_MCP_PARAMS;
		}
		if (!arg[i])
			arg[i] = "none given";
	}
	return WL_MCP_OK;
}

enum wl_mcp_code wl_prompts_get(struct wl_mcp_result *r)
{
	const char *name = wl_mcp_param(r->m, "name"), *arg[MAX_ARGS];
	const struct prompt *p = find(name);
	enum wl_mcp_code code;
	char text[TEXT_BUF];

	if (!p) {
		(void)wl_fail(&r->err, WL_E_USAGE, "no prompt \"%.60s\"", name ? name : "");
		return WL_MCP_PARAMS;
	}
	code = take_arguments(r, p, arg);
	if (code != WL_MCP_OK)
		return code;
	fill(p->text, arg, text);
	wl_jsonw_put_str(&r->w, "description", p->help);
	wl_jsonw_open_array(&r->w, "messages");
	wl_jsonw_begin_object(&r->w);
	wl_jsonw_put_str(&r->w, "role", "user");
	wl_jsonw_open_object(&r->w, "content");
	wl_jsonw_put_str(&r->w, "type", "text");
	wl_jsonw_put_str(&r->w, "text", text);
	wl_jsonw_end_object(&r->w);
	wl_jsonw_end_object(&r->w);
	wl_jsonw_end_array(&r->w);
	return WL_MCP_OK;
}
