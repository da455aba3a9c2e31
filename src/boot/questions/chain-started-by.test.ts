import { describe, expect, it } from 'vitest';
import { bootRecord, span, unit } from '../testing.ts';
import { chainPoints, pointNamed } from './chain-points.ts';
import { startedByCloudInit, startedByTask, taskBefore } from './chain-started-by.ts';

describe('the task that started a unit', () => {
  const points = chainPoints(
    bootRecord({
      units: [
        unit('waagent.service', 5, 1),
        unit('cloud-final.service', 8, 20),
        unit('kubelet.service', 20, 1),
        unit('early.service', 4, 1),
      ],
      spans: [
        span('extension:AKS.CSE', 10, 25),
        span('extension:AKS.CSE.installDeps', 11, 15, { parent: 'extension:AKS.CSE' }),
        span('extension:AKS.CSE.ensureKubelet', 18, 24, { parent: 'extension:AKS.CSE' }),
        span('extension:AKS.Runtime.wait', 19, 30, { wait: 'for the API server' }),
        span('cloud-init:modules-final/config-scripts-user', 9, 27, { unit: 'cloud-final.service' }),
      ],
    }),
  );
  const named = (name: string) => pointNamed(points, name)!;

  it('is the innermost task of an extension that was running, cut at the start of the unit, and never a wait', () => {
    expect(startedByTask(points, named('kubelet.service'))).toMatchObject({
      id: 'extension:AKS.CSE.ensureKubelet',
      endUs: 20e6,
    });
    expect(startedByTask(points, named('early.service'))).toBeUndefined();
  });

  it('is the cloud-init unit that was running a user script, cut at the start of the unit', () => {
    expect(startedByCloudInit(points, named('kubelet.service'))).toMatchObject({
      name: 'cloud-final.service',
      endUs: 20e6,
    });
    expect(startedByCloudInit(points, named('early.service'))).toBeUndefined();
  });

  it('is the previous task of a script, else the containing task, else the agent', () => {
    expect(taskBefore(points, named('extension:AKS.CSE.ensureKubelet'))?.name).toBe('AKS.CSE.installDeps');
    expect(taskBefore(points, named('extension:AKS.CSE.installDeps'))?.name).toBe('AKS.CSE');
    expect(taskBefore(points, named('extension:AKS.CSE'))?.name).toBe('waagent.service');
  });

  it('is the last stage of cloud-init if no agent ran', () => {
    const log = chainPoints(
      bootRecord({
        spans: [span('cloud-init:init', 2, 4), span('cloud-init:modules', 4, 6), span('extension:a', 8, 9)],
      }),
    );
    expect(taskBefore(log, pointNamed(log, 'extension:a')!)?.name).toBe('modules');
  });
});
