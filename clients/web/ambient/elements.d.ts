// Appended to types/elements.d.ts by prepack.js: what no JSDoc can say.
declare global {
  interface HTMLElementTagNameMap {
    "turnfold-sessions": TurnfoldSessions;
    "turnfold-transcript": TurnfoldTranscript;
  }
  interface HTMLElementEventMap {
    "turnfold-choose": CustomEvent<{ session: string }>;
    "turnfold-link": CustomEvent<import("./connection.js").Link>;
    "turnfold-list": CustomEvent<{ sessions: import("./types.js").Summary[]; gone: string[] }>;
    "turnfold-prefer": CustomEvent<Partial<import("./reader_options.js").ReaderOptions>>;
  }
}
