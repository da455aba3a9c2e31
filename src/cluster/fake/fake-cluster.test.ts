import { fakeClock } from '../../base/fake-clock.ts';
import { clusterContract } from '../cluster.suite.ts';
import { fakeCluster } from './fake-cluster.ts';

clusterContract('the fake', async () => {
  const clock = fakeClock();
  const cluster = fakeCluster(clock);
  let serial = 0;
  return {
    cluster,
    prefix: '',
    addNode: async (name) => void cluster.addNode(name),
    removeNode: async (name) => void cluster.nodes.delete(name),
    touchNode: async (name) => cluster.touch(name, {}),
    pass: async (ms) => clock.advance(ms),
    addPod: async ({ nodeName, name, ownerKind }) => {
      cluster.pods.push({
        nodeName,
        namespace: 'default',
        name,
        uid: `pod-${++serial}`,
        ...(ownerKind !== undefined && { ownerKind }),
        ownerExists: true,
        isMirror: false,
        hasEmptyDir: false,
        phase: 'Running',
      });
    },
    tokens: {
      cluster,
      add: async ({ id, secret: _, ...token }) => void cluster.tokens?.set(id, token),
    },
    answerScripts: (answer) => {
      cluster.runScript = answer;
    },
  };
});
