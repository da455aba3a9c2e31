import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { contexts, kubeconfigFiles } from './contexts.ts';
import { BUNDLE, completionHome } from './testing.ts';

const at = completionHome();

describe('the contexts of a kubeconfig', () => {
  it('are read from the file, without calling a server', async () => {
    const config = join(at.home, 'kubeconfig');
    expect(await at.lines(['prototype', 'run', '--kubeconfig', config, '--context', ''])).toEqual([
      'values',
      'arn:aws:eks:x\tcluster prod',
      'a\\b',
    ]);
    expect(await at.lines(['prototype', 'run', '--context', ''], { KUBECONFIG: `${BUNDLE}:${config}` })).toHaveLength(
      3,
    );
  });

  it('are offered once each, and none is offered for an invalid file', () => {
    const config = join(at.home, 'kubeconfig');
    expect(contexts([config, config, BUNDLE, '/nonexistent']).map(({ value }) => value)).toEqual([
      'arn:aws:eks:x',
      'a\\b',
    ]);
  });
});

describe('kubeconfigFiles', () => {
  it.each([
    ['named', { KUBECONFIG: 'a:b', HOME: '/home/me' }, ['named']],
    [undefined, { KUBECONFIG: 'a::b', HOME: '/home/me' }, ['a', 'b']],
    [undefined, { KUBECONFIG: '', HOME: '/home/me' }, ['/home/me/.kube/config']],
    [undefined, {}, []],
  ])('with %j and %j returns %j', (named, env, files) => {
    expect(kubeconfigFiles(named, env)).toEqual(files);
  });
});
