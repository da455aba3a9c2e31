import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { Secret } from './secret.ts';

const CANARY = 'canary-7f3a';

describe('Secret', () => {
  it('shows its value only with reveal', () => {
    const secret = new Secret(CANARY);
    expect(secret.reveal()).toBe(CANARY);
    for (const printed of [
      String(secret),
      JSON.stringify({ secret }),
      inspect(secret),
      inspect({ secret }, { showHidden: true }),
    ]) {
      expect(printed).toContain('[secret]');
      expect(printed).not.toContain(CANARY);
    }
  });
});
