// container/copy-host-file.ts: how does a program that is not root read a file that only root may read? The chart's init container runs
// `copy-host-file FROM TO` as root before it. The copy is readable by the group of its folder, which is the program's group.
import { chmodSync, copyFileSync, rmSync } from 'node:fs';

const [from, to] = process.argv.slice(2);
if (from === undefined || to === undefined) {
  process.stderr.write('usage: copy-host-file FROM TO\n');
  process.exit(2);
}
// On a second run the copy exists, and root without capabilities cannot open it for writing.
rmSync(to, { force: true });
copyFileSync(from, to);
chmodSync(to, 0o440);
