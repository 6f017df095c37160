/** Defines the custom elements. Importing this module is what does it; the others define nothing. */

import { TurnfoldSessions } from "./sessions_element.js";
import { TurnfoldTranscript } from "./transcript_element.js";

if (!customElements.get("turnfold-sessions")) customElements.define("turnfold-sessions", TurnfoldSessions);
if (!customElements.get("turnfold-transcript")) customElements.define("turnfold-transcript", TurnfoldTranscript);

export { TurnfoldSessions, TurnfoldTranscript };
