import fc from 'fast-check';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { parseCheckResult, parseItems } from './result.ts';
import { parseSealResult, SCRUB_ITEMS, scrubScript, sealScript, unsealScript, verifyScript } from './seal-script.ts';
import { availableShells, DONOR_ID, DONOR_NAME, has, makeRoot, makeStubs, pipe, remove } from './testing.ts';

const stubs = makeStubs();
const { shells } = availableShells(stubs);
afterAll(() => remove(stubs));
const roots: string[] = [];
afterEach(() => remove(...roots.splice(0)));
const newRoot = () => {
  const root = makeRoot();
  roots.push(root);
  return root;
};

describe.each(shells)('the script on standard input, with $name', (shell) => {
  it('seals, verifies and unseals a machine, and leaves no temporary file', () => {
    const root = newRoot();
    const sealed = pipe(shell, sealScript({ vmId: DONOR_ID, nodeName: DONOR_NAME, root }));
    expect(sealed).toMatchObject({ code: 0, stderr: '' });
    expect(parseSealResult(sealed.stdout)).toMatchObject({ isSealed: true, problems: [] });
    expect(pipe(shell, verifyScript(root))).toMatchObject({ code: 0, stderr: '' });
    expect(pipe(shell, unsealScript(root))).toMatchObject({ code: 0, stderr: '' });
    expect(has(root, '/var/lib/headstart')).toBe(false);
  });

  it('prints why a machine is not sealed', () => {
    const ran = pipe(shell, sealScript({ vmId: DONOR_ID.replace('4c', '5d'), nodeName: DONOR_NAME, root: newRoot() }));
    expect(ran.code).toBe(1);
    expect(parseSealResult(ran.stdout)).toMatchObject({
      isSealed: false,
      problems: [`vm-id: this machine is ${DONOR_ID}, not ${DONOR_ID.replace('4c', '5d')}`],
    });
  });

  it('scrubs a mounted copy and verifies the result', () => {
    const root = newRoot();
    pipe(shell, sealScript({ vmId: DONOR_ID, nodeName: DONOR_NAME, root }));
    const ran = pipe(shell, scrubScript(root));
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    const items = parseItems(ran.stdout);
    expect(items.filter(({ state }) => state !== 'absent')).toEqual([{ name: 'owner', state: 'ok' }]);
    expect(items.map(({ name }) => name)).toEqual([...SCRUB_ITEMS]);
  });

  it('quotes a name, whatever characters it contains', () => {
    const root = newRoot();
    const ran = pipe(shell, sealScript({ vmId: DONOR_ID, nodeName: `x'; touch '${root}/hacked`, root }));
    expect(ran.code).toBe(0);
    expect(has(root, '/hacked')).toBe(false);
  });
});

describe('parseSealResult', () => {
  it('is not sealed if an item is missing', () => {
    const whole = parseSealResult(ALL.join('\n'));
    expect(whole.isSealed).toBe(true);
    for (const line of ALL) {
      const without = parseSealResult(ALL.filter((other) => other !== line).join('\n'));
      expect(without.isSealed, line).toBe(false);
      expect(without.problems).toEqual([`${line.split('=')[0]}: not reported as done`]);
    }
  });

  it('is not sealed if a required item is absent', () => {
    expect(parseSealResult(ALL.join('\n').replace('drop-in=ok', 'drop-in=absent')).isSealed).toBe(false);
    expect(parseSealResult(ALL.join('\n').replace('kubelet=ok', 'kubelet=absent')).isSealed).toBe(true);
  });

  it('accepts any text, and is sealed only if all items succeeded', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string(), fc.constantFrom(...ALL, 'link=failed no room'))), (lines) => {
        const { isSealed, problems } = parseSealResult(lines.join('\n'));
        expect(isSealed).toBe(problems.length === 0);
        if (isSealed) for (const line of ALL) expect(lines.join('\n')).toContain(line.split('=')[0]);
        parseCheckResult(lines.join('\n'));
      }),
    );
  });
});

const ALL = [
  'tools=ok',
  'systemd=ok',
  'kubelet=ok',
  'vm-id=ok',
  'serving-certificate=absent',
  'script=ok',
  'unit=ok',
  'finish-unit=ok',
  'owner=ok',
  'link=ok',
  'drop-in=ok',
];
