/* SPDX-License-Identifier: MIT */
/*
 * fuzz_llm_reply.c - the bytes are what a model's server sends, and what a model says.
 *
 * The first byte chooses the shape, a stream or a whole reply, and the size of the pieces. A reply
 * is a message or refused with a reason; in whatever pieces it arrives, it is the same. As an
 * answer, the text is checked against itself as a tool's result; the check of what it returns,
 * marks left out, finds no fewer numbers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/check/numbers.h"
#include "agent/llm/shape.h"
#include "agent/llm/sse.h"
#include "fuzz/fuzz.h"

enum { MEMORY = 64 << 20, MAX_BYTES = 1 << 16 };

static void need(bool promised)
{
	if (!promised)
		abort();
}

struct taking {
	const struct wl_llm_shape *shape;
	struct wl_llm_draft *draft;
};

static bool on_event(void *context, const char *name, const char *data, size_t n)
{
	struct taking *t = context;

	(void)name;
	return wl_llm_take_event(t->shape, t->draft, data, n);
}

static const struct wl_llm_tool tool = { "k", "a tool", "{\"type\":\"object\"}" };

/* A result for each call, as a program has it; every other one is an error. */
static void answer_calls(struct wl_llm_talk *talk, const struct wl_llm_message *said)
{
	struct wl_llm_message *ours = wl_llm_talk_add(talk, false);
	bool is_error = false;

	need(ours &&
	     wl_llm_message_add(talk, ours,
				&(struct wl_llm_block){ .kind = WL_LLM_TEXT, .text = "go on" }));
	for (const struct wl_llm_block *b = said->first; b; b = b->next) {
		const struct wl_llm_block result = {
			.kind = WL_LLM_RESULT, .id = b->id, .text = "1", .is_error = is_error
		};

		if (b->kind != WL_LLM_CALL)
			continue;
		need(wl_llm_message_add(talk, ours, &result) != NULL);
		is_error = !is_error;
	}
}

/* The reply as a request would send it back; "" where it is refused. The caller's to free(). */
static char *read_reply(const struct wl_llm_shape *shape, const char *bytes, size_t n, size_t piece)
{
	struct wl_llm_draft *draft = calloc(1, sizeof(*draft));
	struct taking taking = { shape, draft };
	struct wl_sse sse = { .event = on_event, .context = &taking };
	struct wl_arena arena;
	struct wl_llm_talk talk = { .arena = &arena };
	struct wl_llm_reply reply;
	struct wl_err err = { .code = WL_OK };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct wl_jsonw w;

	need(draft && out);
	wl_arena_init(&arena, MEMORY);
	for (size_t at = 0; piece && at < n; at += piece) {
		if (!wl_sse_take(&sse, bytes + at, n - at < piece ? n - at : piece))
			break;
	}
	if (!piece)
		wl_llm_take_whole(shape, draft, bytes, n);
	if (wl_llm_draft_finish(draft, &talk, &reply, &err) == WL_OK) {
		const struct wl_llm_request request = { .talk = &talk,
							.model = "m",
							.system = "s",
							.tools = &tool,
							.n_tools = 1,
							.is_stream = true,
							.must_answer = n % 2,
							.max_tokens = 1 };

		answer_calls(&talk, reply.message);
		wl_jsonw_init(&w, out);
		need(shape->write(&request, &w));
	} else {
		need(err.msg[0] != '\0');
	}
	need(fclose(out) == 0);
	wl_llm_draft_release(draft);
	free(draft);
	wl_sse_release(&sse);
	wl_arena_release(&arena);
	return text;
}

static void check_answer(const char *text)
{
	struct wl_evidence e = { 0 };
	struct wl_numbers_check once, twice;
	struct wl_err err;

	wl_evidence_ask(&e, "which 3 take 5 ms?");
	wl_evidence_add(&e, text);
	need(wl_numbers_check(&e, text, &once, &err) == WL_OK);
	need(once.n_unfound + once.n_asked <= once.n_numbers);
	/* What was cleaned is clean. */
	need(wl_numbers_check(&e, once.text, &twice, &err) == WL_OK);
	need(twice.n_numbers >= once.n_unfound);
	free(once.text);
	free(twice.text);
	wl_evidence_release(&e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct wl_llm_shape *shape;
	char *bytes, *a, *b;
	size_t piece;

	if (size < 2 || size > MAX_BYTES)
		return 0;
	shape = data[0] & 1 ? &wl_llm_anthropic : &wl_llm_openai;
	piece = data[0] & 2 ? (size_t)data[0] / 4 + 1 : 0;
	bytes = malloc(size);
	need(bytes != NULL);
	memcpy(bytes, data + 1, size - 1);
	bytes[size - 1] = '\0';
	a = read_reply(shape, bytes, size - 1, piece);
	b = read_reply(shape, bytes, size - 1, piece ? size : 0);
	need(strcmp(a, b) == 0);
	free(a);
	free(b);
	check_answer(bytes);
	free(bytes);
	return 0;
}
