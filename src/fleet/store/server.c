/* SPDX-License-Identifier: MIT */
#include "fleet/store/server.h"

#include <stdlib.h>
#include <string.h>

#include "base/net/http_retry.h"

enum { HEADER = 1024, NAME = 64, SAID = 400 };

bool wl_store_is_name(const char *name)
{
	size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

	return n > 0 && n <= NAME && name[n] == '\0' && !(name[0] >= '0' && name[0] <= '9');
}

void wl_store_quote(struct wl_text *to, const char *text)
{
	wl_text_puts(to, "'");
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			wl_text_puts(to, "\\");
		wl_text_put(to, text, 1);
	}
	wl_text_puts(to, "'");
}

static void put_escaped(struct wl_text *to, const char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'))
			wl_text_put(to, text, 1);
		else
			wl_text_printf(to, "%%%02X", c);
	}
}

/*
 * Errors that pass: timeouts (159, 209), connections (210, 279; 32: a shard ends while another one
 * waits for its answer), too many queries (202), memory (241), disk (243), too many parts (252),
 * the outcome of an insert not known (319), ZooKeeper (225, 242, 999). For anything else the same
 * statement fails again.
 */
static bool is_passing(long code)
{
	static const long passing[] = { 32,  159, 202, 209, 210, 225, 241,
					242, 243, 252, 279, 319, 999 };

	for (size_t i = 0; i < WL_COUNT(passing); i++)
		if (code == passing[i])
			return true;
	return false;
}

/* The server's sentence without its frame: "Code: 60, e.displayText() = DB::Exception: ..." */
static void take_sentence(const char *body, char ret[SAID])
{
	static const char *const before[] = { "e.displayText() = ", "DB::Exception: " };
	static const char *const after[] = { ", e.what() =", " (version ", "\n" };
	size_t n;

	for (size_t i = 0; i < WL_COUNT(before); i++) {
		const char *at = strstr(body, before[i]);

		body = at ? at + strlen(before[i]) : body;
	}
	n = strlen(body);
	for (size_t i = 0; i < WL_COUNT(after); i++) {
		const char *at = strstr(body, after[i]);

		if (at && (size_t)(at - body) < n)
			n = (size_t)(at - body);
	}
	if (n >= SAID)
		n = SAID - 1;
	memcpy(ret, body, n);
	ret[n] = '\0';
	for (char *c = ret; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = ' ';
}

static int explain(const struct wl_store *store, const char *url, const struct wl_text *body,
		   struct wl_http_reply *http, struct wl_err *reterr)
{
	const char *text = wl_text_get(body), *at = strstr(text, "Code: ");
	long code = at ? strtol(at + strlen("Code: "), NULL, 10) : 0;
	char said[SAID];

	if (code)
		(void)strcpy(http->should_retry, is_passing(code) ? "true" : "false");
	take_sentence(text, said);
	if (http->status == 401 || http->status == 403 || code == 192 || code == 193 || code == 516)
		return wl_fail(reterr, WL_E_USAGE,
			       "%.120s does not accept user \"%.60s\"; set WARPLENS_FLEET_USER and "
			       "WARPLENS_FLEET_PASSWORD, or give --credentials FILE",
			       url, store->user ? store->user : "default");
	return wl_fail(reterr, WL_E_IO, "%.120s: status %d: %.300s", url, http->status, said);
}

static bool receive(void *context, int status, const char *bytes, size_t n)
{
	struct wl_text *body = context;

	(void)status;
	wl_text_put(body, bytes, n);
	return !body->failed;
}

static int send_once(const struct wl_store *store, struct wl_http_post *post, const char *shown,
		     struct wl_http_reply *http, struct wl_text *answer, struct wl_err *reterr)
{
	int r;

	wl_text_clear(answer);
	post->context = answer;
	*http = (struct wl_http_reply){ 0 };
	r = (store->post ? store->post : wl_http_post)(post, http, reterr);
	if (r == WL_OK && http->status != 200)
		r = explain(store, shown, answer, http, reterr);
	return r;
}

static int send_all(const struct wl_store *store, struct wl_http_post *post, const char *shown,
		    struct wl_text *answer, struct wl_err *reterr)
{
	for (int attempt = 0;; attempt++) {
		struct wl_http_reply http;
		double wait = 0;
		int r = send_once(store, post, shown, &http, answer, reterr);

		if (r == WL_OK || store->retries < 0 ||
		    !wl_http_retry_now(
			    (struct wl_http_outcome){ .result = r,
						      .http = &http,
						      .attempt = attempt,
						      .most = store->retries ? store->retries
									     : WL_STORE_RETRIES },
			    &wait))
			return r;
		r = wl_http_wait(wait, store->cancel, reterr);
		if (r < 0)
			return r;
	}
}

/* Letters of a header; a line end would begin another one. */
static bool put_header(char header[HEADER], const char *name, const char *value)
{
	struct wl_text t = { .max = HEADER - 1 };
	bool ok;

	wl_text_printf(&t, "%s: ", name);
	wl_text_puts(&t, value);
	ok = !t.failed && !strpbrk(value, "\r\n");
	if (ok)
		memcpy(header, t.bytes, t.n + 1);
	if (t.bytes)
		explicit_bzero(t.bytes, t.n);
	wl_text_release(&t);
	return ok;
}

static int send_url(const struct wl_store *store, size_t server, struct wl_http_post *post,
		    struct wl_text *answer, struct wl_err *reterr)
{
	char user[HEADER], password[HEADER];
	size_t n = 0;
	int r;

	post->ca_file = store->ca_file;
	post->cancel = store->cancel;
	post->take = receive;
	post->max_bytes = WL_STORE_ANSWER;
	post->content_type = "application/octet-stream";
	if (store->user) {
		if (!put_header(user, "X-ClickHouse-User", store->user) ||
		    !put_header(password, "X-ClickHouse-Key",
				store->password ? store->password : ""))
			return wl_fail(reterr, WL_E_USAGE,
				       "the user or password for the database is too long, or has "
				       "line ends");
		post->header[n++] = user;
		post->header[n++] = password;
	}
	r = send_all(store, post, store->url[server], answer, reterr);
	explicit_bzero(password, sizeof(password));
	return r;
}

/* Answers end when the statement has ended: an error after the first row is an error. */
static void begin_url(const struct wl_store *store, size_t server, struct wl_text *url)
{
	size_t n = strlen(store->url[server]);

	while (n && store->url[server][n - 1] == '/')
		n--;
	wl_text_put(url, store->url[server], n);
	wl_text_puts(url, "/?wait_end_of_query=1");
}

int wl_store_ask(const struct wl_store *store, size_t server, const char *statement,
		 struct wl_text *answer, struct wl_err *reterr)
{
	struct wl_text url = { 0 }, own = { .max = WL_STORE_ANSWER };
	int r;

	begin_url(store, server, &url);
	if (url.failed)
		r = wl_fail(reterr, WL_E_NOMEM, "no memory for a statement");
	else
		r = send_url(store, server,
			     &(struct wl_http_post){ .url = url.bytes,
						     .body = statement,
						     .n_body = strlen(statement) },
			     answer ? answer : &own, reterr);
	wl_text_release(&url);
	wl_text_release(&own);
	return r;
}

int wl_store_insert(const struct wl_store *store, const char *statement, const void *rows, size_t n,
		    const char *token, struct wl_err *reterr)
{
	struct wl_text url = { 0 }, answer = { 0 };
	int r;

	begin_url(store, 0, &url);
	/* Done means that the shard has the rows, not that this server will send them one day. */
	if (store->cluster)
		wl_text_puts(&url, "&insert_distributed_sync=1");
	if (token && store->version >= WL_STORE_MODERN) {
		wl_text_puts(&url, "&insert_deduplication_token=");
		put_escaped(&url, token);
	}
	wl_text_puts(&url, "&query=");
	put_escaped(&url, statement);
	if (url.failed)
		r = wl_fail(reterr, WL_E_NOMEM, "no memory for a statement");
	else
		r = send_url(store, 0,
			     &(struct wl_http_post){ .url = url.bytes, .body = rows, .n_body = n },
			     &answer, reterr);
	wl_text_release(&url);
	wl_text_release(&answer);
	return r;
}

int wl_store_connect(struct wl_store *store, struct wl_err *reterr)
{
	struct wl_text answer = { 0 };
	unsigned long major = 0, minor = 0;
	char *end = NULL;
	int r = wl_store_ask(store, 0, "SELECT version()", &answer, reterr);

	if (r == WL_OK) {
		major = strtoul(wl_text_get(&answer), &end, 10);
		minor = *end == '.' ? strtoul(end + 1, NULL, 10) : 0;
		store->version = (unsigned)(major * 1000 + minor);
		if (major < 18 || major > 1000 || minor > 999)
			r = wl_fail(reterr, WL_E_IO,
				    "%.120s: not a ClickHouse server that is known here; 18.16 or "
				    "newer is needed",
				    store->url[0]);
	}
	wl_text_release(&answer);
	return r;
}
