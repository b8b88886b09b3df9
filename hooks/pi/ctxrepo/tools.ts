// What the model can call: each tool is one command of ctxrepo, which answers in JSON.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { type Static, type TSchema, Type } from "typebox";
import * as answers from "./answers.ts";
import { ctxrepo, failure, notices } from "./program.ts";

/** A tool: the command that it runs, and what its answer is in words. */
interface Tool<Params extends TSchema, Data> {
  name: string;
  label: string;
  description: string;
  parameters: Params;
  words(params: Static<Params>): string[];
  input?(params: Static<Params>): string;
  text(data: Data, params: Static<Params>): string;
  /** What to say where there is nothing to find, which is no error. */
  nothing?(params: Static<Params>): string;
}

/** The exit code of ctxrepo where there is nothing to find. */
const NOT_FOUND = 3;

const optional = (description: string) => Type.Optional(Type.String({ description }));
const oneOf = <Word extends string>(...words: Word[]) => Type.Union(words.map((word) => Type.Literal(word)));

/** The option for a scope; "all" needs none. */
const inScope = (scope = "all") => (scope === "all" ? [] : [`--scope=${scope}`]);

/** A path without the quotes that some models put around it once too often, and without the `@` of a file's name. */
const plain = (path: string) => path.replace(/^"(.*)"$/s, "$1").replace(/^@/, "");

/** Register the tools; `command` runs ctxrepo. */
export function addTools(pi: ExtensionAPI, command: string): void {
  add(pi, command, {
    name: "memory_write",
    label: "Memory Write",
    description:
      "Remember something for later sessions. Content alone: a fact, which is put where it belongs. With a note: " +
      "added to it. With a note and a description: a new note in markdown.",
    parameters: Type.Object({
      content: Type.String({ description: "A fact in a sentence, a list of facts, or the text of a new note" }),
      // Not `path`: under that name pi-memory-md takes the note for a second file beside the one that other tools
      // read, finds it twice, and delivers nothing where its tape is on.
      note: optional("Its path, e.g. topics/build.md"),
      description: optional("Of a new note: what is found in it, in a line"),
      tags: Type.Optional(Type.Array(Type.String())),
      category: optional("Of a fact, e.g. gotcha, decision, preference, lesson"),
      scope: Type.Optional(oneOf("project", "global")),
    }),
    words: ({ note = "", description, tags = [], category, scope }) => {
      const tagged = tags.map((tag) => `--tag=${tag}`);
      const path = scope && note ? `${scope}:${plain(note)}` : plain(note);
      if (description && note) return ["new", `--description=${description}`, ...tagged, "--from=-", "--", path];
      const where = note ? [`--note=${path}`] : [...(category ? [`--category=${category}`] : []), ...inScope(scope)];
      return ["remember", ...where, ...tagged, "--", "-"];
    },
    input: ({ content }) => content,
    text: answers.written,
  });
  add(pi, command, {
    name: "memory_read",
    label: "Memory Read",
    description: "Read a note of the memory, or one entry by its ^id.",
    parameters: Type.Object({
      path: Type.String({ description: "e.g. topics/build.md, global:USER.md, ^8ab78744b837" }),
      offset: Type.Optional(Type.Integer({ minimum: 1, description: "The line to begin with" })),
      limit: Type.Optional(Type.Integer({ minimum: 1, description: "Most lines" })),
    }),
    words: ({ path }) => ["read", "--", plain(path)],
    text: ({ text }: answers.Text, { offset, limit }) => answers.lines(text, offset, limit),
  });
  add(pi, command, {
    name: "memory_edit",
    label: "Memory Edit",
    description: "Replace a passage of a note, or of an entry by its ^id.",
    parameters: Type.Object({
      path: Type.String(),
      oldText: Type.String({ description: "Must stand there once, to the letter" }),
      newText: Type.String({ description: "May be empty" }),
    }),
    words: ({ path, oldText, newText }) => ["edit", `--old=${oldText}`, `--new=${newText}`, "--", plain(path)],
    text: ({ at, changed }: answers.Edit) => `${changed ? "Memory file edited" : "Nothing to change"}: ${at}`,
  });
  add(pi, command, {
    name: "memory_search",
    label: "Memory Search",
    description: "Search all notes of the memory by words, or with grep by a regular expression.",
    parameters: Type.Object({
      query: optional('Words that must all be there; "…" stand together'),
      grep: optional("Regular expression"),
      rg: optional("The same as grep"),
      scope: Type.Optional(oneOf("project", "global", "all")),
    }),
    words: ({ query, grep, rg, scope }) => {
      const pattern = grep ?? rg;
      if (query === undefined && pattern === undefined) throw new Error("Give query or grep to search the memory.");
      const how = query === undefined ? ["--regex"] : [];
      return ["search", ...inScope(scope), ...how, "--", query ?? pattern ?? ""];
    },
    text: answers.hits,
    nothing: ({ query, grep, rg }) => `No results found for "${query ?? grep ?? rg}".`,
  });
  add(pi, command, {
    name: "memory_list",
    label: "Memory List",
    description: "List the notes of the project and the global ones, with what is found in each.",
    parameters: Type.Object({
      directory: optional("Only notes below it, e.g. topics"),
      scope: Type.Optional(oneOf("project", "global", "all")),
    }),
    words: ({ directory, scope }) => ["list", ...inScope(scope), ...(directory ? ["--", plain(directory)] : [])],
    text: answers.notes,
    nothing: ({ directory }) => `No memory files in ${directory ?? "view"}.`,
  });
  add(pi, command, {
    name: "memory_sync",
    label: "Memory Sync",
    description:
      "Show how the memory stands (status), or exchange it with its remote. Don't pull or push unless the user asks: " +
      "both happen by themselves.",
    parameters: Type.Object({ action: oneOf("pull", "push", "status") }),
    words: ({ action }) => [action],
    text: (data: answers.Status | answers.Exchange) =>
      "sent" in data ? answers.exchanged(data) : answers.standing(data),
  });
  add(pi, command, {
    name: "memory_check",
    label: "Memory Check",
    description: "Look through the notes for what isn't as it was meant: broken heads, conflicts, dead links.",
    parameters: Type.Object({}),
    words: () => ["check"],
    text: answers.findings,
  });
}

function add<Params extends TSchema, Data>(pi: ExtensionAPI, command: string, tool: Tool<Params, Data>): void {
  const { name, label, description, parameters } = tool;
  pi.registerTool({
    name,
    label,
    description,
    parameters,
    async execute(_id, params, signal, _onUpdate, ctx) {
      const [verb = "", ...rest] = tool.words(params);
      const ended = await ctxrepo(command, [verb, "--json", ...rest], ctx, tool.input?.(params), signal);
      const answer = answers.envelope<Data>(ended.out);
      const nothing = ended.code === NOT_FOUND ? tool.nothing?.(params) : undefined;
      const isError = !answer?.ok && nothing === undefined;
      const words = !answer
        ? failure(ended)
        : answer.ok && answer.data
          ? [tool.text(answer.data, params), notices(ended.err)].filter(Boolean).join("\n\n")
          : (nothing ?? answers.problem(answer.error));
      return { content: [{ type: "text", text: words }], details: answer?.data ?? null, isError };
    },
  });
}
