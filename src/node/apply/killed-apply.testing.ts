// node/apply/killed-apply.testing.ts: a process that applies a document to a folder and kills itself with SIGKILL at
// the given write or command. Arguments: the folder, the number of that write or command, and the configuration as
// JSON.
import { watchedDisk } from './disks.testing.ts';
import { assignmentOf, NodeFolder } from './node-folder.testing.ts';
import { openNodeStore } from './store.ts';

const [folder = '', at = '', config = ''] = process.argv.slice(2);
let count = 0;
const act = () => {
  if (++count === Number(at)) process.kill(process.pid, 'SIGKILL');
};

const node = new NodeFolder(folder);
const deps = node.deps(watchedDisk(node.disk(), act));
const { run } = deps;
const outcome = await openNodeStore({
  ...deps,
  run: (argv, options) => {
    act();
    return run(argv, options);
  },
}).apply(assignmentOf(JSON.parse(config)), { isOrdered: true });
console.log(`${outcome.kind} after ${count}`);
