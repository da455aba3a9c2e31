// cli/complete/contexts.ts: which contexts does the kubeconfig of a verb have? Reads the files only; calls no server.
import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { parse } from 'yaml';
import type { CompletionCandidate } from './command-syntax.ts';

/** The files kubectl would read. */
export function kubeconfigFiles(
  named: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): string[] {
  if (named !== undefined) return [named];
  if (env.KUBECONFIG) return env.KUBECONFIG.split(delimiter).filter(Boolean);
  return env.HOME ? [join(env.HOME, '.kube', 'config')] : [];
}

export function contexts(files: readonly string[]): CompletionCandidate[] {
  const found = files.flatMap(contextsIn);
  return [...new Map(found.map((candidate) => [candidate.value, candidate])).values()];
}

function contextsIn(file: string): CompletionCandidate[] {
  try {
    const config = parse(readFileSync(file, 'utf8')) as {
      contexts?: { name?: unknown; context?: { cluster?: unknown } }[];
    };
    return (config.contexts ?? []).flatMap(({ name, context }) =>
      typeof name === 'string' && name !== ''
        ? [{ value: name, ...(typeof context?.cluster === 'string' && { summary: `cluster ${context.cluster}` }) }]
        : [],
    );
  } catch {
    return [];
  }
}
