// What ctxrepo answers in JSON, as far as it is told here, and the words for it.

export interface Problem {
  message: string;
  hint: string;
}
/** What ctxrepo prints for a program. */
export interface Envelope<Data> {
  schema_version: number;
  ok: boolean;
  data: Data | null;
  error: Problem | null;
}
interface Fact {
  id: string;
  at: string;
  existing: boolean;
}
export type Written = Fact | { path: string } | { remembered: Fact[] };
export interface Text {
  text: string;
}
export interface Edit {
  at: string;
  changed: boolean;
}
export interface Search {
  hits: { at: string; path: string; text: string; superseded: boolean }[];
}
export interface List {
  notes: { scope: string; path: string; description: string }[];
}
export interface Check {
  findings: { path: string; line?: number; problem: string; remedy: string }[];
}
export interface Status {
  root: string;
  remote: string;
  project: { folder: string } | null;
  notes: number;
  waiting: number;
  ahead: number;
  behind: number;
  faults: string[];
}
export interface Exchange {
  remote: string;
  received: number;
  sent: number;
  held: { path: string; message: string }[];
  aside: string[];
}

/** The version of ctxrepo's JSON that is read here. */
const SCHEMA_VERSION = 1;

/** The JSON that ctxrepo printed; undefined where it printed none, or another version's. */
export function envelope<Data>(out: string): Envelope<Data> | undefined {
  try {
    const found = JSON.parse(out) as Envelope<Data> | null;
    return found?.schema_version === SCHEMA_VERSION ? found : undefined;
  } catch {
    return undefined;
  }
}

/** What went wrong, and what to do where that isn't an option of the command line, which a model can't give. */
export function problem(error: Problem | null): string {
  const hint = error?.hint && !/(^|\s)--?\w/.test(error.hint) ? error.hint : "";
  return [error?.message ?? "that failed", hint].filter(Boolean).join("\n");
}

export function written(data: Written): string {
  if ("path" in data) return `Memory file written: ${data.path}`;
  const facts = "remembered" in data ? data.remembered : [data];
  return facts.map((fact) => `${fact.existing ? "Already known" : "Remembered"}: ${fact.at} ${fact.id}`).join("\n");
}

/** At most `limit` lines of a note from line `offset` on, which is counted from 1. */
export function lines(text: string, offset = 1, limit = Number.POSITIVE_INFINITY): string {
  const all = text.replace(/\n$/, "").split("\n");
  const wanted = all.slice(offset - 1, offset - 1 + limit).join("\n");
  return wanted || `The note has ${all.length} line(s), and none of them is asked for.`;
}

export function hits({ hits }: Search): string {
  const files = new Set(hits.map((hit) => hit.path)).size;
  const found = hits.map((hit) => `${hit.at}${hit.superseded ? " (superseded)" : ""}: ${hit.text}`);
  return `Found ${hits.length} in ${files} file(s):\n\n${found.join("\n")}`;
}

export function notes({ notes }: List): string {
  const listed = notes.map(({ scope, path, description }) => `  - ${scope}:${path}: ${description}`);
  return listed.length > 0 ? `Memory files (${notes.length}):\n\n${listed.join("\n")}` : "No memory files here.";
}

export function findings({ findings }: Check): string {
  const told = findings.map(({ path, line, problem, remedy }) => {
    const at = line ? `${path}#L${line}` : path;
    return `${at}: ${problem}. ${remedy}`;
  });
  return told.join("\n") || "No problems found.";
}

export function statusText({ waiting, remote, ahead, behind, faults }: Status): string {
  const here = waiting ? `Changes detected: ${waiting} file(s) since the last commit` : "No uncommitted changes";
  const there = remote ? `${ahead} commit(s) to send, ${behind} to take in` : "no remote";
  return [`${here}; ${there}`, ...faults].join("\n");
}

export function syncText({ remote, received, sent, held, aside }: Exchange): string {
  const done = [received ? `took in ${received} commit(s)` : "", sent ? `sent ${sent} commit(s)` : ""].filter(Boolean);
  const nothing = remote === "ok" ? "Nothing to send or to take in" : `The remote wasn't reached: ${remote}`;
  const heldBack = held.map(({ path, message }) => `Held back: ${path}: ${message}`);
  const keptAside = aside.map((path) => `Kept aside: ${path}`);
  return [done.join(", ") || nothing, ...heldBack, ...keptAside].join("\n");
}
