// demo/kubernetes/hello.ts: what runs on the nodes? Two copies of a program that greets and waits, with a budget of one; and one
// on a chosen node. The nodes already have their image, so nothing is pulled.
import type { V1Deployment, V1Pod, V1PodDisruptionBudget, V1PodSpec } from '@kubernetes/client-node';

export const APP = 'hello';
export const NAMESPACE = 'default';
export const LABELS = { app: APP };

export function helloDeployment(image: string): V1Deployment {
  return {
    metadata: { name: APP },
    spec: {
      replicas: 2,
      selector: { matchLabels: LABELS },
      template: { metadata: { labels: LABELS }, spec: podSpec(image) },
    },
  };
}

export function helloBudget(): V1PodDisruptionBudget {
  return { metadata: { name: APP }, spec: { minAvailable: 1, selector: { matchLabels: LABELS } } };
}

/** The scheduler places it, so an unschedulable node does not get it. */
export function helloPod(image: string, node: string): V1Pod {
  return {
    metadata: { name: `hello-on-${node}` },
    spec: { ...podSpec(image), nodeSelector: { 'kubernetes.io/hostname': node } },
  };
}

function podSpec(image: string): V1PodSpec {
  return {
    // It needs no API access.
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: 10,
    containers: [{ name: APP, image, imagePullPolicy: 'Never' }],
  };
}
