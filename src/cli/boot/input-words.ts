// cli/boot/input-words.ts: which words after a boot verb are inputs, and which name a unit or milestone?
import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { UserError } from '../../base/errors.ts';
import { MILESTONE_NAMES } from '../../boot/model/record.ts';
import { addInput, appendValue, type InputKey } from './read-boot.ts';

const UNIT_NAME = /^[^/]+\.(?:service|socket|target|device|mount|automount|swap|path|timer|slice|scope)$/;
const MILESTONES: ReadonlySet<string> = new Set(MILESTONE_NAMES);

/**
 * An existing file or folder and `-` are inputs, the rest are names. The name of a unit or milestone is never an input, even if a
 * file has it: the answer must not depend on the files in the current folder. `./NAME` is the file.
 */
export function splitInputs<Options extends { input?: string[] }>(
  words: readonly string[],
  options: Options,
): { names: string[]; options: Options } {
  const names = words.filter((word) => !isInput(word));
  const inputs = words.filter(isInput);
  const missing = names.find(looksLikePath);
  if (missing !== undefined) {
    throw new UserError(`cannot read ${missing}: no such file, and it is not the name of a unit or milestone`, {
      code: 'boot/input-unreadable',
      next: 'pass an existing file or folder, or `-` for standard input',
    });
  }
  if (inputs.length === 0) return { names, options };
  return { names, options: { ...options, input: inputs.reduce((all, one) => appendValue(one, all), options.input) } };
}

/** For an option whose value can be omitted: `--scan FILE` means `--scan` and a file. */
export function valueOrInput(command: Command, key: InputKey = 'input'): (word: string) => string | true {
  return (word) => {
    if (/^v?\d/.test(word) || !(existsSync(word) || looksLikePath(word))) return word;
    addInput(command, word, key);
    return true;
  };
}

function isInput(word: string): boolean {
  return word === '-' || (!isName(word) && existsSync(word));
}

function isName(word: string): boolean {
  return UNIT_NAME.test(word) || MILESTONES.has(word);
}

/** No unit and no milestone has a slash, and a dot only before its type. Globs of units may have both. */
function looksLikePath(word: string): boolean {
  return !isName(word) && /[/.]/.test(word) && !/[*?[]/.test(word);
}

/** For the error about an unknown name: there may be a file of that name, or none. */
export function fileHint(name: string): string {
  if (name === '') return '';
  return existsSync(name) ? `; ./${name} is the file of that name` : ', and there is no such file';
}
