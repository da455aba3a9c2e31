// container/copy-host-file.ts: how does a program that is not root get at a file that only root may read? Run as root, before it, in the
// chart's init container: `copy-host-file FROM TO` leaves a copy that the group of its folder (the program's own) can read.
import { chmodSync, copyFileSync, rmSync } from 'node:fs';

const [from, to] = process.argv.slice(2);
if (from === undefined || to === undefined) {
  process.stderr.write('usage: copy-host-file FROM TO\n');
  process.exit(2);
}
// A second run finds the first one's copy, which a root without capabilities could not open for writing.
rmSync(to, { force: true });
copyFileSync(from, to);
chmodSync(to, 0o440);
