// cli/boot/timeline.ts: `headstart boot timeline`: one table from VM create to Node Ready.
import { formatSpan } from '../../base/duration.ts';
import { type Timeline, type TimelineRow, timeline } from '../../boot/timeline.ts';
import { printJson } from '../output/json.ts';
import { type Column, renderTable } from '../output/table.ts';
import type { Verb } from '../verb.ts';
import { type BootOptions, readBoot, withBootOptions, withInputArguments } from './read-boot.ts';

export const verb: Verb = {
  examples: ['boot timeline', 'boot timeline boot.tar.gz', 'boot timeline -i boot.tar.gz -i node.yaml'],
  configure: (command) => withInputArguments(withBootOptions(command)),
  async run(_args, options: BootOptions, edges) {
    const record = await readBoot(options, edges);
    const answer = timeline(record);
    if (options.json)
      return printJson(edges, 'BootTimeline', { bootId: record.bootId, clock: record.clock, ...answer });
    edges.stdout(`${renderTable(COLUMNS, answer.rows)}\n${summary(answer)}`);
  },
};

const COLUMNS: readonly Column<TimelineRow>[] = [
  { title: 'START', align: 'right', cell: (row) => formatSpan(row.startUs) },
  { title: 'TOOK', align: 'right', cell: (row) => (row.tookUs === undefined ? '' : formatSpan(row.tookUs)) },
  { title: 'KIND', cell: (row) => (row.kind === 'instant' ? '' : row.kind) },
  { title: 'SOURCE', cell: (row) => row.source },
  { title: 'WHAT', cell: (row) => `${row.kind === 'instant' ? '* ' : ''}${'  '.repeat(row.depth)}${row.name}` },
  { title: '', cell: (row) => row.detail ?? '' },
];

function summary({ totalUs, waitUs, ownUs, endsAt }: Timeline): string {
  const own =
    waitUs > 0
      ? `: ${formatSpan(ownUs)} of the node's own and ${formatSpan(waitUs)} of waits for something outside it`
      : '';
  return `${formatSpan(totalUs)} until ${endsAt}${own}.\n`;
}
