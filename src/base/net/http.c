/* SPDX-License-Identifier: MIT */
/*
 * http.c - the client over libcurl.
 *
 * The library is loaded when the first request is made: it brings twenty others, and loading them
 * would double the time that every command takes to start. Where it is not installed, in the
 * portable program, which loads nothing, and when compiled with WL_WITHOUT_CURL, requests are
 * refused with a sentence.
 */
#include "base/net/http.h"

#include <string.h>
#include <time.h>

bool wl_http_date_wait(const char *date, int64_t now_ms, double *ret_seconds)
{
	struct tm tm = { 0 };
	const char *end = strptime(date, "%a, %d %b %Y %H:%M:%S GMT", &tm);
	double wait;

	if (!end || *end)
		return false;
	wait = (double)timegm(&tm) - (double)now_ms / 1e3;
	*ret_seconds = wait > 0 ? wait : 0;
	return true;
}

#ifdef WL_WITHOUT_CURL

static int refuse(struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_USAGE,
		       "this build of warplens has no HTTP client; use the package or a build with "
		       "libcurl");
}

int wl_http_check_url(const char *url, struct wl_err *reterr)
{
	(void)url;
	return refuse(reterr);
}

int wl_http_post(const struct wl_http_post *post, struct wl_http_reply *ret, struct wl_err *reterr)
{
	(void)post;
	*ret = (struct wl_http_reply){ 0 };
	return refuse(reterr);
}

#else

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#define CURL_DISABLE_TYPECHECK /* which wraps the functions in macros */
#include <curl/curl.h>

/* The functions of libcurl that are used. */
#define CURL_FUNCTIONS(x)                                                                          \
	x(easy_init) x(easy_cleanup) x(easy_setopt) x(easy_perform) x(easy_getinfo)                \
		x(easy_strerror) x(slist_append) x(slist_free_all) x(url) x(url_cleanup)           \
			x(url_set) x(url_get) x(free)

/* NOLINTNEXTLINE(bugprone-macro-parentheses): the name of a member */
#define MEMBER(name) __typeof__(curl_##name) *name;
struct library {
	CURL_FUNCTIONS(MEMBER)
};
#undef MEMBER

/* A function by name; POSIX lets an object pointer hold it, ISO C has no cast for that. */
static bool find(void *handle, const char *name, void *ret_function)
{
	void *symbol = dlsym(handle, name);

	memcpy(ret_function, &symbol, sizeof(symbol));
	return symbol != NULL;
}

/* The library stays until the program ends: it and its own libraries have handlers for that. */
static bool load(struct library *lib)
{
	static const char *const names[] = { "libcurl.so.4", "libcurl-gnutls.so.4" };
	void *handle = NULL;
	bool ok = true;

	for (size_t i = 0; !handle && i < WL_COUNT(names); i++)
		handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (!handle)
		return false;
#define FIND(name) ok = find(handle, "curl_" #name, &lib->name) && ok;
	CURL_FUNCTIONS(FIND)
#undef FIND
	return ok;
}

static int refuse(struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_USAGE,
		       "requests over HTTP need libcurl 7.85 or newer (libcurl.so.4); install it");
}

enum { CONNECT_SECONDS = 10, IDLE_SECONDS = 60, TOTAL_SECONDS = 600, MAX_BYTES = 16 << 20 };

/* One request under way. */
struct transfer {
	const struct library *lib;
	const struct wl_http_post *post;
	struct wl_http_reply *reply;
	CURL *curl;
	struct curl_slist *headers;
	size_t n_bytes;
	bool is_local;  /* the URL names this machine */
	bool is_abroad; /* but the connection went elsewhere */
	bool is_refused, is_large;
	char why[CURL_ERROR_SIZE];
};

static bool is_canceled(const struct wl_http_post *post)
{
	return post->cancel && atomic_load(post->cancel) != 0;
}

/* 127.0.0.0/8 and ::1, as libcurl writes addresses and URLs write hosts. */
static bool is_loopback_address(const char *host)
{
	char *end = NULL;
	int parts = 0;

	if (strcmp(host, "::1") == 0 || strcmp(host, "[::1]") == 0)
		return true;
	if (strncmp(host, "127.", 4) != 0)
		return false;
	/* All of it: the host of a URL may be a name that begins like an address. */
	for (const char *at = host; parts < 4; at = end + 1) {
		unsigned long v = strtoul(at, &end, 10);

		if (end == at || end - at > 3 || v > 255 || *at < '0' || *at > '9')
			return false;
		parts++;
		if (*end != '.')
			break;
	}
	return parts == 4 && *end == '\0';
}

static bool is_local_host(const char *host)
{
	return strcasecmp(host, "localhost") == 0 || is_loopback_address(host);
}

static int judge_url(const char *scheme, const char *host, const char *url, bool *ret_local,
		     struct wl_err *reterr)
{
	*ret_local = is_local_host(host);
	if (strcasecmp(scheme, "https") == 0)
		return WL_OK;
	if (strcasecmp(scheme, "http") != 0)
		return wl_fail(reterr, WL_E_USAGE, "\"%.200s\": use an http or https URL", url);
	if (!*ret_local)
		return wl_fail(reterr, WL_E_USAGE,
			       "\"%.200s\": http is allowed to this machine only (127.0.0.1, ::1, "
			       "localhost); use https",
			       url);
	return WL_OK;
}

/* By libcurl's own parser, so that both see the same host. */
static int check_url(const struct library *lib, const char *url, bool *ret_local,
		     struct wl_err *reterr)
{
	char *scheme = NULL, *host = NULL, *user = NULL;
	CURLU *parsed = lib->url();
	int r;

	if (!parsed)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for a URL");
	/* The URL is not quoted where it holds a password. */
	if (lib->url_set(parsed, CURLUPART_URL, url, CURLU_NON_SUPPORT_SCHEME) != CURLUE_OK ||
	    lib->url_get(parsed, CURLUPART_SCHEME, &scheme, 0) != CURLUE_OK ||
	    lib->url_get(parsed, CURLUPART_HOST, &host, 0) != CURLUE_OK)
		r = wl_fail(reterr, WL_E_USAGE,
			    "\"%.200s\" is not a URL; write it as http://127.0.0.1:8080 or "
			    "https://HOST",
			    strchr(url, '@') ? "..." : url);
	else if (lib->url_get(parsed, CURLUPART_USER, &user, 0) == CURLUE_OK)
		r = wl_fail(reterr, WL_E_USAGE,
			    "the URL holds a user name; put the key into the environment");
	else
		r = judge_url(scheme, host, url, ret_local, reterr);
	lib->free(scheme);
	lib->free(host);
	lib->free(user);
	lib->url_cleanup(parsed);
	return r;
}

int wl_http_check_url(const char *url, struct wl_err *reterr)
{
	struct library lib = { 0 };
	bool is_local;

	return load(&lib) ? check_url(&lib, url, &is_local, reterr) : refuse(reterr);
}

static size_t on_body(char *bytes, size_t size, size_t n, void *context)
{
	struct transfer *t = context;
	const struct wl_http_post *post = t->post;
	size_t max = post->max_bytes ? post->max_bytes : MAX_BYTES;
	long status = 0;

	(void)size; /* always 1 */
	if (is_canceled(post))
		return 0;
	t->is_large = n > max - t->n_bytes;
	if (t->is_large)
		return 0;
	t->n_bytes += n;
	(void)t->lib->easy_getinfo(t->curl, CURLINFO_RESPONSE_CODE, &status);
	t->is_refused = post->take && n && !post->take(post->context, (int)status, bytes, n);
	return t->is_refused ? 0 : n;
}

/* Keep the value of one header; blanks around it and the end of the line are dropped. */
static bool keep_header(const char *line, size_t n, const char *name, char *value)
{
	size_t n_name = strlen(name);

	if (n <= n_name || strncasecmp(line, name, n_name) != 0 || line[n_name] != ':')
		return false;
	line += n_name + 1;
	n -= n_name + 1;
	for (; n && (*line == ' ' || *line == '\t'); n--)
		line++;
	while (n && strchr(" \t\r\n", line[n - 1]))
		n--;
	if (n >= WL_HTTP_HEADER_CAP)
		n = WL_HTTP_HEADER_CAP - 1;
	memcpy(value, line, n);
	value[n] = '\0';
	return true;
}

static size_t on_header(char *line, size_t size, size_t n, void *context)
{
	struct wl_http_reply *reply = ((struct transfer *)context)->reply;

	(void)size; /* always 1 */
	(void)(keep_header(line, n, "content-type", reply->content_type) ||
	       keep_header(line, n, "retry-after", reply->retry_after) ||
	       keep_header(line, n, "retry-after-ms", reply->retry_after_ms) ||
	       keep_header(line, n, "x-should-retry", reply->should_retry));
	return n;
}

static int on_progress(void *context, curl_off_t down_total, curl_off_t down, curl_off_t up_total,
		       curl_off_t up)
{
	(void)down_total;
	(void)down;
	(void)up_total;
	(void)up;
	return is_canceled(((struct transfer *)context)->post);
}

/* Connected, nothing sent yet: a name such as localhost can stand for any address. */
/* NOLINTNEXTLINE(readability-non-const-parameter): libcurl says what is passed */
static int on_connected(void *context, char *peer, char *own, int peer_port, int own_port)
{
	struct transfer *t = context;

	(void)own;
	(void)peer_port;
	(void)own_port;
	t->is_abroad = t->is_local && !is_loopback_address(peer);
	return t->is_abroad ? CURL_PREREQFUNC_ABORT : CURL_PREREQFUNC_OK;
}

static bool add_header(struct transfer *t, const char *line)
{
	struct curl_slist *longer = t->lib->slist_append(t->headers, line);

	t->headers = longer ? longer : t->headers;
	return longer != NULL;
}

static bool set_headers(struct transfer *t)
{
	const char *type = t->post->content_type;
	char line[WL_HTTP_HEADER_CAP];
	/* libcurl's own "Expect: 100-continue" costs a second with servers that ignore it. */
	bool ok = add_header(t, "Expect:");

	(void)snprintf(line, sizeof(line), "Content-Type: %s", type ? type : "application/json");
	ok = ok && add_header(t, line);
	for (size_t i = 0; ok && i < WL_HTTP_MAX_HEADERS && t->post->header[i]; i++)
		ok = add_header(t, t->post->header[i]);
	return ok && t->lib->easy_setopt(t->curl, CURLOPT_HTTPHEADER, t->headers) == CURLE_OK;
}

static long or_default(long seconds, long otherwise)
{
	return seconds > 0 ? seconds : otherwise;
}

static bool set_limits(struct transfer *t)
{
	const struct wl_http_post *post = t->post;
	long idle = or_default(post->idle_seconds, IDLE_SECONDS);
	long connect = or_default(post->connect_seconds, CONNECT_SECONDS);
	long total = or_default(post->total_seconds, TOTAL_SECONDS);

	return t->lib->easy_setopt(t->curl, CURLOPT_CONNECTTIMEOUT, connect) == CURLE_OK &&
	       t->lib->easy_setopt(t->curl, CURLOPT_TIMEOUT, total) == CURLE_OK &&
	       t->lib->easy_setopt(t->curl, CURLOPT_LOW_SPEED_LIMIT, 1L) == CURLE_OK &&
	       t->lib->easy_setopt(t->curl, CURLOPT_LOW_SPEED_TIME, idle) == CURLE_OK;
}

/* Nothing of the surroundings: no proxy of the environment, no .netrc, no other protocol. */
static bool set_manners(struct transfer *t)
{
	CURL *c = t->curl;

	return t->lib->easy_setopt(c, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
	       t->lib->easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK &&
	       t->lib->easy_setopt(c, CURLOPT_FOLLOWLOCATION, 0L) == CURLE_OK &&
	       t->lib->easy_setopt(c, CURLOPT_DISALLOW_USERNAME_IN_URL, 1L) == CURLE_OK &&
	       t->lib->easy_setopt(c, CURLOPT_PROXY, "") == CURLE_OK &&
	       t->lib->easy_setopt(c, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED) == CURLE_OK &&
	       t->lib->easy_setopt(c, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1) ==
		       CURLE_OK &&
	       t->lib->easy_setopt(c, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2) ==
		       CURLE_OK &&
	       t->lib->easy_setopt(c, CURLOPT_ERRORBUFFER, t->why) == CURLE_OK;
}

static bool set_calls(struct transfer *t)
{
	CURL *c = t->curl;

	return t->lib->easy_setopt(c, CURLOPT_WRITEFUNCTION, on_body) == CURLE_OK &&
	       t->lib->easy_setopt(c, CURLOPT_WRITEDATA, t) == CURLE_OK &&
	       t->lib->easy_setopt(c, CURLOPT_HEADERFUNCTION, on_header) == CURLE_OK &&
	       t->lib->easy_setopt(c, CURLOPT_HEADERDATA, t) == CURLE_OK &&
	       t->lib->easy_setopt(c, CURLOPT_NOPROGRESS, 0L) == CURLE_OK &&
	       t->lib->easy_setopt(c, CURLOPT_XFERINFOFUNCTION, on_progress) == CURLE_OK &&
	       t->lib->easy_setopt(c, CURLOPT_XFERINFODATA, t) == CURLE_OK &&
	       t->lib->easy_setopt(c, CURLOPT_PREREQFUNCTION, on_connected) == CURLE_OK &&
	       t->lib->easy_setopt(c, CURLOPT_PREREQDATA, t) == CURLE_OK;
}

static bool set_request(struct transfer *t)
{
	CURL *c = t->curl;

	if (t->post->ca_file &&
	    t->lib->easy_setopt(c, CURLOPT_CAINFO, t->post->ca_file) != CURLE_OK)
		return false;
	return t->lib->easy_setopt(c, CURLOPT_URL, t->post->url) == CURLE_OK &&
	       t->lib->easy_setopt(c, CURLOPT_POST, 1L) == CURLE_OK &&
	       t->lib->easy_setopt(c, CURLOPT_POSTFIELDS, t->post->body) == CURLE_OK &&
	       t->lib->easy_setopt(c, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)t->post->n_body) ==
		       CURLE_OK;
}

static int explain(const struct transfer *t, CURLcode code, struct wl_err *reterr)
{
	const char *url = t->post->url;
	const char *why = t->why[0] ? t->why : t->lib->easy_strerror(code);

	if (is_canceled(t->post))
		return wl_fail(reterr, WL_E_CANCELED, "canceled");
	if (t->is_large)
		return wl_fail(reterr, WL_E_FORMAT,
			       "\"%.200s\": the reply is larger than %zu bytes", url,
			       t->post->max_bytes ? t->post->max_bytes : (size_t)MAX_BYTES);
	if (t->is_refused)
		return wl_fail(reterr, WL_E_FORMAT, "\"%.200s\": the reply cannot be read", url);
	if (t->is_abroad)
		return wl_fail(
			reterr, WL_E_USAGE,
			"\"%.200s\" leads to another machine; http is allowed to this one only",
			url);
	if (code == CURLE_OPERATION_TIMEDOUT)
		return wl_fail(reterr, WL_E_TIMEOUT, "\"%.200s\": %s", url, why);
	if (code == CURLE_PARTIAL_FILE || code == CURLE_GOT_NOTHING || code == CURLE_RECV_ERROR)
		return wl_fail(reterr, WL_E_FORMAT, "\"%.200s\": the reply ended early: %s", url,
			       why);
	if (code == CURLE_OUT_OF_MEMORY)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for a request");
	if (code == CURLE_PEER_FAILED_VERIFICATION)
		return wl_fail(reterr, WL_E_IO,
			       "\"%.200s\": %.200s; if it has its own certificate authority, name "
			       "the file of that in SSL_CERT_FILE",
			       url, why);
	return wl_fail(reterr, WL_E_IO, "\"%.200s\": %s", url, why);
}

static int perform(struct transfer *t, struct wl_err *reterr)
{
	long status = 0;
	CURLcode code;

	if (!set_manners(t) || !set_limits(t) || !set_calls(t) || !set_request(t) ||
	    !set_headers(t))
		return refuse(reterr);
	if (is_canceled(t->post))
		return wl_fail(reterr, WL_E_CANCELED, "canceled");
	code = t->lib->easy_perform(t->curl);
	(void)t->lib->easy_getinfo(t->curl, CURLINFO_RESPONSE_CODE, &status);
	t->reply->status = (int)status;
	return code == CURLE_OK ? WL_OK : explain(t, code, reterr);
}

int wl_http_post(const struct wl_http_post *post, struct wl_http_reply *ret, struct wl_err *reterr)
{
	struct library lib = { 0 };
	struct transfer t = { .lib = &lib, .post = post, .reply = ret };
	int r;

	*ret = (struct wl_http_reply){ 0 };
	if (!load(&lib))
		return refuse(reterr);
	r = check_url(&lib, post->url, &t.is_local, reterr);
	if (r < 0)
		return r;
	t.curl = lib.easy_init();
	if (!t.curl)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for a request");
	r = perform(&t, reterr);
	lib.easy_cleanup(t.curl);
	lib.slist_free_all(t.headers);
	return r;
}

#endif
