/* SPDX-License-Identifier: MIT */
#include "known/kernels/collectives.h"

#include <string.h>

#include "base/attr.h"
#include "known/kernels/names.h"

enum { MAX_BASE = 1024 };

static const char *const titles[] = {
#define WL_COLLECTIVE(TYPE, key, title) [WL_##TYPE] = (title),
#define WL_COLLECTIVE_NAME(TYPE, part)
#include "known/kernels/collectives.def"
#undef WL_COLLECTIVE
#undef WL_COLLECTIVE_NAME
};

static const char *const keys[] = {
#define WL_COLLECTIVE(TYPE, key, title) [WL_##TYPE] = (key),
#define WL_COLLECTIVE_NAME(TYPE, part)
#include "known/kernels/collectives.def"
#undef WL_COLLECTIVE
#undef WL_COLLECTIVE_NAME
};

static const struct {
	enum wl_collective type;
	const char *part;
} names[] = {
#define WL_COLLECTIVE(TYPE, key, title)
#define WL_COLLECTIVE_NAME(TYPE, part) { WL_##TYPE, part },
#include "known/kernels/collectives.def"
#undef WL_COLLECTIVE
#undef WL_COLLECTIVE_NAME
};

const char *wl_collective_title(enum wl_collective type)
{
	return titles[type];
}

const char *wl_collective_key(enum wl_collective type)
{
	return keys[type];
}

/* All that is not ASCII counts as letters. */
static bool is_letter_or_digit(unsigned char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       c >= 0x80;
}

static bool has_part(const char *name, const char *part)
{
	if (*part != '^')
		return strcasestr(name, part) != NULL;
	for (const char *at = name; (at = strcasestr(at, part + 1)); at++) {
		if (at == name || !is_letter_or_digit((unsigned char)at[-1]))
			return true;
	}
	return false;
}

enum wl_collective wl_collective_named(const char *demangled)
{
	char base[MAX_BASE];

	(void)wl_name_base(demangled, base, sizeof(base));
	for (size_t i = 0; i < WL_COUNT(names); i++) {
		if (has_part(base, names[i].part))
			return names[i].type;
	}
	return WL_OTHER;
}

bool wl_range_is_all_to_all(const char *name)
{
	for (size_t i = 0; i < WL_COUNT(names); i++) {
		if (names[i].type == WL_ALL_TO_ALL && has_part(name, names[i].part))
			return true;
	}
	return false;
}

static bool has_parts(enum wl_collective type)
{
	return type == WL_ALL_GATHER || type == WL_REDUCE_SCATTER || type == WL_ALL_TO_ALL;
}

double wl_collective_volume(enum wl_collective type, int64_t bytes, size_t n)
{
	return (double)bytes * (has_parts(type) ? (double)n : 1);
}

double wl_collective_bus_factor(enum wl_collective type, size_t n)
{
	double others = n ? (double)(n - 1) / (double)n : 0;

	return type == WL_ALL_REDUCE ? 2 * others : has_parts(type) ? others : 1;
}

bool wl_mpi_is_collective(const char *function)
{
	/* Without the names that wl_collective_named() knows. */
	static const char *const others[] = { "MPI_Barrier", "MPI_Gather",   "MPI_Gatherv",
					      "MPI_Scatter", "MPI_Scatterv", "MPI_Scan",
					      "MPI_Exscan" };
	enum wl_collective type;

	if (strncmp(function, "MPI_", 4) != 0 || strncmp(function, "MPI_Reduce_local", 16) == 0)
		return false;
	for (size_t i = 0; i < WL_COUNT(others); i++) {
		if (strcmp(function, others[i]) == 0)
			return true;
	}
	type = wl_collective_named(function);
	/* MPI_Iallreduce only begins one. */
	return type != WL_OTHER && type != WL_SEND_RECV && function[4] != 'I';
}

enum wl_mpi_message wl_mpi_message_of(const char *function)
{
	static const struct {
		const char *name;
		enum wl_mpi_message message;
	} known[] = {
		{ "MPI_Send", WL_MPI_SEND },         { "MPI_Ssend", WL_MPI_SEND },
		{ "MPI_Bsend", WL_MPI_SEND },        { "MPI_Rsend", WL_MPI_SEND },
		{ "MPI_Recv", WL_MPI_RECEIVE },      { "MPI_Mrecv", WL_MPI_RECEIVE },
		{ "MPI_Sendrecv", WL_MPI_EXCHANGE }, { "MPI_Sendrecv_replace", WL_MPI_EXCHANGE },
		{ "MPI_Wait", WL_MPI_AWAIT },        { "MPI_Waitall", WL_MPI_AWAIT },
		{ "MPI_Waitany", WL_MPI_AWAIT },     { "MPI_Waitsome", WL_MPI_AWAIT },
		{ "MPI_Probe", WL_MPI_AWAIT },       { "MPI_Mprobe", WL_MPI_AWAIT },
	};

	for (size_t i = 0; i < WL_COUNT(known); i++) {
		if (strcmp(function, known[i].name) == 0)
			return known[i].message;
	}
	return WL_MPI_NO_MESSAGE;
}
