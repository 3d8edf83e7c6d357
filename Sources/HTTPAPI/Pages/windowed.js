// A virtual list: rows of equal height, of which only the visible ones are in the document; all of them when printed.
import { el } from "./dom.js";

/** Rows created beyond each edge. */
const ahead = 8;
/** Distance in rows from the end of the list at which more are loaded. */
const early = 40;

/**
 * Shows `count()` rows of `height()` pixels in the positioned element `list`; `make(index)` creates a row. `scroller`
 * is the element that clips the list, or grows with it if the window scrolls. Calls `onNearEnd` near the end of the
 * list. `missing` returns a sentence for the printed list if not all rows are loaded, otherwise null.
 */
export function windowed({ list, scroller, count, height, make, onNearEnd, missing }) {
	const shown = new Map();
	const note = el("p", { class: "onlyPrint" });
	let isDue = false;
	let isPrinting = false;

	function range() {
		if (isPrinting) return [0, count() - 1];
		const [box, frame, size] = [list.getBoundingClientRect(), scroller.getBoundingClientRect(), height()];
		const [top, bottom] = [Math.max(0, frame.top), Math.min(innerHeight, frame.bottom)];
		return [
			Math.max(0, Math.floor((top - box.top) / size) - ahead),
			Math.min(count() - 1, Math.ceil((bottom - box.top) / size) + ahead),
		];
	}

	function update() {
		isDue = false;
		const [first, last] = range();
		for (const [index, node] of shown) {
			// Keep the focused row: removing it would lose the focus.
			if ((index >= first && index <= last) || (index < count() && node.contains(document.activeElement))) continue;
			node.remove();
			shown.delete(index);
		}
		for (let index = first; index <= last; index += 1) if (!shown.has(index)) insert(index);
		if (last >= count() - early && !isPrinting) onNearEnd();
	}

	// Inserts rows in order, because Tab and screen readers follow the document's order.
	function insert(index) {
		const node = make(index);
		node.style.top = `${index * height()}px`;
		let next = null;
		for (const [other, sibling] of shown) {
			if (other > index && (next === null || other < next[0])) next = [other, sibling];
		}
		list.insertBefore(node, next?.[1] ?? null);
		shown.set(index, node);
	}

	const scrolled = () => (scroller.scrollHeight > scroller.clientHeight + 1 ? scroller : window);

	const due = () => {
		if (isDue) return;
		isDue = true;
		requestAnimationFrame(update);
	};
	document.addEventListener("scroll", due, { capture: true, passive: true });
	addEventListener("resize", due);
	const print = ({ type }) => {
		isPrinting = type === "beforeprint";
		note.textContent = missing() ?? "";
		if (isPrinting) scroller.after(note);
		else note.remove();
		update();
	};
	for (const name of ["beforeprint", "afterprint"]) addEventListener(name, print);
	const watch = new ResizeObserver(due);
	watch.observe(scroller);

	return {
		/** Returns the row of an index; undefined if it is not in the document. */
		row: (index) => shown.get(index),
		/** Returns the row of an index, which is added to the document if necessary, without scrolling. */
		hold(index) {
			if (!shown.has(index)) insert(index);
			return shown.get(index);
		},
		rows: () => [...shown.entries()],
		/** Shows rows added at the end. */
		grow() {
			list.style.height = `${count() * height()}px`;
			update();
		},
		/** Replaces all rows. */
		refresh() {
			for (const node of shown.values()) node.remove();
			shown.clear();
			this.grow();
		},
		/**
		 * Replaces all rows after `change`. The first visible row stays where it is, unless the list is at its beginning;
		 * `nameOf(index)` identifies a row before and after.
		 */
		refreshInPlace(nameOf, change) {
			const first = Math.max(
				0,
				Math.floor((Math.max(0, scroller.getBoundingClientRect().top) - list.getBoundingClientRect().top) / height()),
			);
			const name = first > 0 ? nameOf(first) : undefined;
			change();
			this.refresh();
			if (name === undefined) return;
			let index = 0;
			while (index < count() && nameOf(index) !== name) index += 1;
			if (index === count() || index === first) return;
			scrolled().scrollBy({ top: (index - first) * height(), behavior: "instant" });
			update();
		},
		/** Replaces one row. */
		redraw(index) {
			if (!shown.has(index)) return;
			shown.get(index).remove();
			shown.delete(index);
			insert(index);
		},
		/** Scrolls just enough to show a whole row, below `covered` pixels of sticky headings. Returns the row. */
		reveal(index, covered = 0) {
			const [box, frame, size] = [list.getBoundingClientRect(), scroller.getBoundingClientRect(), height()];
			const top = box.top + index * size;
			const [least, most] = [Math.max(0, frame.top) + covered, Math.min(innerHeight, frame.bottom) - size];
			const way = top < least ? top - least : top > most ? top - most : 0;
			if (way !== 0) scrolled().scrollBy({ top: way, behavior: "instant" });
			update();
			return shown.get(index);
		},
		leave() {
			document.removeEventListener("scroll", due, { capture: true });
			removeEventListener("resize", due);
			for (const name of ["beforeprint", "afterprint"]) removeEventListener(name, print);
			watch.disconnect();
		},
	};
}
