// Hands pi's events to ctxrepo's hook and what it answers to the model. It never fails and shows nothing:
// without ctxrepo pi works on. `ctxrepo setup pi` writes this file, with the places of the machine in LINE.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import type { ExtensionAPI, ExtensionContext, SessionEntry } from "@earendil-works/pi-coding-agent";

/** The hook line, in which an event's name takes the place of EVENT. */
const LINE = "{line}";
/** Milliseconds after which a hook is killed. It gives up by itself before that. */
const PATIENCE = 10_000;
/** The largest text of a failed tool that is handed on, in characters. */
const MOST_ERROR = 8192;

/** The custom types of our messages: what a session is given at its start, and beside a prompt. */
const INDEX = "ctxrepo-index";
const ENTRIES = "ctxrepo-entries";
const BLOCK = /<ctxrepo-memory tag="(\w+)">\n[^]*?<\/ctxrepo-memory tag="\1">\n/g;

type Fields = Record<string, unknown>;

/** What the hook prints for an event; "" when anything goes wrong. */
function ask(event: string, fields: Fields): Promise<string> {
  return new Promise((resolve) => {
    const said = JSON.stringify(fields);
    const line = LINE.replaceAll(" pi EVENT ", ` pi ${event} `);
    const hook = spawn("/bin/sh", ["-c", line], { detached: true, stdio: ["pipe", "pipe", "ignore"] });
    let printed = "";
    const end = (answer: string) => {
      clearTimeout(timer);
      resolve(answer);
    };
    const timer = setTimeout(() => {
      try {
        if (hook.pid) process.kill(-hook.pid, "SIGKILL"); // the shell and what it started
      } catch {} // it is gone already
      end("");
    }, PATIENCE);
    hook.stdout.setEncoding("utf8").on("data", (part: string) => (printed += part));
    hook.on("error", () => end("")).on("close", () => end(printed));
    hook.stdin.on("error", () => {}).end(said);
  });
}

/** The text that the hook has for the model after this event, "" for none. */
async function answerTo(event: string, ctx: ExtensionContext, fields: Fields = {}): Promise<string> {
  const session = ctx.sessionManager;
  const where = { session: session.getSessionId(), file: session.getSessionFile(), cwd: ctx.cwd };
  const printed = await ask(event, { ...where, ...fields });
  return printed ? String(JSON.parse(printed).context ?? "") : "";
}

/** The texts of our messages among these entries. */
function given(entries: SessionEntry[], types = [INDEX, ENTRIES]): string[] {
  return entries.flatMap((entry) =>
    entry.type === "custom_message" && types.includes(entry.customType) && typeof entry.content === "string"
      ? [entry.content]
      : [],
  );
}

export default function (pi: ExtensionAPI): void {
  /** The prompt as it was typed, before templates and skills are put in its place. */
  let typed = "";
  /** Whether the agent is between two requests of one run. */
  let isRunning = false;
  /** Answers to tool calls that another tool made: what it says to the model has room for them. */
  let inner = "";

  /** Ask for the index, and give it unless the conversation holds one. */
  async function start(event: string, ctx: ExtensionContext, source: string, isSteered = false) {
    const content = await answerTo(event, ctx, { source });
    if (!content || given(ctx.sessionManager.buildContextEntries(), [INDEX]).length > 0) return;
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
    const goesOn = given(there, [INDEX]).length > 0 && !isCut;
    await start("session_start", ctx, goesOn ? (parent ? "fork" : "resume") : "startup");
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
    if (event.messageType !== "user") return undefined;
    const isExpanded = typed.startsWith("/") && typed !== event.prompt;
    const prompt = isExpanded ? typed.replace(/^\S+\s*/, "") : event.prompt;
    typed = "";
    const answer = await answerTo("before_agent_start", ctx, { prompt });
    const there = given(ctx.sessionManager.buildContextEntries());
    const content = answer.replace(BLOCK, (block) => (there.some((text) => text.includes(block)) ? "" : block));
    return content.trim() ? { message: { customType: ENTRIES, content, display: false } } : undefined;
  }));
  pi.on("tool_result", quietly(async (event, ctx) => {
    const { toolName, input, content, details, structuredContent, isError } = event;
    const text = content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
    const error = isError ? text.slice(-MOST_ERROR) : undefined;
    const patch = (details as { patch?: unknown } | undefined)?.patch;
    const answer = await answerTo("tool_result", ctx, { tool: toolName, input, patch, error });
    inner += answer;
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
}

/** How many messages of ours the session in this file holds. */
function countIn(file: string): number {
  return readFileSync(file, "utf8").split(/"type":"custom_message",.*"customType":"ctxrepo-/).length - 1;
}
