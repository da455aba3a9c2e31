// node/desired/desired.testing.ts: the desired state of a node for a document, and its files as text.
import type { NodeConfig } from '../document/config.ts';
import { aConfig, someFacts } from '../document/configs.testing.ts';
import type { Facts } from '../observe/facts.ts';
import { contentBytes } from './bytes.ts';
import { desiredState } from './desired.ts';
import { parseFlags } from './kubelet-flags.ts';
import type { DesiredState } from './tree.ts';

export const OURS = '/etc/kubernetes/kubelet/config.d/20-headstart.conf';

export function want(over: Partial<NodeConfig> = {}, facts: Facts = someFacts): DesiredState {
  return desiredState(aConfig(over), facts);
}

export function textAt(path: string, over: Partial<NodeConfig> = {}, facts: Facts = someFacts): string {
  const file = want(over, facts).files.get(path);
  return file ? contentBytes(file).toString() : '';
}

export const KUBELET_UNIT = '/etc/systemd/system/kubelet.service.d/20-headstart.conf';
export const linesAt = (path: string, over: Partial<NodeConfig>) => textAt(path, over).split('\n').slice(1, -1);
export const configOf = (over: Partial<NodeConfig> = {}, facts: Facts = someFacts) =>
  JSON.parse(textAt(OURS, over, facts));
export const flagsOf = (over: Partial<NodeConfig> = {}, facts: Facts = someFacts) =>
  Object.fromEntries(parseFlags(textAt('/etc/default/kubelet', over, facts)));
