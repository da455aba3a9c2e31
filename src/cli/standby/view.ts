// cli/standby/view.ts: how do standby nodes look in the answers of the standby verbs?
import { formatSpan } from '../../base/duration.ts';
import { STANDBY_TIERS, type StandbyMember, type StandbyPolicy, type StandbyState } from '../../vms/standby.ts';
import type { Screen } from '../output/screen.ts';
import { renderTable } from '../output/table.ts';

export interface StandbyView {
  pool: string;
  policy?: StandbyPolicy;
  members: (Omit<StandbyMember, 'instance'> & { instance: string })[];
  trouble?: string;
}

export function standbyView(pool: string, state: StandbyState | undefined): StandbyView {
  if (!state) return { pool, members: [] };
  const { policy, members, trouble } = state;
  return {
    pool,
    policy,
    members: members.map(({ instance, ...member }) => ({ instance: instance.id, ...member })),
    ...(trouble !== undefined && { trouble }),
  };
}

export function renderStandby({ pool, policy, members, trouble }: StandbyView, nowMs: number, screen: Screen): string {
  if (!policy) return `pool ${pool} keeps no standby nodes\n`;
  const counts = STANDBY_TIERS.filter((tier) => policy.counts[tier] > 0).map((tier) => {
    const ready = members.filter((member) => member.tier === tier && member.state === 'ready').length;
    return `${ready} of ${policy.counts[tier]} ${tier}`;
  });
  const head = `${pool}: ${counts.join(', ') || 'keeps none'}\n`;
  const warning = trouble === undefined ? '' : `${pool} cannot be kept full: ${trouble}\n`;
  return members.length === 0 ? head + warning : `${head}${warning}\n${renderMembers(members, nowMs, screen)}`;
}

function renderMembers(members: StandbyView['members'], nowMs: number, screen: Screen): string {
  return renderTable(
    [
      { title: 'INSTANCE', cell: (member) => member.instance },
      { title: 'TIER', cell: (member) => member.tier },
      {
        title: 'STATE',
        cell: (member) => member.state,
        style: ({ state }) => (state === 'ready' ? 'good' : 'warning'),
      },
      {
        title: 'PARKED',
        align: 'right',
        cell: ({ parkedMs }) => (parkedMs === undefined ? '' : `${formatSpan(wholeSeconds(nowMs - parkedMs))} ago`),
      },
      { title: 'DISK', align: 'right', cell: ({ diskBytes }) => megabytes(diskBytes) },
      { title: 'MEMORY', align: 'right', cell: ({ memoryBytes }) => megabytes(memoryBytes) },
      { title: 'WHY', cell: (member) => member.why },
    ],
    members,
    screen,
  );
}

const wholeSeconds = (ms: number) => Math.floor(Math.max(0, ms) / 1000) * 1e6;
const megabytes = (bytes: number | undefined) => (bytes === undefined ? '' : `${Math.round(bytes / 1e6)} MB`);
