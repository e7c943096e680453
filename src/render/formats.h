/* SPDX-License-Identifier: MIT */
/* formats.h - declares the functions listed in formats.def, for registry.c and their own
 * sources. */
#ifndef WL_RENDER_FORMATS_H
#define WL_RENDER_FORMATS_H

#include "render/render.h"

#define WL_FORMAT(id, ...) wl_renderer wl_render_##id;
#include "render/formats.def"
#undef WL_FORMAT

#endif
