/* SPDX-License-Identifier: MIT */
/*
 * paint.js - pixels of a frame: one ImageData through a Uint32Array. Lanes are painted from
 * pictures, column by column, then events that are wide enough as rectangles over them.
 * All lengths here are device pixels.
 */
import {FULL_SHARE} from '../data/columns.js';
import {NO_DIFFERENCE} from '../data/delta.js';
import {LEVELS, levelOf} from './theme.js';

const levelByShare = Uint8Array.from({length: 256}, (_, share) => levelOf(share));
/** Hatches repeat after so many pixels. */
const HATCH = 6;
/** So does what lets the ground through; half of it does. */
const VEIL = 8;

/** Levels are drawn in the colour of this category: "other". */
const LEVEL_COLOUR = 5;

export class Painter {
	/** @type {ImageData} */
	image;
	/** @type {Uint32Array} */
	pixels;
	/** @type {Uint32Array} */
	ground;
	#line = new Uint32Array(0);
	#edge = new Uint32Array(0);
	#unknown = new Uint8Array(0);
	#tint = new Uint32Array(0);

	/** Makes room for a canvas of width x height; what was painted is gone. */
	resize(width, height) {
		if (this.image?.width === width && this.image.height === height)
			return;
		this.image = new ImageData(width, height);
		this.pixels = new Uint32Array(this.image.data.buffer);
		this.width = width;
		this.height = height;
		this.#line = new Uint32Array(width);
		this.#edge = new Uint32Array(width);
		this.#unknown = new Uint8Array(width);
		this.#tint = new Uint32Array(width);
		this.ground = new Uint32Array(width);
	}

	/** Starts a frame: the sheet, with a line of the grid at each x of ticks. */
	begin(theme, ticks) {
		this.theme = theme;
		this.ground.fill(theme.sheet);
		for (const x of ticks)
			if (x >= 0 && x < this.width)
				this.ground[x] = theme.empty;
		for (let y = 0; y < this.height; y++)
			this.pixels.set(this.ground, y * this.width);
	}

	/* Rows [y, y + height) that are on the canvas below `top`. */
	#clip(y, height, top) {
		return [Math.max(y, top), Math.min(y + height, this.height)];
	}

	/** A plain band over the whole width. */
	band(y, height, top, colour) {
		const [from, to] = this.#clip(y, height, top);
		if (to > from)
			this.pixels.fill(colour, from * this.width, to * this.width);
	}

	/**
	 * A lane as shades: the colour of the column's category, as strong as its share.
	 * column: by x the column of the picture (-1: not known), or null for x itself.
	 * colours: by category an index of the theme's colours.
	 */
	shades(picture, column, colours, y, height, top) {
		const [from, to] = this.#clip(y, height, top);
		if (to <= from)
			return;
		const {fill, edge, outlined, empty} = this.theme;
		const {cat, share} = picture;
		const line = this.#line, edges = this.#edge, steps = LEVELS + 1;
		for (let x = 0; x < this.width; x++) {
			const i = column === null ? x : column[x];
			if (i < 0 || share[i] === 0) {
				line[x] = edges[x] = i < 0 && x % HATCH < 2 ? empty : this.ground[x];
				continue;
			}
			const at = colours[cat[i]] * steps + levelByShare[share[i]];
			line[x] = fill[at];
			edges[x] = outlined ? edge[at] : fill[at];
		}
		for (let row = from; row < to; row++) {
			const atEdge = row === y || row === y + height - 1;
			this.pixels.set(atEdge ? edges : line, row * this.width);
		}
	}

	/** A lane as bars from the bottom, as high as the share; what is not loaded is hatched. tint: see tints(). */
	bars(picture, column, colours, y, height, top, tint = null) {
		const [from, to] = this.#clip(y, height, top);
		const {fill, empty} = this.theme;
		const {cat, share} = picture;
		const line = this.#line, least = this.#edge, unknown = this.#unknown, steps = LEVELS + 1;
		for (let x = 0; x < this.width; x++) {
			const i = column === null ? x : column[x];
			const none = i < 0 || share[i] === 0;
			unknown[x] = i < 0 ? 1 : 0;
			line[x] = none ? 0 : tint?.[x] || fill[colours[cat[i]] * steps + LEVELS];
			least[x] = none ? 0 : Math.max(1, Math.round(share[i] * height / 255));
		}
		for (let row = from; row < to; row++) {
			const above = y + height - row, base = row * this.width;
			for (let x = 0; x < this.width; x++) {
				const blank = unknown[x] && (x + row) % HATCH < 2 ? this.theme.middle :
					unknown[x] ? this.ground[x] : empty;
				this.pixels[base + x] = least[x] >= above ? line[x] : blank;
			}
		}
	}

	/**
	 * A lane of levels as an area from the bottom, as high as the mean, and fainter up to the
	 * highest. The line at the bottom is there where a sample holds, also of 0.
	 */
	levels(picture, column, colours, y, height, top) {
		const [from, to] = this.#clip(y, height, top);
		const {fill} = this.theme;
		const {cat, share} = picture;
		const mean = this.#line, most = this.#edge;
		const base = LEVEL_COLOUR * (LEVELS + 1);
		const strong = fill[base + LEVELS], faint = fill[base + (LEVELS >> 2)];
		for (let x = 0; x < this.width; x++) {
			const i = column === null ? x : column[x];
			const high = (level) => 1 + Math.round((level - 1) * (height - 1) / 254);
			mean[x] = i < 0 || share[i] === 0 ? 0 : high(share[i]);
			most[x] = mean[x] === 0 ? 0 : high(cat[i]);
		}
		for (let row = from; row < to; row++) {
			const above = y + height - row, at = row * this.width;
			for (let x = 0; x < this.width; x++)
				this.pixels[at + x] = mean[x] >= above ? strong :
					most[x] >= above ? faint : this.ground[x];
		}
	}

	/**
	 * Of what colours the bars of one category of a lane are: tint[x] is the colour of a column of one,
	 * as in an ImageData, 0 where it stays; the answer is the other columns. See divide().
	 * parts: [{picture, column}], lanes whose shares are the weights; colours: by their category an index of
	 * the theme's colours, -1 for none.
	 */
	tints({cat, share}, column, only, parts, colours) {
		const {fill} = this.theme;
		const tint = this.#tint;
		const mixed = [];
		for (let x = 0; x < this.width; x++) {
			const i = column === null ? x : column[x];
			let colour = -1, isMixed = false;
			tint[x] = 0;
			if (i < 0 || share[i] === 0 || cat[i] !== only)
				continue;
			for (const {picture, column: own} of parts) {
				const k = own === null ? x : own[x];
				const next = k < 0 || picture.share[k] === 0 ? -1 : colours[picture.cat[k]];
				isMixed ||= next >= 0 && colour >= 0 && next !== colour;
				colour = next >= 0 ? next : colour;
			}
			if (isMixed)
				mixed.push(x);
			else if (colour >= 0)
				tint[x] = fill[colour * (LEVELS + 1) + LEVELS];
		}
		return {tint, mixed};
	}

	/** Divides the bars of these columns among colours, from the bottom in the order of categories. */
	divide(picture, column, mixed, parts, colours, {y, height, top}) {
		const [from, to] = this.#clip(y, height, top);
		const sums = new Float64Array(colours.length);
		for (const x of mixed) {
			const i = column === null ? x : column[x];
			let all = 0, reached = 0, row = Math.min(to, y + height) - 1;
			sums.fill(0);
			for (const {picture: {cat, share}, column: own} of parts) {
				const k = own === null ? x : own[x];
				if (k < 0 || colours[cat[k]] < 0)
					continue;
				sums[cat[k]] += share[k];
				all += share[k];
			}
			const high = Math.max(1, Math.round(picture.share[i] * height / 255));
			for (let c = 0; c < sums.length; c++) {
				reached += sums[c];
				const until = y + height - Math.round(high * reached / all);
				for (; sums[c] > 0 && row >= until && row >= from; row--)
					this.pixels[row * this.width + x] = this.theme.fill[colours[c] * (LEVELS + 1) + LEVELS];
			}
		}
	}

	/**
	 * Strikes columns of some categories through, on a lane that is painted as bars or shades:
	 * on bars up to their height, on shades as strong as they are. colour: of the theme's colours.
	 */
	hatch(picture, column, isHatched, colour, {y, height, top, isBars}) {
		const [from, to] = this.#clip(y, height, top);
		const {cat, share} = picture;
		for (let x = 0; x < this.width; x++) {
			const i = column === null ? x : column[x];
			if (i < 0 || share[i] === 0 || !isHatched[cat[i]])
				continue;
			const level = isBars ? LEVELS : levelByShare[share[i]];
			const stroke = this.theme.edge[colour * (LEVELS + 1) + level];
			const high = isBars ? Math.max(1, Math.round(share[i] * height / 255)) : height;
			for (let row = Math.max(from, y + height - high); row < to; row++)
				if ((x + row) % HATCH < 2)
					this.pixels[row * this.width + x] = stroke;
		}
	}

	/**
	 * Lets the ground through a lane that is painted: what is below has no edges of its own, because
	 * the data are coarser than the pixels.
	 */
	veil(y, height, top) {
		const [from, to] = this.#clip(y, height, top);
		for (let row = from; row < to; row++) {
			const base = row * this.width;
			for (let x = (VEIL - row % VEIL) % VEIL; x < this.width + VEIL; x += VEIL) {
				for (let k = 0; k < VEIL / 2; k++)
					if (x + k < this.width)
						this.pixels[base + x + k] = this.ground[x + k];
			}
		}
	}

	/**
	 * A strip of shareDifference() of delta.js: bars from a middle line, up where the second is
	 * larger. Half of the height is the whole column.
	 */
	difference(strip, y, height, top) {
		const [from, to] = this.#clip(y, height, top);
		const {more, less, empty, middle} = this.theme;
		const half = height - 1 >> 1, line = y + half;
		for (let row = from; row < to; row++) {
			const above = line - row, base = row * this.width;
			for (let x = 0; x < this.width; x++) {
				const d = strip[x];
				const reach = Math.round(d * half / FULL_SHARE);
				if (d === NO_DIFFERENCE)
					this.pixels[base + x] = x % HATCH < 2 ? empty : this.ground[x];
				else if (above > 0 && reach >= above)
					this.pixels[base + x] = more;
				else if (above < 0 && reach <= above)
					this.pixels[base + x] = less;
				else
					this.pixels[base + x] = above === 0 ? middle : this.ground[x];
			}
		}
	}

	/** One event: [x0, x1) filled, the last column left free as a gap. */
	event(x0, x1, y, height, top, colour, edge) {
		const [from, to] = this.#clip(y, height, top);
		const left = Math.max(0, x0), right = Math.min(this.width, x1 - 1);
		for (let row = from; row < to; row++) {
			const base = row * this.width;
			const atEdge = row === y || row === y + height - 1;
			if (right > left)
				this.pixels.fill(atEdge ? edge : colour, base + left, base + right);
			if (x1 - 1 >= 0 && x1 - 1 < this.width)
				this.pixels[base + x1 - 1] = this.ground[x1 - 1];
		}
	}
}

/**
 * By x of a view [a, b) in w pixels, the column of a picture of another view, -1 outside of
 * it; null where both are the same.
 */
export function columnsBetween(picture, a, b, w) {
	if (picture.a === a && picture.b === b && picture.w === w)
		return null;
	const columns = new Int32Array(w);
	const scale = picture.w / (picture.b - picture.a);
	for (let x = 0; x < w; x++) {
		const t = a + (x + 0.5) * (b - a) / w;
		const i = Math.floor((t - picture.a) * scale);
		columns[x] = i >= 0 && i < picture.w ? i : -1;
	}
	return columns;
}
