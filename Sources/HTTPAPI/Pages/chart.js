// Small SVG charts. The numbers are shown beside them for accessibility.
import { svg } from "./dom.js";
import { number, t } from "./strings.js";

const [wide, high] = [360, 180];
const [left, right, top, bottom] = [34, 8, 8, 24];

function frame(label, most, ticks) {
	const picture = svg("svg", { class: "chart", viewBox: `0 0 ${wide} ${high}`, role: "img", "aria-label": label });
	for (const tick of ticks) {
		const y = level(tick, most);
		picture.append(
			svg("line", { x1: left, x2: wide - right, y1: y, y2: y }),
			svg("text", { x: left - 4, y: y + 4, "text-anchor": "end" }, number(tick)),
		);
	}
	return picture;
}

const level = (value, most) => high - bottom - (high - top - bottom) * value / most;

/** A bar chart; bars with several parts are stacked. `bars` is [{label, parts: [[value, class]]}]. */
export function stackedBars(label, bars) {
	const most = Math.max(1, ...bars.map((bar) => bar.parts.reduce((sum, [value]) => sum + value, 0)));
	const picture = frame(label, most, [0, most]);
	const step = (wide - left - right) / Math.max(1, bars.length);
	bars.forEach((bar, index) => {
		let base = 0;
		for (const [value, name] of bar.parts) {
			const [y, end] = [level(base + value, most), level(base, most)];
			picture.append(
				svg("rect", {
					x: left + index * step + step * 0.1,
					width: step * 0.8,
					y,
					height: Math.max(0, end - y),
					class: name,
				}),
			);
			base += value;
		}
		// Always label the last bar: it is today, or this hour.
		if ((bars.length - 1 - index) % Math.ceil(bars.length / 6) === 0) {
			picture.append(svg("text", { x: left + (index + 0.5) * step, y: high - 8, "text-anchor": "middle" }, bar.label));
		}
	});
	return picture;
}

/**
 * A chart of the share of correct reads by confidence, with the diagonal of perfect calibration. `bins` is [{from, to,
 * count, right}].
 */
export function reliability(bins) {
	const picture = frame(t("evaluate.chart"), 1, [0, 0.5, 1]);
	const x = (value) => left + (wide - left - right) * value;
	picture.append(
		svg("line", {
			x1: x(0),
			y1: level(0, 1),
			x2: x(1),
			y2: level(1, 1),
			class: "strokeQuiet",
			"stroke-dasharray": "4 4",
		}),
	);
	const most = Math.max(1, ...bins.map((bin) => bin.count));
	for (const bin of bins.filter((one) => one.count > 0)) {
		picture.append(
			svg("circle", {
				cx: x(bin.mean ?? (bin.from + bin.to) / 2),
				cy: level(bin.right / bin.count, 1),
				r: 3 + 6 * Math.sqrt(bin.count / most),
				class: "fillAccent",
				"fill-opacity": 0.8,
			}),
		);
	}
	for (const tick of [0, 0.5, 1]) {
		picture.append(svg("text", { x: x(tick), y: high - 8, "text-anchor": "middle" }, number(tick)));
	}
	return picture;
}
