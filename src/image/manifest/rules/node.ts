// image/manifest/rules/node.ts: does an image have everything that a node needs?
import { EXECUTABLE_PATH } from '../../../node/units/executable-path.ts';
import { type CompatibilityRule, minorOf, type RuleViolation } from './rule.ts';

/** Warnings only: the user may install these in another way. */
export const completeNode: CompatibilityRule = {
  id: 'node/complete',
  says: 'an image has kubelet, containerd, the node daemon that configures them, and the pause image',
  source: 'docs/images.md',
  check: ({ components, places, images }) => {
    const missing: [name: string, isPresent: boolean, what: string][] = [
      ['kubelet', components.has('kubelet'), 'the image has no kubelet'],
      ['containerd', components.has('containerd'), 'the image has no container runtime'],
      [
        'headstart',
        places.has(`/${EXECUTABLE_PATH}`),
        `nothing is installed as /${EXECUTABLE_PATH}: kubelet does not start without the node daemon`,
      ],
      [
        'pause',
        [...images.values()].some((name) => /(?:^|\/)pause(?:[:@]|$)/.test(name)),
        'the image has no pause image: the first pod of a node waits until it is pulled',
      ],
    ];
    return missing
      .filter(([, isPresent]) => !isPresent)
      .map(([component, , message]): RuleViolation => ({ severity: 'warning', component, message }));
  },
};

export const nodeConfiguration: CompatibilityRule = {
  id: 'node/kubernetes-minor',
  says: 'the node daemon starts kubelet with --config-dir, which kubelet has without a switch since 1.30',
  source: 'https://kubernetes.io/docs/tasks/administer-cluster/kubelet-config-file/',
  check: ({ kubernetes, places }) =>
    places.has(`/${EXECUTABLE_PATH}`) && minorOf(kubernetes) < 30
      ? [{ severity: 'error', component: 'headstart', message: `the node daemon cannot start kubelet ${kubernetes}` }]
      : [],
};
