// A long list of which the document holds only what is in sight: rows of one height, made as they come into sight.

/** Rows beyond each edge that are made ahead of scrolling. */
const ahead = 8;
/** Rows before the end of the list at which more are asked for. */
const early = 40;

/**
 * Shows `count()` rows of `height()` pixels in the element `list`, which is positioned; `make(index)` returns a row. `scroller` is
 * the element that clips the list, or grows with it where the window scrolls. `onNearEnd` is called when the last rows come near.
 */
export function windowed({ list, scroller, count, height, make, onNearEnd }) {
  const shown = new Map();
  let isDue = false;

  function range() {
    const [box, frame, size] = [list.getBoundingClientRect(), scroller.getBoundingClientRect(), height()];
    const [top, bottom] = [Math.max(0, frame.top), Math.min(innerHeight, frame.bottom)];
    return [Math.max(0, Math.floor((top - box.top) / size) - ahead), Math.min(count() - 1, Math.ceil((bottom - box.top) / size) + ahead)];
  }

  function update() {
    isDue = false;
    const [first, last] = range();
    for (const [index, node] of shown) {
      // A row that has the focus stays: leaving the document would take the focus away.
      if ((index >= first && index <= last) || (index < count() && node.contains(document.activeElement))) continue;
      node.remove();
      shown.delete(index);
    }
    for (let index = first; index <= last; index += 1) if (!shown.has(index)) insert(index);
    if (last >= count() - early) onNearEnd();
  }

  // In the order of the list, which is that of Tab and of screen readers.
  function insert(index) {
    const node = make(index);
    node.style.top = `${index * height()}px`;
    let next = null;
    for (const [other, sibling] of shown) if (other > index && (next === null || other < next[0])) next = [other, sibling];
    list.insertBefore(node, next?.[1] ?? null);
    shown.set(index, node);
  }

  const due = () => {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(update);
  };
  document.addEventListener("scroll", due, { capture: true, passive: true });
  addEventListener("resize", due);
  const watch = new ResizeObserver(due);
  watch.observe(scroller);

  return {
    /** The row of an index; undefined where it is not in sight. */
    row: (index) => shown.get(index),
    rows: () => [...shown.entries()],
    /** Shows what has been added at the end. */
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
    /** Replaces one row. */
    redraw(index) {
      if (!shown.has(index)) return;
      shown.get(index).remove();
      shown.delete(index);
      insert(index);
    },
    /** Scrolls as little as shows a row whole, below `covered` pixels of what stands over the list; the row is there then. */
    reveal(index, covered = 0) {
      const [box, frame, size] = [list.getBoundingClientRect(), scroller.getBoundingClientRect(), height()];
      const top = box.top + index * size;
      const [least, most] = [Math.max(0, frame.top) + covered, Math.min(innerHeight, frame.bottom) - size];
      const way = top < least ? top - least : top > most ? top - most : 0;
      if (way !== 0) (scroller.scrollHeight > scroller.clientHeight + 1 ? scroller : window).scrollBy({ top: way, behavior: "instant" });
      update();
      return shown.get(index);
    },
    leave() {
      document.removeEventListener("scroll", due, { capture: true });
      removeEventListener("resize", due);
      watch.disconnect();
    },
  };
}
