/* SPDX-License-Identifier: MIT */
#include "base/net/socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BACKLOG = 256 };

uint16_t wl_socket_port(int fd)
{
	union {
		struct sockaddr any;
		struct sockaddr_in four;
		struct sockaddr_in6 six;
	} at = { .six = { .sin6_family = AF_UNSPEC } };
	socklen_t n = sizeof(at);

	if (getsockname(fd, &at.any, &n) < 0)
		return 0;
	return ntohs(at.any.sa_family == AF_INET6 ? at.six.sin6_port : at.four.sin_port);
}

int wl_socket_listen(const char *address, uint16_t port, int *ret_fd, struct wl_err *reterr)
{
	/* Digits only: no name server is asked, and the static program needs no resolver. */
	const struct addrinfo hints = { .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
					.ai_family = AF_UNSPEC,
					.ai_socktype = SOCK_STREAM };
	struct addrinfo *at;
	char text[8];
	int fd, one = 1, r = WL_OK;

	(void)snprintf(text, sizeof(text), "%u", (unsigned)port);
	if (getaddrinfo(address, text, &hints, &at) != 0)
		return wl_fail(reterr, WL_E_USAGE,
			       "--bind %.80s: give an address in digits, such as 127.0.0.1",
			       address);
	fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0)
		(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (fd < 0 || bind(fd, at->ai_addr, at->ai_addrlen) < 0 || listen(fd, BACKLOG) < 0)
		r = wl_fail(reterr, WL_E_USAGE, "cannot listen on %.80s port %u: %s; see --port",
			    address, (unsigned)port, strerror(errno));
	freeaddrinfo(at);
	if (r < 0 && fd >= 0)
		(void)close(fd);
	else if (r == WL_OK)
		*ret_fd = fd;
	return r;
}

static bool is_loopback4(uint32_t address)
{
	return ntohl(address) >> 24 == 127;
}

static bool is_loopback(const struct sockaddr_storage *at)
{
	const struct in6_addr *six = &((const struct sockaddr_in6 *)at)->sin6_addr;
	uint32_t four;

	if (at->ss_family == AF_INET)
		return is_loopback4(((const struct sockaddr_in *)at)->sin_addr.s_addr);
	if (at->ss_family != AF_INET6)
		return false;
	memcpy(&four, &six->s6_addr[12], sizeof(four));
	/* A socket that listens on both families shows IPv4 clients as ::ffff:127.0.0.1. */
	return IN6_IS_ADDR_V4MAPPED(six) ? is_loopback4(four) : IN6_IS_ADDR_LOOPBACK(six);
}

bool wl_socket_is_local(int fd)
{
	struct sockaddr_storage at = { .ss_family = AF_UNSPEC };
	socklen_t n = sizeof(at);

	return getsockname(fd, (struct sockaddr *)&at, &n) == 0 && is_loopback(&at);
}

bool wl_socket_is_remote(int fd)
{
	struct sockaddr_storage at = { .ss_family = AF_UNSPEC };
	socklen_t n = sizeof(at);

	return getpeername(fd, (struct sockaddr *)&at, &n) == 0 && !is_loopback(&at);
}

bool wl_socket_has_left(int fd)
{
	struct pollfd at = { .fd = fd, .events = POLLRDHUP };

	return poll(&at, 1, 0) > 0 && (at.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

void wl_socket_end(int fd)
{
	(void)shutdown(fd, SHUT_RDWR);
}
