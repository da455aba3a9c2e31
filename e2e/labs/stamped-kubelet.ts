// e2e/labs/stamped-kubelet.ts: a kubelet that reports another patch version, so that images differ by it. Kept apart from
// the product's programs, whose versions are real.

import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { CallOptions } from '../../src/base/call-options.ts';
import { buildProgram, type ProgramBuildDeps } from '../../src/cluster/local/programs/build-program.ts';
import { checkVersion, programLock } from '../../src/cluster/local/programs/programs.ts';
import { withLock } from '../../src/host/locks.ts';

/** Its path. */
export async function ensureStampedKubelet(
  version: string,
  { cache, ...deps }: ProgramBuildDeps & { cache: string },
  call: CallOptions,
): Promise<string> {
  const stamp = checkVersion(version);
  const folder = join(cache, 'stamped', stamp);
  const target = join(folder, 'kubelet');
  mkdirSync(folder, { recursive: true });
  await withLock(cache, { name: programLock(stamp, 'stamped-kubelet'), why: 'building a kubelet' }, call, async () => {
    if (existsSync(target)) return;
    const temporary = mkdtempSync(join(folder, '.partial-'));
    try {
      await buildProgram({ name: 'kubelet', version: stamp, output: join(temporary, 'kubelet') }, deps, call);
      renameSync(join(temporary, 'kubelet'), target);
    } finally {
      rmSync(temporary, { recursive: true, force: true });
    }
  });
  return target;
}
