// cli/complete/command-syntax.ts: which options and arguments does a verb take, and which values does each accept?
import type { Argument, Command, Option } from 'commander';
import { type ValueKind, valueKindOf } from './value-kinds.ts';

export interface CompletionCandidate {
  value: string;
  summary?: string;
  /** The value is incomplete: the shell adds no blank after it. */
  isPart?: boolean;
}

/** A kind whose values look-up.ts reads, or the values themselves. */
export type CompletionValues = ValueKind | readonly CompletionCandidate[];

export interface CommandSyntax {
  path: string;
  options: readonly OptionSyntax[];
  args: readonly ArgumentSyntax[];
}

export interface OptionSyntax {
  short?: string;
  long?: string;
  summary: string;
  /** optional: the next word is the value unless it starts with a dash. */
  takes: 'nothing' | 'value' | 'optional';
  /** The option takes all words up to the next one that starts with a dash. */
  isVariadic?: boolean;
  isRepeatable?: boolean;
  isHidden?: boolean;
  values: CompletionValues;
}

export interface ArgumentSyntax {
  name: string;
  isVariadic?: boolean;
  values: CompletionValues;
}

export const HELP_OPTION: OptionSyntax = {
  short: '-h',
  long: '--help',
  summary: 'print the help',
  takes: 'nothing',
  values: 'nothing',
};

export const VERSION_OPTION: OptionSyntax = {
  short: '-V',
  long: '--version',
  summary: 'print the version',
  takes: 'nothing',
  values: 'nothing',
};

export function syntaxOf(path: string, command: Command): CommandSyntax {
  return {
    path,
    options: [...command.options.map((option) => optionOf(path, option)), HELP_OPTION],
    args: command.registeredArguments.map((argument) => argumentOf(path, argument)),
  };
}

function optionOf(path: string, option: Option): OptionSyntax {
  const placeholder = /[<[](.+)[>\]]/.exec(option.flags)?.[1] ?? '';
  return {
    ...(option.short !== undefined && { short: option.short }),
    ...(option.long !== undefined && { long: option.long }),
    summary: option.description,
    takes: option.required ? 'value' : option.optional ? 'optional' : 'nothing',
    isVariadic: option.variadic,
    isRepeatable: isRepeatable(option),
    isHidden: option.hidden,
    values: valuesOf(path, { name: option.long ?? option.short ?? '', placeholder, choices: option.argChoices }),
  };
}

function argumentOf(path: string, argument: Argument): ArgumentSyntax {
  const name = argument.name();
  return {
    name,
    isVariadic: argument.variadic,
    values: valuesOf(path, { name, placeholder: name, choices: argument.argChoices }),
  };
}

function valuesOf(
  path: string,
  { name, placeholder, choices }: { name: string; placeholder: string; choices: readonly string[] | undefined },
): CompletionValues {
  const kind = valueKindOf(path, name, placeholder);
  return kind.isNamed || !choices ? kind.kind : choices.map((value) => ({ value }));
}

/** The parser returns a list, or the description contains "repeat". */
function isRepeatable({ variadic, defaultValue, parseArg, description }: Option): boolean {
  if (variadic || Array.isArray(defaultValue) || /\brepeat/.test(description)) return true;
  try {
    return Array.isArray(parseArg?.('', undefined));
  } catch {
    return false; // a parser that rejects empty text reads one value
  }
}
