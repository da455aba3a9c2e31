// e2e/labs/qemu-victim.ts: one operation on the pools by a process that kills itself (-9) in the middle: `node qemu-victim.ts HOME ORDER MOMENT`.
import { type RunCommand, runCommand } from '../../src/base/command.ts';
import { emptyProvider } from './qemu-lab.ts';

const [home = '', order = '', moment = ''] = process.argv.slice(2);

/** `3`: when the third tool is called · `3+`: after it has ended, before its result is used. */
const dieAt = Number.parseInt(moment, 10);
let calls = 0;
const run: RunCommand = async (argv, options) => {
  const isTheOne = ++calls === dieAt;
  if (isTheOne && !moment.endsWith('+')) process.kill(process.pid, 'SIGKILL');
  const ran = await runCommand(argv, options);
  if (isTheOne) process.kill(process.pid, 'SIGKILL');
  return ran;
};

const provider = emptyProvider(home, run);
const pool = { id: 'pools/web', name: 'web' };
process.stdout.write('begun\n');
if (order === 'scale') await provider.pools.setCapacity(pool, 3);
else {
  const definition = (await provider.gallery.readDefinition('g', 'd'))!;
  const terms = { replicas: 1, redundancy: 'local', isExcludedFromLatest: false, tags: {} } as const;
  await provider.gallery.beginVersion({
    definition,
    name: '1.0.0',
    snapshotId: 'snapshots/snap',
    region: 'local',
    ...terms,
  });
}
