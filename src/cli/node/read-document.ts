// cli/node/read-document.ts: reads the document that the command line names, without validating it.
import { UserError } from '../../base/errors.ts';
import { parseText } from '../../node/document/parse-text.ts';
import type { Problem } from '../../node/document/problem.ts';
import { MAX_TEXT_BYTES, unwrap } from '../../node/document/unwrap.ts';
import { readPlainFile } from '../../node/observe/plain-file.ts';
import { isObject, type JsonObject } from '../../schema/json.ts';
import { renderProblem } from '../../schema/problem.ts';
import type { CliDeps } from '../verb.ts';

/** `-` is standard input. `next`: the hint if the file does not exist. */
export function readBytes(
  path: string,
  deps: CliDeps,
  next = 'name a NodeConfig, or - for standard input',
): Uint8Array {
  if (path === '-') return deps.readStdin();
  const bytes = read(path);
  if (bytes !== undefined) return bytes;
  throw new UserError(`${path} does not exist`, {
    code: 'node/no-document',
    next,
  });
}

/** For verbs that change a document and do not check it. */
export async function readObject(path: string, deps: CliDeps): Promise<JsonObject> {
  const unwrapped = unwrap(readBytes(path, deps), MAX_TEXT_BYTES);
  if ('problem' in unwrapped) throw unusable(path, unwrapped.problem);
  const parsed = await parseText(unwrapped.text);
  if ('problem' in parsed) throw unusable(path, parsed.problem);
  if (isObject(parsed.value)) return parsed.value;
  throw unusable(path, { reason: 'config/not-a-node-config', path: '', message: 'is not a NodeConfig' });
}

export function unusable(path: string, problem: Problem): UserError {
  return new UserError(`${path}: ${renderProblem(problem)}`, {
    code: problem.reason,
    next: `headstart node check ${path}`,
  });
}

function read(path: string): Uint8Array | undefined {
  try {
    return readPlainFile(path, MAX_TEXT_BYTES);
  } catch (cause) {
    throw new UserError((cause as Error).message, {
      code: 'node/document-unreadable',
      next: 'name a plain file of at most 1 MiB, or - for standard input',
      cause,
    });
  }
}
