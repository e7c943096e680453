/* SPDX-License-Identifier: MIT */
/*
 * ranks.c - the rank of each process, from the first source that distinguishes the processes on
 * GPUs.
 *
 * An early source may be wrong for every process: Slurm's SLURM_PROCID is 0 in every process that
 * mpirun started within one task. A source is therefore used only if it gives each process a
 * different rank.
 */
#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "base/memory/bound.h"
#include "base/memory/sort.h"
#include "known/ranks.h"
#include "known/secrets/environment.h"
#include "model/build.h"
#include "model/ranks.h"

const char *wl_rank_variable(enum wl_rank_source source)
{
	static const char *const names[WL_N_RANK_SOURCES] = {
		[WL_RANK_ENV] = "RANK",
		[WL_RANK_ENV_OMPI] = "OMPI_COMM_WORLD_RANK",
		[WL_RANK_ENV_PMIX] = "PMIX_RANK",
		[WL_RANK_ENV_PMI] = "PMI_RANK",
		[WL_RANK_ENV_SLURM] = "SLURM_PROCID",
	};

	return names[source];
}

void wl_ranks_see(const char *name, const char *value, int64_t rank[WL_N_RANK_SOURCES])
{
	if (!strstr(name, "ENVIRONMENT_VARIABLE"))
		return;
	for (int s = WL_RANK_ENV; s <= WL_RANK_ENV_SLURM; s++) {
		const char *variable = wl_rank_variable((enum wl_rank_source)s);
		size_t n;
		const char *digits = wl_environment_value(value, variable, &n);

		/* 10 digits or more cannot be a rank. */
		if (digits && rank[s] < 0 && n > 0 && strspn(digits, "0123456789") == n && n < 10)
			rank[s] = strtoll(digits, NULL, 10);
	}
}

/* The rank that each source gives each process; -1 for none. */
struct ranking {
	struct wl_build *b;
	struct wl_process *process;
	size_t n;
	int64_t *said; /* by process and source */
};

static int64_t *said(const struct ranking *r, size_t process)
{
	return r->said + process * WL_N_RANK_SOURCES;
}

/* The first range of each process whose name contains rank=N; if two start at once, the lower
 * rank. */
static bool see_labels(struct ranking *r)
{
	struct wl_build *b = r->b;
	const uint32_t *name = b->column[WL_NVTX_NAME].data;
	const uint32_t *thread = b->column[WL_NVTX_THREAD].data;
	const wl_ns *start = b->column[WL_NVTX_START].data;
	size_t n = b->family[WL_F_NVTX].n, n_strings = b->strings.offsets.n;
	struct wl_vec ranks, firsts; /* rank in each string, -2 until it is parsed; first start */
	int64_t *rank;
	wl_ns *first;

	if (!name || !thread || !start || n == 0)
		return true;
	wl_vec_init(&ranks, sizeof(int64_t), b->budget);
	wl_vec_init(&firsts, sizeof(wl_ns), b->budget);
	rank = wl_vec_extend(&ranks, n_strings);
	first = wl_vec_extend(&firsts, r->n);
	for (size_t i = 0; rank && i < n_strings; i++)
		rank[i] = -2;
	for (size_t i = 0; first && i < r->n; i++)
		first[i] = INT64_MAX;
	for (size_t i = 0; rank && first && i < n; i++) {
		uint32_t p = ((struct wl_thread *)b->threads.data)[thread[i]].process;
		int64_t *label = &said(r, p)[WL_RANK_LABEL];

		if (name[i] == WL_NONE)
			continue;
		if (rank[name[i]] == -2)
			rank[name[i]] = wl_rank_find(wl_string_get(&b->strings, name[i]),
						     WL_RANK_IN_LABEL, NULL);
		if (rank[name[i]] >= 0 &&
		    (start[i] < first[p] || (start[i] == first[p] && rank[name[i]] < *label))) {
			first[p] = start[i];
			*label = rank[name[i]];
		}
	}
	wl_vec_release(&ranks);
	wl_vec_release(&firsts);
	return rank && first;
}

/* The caller's rank in the largest communicator that each process creates; the first if several are
 * equally large. */
static bool see_payloads(struct ranking *r)
{
	struct wl_build *b = r->b;
	const uint32_t *thread = b->column[WL_NCCL_CALLS_THREAD].data;
	const uint64_t *ranks = b->column[WL_NCCL_CALLS_RANKS].data;
	const uint64_t *rank = b->column[WL_NCCL_CALLS_RANK].data;
	size_t n = b->family[WL_F_NCCL_CALLS].n;
	struct wl_vec sizes;
	uint64_t *largest;

	if (!thread || !ranks || !rank || n == 0)
		return true;
	wl_vec_init(&sizes, sizeof(uint64_t), b->budget);
	largest = wl_vec_extend(&sizes, r->n);
	if (largest)
		memset(largest, 0, r->n * sizeof(*largest));
	for (size_t i = 0; largest && i < n; i++) {
		uint32_t p = ((struct wl_thread *)b->threads.data)[thread[i]].process;

		if (ranks[i] == WL_NO_U64 || ranks[i] <= largest[p] || rank[i] >= ranks[i] ||
		    rank[i] > INT32_MAX)
			continue;
		largest[p] = ranks[i];
		said(r, p)[WL_RANK_PAYLOAD] = (int64_t)rank[i];
	}
	wl_vec_release(&sizes);
	return largest != NULL;
}

static void see_mpi(struct ranking *r)
{
	const struct wl_mpi_rank *row = r->b->mpi_ranks.data;

	for (size_t i = 0; i < r->b->mpi_ranks.n; i++) {
		size_t p = WL_BELOW_BY(wl_process, key, r->process, r->n, row[i].key);

		if (p < r->n && r->process[p].key == row[i].key)
			said(r, p)[WL_RANK_MPI] = row[i].rank;
	}
}

/* The ranks that the environment and the name of the only file give. */
static void see_file(const struct wl_build *b, int64_t rank[WL_N_RANK_SOURCES])
{
	const struct wl_meta *meta = b->meta.data;

	for (size_t s = 0; s < WL_N_RANK_SOURCES; s++)
		rank[s] = -1;
	for (size_t i = 0; i < b->meta.n; i++)
		wl_ranks_see(wl_string_get(&b->strings, meta[i].name),
			     wl_string_get(&b->strings, meta[i].value), rank);
	rank[WL_RANK_FILE] = wl_rank_find(wl_path_name(b->path), WL_RANK_IN_FILE_NAME, NULL);
}

/*
 * The launch environment and the file's name count only if exactly one process of the file is on a
 * GPU. Processes of a file are contiguous.
 */
static void see_outside(struct ranking *r)
{
	const struct wl_build_file *file = r->b->files.data;
	int64_t alone[WL_N_RANK_SOURCES];

	see_file(r->b, alone);
	for (size_t begin = 0, end; begin < r->n; begin = end) {
		const int64_t *rank = r->b->machines ? file[r->process[begin].file].rank : alone;
		size_t n = 0, only = begin;

		for (end = begin; end < r->n && r->process[end].file == r->process[begin].file;
		     end++) {
			only = r->process[end].on_gpu ? end : only;
			n += r->process[end].on_gpu;
		}
		for (size_t s = WL_RANK_ENV; n == 1 && s <= WL_RANK_FILE; s++)
			said(r, only)[s] = rank[s];
	}
}

static void see_order(struct ranking *r)
{
	int64_t next = 0;

	for (size_t i = 0; i < r->n && r->b->machines; i++) {
		if (r->process[i].on_gpu)
			said(r, i)[WL_RANK_ORDER] = next++;
	}
}

/* Whether the source gives each process on a GPU a rank, and no two the same. room: one per
 * process. */
static bool is_distinct(const struct ranking *r, size_t source, int64_t *room)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++) {
		if (!r->process[i].on_gpu)
			continue;
		room[n] = said(r, i)[source];
		if (room[n++] < 0)
			return false;
	}
	wl_sort_i64(room, n);
	for (size_t i = 1; i < n; i++) {
		if (room[i] == room[i - 1])
			return false;
	}
	return n > 0;
}

/* The first source that gives this process a rank. */
static size_t first_said(const struct ranking *r, size_t process)
{
	for (size_t s = WL_RANK_LABEL; s < WL_RANK_ORDER; s++) {
		if (said(r, process)[s] >= 0)
			return s;
	}
	return WL_RANK_NONE;
}

static void choose(struct ranking *r, int64_t *room)
{
	size_t source = WL_RANK_LABEL;

	while (source < WL_N_RANK_SOURCES && !is_distinct(r, source, room))
		source++;
	for (size_t i = 0; i < r->n; i++) {
		struct wl_process *p = &r->process[i];
		size_t own = p->on_gpu && source < WL_N_RANK_SOURCES ? source : first_said(r, i);

		p->rank_source = (enum wl_rank_source)own;
		p->rank = own == WL_RANK_NONE ? -1 : said(r, i)[own];
	}
}

bool wl_build_rank(struct wl_build *b)
{
	struct ranking r = { b, b->processes.data, b->processes.n, NULL };
	struct wl_vec all, room;
	int64_t *spare;
	bool ok;

	wl_vec_init(&all, WL_N_RANK_SOURCES * sizeof(int64_t), b->budget);
	wl_vec_init(&room, sizeof(int64_t), b->budget);
	r.said = wl_vec_extend(&all, r.n);
	spare = wl_vec_extend(&room, r.n);
	ok = r.said && spare;
	if (ok)
		memset(r.said, 0xff, r.n * WL_N_RANK_SOURCES * sizeof(int64_t)); /* -1 */
	ok = ok && see_labels(&r) && see_payloads(&r);
	if (ok) {
		see_mpi(&r);
		see_outside(&r);
		see_order(&r);
		choose(&r, spare);
	}
	wl_vec_release(&all);
	wl_vec_release(&room);
	return ok;
}

int64_t wl_ranks_missing(const struct wl_trace *t)
{
	int64_t world = t->world, n = 0;

	/* Each process has a distinct rank. */
	for (size_t i = 0; t->n_files && i < t->n_processes; i++) {
		if (!t->processes[i].on_gpu || t->processes[i].rank_source == WL_RANK_NONE)
			continue;
		world = t->processes[i].rank >= world ? t->processes[i].rank + 1 : world;
		n++;
	}
	return n && world > n ? world - n : 0;
}

bool wl_ranks_may_be_missing(const struct wl_trace *t)
{
	return t->n_files > 1 && t->world == 0 && !wl_ranks_missing(t);
}
