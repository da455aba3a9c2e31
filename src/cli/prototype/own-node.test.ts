import { describe, expect, it } from 'vitest';
import { ownNodeNames } from './own-node.ts';

describe('ownNodeNames', () => {
  it('has the name of the node in the environment and the host name, each once', () => {
    expect(ownNodeNames({ NODE_NAME: 'node-1' }, 'pod-7')).toEqual(['node-1', 'pod-7']);
    expect(ownNodeNames({ NODE_NAME: 'node-1' }, 'node-1')).toEqual(['node-1']);
    expect(ownNodeNames({ NODE_NAME: '' }, 'laptop')).toEqual(['laptop']);
  });
});
