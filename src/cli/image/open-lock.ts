// cli/image/open-lock.ts: a lock by what people name: the file, or the folder of a build that carries its own.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { ImageLock } from '../../image/lock/lock.ts';
import { readLock } from '../../image/lock/read-lock.ts';

const NEXT = 'name a lock that `headstart image lock` wrote, or a folder that `headstart image build` made';

export function openLock(named: string): ImageLock {
  const isFolder = statSync(named, { throwIfNoEntry: false })?.isDirectory() ?? false;
  return readLock(isFolder ? join(named, 'lock.json') : named, NEXT);
}
