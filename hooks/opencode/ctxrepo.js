// @ts-check
/** ctxrepo in OpenCode: hands events to ctxrepo's hook, and puts its answer where the model reads it. Where ctxrepo is
 * gone, late or wrong, OpenCode works on as if this file weren't there. What is given are parts of the session that
 * only requests of the conversation show: whatever makes titles and summaries is not given them. */
import { spawn, spawnSync } from "node:child_process"
import { homedir } from "node:os"
import { join, resolve } from "node:path"
import { fileURLToPath } from "node:url"

/** The hook line, in which an event's name takes the place of EVENT; before `ctxrepo setup` it is no line. */
const LINE = "{line}"
/** What its user lets OpenCode run unasked: the beginnings of commands. @type {any} */
const ALLOWED = "{allowed}"
/** "yes" where `ctxrepo setup` was told to enforce rules. @type {string} */
const ENFORCES = "{enforces}"
const RUN = fileURLToPath(new URL("../run", import.meta.url)) // finds ctxrepo where there is no line
const MILLISECONDS = 10_000
const TOOL = "tool.execute.after"
const BEFORE = "tool.execute.before"
const TOOLS = new Set(["read", "edit", "write", "apply_patch", "bash"])
const PATCHED = /^\*\*\* (?:(?:Update|Add|Delete) File|Move to): (.+)$/gm // how a patch names files
const DATA = process.env.XDG_DATA_HOME || join(homedir(), ".local/share")
const DATABASE = resolve(DATA, "opencode", process.env.OPENCODE_DB || "opencode.db")

/** @typedef {{ id: string, sessionID: string, messageID: string, type: string, [key: string]: any }} Part */
/** @typedef {{ info: any, parts: Part[] }} Message */

/** What the hook answers, "" where it fails or takes too long. OpenCode stops for a tool's hook, which waits for
 * nobody: it is over before OpenCode would have heard of its end.
 * @param {string} event @param {object} about @returns {Promise<string>} */
async function ask(event, about) {
  const line = LINE.startsWith("{") ? 'sh "$0" opencode EVENT ' : LINE
  const words = ["-c", line.replaceAll(" opencode EVENT ", ` opencode ${event} `), RUN]
  const input = JSON.stringify(about)
  if (event === TOOL) return spawnSync("sh", words, { input, encoding: "utf8", timeout: MILLISECONDS / 4 }).stdout ?? ""
  return new Promise((answer) => {
    // A group of its own: it can be ended whole, unless it is gone already, and doesn't end with OpenCode's.
    const hook = spawn("sh", words, { detached: true, stdio: ["pipe", "pipe", "ignore"] })
    let said = ""
    const end = (/** @type {string} */ text) => (clearTimeout(clock), answer(text))
    const kill = () => { try { if (hook.pid) process.kill(-hook.pid, "SIGKILL") } catch {} }
    const clock = setTimeout(() => (end(""), kill()), MILLISECONDS)
    hook.on("error", () => end("")).on("close", (code) => end(code ? "" : said))
    hook.stdout.setEncoding("utf8").on("data", (text) => (said += text))
    hook.stdin.on("error", () => {}).end(input)
  })
}

/** The same function, which fails silently. @param {(...given: any[]) => Promise<unknown>} work */
const quiet = (work) => (/** @type {any[]} */ ...given) => work(...given).then(() => {}, () => {})

const isOurs = (/** @type {Part} */ part) => part.type === "text" && typeof part.metadata?.ctxrepo === "string"

/** A part before ("0") or behind ("z") another one: OpenCode sends a message's parts in the order of their ids.
 * @param {Part} beside @param {"0" | "z"} where @param {string} text @returns {Part} */
function part({ id, sessionID, messageID }, where, text) {
  const ours = { synthetic: true, ignored: true, metadata: { ctxrepo: sessionID } }
  return { id: id.slice(0, 16) + where.repeat(14), sessionID, messageID, type: "text", text, ...ours }
}

/** Whether a text fits a pattern of OpenCode's, whose ` *` at the end stands for nothing, too.
 * @param {string} pattern @param {string} text */
function fits(pattern, text) {
  const expression = pattern.replace(/[.+^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*").replaceAll("?", ".")
  return new RegExp(`^${expression.replace(/ \.\*$/, "( .*)?")}$`, "s").test(text)
}

/** Let OpenCode run what is allowed where it would ask. It asks for each command of a line by itself, as a parser of
 * the shell finds them, in substitutions too; the last rule that fits counts. A command comes with what it is
 * redirected to, and to write a file it asks as ever. Ours stand behind the person's rule for all commands, and those
 * that follow it come again behind ours. What another rule of theirs is about is theirs to allow. A key that
 * fits only bash, and that they haven't, stands behind all others.
 * @param {any} config */
function allow(config) {
  const given = typeof config.permission === "string" ? { "*": config.permission } : config.permission ?? {}
  const theirs = Object.entries(given).flatMap(([tool, of]) =>
    !fits(tool, "bash") ? [] : typeof of === "string" ? [["*", of]] : Object.entries(of))
  const usual = theirs.findLastIndex(([pattern]) => pattern === "*")
  if (!Array.isArray(ALLOWED) || theirs[usual]?.[1] !== "ask") return
  const isTheirs = (/** @type {string} */ command) =>
    theirs.some(([pattern]) => pattern !== "*" && fits(pattern, command))
  const ours = ALLOWED.filter((command) => !isTheirs(command)).map((command) => [`${command} *`, "allow"])
  if (!ours.length) return
  const rules = new Map()
  for (const [pattern, action] of [...ours, ["ctxrepo *>*", "ask"], ...theirs.slice(usual + 1)]) {
    rules.delete(pattern) // a pattern that comes twice stands where it comes last
    rules.set(pattern, action)
  }
  let key = "bash*"
  while (key in given) key += "*"
  config.permission = { ...given, [key]: Object.fromEntries(rules) }
}

/** @param {{ client: any, directory: string }} opencode */
export const ctxrepo = async ({ client, directory }) => {
  const sessions = /** @type {Map<string, ReturnType<look>>} */ (new Map())
  const asked = /** @type {Set<Promise<string>>} */ (new Set())
  const warnings = /** @type {Map<string, string>} */ (new Map())

  /** What its record tells of a session: `root` is the one that a person talks to, `source` why the packet is
   * due, "" where it isn't. @param {string} id */
  async function look(id) {
    let root = id
    for (let up = id, depth = 0; up && depth < 10; depth++) {
      root = up
      up = (await client.session.get({ path: { id: up } })).data?.parentID
    }
    const messages = /** @type {Message[]} */ ((await client.session.messages({ path: { id } })).data ?? [])
    const given = messages.flatMap(({ parts }) => parts).findLast(isOurs)
    const summary = messages.findLast(({ info }) => info.role === "assistant" && info.summary)?.info.id ?? ""
    const origin = given?.metadata.ctxrepo ?? ""
    const goesOn = summary > (given?.messageID ?? "") ? "compact" : origin === id ? "resume" : "fork"
    return { root, source: given ? goesOn : "startup", origin, isSummarized: false }
  }

  /** @param {string} id */
  function session(id) {
    const known = sessions.get(id) ?? look(id)
    known.catch(() => sessions.delete(id))
    sessions.set(id, known)
    return known
  }

  /** @param {string} event @param {string} id @param {object} fields */
  async function tell(event, id, fields = {}) {
    const { root } = await session(id)
    const sub = root === id ? "" : id
    const answer = ask(event, { session: root, sub, cwd: directory, transcript: DATABASE, ...fields })
    asked.add(answer)
    return answer.finally(() => asked.delete(answer))
  }

  /** The packet, where it is due. @param {string} id */
  async function packet(id) {
    const known = await session(id)
    const { root, source, origin } = known
    known.source = ""
    return source && tell(root === id ? "session.created" : "task", id, { source, origin })
  }

  return {
    config: quiet(async (config) => allow(config)),
    event: quiet(async ({ event: { type, properties } }) => {
      const id = properties?.sessionID
      if (type === "session.compacted") (await session(id)).source = "compact"
      if (type === "session.idle" && (await session(id)).root === id) await tell(type, id)
    }),
    "chat.message": quiet(async ({ sessionID }, { parts }) => {
      const words = parts.filter((/** @type {Part} */ part) => part.type === "text" && !part.synthetic)
      if (!words.length) return
      const ids = parts.map((/** @type {Part} */ part) => part.id).sort()
      const start = await packet(sessionID)
      const prompt = words.map((/** @type {Part} */ part) => part.text).join("\n")
      const recalled = await tell("chat.message", sessionID, { prompt })
      if (start) parts.unshift(part({ ...words[0], id: ids[0] }, "0", start))
      if (recalled) parts.push(part({ ...words[0], id: ids.at(-1) }, "z", recalled))
    }),
    [BEFORE]: async (/** @type {any} */ { tool, sessionID, callID }, /** @type {any} */ { args }) => {
      if (ENFORCES !== "yes") return
      const named = (args?.patchText ?? "").matchAll?.(PATCHED) ?? []
      const files = [...named].map(([, path]) => ({ filePath: path.trim() }))
      const answer = await tell(BEFORE, sessionID, { tool, args, files }).catch(() => "")
      if (answer.startsWith("{")) throw new Error(JSON.parse(answer).refusal)
      if (answer) warnings.set(callID, answer)
    },
    [TOOL]: quiet(async ({ tool, sessionID, callID, args }, out) => {
      const warning = warnings.get(callID)
      if (warnings.delete(callID)) out.output += `\n${warning}`
      if (!TOOLS.has(tool)) return
      const { exit, display, files, diff } = out.metadata ?? {}
      const lines = [display?.lineStart, display?.lineEnd, display?.totalLines]
      const fields = { tool, args, lines, files, diff, output: exit ? out.output : "" }
      const answer = await tell(TOOL, sessionID, fields)
      if (answer) out.output += `\n${answer}`
    }),
    "experimental.session.compacting": quiet(async ({ sessionID }) => {
      const known = await session(sessionID)
      known.isSummarized = true
      if (known.root === sessionID) await tell("experimental.session.compacting", sessionID)
    }),
    "experimental.chat.messages.transform": quiet(async (_, { messages }) => {
      const id = messages[0].info.sessionID
      const known = await session(id)
      if (known.isSummarized) return void (known.isSummarized = false)
      const last = messages.findLast((/** @type {Message} */ { info }) => info.role === "user")
      const text = known.source === "compact" && (await packet(id)) // in the middle of a turn
      if (text) last.parts.unshift(part(last.parts[0], "0", text))
      messages.forEach((/** @type {Message} */ { info, parts }, /** @type {number} */ at) => {
        messages[at] = { info, parts: parts.map((one) => (isOurs(one) ? { ...one, ignored: false } : one)) }
      })
      const url = "/session/{sessionID}/message/{messageID}/part/{id}"
      if (text) await client._client.patch({ url, path: last.parts[0], body: last.parts[0] })
    }),
    "shell.env": quiet(async ({ sessionID: id }, { env }) => (env.CTXREPO_OPENCODE_SESSION = (await session(id)).root)),
    dispose: quiet(async () => {
      const roots = new Set((await Promise.all(sessions.values())).map(({ root }) => root))
      await Promise.all([...asked, ...[...roots].map((root) => tell("dispose", root))])
    }),
  }
}
