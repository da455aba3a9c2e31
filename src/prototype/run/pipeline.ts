// prototype/run/pipeline.ts: the steps of a run, in order. Read this first.

import type { Step } from './step.ts';
import { discardSnapshot } from './steps/discard-snapshot.ts';
import { cordon, drain } from './steps/drain-donor.ts';
import { prepareDefinition } from './steps/ensure-definition.ts';
import { guardNode, protectInstance } from './steps/guard-donor.ts';
import { awaitDeletion, awaitVersion, discardVersion, includeVersion, orderVersion } from './steps/publish-version.ts';
import { recordPrior } from './steps/record-prior.ts';
import { awaitReady, restoreNode, restoreProtection, startDonor } from './steps/restore-donor.ts';
import { saveModel } from './steps/save-model.ts';
import { sealDonor } from './steps/seal-donor.ts';
import { stopDonor } from './steps/stop-donor.ts';
import { switchModel } from './steps/switch-model.ts';
import { awaitSnapshot, takeSnapshot } from './steps/take-snapshot.ts';
import { pruneVersions, removeSnapshot } from './steps/tidy.ts';
import { wakeDonor } from './steps/wake-donor.ts';

/** The donor stays in service. */
export const PREPARE: readonly Step[] = [saveModel, prepareDefinition, discardSnapshot];

/** Takes the donor out of service. */
export const CAPTURE: readonly Step[] = [
  recordPrior,
  guardNode,
  protectInstance,
  cordon,
  wakeDonor,
  drain,
  sealDonor,
  stopDonor,
  takeSnapshot,
  awaitSnapshot,
];

/** Returns the donor to service. These steps run first after a failure and when a run is resumed. */
export const RESTORE: readonly Step[] = [startDonor, awaitReady, restoreProtection, restoreNode];

export const PUBLISH: readonly Step[] = [
  discardVersion,
  awaitDeletion,
  orderVersion,
  awaitVersion,
  switchModel,
  includeVersion,
];

export const TIDY: readonly Step[] = [pruneVersions, removeSnapshot];

export const PIPELINE: readonly Step[] = [...PREPARE, ...CAPTURE, ...RESTORE, ...PUBLISH, ...TIDY];
