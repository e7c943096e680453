/* SPDX-License-Identifier: MIT */
#include "analysis/capture/coach_facts.h"

#include <string.h>

#include "analysis/empty.h"
#include "derive/calls/launch.h"
#include "derive/kinds/classes.h"
#include "derive/use/range_use.h"
#include "known/exports/codes.h"
#include "known/exports/losses.h"
#include "model/command.h"

/*
 * The driver migrates managed memory on its own: such a copy has no launch call in any capture.
 * When these copies were counted, 99.9% of the GPU work of one trace seemed unlinked, though all of
 * its 7 kernels were linked.
 */
static bool is_migration(const struct wl_trace *t, enum wl_family_id family, size_t row)
{
	const uint8_t *kind = family == WL_F_MEMCPYS ? wl_memcpys_kind(t) : NULL;

	return kind && (kind[row] == WL_COPY_UVM_H2D || kind[row] == WL_COPY_UVM_D2H ||
			kind[row] == WL_COPY_UVM_D2D);
}

static void count_ops(const struct wl_run *r, struct wl_coach_facts *f)
{
	for (size_t k = 0; k < WL_N_OP_FAMILIES; k++) {
		struct wl_ops ops = wl_trace_ops(r->trace, wl_op_families[k]);

		for (size_t i = 0; i < ops.n; i++) {
			if (is_migration(r->trace, wl_op_families[k], i)) {
				f->n_migrations++;
				continue;
			}
			f->n_ops++;
			f->n_linked +=
				wl_link_of(r->derived->links, (enum wl_op_kind)k, i) != WL_NONE;
		}
	}
}

/* Whether any operation of the family is communication. */
static bool communicates(const struct wl_run *r, enum wl_family_id family)
{
	for (size_t i = 0; i < r->trace->family[family].n; i++) {
		if (wl_class_of(r->trace, r->derived->classes, family, i) == WL_COMM)
			return true;
	}
	return false;
}

static void see_ranks(const struct wl_run *r, struct wl_coach_facts *f)
{
	const struct wl_trace *t = r->trace;

	f->uses_nccl = communicates(r, WL_F_KERNELS) || communicates(r, WL_F_MEMCPYS);
	/* Check all four tables: a job may have only MPI_Sendrecv calls, which are in the table of
	 * other calls. */
	f->communicates = f->uses_nccl || t->family[WL_F_MPI_COLLS].present ||
			  t->family[WL_F_MPI_P2P].present || t->family[WL_F_MPI_WAITS].present ||
			  t->family[WL_F_MPI_OTHERS].present;
	for (size_t i = 0; i < t->n_processes; i++)
		f->n_ranks += t->processes[i].on_gpu;
	/* One process may drive several GPUs, each of which is a rank in its communicators. */
	if (f->n_ranks == 1)
		f->n_ranks = t->n_devices;
	f->world = t->n_files ? t->world : wl_trace_world(t);
}

static void see_losses(const struct wl_trace *t, struct wl_coach_facts *f)
{
	const uint8_t *severity = wl_diagnostics_severity(t);
	const uint32_t *text = wl_diagnostics_text(t);
	const char *about;

	/* If nothing ran on a GPU, the profiler's messages about CUDA may explain it. */
	f->in_doubt = !wl_has_operations(t) && wl_messages_about_cuda(t, &about, 1) > 0;
	for (size_t i = 0; severity && text && i < t->family[WL_F_DIAGNOSTICS].n; i++) {
		const char *said = wl_str(t, text[i]);

		f->in_doubt = f->in_doubt || wl_message_doubts_cuda(severity[i], said);
		if (!f->lost && wl_message_tells_loss(severity[i], said))
			f->lost = said;
	}
}

/* Uses the list of tables: loading their rows would cost more than all other questions. */
static bool has_table(const struct wl_trace *t, const char *name)
{
	const uint32_t *names = wl_tables_name(t);
	const int64_t *rows = wl_tables_rows(t);

	for (size_t i = 0; names && rows && i < t->family[WL_F_TABLES].n; i++) {
		if (rows[i] > 0 && strcmp(wl_str(t, names[i]), name) == 0)
			return true;
	}
	return false;
}

/*
 * Bytes per row in exports of nsys 2020 to 2026: weighted means over tables of at least 1000 rows
 * in public traces. docs/analyses/coach.md gives their spread.
 */
static int64_t bytes_per_row(const char *table)
{
	static const struct {
		const char *table;
		int64_t bytes;
	} sizes[] = {
		{ "CUPTI_ACTIVITY_KIND_KERNEL", 84 },
		{ "NVTX_EVENTS", 77 },
		{ "CUPTI_ACTIVITY_KIND_MEMCPY", 54 },
		{ "CUPTI_ACTIVITY_KIND_MEMSET", 47 },
		{ "CUPTI_ACTIVITY_KIND_RUNTIME", 38 },
		{ "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", 47 },
		{ "CUPTI_ACTIVITY_KIND_CUDA_EVENT", 27 },
		{ "OSRT_API", 36 },
		{ "OSRT_CALLCHAINS", 28 },
		{ "SAMPLING_CALLCHAINS", 30 },
		{ "COMPOSITE_EVENTS", 27 },
		{ "SCHED_EVENTS", 26 },
		{ "GPU_METRICS", 25 },
	};
	enum { OTHERS = 45 };

	for (size_t i = 0; i < WL_COUNT(sizes); i++) {
		if (strcmp(sizes[i].table, table) == 0)
			return sizes[i].bytes;
	}
	return OTHERS;
}

static void see_size(const struct wl_trace *t, struct wl_coach_facts *f)
{
	enum { EMPTY = 400000 }; /* an export without events: names, enumerations, schema */
	const int64_t most = INT64_C(1) << 40; /* rows; no file has that many */
	const int64_t *rows = wl_tables_rows(t);
	const uint32_t *names = wl_tables_name(t);

	f->bytes = EMPTY;
	/* Counts come from the file: the product must not overflow. */
	for (size_t i = 0; names && rows && i < t->family[WL_F_TABLES].n; i++) {
		if (rows[i] < most && f->bytes < most * 1000)
			f->bytes += rows[i] * bytes_per_row(wl_str(t, names[i]));
	}
}

/* Rows of a thread are sorted by start; nested rows are not counted twice. */
static void see_overhead(const struct wl_trace *t, struct wl_coach_facts *f)
{
	const wl_ns *start = wl_overhead_start(t);
	const uint32_t *dur = wl_overhead_dur(t), *thread = wl_overhead_thread(t);
	wl_ns sum = 0, until = 0;

	for (size_t i = 0; start && dur && thread && i < t->family[WL_F_OVERHEAD].n; i++) {
		const bool is_first = i == 0 || thread[i] != thread[i - 1];
		const wl_ns begin = !is_first && start[i] < until ? until : start[i];
		const wl_ns end = start[i] + (wl_ns)dur[i];

		sum = (is_first ? 0 : sum) + (end > begin ? end - begin : 0);
		until = is_first || end > until ? end : until;
		if (sum > f->overhead_ns) {
			f->overhead_ns = sum;
			f->overhead_tid = t->threads[thread[i]].tid;
		}
	}
}

static void see_tables(const struct wl_trace *t, struct wl_coach_facts *f)
{
	see_size(t, f);
	f->has_samples = has_table(t, "SAMPLING_CALLCHAINS");
	f->has_metrics = has_table(t, "GPU_METRICS");
}

static void see_steps(const struct wl_run *r, struct wl_coach_facts *f)
{
	f->has_steps = wl_iterations_sum(r->trace, r->derived->iterations, r->scope->process_on,
					 &f->steps);
}

/* Matches the whole text, or NAME@DOMAIN as in nsys. */
static bool is_expected(const struct wl_range_name *name, const char *expected)
{
	const char *at = strrchr(expected, '@'), *domain = name->domain ? name->domain : "";

	if (!name->text)
		return false;
	if (strcmp(name->text, expected) == 0 || !at)
		return strcmp(name->text, expected) == 0;
	return strlen(name->text) == (size_t)(at - expected) &&
	       strncmp(name->text, expected, (size_t)(at - expected)) == 0 &&
	       strcmp(at + 1, domain) == 0;
}

static bool take_expected(const char *expect, struct wl_arena *arena, struct wl_coach_facts *f)
{
	char *line = expect ? wl_arena_strdup(arena, expect) : NULL;

	if (expect && !line)
		return false;
	while (line && f->n_expected < WL_MAX_EXPECTED) {
		char *end = strchr(line, '\n');

		if (end)
			*end++ = '\0';
		f->expected[f->n_expected++] = (struct wl_expected){ .name = line };
		line = end;
	}
	return true;
}

/* Finds kernel time inside ranges, and the contents of the expected ranges. */
static bool see_ranges(const struct wl_run *r, struct wl_coach_facts *f)
{
	const struct wl_fold_opts opts = { .exact = true };
	const struct wl_forest *forest = r->derived->forest;
	struct wl_folds folds;
	struct wl_range_uses uses;

	if (!wl_folds_find(r->derived, forest, &opts, r->arena, &folds) ||
	    !wl_range_uses_find(r->derived, r->scope, forest, &folds, r->arena, &uses))
		return false;
	f->kernel_ns = uses.kernels;
	f->ranged_ns = uses.kernels_bridged;
	for (size_t e = 0; e < f->n_expected; e++) {
		for (size_t i = 0; i < folds.n; i++) {
			const struct wl_range_name *name = &folds.names->name[folds.fold[i].name];

			if (!is_expected(name, f->expected[e].name))
				continue;
			f->expected[e].n_ranges += uses.of[i].host.n;
			f->expected[e].n_ops += uses.of[i].gpu.ops + uses.of[i].bridged.ops;
		}
	}
	return true;
}

bool wl_coach_facts_find(const struct wl_run *r, const char *expect, struct wl_coach_facts *ret)
{
	*ret = (struct wl_coach_facts){ .trace = r->trace };
	count_ops(r, ret);
	see_ranks(r, ret);
	see_losses(r->trace, ret);
	see_tables(r->trace, ret);
	see_overhead(r->trace, ret);
	see_steps(r, ret);
	return take_expected(expect, r->arena, ret) && see_ranges(r, ret);
}
