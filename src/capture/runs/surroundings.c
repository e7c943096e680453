/* SPDX-License-Identifier: MIT */
#include "capture/runs/surroundings.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/process/proc.h"
#include "base/text/utf8.h"
#include "known/secrets/environment.h"
#include "known/secrets/secrets.h"

enum { MAX_GPUS = 64, LINE_CAP = 256, SMALL_FILE = 16 << 10, PROGRAM_S = 10 };

struct looking {
	struct wl_manifest *m;
	const struct wl_looking *where;
	struct wl_arena *arena;
	bool is_failed, is_canceled;
};

/* A copy of n bytes, made valid UTF-8. */
static const char *keep(struct looking *l, const char *text, size_t n)
{
	size_t replaced;
	const char *copy = wl_utf8_clean_dup(l->arena, text, n, &replaced);

	if (!copy)
		l->is_failed = true;
	return copy;
}

/*
 * Variables that change how a program uses GPUs, beside those that traces keep. Those of TensorFlow
 * by groups, because TF_ is Terraform's, too, whose command lines hold passwords.
 */
static bool is_kept(const char *assignment)
{
	static const char *const begin[] = {
		"CUDA_",      "OMP_",        "MKL_",           "PYTORCH_",  "TORCH_",
		"TRITON_",    "XLA_",        "JAX_",           "UCX_",      "FI_",
		"NVTE_",      "NSYS_",       "VLLM_",          "SGLANG_",   "GOMP_",
		"KMP_",       "TF_CPP_",     "TF_CUDA_",       "TF_CUDNN_", "TF_DETERMINISTIC_",
		"TF_ENABLE_", "TF_DISABLE_", "TF_FORCE_",      "TF_GPU_",   "TF_NUM_",
		"TF_USE_",    "TF_XLA_",     "TORCHINDUCTOR_",
	};

	if (wl_environment_is_kept(assignment))
		return true;
	for (size_t i = 0; i < WL_COUNT(begin); i++)
		if (strncmp(assignment, begin[i], strlen(begin[i])) == 0)
			return true;
	return false;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct wl_run_pair *)a)->name, ((const struct wl_run_pair *)b)->name);
}

/* A variable that is kept; what looks like a secret is not, whatever the user allowed. */
static bool take_variable(struct looking *l, const char *assignment, struct wl_run_pair *ret)
{
	const char *equals = strchr(assignment, '=');

	if (!equals || equals == assignment || !is_kept(assignment))
		return false;
	ret->name = keep(l, assignment, (size_t)(equals - assignment));
	ret->value = keep(l, equals + 1, strnlen(equals + 1, SMALL_FILE));
	return ret->name && ret->value &&
	       wl_secret_name_of(ret->name, strlen(ret->name), WL_SECRET_SURELY) ==
		       WL_SECRET_NO_NAME &&
	       wl_secret_sign_of(ret->name, ret->value, WL_SECRET_MAYBE) == WL_SECRET_NONE;
}

static void look_at_env(struct looking *l)
{
	struct wl_run_pair *list;
	size_t n = 0, used = 0, kept = 0;

	while (l->where->env && l->where->env[n])
		n++;
	n = n < WL_RUN_MAX_ITEMS ? n : WL_RUN_MAX_ITEMS;
	list = WL_NEW(l->arena, struct wl_run_pair, n + 1);
	if (!list) {
		l->is_failed = true;
		return;
	}
	for (size_t i = 0; i < n; i++)
		used += take_variable(l, l->where->env[i], &list[used]);
	if (used > 1)
		qsort(list, used, sizeof(*list), by_name);
	/* A variable may be there twice; keys of JSON may not. */
	for (size_t i = 0; i < used; i++)
		if (kept == 0 || strcmp(list[kept - 1].name, list[i].name) != 0)
			list[kept++] = list[i];
	l->m->env = list;
	l->m->n_env = kept;
}

static void look_at_host(struct looking *l)
{
	struct utsname u;
	char text[LINE_CAP], dir[WL_PATH_CAP];
	const char *where = l->where->directory ? l->where->directory : ".";

	if (uname(&u) == 0) {
		l->m->host = keep(l, u.nodename, strlen(u.nodename));
		(void)snprintf(text, sizeof(text), "%.60s %.60s %.60s", u.sysname, u.release,
			       u.machine);
		l->m->system = keep(l, text, strlen(text));
	}
	if (realpath(where, dir))
		l->m->directory = keep(l, dir, strlen(dir));
}

/* Run a program; true when it ended well and said all that it said. */
static bool ask(struct looking *l, const char *const *argv, struct wl_proc_result *ret)
{
	const struct wl_proc proc = { .argv = argv,
				      .limit_ns = (int64_t)PROGRAM_S * 1000000000,
				      .cancel = l->where->cancel };

	if (l->is_canceled || wl_proc_run(&proc, ret, NULL) < 0)
		return false;
	l->is_canceled = ret->end == WL_PROC_CANCELED;
	return ret->end == WL_PROC_EXITED && ret->code == 0;
}

static bool is_revision(const char *text, size_t n)
{
	return (n == 40 || n == 64) && strspn(text, "0123456789abcdef") == n;
}

/* No hook, no helper and no lock: git is only asked. */
static void look_at_git(struct looking *l)
{
	const char *git = l->where->git ? l->where->git : "git";
	const char *dir = l->where->directory ? l->where->directory : ".";
	const char *const head[] = {
		git, "--no-optional-locks", "-C", dir, "rev-parse", "--verify", "HEAD", NULL
	};
	const char *const status[] = { git,
				       "--no-optional-locks",
				       "-c",
				       "core.fsmonitor=false",
				       "-C",
				       dir,
				       "status",
				       "--porcelain",
				       "--untracked-files=no",
				       NULL };
	struct wl_proc_result said;
	size_t n;

	if (!ask(l, head, &said))
		return;
	n = strcspn(said.tail, "\n");
	if (!is_revision(said.tail, n))
		return;
	l->m->revision = keep(l, said.tail, n);
	if (ask(l, status, &said))
		l->m->dirty = said.n_tail > 0 ? WL_RUN_DIRTY : WL_RUN_CLEAN;
}

/* "NAME, MEMORY, DRIVER": the driver is behind the last comma. */
static void take_smi_line(struct looking *l, const char *line, size_t n, const char **gpu)
{
	const char *comma = memrchr(line, ',', n);
	size_t driver;

	if (!comma || l->m->n_gpus == MAX_GPUS)
		return;
	driver = (size_t)(comma + 1 - line);
	while (driver < n && line[driver] == ' ')
		driver++;
	gpu[l->m->n_gpus] = keep(l, line, (size_t)(comma - line));
	l->m->n_gpus += gpu[l->m->n_gpus] != NULL;
	if (!l->m->driver)
		l->m->driver = keep(l, line + driver, n - driver);
}

static bool ask_smi(struct looking *l, const char **gpu)
{
	const char *const argv[] = { l->where->nvidia_smi ? l->where->nvidia_smi : "nvidia-smi",
				     "--query-gpu=name,memory.total,driver_version",
				     "--format=csv,noheader", NULL };
	struct wl_proc_result said;
	const char *line;

	if (!ask(l, argv, &said) || said.tail_is_cut)
		return false;
	for (line = said.tail; *line; line += *line == '\n') {
		size_t n = strcspn(line, "\n");

		take_smi_line(l, line, n, gpu);
		line += n;
	}
	return l->m->n_gpus > 0;
}

/* A small file below proc, for the caller to free; NULL if it cannot be read. */
static char *read_proc(struct looking *l, const char *name)
{
	char path[WL_PATH_CAP], *bytes = NULL, *text = NULL;
	const char *proc = l->where->proc ? l->where->proc : "/proc";
	size_t n = 0;
	int used = snprintf(path, sizeof(path), "%s/driver/nvidia/%s", proc, name);

	if (used < 0 || used >= WL_PATH_CAP || access(path, R_OK) != 0 ||
	    wl_file_read(path, SMALL_FILE, &bytes, &n, NULL) < 0)
		return NULL;
	text = malloc(n + 1);
	if (text && n)
		memcpy(text, bytes, n);
	if (text)
		text[n] = '\0';
	free(bytes);
	return text;
}

/* The first word of the driver's line that is numbers with dots: "535.104.05". */
static void take_proc_driver(struct looking *l)
{
	char *text = read_proc(l, "version");
	const char *at = text;

	while (at && *at && *at != '\n') {
		size_t n = strcspn(at, " \t\n");

		if (n > 3 && strspn(at, "0123456789.") == n && strchr(at, '.') < at + n) {
			l->m->driver = keep(l, at, n);
			break;
		}
		at += n + (at[n] == ' ' || at[n] == '\t');
	}
	free(text);
}

static void take_proc_gpu(struct looking *l, const char *bus, const char **gpu)
{
	char name[LINE_CAP], *text, *model;

	(void)snprintf(name, sizeof(name), "gpus/%.100s/information", bus);
	text = read_proc(l, name);
	model = text ? strstr(text, "Model:") : NULL;
	if (model && l->m->n_gpus < MAX_GPUS) {
		model += strlen("Model:");
		model += strspn(model, " \t");
		gpu[l->m->n_gpus] = keep(l, model, strcspn(model, "\n"));
		l->m->n_gpus += gpu[l->m->n_gpus] != NULL;
	}
	free(text);
}

/* Without nvidia-smi the driver itself says what there is. */
static void read_driver(struct looking *l, const char **gpu)
{
	char path[WL_PATH_CAP];
	struct dirent **entry;
	int n;

	take_proc_driver(l);
	(void)snprintf(path, sizeof(path), "%.4000s/driver/nvidia/gpus",
		       l->where->proc ? l->where->proc : "/proc");
	n = scandir(path, &entry, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		if (entry[i]->d_name[0] != '.')
			take_proc_gpu(l, entry[i]->d_name, gpu);
		free(entry[i]);
	}
	if (n >= 0)
		free(entry);
}

static void look_at_gpus(struct looking *l)
{
	const char **gpu = WL_NEW(l->arena, const char *, MAX_GPUS + 1);

	if (!gpu) {
		l->is_failed = true;
		return;
	}
	l->m->gpu = gpu;
	if (!ask_smi(l, gpu))
		read_driver(l, gpu);
}

int wl_manifest_look(struct wl_manifest *m, const struct wl_looking *where, struct wl_arena *arena,
		     struct wl_err *reterr)
{
	struct looking l = { .m = m, .where = where, .arena = arena };

	look_at_env(&l);
	look_at_host(&l);
	look_at_git(&l);
	look_at_gpus(&l);
	if (l.is_failed)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for the manifest of the run");
	return l.is_canceled ? wl_fail(reterr, WL_E_CANCELED, "stopped") : WL_OK;
}
