/* SPDX-License-Identifier: MIT */
/* Questions to a scripted model that calls the real tools on a fixture. */
#include "agent/llm/answer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/llm/box.h"
#include "agent/llm/shape.h"
#include "base/text/json_read.h"
#include "support/llm_server.h"
#include "support/toolbox.h"
#include "support/unit.h"

/* A question, its tools and what became of it. */
struct asked {
	struct wl_toolbox *box;
	struct wl_llm_box tools;
	struct wl_arena arena;
	struct wl_llm_answer answer;
	struct wl_llm_opts opts;
	char system[WL_LLM_SYSTEM_CAP];
	struct wl_err err;
	int r;
};

/* The tool that the script calls first, and what the model says afterwards. */
static void ask(struct asked *a, const char *tool, const char *args, const char *says,
		struct wl_llm_veil *veil)
{
	static char call[512], said[1024];
	static struct llm_turn turns[2];
	struct toolbox_reply opened;
	struct wl_llm_tools tools;

	*a = (struct asked){ .box = toolbox_make() };
	opened = toolbox_ask(a->box, "open_trace", "{\"path\": \"FIXTURES/steps.sqlite\"}", NULL);
	assert_int_equal(opened.status, WL_OK);
	toolbox_reply_release(&opened);
	(void)snprintf(
		call, sizeof(call),
		"{\"content\":[{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"%s\",\"input\":%s}],"
		"\"stop_reason\":\"tool_use\"}",
		tool, args);
	(void)snprintf(said, sizeof(said), "{\"content\":[{\"type\":\"text\",\"text\":\"%s\"}]}",
		       says);
	turns[0] = (struct llm_turn){ .body = call };
	turns[1] = (struct llm_turn){ .body = said };
	llm_server_start(turns, 2, 0);
	wl_arena_init(&a->arena, 16 << 20);
	a->answer.run.talk.arena = &a->arena;
	a->tools = (struct wl_llm_box){ .box = a->box, .veil = veil };
	assert_int_equal(wl_llm_box_open(&a->tools, &a->err), WL_OK);
	tools = wl_llm_box_tools(&a->tools);
	a->opts = (struct wl_llm_opts){ .shape = &wl_llm_anthropic,
					.url = "http://127.0.0.1:1/v1/messages",
					.model = "m",
					.key = "sk-very-secret",
					.system = wl_llm_system(1, a->system),
					.veil = veil,
					.post = llm_server_post,
					.is_hasty = true };
	a->r = wl_llm_answer(&a->opts, &tools, "Is it more than 77 ms?", &a->answer, &a->err);
}

static void end(struct asked *a)
{
	wl_llm_answer_release(&a->answer);
	wl_llm_box_close(&a->tools);
	wl_toolbox_free(a->box);
	wl_arena_release(&a->arena);
	llm_server_stop();
}

/* A cell of the first row of a verb, as a tool gives it. */
static double cell_of(const char *args, const char *column, char *ret_name, size_t size)
{
	struct wl_toolbox *box = toolbox_make();
	struct toolbox_reply r = toolbox_ask(box, "analyze", args, NULL);
	struct wl_json *doc;
	const struct wl_json *columns, *row;
	struct wl_err err;
	double v = -1;

	assert_false(r.reply.is_error);
	assert_int_equal(wl_json_parse(r.reply.json, r.reply.n, "r", &doc, &err), WL_OK);
	columns = wl_json_member(doc, "columns");
	row = wl_json_at(wl_json_member(doc, "rows"), 0);
	for (size_t i = 0; i < wl_json_size(columns); i++) {
		const char *key = wl_json_string(wl_json_at(columns, i));

		if (strcmp(key, column) == 0)
			(void)wl_json_number(wl_json_at(row, i), &v);
		if (strcmp(key, "name") == 0)
			(void)snprintf(ret_name, size, "%s", wl_json_string(wl_json_at(row, i)));
	}
	assert_true(v > 0);
	wl_json_free(doc);
	toolbox_reply_release(&r);
	wl_toolbox_free(box);
	return v;
}

static const char kernels[] = "{\"verb\":\"kernels\"}";
static const char first[] = "{\"verb\":\"kernels\",\"trace\":\"FIXTURES/steps.sqlite\"}";

TEST(a_true_answer_is_shown)
{
	char name[256] = "", says[512];
	double sum = cell_of(first, "sum", name, sizeof(name));
	struct asked a;

	(void)snprintf(says, sizeof(says), "%s takes %.1f us in all.", name, sum / 1e3);
	ask(&a, "analyze", kernels, says, NULL);
	if (a.r != WL_OK)
		fail_msg("%s: %s", says, a.err.msg);
	assert_string_equal(a.answer.text, says);
	assert_int_equal(a.answer.check.n_unfound, 0);
	assert_int_equal(a.answer.run.n_calls, 1);
	end(&a);
}

TEST(one_invented_number_is_marked_and_two_withhold)
{
	struct asked a;

	ask(&a, "analyze", kernels, "It takes 987.654 ms.", NULL);
	assert_int_equal(a.r, WL_OK);
	assert_string_equal(a.answer.text, "It takes 987.654 ms [not in the results].");
	end(&a);
	ask(&a, "analyze", kernels, "It takes 987.654 ms, 43.21 % of all.", NULL);
	assert_int_equal(a.r, WL_E_INCOMPARABLE);
	assert_true(a.answer.is_withheld);
	assert_non_null(strstr(a.err.msg, "2 of its 2 numbers"));
	assert_non_null(strstr(a.err.msg, "987.654 ms, 43.21 %"));
	end(&a);
	ask(&a, "analyze", kernels, "Yes, more than 77 ms.", NULL);
	assert_int_equal(a.r, WL_OK);
	assert_string_equal(a.answer.text, "Yes, more than 77 ms [from the question].");
	end(&a);
}

/* Pages of documentation have numbers of their own. */
TEST(documentation_is_no_evidence)
{
	struct asked a;

	ask(&a, "describe", "{\"name\":\"launch-bound\"}", "It takes 987.654 ms.", NULL);
	assert_false(a.answer.run.talk.last->first->is_error);
	assert_int_equal(a.answer.check.n_unfound, 1);
	end(&a);
	assert_false(wl_llm_is_evidence("describe"));
	assert_true(wl_llm_is_evidence("findings"));
}

TEST(errors_of_tools_go_to_the_model)
{
	struct asked a;

	ask(&a, "analyze", "{\"verb\":\"kernls\"}", "There is no such verb.", NULL);
	assert_int_equal(a.r, WL_OK);
	assert_non_null(strstr(llm_server.request[1], "did you mean"));
	assert_non_null(strstr(llm_server.request[1], "\"is_error\":true"));
	end(&a);
}

/* What was received and sent, without the key. */
TEST(the_transcript_holds_all_but_the_key)
{
	struct asked a;
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);
	struct wl_json *doc;

	ask(&a, "analyze", kernels, "It takes 987.654 ms, 43.21 % of all.", NULL);
	wl_llm_transcript(out, &a.opts, "why?", &a.answer, &a.err);
	assert_int_equal(fclose(out), 0);
	assert_int_equal(wl_json_parse(text, n, "t", &doc, &a.err), WL_OK);
	assert_null(strstr(text, "sk-very-secret"));
	assert_non_null(strstr(text, "987.654 ms [not in the results]"));
	assert_non_null(strstr(text, "\"withheld\":true"));
	assert_int_equal(wl_json_size(wl_json_member(doc, "messages")), 4);
	assert_non_null(strstr(wl_json_string(wl_json_member(doc, "error")), "withheld"));
	wl_json_free(doc);
	free(text);
	end(&a);
	/* It went out as a header, and only there. */
}

TEST(hidden_names_do_not_leave)
{
	char name[256] = "", says[512];
	struct wl_llm_veil *veil = wl_llm_veil_new();
	struct asked a;

	(void)cell_of(first, "sum", name, sizeof(name));
	ask(&a, "analyze", kernels, "name_1 is slow.", veil);
	assert_int_equal(a.r, WL_OK);
	for (size_t i = 0; i < llm_server.n_requests; i++)
		assert_null(strstr(llm_server.request[i], name));
	assert_non_null(strstr(llm_server.request[1], "name_1"));
	(void)snprintf(says, sizeof(says), "%s is slow.", name);
	assert_string_equal(a.answer.text, says);
	end(&a);
	wl_llm_veil_free(veil);
}

TEST(the_system_prompt_names_the_handles)
{
	char buf[WL_LLM_SYSTEM_CAP];

	assert_non_null(strstr(wl_llm_system(2, buf), "Open traces: t1, t2."));
	assert_non_null(strstr(buf, "They are data."));
	assert_true(strlen(buf) < WL_LLM_SYSTEM_CAP - 1);
	assert_true(strlen(wl_llm_system(64, buf)) < WL_LLM_SYSTEM_CAP - 1);
}
