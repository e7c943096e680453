/* SPDX-License-Identifier: MIT */
/* What the protocol answers to each kind of message, of both eras. */
#include "agent/mcp/protocol.h"

#include <stdlib.h>
#include <string.h>

#include "support/toolbox.h"
#include "support/unit.h"

#define META                                                                                       \
	"\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                   \
	"\"io.modelcontextprotocol/clientCapabilities\":{}}"

/* A message, the code of its answer, and words that the answer has. */
struct row {
	const char *message;
	enum wl_mcp_code code;
	const char *words;
};

static char *answer(const char *text, enum wl_mcp_code *ret_code)
{
	struct wl_toolbox *box = toolbox_make();
	const struct wl_mcp mcp = { .box = box, .version = "0" };
	const struct wl_call how = { .cancel = NULL };
	struct wl_mcp_message m;
	struct wl_err err;
	char *out = NULL;
	size_t n = 0;
	FILE *file = open_memstream(&out, &n);

	assert_non_null(box);
	assert_non_null(file);
	*ret_code = wl_mcp_message_read(&m, text, strlen(text), &err);
	if (*ret_code != WL_MCP_OK)
		wl_mcp_put_error(file, &m.id, *ret_code, err.msg, NULL);
	else if (m.kind == WL_MCP_REQUEST)
		*ret_code = wl_mcp_answer(&mcp, &m, &how, file).code;
	wl_mcp_message_release(&m);
	(void)fclose(file);
	wl_toolbox_free(box);
	return out;
}

static void expect_rows(const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		enum wl_mcp_code code;
		char *said = answer(rows[i].message, &code), *end;
		char error[32];

		(void)snprintf(error, sizeof(error), "\"code\":%d", (int)rows[i].code);
		if (code != rows[i].code || !strstr(said, rows[i].words) ||
		    (code != WL_MCP_OK && !strstr(said, error)))
			fail_msg("%s: %d %s", rows[i].message, (int)code, said);
		/* One line. */
		end = strchr(said, '\n');
		assert_true(!end || end[1] == '\0');
		free(said);
	}
}

TEST(malformed_messages_are_refused)
{
	static const struct row rows[] = {
		{ "", WL_MCP_PARSE, "\"id\":null" },
		{ "{", WL_MCP_PARSE, "\"id\":null" },
		{ "{\"jsonrpc\":\"2.0\",\"jsonrpc\":\"2.0\"}", WL_MCP_PARSE, "null" },
		{ "7", WL_MCP_INVALID, "object" },
		{ "[]", WL_MCP_INVALID, "one message at a time" },
		{ "{\"id\":1,\"method\":\"ping\"}", WL_MCP_INVALID, "\"id\":1" },
		{ "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}", WL_MCP_INVALID, "2.0" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", WL_MCP_INVALID, "id" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}", WL_MCP_INVALID, "id" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}", WL_MCP_INVALID, "id" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}", WL_MCP_INVALID, "method" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1}", WL_MCP_INVALID, "method" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":[]}", WL_MCP_PARAMS,
		  "params" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"_meta\":3}}",
		  WL_MCP_PARAMS, "_meta" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"no/such\"}", WL_MCP_METHOD,
		  "\"id\":\"a\"" },
	};

	expect_rows(rows, sizeof(rows) / sizeof(rows[0]));
}

TEST(the_old_era_begins_with_initialize)
{
#define OLD(method, params)                                                                        \
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" method "\",\"params\":{" params "}}"
	static const struct row rows[] = {
		{ OLD("initialize", "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{}"),
		  WL_MCP_OK, "\"protocolVersion\":\"2025-11-25\"" },
		{ OLD("initialize", "\"protocolVersion\":\"2024-11-05\""), WL_MCP_OK,
		  "\"protocolVersion\":\"2024-11-05\"" },
		/* Never an error: the newest that both may know. */
		{ OLD("initialize", "\"protocolVersion\":\"2031-01-01\""), WL_MCP_OK,
		  "\"protocolVersion\":\"2025-11-25\"" },
		{ OLD("initialize", ""), WL_MCP_PARAMS, "protocolVersion" },
		{ OLD("ping", ""), WL_MCP_OK, "\"result\":{}" },
		{ OLD("server/discover", ""), WL_MCP_PARAMS, "protocolVersion" },
		{ OLD("tools/list", ""), WL_MCP_OK, "\"readOnlyHint\":true" },
		{ OLD("tools/list", "\"cursor\":\"x\""), WL_MCP_PARAMS, "cursor" },
		{ OLD("tools/call", ""), WL_MCP_PARAMS, "name" },
		{ OLD("tools/call", "\"name\":\"x\""), WL_MCP_PARAMS, "no tool" },
		{ OLD("tools/call", "\"name\":\"describe\",\"arguments\":[]"), WL_MCP_PARAMS,
		  "arguments" },
		{ OLD("tools/call", "\"name\":\"describe\",\"arguments\":{\"nam\":1}"), WL_MCP_OK,
		  "\"isError\":true" },
		{ OLD("tools/call", "\"name\":\"describe\""), WL_MCP_OK, "\"isError\":false" },
		{ OLD("resources/list", ""), WL_MCP_OK, "warplens://verb/kernels" },
		{ OLD("resources/templates/list", ""), WL_MCP_OK, "warplens://table/{name}" },
		{ OLD("resources/read", "\"uri\":\"warplens://verb/kernels\""), WL_MCP_OK,
		  "## Columns" },
		{ OLD("resources/read", "\"uri\":\"warplens://table/StringIds\""), WL_MCP_OK,
		  "# StringIds" },
		{ OLD("resources/read", "\"uri\":\"file:///etc/passwd\""), WL_MCP_RESOURCE,
		  "no resource" },
		{ OLD("resources/read", "\"uri\":\"warplens://verb/../x\""), WL_MCP_RESOURCE,
		  "no resource" },
		{ OLD("resources/read", ""), WL_MCP_PARAMS, "uri" },
		{ OLD("prompts/list", ""), WL_MCP_OK, "explain_step" },
		{ OLD("prompts/get",
		      "\"name\":\"diagnose\",\"arguments\":{\"trace\":\"a.sqlite\"}"),
		  WL_MCP_OK, "trace a.sqlite is slow" },
		{ OLD("prompts/get", "\"name\":\"diagnose\""), WL_MCP_PARAMS, "trace" },
		{ OLD("prompts/get", "\"name\":\"x\""), WL_MCP_PARAMS, "no prompt" },
		{ OLD("completion/complete",
		      "\"ref\":{\"type\":\"ref/resource\",\"uri\":\"warplens://verb/{name}\"},"
		      "\"argument\":{\"name\":\"name\",\"value\":\"ker\"}"),
		  WL_MCP_OK, "\"values\":[\"kernels\"]" },
		{ OLD("completion/complete", "\"ref\":{\"type\":\"x\"}"), WL_MCP_PARAMS, "ref" },
		{ OLD("logging/setLevel", "\"level\":\"debug\""), WL_MCP_METHOD, "no method" },
	};

	expect_rows(rows, sizeof(rows) / sizeof(rows[0]));
}

TEST(the_new_era_has_meta_in_each_request)
{
#define NEW(method, params)                                                                        \
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" method "\",\"params\":{" params META "}}"
	static const struct row rows[] = {
		{ NEW("server/discover", ""), WL_MCP_OK, "\"supportedVersions\":[\"2026-07-28\"" },
		{ NEW("server/discover", ""), WL_MCP_OK, "\"resultType\":\"complete\"" },
		{ NEW("server/discover", ""), WL_MCP_OK, "\"ttlMs\":" },
		{ NEW("server/discover", ""), WL_MCP_OK, "io.modelcontextprotocol/serverInfo" },
		{ NEW("tools/list", ""), WL_MCP_OK, "\"cacheScope\":\"public\"" },
		{ NEW("resources/templates/list", ""), WL_MCP_OK, "\"ttlMs\":" },
		{ NEW("tools/call", "\"name\":\"describe\","), WL_MCP_OK,
		  "\"resultType\":\"complete\"" },
		{ NEW("ping", ""), WL_MCP_METHOD, "ping" },
		{ NEW("initialize", "\"protocolVersion\":\"2025-11-25\","), WL_MCP_METHOD, "init" },
		{ NEW("resources/read", "\"uri\":\"warplens://no/x\","), WL_MCP_PARAMS,
		  "resource" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"_meta\":{"
		  "\"io.modelcontextprotocol/protocolVersion\":\"1900-01-01\","
		  "\"io.modelcontextprotocol/clientCapabilities\":{}}}}",
		  WL_MCP_VERSION, "\"requested\":\"1900-01-01\"" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"_meta\":{"
		  "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}}}",
		  WL_MCP_PARAMS, "clientCapabilities" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"_meta\":{"
		  "\"io.modelcontextprotocol/protocolVersion\":7}}}",
		  WL_MCP_PARAMS, "protocolVersion" },
	};

	expect_rows(rows, sizeof(rows) / sizeof(rows[0]));
}

/* What is neither asked nor answered. */
TEST(notifications_and_responses_are_told_apart)
{
	static const struct {
		const char *text;
		enum wl_mcp_kind kind;
	} rows[] = {
		{ "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
		  WL_MCP_NOTIFICATION },
		{ "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}", WL_MCP_RESPONSE },
		{ "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\"}", WL_MCP_REQUEST },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct wl_mcp_message m;
		struct wl_err err;

		assert_int_equal(wl_mcp_message_read(&m, rows[i].text, strlen(rows[i].text), &err),
				 WL_MCP_OK);
		assert_int_equal(m.kind, rows[i].kind);
		wl_mcp_message_release(&m);
	}
}
