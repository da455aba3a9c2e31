// cli/cluster/up.ts: `headstart cluster up`: a Kubernetes control plane on this machine, which stays when the command has ended.
import { UserError } from '../../base/errors.ts';
import { shellWord } from '../../base/shell-word.ts';
import type { Program } from '../../cluster/local/build-program.ts';
import { type ClusterPlace, readRecord } from '../../cluster/local/cluster-files.ts';
import { readGivenPrograms } from '../../cluster/local/given-programs.ts';
import { lookForUp } from '../../cluster/local/look-at-plane.ts';
import { describeStep, planUp } from '../../cluster/local/plan-up.ts';
import {
  BUILT_VERSION,
  checkVersion,
  ensurePrograms,
  missingPrograms,
  PLANE_PROGRAMS,
  programsFolder,
} from '../../cluster/local/programs.ts';
import { KUBE_SERVERS } from '../../cluster/local/server-flags.ts';
import { upPlane } from '../../cluster/local/standing-plane.ts';
import { checkUpgrade } from '../../cluster/local/upgrade.ts';
import { type ClusterOptions, type OpenPlane, openPlane, placeOf, withClusterOptions } from '../compose/open-plane.ts';
import { printJsonLine } from '../output/json.ts';
import { screenOf } from '../output/screen.ts';
import { wholeNumber } from '../pool/arguments.ts';
import { orInterrupted, tellStory } from '../pool/story.ts';
import type { Verb } from '../verb.ts';
import { tellPlan } from './plan.ts';
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
          `the version of a new cluster, or to upgrade to; default: ${BUILT_VERSION}, built once with Go`,
        )
        .option('--programs <DIR>', 'a folder with etcd and the Kubernetes binaries; default: build them')
        .option(
          '--port <PORT>',
          'the port of the API server on 127.0.0.1; default: a free one, the same at every start',
          wholeNumber(1024, 65_535),
        )
        .option('--dry-run', 'print what would be done, and do nothing'),
    async run(_args, options: Options, edges) {
      const place = placeOf(options, edges.env);
      const opened = open(edges);
      const chosen = await choosePrograms(place, options, opened.programs);
      if (options.dryRun) {
        const steps = planUp(await lookForUp(place, settingsOf(chosen, options), opened.plane));
        const building = chosen.missing.map((name) => `build ${name} ${chosen.version} with Go, which takes minutes`);
        return tellPlan(edges, place.name, [...building, ...steps.map(describeStep)], options);
      }

      const signal = edges.signal();
      const story = tellStory(edges, options, (event) => printJsonLine(edges, 'ClusterEvent', event));
      story.step(`bringing cluster ${place.name} up, Kubernetes ${chosen.version}`);
      const call = { signal, onWaiting: story.waiting };
      const kept = `What this command started was stopped; data, certificates and built programs stay.`;
      const next = `headstart cluster up --name ${place.name}`;
      const steps = await orInterrupted(signal, { kept, next, code: 'cluster/interrupted' }, async () => {
        if (chosen.missing.length > 0) await ensurePrograms(chosen.missing, chosen.version, opened.programs, call);
        return upPlane(place, settingsOf(chosen, options), opened.plane, {
          ...call,
          onStep: (step) => story.step(describeStep(step)),
        });
      });
      story.end();
      const view = await readClusterView(place, opened, signal);
      if (options.json) return printJsonLine(edges, 'Cluster', view);
      if (steps.length === 0) edges.stderr('it was up already; nothing was changed\n');
      edges.stdout(renderCluster(view, edges.nowUs() / 1000, screenOf(edges)));
      edges.stderr(`next:  export KUBECONFIG=${shellWord(view.kubeconfig)}\n`);
    },
  };
}

interface Chosen {
  version: string;
  folder: string;
  /** To be built first. */
  missing: Program[];
}

const settingsOf = ({ version, folder }: Chosen, { port }: Options) => ({
  kubernetes: version,
  programs: folder,
  apiPort: port,
});

/** A cluster that is there keeps its version unless told, and the folder its programs came from as long as they are in it. */
async function choosePrograms(
  place: ClusterPlace,
  { kubernetes, programs }: Options,
  { cache, run }: ReturnType<OpenPlane>['programs'],
): Promise<Chosen> {
  const asked = kubernetes === undefined ? undefined : checkVersion(kubernetes);
  const known = readRecord(place);
  const given = programs === undefined ? undefined : await readGivenPrograms(programs, run);
  const version = given?.version ?? asked ?? known?.kubernetes ?? BUILT_VERSION;
  if (asked !== undefined && asked !== version) {
    throw new UserError(`the programs in ${given?.folder} are of Kubernetes ${version}, not ${asked}`, {
      code: 'cluster/other-version',
      kept: 'Nothing was started.',
      next: 'leave out --kubernetes, or give another folder',
    });
  }
  // Asked again when the cluster is locked; here, so that nothing is built for nothing.
  if (known) checkUpgrade(place.name, known.kubernetes, version);
  if (given) return { version, folder: given.folder, missing: [] };
  if (known?.kubernetes === version && missingPrograms(known.programs, KUBE_SERVERS).length === 0)
    return { version, folder: known.programs, missing: [] };
  const folder = programsFolder(cache, version);
  return { version, folder, missing: missingPrograms(folder, PLANE_PROGRAMS) };
}
