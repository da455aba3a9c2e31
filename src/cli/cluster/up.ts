// cli/cluster/up.ts: `headstart cluster up`: starts a Kubernetes control plane on this machine, which keeps running after the command.
import { shellWord } from '../../base/shell-word.ts';
import { upPlane } from '../../cluster/local/control-plane.ts';
import { describeStep, planUp } from '../../cluster/local/plan-up.ts';
import { type ChosenPrograms, choosePrograms } from '../../cluster/local/programs/choose-programs.ts';
import { BUILT_VERSION, ensurePrograms } from '../../cluster/local/programs/programs.ts';
import { readPlaneState } from '../../cluster/local/read-plane.ts';
import {
  type ClusterOptions,
  clusterPlace,
  type OpenPlane,
  openPlane,
  withClusterOptions,
} from '../compose/open-plane.ts';
import { orInterrupted } from '../or-interrupted.ts';
import { printJsonLine } from '../output/json.ts';
import { showProgress } from '../output/progress.ts';
import { screenOf } from '../output/screen.ts';
import { wholeNumber } from '../pool/arguments.ts';
import type { Verb } from '../verb.ts';
import { printClusterPlan } from './plan.ts';
import { readClusterView, renderCluster } from './view.ts';

interface Options extends ClusterOptions {
  kubernetes?: string;
  programs?: string;
  port?: number;
  dryRun?: boolean;
}

export const verb = clusterUp(openPlane);

export function clusterUp(open: OpenPlane): Verb {
  return {
    examples: ['cluster up', 'cluster up --name lab --programs /opt/kubernetes/bin'],
    configure: (command) =>
      withClusterOptions(command)
        .option(
          '--kubernetes <VERSION>',
          `the Kubernetes version to create or upgrade to; default: ${BUILT_VERSION}, built once with Go`,
        )
        .option('--programs <DIR>', 'a folder with etcd and the Kubernetes binaries; default: build them')
        .option(
          '--port <PORT>',
          'the port of the API server on 127.0.0.1; default: a free port, which the cluster then keeps',
          wholeNumber(1024, 65_535),
        )
        .option('--dry-run', 'print what would be done, and do nothing'),
    async run(_args, options: Options, deps) {
      const place = clusterPlace(options, deps.env);
      const opened = open(deps);
      const chosen = await choosePrograms(place, options, opened.programs);
      if (options.dryRun) {
        const steps = planUp(await readPlaneState(place, settingsOf(chosen, options), opened.plane));
        const building = chosen.missing.map((name) => `build ${name} ${chosen.version} with Go, which takes minutes`);
        return printClusterPlan(deps, place.name, [...building, ...steps.map(describeStep)], options);
      }

      const signal = deps.signal();
      const progress = showProgress(deps, 'ClusterEvent', options);
      progress.step(`starting cluster ${place.name}, Kubernetes ${chosen.version}`);
      const call = { signal, onWaiting: progress.waiting };
      const kept = `The programs that this command started were stopped; data, certificates and built programs stay.`;
      const next = `headstart cluster up --name ${place.name}`;
      const steps = await orInterrupted(signal, { kept, next, code: 'cluster/interrupted' }, async () => {
        if (chosen.missing.length > 0) await ensurePrograms(chosen.missing, chosen.version, opened.programs, call);
        return upPlane(place, settingsOf(chosen, options), opened.plane, {
          ...call,
          onStep: (step) => progress.step(describeStep(step)),
        });
      });
      progress.end();
      const view = await readClusterView(place, opened, signal);
      if (options.json) return printJsonLine(deps, 'Cluster', view);
      if (steps.length === 0) deps.stderr('already up; nothing was changed\n');
      deps.stdout(renderCluster(view, deps.nowUs() / 1000, screenOf(deps)));
      deps.stderr(`next:  export KUBECONFIG=${shellWord(view.kubeconfig)}\n`);
    },
  };
}

const settingsOf = ({ version, folder }: ChosenPrograms, { port }: Options) => ({
  kubernetes: version,
  programs: folder,
  apiPort: port,
});
