// Appended to types/react.d.ts by prepack.js: the elements in JSX.
declare module "react" {
  namespace JSX {
    interface IntrinsicElements {
      "turnfold-sessions": import("react").HTMLAttributes<HTMLElement> &
        Partial<Pick<import("./sessions_element.js").TurnfoldSessions, "src" | "locale" | "session" | "token" | "ticket" | "service">> & {
          for?: string;
          ref?: import("react").Ref<import("./sessions_element.js").TurnfoldSessions>;
        };
      "turnfold-transcript": import("react").HTMLAttributes<HTMLElement> &
        Partial<
          Pick<
            import("./transcript_element.js").TurnfoldTranscript,
            "src" | "locale" | "session" | "token" | "ticket" | "service" | "view" | "mode" | "foldPartial" | "noBanner" | "label" | "linkOf"
          >
        > & { ref?: import("react").Ref<import("./transcript_element.js").TurnfoldTranscript> };
    }
  }
}
