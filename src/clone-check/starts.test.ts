// A boot waits for the check, and where a machine is slow each program that it starts takes a tenth of a second.
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import {
  CLONE_IDS,
  DONOR_FILES,
  DONOR_ID,
  makeClone,
  makeRoot,
  makeStubs,
  PLAIN_FILES,
  put,
  remove,
  run,
  SOURCE,
  shellsAtHand,
  text,
  watchStarts,
} from './testing.ts';

const stubs = makeStubs();
const { shells } = shellsAtHand(stubs);
// busybox's shell runs its own tools without starting them.
const [dash] = shells;
const watched = watchStarts(dash!);
afterAll(() => remove(stubs, watched.folder));
const roots: string[] = [];
afterEach(() => remove(...roots.splice(0)));

/** What `check` starts on that disk. */
function startedOn(root: string): string[] {
  roots.push(root);
  const before = watched.started().length;
  expect(run(watched.shell, ['check', '--root', root])).toMatchObject({ code: 0, stderr: '' });
  return watched.started().slice(before);
}

describe('what a boot starts', () => {
  it('is nothing at all on the machine that the disk belongs to', () => {
    const root = makeClone(dash!);
    put(root, '/sys/class/dmi/id/product_uuid', DONOR_ID);
    expect(startedOn(root)).toEqual([]);
  });

  it('is at most 40 programs on a clone of a node', () => {
    const started = startedOn(makeClone(dash!));
    expect(started.length, started.join(' ')).toBeLessThanOrEqual(40);
  });

  it('is at most 30 on a clone of a plain VM', () => {
    const root = makeRoot(PLAIN_FILES);
    run(dash!, ['seal', '--root', root, '--from', SOURCE, '--donor-id', DONOR_ID]);
    put(root, '/sys/class/dmi/id/product_uuid', CLONE_IDS[0]);
    const started = startedOn(root);
    expect(started.length, started.join(' ')).toBeLessThanOrEqual(30);
  });

  it('does not grow with what there is to remove', () => {
    const few = startedOn(makeClone(dash!)).sort();
    const more: Record<string, string> = { ...DONOR_FILES };
    for (let n = 0; n < 40; n++) {
      more[`/var/lib/kubelet/pods/p${n}/volumes/token`] = 'a token';
      more[`/etc/kubernetes/certs/more${n}.crt`] = DONOR_FILES['/etc/kubernetes/own.crt']!;
      more[`/etc/kubernetes/certs/more${n}.key`] = 'a key';
      more[`/var/lib/waagent/state${n}`] = '';
      more[`/var/log/more${n}.log`] = 'lines';
    }
    const root = makeClone(dash!, CLONE_IDS[0], more);
    expect(startedOn(root).sort()).toEqual(few);
    expect(text(root, '/var/log/more39.log')).toBe('');
  });
});
