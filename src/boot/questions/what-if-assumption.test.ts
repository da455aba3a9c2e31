import { describe, expect, it } from 'vitest';
import { parseEdit } from './edits.ts';
import { assumptionOf } from './what-if-assumption.ts';

describe('assumptionOf', () => {
  it.each([
    ['mask', 'a.service', 'After= does not reach through'],
    ['without', 'a.service', 'After= does not reach through'],
    ['set', 'a.service=2s', 'only the duration of a.service changes'],
    ['drop-after', 'a.service b.service', 'a.service works without b.service'],
    ['after', 'a.service b.service', 'a.service also waits for b.service'],
    ['add', 'a.service', 'in both times'],
    ['without', 'config-scripts-user', 'config-scripts-user takes no time'],
    ['without', 'image-pulls', 'images are on the disk'],
    ['without', 'cloud-init', 'no unit of cloud-init starts'],
    ['without', 'extensions', 'no extension runs'],
  ] as const)('says for --%s %s what it holds fixed', (kind, text, part) => {
    expect(assumptionOf([parseEdit(kind, text)])).toContain(part);
  });

  it('says only what the edits need', () => {
    expect(assumptionOf([parseEdit('set', 'a.service=2s')])).not.toContain('After=');
    expect(assumptionOf([])).not.toContain(';');
  });
});
