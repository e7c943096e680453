/* SPDX-License-Identifier: MIT */
// Columns of numbers as docs/web.md packs them: LEB128 varints, read in one pass each. A value is
// below 2^53; what is longer, or goes beyond the column, is a broken file and an Error.

/** Bytes of a number below 2^53. */
const MAX_VARINT_BYTES = 8;

/** Numbers of either sign that were made 0, 1, 2, 3 of 0, -1, 1, -2. */
export function unzigzag(v) {
	return v % 2 === 0 ? v / 2 : -(v + 1) / 2;
}

/** Reads varints from a part of some bytes. */
export class VarintReader {
	/** @param {Uint8Array} bytes  @param {number} offset  @param {number} length in bytes */
	constructor(bytes, offset, length) {
		if (!(offset >= 0 && length >= 0 && offset + length <= bytes.length))
			throw new Error('the data of this page are cut off');
		this.bytes = bytes;
		this.at = offset;
		this.end = offset + length;
	}

	/** The rest of a number whose first byte says that there is more. */
	#more(low) {
		const {bytes} = this;
		let v = low & 127, scale = 128;

		for (let n = 1; n < MAX_VARINT_BYTES; n++) {
			const byte = bytes[this.at++];

			v += (byte & 127) * scale;
			if (byte < 128)
				return v;
			scale *= 128;
		}
		throw new Error('a number of this page is too large');
	}

	/** Set values[0, length): a number each. */
	numbers(values) {
		const {bytes} = this;

		for (let i = 0; i < values.length; i++) {
			const byte = bytes[this.at++];

			values[i] = byte < 128 ? byte : this.#more(byte);
		}
		return this.#checked(values);
	}

	/** Each is a difference, zigzag, to the one before plus step. */
	differences(values, first, step) {
		const {bytes} = this;
		let before = first;

		for (let i = 0; i < values.length; i++) {
			const byte = bytes[this.at++];

			before += step + unzigzag(byte < 128 ? byte : this.#more(byte));
			values[i] = before;
		}
		return this.#checked(values);
	}

	/** Starts: each is a difference, zigzag, to the end of the event before, or to 0. */
	starts(values, durations) {
		const {bytes} = this;
		let before = 0;

		for (let i = 0; i < values.length; i++) {
			const byte = bytes[this.at++];

			values[i] = before + unzigzag(byte < 128 ? byte : this.#more(byte));
			before = values[i] + durations[i];
		}
		return this.#checked(values);
	}

	/** Numbers that may be absent: 0, else 1 + the zigzag difference to the last there was. */
	sparse(values, absent) {
		const {bytes} = this;
		let before = 0;

		for (let i = 0; i < values.length; i++) {
			const byte = bytes[this.at++];
			const v = byte < 128 ? byte : this.#more(byte);

			if (v > 0)
				before += unzigzag(v - 1);
			values[i] = v > 0 ? before : absent;
		}
		return this.#checked(values);
	}

	/** Numbers that may be absent: 0, else 1 + the zigzag difference to base[i]. */
	near(values, base, absent) {
		const {bytes} = this;

		for (let i = 0; i < values.length; i++) {
			const byte = bytes[this.at++];
			const v = byte < 128 ? byte : this.#more(byte);

			values[i] = v > 0 ? base[i] + unzigzag(v - 1) : absent;
		}
		return this.#checked(values);
	}

	#checked(values) {
		if (this.at !== this.end)
			throw new Error('the data of this page do not fit its head');
		return values;
	}
}
