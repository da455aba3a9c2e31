// cli/complete/complete.ts: `headstart __complete`, which completion scripts call: which values fit at the cursor?
// Reads the table of verbs, the called verb's options and this machine. Prints nothing on stderr and always exits with 0.
import { Command } from 'commander';
import { type CliProgram, declareOptions } from '../program.ts';
import type { CliDeps } from '../verb.ts';
import { syntaxOf } from './command-syntax.ts';
import { type CompletionDecision, decideAtGroup, decideAtVerb, findCommand } from './decide.ts';
import { lookUp } from './look-up.ts';
import { type CompletionReply, parseCompletionRequest, renderCompletionReply } from './shells.ts';

export async function complete(
  argv: readonly string[],
  program: Pick<CliProgram, 'groups' | 'verbs' | 'translate'>,
  deps: Pick<CliDeps, 'stdout' | 'env' | 'nowUs'>,
): Promise<number> {
  const request = parseCompletionRequest(argv);
  if (!request) return 0;
  try {
    const words = program.translate?.([...request.words]) ?? request.words;
    const found: CompletionReply = request.isRedirected
      ? { wanted: 'files', candidates: [], prefix: '' }
      : await answer(await decide(words, request.current, program), request.current, deps);
    deps.stdout(renderCompletionReply(found, request));
  } catch {
    // The shell would show an error in the middle of the user's line.
  }
  return 0;
}

/** Loads only the called verb. */
async function decide(
  words: readonly string[],
  current: string,
  program: Pick<CliProgram, 'groups' | 'verbs' | 'translate'>,
): Promise<CompletionDecision> {
  const named = findCommand(words, program);
  const entry = named.kind === 'verb' && !named.isHelp ? program.verbs[named.path] : undefined;
  if (!entry) return decideAtGroup(named, current, program);
  const command = new Command();
  declareOptions(command, (await entry.load()).verb);
  return decideAtVerb(syntaxOf(named.path, command), named.rest, current);
}

async function answer(
  { values, prefix, given }: CompletionDecision,
  current: string,
  deps: Pick<CliDeps, 'env' | 'nowUs'>,
): Promise<CompletionReply> {
  if (values === 'files' || values === 'folders') return { wanted: values, candidates: [], prefix };
  const text = current.slice(prefix.length);
  const candidates =
    typeof values !== 'string' ? values : values === 'nothing' ? [] : await lookUp(values, given, text, deps);
  return { wanted: 'values', candidates, prefix };
}
