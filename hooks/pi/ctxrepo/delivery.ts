// Hands pi's events to ctxrepo's hook and what it answers to the model. It never fails and shows nothing: without
// ctxrepo pi works on.
import { readFileSync } from "node:fs";
import type { ContextEvent, ExtensionAPI, ExtensionContext, SessionEntry } from "@earendil-works/pi-coding-agent";
import { type Fields, run } from "./program.ts";

/** Milliseconds after which a hook is killed. It gives up by itself before that. */
const PATIENCE = 10_000;
/** The largest text of a failed tool that is handed on, in characters. */
const MOST_ERROR = 8192;

/** The custom types of our messages: what a session is given at its start, and beside a prompt. */
const INDEX = "ctxrepo-index";
const ENTRIES = "ctxrepo-entries";
const BLOCK = /<ctxrepo-memory tag="(\w+)">\n[^]*?<\/ctxrepo-memory tag="\1">\n/g;
/** The section of the system prompt in which the packet stands where the delivery is by that. */
const SECTION = "ctxrepo_memory";

/** Tools of ours, of whose calls no hook is told: the command that each runs knows what it did. */
const OURS = /^memory_(write|read|edit|search|list|sync|check)$/;

type Message = ContextEvent["messages"][number];

/** What the hook has for the model: for the conversation, for the system prompt, for the requests of this turn. */
interface Answer {
  context?: string;
  system?: string;
  turn?: string;
}

/** What others may ask of the delivery. */
export interface Delivery {
  /** Give the session its packet again, as the memory is now; what it was given, "" for nothing. */
  refresh(ctx: ExtensionContext): Promise<string>;
  /** Give it the packet as at its start, unless it has one. */
  begin(ctx: ExtensionContext): Promise<string>;
}

/** Give pi's sessions memory, which the hook of this line answers for. */
export function deliver(pi: ExtensionAPI, line: string): Delivery {
  /** The prompt as it was typed, before templates and skills are put in its place. */
  let typed = "";
  /** Whether the agent is between two requests of one run. */
  let isRunning = false;
  /** Answers to tool calls that another tool made: what it says to the model has room for them. */
  let inner = "";
  /** The packet, where it stands in the system prompt. */
  let system = "";
  /** What the requests of this turn show before its prompt, and no later one does. */
  let turn = { text: "", prompt: "" };

  /** What the hook has for the model after this event. */
  async function answerTo(event: string, ctx: ExtensionContext, fields: Fields = {}): Promise<Answer> {
    const session = ctx.sessionManager;
    const where = { session: session.getSessionId(), file: session.getSessionFile(), cwd: ctx.cwd };
    const input = JSON.stringify({ ...where, ...fields });
    const { out } = await run(line.replaceAll(" pi EVENT ", ` pi ${event} `), [], { input, patience: PATIENCE });
    return out ? ((JSON.parse(out) as Answer | null) ?? {}) : {};
  }

  /** Ask for the packet. Give it unless the conversation holds one, or there shall be another one. */
  async function start(event: string, ctx: ExtensionContext, source: string, isSteered = false, isNew = false) {
    const answer = await answerTo(event, ctx, { source });
    const content = answer.context;
    system = answer.system ?? "";
    const isThere = !isNew && given(ctx.sessionManager.buildContextEntries(), [INDEX]).length > 0;
    if (content && !isThere) give(content, isSteered);
    return system || (content ?? "");
  }

  function give(content: string, isSteered: boolean) {
    const message = { customType: INDEX, content, display: false };
    // A message that is steered makes pi ask the model once more, unless it is about to anyway.
    pi.sendMessage(message, isSteered ? { deliverAs: "steer" } : { triggerTurn: false });
  }

  /** `then` for each event of this name; what it throws is nobody's business. */
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
    const isCut = event.reason === "fork" && !!parent && given(there).length < countIn(parent);
    const holds = (types?: string[]) => !isCut && given(there, types).length > 0;
    // Where the packet stands in the system prompt, a fork is known by its entries.
    await start("session_start", ctx, parent && holds() ? "fork" : holds([INDEX]) ? "resume" : "startup");
  }));
  pi.on("session_tree", quietly(async (event, ctx) => {
    const session = ctx.sessionManager;
    const there = given(session.buildContextEntries());
    const left = event.oldLeafId ? given(session.getBranch(event.oldLeafId)) : [];
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
    if (system) event.systemPromptOptions.sections[SECTION] = system;
    if (event.messageType !== "user") return undefined;
    const isExpanded = typed.startsWith("/") && typed !== event.prompt;
    const prompt = isExpanded ? typed.replace(/^\S+\s*/, "") : event.prompt;
    typed = "";
    turn = { text: "", prompt: event.prompt };
    const answer = await answerTo("before_agent_start", ctx, { prompt });
    turn.text = answer.turn ?? "";
    const there = given(ctx.sessionManager.buildContextEntries());
    const isNew = (block: string) => !there.some((text) => text.includes(block));
    const content = (answer.context ?? "").replace(BLOCK, (block) => (isNew(block) ? block : ""));
    return content.trim() ? { message: { customType: ENTRIES, content, display: false } } : undefined;
  }));
  pi.on("context", ({ messages }) => {
    // In every request of the turn it stands before the prompt, where all that is in front of it is kept as it was.
    const at = turn.text ? messages.findLastIndex((message) => isPrompt(message, turn.prompt)) : -1;
    if (at < 0) return undefined;
    const timestamp = messages[at]?.timestamp ?? 0;
    const ours = { role: "custom", customType: ENTRIES, content: turn.text, display: false, timestamp } as const;
    return { messages: messages.toSpliced(at, 0, ours) };
  });
  pi.on("tool_result", quietly(async (event, ctx) => {
    const { toolName, input, content, details, structuredContent, isError } = event;
    const text = content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
    const error = isError ? text.slice(-MOST_ERROR) : undefined;
    const patch = (details as { patch?: unknown } | undefined)?.patch;
    if (!OURS.test(toolName)) {
      const answer = await answerTo("tool_result", ctx, { tool: toolName, input, patch, error });
      inner += answer.context ?? "";
    }
    if (event.parentToolCallId || !inner) return undefined;
    const ours = { type: "text" as const, text: inner };
    inner = "";
    return { content: [...content, ours], structuredContent };
  }));

  pi.on("agent_start", () => void (isRunning = true));
  pi.on("agent_end", () => void (isRunning = false));
  pi.on("agent_settled", quietly(async (_event, ctx) => void (await answerTo("agent_settled", ctx))));
  pi.on("session_shutdown", quietly(async (event, ctx) => {
    if (event.reason !== "reload") await answerTo("session_shutdown", ctx);
  }));

  return {
    refresh: (ctx) => start("session_start", ctx, "startup", false, true),
    begin: (ctx) => start("session_start", ctx, "startup"),
  };
}

/** The texts of our messages among these entries. */
function given(entries: SessionEntry[], types = [INDEX, ENTRIES]): string[] {
  return entries.flatMap((entry) =>
    entry.type === "custom_message" && types.includes(entry.customType) && typeof entry.content === "string"
      ? [entry.content]
      : [],
  );
}

/** How many messages of ours the session in this file holds. */
function countIn(file: string): number {
  return readFileSync(file, "utf8").split(/"type":"custom_message",.*"customType":"ctxrepo-/).length - 1;
}

/** Whether this is the message with this prompt of the user's. */
function isPrompt(message: Message, prompt: string): boolean {
  if (message.role !== "user") return false;
  if (typeof message.content === "string") return message.content === prompt;
  return message.content.map((part) => (part.type === "text" ? part.text : "")).join("") === prompt;
}
