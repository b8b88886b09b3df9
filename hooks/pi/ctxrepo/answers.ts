// What ctxrepo answers in JSON, as far as it is told here, and the words for it.

export interface Problem {
  message: string;
  hint: string;
}
/** What ctxrepo prints for a program. */
export interface Envelope<Data> {
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

/** The object in what ctxrepo printed; undefined where it printed none. */
export function envelope<Data>(out: string): Envelope<Data> | undefined {
  try {
    return (JSON.parse(out) as Envelope<Data> | null) ?? undefined;
  } catch {
    return undefined;
  }
}

export function problem(error: Problem | null): string {
  return [error?.message ?? "that failed", error?.hint].filter(Boolean).join("\n");
}

export function written(data: Written): string {
  if ("path" in data) return `Memory file written: ${data.path}`;
  const facts = "remembered" in data ? data.remembered : [data];
  return facts.map((fact) => `${fact.existing ? "Known already" : "Remembered"}: ${fact.at} ${fact.id}`).join("\n");
}

/** So many lines of a note from this one on, which is counted from 1. */
export function lines(text: string, offset = 1, limit = Number.POSITIVE_INFINITY): string {
  return text.split("\n").slice(offset - 1, offset - 1 + limit).join("\n");
}

export function hits({ hits }: Search): string {
  const files = new Set(hits.map((hit) => hit.path)).size;
  const found = hits.map((hit) => `${hit.at}${hit.superseded ? " (superseded)" : ""}: ${hit.text}`);
  return `Found ${hits.length} in ${files} file(s):\n\n${found.join("\n")}`;
}

export function notes({ notes }: List): string {
  const listed = notes.map(({ scope, path, description }) => `  - ${scope}:${path}: ${description}`);
  return `Memory files (${notes.length}):\n\n${listed.join("\n")}`;
}

export function findings({ findings }: Check): string {
  const told = findings.map(({ path, line, problem, remedy }) => {
    const at = line ? `${path}#L${line}` : path;
    return `${at}: ${problem}. ${remedy}`;
  });
  return told.join("\n") || "Nothing to mend.";
}

/** How the memory stands, in the seed's words where they are good. */
export function standing({ waiting, remote, ahead, behind, faults }: Status): string {
  const here = waiting ? `Changes detected: ${waiting} file(s) since the last commit` : "No uncommitted changes";
  const there = remote ? `${ahead} commit(s) to send, ${behind} to take in` : "no remote";
  return [`${here}; ${there}`, ...faults].join("\n");
}

export function exchanged({ remote, received, sent, held, aside }: Exchange): string {
  const done = [received ? `took in ${received} commit(s)` : "", sent ? `sent ${sent} commit(s)` : ""].filter(Boolean);
  const nothing = remote === "ok" ? "Already up to date" : `The remote wasn't reached: ${remote}`;
  const heldBack = held.map(({ path, message }) => `Held back: ${path}: ${message}`);
  const keptAside = aside.map((path) => `Kept aside: ${path}`);
  return [done.join(", ") || nothing, ...heldBack, ...keptAside].join("\n");
}
