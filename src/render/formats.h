/* SPDX-License-Identifier: MIT */
/* formats.h - the functions behind formats.def, for registry.c and for themselves. */
#ifndef WL_RENDER_FORMATS_H
#define WL_RENDER_FORMATS_H

#include "render/render.h"

#define WL_FORMAT(id, ...) wl_renderer wl_render_##id;
#include "render/formats.def"
#undef WL_FORMAT

#endif
