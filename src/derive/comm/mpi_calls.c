/* SPDX-License-Identifier: MIT */
#include "derive/comm/mpi_calls.h"

#include <ctype.h>
#include <string.h>

#include "derive/derived.h"
#include "known/exports/codes.h"
#include "known/kernels/collectives.h"

/* Size of the buffer for a function name, including the terminating NUL. */
enum { NAME_CAP = 64 };

bool wl_mpi_counts(const struct wl_mpi_calls *calls, const struct wl_mpi_source *source, size_t row)
{
	const struct wl_range_names *names = calls->names;
	const struct wl_trace *t = calls->trace;
	const char *domain;

	if (source->family != WL_F_NVTX)
		return true;
	if (names->of[row] == WL_NONE || !wl_nvtx_is_push_pop(wl_nvtx_kind(t)[row]) ||
	    calls->has_rows[t->threads[source->rows.thread[row]].process])
		return false;
	domain = wl_range_name_of(names, row)->domain;
	return domain && strcmp(domain, "MPI") == 0;
}

/* Context for grouping the rows of a source by thread. */
struct dealing {
	const struct wl_mpi_calls *calls;
	const struct wl_mpi_source *source;
};

static uint32_t list_of(const void *ctx, size_t row)
{
	const struct dealing *d = ctx;

	return wl_mpi_counts(d->calls, d->source, row) ? d->source->rows.thread[row] : WL_NONE;
}

static struct wl_mpi_source source_of(const struct wl_trace *t, enum wl_family_id family,
				      const uint32_t *name, const int64_t *bytes)
{
	struct wl_mpi_source s = { .family = family,
				   .rows = wl_trace_thread_rows(t, family),
				   .name = name,
				   .bytes = bytes };

	s.rows.n = name && s.rows.start && s.rows.dur && s.rows.thread ? s.rows.n : 0;
	return s;
}

bool wl_mpi_calls_find(const struct wl_derived *given, struct wl_arena *arena,
		       struct wl_mpi_calls *ret)
{
	const struct wl_trace *t = given->trace;
	bool *has_rows = WL_NEW(arena, bool, t->n_processes);

	*ret = (struct wl_mpi_calls){
		.trace = t,
		.names = given->range_names,
		.has_rows = has_rows,
		.of = { source_of(t, WL_F_MPI_COLLS, wl_mpi_colls_name(t), wl_mpi_colls_bytes(t)),
			source_of(t, WL_F_MPI_P2P, wl_mpi_p2p_name(t), wl_mpi_p2p_bytes(t)),
			source_of(t, WL_F_MPI_WAITS, wl_mpi_waits_name(t), NULL),
			source_of(t, WL_F_MPI_OTHERS, wl_mpi_others_name(t), NULL),
			source_of(t, WL_F_NVTX, wl_nvtx_name(t), NULL) },
	};
	for (size_t s = 0; has_rows && s + 1 < WL_N_MPI_SOURCES; s++) {
		for (size_t i = 0; i < ret->of[s].rows.n; i++)
			has_rows[t->threads[ret->of[s].rows.thread[i]].process] = true;
	}
	for (size_t s = 0; s < WL_N_MPI_SOURCES; s++) {
		struct wl_mpi_source *source = &ret->of[s];
		const struct dealing dealing = { ret, source };
		const struct wl_list_deal deal = { source->family, t->n_threads, list_of,
						   &dealing };

		if (!has_rows || !wl_outer_lists_make(t, &deal, arena, &source->by_thread))
			return false;
		for (size_t i = 0; i < t->n_threads; i++)
			ret->any = ret->any ||
				   source->by_thread.list[i].lo < source->by_thread.list[i].hi;
	}
	return true;
}

const char *wl_mpi_kind_name(enum wl_mpi_kind kind)
{
	static const char *const names[WL_N_MPI_KINDS] = { "collective", "p2p", "wait", "other" };

	return names[kind];
}

static enum wl_mpi_kind kind_of_function(const char *function)
{
	enum wl_mpi_message message = wl_mpi_message_of(function);

	if (message == WL_MPI_AWAIT)
		return WL_MPI_WAIT;
	if (message != WL_MPI_NO_MESSAGE)
		return WL_MPI_P2P;
	return wl_mpi_is_collective(function) ? WL_MPI_COLLECTIVE : WL_MPI_OTHER;
}

enum wl_mpi_kind wl_mpi_kind_of(const struct wl_mpi_source *source, const char *function)
{
	static const char begins[] = "MPI_I";
	const size_t n = sizeof(begins) - 1, length = strlen(function);
	enum wl_mpi_kind kind;
	char blocking[NAME_CAP];

	if (source->family == WL_F_MPI_COLLS)
		return WL_MPI_COLLECTIVE;
	if (source->family == WL_F_MPI_P2P)
		return WL_MPI_P2P;
	if (source->family == WL_F_MPI_WAITS)
		return WL_MPI_WAIT;
	kind = kind_of_function(function);
	if (kind != WL_MPI_OTHER || strncmp(function, begins, n) != 0 || length >= NAME_CAP)
		return kind;
	/* MPI_Isend has the same kind as MPI_Send. */
	memcpy(blocking, function, n - 1);
	memcpy(blocking + n - 1, function + n, length - n + 1);
	blocking[n - 1] = (char)toupper((unsigned char)blocking[n - 1]);
	return kind_of_function(blocking);
}
