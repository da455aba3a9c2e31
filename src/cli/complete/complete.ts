// cli/complete/complete.ts: `headstart __complete`, which completion scripts call: what fits where the cursor is?
// Reads the table of verbs, the called verb's options and this machine; says nothing on stderr and always exits with 0.
import { Command } from 'commander';
import { declareOptions, type Program } from '../program.ts';
import type { CliDeps } from '../verb.ts';
import { type Decision, decideAtGroup, decideAtVerb, namedBy } from './decide.ts';
import { lookUp } from './look-up.ts';
import { placeOf } from './place.ts';
import { type Answer, readAsked, renderAnswer } from './shells.ts';

export async function complete(
  argv: readonly string[],
  program: Pick<Program, 'groups' | 'verbs' | 'translate'>,
  deps: Pick<CliDeps, 'stdout' | 'env' | 'nowUs'>,
): Promise<number> {
  const asked = readAsked(argv);
  if (!asked) return 0;
  try {
    const words = program.translate?.([...asked.words]) ?? asked.words;
    const found: Answer = asked.isRedirected
      ? { wanted: 'files', candidates: [], prefix: '' }
      : await answer(await decide(words, asked.current, program), asked.current, deps);
    deps.stdout(renderAnswer(found, asked));
  } catch {
    // The shell shows what is printed in the middle of the user's line.
  }
  return 0;
}

/** Loads the called verb and no other. */
async function decide(
  words: readonly string[],
  current: string,
  program: Pick<Program, 'groups' | 'verbs' | 'translate'>,
): Promise<Decision> {
  const named = namedBy(words, program);
  const entry = named.kind === 'verb' && !named.isHelp ? program.verbs[named.path] : undefined;
  if (!entry) return decideAtGroup(named, current, program);
  const command = new Command();
  declareOptions(command, (await entry.load()).verb);
  return decideAtVerb(placeOf(named.path, command), named.rest, current);
}

async function answer(
  { values, prefix, given }: Decision,
  current: string,
  deps: Pick<CliDeps, 'env' | 'nowUs'>,
): Promise<Answer> {
  if (values === 'files' || values === 'folders') return { wanted: values, candidates: [], prefix };
  const text = current.slice(prefix.length);
  const candidates =
    typeof values !== 'string' ? values : values === 'nothing' ? [] : await lookUp(values, given, text, deps);
  return { wanted: 'values', candidates, prefix };
}
