/* SPDX-License-Identifier: MIT */
/*
 * intruder.c - foreign code in a running server: serve.sandbox preloads it.
 *
 * A thread waits until the file INTRUDER_GO is there, tries to get data out to port INTRUDER_PORT
 * of this machine, and writes a line per way, its name and the errno value, to INTRUDER_TRIED.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static struct sockaddr_in there;
static const struct sockaddr *to = (const struct sockaddr *)&there;
static int own; /* a socket that was made before */

static int made(int fd)
{
	return fd < 0 ? errno : 0;
}

static int sent(ssize_t n)
{
	return n < 0 ? errno : 0;
}

static int udp(int fd)
{
	return fd < 0 ? errno : sent(sendto(fd, "x", 1, 0, to, sizeof(there)));
}

static int by_message(int flags, int several)
{
	char text[] = "x";
	struct iovec bytes = { .iov_base = text, .iov_len = 1 };
	struct mmsghdr m = { .msg_hdr = { .msg_name = &there,
					  .msg_namelen = sizeof(there),
					  .msg_iov = &bytes,
					  .msg_iovlen = 1 } };

	return sent(several ? sendmmsg(own, &m, 1, flags) : sendmsg(own, &m.msg_hdr, flags));
}

static void try_all(FILE *out)
{
	char params[256] = { 0 };
	int pair[2];

	(void)fprintf(out, "socket %d\n", made(socket(AF_INET, SOCK_STREAM, 0)));
	(void)fprintf(out, "udp %d\n", udp(socket(AF_INET, SOCK_DGRAM, 0)));
	(void)fprintf(out, "udp6 %d\n", udp(socket(AF_INET6, SOCK_DGRAM, 0)));
	(void)fprintf(out, "unix %d\n", made(socket(AF_UNIX, SOCK_DGRAM, 0)));
	(void)fprintf(out, "netlink %d\n", made(socket(AF_NETLINK, SOCK_RAW, 0)));
	(void)fprintf(out, "socketpair %d\n", made(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair)));
	(void)fprintf(out, "connect %d\n", made(connect(own, to, sizeof(there))));
	(void)fprintf(out, "bind %d\n", made(bind(own, to, sizeof(there))));
	(void)fprintf(out, "listen %d\n", made(listen(own, 1)));
	(void)fprintf(out, "sendto %d\n",
		      sent(sendto(own, "x", 1, MSG_NOSIGNAL, to, sizeof(there))));
	(void)fprintf(out, "sendto_fastopen %d\n",
		      sent(sendto(own, "x", 1, MSG_FASTOPEN | MSG_NOSIGNAL, to, sizeof(there))));
	(void)fprintf(out, "sendmsg_fastopen %d\n", by_message(MSG_FASTOPEN | MSG_NOSIGNAL, 0));
	(void)fprintf(out, "sendmmsg_fastopen %d\n", by_message(MSG_FASTOPEN | MSG_NOSIGNAL, 1));
	(void)fprintf(out, "io_uring %d\n", made((int)syscall(SYS_io_uring_setup, 1UL, params)));
}

static void *wait_and_try(void *ctx)
{
	const char *go = getenv("INTRUDER_GO"), *tried = getenv("INTRUDER_TRIED");
	struct stat st;
	FILE *out;

	(void)ctx;
	while (stat(go, &st) != 0)
		(void)nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
	out = fopen(tried, "w");
	if (out) {
		try_all(out);
		(void)fclose(out);
	}
	return NULL;
}

__attribute__((constructor)) static void enter(void)
{
	pthread_t thread;

	if (!getenv("INTRUDER_GO") || !getenv("INTRUDER_TRIED") || !getenv("INTRUDER_PORT"))
		return;
	there = (struct sockaddr_in){ .sin_family = AF_INET,
				      .sin_port = htons(
					      (uint16_t)strtoul(getenv("INTRUDER_PORT"), NULL, 10)),
				      .sin_addr = { htonl(INADDR_LOOPBACK) } };
	own = socket(AF_INET, SOCK_STREAM, 0);
	if (pthread_create(&thread, NULL, wait_and_try, NULL) == 0)
		(void)pthread_detach(thread);
}
