// A tool for the model: one command of ctxrepo, which answers in JSON, and the words for what it answers.
import { type ExtensionAPI, type ExtensionContext, truncateHead } from "@earendil-works/pi-coding-agent";
import { type Static, type TProperties, type TSchema, Type } from "typebox";
import * as answers from "./answers.ts";
import { ctxrepo, failure, notices, type ProcessResult } from "./program.ts";

/** A tool: the command that it runs, and what its answer is in words. */
export interface Tool<Params extends TSchema, Data> {
  name: string;
  label: string;
  description: string;
  parameters: Params;
  /** The command with its arguments; an Error tells the model what is wrong with the parameters. */
  args(params: Static<Params>, ctx: ExtensionContext): string[];
  input?(params: Static<Params>): string;
  text(data: Data, params: Static<Params>): string;
  /** What to say where nothing was found, which is no error; `why` is what ctxrepo says. */
  nothing?(params: Static<Params>, why: string): string;
}

/** The exit code of ctxrepo where there is nothing to find. */
const NOT_FOUND = 3;

export const optional = (description: string) => Type.Optional(Type.String({ description }));
/** Parameters of these names and no others: a model that means another one is told, and its words aren't dropped. */
export const only = <Properties extends TProperties>(properties: Properties) =>
  Type.Object(properties, { additionalProperties: false });
export const oneOf = <Word extends string>(...words: Word[]) => Type.Union(words.map((word) => Type.Literal(word)));

/** Adds a tool, unless another extension has one of its name. */
export type AddTool = <Params extends TSchema, Data>(tool: Tool<Params, Data>) => void;

/** What adds tools from now on, of which `command` runs ctxrepo. Two of one name that are there when pi loads its
 * extensions keep it from starting, so tools are added when a session starts. */
export function toolAdder(pi: ExtensionAPI, command: string): AddTool {
  const taken = new Set(pi.getAllTools().map(({ name }) => name));
  return (tool) => {
    if (!taken.has(tool.name)) add(pi, command, tool);
  };
}

function add<Params extends TSchema, Data>(
  pi: ExtensionAPI, command: string, tool: Tool<Params, Data>,
): void {
  const { name, label, description, parameters } = tool;
  pi.registerTool({
    name,
    label,
    description,
    parameters,
    async execute(_id, params, signal, _onUpdate, ctx) {
      const words = tool.args(params, ctx);
      const end = words.includes("--") ? words.indexOf("--") : words.length;
      const line = words.toSpliced(end, 0, "--json");
      const result = await ctxrepo(command, line, ctx, tool.input?.(params), signal);
      const [text, isError] = said(tool, params, result);
      return { content: [{ type: "text", text: truncated(text) }], details: { exitCode: result.code }, isError };
    },
  });
}

/** What a tool says to the model, and whether that is an error. */
function said<Params extends TSchema, Data>(
  tool: Tool<Params, Data>, params: Static<Params>, result: ProcessResult,
): [string, boolean] {
  const answer = answers.envelope<Data>(result.out);
  if (!answer) return [result.out || failure(result), true];
  if (answer.ok && answer.data) {
    return [[tool.text(answer.data, params), notices(result.err)].filter(Boolean).join("\n\n"), false];
  }
  const why = answers.problem(answer.error);
  return result.code === NOT_FOUND && tool.nothing ? [tool.nothing(params, why), false] : [why, true];
}

/** As much of a text as pi lets a tool say, and that there is more. */
function truncated(text: string): string {
  const head = truncateHead(text);
  const left = `\n\n[${head.outputLines} of ${head.totalLines} lines; ask for less, or for lines further down]`;
  return head.truncated ? head.content + left : text;
}
