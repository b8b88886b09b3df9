// What the model can call to leave anchors on the tape, to find them, and to read what was said around them.
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";
import * as anchors from "./anchors.ts";
import { labelAnchors } from "./labels.ts";
import { type AddTool, only, oneOf, optional, toolAdder } from "./tool.ts";

/** What the hook says of a session's tape; it says nothing where none is kept. */
export interface Tape {
  /** Whether the model is offered tools for it. */
  tools: boolean;
  /** What stands before the names of anchors in the session's tree. */
  prefix: string;
}

/** Takes what the hook says of the tape when a session starts. */
export type FollowTape = (tape: Tape | undefined, ctx: ExtensionContext) => void;

/** Register the tape's tools once the hook asks for them, and show anchors in the tree; `command` runs ctxrepo. */
export function followTape(pi: ExtensionAPI, command: string): FollowTape {
  const show = labelAnchors(pi, command);
  let hasTools = false;
  return (tape, ctx) => {
    if (tape?.tools && !hasTools) addTapeTools(toolAdder(pi, command));
    hasTools ||= tape?.tools === true;
    show(tape?.prefix ?? "", ctx);
  };
}

/** `--name=value` where there is a value. */
const given = (name: string, value?: string | number) => (value === undefined ? [] : [`--${name}=${value}`]);
const each = (name: string, values: string[] = []) => values.map((value) => `--${name}=${value}`);
const flag = (name: string, value: boolean | undefined) => (value ? [`--${name}`] : []);

const between = (description: string) =>
  Type.Optional(Type.Unsafe<Range>({ ...only({ start: Type.String(), end: Type.String() }), description }));
const upTo = (minimum: number, maximum: number, description: string) =>
  Type.Optional(Type.Integer({ minimum, maximum, description }));
const scope = () => Type.Optional(oneOf("session", "project"));

/** What bounds a search or a reading; an anchor is named by its id, its name, or a part of that. */
const bounds = {
  lastAnchor: Type.Optional(Type.Boolean({ description: "Only after the last anchor" })),
  betweenAnchors: between("Only between two anchors"),
  betweenDates: between("Only between two dates (ISO)"),
  types: Type.Optional(Type.Array(oneOf("user", "agent", "tool"), { description: "Of entries" })),
  limit: upTo(1, 100, "20 unless said"),
  entryScope: scope(),
  anchorScope: scope(),
};
interface Range {
  start: string;
  end: string;
}
interface Bounds {
  lastAnchor?: boolean;
  betweenAnchors?: Range;
  betweenDates?: Range;
  types?: string[];
  limit?: number;
  entryScope?: string;
  anchorScope?: string;
}

/** The options for bounds; `after` is an anchor that counts where `betweenAnchors` names none. */
const bounded = (after: string | undefined, by: Bounds) => [
  ...given("after", by.betweenAnchors?.start ?? after),
  ...given("until", by.betweenAnchors?.end),
  ...flag("last", by.lastAnchor),
  ...given("from", by.betweenDates?.start),
  ...given("to", by.betweenDates?.end),
  ...each("type", by.types),
  ...given("limit", by.limit),
];

/** Where is looked: in the session or the project, the wider one of the scopes that are given. */
const within = (...scopes: (string | undefined)[]) =>
  given("in", scopes.includes("project") ? "project" : scopes.find((scope) => scope));

function addTapeTools(add: AddTool): void {
  add({
    name: "tape_handoff",
    label: "Tape Handoff",
    description: "Leave an anchor: a named point of this session that later ones are shown, find, and read on from.",
    parameters: only({
      name: Type.String({ minLength: 1, description: "In levels, e.g. task/begin, payments/retries-work" }),
      summary: optional("What is meant or done here, in fewer than 18 words"),
      purpose: optional("What for, in 1-2 words"),
    }),
    args: ({ name, summary, purpose }, { sessionManager }) => {
      const about = [...given("summary", summary), ...given("purpose", purpose)];
      return ["anchor", ...about, ...given("entry", sessionManager.getLeafId() ?? undefined), "--", name];
    },
    text: anchors.left,
  });
  add({
    name: "tape_info",
    label: "Tape Info",
    description: "How many entries and anchors the tape has, the last anchor, and what came since.",
    parameters: only({}),
    args: () => ["tape", "info"],
    text: anchors.info,
  });
  add({
    name: "tape_search",
    label: "Tape Search",
    description: "Search anchors, and what was said in sessions, by text, anchors or dates.",
    parameters: only({
      scan: optional("Text to find"),
      query: optional("The same as scan"),
      kinds: Type.Optional(Type.Array(oneOf("entry", "anchor", "all"))),
      contextLines: upTo(0, 5, "Entries shown before and after each anchor; 0 unless said"),
      sinceAnchor: optional("Only after this anchor"),
      ...bounds,
      anchorName: optional("A part of it"),
      anchorType: Type.Optional(oneOf("handoff", "session")),
      anchorSummary: optional("A part of it"),
      anchorPurpose: optional("A part of it"),
      anchorKeywords: Type.Optional(Type.Array(Type.String(), { description: "All of them" })),
    }),
    args: ({ scan, query, kinds = [], contextLines, sinceAnchor, ...more }) => [
      ...["tape", "search", ...each("in", searched(kinds)), ...within(...scopes(kinds, more))],
      ...[...given("context", contextLines), ...bounded(sinceAnchor, more)],
      ...given("name", more.anchorName),
      ...given("anchor-type", more.anchorType),
      ...given("summary", more.anchorSummary),
      ...given("purpose", more.anchorPurpose),
      ...each("keyword", more.anchorKeywords),
      ...(scan || query ? ["--", scan || query || ""] : []),
    ],
    text: anchors.found,
    nothing: (_params, why) => why,
  });
  add({
    name: "tape_read",
    label: "Tape Read",
    description: "Read what was said in sessions, after or between anchors or dates.",
    parameters: only({
      afterAnchor: optional("Only after this anchor"),
      ...bounds,
      scan: optional("Text that an entry must have"),
      maxContentChars: Type.Optional(
        Type.Union([Type.Integer({ minimum: 80 }), Type.Null()], { description: "300 unless said; null: all" }),
      ),
    }),
    args: ({ afterAnchor, scan, maxContentChars, ...by }) => [
      ...["tape", "read", ...within(by.entryScope ?? by.anchorScope)],
      ...[...bounded(afterAnchor, by), ...given("scan", scan)],
      ...given("chars", maxContentChars === null ? 0 : maxContentChars),
    ],
    text: anchors.passage,
  });
  add({
    name: "tape_list",
    label: "Tape List",
    description: "List the newest anchors of the project, with what was said around each.",
    parameters: only({ limit: upTo(1, 100, "20 unless said"), contextLines: upTo(0, 5, "1 unless said") }),
    args: ({ limit, contextLines }) => ["tape", "list", ...given("limit", limit), ...given("context", contextLines)],
    text: anchors.list,
    nothing: () => anchors.NO_ANCHORS,
  });
  add({
    name: "tape_delete",
    label: "Tape Delete",
    description: "Delete anchors by their exact ids.",
    parameters: only({ id: optional("One id"), ids: Type.Optional(Type.Array(Type.String())) }),
    args: ({ id, ids = [] }) => {
      const wanted = new Set([id ?? "", ...ids].map((one) => one.trim()).filter(Boolean));
      if (wanted.size === 0) throw new Error("Give the id of an anchor; tape_search and tape_list show ids.");
      return ["tape", "delete", "--", ...wanted];
    },
    text: anchors.deleted,
  });
  add({
    name: "tape_reset",
    label: "Tape Reset",
    description: "Archive all anchors of the project and begin its tape anew. Don't, unless the user asks.",
    parameters: only({ archive: Type.Optional(Type.Boolean({ description: "They are archived in any case" })) }),
    args: () => ["tape", "reset"],
    text: anchors.reset,
  });
}

/** What is searched for: messages, anchors, or both, as the tool names them. */
function searched(kinds: string[]): string[] {
  const isAll = kinds.length === 0 || kinds.includes("all");
  const anchors = isAll || kinds.includes("anchor") ? ["anchors"] : [];
  return isAll || kinds.includes("entry") ? [...anchors, "messages"] : anchors;
}

/** The scopes that bear on what is searched for; one that isn't given is as the other one. */
function scopes(kinds: string[], { entryScope, anchorScope }: Bounds): (string | undefined)[] {
  const wanted = searched(kinds);
  const ofAnchors = wanted.includes("anchors") ? (anchorScope ?? entryScope) : undefined;
  const ofEntries = wanted.includes("messages") ? (entryScope ?? anchorScope) : undefined;
  return [ofAnchors, ofEntries];
}
