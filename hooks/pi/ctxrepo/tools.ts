// What the model can call to read and write the memory.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";
import * as answers from "./answers.ts";
import { type AddTool, only, oneOf, optional, toolAdder } from "./tool.ts";

/** The option for a scope; "all" needs none. */
const inScope = (scope = "all") => (scope === "all" ? [] : [`--scope=${scope}`]);

/** A path without the quotes that some models put around it once too often, and without the `@` of a file's name. */
const plain = (path: string) => path.replace(/^"(.*)"$/s, "$1").replace(/^@/, "");

/** Register the tools when a session starts; `command` runs ctxrepo. */
export function addTools(pi: ExtensionAPI, command: string): void {
  pi.on("session_start", () => addMemoryTools(toolAdder(pi, command)));
}

function addMemoryTools(add: AddTool): void {
  add({
    name: "memory_write",
    label: "Memory Write",
    description:
      "Remember something for later sessions. Content alone: a fact, which is put where it belongs. With a note: " +
      "added to it. With a note and a description: a new note in markdown.",
    parameters: only({
      content: Type.String({ description: "A fact in a sentence, a list of facts, or the text of a new note" }),
      // Not `path`: under that name pi-memory-md takes the note for a second file beside the one that other tools
      // read, finds it twice, and delivers nothing where its tape is on.
      note: optional("Its path, e.g. topics/build.md"),
      description: optional("Of a new note: what is found in it, in a line"),
      tags: Type.Optional(Type.Array(Type.String())),
      category: optional("Of a fact, e.g. gotcha, decision, preference, lesson"),
      scope: Type.Optional(oneOf("project", "global")),
    }),
    args: ({ note = "", description, tags = [], category, scope }) => {
      if (description && !note) throw new Error("A description is for a new note: say which with `note`.");
      const tagged = tags.map((tag) => `--tag=${tag}`);
      // A path names its own scope where it is printed like this: global:USER.md, global/USER.md, shop/topics/db.md.
      const isBare = !/^\w+:|^global\//.test(plain(note));
      const path = scope === "global" && note && isBare ? `global:${plain(note)}` : plain(note);
      if (description) return ["new", `--description=${description}`, ...tagged, "--from=-", "--", path];
      const kind = category ? [`--category=${category}`] : [];
      return ["remember", ...(path ? [`--note=${path}`] : inScope(scope)), ...kind, ...tagged, "--", "-"];
    },
    input: ({ content }) => content,
    text: answers.written,
  });
  add({
    name: "memory_read",
    label: "Memory Read",
    description: "Read a note of the memory, or one entry by its ^id.",
    parameters: only({
      path: Type.String({ description: "e.g. topics/build.md, global:USER.md, ^8ab78744b837" }),
      offset: Type.Optional(Type.Integer({ minimum: 1, description: "First line, counted from 1" })),
      limit: Type.Optional(Type.Integer({ minimum: 1, description: "Maximum number of lines" })),
    }),
    args: ({ path }) => ["read", "--", plain(path)],
    text: ({ text }: answers.Text, { offset, limit }) => answers.lines(text, offset, limit),
  });
  add({
    name: "memory_edit",
    label: "Memory Edit",
    description: "Replace a passage of a note, or of an entry by its ^id.",
    parameters: only({
      path: Type.String(),
      oldText: Type.String({ minLength: 1, description: "Must occur exactly once" }),
      newText: Type.String({ description: "May be empty" }),
    }),
    args: ({ path, oldText, newText }) => ["edit", `--old=${oldText}`, `--new=${newText}`, "--", plain(path)],
    text: ({ at, changed }: answers.Edit) => `${changed ? "Memory file edited" : "Nothing to change"}: ${at}`,
  });
  add({
    name: "memory_search",
    label: "Memory Search",
    description: "Search all notes of the memory by words, or with grep by a regular expression.",
    parameters: only({
      query: optional('Words; entries with all of them, or else with some. "…" must stand together'),
      grep: optional("Regular expression"),
      rg: optional("The same as grep"),
      scope: Type.Optional(oneOf("project", "global", "all")),
      limit: Type.Optional(Type.Integer({ minimum: 1, description: "Maximum number of hits; 20 unless said" })),
    }),
    args: ({ query, grep, rg, scope, limit }) => {
      const pattern = grep ?? rg;
      if (query && pattern) throw new Error("Give query or grep, not both.");
      const wanted = query || pattern;
      if (!wanted) throw new Error("Give query or grep to search the memory.");
      const how = [...(query ? [] : ["--regex"]), ...(limit ? [`--limit=${limit}`] : [])];
      return ["search", ...inScope(scope), ...how, "--", wanted];
    },
    text: answers.hits,
    nothing: ({ query, grep, rg }) => `No results found for "${query ?? grep ?? rg}".`,
  });
  add({
    name: "memory_list",
    label: "Memory List",
    description: "List the notes of the project and the global ones, with what is found in each.",
    parameters: only({
      directory: optional("Only notes below it, e.g. topics"),
      scope: Type.Optional(oneOf("project", "global", "all")),
    }),
    args: ({ directory, scope }) => ["list", ...inScope(scope), ...(directory ? ["--", plain(directory)] : [])],
    text: answers.notes,
  });
  add({
    name: "memory_sync",
    label: "Memory Sync",
    description:
      "Show how the memory stands (status), or exchange it with its remote. Don't pull or push unless the user asks: " +
      "both happen by themselves.",
    parameters: only({ action: oneOf("pull", "push", "status") }),
    args: ({ action }) => [action],
    text: (data: answers.Status | answers.Exchange) =>
      "sent" in data ? answers.syncText(data) : answers.statusText(data),
  });
  add({
    name: "memory_check",
    label: "Memory Check",
    description: "Check all notes for problems: broken front matter, conflicts, dead links.",
    parameters: only({}),
    args: () => ["check"],
    text: answers.findings,
  });
}
