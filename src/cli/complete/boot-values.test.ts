import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { BootKind } from './boot-names.ts';
import { bootValues, unitsListed } from './boot-values.ts';
import type { TypedCommand } from './decide.ts';
import { BUNDLE } from './testing.ts';

describe('bootValues of a bundle', () => {
  /** No deadline: the test machine may be slow. */
  const found = async (
    kind: BootKind,
    given: Partial<TypedCommand>,
    text = '',
    signal = new AbortController().signal,
  ) => {
    const whole = { path: 'boot chain', options: new Map(), args: [], files: [], ...given };
    return (await bootValues(kind, whole, text, { nowUs: 0, userHome: '/nonexistent', signal })).map(
      ({ value }) => value,
    );
  };
  const ofBundle = { options: new Map([['--input', [BUNDLE]]]) };

  it('offers milestones and the units that started, with their names as systemd writes them', async () => {
    const targets = await found('targets', ofBundle);
    expect(targets.slice(0, 2)).toEqual(['kernel-start', 'userspace']);
    expect(targets).toEqual(
      expect.arrayContaining([
        'startup-finished',
        'cloud-final.service',
        'modprobe@fuse.service',
        String.raw`dev-disk-by\x2dlabel-cidata.device`,
      ]),
    );
    expect(await found('units', ofBundle)).not.toContain('startup-finished');
  });

  it('offers the values of each edit of what-if', async () => {
    expect(await found('unit-times', ofBundle)).toContain('cloud-final.service=');
    expect(await found('orderings', ofBundle)).toContain('network-pre.target cloud-init-local.service');
    expect(await found('unit-pairs', ofBundle)).toContain('basic.target ');
    expect(await found('unit-pairs', ofBundle, 'basic.target c')).toContain('basic.target cloud-final.service');
  });

  it('offers the boots of the bundle', async () => {
    expect(await found('boots', ofBundle)).toEqual(['0']);
  });

  it('reads the units of both sides of compare', async () => {
    expect(await found('units', { path: 'boot compare', files: [BUNDLE] })).toContain('cloud-final.service');
  });

  it.each(['-', '/dev/null', '/nonexistent', fileURLToPath(import.meta.url)])(
    'offers nothing when the input is %s',
    async (input) => {
      expect(await found('units', { options: new Map([['--input', [input]]]) })).toEqual([]);
    },
  );

  it('offers nothing when the deadline has passed', async () => {
    expect(await found('units', ofBundle, '', AbortSignal.abort())).toEqual([]);
  });
});

it('unitsListed returns the active units of systemctl', () => {
  const listed = [
    '  kubelet.service                loaded    active   running The kubelet: node agent',
    '  modprobe@drm.service           loaded    inactive dead    Load Kernel Module drm',
    String.raw`  dev-disk-by\x2duuid-1.device   loaded    active   plugged Disk`,
    '',
  ];
  expect(unitsListed(listed.join('\n'))).toEqual([
    { value: 'kubelet.service', summary: 'The kubelet: node agent' },
    { value: String.raw`dev-disk-by\x2duuid-1.device`, summary: 'Disk' },
  ]);
});
