import { describe, expect, it } from 'vitest';
import { manifestText } from '../manifest/manifests.testing.ts';
import { editText } from './edit-text.ts';
import type { ManifestEdit } from './plan-update.ts';

describe('editText', () => {
  it.each<[string, ManifestEdit, string]>([
    ['a: 1.2 # x\nb: [ 1,2 ]\n', { do: 'set', path: ['a'], value: '1.3.1' }, 'a: 1.3.1 # x\nb: [ 1,2 ]\n'],
    ['a: "1.2"\n', { do: 'set', path: ['a'], value: '1.3' }, 'a: "1.3"\n'],
    ["a: '1.2'   # x", { do: 'set', path: ['a'], value: '1.3' }, "a: '1.3'   # x"],
    ['a: x1\n', { do: 'set', path: ['a'], value: '1.3' }, 'a: "1.3"\n'],
    [
      'a: [1.2.3, 1.2.4 ] # x\nb: 1\n',
      { do: 'append', path: ['a'], value: '1.2.5' },
      'a: [1.2.3, 1.2.4, 1.2.5 ] # x\nb: 1\n',
    ],
    [
      'a:\n- 1.2.3 # x\n# y\nb: 1\n',
      { do: 'append', path: ['a'], value: '1.2.4' },
      'a:\n- 1.2.3 # x\n- 1.2.4\n# y\nb: 1\n',
    ],
    [
      'a:\n  -   v: 1\n      w: { x: 1 }\n\nb: 1',
      { do: 'append', path: ['a'], value: { v: '2.0.0', w: { x: 'y' } } },
      'a:\n  -   v: 1\n      w: { x: 1 }\n  - v: 2.0.0\n    w:\n      x: y\n\nb: 1',
    ],
    ['a:\n  - v: 1', { do: 'append', path: ['a'], value: { v: 'z' } }, 'a:\n  - v: 1\n  - v: z'],
    ['a: [{v: 1}]\n', { do: 'append', path: ['a'], value: { v: 'z' } }, 'a: [{v: 1}, { v: z }]\n'],
  ])('applied to %j with %j gives %j', async (text, edit, expected) => {
    expect(await editText(text, [edit])).toBe(expected);
  });

  it('keeps the text without edits', async () => {
    const odd = `${manifestText()}\n\n# end   \n`;
    expect(await editText(odd, [])).toBe(odd);
  });

  it('throws for a path that does not exist', async () => {
    await expect(editText('a: 1\n', [{ do: 'set', path: ['b'], value: '1' }])).rejects.toThrow('cannot set at b');
    await expect(editText('a: 1\n', [{ do: 'append', path: ['a'], value: '1' }])).rejects.toThrow('cannot append');
  });
});
