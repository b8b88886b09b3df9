// Entries that only the requests of one turn show, before its prompt; the conversation keeps none of them.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

/** The custom type of our messages beside a prompt. */
export const ENTRIES = "ctxrepo-entries";

/** What shows entries in the requests of the turn that begins; "" for none. */
export type ShowEntries = (text: string) => void;

/** Show entries for one turn at a time, until it is over or the conversation is shortened. */
export function showForOneTurn(pi: ExtensionAPI): ShowEntries {
  let shown = "";
  /** When the turn's prompt was made, by which its message is known; undefined before its first request. */
  let madeAt: number | undefined;
  const show = (text: string) => {
    shown = text;
    madeAt = undefined;
  };
  // Of a list that is changed earlier, in `context`, pi joins all system messages: it would be sent anew from the top.
  pi.on("context_with_system", ({ messages }) => {
    if (!shown) return undefined;
    madeAt ??= messages.findLast((message) => message.role === "user")?.timestamp;
    const at = messages.findIndex((message) => message.role === "user" && message.timestamp === madeAt);
    if (at < 1) return undefined; // a system message is the first
    const content = shown;
    const ours = { role: "custom", customType: ENTRIES, content, display: false, timestamp: madeAt ?? 0 } as const;
    return { messages: messages.toSpliced(at, 0, ours) };
  });
  pi.on("session_compact", () => show(""));
  pi.on("agent_settled", () => show(""));
  return show;
}
