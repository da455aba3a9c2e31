// prototype/run/steps/record-prior.ts: record the donor's state on the node and the instance before anything changes.
import { DONOR_TAG } from '../../names.ts';
import { donorMark, priorOf, readDonorMark, readPrior, recordChange } from '../prior.ts';
import { needsCapture } from '../scene.ts';
import type { Step } from '../step.ts';

export const recordPrior: Step = {
  id: 'record-prior',
  title: "record the donor's state",
  usuallyMs: 2000,
  isNeeded: needsCapture,
  isDone: ({ world, run }) =>
    readPrior(world.node)?.run === run.id && readDonorMark(world.donor?.tags[DONOR_TAG])?.run === run.id,
  apply: async ({ world, run }, { cluster, pools, signal }) => {
    const known = readPrior(world.node);
    // The annotation goes with a Node object that is deleted; the tag still has the protection from before the run.
    const mark = readDonorMark(world.donor!.tags[DONOR_TAG]);
    const found = mark?.run === run.id ? { ...world.donor!, protection: mark.protection } : world.donor!;
    const prior = known?.run === run.id ? known : priorOf(world.node!, found, run.id);
    if (prior !== known) await cluster.changeNode(world.node!, recordChange(prior), signal);
    await pools.tagInstance(world.donor!.ref, { [DONOR_TAG]: donorMark(prior) }, { signal });
  },
};
