/* SPDX-License-Identifier: MIT */
#include "agent/mcp/http_show.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/net/access.h"

enum { SECONDS = 5, REQUEST_BUF = 16384, ANSWER_BUF = 4096 };

static const char begin[] = "http://127.0.0.1:", other[] = "http://localhost:";

/* Port and token of an address. */
struct place {
	uint16_t port;
	char token[WL_TOKEN_BUF];
};

static bool parse(const char *page, struct place *ret)
{
	const char *at = strncmp(page, begin, strlen(begin)) == 0   ? page + strlen(begin)
			 : strncmp(page, other, strlen(other)) == 0 ? page + strlen(other)
								    : NULL;
	char *end;
	unsigned long port;

	if (!at || !isdigit((unsigned char)*at))
		return false;
	port = strtoul(at, &end, 10);
	if (port == 0 || port > UINT16_MAX || strncmp(end, "/t/", 3) != 0)
		return false;
	at = end + 3;
	if (strnlen(at, WL_TOKEN_BUF) < WL_TOKEN_BUF - 1)
		return false;
	memcpy(ret->token, at, WL_TOKEN_BUF - 1);
	ret->token[WL_TOKEN_BUF - 1] = '\0';
	ret->port = (uint16_t)port;
	at += WL_TOKEN_BUF - 1;
	return wl_token_is_valid(ret->token) && (*at == '\0' || *at == '/' || *at == '#');
}

int wl_page_address_check(const char *page, struct wl_err *reterr)
{
	struct place place;

	if (parse(page, &place))
		return WL_OK;
	return wl_fail(reterr, WL_E_USAGE,
		       "--page: give the address that \"warplens serve\" prints, "
		       "http://127.0.0.1:PORT/t/TOKEN/");
}

/* Percent-encode for a query: letters and digits stay, all else becomes %XX. */
static void encode(const char *text, char *buf, size_t size)
{
	size_t used = 0;

	for (; *text && used + 4 < size; text++) {
		unsigned char c = (unsigned char)*text;

		if (isalnum(c) || strchr("._-/", c))
			buf[used++] = (char)c;
		else
			used += (size_t)snprintf(buf + used, size - used, "%%%02X", c);
	}
	buf[used] = '\0';
}

static int connect_to(uint16_t port, int *ret, struct wl_err *reterr)
{
	const struct sockaddr_in there = { .sin_family = AF_INET,
					   .sin_port = htons(port),
					   .sin_addr = { htonl(INADDR_LOOPBACK) } };
	const struct timeval patience = { .tv_sec = SECONDS };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd >= 0) {
		(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
		(void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	}
	if (fd < 0 || connect(fd, (const struct sockaddr *)&there, sizeof(there)) < 0) {
		int r = wl_fail(reterr, WL_E_IO, "the page on port %u does not answer: %s",
				(unsigned)port, strerror(errno));

		if (fd >= 0)
			(void)close(fd);
		return r;
	}
	*ret = fd;
	return WL_OK;
}

/* Read the answer, as much as fits; it ends when the connection closes. */
static int exchange(int fd, const char *request, char answer[ANSWER_BUF], struct wl_err *reterr)
{
	size_t left = strlen(request), n = 0;
	ssize_t did = 1;

	while (left > 0 && (did = send(fd, request, left, MSG_NOSIGNAL)) > 0) {
		request += did;
		left -= (size_t)did;
	}
	while (did > 0 && n + 1 < ANSWER_BUF) {
		did = recv(fd, answer + n, ANSWER_BUF - 1 - n, 0);
		n += did > 0 ? (size_t)did : 0;
	}
	answer[n] = '\0';
	return n > 0 ? WL_OK : wl_fail(reterr, WL_E_IO, "the page does not answer");
}

/* Fail with the server's reason, from {"error": "..."}. */
static int refuse(const char *answer, struct wl_err *reterr)
{
	static const char key[] = "\"error\":\"";
	const char *why = strstr(answer, key);
	size_t n = why ? strcspn(why + strlen(key), "\"") : 0;

	return wl_fail(reterr, WL_E_USAGE, "the page refuses: %.*s", (int)n,
		       why ? why + strlen(key) : "");
}

static int write_request(const struct place *place, const char *path, const int64_t window[2],
			 char request[REQUEST_BUF], struct wl_err *reterr)
{
	char name[3 * 4096], times[80] = "";
	int n;

	encode(path, name, sizeof(name));
	if (window)
		(void)snprintf(times, sizeof(times), "&from=%" PRId64 "&to=%" PRId64, window[0],
			       window[1]);
	n = snprintf(request, REQUEST_BUF,
		     "GET /t/%s/show?path=%s%s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nConnection: "
		     "close\r\n\r\n",
		     place->token, name, times, (unsigned)place->port);
	return n < REQUEST_BUF ? WL_OK : wl_fail(reterr, WL_E_USAGE, "the path is too long");
}

int wl_page_show(const char *page, const char *path, const int64_t window[2], struct wl_err *reterr)
{
	char request[REQUEST_BUF], answer[ANSWER_BUF];
	struct place place;
	int fd = -1, r;

	if (!parse(page, &place))
		return wl_page_address_check(page, reterr);
	r = write_request(&place, path, window, request, reterr);
	if (r == WL_OK)
		r = connect_to(place.port, &fd, reterr);
	if (r < 0)
		return r;
	r = exchange(fd, request, answer, reterr);
	(void)close(fd);
	if (r == WL_OK && strncmp(answer, "HTTP/1.1 200", 12) != 0)
		r = refuse(answer, reterr);
	return r;
}
