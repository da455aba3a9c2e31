// cli/boot/chain.ts: `headstart boot chain [TARGET]`: what held the node back, link by link, over everything.
import { formatSpan } from '../../base/duration.ts';
import { UserError } from '../../base/errors.ts';
import { type ChainLink, chain, chainTarget } from '../../boot/chain.ts';
import type { BootRecord } from '../../boot/record.ts';
import { printJson } from '../output/json.ts';
import { printable } from '../output/table.ts';
import type { Verb } from '../verb.ts';
import { type BootOptions, readBoot, withBootOptions } from './read-boot.ts';

/** Parts shown under a link: enough to see where its time went. */
const PARTS_SHOWN = 5;
/** Shorter silences are the manager's own bookkeeping. */
const GAP_SHOWN_US = 100_000;

export const verb: Verb = {
  examples: [
    'boot chain',
    'boot chain node-ready -i boot.tar.gz -i node.yaml',
    'boot chain cloud-final.service -i boot.tar.gz',
  ],
  configure: (command) =>
    withBootOptions(
      command.argument('[TARGET]', 'a unit or milestone; default: node-ready, else kubelet, else the end of startup'),
    ),
  async run([target], options: BootOptions, edges) {
    const record = await readBoot(options, edges);
    const links = chain(record, target ?? chainTarget(record));
    if (links.length === 0) throw unknownTarget(record, target);
    if (options.json)
      return printJson(edges, 'BootChain', {
        bootId: record.bootId,
        target: links[0]!.name,
        clock: record.clock,
        links,
      });
    edges.stdout(`${links.flatMap((link, depth) => describe(link, depth)).join('\n')}\n`);
  },
};

function describe(link: ChainLink, depth: number): string[] {
  const indent = '  '.repeat(Math.max(0, depth - 1));
  const tookUs = link.endUs - link.startUs;
  const wait = link.wait === undefined ? '' : ` [wait: ${printable(link.wait)}]`;
  const took = tookUs > 0 ? ` +${formatSpan(tookUs)}` : '';
  const lines = [`${indent}${depth > 0 ? '└─' : ''}${printable(link.name)} @${formatSpan(link.startUs)}${took}${wait}`];
  const parts = link.inside
    .filter((part) => part.endUs - part.startUs >= Math.max(10_000, tookUs / 50))
    .sort((a, b) => b.endUs - b.startUs - (a.endUs - a.startUs))
    .slice(0, PARTS_SHOWN)
    .sort((a, b) => a.startUs - b.startUs);
  for (const part of parts) {
    const why = part.wait === undefined ? '' : ` [wait: ${printable(part.wait)}]`;
    lines.push(`${indent}    · ${printable(part.name)} +${formatSpan(part.endUs - part.startUs)}${why}`);
  }
  if (link.gapUs >= GAP_SHOWN_US)
    lines.push(`${indent}  (${formatSpan(link.gapUs)} before it that no source explains)`);
  return lines;
}

function unknownTarget(record: BootRecord, target: string | undefined): UserError {
  const fallback = chainTarget(record);
  return new UserError(
    target === undefined
      ? 'this input has no target, unit or milestone to follow'
      : `${target} did not start in this boot`,
    {
      code: 'boot/chain-target',
      next:
        fallback === undefined
          ? 'add `systemctl show` of all units with -i'
          : `try \`headstart boot chain ${fallback}\``,
    },
  );
}
