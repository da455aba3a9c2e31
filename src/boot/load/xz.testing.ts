// boot/load/xz.testing.ts: can this machine unpack xz? Tests that need it are skipped loudly otherwise.
import { spawnSync } from 'node:child_process';

export const hasXz = spawnSync('xz', ['--version']).status === 0;
if (!hasXz) console.warn('skipped: tests that unpack xz, because the program xz is not installed');
