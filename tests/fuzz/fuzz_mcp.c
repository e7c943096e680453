/* SPDX-License-Identifier: MIT */
/*
 * fuzz_mcp.c - the bytes are a message of the Model Context Protocol, to a server that has one
 * trace open.
 *
 * A message is refused with a code, or answered with one line of JSON within the bound.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/mcp/protocol.h"
#include "fuzz/fuzz.h"
#include "known/builtin.h"
#include "support/toolbox.h"

/* A reply is in an answer twice, the first time as a text, whose every byte may be escaped. */
enum { MOST = 8 * WL_REPLY_BYTES + (128 << 10) };

static void need(bool promised)
{
	if (!promised)
		abort();
}

/* A server with the demo trace as "t1"; it lives as long as the program. */
static struct wl_mcp *server(void)
{
	static struct wl_mcp mcp;
	char path[] = "/tmp/warplens-fuzz-XXXXXX", args[128];
	struct toolbox_reply r;
	size_t size;
	const char *demo;
	int fd;

	if (mcp.box)
		return &mcp;
	demo = wl_builtin_find("demo", "demo.sqlite", &size);
	fd = mkstemp(path);
	need(demo && fd >= 0 && write(fd, demo, size) == (ssize_t)size && close(fd) == 0);
	mcp = (struct wl_mcp){ .box = toolbox_make(), .version = "0" };
	need(mcp.box != NULL);
	(void)snprintf(args, sizeof(args), "{\"path\": \"%s\"}", path);
	r = toolbox_ask(mcp.box, "open_trace", args, NULL);
	need(r.status == WL_OK && !r.reply.is_error && unlink(path) == 0);
	toolbox_reply_release(&r);
	return &mcp;
}

static void check_line(const char *text, size_t n)
{
	struct wl_json *doc;
	struct wl_err err;

	need(n > 0 && n <= MOST && text[n - 1] == '\n' && !memchr(text, '\n', n - 1));
	need(wl_json_parse(text, n, "answer", &doc, &err) == WL_OK);
	need(wl_json_member(doc, "id") && wl_json_string(wl_json_member(doc, "jsonrpc")));
	need(!wl_json_member(doc, "result") != !wl_json_member(doc, "error"));
	wl_json_free(doc);
}

/* What servers ask of a message beside its answer. */
static void check_more(const struct wl_mcp_message *m)
{
	const char *version = wl_mcp_param(m, "protocolVersion");
	char *text = NULL;
	struct wl_mcp_id token;
	struct wl_json *doc = NULL;
	struct wl_err err;
	size_t n = 0;
	FILE *out;

	need(wl_mcp_id_equals(&m->id, &m->id) == m->id.is_set);
	(void)(m->method && wl_mcp_is_slow(m));
	(void)(version && wl_mcp_is_legacy(version));
	if (!wl_mcp_wants_progress(m, &token))
		return;
	out = open_memstream(&text, &n);
	need(out != NULL);
	wl_mcp_put_progress(out, &token, 1, 2, "reading");
	need(fclose(out) == 0 && wl_json_parse(text, n, "progress", &doc, &err) == WL_OK);
	wl_json_free(doc);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct wl_call how = { .cancel = NULL };
	const struct wl_mcp *mcp = server();
	struct wl_mcp_message m;
	struct wl_err err;
	enum wl_mcp_code code = wl_mcp_message_read(&m, (const char *)data, size, &err);
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	need(out != NULL);
	if (code != WL_MCP_OK)
		wl_mcp_put_error(out, &m.id, code, err.msg, NULL);
	else if (m.kind == WL_MCP_REQUEST)
		(void)wl_mcp_answer(mcp, &m, &how, out);
	need(fclose(out) == 0);
	if (n > 0)
		check_line(text, n);
	if (code == WL_MCP_OK)
		check_more(&m);
	free(text);
	wl_mcp_message_release(&m);
	return 0;
}
