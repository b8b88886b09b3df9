// ctxrepo in pi: memory for its sessions, tools for the model, and commands for you. `ctxrepo setup pi` writes this
// file, with the places of the machine in LINE and COMMAND, and the folder beside it; pi loads it from a package too.
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type ExtensionAPI, getAgentDir } from "@earendil-works/pi-coding-agent";
import { addCommands } from "./ctxrepo/commands.ts";
import { deliver } from "./ctxrepo/delivery.ts";
import { quoted } from "./ctxrepo/program.ts";
import { followTape } from "./ctxrepo/tape.ts";
import { addTools } from "./ctxrepo/tools.ts";

/** The hook line, in which an event's name takes the place of EVENT; before `ctxrepo setup` it is no line. */
const LINE = "{line}";
/** "yes" where `ctxrepo setup` was told to enforce rules. */
const ENFORCES: string = "{enforces}";
/** A command line of the shell that runs this machine's ctxrepo with the shell's arguments, if it is still there. */
const COMMAND = "{command}";

/** Where ctxrepo keeps what it needs on this machine, as `run` finds it; "" where that is no absolute path. */
function stateFolder(): string {
  const { CTXREPO_STATE, XDG_STATE_HOME } = process.env;
  const named = CTXREPO_STATE || join(XDG_STATE_HOME || join(homedir(), ".local/state"), "ctxrepo");
  const folder = named.replace(/^~(?=\/)/, homedir());
  return folder.startsWith("/") ? folder : "";
}

export default function (pi: ExtensionAPI): void {
  const isPackage = LINE.startsWith("{");
  // Where `ctxrepo setup pi` wrote the extension as well, that one works, and the package leaves it to it.
  if (isPackage && existsSync(join(getAgentDir(), "extensions", "ctxrepo.ts"))) return;
  const run = fileURLToPath(new URL("../run", import.meta.url));
  const line = isPackage ? `sh ${quoted(run)} pi EVENT ` : LINE;
  const command = isPackage ? "" : COMMAND;
  if (isPackage) {
    pi.on("session_start", ({ reason }, ctx) => {
      const hint = "ctxrepo has no memory on this machine yet: /memory-init sets one up, or clones yours";
      const state = stateFolder();
      if (reason === "startup" && state && !existsSync(join(state, "hook"))) ctx.ui.notify(hint, "info");
    });
  }
  const delivery = deliver(pi, line, followTape(pi, command), ENFORCES === "yes");
  addTools(pi, command);
  addCommands(pi, command, delivery);
}
