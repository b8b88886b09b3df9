// What a person can type: commands that run ctxrepo and show what it says, where there is somebody to show it to.
import type { ExtensionAPI, ExtensionCommandContext } from "@earendil-works/pi-coding-agent";
import { envelope, type Check, findings, type Status } from "./answers.ts";
import type { Delivery } from "./delivery.ts";
import { ctxrepo, failure, notices } from "./program.ts";

/** Lines of the tree that `/memory-check` shows, unless it is told otherwise. */
const TREE_LINES = 25;

/** Register the commands; `command` runs ctxrepo. */
export function addCommands(pi: ExtensionAPI, command: string, delivery: Delivery): void {
  /** Run ctxrepo, with a word in the footer meanwhile; what it said, "" where it failed and that was shown. */
  async function ask(ctx: ExtensionCommandContext, doing: string, words: string[]): Promise<string> {
    ctx.ui.setStatus("ctxrepo", `memory: ${doing}…`);
    const ended = await ctxrepo(command, words, ctx).finally(() => ctx.ui.setStatus("ctxrepo", undefined));
    const said = [ended.out.trim(), ended.out ? notices(ended.err) : ""].filter(Boolean).join("\n\n");
    if (!said) ctx.ui.notify(failure(ended), "warning");
    return said;
  }

  async function show(ctx: ExtensionCommandContext, doing: string, words: string[]): Promise<void> {
    const said = await ask(ctx, doing, words);
    if (said) ctx.ui.notify(said, "info");
  }

  /** The remote that a person types for a memory that isn't there yet; undefined where they think better of it. */
  async function remoteOf(ctx: ExtensionCommandContext): Promise<string | undefined> {
    const isThere = (await ctxrepo(command, ["status", "--json"], ctx)).code === 0;
    if (isThere || !ctx.hasUI) return "";
    const nothing = "leave it empty for pi-memory-md's memory, else for one on this machine alone";
    return (await ctx.ui.input(`Git remote of the memory: ${nothing}`, "git@example.org:ada/memory.git"))?.trim();
  }

  pi.registerCommand("memory-init", {
    description: "Set the memory up on this machine, or clone it: /memory-init [git remote]",
    handler: async (args, ctx) => {
      const remote = args.trim() || (await remoteOf(ctx));
      if (remote === undefined) return;
      const said = await ask(ctx, "setting up", ["init", ...(remote ? ["--", remote] : [])]);
      if (!said) return;
      ctx.ui.notify(said, "info");
      await delivery.begin(ctx);
    },
  });
  pi.registerCommand("memory-status", {
    description: "Show where the memory stands, and whether sessions are given it",
    handler: (_args, ctx) => show(ctx, "looking", ["status"]),
  });
  pi.registerCommand("memory-refresh", {
    description: "Give this session the memory again, as it is now",
    handler: async (_args, ctx) => {
      const given = await delivery.refresh(ctx).catch(() => "");
      const size = `${Math.ceil(Buffer.byteLength(given) / 1024)} KB`;
      const nothing = "This session is given no memory: /memory-status says why";
      ctx.ui.notify(given ? `Memory refreshed: ${size} delivered` : nothing, given ? "info" : "warning");
    },
  });
  pi.registerCommand("memory-check", {
    description: "Show the memory's folders, and what isn't as it was meant: /memory-check [lines] [-p|-g]",
    handler: async (args, ctx) => {
      const words = args.trim().split(/\s+/);
      const lines = Math.max(Number.parseInt(words.find((word) => /^\d+$/.test(word)) ?? "", 10) || TREE_LINES, 1);
      const isGlobal = words.some((word) => ["-g", "--global", "global"].includes(word));
      const status = envelope<Status>(await ask(ctx, "checking", ["status", "--json"]))?.data;
      if (!status) return;
      const scope = isGlobal ? "global" : "project";
      const tree = (await ask(ctx, "checking", ["list", "--tree", `--scope=${scope}`])).split("\n");
      const left = tree.length > lines ? [`… ${tree.length - lines} more`] : [];
      const check = envelope<Check>(await ask(ctx, "checking", ["check", "--json"]))?.data;
      const repository = status.waiting ? "Uncommitted changes" : "Clean";
      const name = status.project?.folder ?? "no project";
      const head = `Memory: ${name} | Repo: ${repository} | Files: ${status.notes} | Path: ${status.root}`;
      const shown = [...tree.slice(0, lines), ...left].join("\n");
      ctx.ui.notify([head, shown, check ? findings(check) : ""].filter(Boolean).join("\n\n"), "info");
    },
  });
  pi.registerCommand("memory-search", {
    description: "Search all notes: /memory-search words",
    handler: (args, ctx) => show(ctx, "searching", ["search", "--", args.trim()]),
  });
  pi.registerCommand("memory", {
    description: "Let this session go on without memory: /memory off, and on again: /memory on",
    getArgumentCompletions: (prefix) =>
      ["on", "off"].filter((word) => word.startsWith(prefix)).map((word) => ({ value: word, label: word })),
    handler: async (args, ctx) => {
      const word = args.trim().toLowerCase();
      if (word !== "on" && word !== "off") return show(ctx, "looking", ["session", "show"]);
      const said = await ask(ctx, word, ["session", word, `--session=${ctx.sessionManager.getSessionId()}`]);
      if (said) ctx.ui.notify(`Memory is ${word} for this session`, "info");
    },
  });
}
