// cluster/local/programs/given-programs.ts: checks a folder of programs that the user names: are they complete, and which version are they?
import { join, resolve } from 'node:path';
import type { RunCommand } from '../../../base/command.ts';
import { UserError } from '../../../base/errors.ts';
import { KUBE_SERVERS } from '../server-flags.ts';
import { checkVersion, missingPrograms } from './programs.ts';

export interface GivenPrograms {
  folder: string;
  version: string;
}

const ANSWER_MS = 30_000;

export async function readGivenPrograms(given: string, run: RunCommand): Promise<GivenPrograms> {
  const folder = resolve(given);
  const missing = missingPrograms(folder, KUBE_SERVERS);
  if (missing.length > 0) throw unusable(`${folder} has no executable ${missing.join(', ')}`);
  const ran = await run([join(folder, 'kube-apiserver'), '--version'], { timeoutMs: ANSWER_MS });
  const [, version] = /^Kubernetes (v1\.\d+\.\d+)/.exec(ran.stdout.toString()) ?? [];
  if (version === undefined) throw unusable(`${folder}/kube-apiserver does not report its version`);
  return { folder, version: checkVersion(version) };
}

function unusable(message: string): UserError {
  return new UserError(message, {
    code: 'cluster/no-programs',
    kept: 'Nothing was started.',
    next: `give a folder with ${KUBE_SERVERS.join(', ')}, or leave out --programs`,
  });
}
