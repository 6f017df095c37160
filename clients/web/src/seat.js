import { el } from "./element.js";
import { setHidden } from "./disclosure.js";
import { ControlView } from "./rows/control.js";
import { rowView } from "./rows/row_views.js";

/** @typedef {import("./types.js").Row} Row */
/** @typedef {import("./page_context.js").PageContext} PageContext */
/** @typedef {import("./page_context.js").RowView} RowView */
/** @typedef {import("./row_list.js").RowNode} RowNode */

let seats = 0;

/** The one element that a row has for its whole life (E-1): made once, moved only if the row itself moves. */
export class Seat {
  /** @param {Row} row @param {PageContext} page @param {() => void} onToggle for the control's seat */
  constructor(row, page, onToggle) {
    seats += 1;
    this.key = row.key;
    this.element = el("div", { class: "seat", id: `seat-${seats}`, "data-key": row.key, "data-kind": row.kind });
    const body = this.element.appendChild(el("div", { class: `row row-${row.kind}` }));
    this.control = row.kind === "turn_process" ? new ControlView(body, onToggle) : null;
    this.page = page;
    this.body = body;
    /** What shows the row; made with its first drawing. @type {RowView | null} */
    this.made = null;
    /** The row as it is to be drawn. */
    this.wanted = row;
    /** The row as it was last drawn. @type {Row | null} */
    this.row = null;
    /** What a presentation says of the row's own detail, also before it is drawn. @type {RowDetail | null} */
    this.wantedDetail = null;
    this.element.hidden = this.control !== null;
  }

  /** @returns {RowView | null} null: the control's seat */
  get view() {
    if (!this.made && !this.control) this.made = rowView(this.body, this.page, this.wanted);
    return this.made;
  }

  /** @param {RowNode} node */
  draw(node) {
    this.wanted = node.row;
    // Its parts have their elements at once, in their places; what is in them may come later.
    if (this.row || !this.page.slices.defers(this)) this.finish();
    else if (node.row.kind === "assistant_step") this.view?.shape?.(node.row);
  }

  /** Draws the row as it is by now. */
  finish() {
    if (this.wanted === this.row) return;
    const isFirst = this.row === null;
    this.row = this.wanted;
    this.view?.update(this.row);
    if (isFirst && this.wantedDetail) this.made?.detail?.(this.wantedDetail);
  }

  /** Whether the row's own detail is open. */
  get opened() {
    return this.made?.own?.open ?? false;
  }

  /** @param {RowDetail | null} detail null: it is the row's own affair again */
  detail(detail) {
    this.wantedDetail = detail;
    this.made?.detail?.(detail);
  }

  /** Draws what a streamed row gained, without looking at the rest. @param {RowNode} node @param {RowChange} change */
  grow(node, change) {
    if (node.row === this.row) return;
    if (change.whole || !this.row) {
      this.draw(node);
      return;
    }
    for (const { block, text } of change.appends) this.view?.append?.(block, text);
    if (change.output) this.view?.output?.(change.output);
    this.wanted = this.row = node.row;
  }

  /** @param {boolean} hidden */
  hide(hidden) {
    setHidden(this.element, hidden);
  }
}

/** @typedef {import("./page_context.js").RowDetail} RowDetail */
/** @typedef {{whole: boolean, appends: {block: number, text: string}[], output: string}} RowChange */
