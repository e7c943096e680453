/* SPDX-License-Identifier: MIT */
#include "derive/comm/mpi_comms.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory/bound.h"
#include "base/memory/intern.h"
#include "base/memory/sort.h"

/* Identifies the rows of one communicator; unused fields are all ones. */
struct key {
	uint64_t size, rank, number, row;
	uint32_t members, from_start;
};

static bool row_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct wl_trace *t = ctx;
	const uint64_t *rank = wl_mpi_comms_rank(t), *comm = wl_mpi_comms_comm(t);
	const wl_ns *time = wl_mpi_comms_time(t);

	if (rank[a] != rank[b])
		return rank[a] < rank[b];
	if (comm[a] != comm[b])
		return comm[a] < comm[b];
	return time[a] != time[b] ? time[a] < time[b] : a < b;
}

static bool is_from_start(const struct wl_trace *t, size_t row)
{
	uint64_t parent = wl_mpi_comms_parent(t)[row];

	return parent == 0 || parent == WL_NO_U64;
}

static struct key key_of(const struct wl_trace *t, size_t row)
{
	uint32_t members = wl_mpi_comms_members(t)[row];
	struct key key = { wl_mpi_comms_size(t)[row], WL_NO_U64, WL_NO_U64, WL_NO_U64, WL_NONE, 0 };

	if (is_from_start(t, row)) {
		key.from_start = 1;
	} else if (members != WL_NONE && *wl_str(t, members)) {
		key.members = members;
	} else {
		key.rank = wl_mpi_comms_rank(t)[row];
		key.number = wl_mpi_comms_comm(t)[row];
		key.row = row;
	}
	return key;
}

static const char *name_of(const struct wl_trace *t, const struct key *key, uint64_t world,
			   struct wl_arena *arena)
{
	static const char ranks[] = "ranks ";
	enum { NUMBER_CAP = 64 };
	const char *members = key->members == WL_NONE ? NULL : wl_str(t, key->members);
	size_t cap = members ? sizeof(ranks) + strlen(members) : NUMBER_CAP;
	char *name;

	if (key->from_start && key->size == world)
		return "MPI_COMM_WORLD";
	if (key->from_start && key->size == 1)
		return "MPI_COMM_SELF";
	name = WL_NEW(arena, char, cap);
	if (name && members)
		(void)snprintf(name, cap, "%s%s", ranks, members);
	else if (name && key->from_start)
		(void)snprintf(name, cap, "of %" PRIu64 " ranks", key->size);
	else if (name)
		(void)snprintf(name, cap, "0x%" PRIx64 " of rank %" PRId64, key->number,
			       (int64_t)key->rank);
	return name;
}

static bool number_rows(struct wl_mpi_comms *c, struct wl_intern *keys, uint32_t *comm,
			struct wl_arena *arena)
{
	const struct wl_trace *t = c->trace;
	struct wl_mpi_comm *at;
	uint64_t world = 0;

	for (size_t i = 0; i < c->n_rows; i++) {
		struct key key = key_of(t, i);

		comm[i] = wl_intern_put(keys, &key);
		if (comm[i] == WL_NONE)
			return false;
		if (key.size != WL_NO_U64 && key.size > world)
			world = key.size;
	}
	c->n = keys->items.n;
	c->at = at = WL_NEW(arena, struct wl_mpi_comm, c->n);
	for (size_t i = 0; at && i < c->n; i++) {
		const struct key *key = (const struct key *)keys->items.data + i;

		at[i] = (struct wl_mpi_comm){ name_of(t, key, world, arena), key->size };
		if (!at[i].name)
			return false;
	}
	return at != NULL;
}

static const int64_t *find_ranks(const struct wl_trace *t, struct wl_arena *arena)
{
	int64_t *rank = WL_NEW(arena, int64_t, t->n_processes);

	for (size_t i = 0; rank && i < t->n_processes; i++)
		rank[i] = -1;
	for (size_t i = 0; rank && i < t->n_mpi_ranks; i++) {
		const uint64_t key = t->mpi_ranks[i].key;
		size_t p = WL_BELOW_BY(wl_process, key, t->processes, t->n_processes, key);

		if (p < t->n_processes && t->processes[p].key == key)
			rank[p] = t->mpi_ranks[i].rank;
	}
	return rank;
}

bool wl_mpi_comms_find(const struct wl_trace *trace, struct wl_arena *arena,
		       struct wl_mpi_comms *ret)
{
	size_t n = wl_mpi_comms_comm(trace) ? trace->family[WL_F_MPI_COMMS].n : 0;
	uint32_t *row = WL_NEW(arena, uint32_t, 2 * n), *comm = WL_NEW(arena, uint32_t, n);
	struct wl_intern keys;
	bool ok;

	*ret = (struct wl_mpi_comms){ .trace = trace, .row = row, .comm = comm, .n_rows = n };
	ret->rank = find_ranks(trace, arena);
	if (!row || !comm || !ret->rank)
		return false;
	wl_sort_all(row, n, row_less, trace);
	wl_intern_init(&keys, sizeof(struct key), wl_arena_budget(arena));
	ok = number_rows(ret, &keys, comm, arena);
	wl_intern_release(&keys);
	return ok;
}

struct place {
	const struct wl_mpi_comms *comms;
	uint64_t rank, number;
	wl_ns time; /* rows up to this time come first */
};

static bool comes_before(const void *ctx, size_t i)
{
	const struct place *p = ctx;
	const struct wl_trace *t = p->comms->trace;
	uint32_t row = p->comms->row[i];
	uint64_t rank = wl_mpi_comms_rank(t)[row], number = wl_mpi_comms_comm(t)[row];

	if (rank != p->rank)
		return rank < p->rank;
	if (number != p->number)
		return number < p->number;
	return wl_mpi_comms_time(t)[row] <= p->time;
}

static bool is_at(const struct place *p, size_t i)
{
	const struct wl_trace *t = p->comms->trace;

	return i < p->comms->n_rows && wl_mpi_comms_rank(t)[p->comms->row[i]] == p->rank &&
	       wl_mpi_comms_comm(t)[p->comms->row[i]] == p->number;
}

uint32_t wl_mpi_comm_of(const struct wl_mpi_comms *comms, int64_t rank, uint64_t number, wl_ns time)
{
	const struct place p = { comms, (uint64_t)rank, number, time };
	size_t i = wl_lower_bound(comms->n_rows, comes_before, &p);

	if (i > 0 && is_at(&p, i - 1))
		return comms->comm[comms->row[i - 1]];
	return is_at(&p, i) ? comms->comm[comms->row[i]] : WL_NONE;
}
