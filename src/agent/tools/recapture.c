/* SPDX-License-Identifier: MIT */
#include "agent/tools/recapture.h"

#include <string.h>

#include "analysis/capture/coach.h"
#include "base/file/file.h"
#include "base/text/units.h"
#include "base/text/utf8.h"
#include "capture/nsys.h"
#include "known/exports/codes.h"
#include "model/command.h"

/* Find a launcher by the program's name. */
static bool names_launcher(const char *program, enum wl_launcher *ret)
{
	static const char *const names[WL_N_LAUNCHERS] = { NULL,   "torchrun", "mpirun",
							   "srun", "docker",   NULL };

	for (size_t i = WL_LAUNCHER_TORCHRUN; i < WL_N_LAUNCHERS; i++) {
		if (names[i] && strcmp(wl_path_name(program), names[i]) == 0) {
			*ret = (enum wl_launcher)i;
			return true;
		}
	}
	return false;
}

/* Guess by the environment, which survives in the launched process. */
static enum wl_launcher guess_launcher(const struct wl_trace *t)
{
	static const struct {
		const char *variable;
		enum wl_launcher launcher;
	} variables[] = { { "TORCHELASTIC_RUN_ID", WL_LAUNCHER_TORCHRUN },
			  { "OMPI_COMM_WORLD_RANK", WL_LAUNCHER_MPIRUN },
			  { "PMI_RANK", WL_LAUNCHER_MPIRUN },
			  { "SLURM_PROCID", WL_LAUNCHER_SLURM } };
	char value[16];

	for (size_t i = 0; i < WL_COUNT(variables); i++) {
		if (wl_trace_variable(t, variables[i].variable, value, sizeof(value)))
			return variables[i].launcher;
	}
	return WL_LAUNCHER_PLAIN;
}

static void add_word(struct wl_recapture *c, const char *word)
{
	if (c->n_words < WL_RECAPTURE_WORDS)
		c->word[c->n_words] = word;
	c->n_words++;
}

/* The number of processes that the job has, or that the trace shows on GPUs. */
static const char *count_ranks(const struct wl_trace *t, struct wl_arena *arena)
{
	int64_t world = t->n_files ? t->world : wl_trace_world(t), n = 0;
	char text[WL_UNITS_BUF];

	for (size_t i = 0; i < t->n_processes; i++)
		n += t->processes[i].on_gpu;
	n = world > n ? world : n;
	return wl_arena_strdup(arena, wl_fmt_i64(text, n > 0 ? n : 1));
}

/* Add the minimum that a launcher needs, for a program given without one. */
static bool add_launcher(struct wl_recapture *c, const struct wl_trace *t, struct wl_arena *arena)
{
	static const char *const begin[WL_N_LAUNCHERS][3] = {
		[WL_LAUNCHER_TORCHRUN] = { "torchrun", "--nproc-per-node" },
		[WL_LAUNCHER_MPIRUN] = { "mpirun", "-n" },
		[WL_LAUNCHER_SLURM] = { "srun", "--ntasks" },
		[WL_LAUNCHER_CONTAINER] = { "docker", "run", "IMAGE" },
	};
	const char *n = count_ranks(t, arena);

	for (size_t i = 0; i < 3 && begin[c->launcher][i]; i++)
		add_word(c, begin[c->launcher][i]);
	if (begin[c->launcher][0]) {
		if (!begin[c->launcher][2])
			add_word(c, n);
		add_word(c, "--");
	}
	return n != NULL;
}

/* torchrun starts Python itself. */
static size_t count_python(enum wl_launcher launcher, const char *const *words, size_t n)
{
	size_t i = 0;

	if (launcher != WL_LAUNCHER_TORCHRUN || n < 2 ||
	    strncmp(wl_path_name(words[0]), "python", strlen("python")) != 0)
		return 0;
	for (i = 1; i + 1 < n && strcmp(words[i], "-u") == 0;)
		i++;
	return i;
}

/* A trace is untrusted: no word that a terminal would interpret or reorder goes into a command. */
static bool is_plain_text(const char *word)
{
	uint32_t cp;

	while ((cp = wl_utf8_next(&word)) != 0) {
		if (wl_utf8_is_control(cp) || wl_utf8_is_bidi(cp) || wl_utf8_is_separator(cp) ||
		    cp == WL_UTF8_REPLACEMENT)
			return false;
	}
	return true;
}

static bool are_plain_text(const char *const *words, int n)
{
	for (int i = 0; i < n; i++) {
		if (!is_plain_text(words[i]))
			return false;
	}
	return true;
}

/* The user's words, those of the trace, or placeholders; 0 if memory runs out. */
static size_t find_program(struct wl_recapture *c, const struct wl_trace *t, struct wl_arena *arena,
			   const char **ret)
{
	int n = 0;

	if (c->n_given) {
		memcpy(ret, c->given, c->n_given * sizeof(*ret));
		return c->n_given;
	}
	n = wl_command_words(t, arena, ret, WL_RECAPTURE_WORDS);
	if (n < 0)
		return 0;
	/* An incomplete command is useless, and the launcher's words need room, too. */
	if (n > 0 && n <= WL_RECAPTURE_WORDS - 4 && ret[0][0] && are_plain_text(ret, n)) {
		c->is_traced = true;
		return (size_t)n;
	}
	ret[0] = "python";
	ret[1] = "train.py";
	return 2;
}

static int take_program(struct wl_recapture *c, const struct wl_trace *t, struct wl_arena *arena,
			struct wl_err *reterr)
{
	const char *program[WL_RECAPTURE_WORDS];
	enum wl_launcher named = WL_LAUNCHER_PLAIN;
	size_t n = c->n_given <= WL_RECAPTURE_WORDS ? find_program(c, t, arena, program) : 0;
	bool is_named, ok = n > 0;

	if (c->n_given > WL_RECAPTURE_WORDS)
		return wl_fail(reterr, WL_E_USAGE, "program: give at most %d words",
			       WL_RECAPTURE_WORDS);
	is_named = ok && names_launcher(program[0], &named);
	if (!c->has_launcher)
		c->launcher = is_named ? named : guess_launcher(t);
	if (ok && named != c->launcher)
		ok = add_launcher(c, t, arena);
	for (size_t i = c->n_given ? 0 : count_python(c->launcher, program, n); ok && i < n; i++)
		add_word(c, program[i]);
	if (!ok)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for the plan of the capture");
	if (c->n_words > WL_RECAPTURE_WORDS)
		return wl_fail(reterr, WL_E_USAGE, "program: give at most %d words",
			       WL_RECAPTURE_WORDS);
	return WL_OK;
}

/* The nsys version if it is valid and new enough to trace CUDA events; else NULL. */
static const char *version_with_events(const struct wl_trace *t)
{
	const char *version = wl_trace_meta(t, "EXPORT_PRODUCT_VERSION");

	if (!version || version[strspn(version, "0123456789.")] != '\0' || strlen(version) > 30 ||
	    wl_nsys_version_cmp(version, "2025.1") < 0)
		return NULL;
	return version;
}

static unsigned find_in_tables(const struct wl_trace *t)
{
	static const struct {
		const char *table;
		enum wl_plan_also also;
	} tables[] = { { "SAMPLING_CALLCHAINS", WL_ALSO_SAMPLES },
		       { "CUDA_GPU_MEMORY_USAGE_EVENTS", WL_ALSO_MEMORY },
		       { "CUDA_UM_CPU_PAGE_FAULT_EVENTS", WL_ALSO_FAULTS },
		       { "CUDA_UM_GPU_PAGE_FAULT_EVENTS", WL_ALSO_FAULTS },
		       { "GPU_METRICS", WL_ALSO_METRICS } };
	const uint32_t *names = wl_tables_name(t);
	const int64_t *rows = wl_tables_rows(t);
	unsigned had = 0;

	for (size_t i = 0; names && rows && i < t->family[WL_F_TABLES].n; i++) {
		for (size_t k = 0; rows[i] > 0 && k < WL_COUNT(tables); k++) {
			if (strcmp(wl_str(t, names[i]), tables[k].table) == 0)
				had |= (unsigned)tables[k].also;
		}
	}
	return had;
}

/* Whether managed memory migrates: only page faults can say why. */
static bool migrates(const struct wl_trace *t)
{
	const uint8_t *kind = wl_memcpys_kind(t);

	for (size_t i = 0; kind && i < t->family[WL_F_MEMCPYS].n; i++) {
		if (kind[i] == WL_COPY_UVM_H2D || kind[i] == WL_COPY_UVM_D2H ||
		    kind[i] == WL_COPY_UVM_D2D)
			return true;
	}
	return false;
}

static unsigned find_had(const struct wl_trace *t)
{
	static const struct {
		enum wl_family_id family;
		enum wl_plan_also also;
	} families[] = { { WL_F_OSRT, WL_ALSO_OSRT },      { WL_F_SCHED, WL_ALSO_SCHED },
			 { WL_F_MPI_COLLS, WL_ALSO_MPI },  { WL_F_MPI_P2P, WL_ALSO_MPI },
			 { WL_F_MPI_OTHERS, WL_ALSO_MPI }, { WL_F_MPI_WAITS, WL_ALSO_MPI } };
	unsigned had = find_in_tables(t);

	for (size_t i = 0; i < WL_COUNT(families); i++) {
		if (t->family[families[i].family].present)
			had |= (unsigned)families[i].also;
	}
	return migrates(t) ? had | (unsigned)WL_ALSO_FAULTS : had;
}

int wl_recapture_find(const struct wl_trace *trace, struct wl_arena *arena,
		      struct wl_recapture *recapture, struct wl_err *reterr)
{
	recapture->had = find_had(trace);
	recapture->version = version_with_events(trace);
	recapture->had_events = recapture->version && trace->family[WL_F_EVENTS].present;
	return take_program(recapture, trace, arena, reterr);
}

void wl_recapture_note(const struct wl_recapture *recapture, struct wl_capture_plan *plan)
{
	if (recapture->lacks_metrics && plan->n_notes < WL_PLAN_NOTES)
		plan->note[plan->n_notes++] =
			"to sample GPU metrics, add --gpu-metrics-devices=all (one rank per node): "
			"this needs root, or a driver with NVreg_RestrictProfilingToAdminUsers=0";
	if (recapture->is_traced && plan->n_notes < WL_PLAN_NOTES)
		plan->note[plan->n_notes++] = "the program is the one that the trace names, with "
					      "secrets masked: check it before you run it";
}

unsigned wl_recapture_also(uint32_t lacks)
{
	static const struct {
		enum wl_lack lack;
		enum wl_plan_also also;
	} pairs[] = { { WL_LACK_OSRT, WL_ALSO_OSRT },
		      { WL_LACK_SCHED, WL_ALSO_SCHED },
		      { WL_LACK_SAMPLES, WL_ALSO_SAMPLES },
		      { WL_LACK_MEMORY, WL_ALSO_MEMORY } };
	unsigned set = 0;

	for (size_t i = 0; i < WL_COUNT(pairs); i++) {
		if (lacks >> pairs[i].lack & 1)
			set |= (unsigned)pairs[i].also;
	}
	return set;
}
