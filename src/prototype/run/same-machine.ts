// prototype/run/same-machine.ts: do two VM ids name the same machine?

/** Firmware and operating system may write the first three groups in different byte orders. */
export function isSameMachine(a: string, b: string): boolean {
  const left = a.toLowerCase();
  const right = b.toLowerCase();
  return left === right || swapUuid(left) === right;
}

function swapUuid(uuid: string): string {
  const groups = uuid.split('-');
  const swap = (group: string) => (group.match(/../g) ?? []).reverse().join('');
  return groups.map((group, i) => (i < 3 ? swap(group) : group)).join('-');
}
