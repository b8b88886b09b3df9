// Loads the bridge and tells it of a tool before and after it is used; prints what came of each.
// node drive.mjs BRIDGE.mjs TOOL ARGS
import { pathToFileURL } from "node:url"

const [file, tool, args] = process.argv.slice(2)
const { ctxrepo } = await import(pathToFileURL(file).href)
const client = { session: { get: async () => ({ data: {} }), messages: async () => ({ data: [] }) } }
const hooks = await ctxrepo({ client, directory: "/shop" })
const call = { tool, sessionID: "s1", callID: "c1" }
const said = { refused: "", outputs: [] }
for (const _ of [1, 2]) {
  await hooks["tool.execute.before"](call, { args: JSON.parse(args) }).catch((error) => (said.refused = error.message))
  const out = { output: "ran", metadata: {} }
  await hooks["tool.execute.after"]({ ...call, args: JSON.parse(args) }, out)
  said.outputs.push(out.output)
}
console.log(JSON.stringify(said))
