// image/manifest/debian-version.ts: which of two Debian versions is newer? `1:2.0~rc1-1` as dpkg itself compares it.

/** Negative: `a` is older. Epoch first, then upstream's part, then the revision. */
export function compareDebian(a: string, b: string): number {
  const [left, right] = [partsOf(a), partsOf(b)];
  return (
    comparePart(left.epoch, right.epoch) ||
    comparePart(left.upstream, right.upstream) ||
    comparePart(left.revision, right.revision)
  );
}

/** No epoch is 0, no revision is less than any but equal to 0; a dash may be part of upstream's version, the last one is not. */
function partsOf(version: string): { epoch: string; upstream: string; revision: string } {
  const [, epoch = '0', rest = ''] = /^(?:(\d+):)?(.*)$/s.exec(version) ?? [];
  const dash = rest.lastIndexOf('-');
  return dash < 0
    ? { epoch, upstream: rest, revision: '' }
    : { epoch, upstream: rest.slice(0, dash), revision: rest.slice(dash + 1) };
}

/** Text and number by turns: text by dpkg's own order of characters, numbers by value. */
function comparePart(a: string, b: string): number {
  for (let left = a, right = b; left !== '' || right !== ''; ) {
    const [leftText, rightText] = [/^\D*/.exec(left)![0], /^\D*/.exec(right)![0]];
    const byText = compareText(leftText, rightText);
    if (byText !== 0) return byText;
    left = left.slice(leftText.length);
    right = right.slice(rightText.length);
    const [leftNumber, rightNumber] = [/^\d*/.exec(left)![0], /^\d*/.exec(right)![0]];
    const byNumber = compareNumber(leftNumber, rightNumber);
    if (byNumber !== 0) return byNumber;
    left = left.slice(leftNumber.length);
    right = right.slice(rightNumber.length);
  }
  return 0;
}

function compareText(a: string, b: string): number {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const difference = rankOf(a[i]) - rankOf(b[i]);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** A tilde comes before the end, letters before everything else. */
function rankOf(character: string | undefined): number {
  if (character === undefined) return 0;
  if (character === '~') return -1;
  const code = character.codePointAt(0)!;
  return /[A-Za-z]/.test(character) ? code : code + 0x110000;
}

/** Of any length: dates and hashes are part of versions. */
function compareNumber(a: string, b: string): number {
  const [left, right] = [a.replace(/^0+/, ''), b.replace(/^0+/, '')];
  return left.length - right.length || (left < right ? -1 : left > right ? 1 : 0);
}
