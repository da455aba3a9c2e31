// cli/image/open-lock.ts: opens a lock by its file, or by the folder of a build that contains it.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { ImageLock } from '../../image/lock/lock.ts';
import { readLock } from '../../image/lock/read-lock.ts';

const NEXT = 'name a lock from `headstart image lock`, or a folder from `headstart image build`';

export function openLock(named: string): ImageLock {
  const isFolder = statSync(named, { throwIfNoEntry: false })?.isDirectory() ?? false;
  return readLock(isFolder ? join(named, 'lock.json') : named, NEXT);
}
