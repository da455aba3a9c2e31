import { describe, expect, it } from 'vitest';
import { type RetimedGraph, retime } from '../model/retime.ts';
import { bootRecord, span, unit } from '../testing.ts';
import { renderEdit } from './edits.ts';
import { pointGraph } from './point-graph.ts';
import { neededUnits, possibleEdits } from './scan-edits.ts';

const editsOf = (record: ReturnType<typeof bootRecord>, id: string) => {
  const graph = pointGraph(record);
  const timed = retime(graph) as RetimedGraph;
  const options = { target: graph.numberOfId.get(id)!, smallestUs: 0, needed: neededUnits(graph) };
  return possibleEdits(graph, timed, options).map(({ edit }) => renderEdit(edit));
};

describe('possibleEdits', () => {
  it('are the services on the path, their orderings, and modules that take time', () => {
    const record = bootRecord({
      units: [
        unit('tool.service', 1, 4),
        unit('cloud-final.service', 5, 5, ['tool.service']),
        unit('app.service', 10, 1, ['cloud-final.service']),
      ],
      spans: [
        span('cloud-init:modules-final', 5, 10, { unit: 'cloud-final.service' }),
        span('cloud-init:modules-final/config-ntp', 6, 9, { parent: 'cloud-init:modules-final' }),
      ],
    });
    expect(editsOf(record, 'systemd:app.service')).toEqual([
      "--mask 'tool.service'",
      "--without 'config-ntp'",
      "--drop-after 'app.service cloud-final.service'",
      "--without 'cloud-init'",
    ]);
  });

  it('are image pulls if there are any on the way to Ready', () => {
    const record = bootRecord({
      spans: [span('kubelet:start', 1, 3), span('cluster:become-ready', 3, 9), span('cluster:pull-cni', 4, 8)],
      milestones: [{ name: 'node-ready', atUs: 9e6, source: 'cluster' }],
    });
    expect(editsOf(record, 'milestone:node-ready')).toEqual(["--without 'image-pulls'"]);
  });
});
