/* SPDX-License-Identifier: MIT */
/*
 * store.h - the store of skills: verbs, built-in skills, and the user's files.
 *
 * A user's file is DIR/NAME.md or DIR/NAME.json, and its skill has that name. Nothing is cached
 * between calls: a new file takes effect at once.
 */
#ifndef WL_AGENT_SKILL_STORE_H
#define WL_AGENT_SKILL_STORE_H

#include "agent/skills/skill.h"

/*
 * Find a skill by name or by a verb's alias; _ and - are equivalent. dir holds the user's files;
 * NULL: none. Built-in skills and verbs take precedence over the user's, which cannot take their
 * names. WL_E_USAGE with the nearest name, or with what is wrong in the file; WL_E_IO, WL_E_NOMEM.
 */
int wl_skill_find(const char *name, const char *dir, struct wl_arena *arena, struct wl_skill *ret,
		  struct wl_err *reterr) WL_MUST_CHECK;

/* Read a file at any path. The skill's name may differ from the file's. */
int wl_skill_read(const char *path, struct wl_arena *arena, struct wl_skill *ret,
		  struct wl_err *reterr) WL_MUST_CHECK;

/* Whether a name belongs to a verb, an alias or a built-in skill. */
bool wl_skill_is_taken(const char *name);

/* All skills by origin, then by name. Unreadable user files are left out and reported. */
struct wl_skill_list {
	struct wl_skill *skill;
	size_t n;
	const char **refused; /* messages */
	size_t n_refused;
};

int wl_skill_list(const char *dir, struct wl_arena *arena, struct wl_skill_list *ret,
		  struct wl_err *reterr) WL_MUST_CHECK;

/* Copy a file into the directory, creating it if needed. WL_E_USAGE if the name is taken. */
int wl_skill_add(const char *path, const char *dir, struct wl_arena *arena, struct wl_skill *ret,
		 struct wl_err *reterr) WL_MUST_CHECK;

/* Remove the user's file of a skill, valid or not; *ret_path is its former path. */
int wl_skill_remove(const char *name, const char *dir, struct wl_arena *arena,
		    const char **ret_path, struct wl_err *reterr) WL_MUST_CHECK;

#endif
