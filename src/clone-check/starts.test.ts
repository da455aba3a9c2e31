// A boot waits for the check, and on a slow machine each program that it starts takes 0.1 s.
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import {
  availableShells,
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
  text,
  watchStarts,
} from './testing.ts';

const stubs = makeStubs();
const { shells } = availableShells(stubs);
// The busybox shell runs its built-in tools without starting a program.
const [dash] = shells;
const watched = watchStarts(dash!);
afterAll(() => remove(stubs, watched.folder));
const roots: string[] = [];
afterEach(() => remove(...roots.splice(0)));

/** The programs that `check` starts on that disk. */
function startedOn(root: string): string[] {
  roots.push(root);
  const before = watched.started().length;
  expect(run(watched.shell, ['check', '--root', root])).toMatchObject({ code: 0, stderr: '' });
  return watched.started().slice(before);
}

describe('the programs that a boot starts', () => {
  it('are none on the owner of the disk', () => {
    const root = makeClone(dash!);
    put(root, '/sys/class/dmi/id/product_uuid', DONOR_ID);
    expect(startedOn(root)).toEqual([]);
  });

  it('are at most 40 on a clone of a node', () => {
    const started = startedOn(makeClone(dash!));
    expect(started.length, started.join(' ')).toBeLessThanOrEqual(40);
  });

  it('are at most 30 on a clone of a plain VM', () => {
    const root = makeRoot(PLAIN_FILES);
    run(dash!, ['seal', '--root', root, '--from', SOURCE, '--donor-id', DONOR_ID]);
    put(root, '/sys/class/dmi/id/product_uuid', CLONE_IDS[0]);
    const started = startedOn(root);
    expect(started.length, started.join(' ')).toBeLessThanOrEqual(30);
  });

  it('do not increase with the number of files to remove', () => {
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
