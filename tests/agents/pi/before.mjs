// Loads the delivery of the extension and tells it of a tool before and after it is used; prints what came of it.
// node before.mjs FOLDER/delivery.ts LINE ENFORCES
import { pathToFileURL } from "node:url";

const [file, line, enforces] = process.argv.slice(2);
const handlers = new Map();
const pi = { on: (event, handler) => handlers.set(event, handler), sendMessage: () => {} };
const sessionManager = { getSessionId: () => "s1", getSessionFile: () => undefined };
const ctx = { cwd: "/shop", sessionManager };
(await import(pathToFileURL(file).href)).deliver(pi, line, () => {}, enforces === "yes");
const call = { toolName: "bash", toolCallId: "c1", input: { command: "kubectl apply" } };
const before = await handlers.get("tool_call")?.(call, ctx);
const content = [{ type: "text", text: "ran" }];
const after = await handlers.get("tool_result")({ ...call, content, isError: false }, ctx);
const texts = (after?.content ?? content).map((part) => part.text);
console.log(JSON.stringify({ asks: handlers.has("tool_call"), before: before ?? null, texts }));
