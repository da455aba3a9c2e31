// image/manifest/rules/node.ts: does an image have what makes it a node at all?
import { EXECUTABLE_PATH } from '../../../node/units/executable-path.ts';
import { type CompatibilityRule, minorOf, type RuleViolation } from './rule.ts';

/** Warnings: whoever adds them in another way knows it. */
export const completeNode: CompatibilityRule = {
  id: 'node/complete',
  says: 'an image has kubelet, containerd, the node daemon that configures them, and the image every pod starts with',
  source: 'docs/images.md',
  check: ({ components, places, images }) => {
    const missing: [name: string, isThere: boolean, what: string][] = [
      ['kubelet', components.has('kubelet'), 'there is no kubelet'],
      ['containerd', components.has('containerd'), 'there is no container runtime'],
      [
        'headstart',
        places.has(`/${EXECUTABLE_PATH}`),
        `nothing is installed as /${EXECUTABLE_PATH}: without the node daemon kubelet is not let start`,
      ],
      [
        'pause',
        [...images.values()].some((name) => /(?:^|\/)pause(?:[:@]|$)/.test(name)),
        'there is no pause image: the first pod of a node has to wait for it',
      ],
    ];
    return missing
      .filter(([, isThere]) => !isThere)
      .map(([component, , message]): RuleViolation => ({ severity: 'warning', component, message }));
  },
};

export const nodeConfiguration: CompatibilityRule = {
  id: 'node/kubernetes-minor',
  says: 'the node daemon starts kubelet with --config-dir, which it has without a switch from 1.30 on',
  source: 'https://kubernetes.io/docs/tasks/administer-cluster/kubelet-config-file/',
  check: ({ kubernetes, places }) =>
    places.has(`/${EXECUTABLE_PATH}`) && minorOf(kubernetes) < 30
      ? [{ severity: 'error', component: 'headstart', message: `it cannot start kubelet ${kubernetes}` }]
      : [],
};
