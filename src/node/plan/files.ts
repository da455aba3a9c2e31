// node/plan/files.ts: which files must change, how disruptive is each change, and which files are owned afterwards?

import { contentText, isSecret, sha256Of } from '../desired/bytes.ts';
import type {
  Bytes,
  DesiredState,
  Diff,
  DisruptionClass,
  FileEffect,
  LeafChange,
  ObservedPath,
  ObservedState,
  Original,
  OwnedFile,
  Ownership,
  OwnershipRecord,
  PlannedChange,
  PlanStep,
  Treatment,
} from '../desired/tree.ts';
import type { Problem } from '../document/problem.ts';
import { classNow, highest } from './disruption.ts';
import { type ClassifiedLeaf, fileLeaves } from './leaves.ts';
import { lineDiff } from './line-diff.ts';

export interface FileChange {
  change: PlannedChange;
  step: PlanStep;
  effects: readonly FileEffect[];
  /** Names of kubelet's state files that must be deleted. */
  stale: readonly string[];
}

export interface FilePlan {
  changes: FileChange[];
  owned: Map<string, OwnershipRecord>;
  problems: Problem[];
}

/** The settings of kubelet's merged configuration that change because of this file. */
export type KubeletLeaves = (before: Bytes | undefined, after: Bytes | undefined) => ClassifiedLeaf[];

/** Without the bootstrap files, once kubelet has its own credential. */
export function wantedFiles(desired: DesiredState, observed: ObservedState): Map<string, OwnedFile> {
  return new Map([...desired.files].filter(([, file]) => !(file.isOnlyToJoin && observed.hasCredential)));
}

export function planFiles(
  wanted: ReadonlyMap<string, OwnedFile>,
  observed: ObservedState,
  ownership: Ownership,
  kubeletLeaves: KubeletLeaves,
): FilePlan {
  const plan: FilePlan = { changes: [], owned: new Map(), problems: [] };
  for (const file of wanted.values()) {
    const seen = observed.files.get(file.path) ?? { kind: 'absent' };
    const before = ownership.files.get(file.path);
    const [uid, gid] = [observed.users.get(file.owner), observed.groups.get(file.group)];
    const problem = obstacle(file.path, seen) ?? unknownOwner(file, uid, gid);
    if (problem !== undefined || !isReplaceable(seen) || uid === undefined || gid === undefined) {
      if (problem !== undefined) plan.problems.push(problem);
      continue;
    }
    const { path, content, encoding, mode, linkTo } = file;
    const target: Original =
      linkTo === undefined ? { kind: 'file', content, encoding, mode, uid, gid } : { kind: 'link', target: linkTo };
    plan.owned.set(path, ownedAfter(file, target, before?.original ?? seen));
    if (isSame(seen, target)) continue;
    plan.changes.push(
      classified({ path, seen, target, treatment: file, before, op: seen.kind === 'absent' ? 'create' : 'update' }),
    );
  }
  for (const [path, before] of ownership.files) {
    if (wanted.has(path)) continue;
    const seen = observed.files.get(path) ?? { kind: 'absent' };
    // If something else replaced it by a folder or a device, it is no longer ours.
    if (!isReplaceable(seen) || isSame(seen, before.original)) continue;
    const op = before.original.kind === 'absent' ? 'remove' : 'restore';
    plan.changes.push(classified({ path, seen, target: before.original, treatment: before, before, op }));
  }
  return plan;

  function classified(work: FileToChange): FileChange {
    const { path, seen, target, treatment, before } = work;
    const isHidden = [seen, target].some((one) => one.kind === 'file' && isSecret(one)) || before?.isSecret === true;
    const isRepair = before !== undefined && before.sha256 === digestOf(target);
    const leaves = leavesOf(treatment, bytesIn(seen), bytesIn(target), kubeletLeaves)?.map((leaf) =>
      isRepair ? asRepair(leaf) : leaf,
    );
    const nominal = leaves === undefined ? treatment.class : highest(leaves.map((leaf) => leaf.class));
    const worst = leaves?.find((leaf) => leaf.class === nominal);
    const now = classNow(nominal, observed.kubeletPhase);
    return {
      change: {
        aspect: treatment.aspect,
        what: path,
        op: work.op,
        class: now,
        why: now === nominal ? (worst?.why ?? WHY[nominal]) : 'nothing that runs depends on it yet',
        isDrift: before !== undefined && !isUnmodified(seen, before),
        leaves: (leaves ?? []).map((leaf) => shownLeaf(leaf, isHidden, observed)),
        diff: isHidden ? { kind: 'hidden', because: 'secret' } : diffOf(seen, target),
      },
      step: stepTo(path, target),
      effects: leaves !== undefined && nominal === 0 ? treatment.after.filter(isNoRestart) : treatment.after,
      stale: [...new Set(leaves?.flatMap((leaf) => leaf.stale))],
    };
  }
}

interface FileToChange {
  path: string;
  seen: Original;
  target: Original;
  treatment: Treatment;
  before: OwnershipRecord | undefined;
  op: PlannedChange['op'];
}

const WHY: Readonly<Record<DisruptionClass, string>> = {
  0: 'it is read when it is used',
  1: 'programs that read it accept a change at any time',
  2: 'kubelet reads it when it starts',
  3: 'containerd reads it when it starts',
  4: 'running pods keep the old value',
  5: 'state kept under the old value becomes invalid',
  6: 'the kernel reads it at boot',
  C: 'a node may not change it itself',
  7: 'it is part of the identity of the node',
};

/** The node still has this identity; only the file lost it. Restoring the file does not make it another node. */
function asRepair(leaf: ClassifiedLeaf): ClassifiedLeaf {
  return leaf.class === 7 ? { ...leaf, class: 2, why: 'it is restored to the applied value' } : leaf;
}

/** A file whose changed settings matter only at registration, or that changes no setting, needs no restart of its readers. */
function isNoRestart(effect: FileEffect): boolean {
  return effect.do !== 'restart';
}

function isReplaceable(seen: ObservedPath): seen is Original {
  return seen.kind === 'absent' || seen.kind === 'file' || seen.kind === 'link';
}

function obstacle(path: string, seen: ObservedPath): Problem | undefined {
  const reason = 'plan/obstructed';
  if (seen.kind === 'other') return { reason, path, message: `is ${seen.what} and cannot be replaced` };
  if (seen.kind !== 'unreachable') return undefined;
  return { reason, path, message: `${seen.at} is a link or not a folder, and headstart does not follow links` };
}

function unknownOwner({ path, owner, group }: OwnedFile, uid?: number, gid?: number): Problem | undefined {
  const reason = 'config/invalid';
  if (uid === undefined) return { reason, path, message: `there is no user ${owner} on this node` };
  return gid === undefined ? { reason, path, message: `there is no group ${group} on this node` } : undefined;
}

function ownedAfter(file: OwnedFile, target: Original, original: Original): OwnershipRecord {
  const { aspect, notation, after } = file;
  const rest = { sha256: digestOf(target), rights: rightsOf(target), isSecret: isSecret(file), original };
  return { aspect, class: file.class, notation, after, ...rest };
}

function digestOf(one: Original): string {
  if (one.kind === 'file') return sha256Of(one);
  return sha256Of({ content: one.kind === 'link' ? one.target : '', encoding: 'utf8' });
}

function isSame(a: Original, b: Original): boolean {
  if (a.kind === 'link' && b.kind === 'link') return a.target === b.target;
  if (a.kind !== 'file' || b.kind !== 'file') return a.kind === b.kind;
  return a.mode === b.mode && a.uid === b.uid && a.gid === b.gid && sha256Of(a) === sha256Of(b);
}

function isUnmodified(seen: Original, before: OwnershipRecord): boolean {
  if (seen.kind === 'absent' || digestOf(seen) !== before.sha256) return false;
  const [now, then] = [rightsOf(seen), before.rights];
  return now?.mode === then?.mode && now?.uid === then?.uid && now?.gid === then?.gid;
}

function rightsOf(one: Original): OwnershipRecord['rights'] {
  return one.kind === 'file' ? { mode: one.mode, uid: one.uid, gid: one.gid } : undefined;
}

function bytesIn(one: Original): Bytes | undefined {
  return one.kind === 'file' ? one : undefined;
}

/** Undefined if the file has one class for all settings. */
function leavesOf(
  { notation }: Treatment,
  before: Bytes | undefined,
  after: Bytes | undefined,
  kubeletLeaves: KubeletLeaves,
): ClassifiedLeaf[] | undefined {
  if (notation === undefined) return undefined;
  if (notation === 'kubelet-config') return kubeletLeaves(before, after);
  return fileLeaves(notation, before && contentText(before), after && contentText(after));
}

function shownLeaf(
  { path, from, to, why, ...leaf }: ClassifiedLeaf,
  isHidden: boolean,
  { kubeletPhase }: ObservedState,
): LeafChange {
  return { path, ...(!isHidden && { from, to }), class: classNow(leaf.class, kubeletPhase), why };
}

function diffOf(seen: Original, target: Original): Diff {
  const [from, to] = [asText(seen), asText(target)];
  return from === undefined || to === undefined
    ? { kind: 'hidden', because: 'not text' }
    : { kind: 'text', lines: lineDiff(from, to) };
}

function asText(one: Original): string | undefined {
  if (one.kind === 'absent') return '';
  return one.kind === 'link' ? `link to ${one.target}\n` : contentText(one);
}

function stepTo(path: string, target: Original): PlanStep {
  if (target.kind === 'absent') return { do: 'remove-file', path };
  if (target.kind === 'link') return { do: 'make-link', path, target: target.target };
  const { content, encoding, mode, uid, gid } = target;
  return { do: 'write-file', path, mode, uid, gid, content, encoding };
}
