// cli/node/run.ts: `headstart node run`: the daemon. It logs its first line before it loads heavy modules.
import { readFileSync } from 'node:fs';
import { journalLog } from '../../node/status/log.ts';
import { recordSteps } from '../../node/status/steps-file.ts';
import { printJsonLine } from '../output/json.ts';
import type { Verb } from '../verb.ts';
import type { NodeOptions } from './this-node.ts';

interface Options extends NodeOptions {
  waitFor?: string;
  wireServer?: string;
}

export const verb: Verb = {
  examples: [
    'node run',
    'node run --platform azure --metadata-url http://127.0.0.1:8169 --root /tmp/node',
    'node run --file /etc/headstart/node-config.yaml --json',
  ],
  notes:
    'SIGHUP: read the document again now. SIGTERM: finish the current change, then exit.\n' +
    'The document can also be in /etc/headstart/node-config.yaml.',
  configure(command) {
    command
      .option('--file <FILE>', 'read the document from this file instead of the instance metadata')
      .option('--root <FOLDER>', 'use this folder as the root of the node, for tests', '/')
      .option('--platform <NAME>', 'azure or ec2; default: detected from the firmware')
      .option('--metadata-url <URL>', "the metadata service; default: the platform's own address")
      .option('--wire-server <URL>', "where to report that the node is up; default: Azure's own address")
      .option('--wait-for <FILE>', 'prepare everything, but change nothing until this file exists')
      .option('--json', 'print the status as one JSON document per line, whenever it changes');
  },
  async run(_args, options: Options, deps) {
    const log = journalLog({ write: deps.stderr, env: deps.env });
    log('info', 'headstart node starts', { pid: process.pid });
    const monotonicUs = () => Number(process.hrtime.bigint() / 1000n);
    const steps = recordSteps({ monotonicUs, wallUs: deps.nowUs, bootId: bootId() });
    const [loggedUs, sinceStartUs] = [monotonicUs(), Math.round(performance.now() * 1000)];
    steps.add({ name: 'start', startUs: loggedUs - sinceStartUs, tookUs: sinceStartUs, isOk: true });

    // Installed before the first await: a signal must not kill a daemon that is still loading.
    let onHangUp = () => {};
    deps.onHangUp?.(() => onHangUp());
    const signal = deps.signal();
    const [{ serveNode }, { sourceOptions }] = await Promise.all([
      import('../../node/daemon/serve.ts'),
      import('./this-node.ts'),
    ]);
    steps.since('load', loggedUs);
    await serveNode(
      {
        ...sourceOptions(options),
        waitFor: options.waitFor,
        wireServer: options.wireServer,
        env: deps.env,
        log,
        steps,
        onHangUp: (listener) => {
          onHangUp = listener;
        },
        onStatus: (status) => {
          if (options.json) printJsonLine(deps, 'NodeStatus', status);
        },
      },
      signal,
    );
    log('info', 'headstart node ends');
  },
};

/** Read from the machine even with --root, because the clock is the machine's. */
function bootId(): string | undefined {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return undefined; // not on Linux
  }
}
