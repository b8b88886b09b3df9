// Loads the delivery of the extension and tells it of prompts, of a tool call and of a session's end; prints what it said.
// node drive.mjs FOLDER/delivery.ts LINE
import { pathToFileURL } from "node:url";

const handlers = new Map();
const pi = { on: (event, handler) => handlers.set(event, handler), sendMessage: () => {} };
const sessionManager = {
  getSessionId: () => "s1",
  getSessionFile: () => undefined,
  getHeader: () => null,
  getBranch: () => [],
  buildContextEntries: () => [],
};
(await import(pathToFileURL(process.argv[2]).href)).deliver(pi, process.argv[3], () => {});
for (const [text, prompt] of [["/skill:poem about leaves", "<skill>…</skill>"], ["/commit", "Commit."], ["/etc/hosts is odd", ""]]) {
  await handlers.get("input")({ text });
  const event = { messageType: "user", prompt: prompt || text };
  await handlers.get("before_agent_start")(event, { cwd: "/", sessionManager });
}
const content = [{ type: "text", text: "x".repeat(3_000_000) }];
const call = { toolCallId: "c1", toolName: "write", input: { path: "a", content: "y".repeat(3_000_000) }, content, isError: true };
const began = performance.now();
const said = await handlers.get("tool_result")(call, { cwd: "/", sessionManager });
const took = performance.now() - began;
const stale = { get cwd() { throw new Error("stale"); }, get sessionManager() { throw new Error("stale"); } };
const ended = await handlers.get("session_shutdown")({ reason: "quit" }, stale);
console.log(JSON.stringify({ added: said?.content?.[1]?.text ?? null, ended: ended ?? null, took }));
