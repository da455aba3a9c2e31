// boot/questions/what-if-assumption.ts: what does the model hold fixed for these edits?
import type { WhatIfEdit } from './edits.ts';

const FIXED =
  'everything else starts its observed delay after the last thing it waited for, and takes its observed time, whatever else then runs ' +
  'at the same time on the same CPU, disk and network';

/** One sentence part per kind of edit, then what holds for all. */
export function assumptionOf(edits: readonly WhatIfEdit[]): string {
  return [...new Set(edits.map(assumed)), FIXED].join('; ');
}

/** For a list of possible edits. */
export const SCAN_ASSUMPTION =
  `each saving is what \`boot what-if\` predicts for that edit alone, and savings do not add up: ${FIXED}; ` +
  'waits for something outside the node count as fixed';

function assumed(edit: WhatIfEdit): string {
  switch (edit.kind) {
    case 'mask':
      return (
        `${edit.unit} does not start, so nothing waits for it (After= does not reach through a unit that is not started), ` +
        'the units that it pulls in still run, and nothing else needs what it did'
      );
    case 'set':
      return `only the duration of ${edit.unit} changes: the work that it no longer does is not done elsewhere`;
    case 'drop-after':
      return `${edit.unit} works without ${edit.dependency}, and neither is slower when both run at the same time`;
    case 'after':
      return `${edit.unit} also waits for ${edit.dependency}, and does not become faster because of it`;
    case 'add':
      return `${edit.unit} is in both times, before and after, and slows nothing else down`;
    case 'without':
      return withoutText(edit.unit);
  }
}

function withoutText(name: string): string {
  if (name === 'cloud-init')
    return 'no unit of cloud-init starts, and the node is configured in another way in no time';
  if (name === 'image-pulls')
    return 'the images are on the disk: the time of their pulls is gone, and containers start as fast as before';
  if (name === 'extensions') return 'no extension runs, and nothing else needs what they did';
  if (/\.\w+$/.test(name)) return assumed({ kind: 'mask', unit: name });
  return `${name} takes no time, the steps before and after it take their observed time, and nothing needs what it did`;
}
