import { expect, it } from 'vitest';
import { readerHelper } from './open-node-reader.ts';

it('takes the image from the option, the environment, or a public one', () => {
  const env = { HEADSTART_HELPER_IMAGE: 'from-env', HEADSTART_HELPER_NAME: 'the-other-pod' };
  expect(readerHelper({ helperImage: 'named', helperPullSecret: 'a, b' }, env)).toEqual({
    image: 'named',
    pullSecrets: ['a', 'b'],
  });
  expect(readerHelper({}, env).image).toBe('from-env');
  expect(readerHelper({}, {})).toEqual({ image: 'busybox:stable', pullSecrets: [] });
});
