// prototype/run/pipeline.ts: the steps of a run, in order. Read this first.

import type { Step } from './step.ts';
import { awaitReady, restoreNode, restoreProtection, startDonor } from './steps/bring-home.ts';
import { discardSnapshot } from './steps/discard-snapshot.ts';
import { cordon, drain } from './steps/drain-donor.ts';
import { ensureDefinition } from './steps/ensure-definition.ts';
import { guardNode, protectInstance } from './steps/guard-donor.ts';
import { awaitVersion, beginVersion, includeVersion } from './steps/publish-version.ts';
import { recordPrior } from './steps/record-prior.ts';
import { saveModel } from './steps/save-model.ts';
import { sealDonor } from './steps/seal-donor.ts';
import { stopDonor } from './steps/stop-donor.ts';
import { switchModel } from './steps/switch-model.ts';
import { awaitSnapshot, takeSnapshot } from './steps/take-snapshot.ts';
import { deleteSnapshot, pruneVersions } from './steps/tidy.ts';

/** Nothing is taken out of service yet. */
export const PREPARE: readonly Step[] = [saveModel, ensureDefinition, discardSnapshot];

/** The donor is out of service from here … */
export const CAPTURE: readonly Step[] = [
  recordPrior,
  guardNode,
  protectInstance,
  cordon,
  drain,
  sealDonor,
  stopDonor,
  takeSnapshot,
  awaitSnapshot,
];

/** … to here. First in every failure and every resume. */
export const HOME: readonly Step[] = [startDonor, awaitReady, restoreProtection, restoreNode];

/** The canary comes between `await-version` and `switch-model`. */
export const PUBLISH: readonly Step[] = [beginVersion, awaitVersion, switchModel, includeVersion];

export const TIDY: readonly Step[] = [pruneVersions, deleteSnapshot];

export const PIPELINE: readonly Step[] = [...PREPARE, ...CAPTURE, ...HOME, ...PUBLISH, ...TIDY];
