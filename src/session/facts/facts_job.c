/* SPDX-License-Identifier: MIT */
#include "session/facts/facts_job.h"

#include <string.h>

#include "base/memory/intern.h"
#include "derive/comm/clocks/host_clocks.h"
#include "derive/comm/hosts.h"
#include "derive/comm/match/matches.h"
#include "derive/graph/late/late_suspects.h"
#include "derive/graph/late/straggler.h"
#include "derive/kinds/activity.h"
#include "derive/kinds/named.h"
#include "derive/nvtx/meshes.h"
#include "facts/file.h"
#include "session/facts/facts_job_parts.h"
#include "session/facts/facts_rows.h"
#include "session/job/job_clocks.h"

const uint32_t wl_facts_job_tables =
	WL_FACTS_BIT(RANKS) | WL_FACTS_BIT(STEPS) | WL_FACTS_BIT(ARRIVALS) |
	WL_FACTS_BIT(MPI_CALLS) | WL_FACTS_BIT(EXPOSED) | WL_FACTS_BIT(EXPOSED_IN) |
	WL_FACTS_BIT(IDLE) | WL_FACTS_BIT(FINDINGS) | WL_FACTS_BIT(OPS);

/* Number 0 is the empty text. */
static uint32_t string_at(const struct wl_facts_making *m, enum wl_facts_column_id column,
			  size_t row)
{
	uint32_t text = wl_facts_u32(m->f, column, row);

	return text ? text : WL_NONE;
}

static bool make_strings(struct wl_facts_making *m)
{
	const struct wl_facts_texts *texts = &m->f->texts;
	uint64_t *offset = WL_NEW(m->arena, uint64_t, texts->at.n + 1);

	for (size_t i = 0; offset && i < texts->at.n; i++)
		offset[i] = ((const uint32_t *)texts->at.data)[i];
	m->to->trace.strings = (struct wl_strings){ texts->bytes.data, offset, texts->at.n };
	return offset != NULL;
}

/* A file per part; their clocks are UTC from the earliest on, as those of traces. */
static bool make_files(struct wl_facts_making *m)
{
	uint32_t *of_text = WL_NEW(m->arena, uint32_t, m->f->texts.at.n + 1);
	uint32_t *file_of = WL_NEW(m->arena, uint32_t, m->n);
	int64_t first = INT64_MAX;
	size_t n = 0;

	m->file = WL_NEW(m->arena, struct wl_trace_file, m->n);
	if (!of_text || !file_of || !m->file)
		return false;
	for (size_t i = 0; i < m->n; i++) {
		uint32_t part = wl_facts_u32(m->f, WL_FACTS_RANKS_PART, i);
		int64_t utc = wl_facts_i64(m->f, WL_FACTS_RANKS_START, i);

		utc = utc > 0 && utc < WL_TIME_MAX ? utc : 0;
		first = utc && utc < first ? utc : first;
		if (of_text[part] == 0) {
			m->file[n] = (struct wl_trace_file){
				.path = part,
				.host = string_at(m, WL_FACTS_RANKS_HOST, i),
				.utc = utc,
				.duration = WL_NO_TIME,
			};
			for (size_t k = 0; k < WL_N_FILE_FACTS; k++)
				m->file[n].fact[k] = WL_NONE;
			of_text[part] = (uint32_t)++n;
		}
		file_of[i] = of_text[part] - 1;
	}
	for (size_t i = 0; i < n; i++)
		m->file[i].offset =
			m->file[i].utc ? wl_facts_bound_time(m->file[i].utc - first) : 0;
	m->file_of = file_of;
	m->to->trace.files = m->file;
	m->to->trace.n_files = n;
	return true;
}

static struct wl_mesh mesh_at(const struct wl_facts_making *m, size_t row)
{
	struct wl_mesh mesh = { .host = string_at(m, WL_FACTS_RANKS_HOST, row) };

	for (unsigned i = 0; i < WL_N_COORDINATES; i++) {
		uint32_t at =
			wl_facts_u32(m->f, (enum wl_facts_column_id)(WL_FACTS_RANKS_PP + i), row);

		mesh.at[i] = at == WL_NONE ? -1 : (int64_t)at;
	}
	return mesh;
}

/* What makes a process; compared by its bytes. */
struct process_key {
	uint32_t file, pid;
};

/* The first rank of the same process, which may use several GPUs. */
static bool find_firsts(struct wl_facts_making *m)
{
	uint32_t *first = WL_NEW(m->arena, uint32_t, m->n);
	uint32_t *rank = WL_NEW(m->arena, uint32_t, m->n);
	struct wl_intern seen;
	bool ok = first && rank;

	wl_intern_init(&seen, sizeof(struct process_key), wl_arena_budget(m->arena));
	for (uint32_t i = 0; ok && i < m->n; i++) {
		const struct process_key key = { m->file_of[i],
						 wl_facts_u32(m->f, WL_FACTS_RANKS_PID, i) };
		size_t n = seen.items.n;
		uint32_t at = key.pid == WL_NONE ? WL_NONE : wl_intern_put(&seen, &key);

		ok = at != WL_NONE || key.pid == WL_NONE;
		first[i] = i;
		if (at == n)
			rank[at] = i;
		else if (at != WL_NONE)
			first[i] = rank[at];
	}
	wl_intern_release(&seen);
	m->first = first;
	return ok;
}

/* As all ranks name it. */
static uint32_t find_name(const struct wl_facts_making *m)
{
	uint32_t name = m->n ? string_at(m, WL_FACTS_RANKS_JOB, 0) : WL_NONE;

	for (size_t i = 1; i < m->n; i++) {
		if (string_at(m, WL_FACTS_RANKS_JOB, i) != name)
			return WL_NONE;
	}
	return name;
}

static bool make_ranks(struct wl_facts_making *m)
{
	struct wl_process *process = WL_NEW(m->arena, struct wl_process, m->n);
	struct wl_device *device = WL_NEW(m->arena, struct wl_device, m->n);
	struct wl_place *place = WL_NEW(m->arena, struct wl_place, m->n);
	struct wl_mesh *mesh = WL_NEW(m->arena, struct wl_mesh, m->n);
	struct wl_ranks *ranks = WL_NEW(m->arena, struct wl_ranks, 1);
	struct wl_meshes *meshes = WL_NEW(m->arena, struct wl_meshes, 1);
	int64_t *number = WL_NEW(m->arena, int64_t, m->n);
	struct wl_trace *t = &m->to->trace;

	if (!process || !device || !place || !mesh || !ranks || !meshes || !number)
		return false;
	for (uint32_t i = 0; i < m->n; i++) {
		uint32_t rank = wl_facts_u32(m->f, WL_FACTS_RANKS_NUMBER, i);
		uint32_t world = wl_facts_u32(m->f, WL_FACTS_RANKS_WORLD, i);
		uint32_t host = string_at(m, WL_FACTS_RANKS_HOST, i);

		number[i] = rank == WL_NONE ? -1 : (int64_t)rank;
		process[i] = (struct wl_process){
			.key = m->first[i],
			.rank = number[i],
			.rank_source = rank == WL_NONE ? WL_RANK_NONE : WL_RANK_LABEL,
			.pid = wl_facts_u32(m->f, WL_FACTS_RANKS_PID, i),
			.name = WL_NONE,
			.host = host,
			.file = m->file_of[i],
			/* Notes count processes: one that uses several GPUs is one. */
			.on_gpu = m->first[i] == i,
		};
		device[i] = (struct wl_device){
			.proven = true,
			.process = WL_NONE,
			.ordinal = i,
			.gpu = WL_NONE,
			.uuid = string_at(m, WL_FACTS_RANKS_GPU_UUID, i),
			.name = string_at(m, WL_FACTS_RANKS_GPU, i),
			.gpu_id = i,
		};
		place[i] = (struct wl_place){ .process = i, .device = i };
		mesh[i] = mesh_at(m, i);
		if (world != WL_NONE && world > t->world)
			t->world = world;
	}
	ranks->of = number;
	meshes->of = mesh;
	m->to->derived.ranks = ranks;
	m->to->derived.meshes = meshes;
	t->processes = process;
	t->devices = device;
	t->places = place;
	t->n_processes = t->n_devices = t->n_places = m->n;
	t->job = find_name(m);
	return true;
}

/* Match what arrives on the clocks that the files have now. */
static bool match(struct wl_facts_making *m, const struct wl_comm_queues *queues)
{
	struct wl_derived *d = &m->to->derived;
	struct wl_hosts *hosts = WL_NEW(m->arena, struct wl_hosts, 1);
	struct wl_matches *matches = WL_NEW(m->arena, struct wl_matches, 1);
	struct wl_host_clocks *clocks = WL_NEW(m->arena, struct wl_host_clocks, 1);

	if (!hosts || !matches || !clocks)
		return false;
	for (size_t i = 0; i < queues->n_ops; i++) {
		uint32_t rank = m->op[i].place;

		m->op[i].start = wl_facts_on_job(m, rank, m->start[i]);
		m->op[i].dur = wl_facts_on_job(m, rank, m->start[i] + m->dur[i]) - m->op[i].start;
		m->op[i].match = WL_NONE;
		m->op[i].late = 0;
	}
	matches->queues = *queues;
	if (!wl_hosts_find(d, m->arena, hosts))
		return false;
	d->hosts = hosts;
	if (!wl_matches_among(d, m->arena, matches))
		return false;
	d->matches = matches;
	d->host_clocks = clocks;
	return wl_host_clocks_find(d, m->arena, clocks);
}

/* As a session does for a job of traces: fit the clocks of hosts on the first matches. */
static bool make_matches(struct wl_facts_making *m)
{
	struct wl_wanted wanted = { .from = 0 };
	struct wl_comm_queues queues;

	if (!wl_facts_make_queues(m, &queues) || !match(m, &queues))
		return false;
	if (!wl_job_clocks_want(&m->to->trace, &wanted))
		return true;
	m->file = wl_job_clocks_fit(&m->to->derived, m->arena);
	if (!m->file)
		return false;
	m->to->trace.files = m->file;
	return match(m, &queues);
}

/* Everything: the hull of all ranks is the window of each. */
static bool make_scope(struct wl_facts_making *m)
{
	struct wl_interval *device = WL_NEW(m->arena, struct wl_interval, m->n);
	bool *on = WL_NEW(m->arena, bool, m->n);
	struct wl_interval all = { INT64_MAX, INT64_MIN };

	if (!device || !on)
		return false;
	for (uint32_t i = 0; i < m->n; i++) {
		struct wl_interval own = wl_facts_window_at(m, i);

		all.begin = own.begin < all.begin ? own.begin : all.begin;
		all.end = own.end > all.end ? own.end : all.end;
	}
	for (size_t i = 0; i < m->n; i++) {
		device[i] = all;
		on[i] = true;
	}
	m->to->scope = (struct wl_scope){ .whole = true,
					  .device = device,
					  .device_on = on,
					  .place_on = on,
					  .process = device,
					  .process_on = on };
	return true;
}

/*
 * Where communication is not exposed, compute hides it: only that is asked of activity. A segment
 * for each exposed stretch and one before it, and one after the last.
 */
static bool make_activity(struct wl_facts_making *m)
{
	struct wl_activities *all = WL_NEW(m->arena, struct wl_activities, 1);
	struct wl_activity *device = WL_NEW(m->arena, struct wl_activity, m->n);
	size_t row = 0;

	if (!all || !device)
		return false;
	for (uint32_t i = 0; i < m->n; i++) {
		size_t first = row, n;
		uint8_t *mask;
		wl_ns *begin, at = -WL_TIME_MAX;

		while (row < m->f->n[WL_FACTS_EXPOSED] &&
		       wl_facts_u32(m->f, WL_FACTS_EXPOSED_RANK, row) == i)
			row++;
		n = 2 * (row - first) + 1;
		mask = WL_NEW(m->arena, uint8_t, n);
		begin = WL_NEW(m->arena, wl_ns, n + 1);
		if (!mask || !begin)
			return false;
		for (size_t k = 0; k < row - first; k++) {
			wl_ns from = wl_facts_time_at(m, WL_FACTS_EXPOSED_BEGIN, first + k);
			wl_ns to = from + wl_facts_length_at(m, WL_FACTS_EXPOSED_DUR, first + k);

			/* Stretches of facts that were made up may overlap. */
			from = wl_facts_on_job(m, i, from);
			to = wl_facts_on_job(m, i, to);
			begin[2 * k] = at;
			mask[2 * k] = WL_ON_COMPUTE;
			at = from > at ? from : at;
			begin[2 * k + 1] = at;
			mask[2 * k + 1] = WL_ON_COMM;
			at = to > at ? to : at;
		}
		begin[n - 1] = at;
		mask[n - 1] = WL_ON_COMPUTE;
		begin[n] = WL_TIME_MAX;
		device[i] =
			(struct wl_activity){ .device = i, .n = n, .begin = begin, .mask = mask };
	}
	all->device = device;
	m->to->derived.all_activity = m->to->derived.activity = all;
	return true;
}

/* Whether a rank has MPI calls that were not kept. */
static bool lacks_calls(const struct wl_facts *f)
{
	size_t row = 0;

	for (size_t i = 0; i < f->n[WL_FACTS_RANKS]; i++) {
		uint32_t n = wl_facts_u32(f, WL_FACTS_RANKS_MPI, i);
		size_t first = row;

		while (row < f->n[WL_FACTS_MPI_CALLS] &&
		       wl_facts_u32(f, WL_FACTS_MPI_CALLS_RANK, row) == i)
			row++;
		if (n != WL_NONE && n > row - first)
			return true;
	}
	return false;
}

/* Who is suspected follows from arrivals; without events nothing is replayed. */
static bool make_stragglers(struct wl_facts_making *m)
{
	struct wl_stragglers *stragglers = WL_NEW(m->arena, struct wl_stragglers, 1);
	struct wl_late_suspects *suspects = WL_NEW(m->arena, struct wl_late_suspects, 1);
	struct wl_interval *extent = WL_NEW(m->arena, struct wl_interval, m->n);

	if (!stragglers || !suspects || !extent)
		return false;
	for (uint32_t i = 0; i < m->n; i++)
		extent[i] = wl_facts_window_at(m, i);
	if (!wl_late_suspects_find(&m->to->derived, NULL, extent, WL_LATE_AT_MOST, m->arena,
				   suspects))
		return false;
	*stragglers = (struct wl_stragglers){ .no_events = true,
					      .no_mpi = lacks_calls(m->f),
					      .is_refused = suspects->is_refused,
					      .no_clock = suspects->no_clock,
					      .suspects = suspects };
	m->to->derived.stragglers = stragglers;
	m->to->suspects = suspects;
	m->to->extent = extent;
	return true;
}

/* What only rows say. */
static bool make_rest(struct wl_facts_making *m)
{
	struct wl_named *named = WL_NEW(m->arena, struct wl_named, 1);

	m->to->derived.named = named;
	return named != NULL;
}

/*
 * What was recorded is not known, and not said: facts are asked as if all families had rows. There
 * are no columns, so a reader of one finds it NULL, as one that was not loaded. Only whether graphs
 * were replayed is known: they may hide communication.
 */
static void make_families(struct wl_facts_making *m)
{
	struct wl_family *family = m->to->trace.family;

	for (size_t i = 0; i < WL_N_FAMILIES; i++)
		family[i] = (struct wl_family){ .present = true, .n = i != WL_F_GRAPHS };
	for (size_t i = 0; i < m->f->n[WL_FACTS_OPS]; i++) {
		if (strcmp(wl_facts_str(m->f, WL_FACTS_OPS_NAME, i), wl_facts_graph_op) == 0)
			family[WL_F_GRAPHS].n = 1;
	}
}

bool wl_facts_job_make(const struct wl_facts *facts, const char *path, struct wl_arena *arena,
		       struct wl_facts_job *ret)
{
	struct wl_facts_making m = { .f = facts, .arena = arena, .to = ret };

	*ret = (struct wl_facts_job){
		.trace = { .path = path,
			   .reader = "facts",
			   .duration = WL_NO_TIME,
			   .host = WL_NONE,
			   .job = WL_NONE },
		.facts = facts,
	};
	m.n = facts->n[WL_FACTS_RANKS];
	make_families(&m);
	ret->derived.trace = &ret->trace;
	return make_strings(&m) && make_files(&m) && find_firsts(&m) && make_ranks(&m) &&
	       wl_facts_make_comms(&m) && make_matches(&m) && make_scope(&m) &&
	       wl_facts_make_ledger(&m) && wl_facts_make_iterations(&m) && make_activity(&m) &&
	       make_stragglers(&m) && make_rest(&m);
}
