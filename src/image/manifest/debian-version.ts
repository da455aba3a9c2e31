// image/manifest/debian-version.ts: which of two Debian versions is newer? `1:2.0~rc1-1`, compared as dpkg does.

/** Negative if `a` is older. Compares the epoch, then the upstream version, then the revision. */
export function compareDebian(a: string, b: string): number {
  const [left, right] = [partsOf(a), partsOf(b)];
  return (
    comparePart(left.epoch, right.epoch) ||
    comparePart(left.upstream, right.upstream) ||
    comparePart(left.revision, right.revision)
  );
}

/** A missing epoch is 0; a missing revision equals 0. Only the last dash starts the revision: upstream versions may contain dashes. */
function partsOf(version: string): { epoch: string; upstream: string; revision: string } {
  const [, epoch = '0', rest = ''] = /^(?:(\d+):)?(.*)$/s.exec(version) ?? [];
  const dash = rest.lastIndexOf('-');
  return dash < 0
    ? { epoch, upstream: rest, revision: '' }
    : { epoch, upstream: rest.slice(0, dash), revision: rest.slice(dash + 1) };
}

/** Compares text and numbers alternately: text by dpkg's character order, numbers by value. */
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

/** A tilde sorts before the end of the text, letters before all other characters. */
function rankOf(character: string | undefined): number {
  if (character === undefined) return 0;
  if (character === '~') return -1;
  const code = character.codePointAt(0)!;
  return /[A-Za-z]/.test(character) ? code : code + 0x110000;
}

/** Versions contain dates and hashes, which are too long for a number. */
function compareNumber(a: string, b: string): number {
  const [left, right] = [a.replace(/^0+/, ''), b.replace(/^0+/, '')];
  return left.length - right.length || (left < right ? -1 : left > right ? 1 : 0);
}
