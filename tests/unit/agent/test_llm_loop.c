/* SPDX-License-Identifier: MIT */
/* The loop against scripted servers of both shapes. */
#include "agent/llm/loop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/llm/shapes.h"
#include "agent/llm/veil.h"
#include "support/llm_server.h"
#include "support/unit.h"

static const struct wl_llm_tool list[] = {
	{ "kernels", "Kernels by time",
	  "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"}}}" },
	{ "fails", "Always fails", "{\"type\":\"object\"}" },
	{ "long", "Says much", "{\"type\":\"object\"}" },
};

/* Calls that were made, as "name args;" one after another. */
static char made[4096];

static int call(void *context, const char *name, const char *arguments, char **ret_text,
		bool *ret_is_error, struct wl_err *reterr)
{
	size_t n = strlen(made);

	(void)context;
	(void)snprintf(made + n, sizeof(made) - n, "%s %s;", name, arguments);
	*ret_is_error = strcmp(name, "fails") == 0;
	if (strcmp(name, "long") == 0) {
		*ret_text = malloc(100001);
		if (*ret_text) {
			for (size_t i = 0; i < 50000; i++)
				memcpy(*ret_text + 2 * i, "\xC3\xA4", 2);
			(*ret_text)[100000] = '\0';
		}
	} else {
		*ret_text = strdup(*ret_is_error ? "no such column; did you mean sum?"
						 : "{\"rows\":[[\"secret_gemm\",5]]}");
	}
	return *ret_text ? WL_OK : wl_fail(reterr, WL_E_NOMEM, "no memory");
}

static const struct wl_llm_tools tools = { .list = list, .n = WL_COUNT(list), .call = call };

struct asked {
	struct wl_arena arena;
	struct wl_llm_run run;
	struct wl_err err;
	int r;
};

static void ask(struct asked *a, const struct wl_llm_shape *shape, const struct llm_turn *turns,
		size_t n, struct wl_llm_opts opts)
{
	*a = (struct asked){ 0 };
	wl_arena_init(&a->arena, 16 << 20);
	a->run.talk.arena = &a->arena;
	made[0] = '\0';
	opts.shape = shape;
	opts.url = "http://127.0.0.1:1/v1/x";
	opts.model = opts.model ? opts.model : "m";
	opts.system = "be exact";
	opts.post = llm_server_post;
	opts.is_hasty = true;
	llm_server_start(turns, n, 0);
	a->r = wl_llm_run(&opts, &tools, "why slow?", &a->run, &a->err);
}

static void end(struct asked *a)
{
	wl_arena_release(&a->arena);
	llm_server_stop();
}

static void expect_in(const char *text, const char *part)
{
	if (!text || !strstr(text, part))
		fail_msg("\"%s\" is not in: %s", part, text ? text : "(nothing)");
}

/* ---- Whole replies ---- */

#define A_CALL(name, input)                                                                        \
	"{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\","        \
	"\"thinking\":\"hm\",\"signature\":\"c2ln\",\"budget\":5},{\"type\":\"tool_use\",\"id\":"  \
	"\"toolu_1\",\"name\":\"" name "\",\"input\":" input "}],\"stop_reason\":\"tool_use\","    \
	"\"usage\":{\"input_tokens\":10,\"output_tokens\":5}}"
#define A_TEXT(text)                                                                               \
	"{\"content\":[{\"type\":\"text\",\"text\":\"" text "\"}],\"stop_reason\":\"end_turn\","   \
	"\"usage\":{\"input_tokens\":20,\"output_tokens\":7,\"cache_read_input_tokens\":3}}"
#define O_CALL(name, args)                                                                         \
	"{\"choices\":[{\"finish_reason\":\"tool_calls\",\"message\":{\"role\":\"assistant\","     \
	"\"content\":null,\"tool_calls\":[{\"id\":\"call_1\",\"type\":\"function\",\"function\":{" \
	"\"name\":\"" name "\",\"arguments\":" args "}}]}}],\"usage\":{\"prompt_tokens\":10,"      \
	"\"completion_tokens\":5}}"
#define O_TEXT(text)                                                                               \
	"{\"choices\":[{\"finish_reason\":\"stop\",\"message\":{\"role\":\"assistant\","           \
	"\"content\":\"" text "\"}}],\"usage\":{\"prompt_tokens\":20,\"completion_tokens\":7}}"

TEST(anthropic_calls_a_tool_and_answers)
{
	static const struct llm_turn turns[] = { { .body = A_CALL("kernels", "{\"n\":3}") },
						 { .body = A_TEXT("Done.") } };
	struct asked a;

	ask(&a, &wl_llm_anthropic, turns, 2, (struct wl_llm_opts){ .key = "k-123" });
	assert_int_equal(a.r, WL_OK);
	assert_string_equal(a.run.answer, "Done.");
	assert_string_equal(made, "kernels {\"n\":3};");
	assert_int_equal(a.run.n_requests, 2);
	assert_int_equal(a.run.n_calls, 1);
	assert_int_equal(a.run.usage.input, 33);
	assert_int_equal(a.run.usage.output, 12);
	expect_in(llm_server.request[0], "x-api-key: k-123\nanthropic-version: 2023-06-01\n");
	expect_in(llm_server.request[0],
		  "\"model\":\"m\",\"max_tokens\":4096,\"system\":\"be exact\"");
	expect_in(llm_server.request[0], "\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":"
					 "\"text\",\"text\":\"why slow?\"}]}]");
	expect_in(llm_server.request[0],
		  "{\"name\":\"kernels\",\"description\":\"Kernels by time\",\"input_schema\":{"
		  "\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"}}}}");
	expect_in(llm_server.request[0], "\"tool_choice\":{\"type\":\"auto\"},\"stream\":false");
	/* The unknown block goes back as it came, the results in one message. */
	expect_in(
		llm_server.request[1],
		"{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"hm\","
		"\"signature\":\"c2ln\",\"budget\":5},{\"type\":\"tool_use\",\"id\":\"toolu_1\","
		"\"name\":\"kernels\",\"input\":{\"n\":3}}]},{\"role\":\"user\",\"content\":[{"
		"\"type\":\"tool_result\",\"tool_use_id\":\"toolu_1\",\"content\":\"{\\\"rows\\\":["
		"[\\\"secret_gemm\\\",5]]}\"}]}");
	end(&a);
}

TEST(openai_calls_a_tool_and_answers)
{
	/* Arguments as a text, and as the object that some servers send. */
	static const struct llm_turn turns[][2] = {
		{ { .body = O_CALL("kernels", "\"{\\\"n\\\":3}\"") }, { .body = O_TEXT("Done.") } },
		{ { .body = O_CALL("kernels", "{\"n\":3}") }, { .body = O_TEXT("Done.") } },
	};

	for (size_t i = 0; i < WL_COUNT(turns); i++) {
		struct asked a;

		ask(&a, &wl_llm_openai, turns[i], 2, (struct wl_llm_opts){ .key = "k-123" });
		assert_int_equal(a.r, WL_OK);
		assert_string_equal(a.run.answer, "Done.");
		assert_string_equal(made, "kernels {\"n\":3};");
		assert_int_equal(a.run.usage.input, 30);
		expect_in(llm_server.request[0], "Authorization: Bearer k-123\n{");
		expect_in(llm_server.request[0],
			  "\"max_tokens\":4096,\"messages\":[{\"role\":\"system\",\"content\":\"be "
			  "exact\"},{\"role\":\"user\",\"content\":\"why "
			  "slow?\"}],\"tools\":[{\"type\":"
			  "\"function\",\"function\":{\"name\":\"kernels\"");
		expect_in(
			llm_server.request[1],
			"{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[{\"id\":\"call_"
			"1\","
			"\"type\":\"function\",\"function\":{\"name\":\"kernels\",\"arguments\":\"{"
			"\\\"n\\\":3}\"}}]},{\"role\":\"tool\",\"tool_call_id\":\"call_1\","
			"\"content\":\"{\\\"rows\\\":[[\\\"secret_gemm\\\",5]]}\"}");
		end(&a);
	}
}

TEST(names_of_limits_follow_the_model)
{
	static const struct llm_turn turn = { .body = O_TEXT("Done.") };
	struct asked a;

	ask(&a, &wl_llm_openai, &turn, 1,
	    (struct wl_llm_opts){ .model = "gpt-5-mini", .reply_tokens = 99 });
	expect_in(llm_server.request[0], "\"max_completion_tokens\":99");
	assert_null(strstr(llm_server.request[0], "Authorization"));
	end(&a);
}

/* ---- Streams ---- */

#define A_BEGIN                                                                                    \
	"event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{"         \
	"\"input_tokens\":10,\"output_tokens\":1}}}\n\nevent: ping\ndata: {\"type\":\"ping\"}\n\n"
#define A_END(reason)                                                                              \
	"data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"" reason "\"},\"usage\":{" \
	"\"output_tokens\":5}}\n\ndata: {\"type\":\"message_stop\"}\n\n"
#define A_START(i, block)                                                                          \
	"data: {\"type\":\"content_block_start\",\"index\":" i ",\"content_block\":" block "}\n\n"
#define A_DELTA(i, delta)                                                                          \
	"data: {\"type\":\"content_block_delta\",\"index\":" i ",\"delta\":" delta "}\n\n"
#define A_STREAM_TEXT                                                                              \
	A_BEGIN A_START("0", "{\"type\":\"text\",\"text\":\"\"}")                                  \
		A_DELTA("0", "{\"type\":\"text_delta\",\"text\":\"Do\"}")                          \
			A_DELTA("0", "{\"type\":\"text_delta\",\"text\":\"ne.\"}")                 \
				A_END("end_turn")

TEST(anthropic_streams)
{
	static const struct llm_turn turns[] = {
		{ .body = A_BEGIN A_START(
			  "0", "{\"type\":\"thinking\",\"thinking\":\"\","
			       "\"signature\":\"\"}") A_DELTA("0", "{\"type\":\"thinking_delta\","
								   "\"thinking\":\"so \"}")
			  A_DELTA("0", "{\"type\":\"thinking_delta\",\"thinking\":"
				       "\"much\"}")
				  A_DELTA("0",
					  "{\"type\":\"signature_delta\",\"signature\":"
					  "\"c2ln\"}") A_START("1",
							       "{\"type\":\"tool_use\",\"id\":"
							       "\"t1\","
							       "\"name\":\"kernels\",\"input\":{}}")
					  A_DELTA("1", "{\"type\":\"input_json_delta\","
						       "\"partial_json\":\"\"}")
						  A_DELTA("1", "{\"type\":\"input_json_delta\","
							       "\"partial_json\":\"{\\\"n\\\"\"}")
							  A_DELTA("1", "{\"type\":\"input_json_"
								       "delta\",\"partial_"
								       "json\":\":3}\"}")
								  A_END("tool_use") },
		{ .body = A_STREAM_TEXT },
	};
	struct asked a;

	ask(&a, &wl_llm_anthropic, turns, 2, (struct wl_llm_opts){ .is_stream = true });
	assert_int_equal(a.r, WL_OK);
	assert_string_equal(a.run.answer, "Done.");
	assert_string_equal(made, "kernels {\"n\":3};");
	assert_int_equal(a.run.usage.input, 20);
	assert_int_equal(a.run.usage.output, 10);
	expect_in(
		llm_server.request[1],
		"{\"type\":\"thinking\",\"thinking\":\"so much\",\"signature\":\"c2ln\"},{\"type\":"
		"\"tool_use\",\"id\":\"t1\",\"name\":\"kernels\",\"input\":{\"n\":3}}");
	end(&a);
}

#define O_PART(delta) "data: {\"choices\":[{\"index\":0,\"delta\":" delta "}]}\n\n"
#define O_END(reason)                                                                              \
	"data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"" reason "\"}]}\n\n"    \
	"data: {\"choices\":[],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":5}}\n\n"      \
	"data: [DONE]\n\n"
#define O_STREAM_TEXT                                                                              \
	O_PART("{\"role\":\"assistant\",\"content\":\"\"}")                                        \
	O_PART("{\"content\":\"Do\"}") O_PART("{\"content\":\"ne.\"}") O_END("stop")

TEST(openai_streams_also_without_ids_and_indexes)
{
	static const struct llm_turn turns[][2] = {
		{ { .body = O_PART(
			    "{\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\"type\":\"function\","
			    "\"function\":{\"name\":\"kernels\",\"arguments\":\"\"}},{\"index\":1,"
			    "\"id\":\"c2\",\"function\":{\"name\":\"fails\"}}]}")
			    O_PART("{\"tool_calls\":[{\"index\":1,\"function\":{\"arguments\":\"{}"
				   "\"}}]}") O_PART("{\"tool_calls\":[{\"index\":0,\"id\":\"c1\","
						    "\"function\":{"
						    "\"arguments\":\"{\\\"n\\\"\"}}]}")
				    O_PART("{\"tool_calls\":[{\"index\":0,\"function\":{\"name\":"
					   "null,\"arguments\":\":3}\"}}]}") O_END("tool_calls") },
		  { .body = O_STREAM_TEXT } },
		{ { .body = O_PART(
			    "{\"tool_calls\":[{\"id\":null,\"function\":{\"name\":\"kernels\","
			    "\"arguments\":\"{\\\"n\\\"\"}}]}")
			    O_PART("{\"tool_calls\":[{\"function\":{\"arguments\":\":3}\"}}]}")
				    O_PART("{\"tool_calls\":[{\"function\":{\"name\":\"fails\","
					   "\"arguments\":\"{}\"}}]}") O_END("stop") },
		  { .body = O_STREAM_TEXT } },
	};

	for (size_t i = 0; i < WL_COUNT(turns); i++) {
		struct asked a;

		ask(&a, &wl_llm_openai, turns[i], 2, (struct wl_llm_opts){ .is_stream = true });
		assert_int_equal(a.r, WL_OK);
		assert_string_equal(a.run.answer, "Done.");
		assert_string_equal(made, "kernels {\"n\":3};fails {};");
		assert_int_equal(a.run.usage.output, 10);
		expect_in(llm_server.request[0], "\"stream_options\":{\"include_usage\":true}");
		expect_in(llm_server.request[1],
			  i == 0 ? "\"tool_call_id\":\"c2\"" : "\"tool_call_id\":\"wl0000002\"");
		assert_null(strstr(llm_server.request[1], "\"id\":null"));
		expect_in(llm_server.request[1], "did you mean sum?");
		end(&a);
	}
}

TEST(a_server_that_does_not_stream_is_understood)
{
	static const struct llm_turn o = { .body = O_TEXT("Done.") };
	static const struct llm_turn t = { .body = A_TEXT("Done.") };
	struct asked a;

	ask(&a, &wl_llm_openai, &o, 1, (struct wl_llm_opts){ .is_stream = true });
	assert_int_equal(a.r, WL_OK);
	end(&a);
	ask(&a, &wl_llm_anthropic, &t, 1, (struct wl_llm_opts){ .is_stream = true });
	assert_int_equal(a.r, WL_OK);
	end(&a);
}

/* ---- What goes wrong ---- */

TEST(broken_replies_are_asked_for_again)
{
	static const struct llm_turn turns[] = {
		{ .body = A_BEGIN A_START("0", "{\"type\":\"text\",\"text\":\"Do\"}") },
		{ .status = 429,
		  .body = "{\"error\":{\"message\":\"slow down\"}}",
		  .retry_after = "1" },
		{ .body = A_STREAM_TEXT },
	};
	struct asked a;

	ask(&a, &wl_llm_anthropic, turns, 3, (struct wl_llm_opts){ .is_stream = true });
	assert_int_equal(a.r, WL_OK);
	assert_string_equal(a.run.answer, "Done.");
	assert_int_equal(a.run.n_requests, 3);
	assert_int_equal(a.run.n_retries, 2);
	assert_true(a.run.waited > 1.3 && a.run.waited < 1.6);
	end(&a);
}

TEST(failures_say_what_happened)
{
	static const struct {
		struct llm_turn turn;
		int r;
		int n_requests;
		const char *words;
	} cases[] = {
		{ { .status = 401, .body = "{\"error\":{\"message\":\"bad key\"}}" },
		  WL_E_USAGE,
		  1,
		  "status 401: bad key; put a key" },
		{ { .status = 400, .body = "<html>" }, WL_E_USAGE, 1, "status 400" },
		{ { .status = 404, .body = "{\"detail\":\"no route\"}" },
		  WL_E_USAGE,
		  1,
		  "--shape" },
		{ { .status = 500, .body = "oops" }, WL_E_IO, 3, "status 500" },
		{ { .status = 429, .body = "{}", .retry_after = "9999" }, WL_E_IO, 1, "429" },
		{ { .body = "data: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\","
			    "\"message\":\"Overloaded\"}}\n\n" },
		  WL_E_FORMAT,
		  3,
		  "reports: Overloaded" },
		{ { .body = "data: {\"type\":\n\n" }, WL_E_FORMAT, 3, "not valid JSON" },
		{ { .body = "data: [1]\n\n" }, WL_E_FORMAT, 3, "no JSON object" },
		{ { .body = "" }, WL_E_FORMAT, 3, "cannot be read" },
		{ { .body = "{\"content\":7}" }, WL_E_FORMAT, 3, "no content" },
		{ { .result = WL_E_IO }, WL_E_IO, 3, "broke" },
		{ { .result = WL_E_CANCELED }, WL_E_CANCELED, 1, "broke" },
		{ { .body = A_BEGIN A_END("end_turn") }, WL_E_NODATA, 1, "said nothing" },
		{ { .body = A_BEGIN A_END("max_tokens") }, WL_E_NODATA, 1, "--max-tokens" },
		{ { .body = A_BEGIN A_END("refusal") }, WL_E_NODATA, 1, "refused" },
		{ { .body = A_BEGIN A_END("model_context_window_exceeded") },
		  WL_E_NODATA,
		  1,
		  "context" },
		{ { .body = A_BEGIN A_END("pause_turn") }, WL_E_NODATA, 11, "goes on" },
	};

	for (size_t i = 0; i < WL_COUNT(cases); i++) {
		struct asked a;

		ask(&a, &wl_llm_anthropic, &cases[i].turn, 1,
		    (struct wl_llm_opts){ .is_stream = true });
		if (a.r != cases[i].r || a.run.n_requests != cases[i].n_requests)
			fail_msg("case %zu: %d after %d requests: %s", i, a.r, a.run.n_requests,
				 a.err.msg);
		expect_in(a.err.msg, cases[i].words);
		end(&a);
	}
}

TEST(odd_calls_get_errors_as_results)
{
	static const struct llm_turn turns[] = {
		{ .body = O_CALL("kernels", "\"{\\\"n\\\":\"") }, /* cut JSON */
		{ .body = O_CALL("kernels", "\"[3]\"") },
		{ .body = O_CALL("rm -rf", "\"{}\"") },
		{ .body = O_CALL("kernels", "\"\"") }, /* none are no arguments */
		{ .body = O_CALL("fails", "null") },
		{ .body = O_TEXT("Done.") },
	};
	struct asked a;

	ask(&a, &wl_llm_openai, turns, WL_COUNT(turns), (struct wl_llm_opts){ 0 });
	assert_int_equal(a.r, WL_OK);
	assert_string_equal(made, "kernels {};fails {};");
	expect_in(llm_server.request[1], "\"arguments\":\"{}\"");
	expect_in(llm_server.request[1], "not a JSON object");
	expect_in(llm_server.request[3], "no such tool");
	end(&a);
}

TEST(endless_calls_are_stopped_at_eight)
{
	static const struct llm_turn a_turn = { .body = A_CALL("kernels", "{}") };
	static const struct llm_turn o_turn = { .body = O_CALL("kernels", "\"{}\"") };
	struct asked a;

	ask(&a, &wl_llm_anthropic, &a_turn, 1, (struct wl_llm_opts){ 0 });
	assert_int_equal(a.r, WL_E_NODATA);
	assert_int_equal(a.run.n_calls, WL_LLM_MAX_CALLS);
	expect_in(a.err.msg, "after 8 calls");
	expect_in(llm_server.request[7], "\"tool_choice\":{\"type\":\"auto\"}");
	expect_in(llm_server.request[8], "\"tool_choice\":{\"type\":\"none\"}");
	expect_in(llm_server.request[9], "no calls are left");
	end(&a);
	ask(&a, &wl_llm_openai, &o_turn, 1, (struct wl_llm_opts){ 0 });
	assert_int_equal(a.r, WL_E_NODATA);
	assert_int_equal(a.run.n_calls, WL_LLM_MAX_CALLS);
	expect_in(llm_server.request[8], "\"tool_choice\":\"none\"");
	end(&a);
}

TEST(results_and_tokens_have_bounds)
{
	static const struct llm_turn turns[] = { { .body = A_CALL("long", "{}") },
						 { .body = A_TEXT("Done.") } };
	struct asked a;
	const struct wl_llm_block *result;

	ask(&a, &wl_llm_anthropic, turns, 2, (struct wl_llm_opts){ 0 });
	assert_int_equal(a.r, WL_OK);
	result = a.run.talk.first->next->next->first;
	assert_int_equal(result->kind, WL_LLM_RESULT);
	assert_true(strlen(result->text) <= WL_LLM_RESULT_BYTES);
	expect_in(result->text, "\xC3\xA4 [cut here");
	end(&a);
	ask(&a, &wl_llm_anthropic, turns, 2, (struct wl_llm_opts){ .all_tokens = 14 });
	assert_int_equal(a.r, WL_E_NODATA);
	expect_in(a.err.msg, "more than 14 tokens");
	end(&a);
}

TEST(a_veil_hides_names_both_ways)
{
	static const struct llm_turn turns[] = {
		{ .body = A_CALL("kernels", "{\"n\":\"name_1\"}") },
		{ .body = A_TEXT("name_1 is slow") },
	};
	struct wl_llm_veil *veil = wl_llm_veil_new();
	struct asked a;

	assert_true(wl_llm_veil_add(veil, "secret_gemm"));
	ask(&a, &wl_llm_anthropic, turns, 2, (struct wl_llm_opts){ .veil = veil });
	assert_int_equal(a.r, WL_OK);
	assert_string_equal(made, "kernels {\"n\":\"secret_gemm\"};");
	assert_null(strstr(llm_server.request[1], "secret"));
	expect_in(llm_server.request[1], "[[\\\"name_1\\\",5]]");
	assert_string_equal(a.run.answer, "name_1 is slow");
	end(&a);
	wl_llm_veil_free(veil);
}

TEST(addresses_become_urls)
{
	static const struct {
		const struct wl_llm_shape *shape;
		const char *base, *url;
	} cases[] = {
		{ &wl_llm_openai, "http://127.0.0.1:8080",
		  "http://127.0.0.1:8080/v1/chat/completions" },
		{ &wl_llm_openai, "http://localhost:11434/v1/",
		  "http://localhost:11434/v1/chat/completions" },
		{ &wl_llm_anthropic, "https://api.anthropic.com",
		  "https://api.anthropic.com/v1/messages" },
		{ &wl_llm_anthropic, "http://[::1]:80/v1/messages", "http://[::1]:80/v1/messages" },
		{ &wl_llm_openai, "http://host.test", NULL },
		{ &wl_llm_openai, "http://127.0.0.1/?key=1", NULL },
		{ &wl_llm_openai, "nonsense", NULL },
	};

	for (size_t i = 0; i < WL_COUNT(cases); i++) {
		char url[WL_LLM_URL_CAP];
		struct wl_err err;
		int r = wl_llm_url(cases[i].shape, cases[i].base, url, &err);

		assert_int_equal(r, cases[i].url ? WL_OK : WL_E_USAGE);
		if (cases[i].url)
			assert_string_equal(url, cases[i].url);
	}
	assert_ptr_equal(wl_llm_shape_of("https://api.anthropic.com"), &wl_llm_anthropic);
	assert_ptr_equal(wl_llm_shape_of("http://127.0.0.1:1/v1/messages/"), &wl_llm_anthropic);
	assert_ptr_equal(wl_llm_shape_of("http://127.0.0.1:1"), &wl_llm_openai);
	assert_ptr_equal(wl_llm_shape_find("openai"), &wl_llm_openai);
	assert_null(wl_llm_shape_find("other"));
}
