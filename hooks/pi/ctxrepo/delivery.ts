// Hands pi's events to ctxrepo's hook and what it answers to the model. It never fails and shows nothing: without
// ctxrepo pi works on.
import { readFileSync } from "node:fs";
import type { ExtensionAPI, ExtensionContext, SessionEntry } from "@earendil-works/pi-coding-agent";
import { type Fields, run } from "./program.ts";
import type { FollowTape, Tape } from "./tape.ts";
import { ENTRIES, showForOneTurn } from "./turn.ts";

/** Milliseconds after which a hook is killed. It gives up by itself before that. */
const TIMEOUT = 10_000;
/** The largest text of a failed tool that is handed on, in characters. */
const MOST_ERROR = 8192;

/** The custom type of the message that a session is given at its start. */
const INDEX = "ctxrepo-index";
const OURS_IN_FILE = /"type":"custom_message",.*"customType":"ctxrepo-(?:index|entries)"/;
const BLOCK = /<ctxrepo-memory tag="(\w+)">\n[^]*?<\/ctxrepo-memory tag="\1">\n/g;
/** The section of the system prompt in which the packet stands where the delivery is by that. */
const SECTION = "ctxrepo_memory";

/** Tools of ours, of whose calls no hook is told: the command that each runs knows what it did. */
const OURS = /^memory_(write|read|edit|search|list|sync|check)$|^tape_(handoff|info|search|read|list|delete|reset)$/;

/** For the conversation, system prompt, requests of this turn; why a tool isn't to be used; at a start the tape. */
interface Answer {
  context?: string;
  system?: string;
  turn?: string;
  refusal?: string;
  tape?: Tape;
}

/** What a session was given, "" for nothing, and where it stands. */
export interface Given {
  text: string;
  place: "conversation" | "system prompt";
}

/** What commands ask of the delivery. */
export interface Delivery {
  /** Give the session its packet again, as the memory is now. */
  refresh(ctx: ExtensionContext): Promise<Given>;
  /** Give it the packet as at its start, unless it has one. */
  begin(ctx: ExtensionContext): Promise<Given>;
}

/** Give pi's sessions memory, which the hook of this line answers for. */
export function deliver(pi: ExtensionAPI, line: string, followTape: FollowTape, enforces: boolean): Delivery {
  /** The prompt as it was typed, before templates and skills are put in its place. */
  let typed = "";
  /** Whether the agent is between two requests of one run. */
  let isRunning = false;
  /** Answers to the calls that a tool call makes, by its id: what it says to the model has room for them. */
  const nested = new Map<string, string>();
  /** The packet, where it stands in the system prompt. */
  let system = "";
  const show = showForOneTurn(pi);

  /** What the hook has for the model after this event; undefined where it gave no answer. */
  async function answerTo(event: string, ctx: ExtensionContext, fields: Fields = {}): Promise<Answer | undefined> {
    const session = ctx.sessionManager;
    const where = { session: session.getSessionId(), file: session.getSessionFile(), cwd: ctx.cwd };
    const input = JSON.stringify({ ...where, ...fields });
    const { out } = await run(line.replaceAll(" pi EVENT ", ` pi ${event} `), [], { input, timeout: TIMEOUT });
    return out ? ((JSON.parse(out) as Answer | null) ?? undefined) : undefined;
  }

  /** Ask for the packet, and put it where it is to stand. */
  async function start(
    event: string, ctx: ExtensionContext, source: string, isSteered = false, isAgain = false,
  ): Promise<Given> {
    const answer = await answerTo(event, ctx, { source, own: ownPrompt(ctx) });
    if (!answer) return { text: "", place: "conversation" }; // a hook that failed takes nothing away
    system = answer.system ?? "";
    followTape(answer.tape, ctx);
    const content = answer.context ?? "";
    const isThere = oursIn(ctx.sessionManager.buildContextEntries(), [INDEX]).length > 0;
    if (content && (isAgain || !isThere)) give(content, isSteered);
    return system ? { text: system, place: "system prompt" } : { text: content, place: "conversation" };
  }

  /** How many characters pi's system prompt has without our packet in it; undefined where pi doesn't tell. */
  function ownPrompt(ctx: ExtensionContext): string | undefined {
    const text = ctx.getSystemPrompt?.();
    return text?.replace(system, "").length.toString();
  }

  function give(content: string, isSteered: boolean) {
    const message = { customType: INDEX, content, display: false };
    // A message that is steered makes pi ask the model once more, unless it is about to anyway.
    pi.sendMessage(message, isSteered ? { deliverAs: "steer" } : { triggerTurn: false });
  }

  /** A handler that fails silently: memory must never stop a session. */
  function quietly<Event, Result>(then: (event: Event, ctx: ExtensionContext) => Promise<Result>) {
    return async (event: Event, ctx: ExtensionContext): Promise<Result | undefined> => {
      try {
        return await then(event, ctx);
      } catch {
        return undefined;
      }
    };
  }

  // The reason says too little: a session that is resumed by `pi -c` is said to start up.
  pi.on("session_start", quietly(async (event, ctx) => {
    const session = ctx.sessionManager;
    const there = session.buildContextEntries();
    const parent = session.getHeader()?.parentSession;
    const isCut = event.reason === "fork" && !!parent && oursIn(there).length < countIn(parent);
    const holds = (types?: string[]) => !isCut && oursIn(there, types).length > 0;
    const source = parent && holds() ? "fork" : holds([INDEX]) ? "resume" : "startup";
    const isGiven = (await start("session_start", ctx, source)).text !== "" || holds([INDEX]);
    // A fork of a session whose packet stood in the system prompt, and in which it comes as a message now.
    if (source === "fork" && !isGiven) await start("session_start", ctx, "startup");
  }));
  pi.on("session_tree", quietly(async (event, ctx) => {
    const session = ctx.sessionManager;
    const there = oursIn(session.buildContextEntries());
    const left = event.oldLeafId ? oursIn(session.getBranch(event.oldLeafId)) : [];
    if (left.some((text) => !there.includes(text))) await start("session_tree", ctx, "clear");
  }));
  pi.on("session_before_compact", quietly(async (_event, ctx) => {
    await answerTo("session_before_compact", ctx);
  }));
  pi.on("session_compact", quietly(async (event, ctx) => {
    await start("session_compact", ctx, "compact", isRunning || event.willRetry);
  }));

  pi.on("input", (event) => {
    if (!event.streamingBehavior) typed = event.text;
  });
  pi.on("before_agent_start", quietly(async (event, ctx) => {
    show("");
    if (system) event.systemPromptOptions.sections[SECTION] = system;
    if (event.messageType !== "user") return undefined;
    const isExpanded = typed.startsWith("/") && typed !== event.prompt;
    const prompt = isExpanded ? typed.replace(/^\S+\s*/, "") : event.prompt;
    typed = "";
    const answer = await answerTo("before_agent_start", ctx, { prompt });
    show(answer?.turn ?? "");
    const there = oursIn(ctx.sessionManager.buildContextEntries());
    const isNew = (block: string) => !there.some((text) => text.includes(block));
    const content = (answer?.context ?? "").replace(BLOCK, (block) => (isNew(block) ? block : ""));
    return content.trim() ? { message: { customType: ENTRIES, content, display: false } } : undefined;
  }));
  if (enforces) pi.on("tool_call", quietly(async ({ toolName, toolCallId, input }, ctx) => {
    const answer = await answerTo("tool_call", ctx, { tool: toolName, input });
    if (answer?.context) nested.set(toolCallId.replace(/\/.*/, ""), answer.context);
    return answer?.refusal ? { block: true, reason: answer.refusal } : undefined;
  }));
  pi.on("tool_result", quietly(async (event, ctx) => {
    const { toolName, input, content, details, structuredContent, isError } = event;
    const text = content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
    const error = isError ? text.slice(-MOST_ERROR) : undefined;
    const patch = (details as { patch?: unknown } | undefined)?.patch;
    const fields = { tool: toolName, input, patch, error };
    const answer = OURS.test(toolName) ? undefined : await answerTo("tool_result", ctx, fields);
    const outermost = (event.parentToolCallId ?? event.toolCallId).replace(/\/.*/, "");
    const words = (nested.get(outermost) ?? "") + (answer?.context ?? "");
    if (event.parentToolCallId) nested.set(outermost, words);
    if (event.parentToolCallId || !words) return undefined;
    nested.delete(outermost);
    return { content: [...content, { type: "text", text: words }], structuredContent };
  }));

  pi.on("agent_start", () => void (isRunning = true));
  pi.on("agent_end", () => void (isRunning = false));
  pi.on("agent_settled", quietly(async (_event, ctx) => {
    nested.clear();
    await answerTo("agent_settled", ctx);
  }));
  pi.on("session_shutdown", quietly(async (event, ctx) => {
    if (event.reason !== "reload") await answerTo("session_shutdown", ctx);
  }));

  const nothing: Given = { text: "", place: "conversation" };
  return {
    refresh: (ctx) => start("session_start", ctx, "startup", false, true).catch(() => nothing),
    begin: (ctx) => start("session_start", ctx, "startup").catch(() => nothing),
  };
}

/** The texts of our messages among these entries. */
function oursIn(entries: SessionEntry[], types = [INDEX, ENTRIES]): string[] {
  return entries.flatMap((entry) =>
    entry.type === "custom_message" && types.includes(entry.customType) && typeof entry.content === "string"
      ? [entry.content]
      : [],
  );
}

/** How many messages of ours the session in this file holds; 0 where it can't be read. */
function countIn(file: string): number {
  try {
    return readFileSync(file, "utf8").split(OURS_IN_FILE).length - 1;
  } catch {
    return 0;
  }
}
