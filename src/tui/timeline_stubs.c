/* timeline_stubs.c - stands in for what tells about events until that is there. */
#include "tui/timeline.h"

void wl_timeline_draw_detail(struct wl_timeline *t, struct wl_screen *s, const struct wl_line *line,
			     const struct wl_layout *l)
{
	struct wl_pick pick;
	char buf[512];

	if (line->kind == WL_LINE_DETAIL && line->n == 0 && wl_timeline_pick(t, &pick))
		wl_screen_label(s, 1, line->y, l->cols - 2, WL_STYLE_PLAIN,
				wl_timeline_pick_name(t, &pick, buf, sizeof(buf)));
}

void wl_timeline_draw_panel(struct wl_timeline *t, struct wl_screen *s, const struct wl_layout *l)
{
	(void)t;
	(void)s;
	(void)l;
}
