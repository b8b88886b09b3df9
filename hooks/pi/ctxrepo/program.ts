// Runs programs: the hook for each event, and ctxrepo for tools and commands. What goes wrong is an answer, too.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";

export type Fields = Record<string, unknown>;

interface RunOptions {
  input: string;
  /** Milliseconds after which the program is killed, with all that it started. */
  timeout: number;
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  signal?: AbortSignal | undefined;
}

/** How a program ended. Where it has no exit code, `code` is -1 and `why` says what happened. */
export interface ProcessResult {
  code: number;
  out: string;
  err: string;
  why: string;
}

/** The most characters of output that are read. */
const MOST_OUTPUT = 32 * 1024 * 1024;
/** Milliseconds for which the output of a program that has ended is waited for: another one may hold it open. */
const GRACE = 200;

/** Run a command line of the shell with these arguments. */
export function run(line: string, args: string[], options: RunOptions): Promise<ProcessResult> {
  return new Promise((resolve) => {
    let [out, err] = ["", ""];
    let grace: NodeJS.Timeout | undefined;
    const end = (code: number, why = "") => {
      clearTimeout(timer);
      clearTimeout(grace); // pi ends when nothing is left to wait for
      options.signal?.removeEventListener("abort", abort);
      resolve({ code, out, err, why });
    };
    const kill = (why: string) => {
      try {
        if (child?.pid) process.kill(-child.pid, "SIGKILL"); // the shell and what it started
      } catch {} // it is gone already
      end(-1, why);
    };
    const abort = () => kill("it was stopped");
    const timer = setTimeout(() => kill(`it took more than ${options.timeout / 1000} seconds`), options.timeout);
    const child = start(line, args, options, (why) => end(-1, why));
    if (!child || options.signal?.aborted) return abort();
    options.signal?.addEventListener("abort", abort);
    child.stdout.setEncoding("utf8").on("data", (part: string) => {
      out += part;
      if (out.length > MOST_OUTPUT) kill("its answer is too long");
    });
    child.stderr.setEncoding("utf8").on("data", (part: string) => (err += part));
    child.on("error", (error) => end(-1, error.message)).on("close", (code) => end(code ?? -1, "it was killed"));
    child.on("exit", (code) => (grace = setTimeout(() => end(code ?? -1, "it was killed"), GRACE)));
    child.stdin.on("error", () => {}).end(options.input);
  });
}

/** The process; undefined where it can't be started, as with an argument that is too long for the system. */
function start(line: string, args: string[], { cwd, env }: RunOptions, fail: (why: string) => void) {
  try {
    return spawn("/bin/sh", ["-c", line, "sh", ...args], { cwd, env, detached: true, stdio: "pipe" });
  } catch (error) {
    fail(error instanceof Error ? error.message : String(error));
    return undefined;
  }
}

/** `text` as one word of the shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Milliseconds that a command of ctxrepo may take: a remote may be slow. */
const TIMEOUT = 120_000;

/** Runs the ctxrepo that a person has, never one that lies in the project, nor one that loads what lies there. */
const ON_PATH = `unset PYTHONPATH
for found in ${quoted(join(homedir(), ".local/bin/ctxrepo"))} "$(command -v ctxrepo)"; do
  case $found in
  "$PWD"/*) ;;
  /*) if [ -x "$found" ]; then exec "$found" "$@"; fi ;;
  esac
done
exit 127`;

/** Run ctxrepo in the session's folder, as a command of its session; `preferred` is a line that may run it. */
export function ctxrepo(
  preferred: string, args: string[], ctx: ExtensionContext, input = "", signal?: AbortSignal,
): Promise<ProcessResult> {
  const session = { PI_CODING_AGENT: "true", PI_SESSION_ID: ctx.sessionManager.getSessionId(), NO_COLOR: "1" };
  const options = { input, cwd: ctx.cwd, env: { ...process.env, ...session }, signal, timeout: TIMEOUT };
  return run(`${preferred}\n${ON_PATH}`, args, options);
}

/** What ctxrepo says to people on its error output, without its name before each line. */
export function notices(err: string): string {
  return err.replaceAll(/^ctxrepo: /gm, "").trim();
}

/** What installs ctxrepo, as the end of a sentence; a package that pi cloned holds the program, too. */
function installation(): string {
  const script = fileURLToPath(new URL("../../install", import.meta.url));
  const isWhole = existsSync(new URL("../../../pyproject.toml", import.meta.url));
  return isWhole ? `\`sh ${quoted(script)}\` installs it` : "install it where you have this extension from";
}

/** Why there is no answer at all. */
export function failure(result: ProcessResult): string {
  if (result.code === 127) return `ctxrepo isn't installed on this machine: ${installation()}, then /memory-init`;
  if (result.code === -1) return `ctxrepo gave no answer: ${result.why}`;
  return notices(result.err) || `ctxrepo ended with exit code ${result.code} and said nothing`;
}
