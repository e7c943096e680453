/* SPDX-License-Identifier: MIT */
#include "tui/term/ink.h"

#include <stdio.h>

/* Of 256 colours, and of 16, where 8 to 15 are the bright ones of 0 to 7. */
struct shade {
	int of_256, of_16;
	uint8_t attrs_of_mono; /* what must be seen, is seen without colour, too */
};

enum { RED = 1, GREEN, YELLOW, BLUE, MAGENTA, CYAN, WHITE, BRIGHT };

/* Of heat maps: as near to the palette as 256 colours are; of 16 they are few. */
static struct shade heat_shade(unsigned ink, bool light)
{
	static const int of_256[2][WL_N_HEATS] = { { 239, 52, 94, 130, 208, 223 },
						   { 250, 223, 215, 208, 130, 52 } };
	static const int of_16[WL_N_HEATS] = {
		WL_PEN_OWN, YELLOW, YELLOW, YELLOW, RED, BRIGHT + RED
	};

	return (struct shade){ of_256[light][ink], of_16[ink], 0 };
}

static struct shade shade_of(enum wl_ink ink, bool light)
{
	static const struct shade table[WL_INK_HEAT] = {
		[WL_COLOUR_GEMM] = { 32, BRIGHT + BLUE, 0 },
		[WL_COLOUR_ATTENTION] = { 214, YELLOW, 0 },
		[WL_COLOUR_NORM] = { 36, GREEN, 0 },
		[WL_COLOUR_COMM] = { 166, RED, 0 },
		[WL_COLOUR_COPY] = { 227, BRIGHT + YELLOW, 0 },
		[WL_COLOUR_OTHER] = { 74, BRIGHT + CYAN, 0 },
		[WL_COLOUR_HOST] = { 175, MAGENTA, 0 },
		[WL_INK_NEUTRAL] = { 252, WHITE, 0 },
		[WL_INK_DEFAULT] = { WL_PEN_OWN, WL_PEN_OWN, 0 },
		[WL_INK_DIM] = { 245, WL_PEN_OWN, 0 },
		[WL_INK_TITLE] = { WL_PEN_OWN, WL_PEN_OWN, 0 },
		[WL_INK_ALERT] = { 203, BRIGHT + RED, WL_ATTR_BOLD },
	};

	if (ink >= WL_INK_HEAT)
		return heat_shade((unsigned)ink - WL_INK_HEAT, light);
	if (ink == WL_INK_NEUTRAL && light)
		return (struct shade){ 240, WL_PEN_OWN, 0 };
	return table[ink];
}

/* Inks that are no colour of the palette take the grey or red of 256 colours. */
static int rgb_of(enum wl_ink ink, bool light)
{
	if ((int)ink < WL_N_COLOURS)
		return (int)wl_colour_rgb((enum wl_colour)ink, !light);
	if (ink >= WL_INK_HEAT)
		return (int)wl_heat_rgb((unsigned)ink - WL_INK_HEAT, !light);
	switch (ink) {
	case WL_INK_DIM:
		return 0x8A8A8A;
	case WL_INK_ALERT:
		return 0xFF5F5F;
	case WL_INK_NEUTRAL:
	case WL_INK_DEFAULT:
	case WL_INK_TITLE:
	case WL_INK_HEAT:
	case WL_N_INKS:
		break;
	}
	return WL_PEN_OWN;
}

static int colour_of(enum wl_ink ink, enum wl_depth depth, bool light)
{
	switch (depth) {
	case WL_DEPTH_RGB:
		return rgb_of(ink, light);
	case WL_DEPTH_256:
		return shade_of(ink, light).of_256;
	case WL_DEPTH_16:
	case WL_DEPTH_8:
		return shade_of(ink, light).of_16;
	case WL_DEPTH_MONO:
		break;
	}
	return WL_PEN_OWN;
}

struct wl_pen wl_ink_pen(struct wl_style style, enum wl_depth depth, bool light)
{
	enum wl_ink fg = style.fg < WL_N_INKS ? (enum wl_ink)style.fg : WL_INK_DEFAULT;
	enum wl_ink bg = style.bg < WL_N_INKS ? (enum wl_ink)style.bg : WL_INK_DEFAULT;
	struct wl_pen pen = { colour_of(fg, depth, light), colour_of(bg, depth, light),
			      style.attrs };

	if (depth == WL_DEPTH_MONO)
		pen.attrs |= shade_of(fg, light).attrs_of_mono;
	if (depth != WL_DEPTH_8)
		return pen;
	if (pen.fg >= BRIGHT) {
		pen.fg -= BRIGHT;
		pen.attrs |= WL_ATTR_BOLD;
	}
	if (pen.bg >= BRIGHT)
		pen.bg -= BRIGHT;
	return pen;
}

/* ";38;5;32" and the like; base is 30 for the foreground, 40 for the background. */
static size_t put_colour(int colour, int base, enum wl_depth depth, char *buf, size_t size)
{
	int n = 0;

	if (colour == WL_PEN_OWN)
		return 0;
	if (depth == WL_DEPTH_RGB)
		n = snprintf(buf, size, ";%d;2;%d;%d;%d", base + 8, colour >> 16 & 0xff,
			     colour >> 8 & 0xff, colour & 0xff);
	else if (depth == WL_DEPTH_256)
		n = snprintf(buf, size, ";%d;5;%d", base + 8, colour);
	else if (colour >= BRIGHT)
		n = snprintf(buf, size, ";%d", base + 60 + colour - BRIGHT);
	else
		n = snprintf(buf, size, ";%d", base + colour);
	return (size_t)n;
}

size_t wl_ink_sgr(struct wl_pen pen, enum wl_depth depth, char buf[WL_SGR_BUF])
{
	size_t n = (size_t)snprintf(
		buf, WL_SGR_BUF, "\033[0%s%s%s", pen.attrs & WL_ATTR_BOLD ? ";1" : "",
		pen.attrs & WL_ATTR_UNDERLINE ? ";4" : "", pen.attrs & WL_ATTR_REVERSE ? ";7" : "");

	n += put_colour(pen.fg, 30, depth, buf + n, WL_SGR_BUF - n);
	n += put_colour(pen.bg, 40, depth, buf + n, WL_SGR_BUF - n);
	buf[n++] = 'm';
	buf[n] = '\0';
	return n;
}
