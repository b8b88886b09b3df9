// Answers prompts as pi-memory-md's memory_search does: JSON on standard input, places and milliseconds out.
import { readFileSync } from "node:fs";

const { orama, most, notes, prompts } = JSON.parse(readFileSync(0, "utf8"));
const { create, insertMultiple, search } = await import(orama);

const boost = { title: 3, tags: 2, description: 2, content: 1 };
const fields = Object.keys(boost);

// English letters are all that Orama's tokenizer keeps. A run of Han goes in as one word spelled in hex, which
// is what pi-memory-md comes to where the optional nodejieba, a native module, isn't installed.
function spelled(text) {
  const runs = text.match(/\p{Script=Han}+/gu) ?? [];
  return [text, ...runs, ...runs.map((run) => `zh_${Buffer.from(run).toString("hex")}`)].join(" ");
}

const documents = notes.map((note) => {
  const said = fields.map((field) => [field, spelled(note[field])]);
  return { id: note.id, ...Object.fromEntries(said) };
});
const schema = Object.fromEntries(["id", ...fields].map((field) => [field, "string"]));
const db = await create({ schema, components: { tokenizer: { language: "english" } } });
await insertMultiple(db, documents);

const answers = [];
for (const prompt of prompts) {
  const began = performance.now();
  const found = await search(db, { term: spelled(prompt), properties: fields, limit: most, boost });
  answers.push({ places: found.hits.map((hit) => hit.document.id), ms: performance.now() - began });
}
console.log(JSON.stringify(answers));
