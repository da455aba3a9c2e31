// cli/boot/chain.ts: `headstart boot chain [TARGET]`: what held the node back, link by link, over everything.
import { UserError } from '../../base/errors.ts';
import { chain, chainTarget } from '../../boot/chain.ts';
import type { BootRecord } from '../../boot/record.ts';
import { printJson } from '../output/json.ts';
import { screenOf } from '../output/screen.ts';
import type { Verb } from '../verb.ts';
import { type BootOptions, readBoot, refuseFileAsUnit, withBootOptions } from './read-boot.ts';
import { renderChain } from './render-chain.ts';

export const verb: Verb = {
  examples: [
    'boot chain',
    'boot chain node-ready -i boot.tar.gz -i node.yaml',
    'boot chain cloud-final.service -i boot.tar.gz',
  ],
  configure: (command) =>
    withBootOptions(
      command.argument(
        '[TARGET]',
        'a unit or milestone; default: node-ready, else the kubelet, else the end of startup',
      ),
    ),
  async run([target], options: BootOptions, edges) {
    refuseFileAsUnit(target === undefined ? [] : [target], options, 'boot chain');
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
    edges.stdout(renderChain(links, screenOf(edges)));
  },
};

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
