// Runs programs: the hook for each event, and ctxrepo for tools and commands. What goes wrong is an answer, too.
import { spawn } from "node:child_process";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";

export type Fields = Record<string, unknown>;

/** What a program is given; it is killed after so many milliseconds, with all that it started. */
interface Given {
  input: string;
  patience: number;
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  signal?: AbortSignal | undefined;
}

/** How a program ended: `code` is -1 where it was killed or never began. */
interface Ended {
  code: number;
  out: string;
  err: string;
}

/** Run a command line of the shell with these arguments. */
export function run(line: string, words: string[], given: Given): Promise<Ended> {
  return new Promise((resolve) => {
    const { cwd, env } = given;
    const child = spawn("/bin/sh", ["-c", line, "sh", ...words], { cwd, env, detached: true, stdio: "pipe" });
    let [out, err] = ["", ""];
    const end = (code: number) => {
      clearTimeout(timer);
      given.signal?.removeEventListener("abort", kill);
      resolve({ code, out, err });
    };
    const kill = () => {
      try {
        if (child.pid) process.kill(-child.pid, "SIGKILL"); // the shell and what it started
      } catch {} // it is gone already
      end(-1);
    };
    const timer = setTimeout(kill, given.patience);
    given.signal?.addEventListener("abort", kill);
    child.stdout.setEncoding("utf8").on("data", (part: string) => (out += part));
    child.stderr.setEncoding("utf8").on("data", (part: string) => (err += part));
    child.on("error", () => end(-1)).on("close", (code) => end(code ?? -1));
    child.stdin.on("error", () => {}).end(given.input);
  });
}

/** `text` as one word of the shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Milliseconds that a command of ctxrepo may take: a remote may be slow. */
const PATIENCE = 120_000;

/** Run ctxrepo in the session's folder, as a command of its session. */
export function ctxrepo(
  command: string, words: string[], ctx: ExtensionContext, input = "", signal?: AbortSignal,
): Promise<Ended> {
  const session = { PI_CODING_AGENT: "true", PI_SESSION_ID: ctx.sessionManager.getSessionId(), NO_COLOR: "1" };
  return run(command, words, { input, cwd: ctx.cwd, env: { ...process.env, ...session }, signal, patience: PATIENCE });
}

/** What ctxrepo says to people on its error output, without its name before each line. */
export function notices(err: string): string {
  return err.replaceAll(/^ctxrepo: /gm, "").trim();
}

/** Why there is no answer at all. */
export function failure(ended: Ended): string {
  if (ended.code === 127) return "ctxrepo isn't installed on this machine: `pipx install ctxrepo`, then /memory-init";
  if (ended.code === -1) return "ctxrepo was stopped before it was through";
  return notices(ended.err) || `ctxrepo ended with exit code ${ended.code} and said nothing`;
}
