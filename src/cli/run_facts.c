/* SPDX-License-Identifier: MIT */
#include "cli/run_facts.h"

#include <stdio.h>

#include "base/text/units.h"

struct listing {
	struct wl_arena *arena;
	struct wl_run_fact *fact;
	size_t n;
	bool is_failed;
};

static void add(struct listing *l, const char *what, const char *name, const char *value)
{
	if (value)
		l->fact[l->n++] = (struct wl_run_fact){ what, name, value, -1 };
}

static const char *copy(struct listing *l, const char *text)
{
	const char *c = wl_arena_strdup(l->arena, text);

	l->is_failed = l->is_failed || !c;
	return c ? c : "";
}

static void add_number(struct listing *l, const char *what, const char *name, int64_t value)
{
	char text[WL_UNITS_BUF];

	if (value >= 0)
		add(l, what, name, copy(l, wl_fmt_i64(text, value)));
}

/* Lists whose items have numbers for names, from 0 on: the first argument is the program. */
static void add_numbered(struct listing *l, const char *what, const char *const *text, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char number[WL_UNITS_BUF];

		add(l, what, copy(l, wl_fmt_i64(number, (int64_t)i)), text[i]);
	}
}

static void add_pairs(struct listing *l, const char *what, const struct wl_run_pair *pair, size_t n)
{
	for (size_t i = 0; i < n; i++)
		add(l, what, pair[i].name, pair[i].value);
}

static void add_time(struct listing *l, const char *name, int64_t ns)
{
	char text[WL_UNITS_BUF];

	if (ns < 0)
		return;
	add(l, "time", name, copy(l, wl_fmt_ns(text, ns, WL_UNIT_AUTO)));
	l->fact[l->n - 1].ns = ns;
}

static void add_times(struct listing *l, const struct wl_manifest *m)
{
	add_time(l, "wall", m->wall_ns);
	add_time(l, "without profiler", m->bare_ns);
	add_time(l, "step", m->step_ns);
	for (size_t i = 0; i < m->n_stages; i++)
		add_time(l, m->stage[i].name, m->stage[i].wall_ns);
}

static void add_inputs(struct listing *l, const struct wl_manifest *m)
{
	for (size_t i = 0; i < m->n_inputs; i++) {
		const struct wl_run_file *f = &m->input[i];
		char text[WL_SHA256_HEX + WL_UNITS_BUF + 16], size[WL_UNITS_BUF];

		(void)snprintf(text, sizeof(text), "%s bytes%s%s", wl_fmt_i64(size, f->bytes),
			       f->sha256[0] ? ", sha256 " : "", f->sha256);
		add(l, "input", f->path, copy(l, text));
	}
}

static void add_machine(struct listing *l, const struct wl_manifest *m)
{
	add(l, "host", "name", m->host);
	add(l, "host", "system", m->system);
	add(l, "host", "directory", m->directory);
	add_numbered(l, "GPU", m->gpu, m->n_gpus);
	add(l, "version", "driver", m->driver);
	add(l, "version", "nsys", m->nsys);
	add(l, "version", "ncu", m->ncu);
	add(l, "version", "warplens", m->warplens);
	add(l, "git", "revision", m->revision);
	if (m->dirty != WL_RUN_DIRTY_UNKNOWN)
		add(l, "git", "changed since", m->dirty == WL_RUN_DIRTY ? "yes" : "no");
}

const struct wl_run_fact *wl_run_facts(const struct wl_manifest *m, struct wl_arena *arena,
				       size_t *ret_n)
{
	enum { SINGLE = 24 }; /* more than there are facts that are no list */
	size_t n = m->n_argv + m->n_sweep + m->n_env + m->n_allowed + m->n_gpus + m->n_inputs +
		   m->n_stages + SINGLE;
	struct listing l = { .arena = arena, .fact = WL_NEW(arena, struct wl_run_fact, n) };

	if (!l.fact)
		return NULL;
	add_numbered(&l, "argument", m->argv, m->n_argv);
	add_pairs(&l, "sweep", m->sweep, m->n_sweep);
	add_pairs(&l, "environment", m->env, m->n_env);
	add_numbered(&l, "secret let pass", m->allowed, m->n_allowed);
	add_machine(&l, m);
	add_number(&l, "exit", "status", m->exit_status);
	add_number(&l, "exit", "signal", m->exit_signal ? m->exit_signal : -1);
	add(&l, "exit", "failure", m->failure);
	add_inputs(&l, m);
	add_times(&l, m);
	*ret_n = l.n;
	return l.is_failed ? NULL : l.fact;
}
