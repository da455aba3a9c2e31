import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { openKubeconfig } from './open-kubeconfig.ts';

const folder = mkdtempSync(join(tmpdir(), 'headstart-kubeconfig-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => vi.unstubAllEnvs());

const path = (name: string) => join(folder, name);

/** The server has the name of the file, so that the test sees which file won. */
function write(file: string, { contexts = [] as string[], current = '' }): string {
  const config = {
    clusters: contexts.map((name) => ({ name, cluster: { server: `https://${file}.example:6443` } })),
    users: contexts.map((name) => ({ name, user: { token: file } })),
    contexts: contexts.map((name) => ({ name, context: { cluster: name, user: name } })),
    ...(current && { 'current-context': current }),
  };
  writeFileSync(path(file), JSON.stringify(config));
  return path(file);
}

function inList(...files: string[]) {
  vi.stubEnv('KUBECONFIG', files.join(delimiter));
  return openKubeconfig(KubeConfig, {});
}

describe('the files of KUBECONFIG', () => {
  it('are merged: the first file with a name wins, and so does the first current context', () => {
    const config = inList(
      write('a', { contexts: ['one'] }),
      write('b', { contexts: ['one', 'two'], current: 'two' }),
      write('c', { contexts: ['three'], current: 'three' }),
    );
    expect(config.getContexts().map(({ name }) => name)).toEqual(['one', 'two', 'three']);
    expect(config.getCurrentContext()).toBe('two');
    expect(config.getCluster('one')?.server).toBe('https://a.example:6443');
    expect(config.getUser('one')?.token).toBe('a');
  });

  it('may be missing or empty, as long as one has the context', () => {
    writeFileSync(path('empty'), '\n');
    const config = inList(path('missing'), path('empty'), write('d', { contexts: ['one'], current: 'one' }));
    expect(config.getCurrentCluster()?.server).toBe('https://d.example:6443');
  });

  it.each([
    [['missing'], /missing does not exist \(KUBECONFIG\)$/],
    [['missing', 'gone'], /no file of KUBECONFIG exists: .*missing, .*gone$/],
  ])('that are %j are named', (files, message) => {
    expect(() => inList(...files.map(path))).toThrow(message);
  });

  it('that cannot be parsed are named without their text', () => {
    writeFileSync(path('bad'), 'users: [s3cret');
    const open = () => inList(write('e', { contexts: ['one'], current: 'one' }), path('bad'));
    expect(open).toThrow(/bad is not a kubeconfig$/);
    expect(open).not.toThrow(/s3cret/);
  });

  it('are not read when a file is named', () => {
    vi.stubEnv('KUBECONFIG', path('missing'));
    const named = write('f', { contexts: ['one', 'two'], current: 'one' });
    expect(openKubeconfig(KubeConfig, { kubeconfig: named, context: 'two' }).getCurrentContext()).toBe('two');
  });

  it('must be named', () => {
    expect(() => inList('', '')).toThrow('KUBECONFIG names no file');
  });

  it('are read when the name of a file is empty, as in kubectl', () => {
    vi.stubEnv('KUBECONFIG', write('g', { contexts: ['one'], current: 'one' }));
    expect(openKubeconfig(KubeConfig, { kubeconfig: '' }).getCurrentContext()).toBe('one');
  });
});

describe('the address of a server', () => {
  it.each([
    ['https://user:s3cret@host:6443', /^the server of context c contains a user name or a password/],
    ['https://s3cret@host:6443', /contains a user name or a password/],
    ['user:s3cret@host:6443', /^the server of context c is not an address such as/],
    ['ftp://host/?token=s3cret', /is not an address such as/],
  ])('that cannot be used is refused, and not shown: %s', (server, message) => {
    const file = write('h', { contexts: ['c'], current: 'c' });
    writeFileSync(file, readFileSync(file, 'utf8').replace('https://h.example:6443', server));
    const open = () => openKubeconfig(KubeConfig, { kubeconfig: file });
    expect(open).toThrow(message);
    expect(open).not.toThrow(/s3cret/);
  });
});
