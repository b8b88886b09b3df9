// What a person can type: commands that run ctxrepo and show what it says, where there is somebody to show it to.
import type { ExtensionAPI, ExtensionCommandContext } from "@earendil-works/pi-coding-agent";
import type { Instruction } from "./anchors.ts";
import { type Check, envelope, findings, problem, type Status } from "./answers.ts";
import type { Delivery } from "./delivery.ts";
import { ctxrepo, failure, notices, type ProcessResult } from "./program.ts";

/** The custom type of the message that asks the model for an anchor. */
const ANCHOR = "ctxrepo-anchor";
/** Lines of the tree that `/memory-check` shows by default. */
const TREE_LINES = 25;

/** Register the commands; `command` runs ctxrepo. */
export function addCommands(pi: ExtensionAPI, command: string, delivery: Delivery): void {
  /** Run ctxrepo, with a word in the footer meanwhile. */
  async function ask(ctx: ExtensionCommandContext, doing: string, args: string[]): Promise<ProcessResult> {
    ctx.ui.setStatus("ctxrepo", `memory: ${doing}…`);
    return ctxrepo(command, args, ctx).finally(() => ctx.ui.setStatus("ctxrepo", undefined));
  }

  /** Run ctxrepo and show what it says; whether it had something to say beside what went wrong. */
  async function show(ctx: ExtensionCommandContext, doing: string, args: string[]): Promise<boolean> {
    const result = await ask(ctx, doing, args);
    const text = [result.out.trim(), notices(result.err)].filter(Boolean).join("\n\n");
    if (result.out) ctx.ui.notify(text, "info");
    else ctx.ui.notify(failure(result), "warning");
    return result.out !== "";
  }

  /** Run ctxrepo for its answer as data; undefined where there is none, and why was shown. */
  async function askData<Data>(ctx: ExtensionCommandContext, doing: string, args: string[]): Promise<Data | undefined> {
    const result = await ask(ctx, doing, [...args, "--json"]);
    const answer = envelope<Data>(result.out);
    if (!answer?.data) ctx.ui.notify(answer ? problem(answer.error) : failure(result), "warning");
    return answer?.data ?? undefined;
  }

  /** The remote that a person types for a memory that isn't there yet; undefined when they cancel. */
  async function remoteOf(ctx: ExtensionCommandContext): Promise<string | undefined> {
    const isThere = (await ask(ctx, "looking", ["status", "--json"])).code === 0;
    if (isThere || !ctx.hasUI) return "";
    const empty = "empty for the one in pi-memory-md's settings, or for a memory on this machine alone";
    return (await ctx.ui.input(`Git remote of the memory (${empty})`, "git@example.org:ada/memory.git"))?.trim();
  }

  pi.registerCommand("memory-init", {
    description: "Set the memory up on this machine, or clone it: /memory-init [git remote]",
    handler: async (args, ctx) => {
      const remote = args.trim() || (await remoteOf(ctx));
      if (remote === undefined) return;
      if (await show(ctx, "setting up", ["init", ...(remote ? ["--", remote] : [])])) await delivery.begin(ctx);
    },
  });
  pi.registerCommand("memory-status", {
    description: "Show where the memory stands, and whether sessions are given it",
    handler: async (_args, ctx) => void (await show(ctx, "looking", ["status"])),
  });
  pi.registerCommand("memory-refresh", {
    description: "Give this session the memory again, as it is now",
    handler: async (_args, ctx) => {
      const { text, place } = await delivery.refresh(ctx);
      const size = `${Math.ceil(Buffer.byteLength(text) / 1024)} KB`;
      const done = place === "system prompt" ? "in the system prompt from the next prompt on" : "delivered";
      const nothing = "This session is given no memory: /memory-status says why";
      ctx.ui.notify(text ? `Memory refreshed: ${size} ${done}` : nothing, text ? "info" : "warning");
    },
  });
  pi.registerCommand("memory-check", {
    description: "Show the memory's folders, and check its notes for problems: /memory-check [lines] [-p|-g]",
    handler: async (args, ctx) => {
      const words = args.trim().split(/\s+/);
      const lines = Math.max(Number.parseInt(words.find((word) => /^\d+$/.test(word)) ?? "", 10) || TREE_LINES, 1);
      const isGlobal = words.some((word) => ["-g", "--global", "global"].includes(word));
      const status = await askData<Status>(ctx, "checking", ["status"]);
      const check = status && (await askData<Check>(ctx, "checking", ["check"]));
      if (!check) return;
      const scope = isGlobal ? "global" : "project";
      const tree = (await ask(ctx, "checking", ["list", "--tree", `--scope=${scope}`])).out.trim().split("\n");
      const left = tree.length > lines ? [`… ${tree.length - lines} more`] : [];
      const repository = status.waiting ? "Uncommitted changes" : "Clean";
      const name = status.project?.folder ?? "no project";
      const head = `Memory: ${name} | Repo: ${repository} | Files: ${status.notes} | Path: ${status.root}`;
      const shown = [...tree.slice(0, lines), ...left].join("\n");
      ctx.ui.notify([head, shown, findings(check)].filter(Boolean).join("\n\n"), "info");
    },
  });
  pi.registerCommand("memory-search", {
    description: "Search all notes: /memory-search words",
    handler: async (args, ctx) => void (await show(ctx, "searching", ["search", "--", args.trim()])),
  });
  pi.registerCommand("memory-anchor", {
    description: "Have the model leave an anchor here: /memory-anchor what it is about",
    handler: async (args, ctx) => {
      const prompt = args.trim();
      const example = "Say what the anchor is about: /memory-anchor the retries work, tests are next";
      if (!prompt) return ctx.ui.notify(example, "warning");
      const asked = await askData<Instruction>(ctx, "asking for an anchor", ["anchor", `--from-prompt=${prompt}`]);
      if (!asked) return;
      pi.sendMessage({ customType: ANCHOR, content: asked.instruction, display: false }, { triggerTurn: true });
      if (!ctx.hasUI) await ctx.waitForIdle(); // in print mode pi ends once the command has
    },
  });
  pi.registerCommand("memory-tape", {
    description: "Show the newest anchors of the project, or those with these words: /memory-tape [words]",
    handler: async (args, ctx) => {
      const words = args.trim();
      const search = ["tape", "search", "--in=anchors", "--in=project", "--", words];
      await show(ctx, "looking", words ? search : ["tape", "list"]);
    },
  });
  pi.registerCommand("memory", {
    description: "Turn memory off or on for this session: /memory off, /memory on",
    getArgumentCompletions: (prefix) =>
      ["on", "off"].filter((word) => word.startsWith(prefix)).map((word) => ({ value: word, label: word })),
    handler: async (args, ctx) => {
      const word = args.trim().toLowerCase();
      if (word !== "on" && word !== "off") return void (await show(ctx, "looking", ["session", "show"]));
      const session = `--session=${ctx.sessionManager.getSessionId()}`;
      if (!(await askData(ctx, word, ["session", word, session]))) return;
      await delivery.begin(ctx); // what stands in the system prompt comes or goes
      ctx.ui.notify(`Memory is ${word} for this session`, "info");
    },
  });
}
