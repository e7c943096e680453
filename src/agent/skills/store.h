/* SPDX-License-Identifier: MIT */
/*
 * store.h - the skills there are: verbs, those of the program, and the user's own files.
 *
 * A file of the user's is DIR/NAME.md or DIR/NAME.json, and its skill has that name. Nothing is
 * kept between calls, so a file counts from the moment it is there.
 */
#ifndef WL_AGENT_SKILL_STORE_H
#define WL_AGENT_SKILL_STORE_H

#include "agent/skills/skill.h"

/*
 * A skill by name, or an alias of a verb; _ and - are alike. dir is where the user's files are;
 * NULL: nowhere. Skills of the program and verbs go before the user's, which cannot take their
 * names. WL_E_USAGE with the nearest name, or with what is wrong in the file; WL_E_IO, WL_E_NOMEM.
 */
int wl_skill_find(const char *name, const char *dir, struct wl_arena *arena, struct wl_skill *ret,
		  struct wl_err *reterr) WL_MUST_CHECK;

/* Read a file at any path. The name in it need not be the file's. */
int wl_skill_read(const char *path, struct wl_arena *arena, struct wl_skill *ret,
		  struct wl_err *reterr) WL_MUST_CHECK;

/* Whether a name is a verb's, an alias's or one of the program's skills. */
bool wl_skill_is_taken(const char *name);

/* All of them by origin, then by name. Own files that cannot be read are left out, and told. */
struct wl_skill_list {
	struct wl_skill *skill;
	size_t n;
	const char **refused; /* messages */
	size_t n_refused;
};

int wl_skill_list(const char *dir, struct wl_arena *arena, struct wl_skill_list *ret,
		  struct wl_err *reterr) WL_MUST_CHECK;

/* Put a file into the directory, which is made. WL_E_USAGE when the name is taken. */
int wl_skill_add(const char *path, const char *dir, struct wl_arena *arena, struct wl_skill *ret,
		 struct wl_err *reterr) WL_MUST_CHECK;

/* Remove the user's file of a skill, which need not be valid; *ret_path is where it was. */
int wl_skill_remove(const char *name, const char *dir, struct wl_arena *arena,
		    const char **ret_path, struct wl_err *reterr) WL_MUST_CHECK;

#endif
