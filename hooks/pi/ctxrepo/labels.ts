// Shows anchors in the session's tree, beside the labels that the user gave. pi writes the labels that it holds into
// a fork's file, and a label that is edited into the session's; so pi is told of none: ours are added to the tree when
// pi asks for it, and taken out of a label that is edited.
import type { ExtensionAPI, ExtensionContext, SessionEntry, SessionTreeNode } from "@earendil-works/pi-coding-agent";
import type { Anchor, Anchors } from "./anchors.ts";
import { envelope } from "./answers.ts";
import { ctxrepo } from "./program.ts";

/** Names of anchors that a label shows. */
const MOST_NAMES = 3;
/** Anchors of a session that are asked for, the newest. */
const MOST_ANCHORS = 100;
/** Between a label of the user's and ours. */
const SEPARATOR = " · ";

/** Entries that pi's tree doesn't show. */
const HIDDEN = ["label", "custom", "context_edit", "model_change", "thinking_level_change", "session_info", "usage"];

type Manager = ExtensionContext["sessionManager"] & {
  appendLabelChange?: (entry: string, label: string | undefined) => string;
};

/** Show anchors in the trees of sessions from now on; with the prefix "" none are shown. */
export function labelAnchors(pi: ExtensionAPI, command: string): (prefix: string, ctx: ExtensionContext) => void {
  let prefix = "";
  let anchors: Anchor[] = [];
  let release = () => {};
  const stop = new AbortController();

  /** Ask for the session's anchors. It never fails: without an answer what is shown stays as it is. */
  async function renew(ctx: ExtensionContext): Promise<void> {
    try {
      const session = `--session=${ctx.sessionManager.getSessionId()}`;
      // Those that sessions leave by themselves, where they begin and end, would be at every turn of the tree.
      const words = ["tape", "list", "--json", session, "--type=handoff", "--context=0", `--limit=${MOST_ANCHORS}`];
      const { out } = await ctxrepo(command, words, ctx, "", stop.signal);
      anchors = envelope<Anchors>(out)?.data?.anchors ?? anchors;
    } catch {}
  }

  // An anchor is left or taken away by a tool of ours, or by a command in a shell.
  pi.on("tool_result", ({ toolName, input }, ctx) => {
    const isTool = /^tape_(handoff|delete|reset)$/.test(toolName);
    const isCommand = toolName === "bash" && /\bctxrepo\b.*\b(anchor|handoff|tape)\b/s.test(String(input.command));
    if (prefix && ctx.hasUI && (isTool || isCommand)) void renew(ctx);
  });
  pi.on("session_shutdown", () => {
    stop.abort();
    release();
  });

  return (said, ctx) => {
    prefix = said;
    if (!ctx.hasUI) return; // nobody sees a tree
    release();
    release = overlay(ctx.sessionManager, (entries) => labels(entries, anchors, prefix), () => prefix);
    if (prefix && ctx.sessionManager.getEntries().some(({ type }) => type === "message")) void renew(ctx);
  };
}

/** Put our labels over those of a session's tree, until what is returned is called. */
function overlay(manager: Manager, ours: (entries: SessionEntry[]) => Map<string, string>, prefix: () => string) {
  const [getTree, append] = [manager.getTree, manager.appendLabelChange];
  if (!append) return () => {};
  const labelled = () => {
    const tree = getTree.call(manager);
    if (!prefix()) return tree;
    const found = ours(manager.getEntries());
    for (const node of nodes(tree)) {
      const label = joined(users(node.label, prefix()), found.get(node.entry.id));
      if (label) node.label = label;
      else delete node.label;
    }
    return tree;
  };
  const appendUsers = (entry: string, label: string | undefined) => {
    const our = prefix() ? ours(manager.getEntries()).get(entry) : undefined;
    return append.call(manager, entry, our ? users(label?.replace(our, ""), prefix()) : label);
  };
  manager.getTree = labelled;
  manager.appendLabelChange = appendUsers;
  return () => {
    if (manager.getTree === labelled) manager.getTree = getTree;
    if (manager.appendLabelChange === appendUsers) manager.appendLabelChange = append;
  };
}

/** The labels for these anchors, by the entry at which each is shown. */
export function labels(entries: SessionEntry[], anchors: Anchor[], prefix: string): Map<string, string> {
  const names = new Map<string, Set<string>>();
  const shownAt = places(entries);
  for (const { entry, name } of anchors) {
    const at = shownAt(entry);
    if (at === undefined) continue;
    const known = names.get(at) ?? new Set();
    known.delete(name); // the newest of a name counts
    names.set(at, known.add(name));
  }
  const label = (known: Set<string>) => {
    const more = known.size > MOST_NAMES ? ` +${known.size - MOST_NAMES}` : "";
    // A name may be from another machine, and a terminal would obey what controls it.
    return `${prefix}${[...known].slice(-MOST_NAMES).join(SEPARATOR)}${more}`.replace(/\p{Cc}/gu, " ");
  };
  return new Map([...names].map(([at, known]) => [at, label(known)]));
}

/** Where the tree shows what is at an entry: there, at the nearest entry below it that it shows, or above it;
 * undefined for an entry that isn't of this session. */
function places(entries: SessionEntry[]): (id: string) => string | undefined {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const below = new Map<string, SessionEntry[]>();
  for (const entry of entries) below.set(entry.parentId ?? "", [...(below.get(entry.parentId ?? "") ?? []), entry]);
  return (id) => {
    const start = byId.get(id);
    if (!start) return undefined;
    const waiting = [start];
    for (const entry of waiting) {
      if (isShown(entry)) return entry.id;
      waiting.push(...(below.get(entry.id) ?? []));
    }
    let above = byId.get(start.parentId ?? "");
    while (above && !isShown(above)) above = byId.get(above.parentId ?? "");
    return above?.id ?? start.id;
  };
}

/** Whether pi's tree shows this entry, as it is by default. */
function isShown(entry: SessionEntry): boolean {
  if (HIDDEN.includes(entry.type)) return false;
  if (entry.type !== "message" || entry.message.role !== "assistant") return true;
  const { content, stopReason } = entry.message;
  const hasText = content.some((part) => part.type === "text" && part.text.trim() !== "");
  return hasText || !["stop", "toolUse"].includes(stopReason);
}

/** All nodes of a tree. */
function nodes(tree: SessionTreeNode[]): SessionTreeNode[] {
  const found = [...tree];
  for (const node of found) found.push(...node.children);
  return found;
}

/** What of a label is the user's: that before our prefix. */
function users(label: string | undefined, prefix: string): string | undefined {
  const text = label?.split(prefix, 1)[0]?.replace(/ ·\s*$/, "").trim();
  return text || undefined;
}

function joined(label: string | undefined, ours: string | undefined): string | undefined {
  return label && ours ? `${label}${SEPARATOR}${ours}` : (label ?? ours);
}
