// What ctxrepo answers about anchors and about what sessions said, as far as it is told here, and the words for it.

export interface Anchor {
  id: string;
  name: string;
  type: string;
  when: string;
  /** The entry of the session at which it was left. */
  entry: string;
  trigger: string;
  keywords: string[];
  summary: string;
  purpose: string;
  /** What was said just before and after, where that was asked for. */
  before?: Entry[];
  after?: Entry[];
}
/** An anchor as it was written, which the command tells that leaves one. */
export type Left = Pick<Anchor, "id" | "name" | "type" | "entry" | "trigger"> & {
  timestamp: string;
  meta: Partial<Pick<Anchor, "keywords" | "summary" | "purpose">> | null;
};
export interface Entry {
  who: string;
  when: string;
  text: string;
  tools: string[];
}
export interface Anchors {
  anchors: Anchor[];
}
export interface Found extends Anchors {
  entries: Entry[];
  scope: string;
}
export interface Passage {
  entries: Entry[];
}
export interface Deleted {
  deleted: Anchor[];
}
export interface Reset {
  archived: number;
  paths: string[];
}
export interface Info {
  project: string;
  entries: number;
  anchors: { all: number; handoff: number; session: number };
  last: Anchor | null;
  since: number;
  advice: string;
}
export interface Instruction {
  instruction: string;
}

/** What was left. */
export function left({ timestamp, meta, ...anchor }: Left): string {
  const { keywords = [], summary = "", purpose = "" } = meta ?? {};
  return json({ ...anchor, when: timestamp, keywords, summary, purpose });
}

/** What of an anchor isn't empty, in this order. */
function json({ id, name, type, when, entry, ...more }: Anchor): string {
  return JSON.stringify({ id, name, type, when, entry, ...meta(more) });
}

/** What was said of an anchor, but for what is empty. */
function meta(anchor: Omit<Anchor, "id" | "name" | "type" | "when" | "entry">): Record<string, unknown> {
  const { trigger, keywords, summary, purpose } = anchor;
  const said = { trigger, keywords, summary, purpose };
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value?.length > 0));
}

export function info({ project, entries, anchors, last, since, advice }: Info): string {
  const lines = [
    `Tape of ${project || "no project"}: ${entries} entries in this session`,
    `Anchors: ${anchors.all}, of them ${anchors.handoff} handoffs`,
    `Last anchor: ${last ? `${last.name} (${last.when}) id=${last.id}` : "none"}`,
    `Entries since: ${since}`,
  ];
  return [...lines, ...(advice ? [advice] : [])].join("\n");
}

export function list({ anchors }: Anchors): string {
  return anchors.length > 0 ? `Anchors (${anchors.length}):\n${anchors.map(anchorLines).join("\n")}` : NO_ANCHORS;
}

export const NO_ANCHORS = "No anchors here. tape_handoff leaves one.";

export function found({ anchors, entries, scope }: Found): string {
  const counts = [...counted(anchors.length, "anchor", "anchors"), ...counted(entries.length, "entry", "entries")];
  if (counts.length === 0) return NOTHING;
  const head = `Found ${counts.join(", ")}${scope ? ` in the ${scope}` : ""}`;
  const of = (title: string, lines: string[]) => (lines.length > 0 ? [`${title}:`, ...lines] : []);
  return [head, "", ...of("Anchors", anchors.map(anchorLines)), ...of("Entries", entries.map(line))].join("\n");
}

export const NOTHING = "No results.";

export function passage({ entries }: Passage): string {
  const count = counted(entries.length, "entry", "entries").join();
  return count ? `${count}:\n\n${entries.map(line).join("\n")}` : "No entries there.";
}

export function deleted({ deleted }: Deleted): string {
  return `Deleted ${deleted.length}:\n${deleted.map(json).join("\n")}`;
}

export function reset({ archived, paths }: Reset): string {
  return `${archived} anchor(s) archived${paths.length > 0 ? ` in ${paths.join(", ")}` : ""}; the tape begins anew.`;
}

function counted(count: number, one: string, more: string): string[] {
  return count > 0 ? [`${count} ${count === 1 ? one : more}`] : [];
}

/** An anchor in a line, and what was said around it below. */
function anchorLines({ id, name, type, when, before = [], after = [], ...more }: Anchor): string {
  const said = meta(more);
  const about = Object.keys(said).length > 0 ? ` ${JSON.stringify(said)}` : "";
  const around = (word: string, entries: Entry[]) => entries.map((entry) => `    ${word} ${line(entry)}`);
  const head = `  id=${id} ${name} [${type}] (${when})${about}`;
  return [head, ...around("Before:", before), ...around("After:", after)].join("\n");
}

function line({ who, when, text, tools }: Entry): string {
  const called = tools.length > 0 ? ` [${tools.join(", ")}]` : "";
  return `${when} ${who}: ${text}${called}`;
}
