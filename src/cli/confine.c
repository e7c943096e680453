/* SPDX-License-Identifier: MIT */
#include "cli/confine.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file/file.h"
#include "base/process/sandbox.h"
#include "capture/report.h"
#include "cli/docs.h"
#include "cli/line/option_names.h"
#include "cli/line/traces.h"
#include "cli/pager.h"
#include "facts/file.h"
#include "session/job/job_files.h"

/* The process has one sandbox: whether it waits for exports, and what it became. */
static struct {
	bool waits, is_off;
	/* By operand, then by value of many: exported, or read as it is; NULL: none yet. */
	bool *is_done;
	size_t n_done; /* operands and values of that */
	struct wl_sandbox_state is;
} now;

struct paths {
	struct wl_sandbox_path *all;
	size_t n, room;
};

static const struct {
	const char *name, *with; /* an option, a first operand, or "" */
	unsigned may;
} rights[] = {
#define WL_RIGHTS(command, with, exec, connect, listen, open)                                      \
	{ #command, with,                                                                          \
	  ((exec) ? WL_MAY_EXEC : 0) | ((connect) ? WL_MAY_CONNECT : 0) |                          \
		  ((listen) ? WL_MAY_LISTEN : 0) | ((open) ? WL_MAY_OPEN : 0) },
#include "cli/rights.def"
#undef WL_RIGHTS
};

unsigned wl_rights_of(const char *verb)
{
	unsigned may = 0;

	for (size_t i = 0; i < WL_COUNT(rights); i++) {
		if (strcmp(rights[i].name, verb) == 0)
			may |= rights[i].may;
	}
	return may;
}

/* A path without memory for it is one that cannot be opened later. */
static void add(struct paths *p, const char *path, bool writes)
{
	if (p->n == p->room) {
		size_t room = p->room ? p->room * 2 : 64;
		struct wl_sandbox_path *more = realloc(p->all, room * sizeof(*more));

		if (!more)
			return;
		p->all = more;
		p->room = room;
	}
	p->all[p->n] = (struct wl_sandbox_path){ .path = strdup(path), .writes = writes };
	p->n += p->all[p->n].path != NULL;
}

static void release(struct paths *p)
{
	union {
		const char *from;
		char *to;
	} cast;

	for (size_t i = 0; i < p->n; i++) {
		cast.from = p->all[i].path;
		free(cast.to);
	}
	free(p->all);
}

/*
 * A database and what may lie beside it. The reader looks for a log and a journal, because it
 * refuses a database that another process is writing.
 */
static void add_database(struct paths *p, const char *path)
{
	static const char *const endings[] = { "", "-wal", "-journal", "-shm", ".wlidx" };
	char file[WL_PATH_CAP];

	for (size_t i = 0; i < WL_COUNT(endings); i++) {
		if (snprintf(file, sizeof(file), "%s%s", path, endings[i]) < WL_PATH_CAP)
			add(p, file, false);
	}
}

/*
 * The names of a directory, because a link among them leads elsewhere. Landlock grants what lies
 * below a directory, and the target of a link does not.
 */
static void add_links(struct paths *p, const char *dir)
{
	DIR *d = opendir(dir);
	const struct dirent *entry;
	char file[WL_PATH_CAP];

	while (d && (entry = readdir(d)) != NULL) {
		if (entry->d_type == DT_LNK &&
		    snprintf(file, sizeof(file), "%s/%s", dir, entry->d_name) < WL_PATH_CAP)
			add_database(p, file);
	}
	if (d)
		(void)closedir(d);
}

static void add_trace(struct paths *p, const char *path)
{
	char *real = realpath(path, NULL);
	struct stat st;

	if (real && stat(real, &st) == 0 && S_ISDIR(st.st_mode)) {
		add(p, real, false);
		add_links(p, real);
	} else if (real) {
		add_database(p, path);
		add_database(p, real);
	}
	free(real);
}

static bool has_facts(const char *dir)
{
	DIR *d = opendir(dir);
	const struct dirent *entry;
	bool found = false;

	while (d && !found && (entry = readdir(d)) != NULL)
		found = wl_path_ends_in(entry->d_name, WL_FACTS_SUFFIX);
	if (d)
		(void)closedir(d);
	return found;
}

/* Traces beside facts, which path opens: in the folder of a file, or above that of several. */
static void add_beside(struct paths *p, const char *path)
{
	char dir[WL_PATH_CAP];

	if (wl_facts_is_file(path)
		    ? wl_file_dir(path, dir, NULL) == WL_OK
		    : has_facts(path) && snprintf(dir, sizeof(dir), "%s/..", path) < WL_PATH_CAP)
		add_trace(p, dir);
}

/*
 * The folder that a file is written into, or the nearest one above it that exists. A file is
 * written under another name beside the final one and then renamed, for which the folder must be
 * writable.
 */
static void add_above(struct paths *p, const char *path)
{
	char at[WL_PATH_CAP], dir[WL_PATH_CAP];
	struct stat st;

	if (snprintf(at, sizeof(at), "%s", path) >= WL_PATH_CAP)
		return;
	while (wl_file_dir(at, dir, NULL) == WL_OK && strcmp(at, dir) != 0) {
		if (stat(dir, &st) == 0) {
			add(p, dir, true);
			return;
		}
		memcpy(at, dir, sizeof(at));
	}
}

static void add_output(struct paths *p, const char *path)
{
	char *real = path ? realpath(path, NULL) : NULL;
	struct stat st;

	if (!path)
		return;
	add_above(p, path);
	if (real)
		add_above(p, real);
	if (real && stat(real, &st) == 0 && S_ISDIR(st.st_mode))
		add(p, real, true);
	free(real);
}

/* Files that are named by the trace lie next to it, whatever the working directory is. */
static void add_next_to(struct paths *p, const struct wl_invocation *inv)
{
	char file[WL_PATH_CAP];

	/* A directory has its files next to it, or, with a slash at its end, inside. */
	if (inv->n_operands && snprintf(file, sizeof(file), "%s_", inv->operand[0]) < WL_PATH_CAP)
		add_above(p, file);
}

/* Each of a list with commas between; "." stands for the name of the trace. */
static void add_outputs(struct paths *p, const struct wl_invocation *inv)
{
	const char *list = inv->opt.output;

	while (list && *list) {
		size_t n = strcspn(list, ",");
		char path[WL_PATH_CAP];

		if (n == 1 && *list == '.')
			add_next_to(p, inv);
		else if (snprintf(path, sizeof(path), "%.*s", (int)n, list) < WL_PATH_CAP)
			add_output(p, path);
		list += n + (list[n] == ',');
	}
}

static bool is_output(const struct wl_param *param)
{
	return param->type == WL_P_DIR || param->type == WL_P_PAGE ||
	       strcmp(param->key, "junit") == 0;
}

/*
 * "run.sqlite,rank=3" names the file up to the comma. Options do not say whether their text is a
 * path. Any text is tried: one that names no file adds nothing.
 */
static void add_value(struct paths *p, const char *text)
{
	char file[WL_PATH_CAP];

	if (!text || !*text)
		return;
	add_trace(p, text);
	if (strchr(text, ',') &&
	    snprintf(file, sizeof(file), "%.*s", (int)strcspn(text, ","), text) < WL_PATH_CAP)
		add_trace(p, file);
}

/* Files beside the trace that the options of a parameter name. */
static void add_named(struct paths *p, const struct wl_invocation *inv,
		      const struct wl_named_trace *trace, const char *kind)
{
	size_t k = kind ? wl_option_param(&inv->verb, kind, strlen(kind)) : WL_MAX_PARAMS;
	char file[WL_PATH_CAP];

	if (k >= WL_MAX_PARAMS || !trace->args[k])
		return;
	for (size_t i = 0; i < WL_N_BESIDE; i++) {
		if (wl_doc_beside(trace->path, kind, trace->args[k], i, file))
			add(p, file, false);
	}
}

/* What is wrong with the traces is said later. */
static void add_traces(struct paths *p, const struct wl_invocation *inv)
{
	struct wl_budget budget = { .limit = 0 };
	struct wl_arena arena;
	struct wl_traces traces;
	struct wl_err err;

	if (!inv->verb.analysis)
		return;
	wl_arena_init_on(&arena, &budget);
	if (wl_traces_take(inv, &arena, &traces, &err) == WL_OK) {
		for (size_t i = 0; i < traces.n; i++) {
			add_trace(p, traces.trace[i].path);
			for (size_t k = 0; k < inv->verb.analysis->n_params; k++)
				add_named(p, inv, &traces.trace[i],
					  inv->verb.analysis->params[k].named_by);
		}
	}
	wl_arena_release(&arena);
}

static void add_options(struct paths *p, const struct wl_invocation *inv)
{
	size_t n;
	const struct wl_param *param = wl_verb_params(&inv->verb, &n);

	for (size_t i = 0; i < WL_N_OPTIONS; i++)
		add_value(p, inv->given[i]);
	for (size_t i = 0; i < inv->n_many; i++)
		add_value(p, inv->many[i].text);
	for (size_t i = 0; i < n; i++) {
		add_value(p, inv->param[i]);
		if (is_output(&param[i]))
			add_output(p, inv->param[i]);
	}
	/* The tool whose option names traces writes here unless an option says otherwise: see
	 * choose_dir().
	 */
	if (wl_verb_param_of(&inv->verb, WL_P_TRACE, &n) && inv->param[n])
		add(p, ".", true);
	if (inv->verb.command && inv->verb.command->in_lists)
		add_outputs(p, inv);
	else
		add_output(p, inv->opt.output);
	add_output(p, inv->opt.keep_export);
}

/* What any program reads: libraries, locales, descriptions of the machine. */
static void add_system(struct paths *p)
{
	static const char *const roots[] = { "/usr", "/lib",       "/lib64", "/bin",
					     "/etc", "/nix/store", "/proc",  "/sys" };
	static const char *const set[] = { "WARPLENS_INDEX_DIR", "WARPLENS_BASELINE_DIR" };
	const char *temporary = getenv("TMPDIR");
	char config[WL_PATH_CAP];

	for (size_t i = 0; i < WL_COUNT(roots); i++)
		add(p, roots[i], false);
	for (size_t i = 0; i < WL_COUNT(set); i++) {
		if (getenv(set[i]))
			add(p, getenv(set[i]), false);
	}
	add(p, "/dev", true);
	add(p, temporary && *temporary ? temporary : "/tmp", true);
	if (wl_config_folder("", config))
		add_trace(p, config);
}

static bool is_given(const struct wl_invocation *inv, const char *with)
{
	size_t n;
	const struct wl_param *param = wl_verb_params(&inv->verb, &n);

	if (strncmp(with, "--", 2) != 0)
		return inv->n_operands > 0 && strcmp(inv->operand[0], with) == 0;
	for (size_t i = 0; i < n; i++) {
		if (strcmp(param[i].key, with + 2) == 0)
			return inv->param[i] != NULL;
	}
	return false;
}

unsigned wl_rights_given(const struct wl_invocation *inv)
{
	const char *verb = wl_verb_name(&inv->verb);
	unsigned plain = 0, given = 0;

	for (size_t i = 0; i < WL_COUNT(rights); i++) {
		if (strcmp(rights[i].name, verb) != 0)
			continue;
		if (!*rights[i].with)
			plain = rights[i].may;
		else if (is_given(inv, rights[i].with))
			given |= rights[i].may;
	}
	return given ? given : plain;
}

static void enter(const struct wl_invocation *inv, const char *exported)
{
	struct paths p = { .n = 0 };
	struct wl_sandbox how = { .may = wl_rights_given(inv) };

	/*
	 * A server prints nothing long. The pager starts when the answer is complete and has the
	 * rights that are left then; less starts an editor and keeps a history.
	 */
	if (wl_pager_is_set() && !(how.may & WL_MAY_LISTEN))
		how.may |= WL_MAY_EXEC | WL_MAY_OPEN;
	if (!(how.may & WL_MAY_OPEN)) {
		add_system(&p);
		add_options(&p, inv);
		add_traces(&p, inv);
		for (size_t i = 0; i < inv->n_operands; i++) {
			add_trace(&p, inv->operand[i]);
			if (strcmp(wl_verb_name(&inv->verb), "path") == 0)
				add_beside(&p, inv->operand[i]);
		}
		for (size_t i = 0; i < inv->n_job; i++)
			add_trace(&p, inv->job[i]);
		if (*exported)
			add(&p, exported, true);
	}
	how.path = p.all;
	how.n_paths = p.n;
	now.is = wl_sandbox_enter(&how);
	release(&p);
}

/* A report, or a directory that may hold some. */
static bool may_be_exported(const char *path)
{
	return wl_report_stem(path) || wl_is_job(path);
}

/*
 * "run.nsys-rep,vllm,llama" names a report; any comma may be the one that ends the name. An
 * option that does not name traces has no file to export: "--expect prepare".
 */
static bool names_report(const struct wl_invocation *inv, const struct wl_many *value)
{
	size_t n;
	const struct wl_param *param = wl_verb_params(&inv->verb, &n);
	const char *comma = value->text;
	char file[WL_PATH_CAP];

	if (param[value->param].type != WL_P_TRACE)
		return false;
	while ((comma = strchr(comma, ',')) != NULL) {
		if (snprintf(file, sizeof(file), "%.*s", (int)(comma - value->text), value->text) <
			    WL_PATH_CAP &&
		    may_be_exported(file))
			return true;
		comma++;
	}
	return false;
}

void wl_confine(const struct wl_invocation *inv)
{
	const char *set = getenv("WARPLENS_SANDBOX");

	now.is_off = set && strcmp(set, "off") == 0;
	if (now.is_off)
		return;
	for (size_t i = 0; i < inv->n_operands; i++)
		now.waits |= may_be_exported(inv->operand[i]);
	for (size_t i = 0; i < inv->n_job; i++)
		now.waits |= may_be_exported(inv->job[i]);
	for (size_t i = 0; i < inv->n_many; i++)
		now.waits |= names_report(inv, &inv->many[i]);
	if (!now.waits)
		enter(inv, "");
}

/* The file of an operand or, behind these, of an option's value is path. */
static bool is_named(const struct wl_invocation *inv, size_t i, const char *path)
{
	size_t n = strlen(path);
	const char *text;

	if (i < inv->n_operands)
		return strcmp(inv->operand[i], path) == 0;
	text = inv->many[i - inv->n_operands].text;
	return strncmp(text, path, n) == 0 && text[n] == ',';
}

static bool must_wait_for(const struct wl_invocation *inv, size_t i)
{
	return i < inv->n_operands ? may_be_exported(inv->operand[i])
				   : names_report(inv, &inv->many[i - inv->n_operands]);
}

/* Whether nothing is left that may have to be exported. The same file may be given twice. */
static bool was_last(const struct wl_invocation *inv, const char *path)
{
	size_t n = inv->n_operands + inv->n_many;
	bool is_marked = false, is_last = true;

	/* Files that were guessed to be a job are named otherwise where they prove to be none. */
	if (now.n_done != n) {
		free(now.is_done);
		now.is_done = calloc(n, sizeof(*now.is_done));
		now.n_done = n;
	}
	for (size_t i = 0; now.is_done && i < n; i++) {
		if (!is_marked && !now.is_done[i] && is_named(inv, i, path))
			is_marked = now.is_done[i] = true;
		is_last = is_last && (now.is_done[i] || !must_wait_for(inv, i));
	}
	return now.is_done && is_last;
}

void wl_confine_exported(const struct wl_invocation *inv, const char *path, const char *dir)
{
	bool is_only = inv->n_operands == 1 && inv->n_many == 0;

	if (!now.waits || (!is_only && !was_last(inv, path)))
		return;
	now.waits = false;
	free(now.is_done);
	now.is_done = NULL;
	now.n_done = 0;
	enter(inv, dir);
}

void wl_confine_listening(void)
{
	if (now.is.seccomp)
		(void)wl_sandbox_is_listening();
}

const char *wl_confine_words(char *buf, size_t size)
{
	char landlock[32] = "";

	if (now.is.landlock)
		(void)snprintf(landlock, sizeof(landlock), "landlock %d", now.is.landlock);
	(void)snprintf(buf, size, "%s%s%s", landlock, now.is.landlock && now.is.seccomp ? ", " : "",
		       now.is.seccomp    ? "seccomp"
		       : now.is.landlock ? ""
		       : now.is_off      ? "off"
					 : "none");
	return buf;
}
