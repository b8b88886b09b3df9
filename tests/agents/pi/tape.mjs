// Loads the tape's part of the extension, and does with it what stands on standard input; prints what came of it.
// node tape.mjs FOLDER COMMAND < {"tape": …, "entries": […], "labels": {…}, "do": [["call", "tape_info", {}], …]}
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, command] = process.argv.slice(2);
const said = JSON.parse(readFileSync(0, "utf8"));
const [handlers, tools] = [new Map(), new Map(said.others?.map((name) => [name, { name }]))];
const pi = {
  on: (event, handler) => handlers.set(event, handler),
  getAllTools: () => [...tools.values()],
  registerTool: (tool) => tools.set(tool.name, tool),
};
/** A session as pi's own class holds one: its methods are on the prototype. */
class Manager {
  given = new Map(Object.entries(said.labels ?? {}));
  written = [];
  getSessionId() { return "s1"; }
  getLeafId() { return said.entries?.at(-1)?.id ?? null; }
  getEntries() { return said.entries ?? []; }
  getTree() {
    const nodes = new Map(this.getEntries().map((entry) => [entry.id, { entry, children: [], label: this.given.get(entry.id) }]));
    const roots = [];
    for (const node of nodes.values()) (nodes.get(node.entry.parentId)?.children ?? roots).push(node);
    return roots;
  }
  appendLabelChange(entry, label) { this.written.push([entry, label ?? null]); return "l1"; }
}
const sessionManager = new Manager();
const ctx = { cwd: "/", hasUI: said.hasUI ?? true, sessionManager };
const shown = () => {
  const found = sessionManager.getTree();
  for (const node of found) found.push(...node.children);
  return Object.fromEntries(found.filter((node) => node.label).map((node) => [node.entry.id, node.label]));
};
const until = async (is) => { for (let n = 0; n < 60 && !is(); n++) await new Promise((then) => setTimeout(then, 10)); };
const follow = (await import(pathToFileURL(`${folder}/tape.ts`).href)).followTape(pi, command);
const done = [];
for (const [what, ...given] of said.do) {
  if (what === "follow") done.push(follow(given[0], ctx) ?? null);
  if (what === "wait") done.push(await until(() => JSON.stringify(shown()) === JSON.stringify(given[0])) ?? null);
  if (what === "shown") done.push(shown());
  if (what === "edit") done.push(sessionManager.appendLabelChange(...given));
  if (what === "written") done.push([...sessionManager.written]);
  if (what === "result") done.push(handlers.get("tool_result")({ toolName: given[0], input: given[1] }, ctx) ?? null);
  if (what === "end") done.push(handlers.get("session_shutdown")({ reason: "reload" }, ctx) ?? null);

  if (what === "tools") done.push([...tools.values()].map(({ execute: _, ...told }) => told));
  if (what === "call") {
    done.push(await tools.get(given[0]).execute("c1", given[1], undefined, undefined, ctx).catch((error) => error.message));
  }
}
console.log(JSON.stringify(done));
