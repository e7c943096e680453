#include "tui/data.h"

const struct wl_lane *wl_tui_lane(const struct wl_tui_data *data, size_t track)
{
	if (!data->lanes || track >= data->tracks.n)
		return NULL;
	if (data->flat[track].n > 0)
		return &data->flat[track].lane[0];
	return data->lanes[track].n > 0 ? &data->lanes[track].lane[0] : NULL;
}
