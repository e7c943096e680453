/* SPDX-License-Identifier: MIT */
/*
 * captured.c - a program to be recorded: two processes, threads, NVTX ranges in a domain.
 *
 *   captured SECONDS STATUS  work, a step each 50 ms, the third one "decode"; then exit
 *   captured crash           work for 0.3 s, then die of SIGSEGV
 *   captured hang            work, ignore SIGINT and SIGTERM, never end
 *   captured serve           work until SIGINT or SIGTERM, then exit with 0
 *
 * Compiled by the tests, with the headers of nsys.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nvtx3/nvToolsExt.h>

static volatile sig_atomic_t is_over;
static nvtxDomainHandle_t domain;

static void stop(int number)
{
	(void)number;
	is_over = 1;
}

static void range(const char *name, useconds_t us)
{
	nvtxEventAttributes_t a = { .version = NVTX_VERSION,
				    .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
				    .messageType = NVTX_MESSAGE_TYPE_ASCII,
				    .message.ascii = name };

	nvtxDomainRangePushEx(domain, &a);
	(void)usleep(us);
	nvtxDomainRangePop(domain);
}

static void *work(void *arg)
{
	for (int i = 0; i < 5; i++)
		range(arg, 2000);
	return NULL;
}

static void begin(void)
{
	static char name[] = "worker";
	pthread_t thread[2];
	pid_t child = fork();

	for (int i = 0; i < 2; i++)
		(void)pthread_create(&thread[i], NULL, work, name);
	for (int i = 0; i < 2; i++)
		(void)pthread_join(thread[i], NULL);
	if (child == 0)
		_exit(0);
	(void)waitpid(child, NULL, 0);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "1";
	const long n = strtol(what, NULL, 10) * 20;
	const int is_hanging = strcmp(what, "hang") == 0, is_serving = strcmp(what, "serve") == 0;

	domain = nvtxDomainCreateA("LLM");
	begin();
	if (is_hanging) {
		(void)signal(SIGINT, SIG_IGN);
		(void)signal(SIGTERM, SIG_IGN);
	}
	if (is_serving) {
		(void)signal(SIGINT, stop);
		(void)signal(SIGTERM, stop);
	}
	for (long i = 0; (i < n || is_hanging || is_serving) && !is_over; i++)
		range(i == 2 ? "decode" : "step", 50000);
	if (strcmp(what, "crash") == 0) {
		(void)usleep(300000);
		(void)raise(SIGSEGV);
	}
	(void)puts("the program says goodbye");
	return argc > 2 ? (int)strtol(argv[2], NULL, 10) : 0;
}
