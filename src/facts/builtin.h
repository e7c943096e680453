/* builtin.h - documents that are part of the program, made by tools/embed from files beside this.
 */
#ifndef WL_FACTS_BUILTIN_H
#define WL_FACTS_BUILTIN_H

#include <stddef.h>

/* The text of a file by its path below src/facts, such as "conventions/generic.json"; NULL if none.
 */
const char *wl_builtin_find(const char *path, size_t *ret_size);

#endif
