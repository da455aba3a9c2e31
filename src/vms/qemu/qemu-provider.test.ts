import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../base/clock.ts';
import { gallerySuite } from '../gallery.suite.ts';
import type { Lab as ContractLab } from '../lab.testing.ts';
import { poolsSuite } from '../pools.suite.ts';
import { publisherSuite } from '../publisher.suite.ts';
import { snapshotsSuite } from '../snapshots.suite.ts';
import { instanceFiles, providerId } from './home/layout.ts';
import { instanceRecordSchema } from './home/records.ts';
import { makeLab, poolSpec, publishEmpty } from './testing.ts';

const customData = Buffer.from('#cloud-config\nruncmd: [join]\n').toString('base64');
const extension = { publisher: 'headstart', script: 'exit 0\n' };

// e2e/qemu-contract.test.ts runs the same suites with real QEMU processes.
async function withoutQemu(): Promise<ContractLab> {
  const lab = makeLab();
  const { provider } = lab;
  const image = await publishEmpty(lab);
  return {
    provider,
    clock: systemClock,
    makePool: async (count) => {
      const extensions = [
        { ...extension, name: 'bootstrap', type: 'CustomScript', after: [] },
        { ...extension, name: 'health', type: 'ApplicationHealthLinux', after: ['bootstrap'] },
      ];
      const spec = poolSpec(image, { name: `pool-${count}`, customData, extensions, tags: { team: 'payments' } });
      const { ref } = await provider.pools.createPool(spec);
      const made = await provider.pools.setCapacity(ref, count);
      return { ref, providerIds: made.map((one) => providerId(one.ref)) };
    },
    grow: async (pool) => {
      const [born] = await provider.pools.setCapacity(pool, (await provider.pools.listInstances(pool)).length + 1);
      const { folder } = await provider.guests.readDetails(born!.ref);
      const record = instanceRecordSchema.parse(JSON.parse(readFileSync(join(folder, instanceFiles.record), 'utf8')));
      const iso = readFileSync(join(folder, instanceFiles.provisioning), 'utf8');
      const given = /<CustomData>([^<]*)</.exec(iso)?.[1];
      return {
        image: record.image,
        ...(given && { customData: Buffer.from(given, 'base64').toString() }),
        extensions: record.extensions.map((one) => one.extension.name),
      };
    },
    end: async () => lab.end(),
  };
}

for (const suite of [poolsSuite, snapshotsSuite, gallerySuite, publisherSuite]) suite('QEMU without QEMU', withoutQemu);
