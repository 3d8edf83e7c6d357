// QR codes (ISO/IEC 18004): bytes, error correction M, versions 1 to 10, the mask with the least penalty.
import { el, svg } from "./dom.js";
import { pieces } from "./strings.js";

// For each version: error correction codewords per block, numbers of blocks of the first and second kind, data
// codewords per block of the first kind.
const versions = [
	null,
	[10, 1, 0, 16],
	[16, 1, 0, 28],
	[26, 1, 0, 44],
	[18, 2, 0, 32],
	[24, 2, 0, 43],
	[16, 4, 0, 27],
	[18, 4, 0, 31],
	[22, 2, 2, 38],
	[22, 3, 2, 36],
	[26, 4, 1, 43],
];
const centres = [null, [], [6, 18], [6, 22], [6, 26], [6, 30], [6, 34], [6, 22, 38], [6, 24, 42], [6, 26, 46], [
	6,
	28,
	50,
]];

// GF(256) with the polynomial x^8 + x^4 + x^3 + x^2 + 1.
const powers = [];
const logarithms = [];
for (let exponent = 0, value = 1; exponent < 255; exponent++) {
	powers[exponent] = value;
	logarithms[value] = exponent;
	value = (value << 1) ^ (value & 128 ? 0x11D : 0);
}
const times = (a, b) => (a && b ? powers[(logarithms[a] + logarithms[b]) % 255] : 0);

function correction(data, degree) {
	let divisor = [1];
	for (let root = 0; root < degree; root++) {
		divisor = [...divisor, 0].map((value, index) => value ^ times(divisor[index - 1] ?? 0, powers[root]));
	}
	const rest = [...data, ...Array(degree).fill(0)];
	for (let index = 0; index < data.length; index++) {
		const factor = rest[index];
		divisor.forEach((value, place) => {
			rest[index + place] ^= times(value, factor);
		});
	}
	return rest.slice(data.length);
}

function codewords(bytes, version) {
	const [degree, first, second, size] = versions[version];
	const capacity = first * size + second * (size + 1);
	const bits = [];
	const put = (value, length) => {
		for (let bit = length - 1; bit >= 0; bit--) bits.push((value >> bit) & 1);
	};
	put(4, 4);
	put(bytes.length, version < 10 ? 8 : 16);
	bytes.forEach((byte) => put(byte, 8));
	put(0, Math.min(4, capacity * 8 - bits.length));
	while (bits.length % 8) bits.push(0);
	const data = [];
	for (let index = 0; index < bits.length; index += 8) {
		data.push(Number.parseInt(bits.slice(index, index + 8).join(""), 2));
	}
	for (let fill = 0xEC; data.length < capacity; fill ^= 0xEC ^ 0x11) data.push(fill);
	const blocks = [];
	for (let block = 0, at = 0; block < first + second; block++) {
		const length = size + (block >= first ? 1 : 0);
		blocks.push(data.slice(at, at + length));
		at += length;
	}
	const checks = blocks.map((block) => correction(block, degree));
	const woven = [];
	for (let index = 0; index <= size; index++) {
		blocks.forEach((block) => {
			if (index < block.length) woven.push(block[index]);
		});
	}
	for (let index = 0; index < degree; index++) checks.forEach((check) => woven.push(check[index]));
	return woven;
}

const masks = [
	(x, y) => (x + y) % 2,
	(_x, y) => y % 2,
	(x) => x % 3,
	(x, y) => (x + y) % 3,
	(x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2,
	(x, y) => x * y % 2 + x * y % 3,
	(x, y) => (x * y % 2 + x * y % 3) % 2,
	(x, y) => ((x + y) % 2 + x * y % 3) % 2,
];

function remainder(value, polynomial, length) {
	let rest = value << length;
	for (let bit = 31 - Math.clz32(rest); bit >= length; bit = 31 - Math.clz32(rest)) {
		rest ^= polynomial << (bit - length);
	}
	return (value << length) | rest;
}

/** Returns the modules of a code, as rows of 0 and 1. Throws if the text is longer than 213 bytes. */
function qrModules(text) {
	const bytes = [...new TextEncoder().encode(text)];
	const version = versions.findIndex((row, number) =>
		row && row[1] * row[3] + row[2] * (row[3] + 1) - (number < 10 ? 2 : 3) >= bytes.length
	);
	if (version < 0) throw new Error("too long for a code");
	const size = 17 + 4 * version;
	const plain = Array.from({ length: size }, () => Array(size).fill(null));
	const set = (x, y, dark) => {
		if (x >= 0 && y >= 0 && x < size && y < size) plain[y][x] = dark ? 1 : 0;
	};
	// Finder patterns with their white borders, timing and alignment patterns, and the format's modules.
	for (const [left, top] of [[0, 0], [size - 7, 0], [0, size - 7]]) {
		for (let y = -1; y < 8; y++) {
			for (let x = -1; x < 8; x++) {
				const ring = Math.max(Math.abs(x - 3), Math.abs(y - 3));
				set(left + x, top + y, ring !== 2 && ring !== 4);
			}
		}
	}
	for (let index = 8; index < size - 8; index++) {
		set(index, 6, index % 2 === 0);
		set(6, index, index % 2 === 0);
	}
	for (const cy of centres[version]) {
		for (const cx of centres[version]) {
			if (
				plain[cy][cx] !== null && (cx !== 6 || cy === 6 || cy === size - 7) && (cy !== 6 || cx === 6 || cx === size - 7)
			) continue;
			for (let y = -2; y <= 2; y++) {
				for (let x = -2; x <= 2; x++) set(cx + x, cy + y, Math.max(Math.abs(x), Math.abs(y)) !== 1);
			}
		}
	}
	const formatPlaces = [];
	for (let bit = 0; bit < 15; bit++) {
		const near = bit < 6 ? [8, bit] : bit < 8 ? [8, bit + 1] : bit === 8 ? [7, 8] : [14 - bit, 8];
		const far = bit < 8 ? [size - 1 - bit, 8] : [8, size - 15 + bit];
		formatPlaces.push([near, far]);
		set(...near, 0);
		set(...far, 0);
	}
	set(8, size - 8, 1);
	if (version >= 7) {
		const told = remainder(version, 0x1F25, 12);
		for (let bit = 0; bit < 18; bit++) {
			const [a, b] = [size - 11 + bit % 3, Math.floor(bit / 3)];
			set(a, b, (told >> bit) & 1);
			set(b, a, (told >> bit) & 1);
		}
	}
	// Data, upwards and downwards in columns of two modules, skipping the vertical timing pattern.
	const places = [];
	for (let right = size - 1, up = true; right > 0; right -= 2, up = !up) {
		if (right === 6) right = 5;
		for (let step = 0; step < size; step++) {
			for (const x of [right, right - 1]) {
				const y = up ? size - 1 - step : step;
				if (plain[y][x] === null) places.push([x, y]);
			}
		}
	}
	const bits = codewords(bytes, version).flatMap((word) => [7, 6, 5, 4, 3, 2, 1, 0].map((bit) => (word >> bit) & 1));
	const candidates = masks.map((mask, number) => {
		const modules = plain.map((row) => [...row]);
		places.forEach(([x, y], index) => {
			modules[y][x] = (bits[index] ?? 0) ^ (mask(x, y) === 0 ? 1 : 0);
		});
		// Error correction M is 00; the constant keeps the format from being all white (ISO/IEC 18004, 7.9.1).
		const format = remainder(number, 0x537, 10) ^ 0x5412;
		formatPlaces.forEach((pair, bit) =>
			pair.forEach(([x, y]) => {
				modules[y][x] = (format >> bit) & 1;
			})
		);
		return modules;
	});
	return candidates.reduce((best, modules) => (penalty(modules) < penalty(best) ? modules : best));
}

// The penalties of ISO/IEC 18004, 7.8.3: runs, blocks, patterns like a finder's, and imbalance of colours.
function penalty(modules) {
	const size = modules.length;
	let sum = 0;
	let dark = 0;
	const lines = [...modules, ...modules.map((_, x) => modules.map((row) => row[x]))];
	for (const line of lines) {
		const text = line.join("");
		for (const run of text.match(/0{5,}|1{5,}/g) ?? []) sum += run.length - 2;
		for (const pattern of ["10111010000", "00001011101"]) {
			for (let at = text.indexOf(pattern); at >= 0; at = text.indexOf(pattern, at + 1)) {
				sum += 40;
			}
		}
	}
	for (let y = 0; y < size; y++) {
		for (let x = 0; x < size; x++) {
			dark += modules[y][x];
			const block = y && x ? modules[y][x] + modules[y - 1][x] + modules[y][x - 1] + modules[y - 1][x - 1] : 2;
			if (block === 0 || block === 4) sum += 3;
		}
	}
	return sum + 10 * Math.floor(Math.abs(dark * 20 / (size * size) - 10));
}

/** Creates a code's picture, dark on white in both themes. */
export function qrPicture(text, label) {
	const modules = qrModules(text);
	const size = modules.length + 8;
	const path = modules.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x + 4} ${y + 4}h1v1h-1z` : ""))).join("");
	return svg(
		"svg",
		{ class: "qr", viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": label, "shape-rendering": "crispEdges" },
		svg("rect", { width: size, height: size, fill: "#fff" }),
		svg("path", { d: path, fill: "#000" }),
	);
}

/** Creates the code of an address for phones. Warns if the address leads them to themselves. */
export function phoneCode(address, label) {
	const { protocol, host, hostname, port } = new URL(address);
	const isOwn = /^(127\..*|\[::1\]|(.*\.)?localhost)$/.test(hostname);
	const example = `${protocol}//192.168.1.20${port && `:${port}`}`;
	return [
		isOwn
			? el(
				"p",
				{ class: "note" },
				pieces("code.local", { host: el("code", {}, host), example: el("code", {}, example) }),
			)
			: null,
		el("div", { class: "row center" }, qrPicture(address, label)),
	];
}
