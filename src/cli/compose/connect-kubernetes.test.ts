import { describe, expect, it } from 'vitest';
import { helperOptions } from './connect-kubernetes.ts';

describe('the helper pod of a verb', () => {
  const env = {
    HEADSTART_HELPER_IMAGE: 'registry/headstart:1',
    HEADSTART_HELPER_PULL_SECRETS: 'one,two',
    HEADSTART_HELPER_NAME: 'headstart-run-0123456789abcdef',
  };

  it('is what the chart sets in the environment', () => {
    expect(helperOptions({}, env)).toEqual({
      image: 'registry/headstart:1',
      pullSecrets: ['one', 'two'],
      name: 'headstart-run-0123456789abcdef',
    });
  });

  it('is what the operator says instead', () => {
    expect(helperOptions({ helperImage: 'mine', helperPullSecret: ' three , ' }, env)).toMatchObject({
      image: 'mine',
      pullSecrets: ['three'],
    });
  });

  it.each([{}, { HEADSTART_HELPER_IMAGE: '', HEADSTART_HELPER_PULL_SECRETS: 'one' }])(
    'cannot be made without an image: %j',
    (none) => {
      expect(helperOptions({}, none)).toBeUndefined();
    },
  );

  it('has one name per node and no pull secret unless they are set', () => {
    expect(helperOptions({ helperImage: 'mine' }, {})).toEqual({ image: 'mine', pullSecrets: [], name: undefined });
  });
});
