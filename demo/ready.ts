// demo/ready.ts: how long from the start of the VM until the node's unit was active, by its boot record?
import { milestonesOf } from '../src/boot/model/milestones.ts';
import type { BootRecord } from '../src/boot/model/record.ts';

export interface Readiness {
  /** From QEMU's start, on the host's clock, until the unit was active, on the guest's. */
  readyUs: number;
  /** How far the two clocks may be apart. */
  errorUs: number;
  /** The kernel is the same every time, so its time shows how fast the machine was. */
  kernelUs: number;
}

export function readinessOf(record: BootRecord, unitName: string): Readiness {
  const milestones = milestonesOf(record);
  const created = milestones.find(({ name }) => name === 'vm-created');
  const userspace = milestones.find(({ name }) => name === 'userspace');
  const unit = record.units.find(({ name }) => name === unitName);
  if (!created || !userspace || !unit || unit.activatedUs === 0)
    throw new Error(`the record does not tell when the VM started, or when ${unitName} was active`);
  return {
    readyUs: unit.activatedUs - created.atUs,
    errorUs: created.errorUs ?? 0,
    kernelUs: userspace.atUs,
  };
}
